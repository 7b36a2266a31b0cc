//! The iteration space of a loop: found by trial executions of its condition and of its body.

use super::induction::{Induction, advanced};
use super::trips::{ends, prefix_closed, trip_count, trip_limits};
use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::formula::{Conjunction, Constraint, Formula, conjoin};
use crate::expressions::symbolic::{Symbolic, limits};
use crate::expressions::symbols::Symbols;
use crate::state::execution::{Escape, Execution};
use chronos_activity::Count;
use chronos_ir::{BlockId, Jump, Loop, LoopForm, Operand, ScalarType};
use chronos_values::ReasonId;

/// The iterations of a loop in closed form.
pub(crate) struct Space {
    pub k: Symbol,
    /// Where iteration k begins its body.
    pub body: Formula,
    /// Where the condition is evaluated the k-th time.
    pub tests: Formula,
    /// Number of iterations, where it is one expression and no jump ends the loop.
    pub trips: Option<Affine>,
    /// Where that is the least of several expressions, or 0: these.
    pub limits: Vec<Affine>,
    /// Where the loop ends at a test.
    pub done: Option<Formula>,
}

/// What a trial of the condition or body showed.
enum Shown {
    Closed(Formula),
    Unknown(Option<ReasonId>),
}

/// The step or its opposite: the one that is positive where parameters are.
fn forward(step: &Affine) -> Option<Affine> {
    if step.terms.first().is_some_and(|term| term.1 < 0) { step.negate() } else { Some(step.clone()) }
}

impl Space {
    /// Of a loop that runs only where the formula holds.
    fn where_runs(self, formula: &Formula) -> Option<Self> {
        let first = Formula::atom(Constraint::Zero(Affine::symbol(self.k)));
        let tests = first.or(&self.tests.and(&first.not()?)?.and(formula)?)?;
        // The first iteration of a loop that tests at its end is there anyway.
        let body = if self.body == self.tests { tests.clone() } else { self.body.and(formula)? };
        Some(Self { body, tests, ..self })
    }
}

impl<'a> Execution<'a> {
    /// The iteration space. A loop that goes on as long as its counter is below a limit ends if the step is
    /// positive: where the steps are free, they are taken to be so in its iterations.
    pub(crate) fn space_by_steps(
        &mut self,
        l: &'a Loop,
        k: Symbol,
        path: &Path,
        inductions: &[(Induction, Symbolic)],
    ) -> Result<Result<Space, Option<ReasonId>>, Unsummarisable> {
        let plain = self.space(l, k, path, inductions)?;
        let steps = inductions.iter().map(|(induction, _)| &induction.step).filter(|step| step.as_constant().is_none());
        let positive: Option<Conjunction> =
            steps.map(|step| forward(step)?.plus(-1).map(Constraint::Nonnegative)).collect();
        match (plain, positive) {
            (Err(_), Some(positive)) if !positive.is_empty() => {
                let positive = Formula { pieces: vec![positive] };
                let Some(within) = path.restricted(&positive) else { return Ok(Err(None)) };
                let space = self.space(l, k, &within, inductions)?;
                Ok(space.and_then(|space| space.where_runs(&positive).ok_or(None)))
            }
            (plain, _) => Ok(plain),
        }
    }

    /// The iteration space; `Err` with the reason where there is no closed form.
    fn space(
        &mut self,
        l: &'a Loop,
        k: Symbol,
        path: &Path,
        inductions: &[(Induction, Symbolic)],
    ) -> Result<Result<Space, Option<ReasonId>>, Unsummarisable> {
        let continues = match self.shown_condition(l, k, path)? {
            Shown::Closed(formula) => formula,
            Shown::Unknown(reason) => return Ok(Err(reason)),
        };
        let leaves = match self.shown_jumps(l, k, path, &continues)? {
            Shown::Closed(formula) => formula,
            Shown::Unknown(reason) => return Ok(Err(reason)),
        };
        let space = self.closed_space(l, k, path, &continues, &leaves);
        Ok(space.filter(|space| self.stays_in_range(space, path, inductions)).ok_or(None))
    }

    /// The space of a loop that goes on after its k-th test where the formula holds.
    pub(crate) fn space_of(
        &mut self,
        l: &'a Loop,
        k: Symbol,
        path: &Path,
        inductions: &[(Induction, Symbolic)],
        continues: &Formula,
    ) -> Result<Option<Space>, Unsummarisable> {
        let Shown::Closed(leaves) = self.shown_jumps(l, k, path, continues)? else { return Ok(None) };
        let space = self.closed_space(l, k, path, continues, &leaves);
        Ok(space.filter(|space| self.stays_in_range(space, path, inductions)))
    }

    /// The space of a loop that goes on where one formula holds, and that jumps leave where the other does.
    pub(crate) fn closed_space(
        &mut self,
        l: &Loop,
        k: Symbol,
        path: &Path,
        continues: &Formula,
        leaves: &Formula,
    ) -> Option<Space> {
        let bounds = path.bounds().clone();
        let continues = self.possible(prefix_closed(continues, k, &self.symbols, &bounds)?, k, path);
        let stays = prefix_closed(&leaves.not()?, k, &self.symbols, &bounds)?;
        let through = continues.and(&stays)?;
        if !ends(&through, k) {
            return None;
        }
        let first = Formula::atom(Constraint::Zero(Affine::symbol(k)));
        let later = Formula::atom(Constraint::Nonnegative(Affine::symbol(k).plus(-1)?));
        let any = Formula::atom(Constraint::Nonnegative(Affine::symbol(k)));
        let before = Affine::symbol(k).plus(-1)?;
        let after = |symbols: &mut Symbols, formula: &Formula| {
            let previous = symbols.substitute_formula(formula, k, &before)?;
            first.or(&later.and(&previous)?)
        };
        let plain = leaves.is_never();
        let tests = after(&mut self.symbols, &through)?;
        let trips = if plain { self.trips(&continues, k, path) } else { None };
        let several = plain && trips.is_none() && l.form != LoopForm::DoWhile;
        let limits = if several { trip_limits(&continues, k, &mut self.symbols) } else { None }.unwrap_or_default();
        Some(match l.form {
            LoopForm::DoWhile => {
                let done = if plain { None } else { Some(tests.and(&stays)?.and(&continues.not()?)?) };
                Space { k, body: tests.clone(), tests, trips: trips.and_then(|t| t.plus(1)), limits, done }
            }
            LoopForm::For | LoopForm::While => {
                let body = if plain { any.and(&continues)? } else { tests.and(&continues)? };
                let done = if plain { None } else { Some(tests.and(&continues.not()?)?) };
                Space { k, body, tests, trips, limits, done }
            }
        })
    }

    /// Without pieces that no iteration fulfils.
    fn possible(&self, mut formula: Formula, k: Symbol, path: &Path) -> Formula {
        if !self.symbols.quotients.free.is_empty() && formula.pieces.len() > 1 {
            let begun = Constraint::Nonnegative(Affine::symbol(k));
            formula.pieces.retain(|piece| !self.is_refuted(path, &conjoin(piece, &vec![begun.clone()])));
        }
        formula
    }

    /// Number of iterations, where it is one expression as long as that is not negative.
    fn trips(&mut self, continues: &Formula, k: Symbol, path: &Path) -> Option<Affine> {
        let trips = trip_count(continues, k, &mut self.symbols)?;
        let runs = Constraint::Nonnegative(trips.plus(-1)?);
        let guards = continues.pieces.iter().flatten().filter(|c| !c.affine().mentions(k));
        // Where a condition that is the same in all iterations fails, there must be none by the expression too.
        for guard in guards {
            let fails = Formula::atom(guard.clone()).not()?;
            let harmless = |piece: &Conjunction| self.is_refuted(path, &conjoin(piece, &vec![runs.clone()]));
            if !fails.pieces.iter().all(harmless) {
                return None;
            }
        }
        Some(trips)
    }

    /// The path excludes these conditions.
    pub fn is_refuted(&self, path: &Path, conditions: &Conjunction) -> bool {
        path.pieces.iter().all(|piece| {
            let all = conjoin(&conjoin(&piece.assumed, &piece.constraints), conditions);
            crate::counts::coupled::is_refuted(&all, &self.symbols.quotients)
        })
    }

    /// Counters of unsigned and narrow types must not wrap around while the loop runs.
    fn stays_in_range(&mut self, space: &Space, path: &Path, inductions: &[(Induction, Symbolic)]) -> bool {
        let Some(ends) = path.extended(space.k).restricted(&space.tests) else { return false };
        inductions.iter().all(|(induction, start)| {
            let value = advanced(start, &Affine::symbol(space.k), &induction.step, &mut self.symbols);
            let cases = value.and_then(|value| value.cases()).unwrap_or_default();
            cases.iter().all(|(guard, value)| self.case_in_range(&ends, guard, value, induction))
        })
    }

    fn case_in_range(&self, ends: &Path, guard: &Conjunction, value: &Affine, induction: &Induction) -> bool {
        let (low, high) = limits(induction.ty);
        let (least, greatest) = ends.bounds().range(value);
        let counts_down = induction.step.as_constant().is_some_and(|step| step < 0) && low == 0;
        let above = || value.plus(-low).is_some_and(|room| self.is_never_negative(ends, guard, &room));
        let narrow =
            self.function_inputs.is_some() && high <= limits(ScalarType::U32).1 && induction.ty != ScalarType::I32;
        greatest.map_or(!narrow, |greatest| greatest <= high)
            && match least {
                Some(least) if least >= low => true,
                None if !counts_down => true,
                _ => above(),
            }
    }

    /// The conditions of the path rule out that the expression is negative.
    pub(crate) fn is_never_negative(&self, path: &Path, guard: &Conjunction, affine: &Affine) -> bool {
        if path.bounds().is_nonnegative(affine) {
            return true;
        }
        let Some(below) = affine.negate().and_then(|negated| negated.plus(-1)).map(Constraint::Nonnegative) else {
            return false;
        };
        !self.symbols.quotients.free.is_empty() && self.is_refuted(path, &conjoin(guard, &vec![below]))
    }

    /// Where the loop goes on after its k-th test, where that is a condition on k.
    pub(crate) fn closed_condition(&mut self, l: &'a Loop, k: Symbol, path: &Path) -> Option<Formula> {
        match self.shown_condition(l, k, path) {
            Ok(Shown::Closed(formula)) => Some(formula),
            _ => None,
        }
    }

    /// Where the loop goes on after its k-th test.
    fn shown_condition(&mut self, l: &'a Loop, k: Symbol, path: &Path) -> Result<Shown, Unsummarisable> {
        let Some(condition) = &l.condition else { return Ok(Shown::Closed(Formula::always())) };
        let within = Self::at_head(path, k, &Formula::always());
        let do_while = l.form == LoopForm::DoWhile;
        self.trial(|trial| {
            let mut inner = within;
            if do_while {
                inner = trial.body(l, inner)?;
            }
            trial.region(&condition.region, inner)?;
            Ok(trial.shown(&condition.value))
        })
    }

    fn shown(&mut self, operand: &Operand) -> Shown {
        let value = self.operand(operand);
        match self.symbols.truth(&value) {
            Some(formula) => Shown::Closed(formula),
            None => Shown::Unknown(if let Symbolic::Unknown(reason) = value { Some(reason) } else { None }),
        }
    }

    /// A trial path at iteration k that shows the conditions of what is executed on it.
    fn at_head(path: &Path, k: Symbol, formula: &Formula) -> Path {
        let nonnegative = Formula::atom(Constraint::Nonnegative(Affine::symbol(k)));
        let within = path.extended(k).restricted(&nonnegative).and_then(|p| p.restricted(formula));
        within.unwrap_or_else(|| path.clone()).relative()
    }

    /// Where a jump leaves the loop in iteration k.
    fn shown_jumps(
        &mut self,
        l: &'a Loop,
        k: Symbol,
        path: &Path,
        continues: &Formula,
    ) -> Result<Shown, Unsummarisable> {
        if !self.leaves(l) {
            return Ok(Shown::Closed(Formula::never()));
        }
        let do_while = l.form == LoopForm::DoWhile;
        let always = Formula::always();
        let within = Self::at_head(path, k, if do_while { &always } else { continues });
        let escapes = self.trial(|trial| {
            let before = trial.frame().escapes.len();
            if let Some(condition) = l.condition.as_ref().filter(|_| !do_while) {
                trial.region(&condition.region, within.clone())?;
            }
            trial.body(l, within)?;
            let mut escapes = trial.frame().escapes.split_off(before);
            escapes.retain(|escape| escape.jump != Jump::Continue(l.target));
            Ok::<_, Unsummarisable>(escapes)
        })?;
        Ok(self.jump_formula(&escapes, k, path))
    }

    /// The loop has a jump out of it.
    fn leaves(&self, l: &Loop) -> bool {
        let regions = [&l.body, &l.step].into_iter().chain(l.condition.iter().map(|c| &c.region));
        regions.flatten().any(|&block| self.inside(block).any(|inner| self.jumps_out(inner, block, l)))
    }

    fn jumps_out(&self, block: BlockId, top: BlockId, l: &Loop) -> bool {
        use chronos_ir::{BlockKind, OpKind};
        let BlockKind::Straight(straight) = &self.setting.program.blocks[block].kind else { return false };
        let jump = match straight.ops.last().map(|op| &op.kind) {
            Some(OpKind::Jump(jump)) => jump,
            Some(OpKind::Call(leaf)) => return self.whole_program.is_some() && self.may_end(*leaf),
            _ => return false,
        };
        match jump {
            Jump::Continue(target) if *target == l.target => false,
            Jump::Break(target) | Jump::Continue(target) => {
                let stays = self.setting.program.functions[self.function()].targets[*target];
                stays < top || stays >= self.setting.analysis.subtree_end(top)
            }
            Jump::Goto(_) | Jump::Return(_) => true,
        }
    }

    fn jump_formula(&mut self, escapes: &[Escape], k: Symbol, path: &Path) -> Shown {
        let mut formula = Formula::never();
        for piece in escapes.iter().flat_map(|escape| &escape.path.pieces) {
            let free = |symbol| self.symbols.quotients.is_free(symbol);
            let outer = |symbol| symbol == k || free(symbol) || path.pieces.iter().all(|p| p.symbols.contains(&symbol));
            // Counters of loops in the body tell where they are left: it matters only that they are.
            let mut inner = piece.symbols.iter().rev();
            let outside = inner.try_fold(piece.constraints.clone(), |rest, &symbol| self.without(&rest, symbol));
            let Some(constraints) = outside else { return Shown::Unknown(None) };
            let known = constraints.iter().flat_map(|c| c.affine().symbols()).all(|symbol| {
                self.symbols
                    .quotients
                    .sources(symbol)
                    .into_iter()
                    .all(|s| outer(s) || self.symbols.quotients.get(s).is_some())
            });
            if !known || piece.weight != Count::ONE {
                return Shown::Unknown(piece.inexact_reason);
            }
            match formula.or(&Formula { pieces: vec![constraints] }) {
                Some(sum) => formula = sum,
                None => return Shown::Unknown(None),
            }
        }
        Shown::Closed(formula)
    }
}
