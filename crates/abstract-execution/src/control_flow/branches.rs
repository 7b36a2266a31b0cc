//! Branches: conditions split the iteration space, or weigh it where nobody knows them.

use super::splits::{Share, Split};
use crate::Unsummarisable;
use crate::counts::amount::Amount;
use crate::counts::path::Path;
use crate::expressions::formula::Formula;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::{Escape, Execution, Flow};
use crate::state::store::State;
use chronos_activity::{Count, CountSource};
use chronos_ir::{Arm, BlockId, Branch, BranchKind, Jump};
use chronos_slicing::heuristics::{Likelihood, Outcome as Known};
use chronos_values::ReasonId;

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
        let (split, inexact_reason) = self.split(id, branch);
        self.check_split_annotation(id, branch, &path, &split)?;
        let before = self.frame().escapes.len();
        let entry = self.state.clone();
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut falling: Option<(Path, State)> = None;
        for (index, (arm, share)) in branch.arms.iter().zip(&split.arms).enumerate() {
            let taken = Self::share(id, &path, share)?.with_inexact_reason(inexact_reason);
            self.count(id, 1 + u32::try_from(index).unwrap_or(0), &taken)?;
            self.state = entry.clone();
            let mut inside = taken;
            // What falls in from the arm before is not told by this arm's labels.
            let mut guard = guard_of(share);
            if let Some((fallen, state)) = falling.take() {
                self.state = if inside.is_unreachable() { state } else { self.either(entry.clone(), state) };
                inside = inside.union(fallen);
                guard = None;
            }
            if inside.is_unreachable() {
                self.assume_unreached(arm, share, inexact_reason);
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
        let rest = Self::share(id, &path, &split.none)?.with_inexact_reason(inexact_reason);
        skipped(branch, rest, guard_of(&split.none), entry, &mut outcomes);
        self.breaks(branch, before, &mut outcomes);
        Ok(self.rejoin(id, branch, path, before, outcomes))
    }

    /// An arm that by assumption is never taken: its counts are zero, and not exact.
    fn assume_unreached(&mut self, arm: &Arm, share: &Share, inexact_reason: Option<ReasonId>) {
        let Share::Weight(Count { source: CountSource::Assumed, .. }) = share else { return };
        if self.trials > 0 || self.whole_program.is_none() {
            return;
        }
        let context = self.context();
        let inner: Vec<BlockId> = arm.region.iter().flat_map(|&block| self.inside(block)).collect();
        for block in inner.into_iter().map(|block| &self.setting.program.blocks[block]) {
            for key in (0..block.counters()).map(|offset| (context, block.counter(offset))) {
                let none = Count { source: CountSource::Assumed, ..Count::ZERO };
                self.counts.entry(key).or_insert(Amount::Number(none));
                if let Some(reason) = inexact_reason {
                    self.inexact_reasons.entry(key).or_insert(reason);
                }
            }
        }
    }

    /// The outcome is known although somebody speaks of it.
    fn check_split_annotation(
        &mut self,
        id: BlockId,
        branch: &Branch,
        path: &Path,
        split: &Split,
    ) -> Result<(), Unsummarisable> {
        let Some(said) = self.annotated_probability(id) else { return Ok(()) };
        let first = if branch.kind == BranchKind::Or { &split.none } else { &split.arms[0] };
        if let Share::Where(_) = first {
            let found = Self::share(id, path, first)?;
            self.check_annotation(id, Some(said), path, &found);
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
        if self.annotated_probability(id).is_some() && sum.assumed {
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
        let only = escapes.len() == started + 1 && end.is_unreachable();
        escapes.pop_if(|escape| only && escape.jump == Jump::Break(target))
    }

    /// Behind the branch: one state, one path, the value of the expression.
    fn rejoin(&mut self, id: BlockId, branch: &Branch, path: Path, before: usize, outcomes: Vec<Outcome>) -> Path {
        let jumped = self.frame().escapes.len() > before;
        let ends: Vec<Outcome> = outcomes.into_iter().filter(|outcome| !outcome.path.is_unreachable()).collect();
        if let Some(result) = branch.result {
            let values = ends.iter().map(|o| (o.guard.clone(), o.value.clone())).collect();
            let value = self.choice(id, values);
            if matches!(value, Symbolic::Unknown(_)) {
                self.note_outcome(id, branch, &path, &ends);
            }
            self.frame().values.insert(result, value);
        }
        let joined = ends.iter().map(|o| o.path.clone()).reduce(Path::union).unwrap_or_else(Path::unreachable);
        let exhausted = ends.is_empty();
        self.state = self.merge(ends.into_iter().map(|o| (o.guard, o.state)).collect());
        if jumped || exhausted { joined } else { path }
    }
}

/// Those that take no arm go on behind the branch.
fn skipped(branch: &Branch, rest: Path, guard: Option<Formula>, entry: State, outcomes: &mut Vec<Outcome>) {
    if !rest.is_unreachable() {
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
