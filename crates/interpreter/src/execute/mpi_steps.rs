//! MPI calls: what they ask of the other tasks, and how a task goes on with the answer.

use crate::code::instructions::{CallCode, Instr};
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::messages::Decides;
use crate::state::task::{LoopMode, Pending};
use chronos_activity::{Outcome, Site, Step};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_mpi_calls::Action;
use chronos_values::{Reading, ReasonKind, Value};

impl<'a> Machine<'a> {
    pub(super) fn mpi_call(&mut self, call: &'a CallCode, name: &str) -> Flow<()> {
        if chronos_ir::openmp::stops(name) {
            return self.thread_call(call, name);
        }
        self.only_first_thread(call, name)?;
        self.check_level(call, name)?;
        if self.is_uncertain() && functions::reads_clock(name) {
            let time = self.unknown(ReasonKind::time());
            self.give(call.dst, time);
            return Ok(());
        }
        if self.is_uncertain() {
            let message = format!("`{name}` is called under an unknown condition");
            let help = "give the value that decides (--set, program arguments), or use --trace of a real run";
            return Err(Diagnostic::error(&codes::UNKNOWN_MPI, message)
                .label(call.span, "this call")
                .help(help)
                .into());
        }
        if name == "MPI_Abort" {
            self.tell_abort(call.span);
        }
        let args = self.arguments(call);
        if name == "MPI_Init_thread" {
            self.task.thread_level = args.get(2).and_then(|level| level.as_int());
        }
        self.share_arrays(&args);
        let site = Site { context: self.context(), block: call.block };
        let (calls, mut env) = self.calls_and_environment(&args);
        let action = calls.begin(env.task.id, name, site, &mut env, call.span);
        self.tell_vague(call);
        self.tell_calls();
        self.write_strays()?;
        self.act(action, Pending { args, dst: call.dst, events: 0, own: None, clock: None })
    }

    /// A call goes on without a size that is unknown; what it decides about time is wrong, so this is an error.
    pub(super) fn tell_vague(&mut self, call: &CallCode) {
        let Some((argument, reason)) = self.calls.take_vague() else { return };
        let what = format!("the size of data, argument {} of this MPI call,", argument + 1);
        if let Stop::Fail(mut diagnostic) = self.unknown_mpi(Decides::Argument, call.span, &what, reason) {
            diagnostic.message += ": it counts as empty";
            self.shared.reports.add(self.task.id, *diagnostic);
        }
    }

    pub(crate) fn tell_calls(&mut self) {
        for diagnostic in self.calls.take_reports() {
            self.shared.reports.add(self.task.id, diagnostic);
        }
    }

    /// Arrays that a call of MPI is given, as counts and displacements, are the same in many tasks.
    pub(super) fn share_arrays(&mut self, args: &[Value]) {
        for value in args {
            if let Value::Pointer(pointer) = value {
                self.task.memory.share_equal(pointer.object, &mut self.shared.pages);
            }
        }
    }

    /// Nobody knows how often what is executed now is executed.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.task.weight != chronos_activity::Count::ONE || self.in_forced_loop()
    }

    pub(super) fn in_forced_loop(&self) -> bool {
        self.task.loops.iter().any(|state| matches!(state.mode, LoopMode::Forced { .. }))
    }

    pub(super) fn act(&mut self, mut action: Action, mut pending: Pending) -> Flow<()> {
        while let Action::CallBack { function, arguments, counted } = action {
            self.call_from_mpi(function, &arguments, counted)?;
            let (calls, mut env) = self.calls_and_environment(&pending.args);
            action = calls.finish(env.task.id, Outcome::None, &mut env);
            self.tell_calls();
            self.write_strays()?;
        }
        match action {
            Action::CallBack { .. } => Ok(()),
            Action::Return(value) => {
                self.leave_statuses_unsaid();
                self.give(pending.dst, value);
                Ok(())
            }
            Action::Fail(diagnostic) => Err(Stop::Fail(diagnostic)),
            Action::Unknown { argument, reason } => {
                let what = format!("argument {} of this MPI call", argument + 1);
                let span = self.span().unwrap_or(self.function().spans[0]);
                Err(self.unknown_mpi(Decides::Argument, span, &what, reason))
            }
            Action::Events(events) => {
                self.refuse_in_call_back()?;
                self.flush();
                pending.events = events.len();
                for event in events {
                    let event = self.with_partners(event);
                    self.emit(Step::Event(event));
                }
                self.task.pending = Some(pending);
                Err(Stop::Yield)
            }
        }
    }

    /// A function of the program that MPI calls; where nobody knows how often, it is not counted.
    pub(super) fn call_from_mpi(&mut self, function: Value, arguments: &[Value], counted: bool) -> Flow<()> {
        let Some(call) = self.current_call() else { return Ok(()) };
        if counted {
            return self.call_back(function, arguments, call).map(|_| ());
        }
        let weight = self.task.weight;
        let outside = self.shared.scratch.begin_layer(weight);
        let outcome = self.call_back(function, arguments, call);
        self.shared.scratch.end_layer(weight, outside);
        outcome.map(|_| ())
    }

    /// The call that the innermost function is in.
    pub(super) fn current_call(&self) -> Option<&'a CallCode> {
        let frame = self.task.frames.last()?;
        let function = &self.code.functions[frame.function.index()];
        let Some(Instr::Call(index)) = function.instrs.get((frame.pc as usize).wrapping_sub(1)) else { return None };
        function.calls.get(*index as usize)
    }

    /// Goes on after an event with its outcome.
    pub fn resume(&mut self, outcome: Outcome) -> Flow<()> {
        let Some(pending) = self.task.pending.take() else { return Ok(()) };
        if pending.own.is_some() {
            return match (pending.clock, outcome) {
                (Some(asked), Outcome::Time { at }) => self.answer_clock(asked, at),
                _ => Ok(()),
            };
        }
        let time = match outcome {
            Outcome::Time { at } if self.code.program.follows_clocks => Some(at),
            _ => None,
        };
        self.task.failed += u64::from(outcome == Outcome::NotYet);
        if matches!(outcome, Outcome::Arrived(_) | Outcome::Any { .. }) {
            self.forget_jump();
        }
        let (calls, mut env) = self.calls_and_environment(&pending.args);
        let action = calls.finish(env.task.id, outcome, &mut env);
        self.tell_calls();
        self.write_strays()?;
        let action = match (action, time) {
            (Action::Return(Value::Clock(reading)), Some(at)) => {
                Action::Return(Value::Clock(Reading::at(reading.call(), at.as_seconds())))
            }
            (action, _) => action,
        };
        self.act(action, pending)
    }

    /// What MPI has written outside of objects does there what the program's own stores do.
    fn write_strays(&mut self) -> Flow<()> {
        let strays = std::mem::take(&mut self.task.process.strays);
        strays.into_iter().try_for_each(|(to, ty, value)| self.store_at(to, ty, value, "memory"))
    }
}
