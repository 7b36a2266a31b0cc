//! Branches: conditions split the iteration space, or weigh it where nobody knows them.

use crate::counts::amount::Amount;
use crate::counts::path::Path;
use crate::expressions::affine::Symbol;
use crate::expressions::formula::{Constraint, Formula};
use crate::expressions::symbolic::{Fraction, Symbolic};
use crate::state::execution::{Escape, Execution, Flow};
use crate::state::store::State;
use crate::{UncertainKind, Unsummarisable};
use chronos_activity::{Count, CountSource};
use chronos_ir::{Arm, ArmLabel, BlockId, Branch, BranchKind, Jump};
use chronos_slicing::heuristics::{Grounds, Guess, Likelihood, Outcome as Known};
use chronos_values::{ReasonId, ReasonKind};

/// Which executions take which arm.
struct Split {
    /// Per arm.
    arms: Vec<Share>,
    /// Those that take none.
    none: Share,
}

/// A part of the executions that reach a branch.
#[derive(Clone)]
enum Share {
    Where(Formula),
    /// A fraction, by chance.
    Weight(Count),
    /// The same, as an expression that the source gave, with a symbol of its own.
    Given(Fraction, Symbol),
}

/// What an arm leaves behind; no arm, what goes past the branch.
struct Outcome {
    arm: Option<usize>,
    guard: Option<Formula>,
    path: Path,
    state: State,
    value: Option<Symbolic>,
}

impl<'a> Execution<'a> {
    pub fn branch(&mut self, id: BlockId, branch: &'a Branch, path: Path) -> Flow {
        self.count(id, 0, &path)?;
        let (split, blamed) = self.split(id, branch);
        self.settle_split(id, branch, &path, &split)?;
        let before = self.frame().escapes.len();
        let entry = self.state.clone();
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut falling: Option<(Path, State)> = None;
        for (index, (arm, share)) in branch.arms.iter().zip(&split.arms).enumerate() {
            let taken = self.share(id, &path, share)?.blaming(blamed);
            self.count(id, 1 + u32::try_from(index).unwrap_or(0), &taken)?;
            self.state = entry.clone();
            let mut inside = taken;
            // What falls in from the arm before is not told by this arm's labels.
            let mut guard = guard_of(share);
            if let Some((fallen, state)) = falling.take() {
                self.state = if inside.is_nowhere() { state } else { self.either(entry.clone(), state) };
                inside = inside.union(fallen);
                guard = None;
            }
            if inside.is_nowhere() {
                self.assume_unreached(arm, share, blamed);
                continue;
            }
            let started = self.frame().escapes.len();
            let end = self.region(&arm.region, inside)?;
            if arm.falls_through && index + 1 < branch.arms.len() {
                falling = Some((end, self.state.clone()));
                continue;
            }
            let value = arm.value.as_ref().map(|value| self.operand(value));
            let state = std::mem::take(&mut self.state);
            outcomes.push(match self.only_break(branch, started, &end) {
                Some(escape) => Outcome { arm: Some(index), guard, path: escape.path, state: escape.state, value },
                None => Outcome { arm: Some(index), guard, path: end, state, value },
            });
        }
        let rest = self.share(id, &path, &split.none)?.blaming(blamed);
        skipped(branch, rest, guard_of(&split.none), entry, &mut outcomes);
        self.breaks(branch, before, &mut outcomes);
        Ok(self.rejoin(id, branch, path, before, outcomes))
    }

    /// An arm that by assumption is never taken: its counts are zero, and not exact.
    fn assume_unreached(&mut self, arm: &Arm, share: &Share, blamed: Option<ReasonId>) {
        let Share::Weight(Count { source: CountSource::Assumed, .. }) = share else { return };
        if self.trials > 0 || self.whole.is_none() {
            return;
        }
        let context = self.context();
        let inner: Vec<BlockId> = arm.region.iter().flat_map(|&block| self.inside(block)).collect();
        for block in inner.into_iter().map(|block| &self.program.blocks[block]) {
            for key in (0..block.counters()).map(|offset| (context, block.counter(offset))) {
                let none = Count { source: CountSource::Assumed, ..Count::ZERO };
                self.counts.entry(key).or_insert(Amount::Number(none));
                if let Some(reason) = blamed {
                    self.blamed.entry(key).or_insert(reason);
                }
            }
        }
    }

    /// The outcome is known although somebody speaks of it.
    fn settle_split(&mut self, id: BlockId, branch: &Branch, path: &Path, split: &Split) -> Result<(), Unsummarisable> {
        let Some(said) = self.given_probability(id) else { return Ok(()) };
        let first = if branch.kind == BranchKind::Or { &split.none } else { &split.arms[0] };
        if let Share::Where(_) = first {
            let found = self.share(id, path, first)?;
            self.settle(id, Some(said), path, &found);
        }
        Ok(())
    }

    /// Notes how likely the value of an `&&`, `||` or `?:` is true, over all executions.
    fn note_outcome(&mut self, id: BlockId, branch: &Branch, path: &Path, ends: &[Outcome]) {
        let number = |run: &Self, path: &Path| {
            path.count(&run.symbols.quotients).ok().and_then(|amount| amount.number().as_f64())
        };
        let Some(all) = number(self, path).filter(|all| *all > 0.0) else { return };
        let mut sum = Likelihood { p: 0.0, assumed: false };
        for end in ends {
            let Some(share) = number(self, &end.path) else { return };
            let arm = end.arm.unwrap_or(branch.arms.len());
            let truth = self.arm_truth(id, u32::try_from(arm).unwrap_or(0), end.value.as_ref());
            let assumed = truth.assumed || end.guard.is_none();
            sum = Likelihood { p: sum.p + share / all * truth.p, assumed: sum.assumed || assumed };
        }
        if self.given_probability(id).is_some() && sum.assumed {
            sum.assumed = ends.iter().any(|end| {
                let arm = u32::try_from(end.arm.unwrap_or(branch.arms.len())).unwrap_or(0);
                self.arm_truth(id, arm, end.value.as_ref()).assumed
            });
        }
        self.outcomes.insert(id, Known::Truth(sum));
    }

    /// `break` of a switch comes out behind it.
    fn breaks(&mut self, branch: &Branch, before: usize, outcomes: &mut Vec<Outcome>) {
        let Some(target) = branch.target else { return };
        let since = self.frame().escapes.split_off(before);
        for escape in since {
            if escape.jump == Jump::Break(target) {
                outcomes.push(Outcome { arm: None, guard: None, path: escape.path, state: escape.state, value: None });
            } else {
                self.frame().escapes.push(escape);
            }
        }
    }

    /// The one `break` that a whole arm of a switch ends in.
    fn only_break(&mut self, branch: &Branch, started: usize, end: &Path) -> Option<Escape> {
        let target = branch.target?;
        let escapes = &mut self.frame().escapes;
        let only = escapes.len() == started + 1 && end.is_nowhere();
        escapes.pop_if(|escape| only && escape.jump == Jump::Break(target))
    }

    /// Behind the branch: one state, one path, the value of the expression.
    fn rejoin(&mut self, id: BlockId, branch: &Branch, path: Path, before: usize, outcomes: Vec<Outcome>) -> Path {
        let jumped = self.frame().escapes.len() > before;
        let ends: Vec<Outcome> = outcomes.into_iter().filter(|outcome| !outcome.path.is_nowhere()).collect();
        if let Some(result) = branch.result {
            let values = ends.iter().map(|o| (o.guard.clone(), o.value.clone())).collect();
            let value = self.choice(id, values);
            if matches!(value, Symbolic::Unknown(_)) {
                self.note_outcome(id, branch, &path, &ends);
            }
            self.frame().values.insert(result, value);
        }
        let joined = ends.iter().map(|o| o.path.clone()).reduce(Path::union).unwrap_or_else(Path::nowhere);
        let exhausted = ends.is_empty();
        self.state = self.merge(ends.into_iter().map(|o| (o.guard, o.state)).collect());
        if jumped || exhausted { joined } else { path }
    }

    fn choice(&mut self, id: BlockId, values: Vec<(Option<Formula>, Option<Symbolic>)>) -> Symbolic {
        let span = self.program.blocks[id].span;
        let known: Option<Vec<(Option<Formula>, Symbolic)>> =
            values.into_iter().map(|(guard, value)| Some((guard, value?))).collect();
        match known {
            Some(known) => self.one_of(&known).unwrap_or_else(|| self.unknown(ReasonKind::UnknownBranch, span)),
            None => self.unknown(ReasonKind::NotEvaluated, span),
        }
    }

    /// The value under each guard; `None` where they differ and the guards or values are unknown.
    pub(crate) fn one_of(&mut self, values: &[(Option<Formula>, Symbolic)]) -> Option<Symbolic> {
        let (_, first) = values.first()?;
        if values.iter().all(|(_, value)| value == first) {
            return Some(first.clone());
        }
        let truths = values.iter().all(|(_, v)| matches!(v, Symbolic::Truth(_)) || is_truth(v));
        if truths {
            return self.truth_of(values);
        }
        let mut cases = Vec::new();
        for (guard, value) in values {
            for piece in &guard.as_ref()?.pieces {
                let guard = Formula { pieces: vec![piece.clone()] };
                for (condition, affine) in value.cases()? {
                    let both = guard.and(&Formula { pieces: vec![condition] })?;
                    cases.extend(both.pieces.into_iter().map(|piece| (piece, affine.clone())));
                }
            }
        }
        Symbolic::from_cases(cases)
    }

    fn truth_of(&mut self, values: &[(Option<Formula>, Symbolic)]) -> Option<Symbolic> {
        let mut pieces = Vec::new();
        for (guard, value) in values {
            pieces.extend(guard.as_ref()?.and(&self.symbols.truth(value)?)?.pieces);
        }
        Some(Symbolic::Truth(Formula { pieces }).constant_folded())
    }

    /// One state for those that come from several places, under disjoint guards where these are known.
    pub fn merge(&mut self, mut states: Vec<(Option<Formula>, State)>) -> State {
        if states.len() <= 1 {
            return states.pop().map(|(_, state)| state).unwrap_or_default();
        }
        let mut merged = State { last: self.last_of(&states), ..State::default() };
        for (_, state) in &states {
            merged.lost_objects.extend(state.lost_objects.clone());
            merged.lost_classes.extend(state.lost_classes.clone());
        }
        self.merge_zeroed(&states, &mut merged);
        let variables: std::collections::BTreeSet<_> =
            states.iter().flat_map(|(_, state)| state.variables.keys().copied()).collect();
        for variable in variables {
            let ty = self.program.types.scalar(self.program.variables[variable].ty);
            let Some(ty) = ty else { continue };
            let value = self.over(&mut states, |run| run.read_variable(variable, ty));
            merged.variables.insert(variable, value);
        }
        let cells: std::collections::BTreeSet<_> =
            states.iter().flat_map(|(_, state)| state.cells.iter().map(|(key, (ty, _))| (*key, *ty))).collect();
        for ((object, offset), ty) in cells {
            let value = self.over(&mut states, |run| run.read_cell(object, offset, ty));
            merged.cells.insert((object, offset), (ty, value));
        }
        merged
    }

    /// What is zero in all states stays so; what is in some is lost.
    fn merge_zeroed(&mut self, states: &[(Option<Formula>, State)], merged: &mut State) {
        let all: std::collections::BTreeSet<_> = states.iter().flat_map(|(_, state)| state.zeroed.clone()).collect();
        for object in all {
            if states.iter().all(|(_, state)| state.zeroed.contains(&object)) {
                merged.zeroed.insert(object);
            } else {
                let reason = self.reason(ReasonKind::UnknownBranch, None);
                merged.lost_objects.entry(object).or_insert(reason);
            }
        }
    }

    /// Reads in every state and combines.
    fn over(&mut self, states: &mut [(Option<Formula>, State)], read: impl Fn(&mut Self) -> Symbolic) -> Symbolic {
        let mut values = Vec::new();
        for (guard, state) in states.iter_mut() {
            std::mem::swap(&mut self.state, state);
            values.push((guard.clone(), read(self)));
            std::mem::swap(&mut self.state, state);
        }
        match self.one_of(&values) {
            Some(value) => value,
            None => {
                let origin = values.iter().find(|(_, value)| matches!(value, Symbolic::Unknown(_)));
                let origin = origin.map(|(_, value)| value.clone());
                origin.unwrap_or_else(|| Symbolic::Unknown(self.reason(ReasonKind::UnknownBranch, None)))
            }
        }
    }

    fn share(&mut self, id: BlockId, path: &Path, share: &Share) -> Result<Path, Unsummarisable> {
        match share {
            Share::Weight(weight) => Ok(path.weighted(*weight)),
            Share::Given(fraction, counter) => {
                path.times_fraction(fraction, *counter).ok_or_else(|| Self::too_complex(id, crate::counts::TooComplex))
            }
            Share::Where(formula) => {
                path.restricted(formula).ok_or_else(|| Self::too_complex(id, crate::counts::TooComplex))
            }
        }
    }

    /// Which executions take which arm, and why that is not exact.
    fn split(&mut self, id: BlockId, branch: &Branch) -> (Split, Option<ReasonId>) {
        let value = self.operand(&branch.condition);
        let known =
            if branch.kind == BranchKind::Switch { self.cases(branch, &value) } else { self.sides(branch, &value) };
        if let Some(known) = known {
            return (known, None);
        }
        let reason = if let Symbolic::Unknown(reason) = value { Some(reason) } else { None };
        let split = match self.by_expression(id, branch) {
            Some(split) => split,
            None => self.by_chance(id, branch, reason),
        };
        let span = self.program.blocks[id].span;
        (split, Some(reason.unwrap_or_else(|| self.reason(ReasonKind::UnknownBranch, Some(span)))))
    }

    /// As the source says, in an expression of what is left free.
    fn by_expression(&mut self, id: BlockId, branch: &Branch) -> Option<Split> {
        let fraction = self.given_fraction(id).filter(|_| branch.kind != BranchKind::Switch)?;
        let complement = fraction.complement()?;
        let mut share = |of: &Fraction| Share::Given(of.clone(), self.symbols.fresh());
        let is_true = |arm: &Arm| arm.labels.contains(&ArmLabel::True);
        let arms = branch.arms.iter().map(|arm| share(if is_true(arm) { &fraction } else { &complement })).collect();
        let none = match &branch.arms[..] {
            [only] => share(if is_true(only) { &complement } else { &fraction }),
            _ => Share::Where(Formula::never()),
        };
        Some(Split { arms, none })
    }

    fn sides(&self, branch: &Branch, value: &Symbolic) -> Option<Split> {
        let truth = self.symbols.truth(value)?;
        let mut none = Formula::always();
        let mut arms = Vec::new();
        for arm in &branch.arms {
            let side = if arm.labels.contains(&ArmLabel::True) { truth.clone() } else { truth.not()? };
            none = none.and(&side.not()?)?;
            arms.push(Share::Where(side));
        }
        Some(Split { arms, none: Share::Where(none) })
    }

    fn cases(&self, branch: &Branch, value: &Symbolic) -> Option<Split> {
        let mut none = Formula::always();
        let mut arms = Vec::new();
        for arm in &branch.arms {
            let mut here = Formula::never();
            for label in &arm.labels {
                if let ArmLabel::Case(low, high) = label {
                    here = here.or(&self.between(value, i128::from(*low), i128::from(*high))?)?;
                }
            }
            none = none.and(&here.not()?)?;
            arms.push(here);
        }
        let default = branch.arms.iter().position(|arm| arm.labels.contains(&ArmLabel::Default));
        if let Some(default) = default {
            arms[default].pieces.extend(none.pieces);
            none = Formula::never();
        }
        Some(Split { arms: arms.into_iter().map(Share::Where).collect(), none: Share::Where(none) })
    }

    fn between(&self, value: &Symbolic, low: i128, high: i128) -> Option<Formula> {
        let mut pieces = Vec::new();
        for (guard, affine) in value.cases()? {
            let within = if low == high {
                self.symbols.zero(&affine.plus(-low)?)?
            } else {
                let above = Formula::atom(Constraint::Nonnegative(affine.plus(-low)?));
                above.and(&Formula::atom(Constraint::Nonnegative(affine.negate()?.plus(high)?)))?
            };
            pieces.extend(Formula { pieces: vec![guard] }.and(&within)?.pieces);
        }
        Some(Formula { pieces })
    }

    /// How likely the arms of a branch are whose condition is unknown.
    pub(crate) fn likelihoods(&self, id: BlockId, branch: &Branch) -> Guess {
        match self.given_probability(id) {
            Some(p) => self.heuristics.given(branch, p),
            None => self.heuristics.guess(self.program, id, &|id| self.outcome(id)),
        }
    }

    /// Nobody knows the condition: a given probability, or what heuristics say.
    fn by_chance(&mut self, id: BlockId, branch: &Branch, reason: Option<ReasonId>) -> Split {
        let given = self.given_probability(id);
        let guess = self.likelihoods(id, branch);
        let assumed = given.is_none() && guess.grounds != Grounds::Parts { assumed: false };
        if assumed {
            let first = guess.arms.first().copied().unwrap_or(0.0);
            self.doubt(id, UncertainKind::AssumedProbability(first), reason);
        }
        let source = if assumed { CountSource::Assumed } else { CountSource::Probability };
        let weigh =
            |p: f64| Share::Weight(if p == 1.0 { Count { source, ..Count::ONE } } else { Count::expected(p, source) });
        Split { arms: guess.arms.iter().map(|p| weigh(*p)).collect(), none: weigh(guess.none) }
    }
}

/// Those that take no arm go on behind the branch.
fn skipped(branch: &Branch, rest: Path, guard: Option<Formula>, entry: State, outcomes: &mut Vec<Outcome>) {
    if !rest.is_nowhere() {
        let value = match branch.kind {
            BranchKind::And => Some(Symbolic::int(0)),
            BranchKind::Or => Some(Symbolic::int(1)),
            BranchKind::If | BranchKind::Conditional | BranchKind::Switch => None,
        };
        outcomes.push(Outcome { arm: None, guard, path: rest, state: entry, value });
    }
}

/// The condition of a share that is none of chance.
fn guard_of(share: &Share) -> Option<Formula> {
    if let Share::Where(formula) = share { Some(formula.clone()) } else { None }
}

/// 0 or 1, and nothing else.
fn is_truth(value: &Symbolic) -> bool {
    *value == Symbolic::int(0) || *value == Symbolic::int(1)
}
