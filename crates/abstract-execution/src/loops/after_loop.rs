//! What is known behind a loop: final values of induction variables, and what the last iteration assigned.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::formula::{Constraint, conjoin};
use crate::expressions::symbolic::Symbolic;
use crate::expressions::symbols::Symbols;
use crate::iteration_space::induction::{Induction, advanced};
use crate::iteration_space::space::Space;
use crate::state::execution::Execution;
use crate::state::store::State;
use chronos_ir::{BlockId, Loop, LoopForm};
use chronos_values::ReasonKind;

impl<'a> Execution<'a> {
    /// The state after the last iteration of a loop that its condition ends.
    pub(crate) fn leave_after_last(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: &Path,
        space: &Space,
        inductions: &[(Induction, Symbolic)],
        entry: State,
    ) -> Result<(), Unsummarisable> {
        let trips = space.trips.clone();
        if trips.as_ref().and_then(Affine::as_constant).is_some_and(|trips| trips <= 0) {
            self.state = entry;
        } else {
            self.state = self.after_last(id, l, space, path, entry);
        }
        for (induction, start) in inductions {
            let value = match &trips {
                Some(trips) => {
                    let runs = self.is_never_negative(path, &Vec::new(), trips);
                    final_value(start, trips, &induction.step, runs, &mut self.symbols)
                }
                None => final_of_several(start, &space.limits, &induction.step, &mut self.symbols),
            };
            let reason = self.reason(ReasonKind::NotEvaluated, Some(self.setting.program.blocks[id].span));
            let value = value.unwrap_or(Symbolic::Unknown(reason));
            self.state.variables.insert(induction.variable, value);
        }
        if let Some(condition) = l.condition.as_ref().filter(|_| l.form != LoopForm::DoWhile) {
            self.trials += 1;
            let result = self.region(&condition.region, path.relative());
            self.trials -= 1;
            result?;
        }
        Ok(())
    }

    /// What the iterations left behind: what the last one assigned, where there surely is one.
    fn after_last(&mut self, id: BlockId, l: &Loop, space: &Space, path: &Path, entry: State) -> State {
        let end = std::mem::take(&mut self.state);
        let last = space.trips.as_ref().and_then(|trips| trips.plus(-1));
        let surely = last.as_ref().is_some_and(|last| self.is_never_negative(path, &Vec::new(), last));
        self.state = entry.clone();
        self.forget_written(id, l);
        let at_end = self.last_call_in_last_iteration(&end.last, space.k, last.as_ref());
        let runs = surely || l.form == LoopForm::DoWhile;
        let last_call = self.last_call_after_loop(&entry.last, Some(&at_end), runs, space.trips.as_ref());
        let mut after = State { last: last_call, ..std::mem::take(&mut self.state) };
        for (&variable, value) in &end.variables {
            let value = self.at_last(value, space.k, last.as_ref().filter(|_| surely));
            if let Some(value) = value.filter(|value| surely || entry.variables.get(&variable) == Some(value)) {
                after.variables.insert(variable, value);
            }
        }
        for (&key, (ty, value)) in &end.cells {
            let value = self.at_last(value, space.k, last.as_ref().filter(|_| surely));
            let kept = (*ty, value.clone().unwrap_or(Symbolic::int(0)));
            if value.is_some() && (surely || entry.cells.get(&key) == Some(&kept)) {
                after.cells.insert(key, kept);
            }
        }
        after.lost_objects.extend(end.lost_objects);
        after.lost_classes.extend(end.lost_classes);
        after
    }

    /// The value in the last iteration; the same value where it is the same in all.
    pub(crate) fn at_last(&mut self, value: &Symbolic, k: Symbol, last: Option<&Affine>) -> Option<Symbolic> {
        if !value.symbols().into_iter().any(|symbol| self.symbols.depends(symbol, k)) {
            return Some(value.clone());
        }
        self.symbols.substitute_value(value, k, last?)
    }
}

/// The value after the loop; by cases where it may not run at all.
fn final_value(start: &Symbolic, trips: &Affine, step: &Affine, runs: bool, symbols: &mut Symbols) -> Option<Symbolic> {
    let after = advanced(start, trips, step, symbols)?;
    if runs || after == *start {
        return Some(after);
    }
    let runs = Constraint::Nonnegative(trips.clone());
    let not = Constraint::Nonnegative(trips.negate()?.plus(-1)?);
    let mut cases = Vec::new();
    for (condition, values) in [(runs, after.cases()?), (not, start.cases()?)] {
        if condition.truth() != Some(false) {
            cases.extend(values.into_iter().map(|(guard, value)| (conjoin(&guard, &vec![condition.clone()]), value)));
        }
    }
    Symbolic::from_cases(cases)
}

/// The value after a loop that runs as often as the least of several expressions says.
fn final_of_several(start: &Symbolic, limits: &[Affine], step: &Affine, symbols: &mut Symbols) -> Option<Symbolic> {
    if step.as_constant() == Some(0) {
        return Some(start.clone());
    }
    let mut cases = Vec::new();
    for (least, trips) in crate::iteration_space::trips::least_of(limits)? {
        for (guard, value) in final_value(start, &trips, step, false, symbols)?.cases()? {
            cases.push((conjoin(&guard, &least), value));
        }
    }
    Symbolic::from_cases(cases)
}
