//! Loops: the iteration space, one abstract iteration, and what is known afterwards.

use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::formula::{Constraint, Formula, conjoin};
use crate::expressions::symbolic::Symbolic;
use crate::expressions::symbols::Symbols;
use crate::iteration_space::induction::{Induction, advanced};
use crate::iteration_space::space::Space;
use crate::nonaffine_loops::trip_form::TripForm;
use crate::state::execution::{Escape, Execution, Flow};
use crate::state::store::State;
use crate::{UncertainKind, Unsummarisable};
use chronos_activity::{Count, CountSource};
use chronos_ir::{BlockId, Jump, Loop, LoopForm, TargetId};
use chronos_slicing::annotations::Target;
use chronos_values::{ReasonId, ReasonKind};

/// Loops without a number of iterations at first sight that stand within one another and are summarised at once. Each executes
/// its body several times, so that the effort grows by a power of the depth; what is deeper is summarised from within, loop by
/// loop.
pub const MOST_NESTED: u32 = 16;

impl<'a> Execution<'a> {
    pub(crate) fn run_loop(&mut self, id: BlockId, l: &'a Loop, path: Path) -> Flow {
        self.count(id, 1, &path)?;
        let path = self.region(&l.init, path)?;
        if path.is_nowhere() {
            return Ok(path);
        }
        let entry = self.state.clone();
        let given = self.given_iterations(id).is_some() || self.given_expressions.contains_key(&Target::Loop(id));
        let k = self.symbols.fresh();
        let inductions = self.inductions(l);
        let inductions = self.enter_head(id, l, &inductions, k);
        match self.space_by_steps(l, k, &path, &inductions)? {
            Ok(space) => self.iterate_closely(id, l, path, &space, &inductions, entry),
            Err(reason) => {
                let reason = reason.or_else(|| self.no_closed_form(id));
                self.state = entry.clone();
                if self.nested == MOST_NESTED {
                    let why = "more loops within one another than are counted at once";
                    return Err(Unsummarisable { block: id, why: why.into() });
                }
                self.nested += 1;
                let flow = self.without_space(id, l, path, entry, reason, given);
                self.nested -= 1;
                flow
            }
        }
    }

    /// A loop of which it is not known in which iterations it goes on.
    fn without_space(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: Path,
        entry: State,
        reason: Option<ReasonId>,
        given: bool,
    ) -> Flow {
        if given {
            return self.iterate_unknown(id, l, path, entry, reason);
        }
        if let Some(path) = self.beyond_affine(id, l, &path)? {
            return Ok(path);
        }
        match self.by_recurrence(id, l, &path) {
            Some(flow) => flow,
            None => self.iterate_unknown(id, l, path, entry, reason),
        }
    }

    /// Why the number of iterations is unknown where no value is.
    fn no_closed_form(&mut self, id: BlockId) -> Option<ReasonId> {
        self.whole.as_ref()?;
        let what = "a bound that is no closed form of the parameters and the counters around";
        Some(self.reason(ReasonKind::Unsupported(what.into()), Some(self.program.blocks[id].span)))
    }

    /// A loop that has no affine space: its number of iterations may be known all the same, or it soon ends.
    fn beyond_affine(&mut self, id: BlockId, l: &'a Loop, path: &Path) -> Result<Option<Path>, Unsummarisable> {
        let form = self.trip_form(l, path.bounds());
        if let Some(form) = form.as_ref().filter(|form| form.is_better_closed(&self.symbols)) {
            let (before, entry) = (self.checkpoint(), self.state.clone());
            if let Some(done) = self.closed_form(id, l, path, form)? {
                let soon = form.most(path.bounds()).is_some_and(|most| most <= super::unroll::MAX_FORESEEN);
                if !soon || !self.has_new_unknown(&before) {
                    return Ok(Some(done));
                }
            }
            self.restore(before);
            self.state = entry;
        }
        self.unrolled(id, l, path, form.as_ref())
    }

    fn closed_form(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: &Path,
        form: &TripForm,
    ) -> Result<Option<Path>, Unsummarisable> {
        let k = self.symbols.fresh();
        match form.in_closed_form(k, &mut self.symbols) {
            Some(goes_on) => self.closed(id, l, k, path, &goes_on),
            None => Ok(None),
        }
    }

    /// A loop of which it is known in which iterations it goes on.
    fn closed(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        k: Symbol,
        path: &Path,
        goes_on: &Formula,
    ) -> Result<Option<Path>, Unsummarisable> {
        let entry = self.state.clone();
        let inductions = self.inductions(l);
        let inductions = self.enter_head(id, l, &inductions, k);
        match self.space_of(l, k, path, &inductions, goes_on)? {
            Some(space) => self.iterate(id, l, path.clone(), &space, &inductions, entry).map(Some),
            None => {
                self.state = entry;
                Ok(None)
            }
        }
    }

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
        let reason = self.reason(ReasonKind::NotEvaluated, Some(self.program.blocks[id].span));
        for &class in written.iter() {
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
        let all = self.whole.is_none() && self.frame().escapes.len() == before && !end.is_nowhere();
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
            self.state = if path.is_nowhere() { escape.state } else { self.either(state, escape.state) };
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
        let body = self.within(id, &extended, &space.body)?;
        self.count(id, 0, &body)?;
        let said = self.given_iterations(id);
        self.settle(id, said, &path, &body);
        let before = self.frame().escapes.len();
        let tests = self.within(id, &extended, &space.tests)?;
        let end = self.one_iteration(l, body, tests)?;
        self.close_round(round, &end);
        let exits = if l.condition.is_some() { vec![head] } else { Vec::new() };
        let last = self.last_at_exits(before, l.target, &exits);
        let leaving = self.join_breaks(before, l.target);
        let outward = self.frame().escapes.len() > before;
        match (leaving, &space.done) {
            (None, _) if !outward => {
                self.leave(id, l, &path, space, inductions, entry)?;
                Ok(path)
            }
            (leaving, done) => {
                self.state = State { last, ..entry };
                self.forget_written(id, l);
                let done = done.clone().unwrap_or_else(Formula::never);
                let end = self.within(id, &extended, &done)?;
                let leaving = leaving.unwrap_or_else(Path::nowhere);
                Ok(if outward { end.union(leaving) } else { path })
            }
        }
    }

    fn within(&self, id: BlockId, path: &Path, formula: &Formula) -> Result<Path, Unsummarisable> {
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

    /// The state after the last iteration of a loop that its condition ends.
    fn leave(
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
            let reason = self.reason(ReasonKind::NotEvaluated, Some(self.program.blocks[id].span));
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
        let at_end = self.last_at_end(&end.last, space.k, last.as_ref());
        let runs = surely || l.form == LoopForm::DoWhile;
        let last_call = self.last_behind(&entry.last, Some(&at_end), runs, space.trips.as_ref());
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

    /// A loop whose number of iterations is given as a mean, or unknown.
    fn iterate_unknown(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: Path,
        entry: State,
        reason: Option<ReasonId>,
    ) -> Flow {
        let given = self.given_iterations(id);
        let rounds = if given.is_none() { self.given_rounds(id, &path) } else { None };
        if given.is_none() && rounds.is_none() {
            self.doubt(id, UncertainKind::UnknownTrips, reason);
        }
        let span = self.program.blocks[id].span;
        let blamed = Some(reason.unwrap_or_else(|| self.reason(ReasonKind::NotEvaluated, Some(span))));
        let (mean, tests) = given.map_or((Count::UNKNOWN, Count::UNKNOWN), |n| (mean(n), mean(n + 1.0)));
        let do_while = l.form == LoopForm::DoWhile;
        self.state = entry.clone();
        self.forget_written(id, l);
        let round = self.open_round(id, None);
        let before = self.frame().escapes.len();
        let (body, tests) = rounds.unwrap_or_else(|| (path.weighted(mean), path.weighted(tests)));
        let body = body.blaming(blamed);
        self.count(id, 0, &body)?;
        let tests = if do_while { body.clone() } else { tests.blaming(blamed) };
        let end = self.one_iteration(l, body, tests)?;
        self.close_round(round, &end);
        let entered = if do_while { None } else { Some(entry.last.clone()) };
        let ended = (!end.is_nowhere()).then(|| self.state.last.clone());
        let exits: Vec<_> = entered.into_iter().chain(ended).collect();
        let last = self.last_at_exits(before, l.target, &exits);
        self.join_breaks(before, l.target);
        let outward = self.frame().escapes.len() > before;
        for escape in self.frame().escapes.iter_mut().skip(before) {
            escape.path = path.weighted(Count::UNKNOWN).blaming(blamed);
        }
        self.state = State { last, ..entry };
        self.forget_written(id, l);
        Ok(if outward { path.weighted(Count::UNKNOWN).blaming(blamed) } else { path })
    }

    /// One of two states.
    pub fn either(&mut self, a: State, b: State) -> State {
        if a == b {
            return a;
        }
        self.merge(vec![(None, a), (None, b)])
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

/// Mean iterations that the user gave.
fn mean(n: f64) -> Count {
    if n.fract() == 0.0 && (0.0..1e18).contains(&n) {
        Count { value: chronos_activity::CountValue::Exact(n as u128), source: CountSource::Probability }
    } else {
        Count::expected(n.max(0.0), CountSource::Probability)
    }
}
