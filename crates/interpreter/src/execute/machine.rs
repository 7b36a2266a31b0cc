//! A task with what it needs to run, and a call of a library function in it.

use crate::code::instructions::CallCode;
use crate::code::program::Code;
use crate::execute::c_types::Allocated;
use crate::state::remembered::memos::Memos;
use crate::state::remembered::native::Native;
use crate::state::remembered::predictor::Predictor;
use crate::state::remembered::refusals::Refusals;
use crate::state::shared::Shared;
use crate::state::task::Task;
use chronos_abstract_execution::Summariser;
use chronos_base::diag::Diagnostic;
use chronos_ir::ScalarType;
use chronos_mpi_calls::MpiCalls;
use chronos_slicing::heuristics::Outcome;
use chronos_values::Value;
use std::cell::OnceCell;

/// Why the loop of operations ends.
pub enum Stop {
    /// Steps are waiting to be handed out.
    Yield,
    Fail(Box<Diagnostic>),
    Exit(Value),
}

pub type Flow<T> = Result<T, Stop>;

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Fail(Box::new(diagnostic))
    }
}

/// One task, with what it needs to run.
pub struct Machine<'a> {
    pub code: &'a Code,
    pub shared: &'a mut Shared,
    pub task: &'a mut Task,
    pub summariser: &'a mut dyn Summariser,
    pub known: &'a mut Known,
    pub calls: &'a mut dyn MpiCalls,
}

/// What was found out about a program so far.
pub(crate) struct Known {
    /// Of library functions, by their numbers in the code.
    pub models: Vec<Option<Model>>,
    /// What allocated memory holds, where somebody has asked.
    pub allocated: OnceCell<Allocated>,
    pub(crate) refusals: Refusals,
    /// Calls of pure functions so far.
    pub memos: Memos,
    /// What is known of the value that each `&&`, `||` and `?:` gave last, by block.
    pub outcomes: Vec<Option<Outcome>>,
    pub predictor: Predictor,
    /// Loops that are code of this processor.
    pub(crate) native: Native,
}

impl Known {
    pub(crate) fn new(models: Vec<Option<Model>>, blocks: usize) -> Self {
        Self {
            models,
            allocated: OnceCell::new(),
            refusals: Refusals::default(),
            memos: Memos::default(),
            outcomes: vec![None; blocks],
            predictor: Predictor::new(blocks),
            native: Native::default(),
        }
    }
}

/// A call of a library function.
pub struct LibraryCall<'c, 'm> {
    pub machine: &'c mut Machine<'m>,
    pub args: &'c [Value],
    pub call: &'c CallCode,
    pub dst: Option<(u32, ScalarType)>,
}

/// What a library function does.
pub type Model = for<'c, 'm> fn(&mut LibraryCall<'c, 'm>) -> Flow<Value>;
