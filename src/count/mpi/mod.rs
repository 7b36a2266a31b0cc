//! MPI calls of the interpreted program: arguments to events, outcomes to memory.

use super::value::{Pointer, ReasonId, Value};
use crate::activity::{CommId, Event, Outcome, Site, TaskId};
use crate::diag::Diagnostic;
use crate::program::ScalarType;
use crate::span::Span;
use std::sync::Arc;

/// What an MPI call may ask of the task that makes it.
pub trait CallEnvironment {
    /// Scalar arguments in order.
    fn argument(&self, index: usize) -> Value;
    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value;
    fn store(&mut self, pointer: Pointer, ty: ScalarType, value: Value);
    /// What the `bytes` at `pointer` hold: values at offsets from `pointer`. `None` where nothing there is known,
    /// or it is too large to carry, or the object is not relevant.
    fn snapshot(&self, pointer: Pointer, bytes: u64) -> Option<Payload>;
    /// Writes a payload; `bytes` from `pointer` on that the payload does not hold become unknown, for `reason`.
    fn deposit(&mut self, pointer: Pointer, bytes: u64, payload: Option<&Payload>, reason: ReasonId);
    fn intern_reason(&mut self, reason: super::value::Reason) -> ReasonId;
    /// A null-terminated string, where it is known.
    fn string(&self, pointer: Pointer) -> Option<String>;
}

/// Known scalars of a buffer, sorted by offset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payload {
    pub items: Vec<(u64, ScalarType, Value)>,
}

/// What a call does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Events to be performed one after the other; with the outcome of the last one, `finish` is asked.
    Events(Vec<Arc<Event>>),
    /// No event: the call is done and returns this.
    Return(Value),
    /// The call is wrong or cannot be followed.
    Fail(Box<Diagnostic>),
}

/// The MPI library, as the interpreter calls it.
pub trait MpiCalls {
    /// A task calls the function `name`.
    fn begin(
        &mut self,
        task: TaskId,
        name: &str,
        site: Site,
        env: &mut dyn CallEnvironment,
        call_span: Span,
    ) -> Action;
    /// The last event of the task's call is complete; `Return` when the call is done.
    fn finish(&mut self, task: TaskId, outcome: Outcome, env: &mut dyn CallEnvironment) -> Action;
    /// World ranks of the members of a communicator.
    fn group(&self, comm: CommId) -> Arc<[TaskId]>;
}
