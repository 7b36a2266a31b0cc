//! Loops: entry, test, iteration, exit; and loops whose number of iterations is not evaluated.

use crate::code::instructions::LoopCode;
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::state::log::LogEntry;
use crate::state::remembered::folds::Fold;
use crate::state::task::{LoopMode, LoopState};
use chronos_activity::Step;
use chronos_base::diag::Diagnostic;
use chronos_base::governor;
use chronos_base::ids::Id;
use chronos_values::{ReasonKind, Value};

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
        let folds = code.reaches_mpi && code.fold.is_some() && self.hands_out_steps();
        let fold = folds.then(Box::<Fold>::default);
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
        let steps = code.reaches_mpi && self.hands_out_steps();
        if steps {
            self.flush();
        }
        self.shared.scratch.bump(context, code.counter + 1);
        self.shared.scratch.bump(context, code.counter);
        self.push_loop(index, code, None);
        if steps {
            self.emit(Step::LoopIteration);
        }
    }

    fn push_loop(&mut self, index: u32, code: &LoopCode, fold: Option<Box<Fold>>) {
        if code.reaches_mpi && self.hands_out_steps() {
            self.emit(Step::LoopEnter);
        }
        self.begin_region(code);
        self.task.loops.push(LoopState {
            index,
            weight: self.task.weight,
            splits: self.task.splits.len() as u32,
            logs: self.task.logs.len() as u32,
            iterations: 0,
            native: 0,
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
                if self.goes_to_bound(code, done, reason) {
                    return Ok(());
                }
                let at = self.task.loops.len() - 1;
                self.force_loop(at, reason, None)?;
            }
        }
        Ok(())
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
        if code.reaches_mpi && self.hands_out_steps() {
            if self.fold(code)? {
                return Ok(());
            }
            self.flush();
            self.emit(Step::LoopIteration);
        } else if code.glances {
            self.watch_glances(code)?;
        }
        self.begin_iteration(code, iterations)
    }

    pub(crate) fn begin_iteration(&mut self, code: &'a LoopCode, iterations: u64) -> Flow<()> {
        let context = self.context();
        self.shared.scratch.bump(context, code.counter);
        self.spend(code, iterations)
    }

    /// Watches over loops that do not end.
    fn spend(&mut self, code: &'a LoopCode, iterations: u64) -> Flow<()> {
        if let Some(resource) = governor::exceeded() {
            return Err(self.out_of(resource, code.span, &format!("in a loop, after {iterations} iterations of it")));
        }
        let cost = code.cost();
        self.task.spent += cost;
        let budget = self.shared.budget;
        // Of iterations that wait for the clock, most are not followed.
        let waits = |state: &LoopState| state.fold.as_ref().is_some_and(|fold| fold.alike.is_some());
        if code.reaches_mpi {
            let is_waiting = self.task.loops.last().is_some_and(waits);
            if !is_waiting && iterations.saturating_mul(cost) > budget.saturating_mul(100) {
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
        let charged = self.task.loops.last().map_or(iterations, |state| state.charged().min(iterations));
        if charged.saturating_mul(cost) > budget.max(1000) {
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
        self.shared.given_up = true;
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
            if self.hands_out_steps() {
                self.flush();
            }
            self.task.loops.pop();
            if self.hands_out_steps() {
                self.emit(Step::LoopExit);
            }
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
