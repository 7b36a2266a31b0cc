//! Calls of pure functions that were followed before: their counts and results are taken over.
//!
//! So recursion that meets the same arguments again, like that of Fibonacci numbers, costs one
//! evaluation of each. What a call counts is gathered apart, at weight one, and added at the
//! weight of every call.

use crate::code::purity::Purity;
use crate::compile::purity::purity;
use crate::execute::machine::Machine;
use crate::state::location::Location;
use crate::state::open_counts::Layer;
use crate::state::remembered::memos::{CallDone, CallKey, Recording, WatchedFunction};
use chronos_activity::{ContextId, Count};
use chronos_base::ids::Id;
use chronos_ir::{FuncId, ScalarType};
use chronos_values::Value;
use std::sync::Arc;

/// Calls that are remembered, of all functions together.
const MOST_CALLS: usize = 1 << 17;
/// After so many calls that were new, a function whose calls hardly repeat is no longer watched.
const TRIAL: u64 = 4096;
/// Operations of a function, or of a loop that repeats, that are followed although what they do is known: a branch predictor has learnt the ways
/// of calls that repeat by then, as that of a processor does, and none of it is seen where their counts are taken over.
pub(crate) const LEARNING: u64 = 1 << 17;
/// A call takes as long as these at least, whatever its loops do.
const LEAST_OPERATIONS: u64 = 256;

impl Machine<'_> {
    /// Takes over what an equal call did; the result where there was one. Else gives what is needed to
    /// record this call, if it can be.
    pub fn remembered(&mut self, function: FuncId, args: &[Value], context: ContextId) -> Remembered {
        let Some(purity) = self.watched(function) else { return Remembered::Unwatched };
        let Some(key) = self.key(&purity, function, args, context) else { return Remembered::Unwatched };
        let Some(Some(watched)) = self.known.memos.watched.get_mut(function.index()) else {
            return Remembered::Unwatched;
        };
        if let Some(done) = self.known.memos.done.get(&key).cloned() {
            if watched.learning >= done.operations {
                watched.learning -= done.operations;
                return Remembered::Unwatched;
            }
            watched.hits += 1;
            self.take_over(&done);
            return Remembered::Done(done.result);
        }
        watched.misses += 1;
        if watched.misses >= TRIAL && watched.hits < watched.misses / 8 {
            watched.purity = None;
        }
        if self.known.memos.done.len() >= MOST_CALLS {
            return Remembered::Unwatched;
        }
        match self.sums(&purity) {
            Some(before) => Remembered::New(key, purity, before),
            None => Remembered::Unwatched,
        }
    }

    fn watched(&mut self, function: FuncId) -> Option<Arc<Purity>> {
        if self.known.memos.off {
            return None;
        }
        let (code, learns) = (self.code, self.shared.tells_predictions_at_end());
        let fresh = || {
            let compiled = &code.functions[function.index()];
            let recursive = code.program.functions[function].effects.recursive;
            let worth = recursive || !compiled.loops.is_empty();
            // What recursion repeats is too much to be followed again.
            let learns = learns && !recursive;
            WatchedFunction {
                purity: if worth { purity(code, function).map(Arc::new) } else { None },
                hits: 0,
                misses: 0,
                learning: if learns { LEARNING } else { 0 },
            }
        };
        let all = &mut self.known.memos.watched;
        if all.len() <= function.index() {
            all.resize(code.functions.len(), None);
        }
        all[function.index()].get_or_insert_with(fresh).purity.clone()
    }

    fn key(&self, purity: &Purity, function: FuncId, args: &[Value], context: ContextId) -> Option<CallKey> {
        let globals = purity.reads.iter().map(|&global| self.task.globals[global as usize]);
        let values = args.iter().copied().chain(globals).map(bits).collect::<Option<_>>()?;
        Some(CallKey { function, context, values })
    }

    /// The integers that the call may add to; `None` where one is unknown.
    fn sums(&self, purity: &Purity) -> Option<Box<[i64]>> {
        purity.sums.iter().map(|&global| self.task.globals[global as usize].as_int()).collect()
    }

    fn take_over(&mut self, done: &CallDone) {
        self.shared.scratch.add_layer(&done.counts, self.task.weight);
        for &(global, value) in &done.written {
            self.task.set(Location::Global(global), value);
        }
        for &(global, added) in &done.added {
            if let Value::Int(before) = self.task.globals[global as usize] {
                let sum = chronos_values::arith::wrap(before.wrapping_add(added), self.type_of(global));
                self.task.set(Location::Global(global), Value::Int(sum));
            }
        }
    }

    fn type_of(&self, global: u32) -> ScalarType {
        let program = &self.code.program;
        let variable = self.code.globals[global as usize];
        program.types.scalar(program.variables[variable].ty).unwrap_or(ScalarType::I64)
    }

    /// The call whose frame has just been pushed is to be remembered.
    pub fn record(&mut self, key: CallKey, purity: Arc<Purity>, before: Box<[i64]>) {
        let weight = std::mem::replace(&mut self.task.weight, Count::ONE);
        let outside = self.shared.scratch.begin_layer(weight);
        let (depth, splits) = (self.task.frames.len(), self.task.splits.len());
        let spent = self.task.spent;
        self.task.recordings.push(Recording { key, depth, weight, splits, outside, purity, before, spent });
    }

    /// The frame on top ends with its result: if it was recorded, it is remembered.
    pub(crate) fn end_recording(&mut self, result: Option<Value>) {
        let depth = self.task.frames.len();
        let Some(recording) = self.task.recordings.pop_if(|recording| recording.depth == depth) else { return };
        let operations = self.task.spent.saturating_sub(recording.spent).max(LEAST_OPERATIONS);
        let whole = self.task.weight == Count::ONE && self.task.splits.len() == recording.splits;
        let counts = self.close(recording.weight, recording.outside);
        let Some(added) = self.added(&recording.purity, &recording.before).filter(|_| whole) else { return };
        let written = recording.purity.writes.iter().map(|&global| (global, self.task.globals[global as usize]));
        let done = CallDone { counts, result, written: written.collect(), added, operations };
        self.known.memos.done.insert(recording.key, Arc::new(done));
    }

    fn added(&self, purity: &Purity, before: &[i64]) -> Option<Box<[(u32, i64)]>> {
        let sums = purity.sums.iter().zip(before);
        sums.map(|(&global, before)| Some((global, self.task.globals[global as usize].as_int()?.wrapping_sub(*before))))
            .collect()
    }

    /// Counts what a recorded call counted at the weight of the call.
    fn close(&mut self, weight: Count, outside: Layer) -> Layer {
        let inside = self.shared.scratch.end_layer(self.task.weight, outside);
        self.shared.scratch.add_layer(&inside, weight);
        self.task.weight = weight.times(self.task.weight);
        inside
    }

    /// The task ends within calls that were to be remembered.
    pub(crate) fn drop_recordings(&mut self) {
        while let Some(recording) = self.task.recordings.pop() {
            self.close(recording.weight, recording.outside);
        }
    }
}

/// What is known of a call.
pub(crate) enum Remembered {
    /// It has been done, with this result.
    Done(Option<Value>),
    New(CallKey, Arc<Purity>, Box<[i64]>),
    Unwatched,
}

/// A value that can be compared; `None` for pointers and what is unknown.
fn bits(value: Value) -> Option<(u8, u64)> {
    match value {
        Value::Int(n) => Some((0, n as u64)),
        Value::Float(x) => Some((1, x.to_bits())),
        Value::Function(function) => Some((2, u64::from(function.0))),
        _ => None,
    }
}
