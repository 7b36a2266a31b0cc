//! Loops: the iteration space, one abstract iteration, and what is known afterwards.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::formula::Formula;
use crate::expressions::symbolic::Symbolic;
use crate::iteration_space::induction::{Induction, advanced};
use crate::iteration_space::space::Space;
use crate::state::execution::{Escape, Execution, Flow};
use crate::state::store::State;
use chronos_ir::{BlockId, Jump, Loop, LoopForm, TargetId};
use chronos_values::ReasonKind;

impl<'a> Execution<'a> {
    /// The state at the head of iteration k: induction variables are affine, all else that the loop
    /// writes is unknown. Returns the variables that could be followed.
    pub(crate) fn enter_head(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        inductions: &[Induction],
        k: Symbol,
    ) -> Vec<(Induction, Symbolic)> {
        let mut starts = Vec::new();
        for induction in inductions {
            let start = self.read_variable(induction.variable, induction.ty);
            starts.push((induction.clone(), start));
        }
        let scaled = self.scaled_values(l, k);
        self.forget_written(id, l);
        for (variable, value) in scaled {
            self.state.variables.insert(variable, Symbolic::Int(value));
        }
        starts.retain(|(induction, start)| {
            let value = advanced(start, &Affine::symbol(k), &induction.step, &mut self.symbols);
            let followed = value.is_some();
            if let Some(value) = value {
                self.state.variables.insert(induction.variable, value);
            }
            followed
        });
        starts
    }

    /// Nothing that an iteration may write is known.
    pub(crate) fn forget_written(&mut self, id: BlockId, l: &Loop) {
        let written = self.repeated_writes(l);
        let reason = self.reason(ReasonKind::NotEvaluated, Some(self.setting.program.blocks[id].span));
        for &class in &written {
            self.lose_class(class, reason);
        }
    }

    /// The body of one iteration, up to where the step or the condition follows.
    pub fn body(&mut self, l: &'a Loop, path: Path) -> Flow {
        let before = self.frame().escapes.len();
        let begun = path.clone();
        let through = self.region(&l.body, path)?;
        let end = self.join(before, &Jump::Continue(l.target), through);
        // Where `continue` is all that jumped, everything that began the body comes to its end.
        let all = self.whole_program.is_none() && self.frame().escapes.len() == before && !end.is_unreachable();
        Ok(if all { begun } else { end })
    }

    /// Joins the executions that jumped here since `before` with those that came straight.
    pub fn join(&mut self, before: usize, jump: &Jump, through: Path) -> Path {
        let since = self.frame().escapes.split_off(before);
        let (here, elsewhere): (Vec<Escape>, Vec<Escape>) = since.into_iter().partition(|e| e.jump == *jump);
        self.frame().escapes.extend(elsewhere);
        let mut path = through;
        for escape in here {
            let state = std::mem::take(&mut self.state);
            self.state = if path.is_unreachable() { escape.state } else { self.either(state, escape.state) };
            path = path.union(escape.path);
        }
        path
    }

    pub fn iterate(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: Path,
        space: &Space,
        inductions: &[(Induction, Symbolic)],
        entry: State,
    ) -> Flow {
        let round = self.open_round(id, Some(space.k));
        let head = self.state.last.clone();
        let extended = path.extended(space.k);
        let body = Self::within(id, &extended, &space.body)?;
        self.count(id, 0, &body)?;
        let said = self.annotated_iterations(id);
        self.check_annotation(id, said, &path, &body);
        let before = self.frame().escapes.len();
        let tests = Self::within(id, &extended, &space.tests)?;
        let end = self.one_iteration(l, body, tests)?;
        self.close_round(round, &end);
        let exits = if l.condition.is_some() { vec![head] } else { Vec::new() };
        let last = self.last_call_at_exits(before, l.target, &exits);
        let leaving = self.join_breaks(before, l.target);
        let outward = self.frame().escapes.len() > before;
        match (leaving, &space.done) {
            (None, _) if !outward => {
                self.leave_after_last(id, l, &path, space, inductions, entry)?;
                Ok(path)
            }
            (leaving, done) => {
                self.state = State { last, ..entry };
                self.forget_written(id, l);
                let done = done.clone().unwrap_or_else(Formula::never);
                let end = Self::within(id, &extended, &done)?;
                let leaving = leaving.unwrap_or_else(Path::unreachable);
                Ok(if outward { end.union(leaving) } else { path })
            }
        }
    }

    fn within(id: BlockId, path: &Path, formula: &Formula) -> Result<Path, Unsummarisable> {
        path.restricted(formula).ok_or_else(|| Self::too_complex(id, crate::counts::TooComplex))
    }

    /// What comes to the end of the iteration.
    pub(crate) fn one_iteration(&mut self, l: &'a Loop, body: Path, tests: Path) -> Flow {
        if l.form == LoopForm::DoWhile {
            let end = self.body(l, body)?;
            return match &l.condition {
                Some(condition) => self.region(&condition.region, end),
                None => Ok(end),
            };
        }
        if let Some(condition) = &l.condition {
            self.region(&condition.region, tests)?;
        }
        let end = self.body(l, body)?;
        self.region(&l.step, end)
    }

    /// Executions that left the loop by `break`.
    pub(crate) fn join_breaks(&mut self, before: usize, target: TargetId) -> Option<Path> {
        let since = self.frame().escapes.split_off(before);
        let (here, elsewhere): (Vec<Escape>, Vec<Escape>) =
            since.into_iter().partition(|e| e.jump == Jump::Break(target));
        self.frame().escapes.extend(elsewhere);
        here.into_iter().map(|escape| escape.path).reduce(Path::union)
    }
}
