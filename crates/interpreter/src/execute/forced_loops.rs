//! Loops whose number of iterations is unknown: they run a number of times that is assumed, in passes.

use crate::code::instructions::LoopCode;
use crate::execute::machine::{Flow, Machine};
use crate::messages::Decides;
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::task::{LoopMode, Written};
use chronos_activity::{Count, CountSource, Step};
use chronos_base::span::Span;
use chronos_values::{ReasonId, ReasonKind, Value};

/// Marks, in the number of iterations, that the body of a forced loop is under way.
const PASS: u64 = 1 << 63;
/// Passes over the body of a forced loop, besides the first, to see what it writes.
const PASSES: u8 = 2;

impl<'a> Machine<'a> {
    /// The user gave the mean number of iterations.
    pub(super) fn given(&mut self, code: &'a LoopCode, n: f64, done: u64) -> Flow<()> {
        let rest = (n - done as f64).max(0.0);
        let span = Some(code.span);
        let reason = self.shared.reason(ReasonKind::NotEvaluated, span, None);
        if code.reaches_mpi {
            let times = rest.round() as u64;
            if let Some(state) = self.task.loops.last_mut() {
                state.mode = LoopMode::Times(times);
                state.fold = None;
            }
            if times == 0 {
                self.set_pc(code.exit);
            }
            return Ok(());
        }
        let trips = stated_count(rest);
        self.begin_forced(code, trips, reason);
        Ok(())
    }

    pub(crate) fn is_forced(&self, at: usize) -> bool {
        matches!(self.task.loops[at].mode, LoopMode::Forced { .. })
    }

    /// The number of iterations of a loop is unknown: its counts become so.
    pub(crate) fn force_loop(&mut self, at: usize, reason: ReasonId, exit: Option<Span>) -> Flow<()> {
        let function = self.function();
        let code: &'a LoopCode = &function.loops[self.task.loops[at].index as usize];
        if code.communicates {
            let what = "the number of iterations of this loop, which holds MPI calls,";
            let decides = if exit.is_some() { Decides::Exit(code.block) } else { Decides::Loop };
            return Err(self.unknown_mpi(decides, exit.unwrap_or(code.span), what, reason));
        }
        self.drop_loops(at + 1);
        let given = self.stated_iterations(code.block);
        let running = self.task.loops[at].iterations;
        let trips = match (given, self.seen_trips(code.block, running)) {
            (Some(n), _) => stated_count((n - running as f64).max(0.0)),
            (None, Some(seen)) => {
                self.note_clock(reason);
                self.report_seen_trips(code, seen, reason);
                seen.less(running).count()
            }
            (None, None) => {
                self.note_clock(reason);
                self.report_unknown_trips(code, reason);
                Count::UNKNOWN
            }
        };
        self.unwind_splits(at);
        self.task.loops[at].fold = None;
        let reason = self.shared.reason(ReasonKind::NotEvaluated, Some(code.span), Some(reason));
        self.begin_forced(code, trips, reason);
        Ok(())
    }

    /// Ends the loops inside one that is given up.
    pub(super) fn drop_loops(&mut self, keep: usize) {
        let function = self.function();
        for state in self.task.loops.split_off(keep).into_iter().rev() {
            if function.loops[state.index as usize].reaches_mpi && self.hands_out_steps() {
                self.emit(Step::LoopExit);
            }
        }
    }

    /// Drops the splits that were begun inside a loop whose iteration is given up.
    pub(super) fn unwind_splits(&mut self, at: usize) {
        let state = &self.task.loops[at];
        let (splits, logs, weight) = (state.splits as usize, state.logs as usize, state.weight);
        self.shared.scratch.settle(self.task.weight);
        self.task.weight = weight;
        self.task.splits.truncate(splits);
        while self.task.logs.len() > logs {
            let entries = self.task.logs.pop();
            self.task.logs.extend(entries);
        }
    }

    pub(super) fn begin_forced(&mut self, code: &LoopCode, trips: Count, reason: ReasonId) {
        let spent = self.task.spent;
        if let Some(state) = self.task.loops.last_mut() {
            state.mode = LoopMode::Forced { trips, discovering: Some(0), reason, spent };
            state.written = None;
            state.logs = self.task.logs.len() as u32;
        }
        self.shared.scratch.settle(self.task.weight);
        self.task.weight = Count::ZERO;
        self.begin_pass(code, reason);
    }

    pub(super) fn begin_pass(&mut self, code: &LoopCode, reason: ReasonId) {
        let base = self.base();
        if let Some(state) = self.task.loops.last_mut() {
            state.iterations &= !PASS;
        }
        self.task.begin_uncertain_log();
        for &register in &code.writes {
            self.task.set(Location::Register(base + register), Value::Unknown(reason));
        }
        self.set_pc(code.body);
    }

    /// The body of a forced loop is through.
    pub(crate) fn end_pass(&mut self, code: &'a LoopCode) -> Flow<()> {
        self.close_remainders(self.task.loops.len());
        let Some(state) = self.task.loops.last_mut() else { return Ok(()) };
        let LoopMode::Forced { trips, discovering, reason, spent } = state.mode else { return Ok(()) };
        let (weight, logs) = (state.weight, state.logs as usize);
        while self.task.logs.len() > logs + 1 {
            let entries = self.task.logs.pop();
            self.task.logs.extend(entries);
        }
        let log = self.task.logs.pop();
        let grown = self.forget_pass(log, reason);
        self.shared.scratch.settle(self.task.weight);
        if let Some(passes) = discovering {
            let discovering = (grown && passes < PASSES).then_some(passes + 1);
            if discovering.is_none() {
                self.task.weight = weight.times(trips);
            }
            if let Some(state) = self.task.loops.last_mut() {
                state.mode = LoopMode::Forced { trips, discovering, reason, spent };
            }
            self.begin_pass(code, reason);
        } else {
            self.task.weight = weight;
            if let Some(state) = self.task.loops.last_mut() {
                state.mode = LoopMode::Times(0);
            }
            self.set_pc(code.exit);
        }
        Ok(())
    }

    /// What other iterations write is not known; whether this pass wrote what those before it did not. A place that is
    /// written when all that was written before is unknown is the same in every iteration; where there are ever more of
    /// them, whole objects are forgotten.
    pub(super) fn forget_pass(&mut self, log: Vec<LogEntry>, reason: ReasonId) -> bool {
        let written = Written::of(&log, &self.task.ended());
        let Some(state) = self.task.loops.last_mut() else { return false };
        let all = state.written.get_or_insert_default();
        let new = all.add(written);
        let exhausted = matches!(state.mode, LoopMode::Forced { discovering: None | Some(PASSES), .. });
        if exhausted {
            all.objects.extend(new.around());
        }
        let written = all.clone();
        self.forget(log, &written, reason);
        !new.is_empty()
    }

    /// What a log names is not known any longer: whole objects are forgotten.
    pub fn forget_written(&mut self, log: Vec<LogEntry>, reason: ReasonId) {
        let mut written = Written::of(&log, &self.task.ended());
        let around: Vec<_> = written.around().collect();
        written.objects.extend(around);
        self.forget(log, &written, reason);
    }

    pub(super) fn forget(&mut self, log: Vec<LogEntry>, written: &Written, reason: ReasonId) {
        // The enclosing log has to know the values from before.
        self.task.logs.extend(log);
        for &place in &written.scalars {
            self.task.put(place, Value::Unknown(reason));
        }
        for &object in &written.objects {
            if self.task.memory.object(object).live {
                self.task.forget(object, reason);
            }
        }
    }

    pub(super) fn iterate_forced(&mut self, code: &'a LoopCode) -> Flow<()> {
        let context = self.context();
        let Some(state) = self.task.loops.last_mut() else { return Ok(()) };
        // A loop without a condition comes back here at the end of a pass.
        let fresh = state.iterations & PASS == 0;
        state.iterations ^= PASS;
        if !fresh {
            return self.end_pass(code);
        }
        self.shared.scratch.bump(context, code.counter);
        Ok(())
    }
}

/// A number of iterations that the user gave.
pub(super) fn stated_count(n: f64) -> Count {
    if n.fract() == 0.0 {
        Count { source: CountSource::Probability, ..Count::exact(n as u128) }
    } else {
        Count::expected(n, CountSource::Probability)
    }
}
