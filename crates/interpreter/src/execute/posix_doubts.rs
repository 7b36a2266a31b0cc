//! What is said of threads of POSIX: what the order decides that they run in, and what they may not do.

use crate::code::instructions::CallCode;
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::state::posix_threads::Wait;
use crate::state::team::Stage;
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::ScalarType;
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::{Pointer, Value};

/// Of `MPI_Init_thread`: any thread may call MPI from here on (MPI 4.0, 11.6.2).
const THREAD_SERIALIZED: i64 = 2;

impl Machine<'_> {
    /// What stands where a pointer leads to, as the types that arguments mostly have.
    pub(super) fn pointed_values(&self, pointer: Pointer) -> Vec<Value> {
        if !self.task.memory.object(pointer.object).live {
            return Vec::new();
        }
        let types = [ScalarType::I32, ScalarType::I64, ScalarType::F64, ScalarType::Pointer];
        types.into_iter().map(|ty| self.task.memory.read(pointer, ty).unwrap_or(self.shared.uninitialised)).collect()
    }

    /// Where the program calls what `pthread.h` has in place of a function.
    pub(super) fn started_at(&self) -> Option<Span> {
        let blocks = &self.code.program.blocks;
        let call = self.shared.segments.context(self.context()).call;
        call.map(|call| blocks[call].span)
    }

    /// A thread begins, and its argument may be another one by now: `&i` of a loop that starts threads.
    pub(super) fn doubt_argument(&mut self, argument: (Pointer, Vec<Value>)) {
        let now = self.pointed_values(argument.0);
        let is_known = |value: &Value| !value.is_unknown();
        let changed = |(old, new): (&Value, &Value)| is_known(old) && is_known(new) && old != new;
        if !now.iter().zip(&argument.1).any(changed) {
            return;
        }
        let Some(span) = self.started_at() else { return };
        let text = "what the argument of this thread points to changes before the thread begins, and what it finds there is \
                    decided in the run";
        let help = Some("give each thread memory of its own, or the number itself as `(void *)i`".into());
        let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help };
        let function = self.task.frames.last().map(|frame| frame.function);
        function.into_iter().for_each(|function| self.shared.doubts.add(doubt.clone(), Subject::Function(function)));
    }

    pub(super) fn doubt_call(&mut self, call: &CallCode, text: &str) {
        let doubt = Doubt { span: call.span, certainty: Certainty::Approximate, text: text.into(), help: None };
        self.shared.doubts.add(doubt, Subject::Call(call.block));
    }

    pub(super) fn all_wait(&self, waits: &[Wait]) -> Stop {
        let mut what: Vec<&str> = waits.iter().map(|wait| wait.text()).collect();
        what.dedup();
        let message = match waits.len() {
            0 | 1 => "a thread waits, and no other one is there that could end that".to_owned(),
            number => format!("all {number} threads wait: for {}", what.join(", ")),
        };
        let help = "a real run waits for ever as well, unless its threads come in another order (docs/openmp.md)";
        self.error(&codes::THREADS_WAIT, message, help)
    }

    /// Threads that run when the program ends are cut off.
    pub(crate) fn doubt_threads_left(&mut self) {
        self.doubt_threads_not_joined();
        let Some(team) = self.task.team.as_ref().filter(|team| team.posix.is_some()) else { return };
        let left = team.threads.iter().enumerate().filter(|(at, thread)| *at > 0 && thread.stage != Stage::Ended);
        let functions: Vec<_> = left.flat_map(|(_, thread)| thread.frames.iter().map(|frame| frame.function)).collect();
        let Some((span, _)) = self.task.posix.started else { return };
        let text = "the program ends before a thread does, and how far that has come is decided in the run";
        let help = Some("join the thread, or end main with pthread_exit".into());
        let doubt = Doubt { span, certainty: Certainty::Unknown, text: text.into(), help };
        functions.into_iter().for_each(|function| self.shared.doubts.add(doubt.clone(), Subject::Function(function)));
    }

    /// Nobody has waited for these: a run may end before they have.
    fn doubt_threads_not_joined(&mut self) {
        let Some((span, function)) = self.task.posix.started.filter(|_| !self.task.posix.used.is_empty()) else {
            return;
        };
        let text = "the program ends without having joined all threads, which are taken to have ended before";
        let help = Some("join each thread, or end main with pthread_exit".into());
        let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help };
        self.shared.doubts.add(doubt, Subject::Function(function));
    }

    /// A started thread calls MPI where the program has asked for a level that allows it.
    pub(super) fn check_level(&mut self, call: &CallCode, name: &str) -> Flow<()> {
        if !self.has_started() {
            return Ok(());
        }
        if self.thread_number() == 0 {
            return Ok(());
        }
        if self.task.thread_level.is_some_and(|level| level >= THREAD_SERIALIZED) {
            let message = "MPI calls of several threads are taken in one order";
            let help = "a call that waits keeps the other threads of its task from going on; where one of them would have to \
                        send first, let that come first in the source";
            let warning = Diagnostic::warning(&codes::THREAD_ORDER, message).label(call.span, "this call").help(help);
            self.shared.reports.add(self.task.id, warning);
            return Ok(());
        }
        let message =
            format!("`{name}` is called by a started thread, which the program's level of threads does not allow");
        let help =
            "call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or let the first thread call MPI";
        Err(Diagnostic::error(&codes::THREAD_LEVEL, message).label(call.span, "this call").help(help).into())
    }
}
