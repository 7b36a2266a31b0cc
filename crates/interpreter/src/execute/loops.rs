//! Loops: entry, test, iteration, exit; and loops whose number of iterations is not evaluated.

use crate::code::instructions::LoopCode;
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::messages::Decides;
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::remembered::folds::Fold;
use crate::state::task::{LoopMode, LoopState, Written};
use chronos_activity::{Count, CountSource, Step};
use chronos_base::diag::Diagnostic;
use chronos_base::governor;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_values::{ReasonId, ReasonKind, Value};

/// Marks, in the number of iterations, that the body of a forced loop is under way.
const PASS: u64 = 1 << 63;

/// Passes over the body of a forced loop, besides the first, to see what it writes.
const PASSES: u8 = 2;

/// A number of iterations that the user gave.
fn stated_count(n: f64) -> Count {
    if n.fract() == 0.0 {
        Count { source: CountSource::Probability, ..Count::exact(n as u128) }
    } else {
        Count::expected(n, CountSource::Probability)
    }
}

impl<'a> Machine<'a> {
    pub(crate) fn loop_enter(&mut self, index: u32, code: &'a LoopCode) -> Flow<()> {
        let context = self.context();
        if !code.reaches_mpi && self.take_summary(code)? {
            return Ok(());
        }
        if code.endless && code.reaches_mpi && !self.is_stated(code) {
            return Err(self.endless(code));
        }
        self.shared.scratch.bump(context, code.counter + 1);
        let fold = (code.reaches_mpi && code.fold.is_some()).then(Box::<Fold>::default);
        self.push_loop(index, code, fold);
        if let Some(state) = self.task.loops.last_mut().filter(|_| self.task.effort.is_given_up(code.block)) {
            state.mode = LoopMode::GivenUp;
        }
        Ok(())
    }

    /// A jump goes into a loop: an iteration of it is under way.
    pub(crate) fn enter_midway(&mut self, index: u32) {
        let code: &'a LoopCode = &self.function().loops[index as usize];
        let context = self.context();
        // What a remembered call counts is gathered until it ends: a loop without MPI hands nothing out before.
        if code.reaches_mpi {
            self.flush();
        }
        self.shared.scratch.bump(context, code.counter + 1);
        self.shared.scratch.bump(context, code.counter);
        self.push_loop(index, code, None);
        if code.reaches_mpi {
            self.emit(Step::LoopIteration);
        }
    }

    fn push_loop(&mut self, index: u32, code: &LoopCode, fold: Option<Box<Fold>>) {
        if code.reaches_mpi {
            self.emit(Step::LoopEnter);
        }
        self.begin_region(code);
        self.task.loops.push(LoopState {
            index,
            weight: self.task.weight,
            splits: self.task.splits.len() as u32,
            logs: self.task.logs.len() as u32,
            iterations: 0,
            mode: LoopMode::Normal,
            written: None,
            fold,
            watch: Default::default(),
        });
    }

    fn is_stated(&self, code: &LoopCode) -> bool {
        self.stated_iterations(code.block).is_some()
    }

    fn endless(&self, code: &LoopCode) -> Stop {
        let place = self.code.program.place_of(code.block);
        let message = format!("the loop in `{}` never ends: nothing in it leaves it", self.function().name);
        let help = format!("give the number of iterations to predict with --iterations {place}=N");
        Diagnostic::error(&codes::ENDLESS, message).label(code.span, "this loop").help(help).into()
    }

    pub(crate) fn loop_test(&mut self, index: u32, value: Value) -> Flow<()> {
        let code: &'a LoopCode = &self.function().loops[index as usize];
        let Some(state) = self.task.loops.last() else { return Ok(()) };
        match state.mode {
            LoopMode::Forced { .. } => return self.end_pass(code),
            LoopMode::Times(0) => {
                self.set_pc(code.exit);
                return Ok(());
            }
            LoopMode::Times(_) => return Ok(()),
            LoopMode::Normal | LoopMode::GivenUp => {}
        }
        let done = state.iterations;
        if let Ok(goes_on) = value.truth() {
            let context = self.context();
            self.known.predictor.see(context, code.block.index(), u8::from(goes_on));
        }
        match value.truth() {
            Ok(true) => {}
            Ok(false) => self.set_pc(code.exit),
            Err(reason) => {
                if let Some(n) = self.stated_iterations(code.block) {
                    return self.given(code, n, done);
                }
                let reason = reason.unwrap_or_else(|| self.clock_reason());
                let at = self.task.loops.len() - 1;
                self.force_loop(at, reason, None)?;
            }
        }
        Ok(())
    }

    /// The user gave the mean number of iterations.
    fn given(&mut self, code: &'a LoopCode, n: f64, done: u64) -> Flow<()> {
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
            let decides = if exit.is_some() { Decides::Branch } else { Decides::Loop };
            return Err(self.unknown_mpi(decides, exit.unwrap_or(code.span), what, reason));
        }
        self.drop_loops(at + 1);
        let given = self.stated_iterations(code.block);
        let running = self.task.loops[at].iterations;
        let trips = match (given, self.seen_trips(code.block, running)) {
            (Some(n), _) => stated_count((n - running as f64).max(0.0)),
            (None, Some(seen)) => {
                self.report_seen_trips(code, seen, reason);
                seen.less(running).count()
            }
            (None, None) => {
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
    fn drop_loops(&mut self, keep: usize) {
        let function = self.function();
        for state in self.task.loops.split_off(keep).into_iter().rev() {
            if function.loops[state.index as usize].reaches_mpi {
                self.emit(Step::LoopExit);
            }
        }
    }

    /// Drops the splits that were begun inside a loop whose iteration is given up.
    fn unwind_splits(&mut self, at: usize) {
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

    fn begin_forced(&mut self, code: &LoopCode, trips: Count, reason: ReasonId) {
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

    fn begin_pass(&mut self, code: &LoopCode, reason: ReasonId) {
        let base = self.base();
        if let Some(state) = self.task.loops.last_mut() {
            state.iterations &= !PASS;
        }
        self.task.logs.push();
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
    fn forget_pass(&mut self, log: Vec<LogEntry>, reason: ReasonId) -> bool {
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

    fn forget(&mut self, log: Vec<LogEntry>, written: &Written, reason: ReasonId) {
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

    pub(crate) fn loop_iterate(&mut self, index: u32, code: &'a LoopCode) -> Flow<()> {
        let Some(state) = self.task.loops.last_mut() else { return Ok(()) };
        debug_assert_eq!(state.index, index);
        if matches!(state.mode, LoopMode::Forced { .. }) {
            return self.iterate_forced(code);
        }
        if state.mode == LoopMode::Times(0) {
            self.set_pc(code.exit);
            return Ok(());
        }
        if state.mode == LoopMode::GivenUp {
            let reason = self.shared.reason(ReasonKind::Budget, Some(code.span), None);
            let at = self.task.loops.len() - 1;
            return self.force_loop(at, reason, None);
        }
        if code.endless && state.iterations == 0 && state.mode == LoopMode::Normal {
            // No condition asks for the number that was given.
            if let Some(n) = self.stated_iterations(code.block) {
                self.given(code, n, 0)?;
                return if code.reaches_mpi { self.loop_iterate(index, code) } else { Ok(()) };
            }
        }
        let Some(state) = self.task.loops.last_mut() else { return Ok(()) };
        state.iterations += 1;
        let iterations = state.iterations;
        if let LoopMode::Times(left) = &mut state.mode {
            *left -= 1;
        }
        if code.reaches_mpi {
            if self.fold(code)? {
                return Ok(());
            }
            self.flush();
            self.emit(Step::LoopIteration);
        }
        self.begin_iteration(code, iterations)
    }

    pub(crate) fn begin_iteration(&mut self, code: &'a LoopCode, iterations: u64) -> Flow<()> {
        let context = self.context();
        self.shared.scratch.bump(context, code.counter);
        self.spend(code, iterations)
    }

    fn iterate_forced(&mut self, code: &'a LoopCode) -> Flow<()> {
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

    /// Watches over loops that do not end.
    fn spend(&mut self, code: &'a LoopCode, iterations: u64) -> Flow<()> {
        if let Some(resource) = governor::exceeded() {
            return Err(self.out_of(resource, code.span, &format!("in a loop, after {iterations} iterations of it")));
        }
        let cost = code.cost();
        self.task.spent += cost;
        let budget = self.shared.budget;
        if code.reaches_mpi {
            if iterations.saturating_mul(cost) > budget.saturating_mul(100) {
                let message =
                    format!("the loop in `{}` does not end: {iterations} iterations so far", self.function().name);
                let help = "check its condition with the program's arguments, or give --iterations FILE:LINE=N";
                return Err(Diagnostic::error(&codes::ENDLESS, message)
                    .label(code.span, "this loop")
                    .help(help)
                    .into());
            }
            return Ok(());
        }
        if iterations.saturating_mul(cost) > budget.max(1000) {
            return self.give_up(code, iterations);
        }
        if self.task.spent > self.shared.hard_budget() {
            return self.give_up_outermost();
        }
        Ok(())
    }

    /// Loops that are short each, but many: the outermost one of the function is given up, and those
    /// of its callers when they go on.
    fn give_up_outermost(&mut self) -> Flow<()> {
        let base = self.task.frames.last().map_or(0, |frame| frame.loops as usize);
        let function = self.function();
        let followed = |i: &usize| {
            let state = &self.task.loops[*i];
            // One that was given up already would begin its last pass again, without end.
            !function.loops[state.index as usize].reaches_mpi && !matches!(state.mode, LoopMode::Forced { .. })
        };
        let at = (base..self.task.loops.len()).find(followed).unwrap_or(self.task.loops.len() - 1);
        let code: &'a LoopCode = &function.loops[self.task.loops[at].index as usize];
        let iterations = self.task.loops[at].iterations;
        self.report_given_up(code, iterations);
        self.give_up_region();
        let reason = self.shared.reason(ReasonKind::Budget, Some(code.span), None);
        self.leave_loops(at + 1)?;
        self.force_loop(at, reason, None)
    }

    fn give_up(&mut self, code: &'a LoopCode, iterations: u64) -> Flow<()> {
        self.report_given_up(code, iterations);
        let reason = self.shared.reason(ReasonKind::Budget, Some(code.span), None);
        let at = self.task.loops.len() - 1;
        self.force_loop(at, reason, None)
    }

    fn report_given_up(&mut self, code: &LoopCode, iterations: u64) {
        let message = format!(
            "the budget was used up in this loop of `{}`, after {iterations} iterations of it",
            self.function().name
        );
        let help = format!(
            "if it ends, raise --budget (now {} operations per task), or give the mean number with --iterations {}=N",
            self.shared.budget,
            self.code.program.place_of(code.block)
        );
        let diagnostic = Diagnostic::error(&codes::ENDLESS, message).label(code.span, "this loop").help(help);
        self.shared.reports.add(self.task.id, diagnostic);
    }

    pub(crate) fn loop_step(&mut self) {
        let loops = self.task.loops.len();
        self.close_remainders(loops);
    }

    pub(crate) fn loop_leave(&mut self, index: u32, code: &'a LoopCode) -> Flow<()> {
        let at = self.task.loops.len().wrapping_sub(1);
        if self.task.loops.get(at).is_some_and(|state| state.index == index) {
            if self.is_forced(at) {
                return self.end_pass(code);
            }
            self.close_remainders(self.task.loops.len());
            self.pop_loop();
        }
        Ok(())
    }

    /// Leaves the innermost loop.
    pub(crate) fn pop_loop(&mut self) {
        let Some(state) = self.task.loops.last() else { return };
        let (normal, iterations) = (state.mode == LoopMode::Normal, state.iterations);
        let watching = state.fold.as_ref().is_some_and(|fold| fold.watching);
        let tries = state.fold.as_ref().is_some_and(|fold| fold.trial.is_some());
        let logs = state.logs as usize;
        let function = self.function();
        let code = function.loops.get(state.index as usize);
        let reaches_mpi = code.is_some_and(|code| code.reaches_mpi);
        if let Some(code) = code.filter(|code| code.spoken_of && normal) {
            self.settle(code.block, self.stated_iterations(code.block), iterations as f64);
        }
        if watching && self.task.logs.len() > logs {
            self.drop_watch(logs);
        }
        if tries {
            self.task.give_up_linear();
        }
        if reaches_mpi {
            self.flush();
            self.task.loops.pop();
            self.emit(Step::LoopExit);
        } else {
            self.task.loops.pop();
            self.end_region();
        }
    }

    /// Ends the watch of a loop; an enclosing log keeps what it saw.
    pub(crate) fn drop_watch(&mut self, logs: usize) -> Vec<LogEntry> {
        let mut entries = Vec::new();
        while self.task.logs.len() > logs {
            let inner = self.task.logs.pop();
            entries.splice(0..0, inner);
        }
        if self.task.logs.is_empty() {
            self.task.release_retired();
        } else {
            self.task.logs.extend(entries.clone());
        }
        entries
    }
}
