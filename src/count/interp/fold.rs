//! Folding of loops that hold MPI calls: equal iterations become a repeat.

use super::code::{FoldShape, LoopCode, Src};
use super::machine::{Flow, Machine};
use super::task::{Entry, Fold, Location, LoopMode};
use crate::activity::{Operation, Repeat, Step};
use crate::count::value::{ReasonKind, Value};
use crate::ids::Id;
use crate::program::BinaryOp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps of an iteration that are compared.
const LONGEST: usize = 4096;

impl Fold {
    pub fn see(&mut self, step: &Step) {
        if self.off || matches!(step, Step::LoopEnter | Step::LoopIteration | Step::LoopExit) {
            return;
        }
        if self.current.len() >= LONGEST {
            self.off = true;
            return;
        }
        if let Step::Event(event) = step {
            self.disturbed |= depends_on_arrival(&event.operation);
        }
        self.current.push(step.clone());
    }
}

/// The outcome may differ from one execution to the next.
fn depends_on_arrival(operation: &Operation) -> bool {
    match operation {
        Operation::Recv { from, .. } => from.is_none(),
        Operation::WaitAny { .. } | Operation::TestAll { .. } | Operation::TestAny { .. } | Operation::Probe { .. } => {
            true
        }
        _ => false,
    }
}

impl<'a> Machine<'a> {
    /// At the begin of an iteration: emits the remaining ones at once where that is safe. True where it did.
    pub fn fold(&mut self, code: &'a LoopCode) -> Flow<bool> {
        let Some(shape) = code.fold else { return Ok(false) };
        let at = self.task.loops.len() - 1;
        let state = &self.task.loops[at];
        if state.mode != LoopMode::Normal || state.fold.as_ref().is_none_or(|fold| fold.off) {
            return Ok(false);
        }
        self.flush();
        let watched = self.end_watch(at);
        let Some(fold) = &mut self.task.loops[at].fold else { return Ok(false) };
        let current = std::mem::take(&mut fold.current);
        let same = fold.previous.as_ref() == Some(&current) && !current.is_empty();
        let calm = !std::mem::take(&mut fold.disturbed)
            && std::mem::replace(&mut fold.epoch, self.task.epoch) == self.task.epoch;
        if same
            && calm
            && let Some(log) = watched
            && let Some(changed) = self.harmless(&log, shape)
            && let Some((times, last)) = self.remaining(shape)
        {
            self.repeat(code, current, times, shape, last, &changed);
            return Ok(true);
        }
        if let Some(fold) = &mut self.task.loops[at].fold {
            fold.previous = Some(current);
        }
        self.begin_watch(at, same || self.task.loops[at].iterations > 1);
        Ok(false)
    }

    fn begin_watch(&mut self, at: usize, useful: bool) {
        let splits_inside = self.task.splits.len() > self.task.loops[at].splits as usize;
        if useful && !splits_inside {
            self.task.logs.push(Vec::new());
            if let Some(fold) = &mut self.task.loops[at].fold {
                fold.watching = true;
            }
        }
    }

    fn end_watch(&mut self, at: usize) -> Option<Vec<Entry>> {
        let logs = self.task.loops[at].logs as usize;
        let fold = self.task.loops[at].fold.as_mut()?;
        if !std::mem::take(&mut fold.watching) {
            return None;
        }
        Some(self.drop_watch(logs))
    }

    /// The places that an iteration changed, where none of them is relevant; `None` where one is.
    fn harmless(&self, log: &[Entry], shape: FoldShape) -> Option<Vec<Location>> {
        let mut first: BTreeMap<Location, Value> = BTreeMap::new();
        let mut changed = Vec::new();
        for entry in log {
            match entry {
                Entry::Scalar(place, old) => {
                    first.entry(*place).or_insert(*old);
                }
                Entry::Object(object, _) => {
                    let state = self.task.memory.object(*object);
                    if state.live && self.summariser.is_relevant(state.origin) {
                        return None;
                    }
                }
            }
        }
        for (place, old) in first {
            let Some(now) = self.task.get(place) else { continue };
            if now == old || self.is_counter(place, shape) {
                continue;
            }
            if self.is_relevant_place(place) {
                return None;
            }
            changed.push(place);
        }
        Some(changed)
    }

    fn is_counter(&self, place: Location, shape: FoldShape) -> bool {
        match (place, shape.counter) {
            (Location::Register(at), Src::Reg(register)) => at == self.base() + register,
            (Location::Global(at), Src::Global(register)) => at == register,
            _ => false,
        }
    }

    fn is_relevant_place(&self, place: Location) -> bool {
        let base = self.base();
        match place {
            Location::Register(at) if at < base => true,
            Location::Register(at) => {
                let function = self.function();
                let variable = (at - base).checked_sub(function.first_variable);
                let variable = variable.and_then(|i| function.variables.get(i as usize));
                variable.is_some_and(|&variable| self.summariser.relevant_variable(variable))
            }
            Location::Global(at) => self.summariser.relevant_variable(self.code.globals[at as usize]),
            Location::Memory(object, ..) => {
                let state = self.task.memory.object(object);
                state.live && self.summariser.is_relevant(state.origin)
            }
        }
    }

    /// Iterations from now on, and the counter's value after them.
    fn remaining(&self, shape: FoldShape) -> Option<(u64, i64)> {
        let (Value::Int(now), Value::Int(bound)) = (self.value(shape.counter), self.value(shape.bound)) else {
            return None;
        };
        let (now, bound, step) = (i128::from(now), i128::from(bound), i128::from(shape.step));
        let up = |distance: i128| if step > 0 { Some((distance + step - 1) / step) } else { None };
        let down = |distance: i128| if step < 0 { Some((distance - step - 1) / -step) } else { None };
        let times = match shape.op {
            BinaryOp::Lt => up(bound - now),
            BinaryOp::Le => up(bound - now + 1),
            BinaryOp::Gt => down(now - bound),
            BinaryOp::Ge => down(now - bound + 1),
            BinaryOp::Ne if step != 0 && (bound - now) % step == 0 => Some((bound - now) / step),
            _ => None,
        }?;
        let last = now + times * step;
        let fits = super::arith::wrap(i64::try_from(last).ok()?, shape.ty);
        (times > 0 && i128::from(fits) == last).then_some((u64::try_from(times).ok()?, fits))
    }

    /// Tells the MPI calls of operations that they do not see.
    fn skip(&mut self, steps: &[Step], times: u64) {
        for step in steps {
            match step {
                Step::Event(event) => self.calls.skipped(self.task.id, &event.operation, times),
                Step::Repeat(inner) => self.skip(&inner.steps, times.saturating_mul(inner.times)),
                _ => {}
            }
        }
    }

    fn repeat(
        &mut self,
        code: &LoopCode,
        steps: Vec<Step>,
        times: u64,
        shape: FoldShape,
        last: i64,
        changed: &[Location],
    ) {
        self.skip(&steps, times);
        let step = Step::Repeat(Arc::new(Repeat { steps, times }));
        let at = self.task.loops.len() - 1;
        self.task.loops[at].iterations += times - 1;
        self.emit(step);
        let reason = self.shared.reason(ReasonKind::NotEvaluated, Some(code.span), None);
        for &place in changed {
            self.task.set(place, Value::Unknown(reason));
        }
        let counter = match shape.counter {
            Src::Reg(register) => Location::Register(self.base() + register),
            Src::Global(register) => Location::Global(register),
            Src::Const(_) => return,
        };
        self.task.set(counter, Value::Int(last));
        debug_assert!(shape.variable.index() < self.code.homes.len());
        self.set_pc(code.exit);
    }
}
