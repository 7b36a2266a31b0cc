//! What the C runtime knows of a process and calls by itself: constructors before `main`, what `atexit` registered and
//! destructors behind it, handlers of signals. No call in the text shows when these run.
//!
//! The order is that of the C standard and of glibc: constructors by ascending priority, those without one last;
//! `exit` runs the registered functions, the last one first, then the destructors, the other way round than constructors.

use crate::code::instructions::CallCode;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::state::process::ExitManner;
use chronos_base::ids::Id;
use chronos_ir::{FuncId, ScalarType};
use chronos_values::storage::Fill;
use chronos_values::{Origin, Pointer, Value};

impl Machine<'_> {
    /// Puts constructors on top of `main`, the first one on top of all.
    pub fn begin(&mut self) -> Flow<()> {
        if std::mem::replace(&mut self.task.process.begun, true) || self.task.finished.is_some() {
            return Ok(());
        }
        let code = self.code;
        for &function in code.program.constructors.iter().rev() {
            let arguments = self.task.process.arguments.clone();
            self.begin_root(function, &arguments)?;
        }
        Ok(())
    }

    fn begin_root(&mut self, function: FuncId, arguments: &[Value]) -> Flow<()> {
        let context = self.shared.segments.root(function);
        let code = &self.code.functions[function.index()];
        self.shared.scratch.open(context, code.first_counter, code.counters);
        self.push_frame(function, arguments, context)
    }

    /// The program has come to its end with this status: begins the next function that is called then, which may call
    /// MPI and be resumed as any other; `Stop::Exit` where there is none.
    pub(crate) fn run_at_end(&mut self, status: Value) -> Flow<()> {
        self.task.process.end(ExitManner::Exit, status);
        let status = self.status();
        while let Some(next) = self.task.process.next_registered() {
            let Value::Function(function) = next.function else { continue };
            self.clear();
            let arguments: Vec<Value> = next.argument.map_or(Vec::new(), |argument| vec![status, argument]);
            let context = self.context_below(next.context, next.call, function);
            return self.push_frame(function, &arguments, context);
        }
        let code = self.code;
        match self.task.process.next_destructor(&code.program.destructors) {
            Some(function) => {
                self.clear();
                self.begin_root(function, &[])
            }
            None => Err(Stop::Exit(status)),
        }
    }

    /// The status that the process ends with.
    fn status(&self) -> Value {
        self.task.process.ending.as_ref().map_or(Value::Int(0), |ending| ending.status)
    }

    /// Leaves all that was going on.
    fn clear(&mut self) {
        let task = &mut *self.task;
        task.frames.clear();
        task.stack.clear();
        task.loops.clear();
        task.splits.clear();
        task.spinning = None;
        while !task.logs.is_empty() {
            task.logs.pop();
        }
    }

    /// A signal that the process sends itself: its handler runs at once. `Err` where the signal ends the process.
    pub fn deliver(&mut self, signal: i64, call: &CallCode) -> Flow<()> {
        let handler = self.task.process.handlers.get(&signal).copied();
        match handler.map(|handler| handler.action) {
            Some(Value::Int(1)) => Ok(()),
            None | Some(Value::Int(_)) if ignored(signal) => Ok(()),
            None | Some(Value::Int(_)) => {
                let status = Value::Int(128 + signal);
                self.task.process.end(ExitManner::AtOnce, status);
                Err(Stop::Exit(status))
            }
            Some(action) => {
                if let Some(handler) = self.task.process.handlers.get_mut(&signal).filter(|handler| handler.once) {
                    handler.action = Value::NULL;
                }
                let mut arguments = vec![Value::Int(signal)];
                if handler.is_some_and(|handler| handler.informed) {
                    arguments.extend([self.information(signal), Value::NULL]);
                }
                self.call_back(action, &arguments, call).map(|_| ())
            }
        }
    }

    /// What a handler is told of a signal: its number, all else unknown.
    fn information(&mut self, signal: i64) -> Value {
        const BYTES: u64 = 128;
        let fill = Fill::Value(self.shared.uninitialised);
        let object = self.task.memory.allocate(BYTES, Origin::Environment, fill);
        let at = Pointer { object, offset: 0 };
        self.task.memory.write(at, ScalarType::I32, Value::Int(signal));
        Value::Pointer(at)
    }
}

/// Signals that do nothing to a process that has no handler: SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
fn ignored(signal: i64) -> bool {
    matches!(signal, 17 | 18 | 23 | 28)
}
