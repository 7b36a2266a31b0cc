//! One call in progress: its arguments, decoded and checked, and its results, stored.
//!
//! All rooms of functions decode arguments with this one. It must not know what any function of MPI does.

mod arguments;
mod assumed_sizes;
mod buffers;
mod objects;
mod outputs;
mod results;
mod type_mismatch;

use crate::interface::calls::Action;
use crate::interface::environment::CallEnvironment;
use crate::state::mpi_state::MpiState;
use crate::state::pending::{Current, Pending};
use chronos_activity::{Event, Operation, Site, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_functions::Function;
use chronos_mpi::handles;
use chronos_values::{ReasonId, Value};
use std::sync::Arc;

/// Why a call is not followed.
#[derive(Debug)]
pub(crate) enum Refusal {
    Wrong(Box<Diagnostic>),
    Unknown {
        argument: usize,
        reason: ReasonId,
    },
    /// The call concerns the caller's neighbours alone (`MPI_PROC_NULL` as root): it is done.
    Unconcerned,
}

impl From<Refusal> for Action {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Wrong(diagnostic) => Self::Fail(diagnostic),
            Refusal::Unknown { argument, reason } => Self::Unknown { argument, reason },
            Refusal::Unconcerned => Self::Return(Value::Int(handles::SUCCESS)),
        }
    }
}

pub(crate) type Called = Result<Action, Refusal>;

/// A call of a task, with all that its handler may use.
pub(crate) struct Call<'a> {
    pub mpi: &'a mut MpiState,
    pub env: &'a mut dyn CallEnvironment,
    pub task: TaskId,
    /// Its row in the table of functions.
    pub function: &'static Function,
    pub site: Site,
    pub span: Span,
    /// Why a size that the call was given is unknown; it counts as zero.
    pub vague: Option<ReasonId>,
}

/// A rank argument of a point-to-point call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    Null,
    Any,
    Task(TaskId),
}

/// The call is done and was successful.
pub(crate) const DONE: Called = Ok(Action::Return(Value::Int(handles::SUCCESS)));

impl Call<'_> {
    /// The name of the function, without the prefix of profiling (`PMPI_`).
    pub(crate) fn name(&self) -> &'static str {
        self.function.name
    }

    /// Notes what is to be done when the caller comes back.
    pub(crate) fn pend(&mut self, pending: Pending) {
        let current = Current { function: self.function, site: self.site, span: self.span, pending };
        self.mpi.task(self.task).current = Some(current);
    }

    /// Events, and what is to be done when they are complete.
    pub fn then(&mut self, events: Vec<Operation>, pending: Pending) -> Called {
        self.pend(pending);
        Ok(Action::Events(events.into_iter().map(|operation| self.event(operation)).collect()))
    }

    pub fn event(&self, operation: Operation) -> Arc<Event> {
        Arc::new(Event { operation, site: Some(self.site) })
    }
}
