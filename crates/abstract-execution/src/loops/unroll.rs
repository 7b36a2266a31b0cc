//! Loops that have no closed form but soon end: every iteration is executed abstractly, one after the
//! other. So halving and doubling counters, square roots and the like are exact.

use crate::Unsummarisable;
use crate::counts::TooComplex;
use crate::counts::path::Path;
use crate::expressions::formula::Formula;
use crate::nonaffine_loops::trip_form::TripForm;
use crate::state::execution::{Execution, Flow};
use crate::state::store::State;
use chronos_activity::CountSource;
use chronos_ir::{BlockId, Jump, Loop, LoopForm, Operand};

/// Iterations of one loop whose end nobody foresees.
const MAX_ITERATIONS: usize = 64;
/// The same where a whole program is executed.
const MAX_WHOLE_ITERATIONS: usize = 256;
/// Iterations of one loop that is seen to end.
pub(crate) const MAX_FORESEEN: i128 = 4096;
/// The same where every iteration is reached by fewer executions.
const MAX_CHANCES: usize = 1000;
/// The share of the executions that is none.
const NEGLIGIBLE: f64 = 1e-12;
/// Pieces that a path may be split into.
const MAX_PIECES: usize = 16;
/// Iterations unrolled in one summary.
const MAX_UNROLLED: u32 = 1024;
/// Iterations unrolled in one execution of a whole program.
const MAX_WHOLE_UNROLLED: u32 = 20_000;
/// The same, where every loop is seen to end.
const MAX_UNROLLED_FORESEEN: u32 = 16_384;

/// Conditions of a path that make an iteration as costly as one more iteration.
const CONDITIONS_PER_ITERATION: usize = 2;

/// What executing an iteration costs: conditions pile up where every iteration may be the last one.
fn effort(path: &Path) -> u32 {
    let conditions: usize = path.pieces.iter().map(|piece| piece.constraints.len()).sum();
    1 + u32::try_from(conditions / CONDITIONS_PER_ITERATION).unwrap_or(u32::MAX / 2)
}

/// How far to go.
#[derive(Clone, Copy)]
struct Reach<'f> {
    form: Option<&'f TripForm>,
    iterations: usize,
    /// In this summary; not watched once the end has been seen.
    within: Option<u32>,
}

impl<'f> Reach<'f> {
    fn of(form: Option<&'f TripForm>, path: &Path, whole: bool) -> Self {
        let most = form.and_then(|form| form.most(path.bounds())).filter(|&most| most <= MAX_FORESEEN);
        match most {
            Some(most) => {
                let iterations = MAX_ITERATIONS.max(most as usize + 1);
                Self { form, iterations, within: Some(if whole { MAX_WHOLE_UNROLLED } else { MAX_UNROLLED_FORESEEN }) }
            }
            None if whole => Self { form, iterations: MAX_WHOLE_ITERATIONS, within: Some(MAX_WHOLE_UNROLLED) },
            None => Self { form, iterations: MAX_ITERATIONS, within: Some(MAX_UNROLLED) },
        }
    }
}

/// Executions that have left the loop at its condition: where they hold, unless a jump hides it.
struct Exit {
    guard: Option<Formula>,
    path: Path,
    state: State,
}

impl<'a> Execution<'a> {
    /// Executes the loop, its initialisation done; `None`, and nothing done, where its end does not come
    /// into sight.
    pub fn unrolled(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: &Path,
        form: Option<&TripForm>,
    ) -> Result<Option<Path>, Unsummarisable> {
        let reach = Reach::of(form, path, self.whole_program.is_some());
        let ends = self.trial(|trial| trial.iterations(id, l, path, reach))?.is_some();
        if !ends {
            return Ok(None);
        }
        let before = self.frame().escapes.len();
        let Some(exits) = self.iterations(id, l, path, Reach { within: None, ..reach })? else { return Ok(None) };
        Ok(Some(self.leave_unrolled(l, path, before, exits)))
    }

    fn leave_unrolled(&mut self, l: &Loop, path: &Path, before: usize, mut exits: Vec<Exit>) -> Path {
        let since = self.frame().escapes.split_off(before);
        for escape in since {
            if escape.jump == Jump::Break(l.target) {
                exits.push(Exit { guard: None, path: escape.path, state: escape.state });
            } else {
                self.frame().escapes.push(escape);
            }
        }
        let outward = self.frame().escapes.len() > before;
        let left = exits.iter().map(|exit| exit.path.clone()).reduce(Path::union).unwrap_or_else(Path::unreachable);
        self.state = self.merge(exits.into_iter().map(|exit| (exit.guard, exit.state)).collect());
        if outward || left.is_unreachable() { left } else { path.clone() }
    }

    /// What left at the condition; `None` where no end is in sight, or beyond `within` iterations of
    /// this summary.
    fn iterations(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: &Path,
        reach: Reach<'_>,
    ) -> Result<Option<Vec<Exit>>, Unsummarisable> {
        let mut exits = Vec::new();
        let mut current = path.clone();
        let mut guard = Some(Formula::always());
        for iteration in 0..reach.iterations.max(MAX_CHANCES) {
            if iteration >= reach.iterations && !Self::dwindles(&current) {
                return Ok(None);
            }
            self.unrolls = self.unrolls.saturating_add(effort(&current));
            if reach.within.is_some_and(|most| self.unrolls > most) {
                return Ok(None);
            }
            if l.form != LoopForm::DoWhile || iteration > 0 {
                let test = iteration - usize::from(l.form == LoopForm::DoWhile);
                let hint = reach.form.and_then(|form| form.continues(test as u32, &mut self.symbols));
                let Some(inside) = self.test(id, l, current, hint, &mut guard, &mut exits)? else { return Ok(None) };
                current = inside;
            }
            if current.is_unreachable() {
                return Ok(Some(exits));
            }
            current = self.one_pass(id, l, current, &mut guard)?;
            if current.is_unreachable() || self.is_negligible(id, &current, path)? {
                return Ok(Some(exits));
            }
            // What splits in every iteration would soon be more than there is memory for.
            if current.pieces.len() > path.pieces.len() + MAX_PIECES {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Every iteration is less likely than the one before, as the user says.
    fn dwindles(path: &Path) -> bool {
        path.pieces.iter().all(|piece| piece.weight.source == CountSource::Probability)
    }

    /// So few executions are left over, by what the user says, that they are none.
    fn is_negligible(&mut self, id: BlockId, path: &Path, all: &Path) -> Result<bool, Unsummarisable> {
        if !Self::dwindles(path) {
            return Ok(false);
        }
        let [left, all] = [path, all].map(|path| self.executions(id, path));
        let (left, all) = (left?.number().as_f64(), all?.number().as_f64());
        Ok(left.zip(all).is_some_and(|(left, all)| left < NEGLIGIBLE * all))
    }

    fn one_pass(&mut self, id: BlockId, l: &'a Loop, path: Path, guard: &mut Option<Formula>) -> Flow {
        self.count(id, 0, &path)?;
        let before = self.frame().escapes.len();
        let path = self.body(l, path)?;
        let path = self.region(&l.step, path)?;
        if self.frame().escapes.len() > before {
            *guard = None;
        }
        Ok(path)
    }

    /// Evaluates the condition: what leaves is added to the exits, what goes on is returned. `None`
    /// where the condition is unknown.
    fn test(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: Path,
        hint: Option<Formula>,
        guard: &mut Option<Formula>,
        exits: &mut Vec<Exit>,
    ) -> Result<Option<Path>, Unsummarisable> {
        let Some(condition) = &l.condition else { return Ok(Some(path)) };
        let path = self.region(&condition.region, path)?;
        let Some(continues) = self.condition(&condition.value).or(hint) else { return Ok(None) };
        let Some(ends) = continues.not() else { return Ok(None) };
        let divided_by_case =
            |formula: &Formula| path.restricted(formula).ok_or_else(|| Self::too_complex(id, TooComplex));
        let leaving = divided_by_case(&ends)?;
        if !leaving.is_unreachable() {
            let guard = guard.as_ref().and_then(|guard| guard.and(&ends));
            exits.push(Exit { guard, path: leaving, state: self.state.clone() });
        }
        let inside = divided_by_case(&continues)?;
        *guard = guard.as_ref().and_then(|guard| guard.and(&continues));
        Ok(Some(inside))
    }

    fn condition(&mut self, value: &Operand) -> Option<Formula> {
        let value = self.operand(value);
        self.symbols.truth(&value)
    }
}
