//! What the C runtime of a task knows: arguments, functions to be called at the end, handlers of signals.

use chronos_activity::ContextId;
use chronos_ir::{BlockId, FuncId, ScalarType};
use chronos_values::{ObjectId, Pointer, Value};
use std::collections::BTreeMap;

/// State of the runtime of one task.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// `argv[0]`.
    pub program_name: Option<ObjectId>,
    /// `argc`, `argv`, `envp`: glibc hands them to constructors too.
    pub arguments: Vec<Value>,
    /// What `atexit` and `on_exit` registered, in this order.
    pub(crate) at_exit: Vec<AtExit>,
    /// What `at_quick_exit` registered.
    pub at_quick_exit: Vec<AtExit>,
    /// What signals lead to, by number.
    pub handlers: BTreeMap<i64, SignalHandler>,
    /// Constructors have been called.
    pub(crate) begun: bool,
    /// Bytes of the largest allocation that was freed.
    pub(crate) largest_freed: u64,
    /// What was written outside of objects, where it was written.
    pub(crate) beside: BTreeMap<(ObjectId, i64), (ScalarType, Value)>,
    /// What MPI has written outside of objects in the call under way.
    pub(crate) strays: Vec<(Pointer, ScalarType, Value)>,
    /// The process is ending.
    pub(crate) ending: Option<ProcessEnding>,
}

impl Process {
    /// What was written last outside of an object, there and as this type.
    pub(crate) fn written_beside(&self, at: Pointer, ty: ScalarType) -> Option<Value> {
        let stray = self.strays.iter().rev().find(|&&(to, ..)| to == at).map(|&(_, written, value)| (written, value));
        let found = stray.or_else(|| self.beside.get(&(at.object, at.offset)).copied());
        found.filter(|&(written, _)| written == ty).map(|(_, value)| value)
    }
}

impl Process {
    /// The object that `argv` points to.
    pub(crate) fn argument_list(&self) -> Option<ObjectId> {
        self.arguments.get(1)?.as_pointer().map(|pointer| pointer.object)
    }
}

/// A function to be called at the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtExit {
    pub function: Value,
    /// Of `on_exit`, which passes it behind the status.
    pub argument: Option<Value>,
    pub context: ContextId,
    pub call: BlockId,
}

#[derive(Clone, Copy, Debug)]
pub struct SignalHandler {
    /// A function, or one of the constants `SIG_DFL` (0) and `SIG_IGN` (1).
    pub action: Value,
    /// It is back to the default action before it is called.
    pub once: bool,
    /// It is told what sent the signal (`SA_SIGINFO`).
    pub informed: bool,
}

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitManner {
    /// `exit`, or `main` returned.
    Exit,
    QuickExit,
    /// `_exit`, a signal: nothing more is called.
    AtOnce,
}

#[derive(Clone, Debug)]
pub(crate) struct ProcessEnding {
    pub(crate) manner: ExitManner,
    pub(crate) status: Value,
    /// Destructors that were called.
    pub(crate) destructed: usize,
}

impl Process {
    /// Fixes how the process ends, unless that is fixed already.
    pub fn end(&mut self, manner: ExitManner, status: Value) {
        let ending = self.ending.get_or_insert(ProcessEnding { manner, status, destructed: 0 });
        if manner == ExitManner::AtOnce {
            *ending = ProcessEnding { manner, status, destructed: 0 };
        }
    }

    /// What the next function to call is, of those registered.
    pub(crate) fn next_registered(&mut self) -> Option<AtExit> {
        match self.ending.as_ref()?.manner {
            ExitManner::Exit => self.at_exit.pop(),
            ExitManner::QuickExit => self.at_quick_exit.pop(),
            ExitManner::AtOnce => None,
        }
    }

    pub(crate) fn next_destructor(&mut self, destructors: &[FuncId]) -> Option<FuncId> {
        let ending = self.ending.as_mut().filter(|ending| ending.manner == ExitManner::Exit)?;
        ending.destructed += 1;
        destructors.get(ending.destructed - 1).copied()
    }
}
