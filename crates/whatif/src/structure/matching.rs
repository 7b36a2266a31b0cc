//! Which receive gets which message, where receives name their sender.
//!
//! Messages of one sender on one communicator and tag do not overtake one another (MPI 4.1, section 3.5), so the first
//! message that fits a receive is its own.

use chronos_activity::{CommId, Event, Operation, RequestId, Step, TaskId};
use chronos_base::hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// A send from one task to another, or a receive there.
#[derive(Clone, Debug)]
pub struct End {
    /// Position among the steps of its task.
    pub step: usize,
    comm: CommId,
    /// `None` for a receive of any tag.
    tag: Option<i32>,
    /// Where it does not block.
    pub request: Option<RequestId>,
}

/// Sends among steps by receiver, in order.
pub fn sends(steps: &[Step]) -> FxHashMap<TaskId, Vec<End>> {
    ends(steps, |operation| match *operation {
        Operation::Send { to, tag, comm, request, .. } => Some((to, comm, Some(tag), request)),
        _ => None,
    })
}

/// Receives among steps by sender, in order; those of any source are left out.
pub fn receives(steps: &[Step]) -> FxHashMap<TaskId, Vec<End>> {
    ends(steps, |operation| match *operation {
        Operation::Recv { from: Some(from), tag, comm, request, .. } => Some((from, comm, tag, request)),
        _ => None,
    })
}

/// Partner, communicator, tag and request.
type Found = (TaskId, CommId, Option<i32>, Option<RequestId>);

fn ends(steps: &[Step], end: impl Fn(&Operation) -> Option<Found>) -> FxHashMap<TaskId, Vec<End>> {
    let mut all: FxHashMap<TaskId, Vec<End>> = FxHashMap::default();
    for (step, event) in events(steps) {
        if let Some((partner, comm, tag, request)) = end(&event.operation) {
            all.entry(partner).or_default().push(End { step, comm, tag, request });
        }
    }
    all
}

fn events(steps: &[Step]) -> impl Iterator<Item = (usize, &Arc<Event>)> {
    steps.iter().enumerate().filter_map(|(at, step)| match step {
        Step::Event(event) => Some((at, event)),
        _ => None,
    })
}

/// A receive of any source among the steps, by its position.
pub fn any_source(steps: &[Step]) -> Option<&Event> {
    let of_any = |event: &&Arc<Event>| matches!(event.operation, Operation::Recv { from: None, .. });
    events(steps).map(|(_, event)| event).find(of_any).map(|event| &**event)
}

/// The receive of each send, by the position of the send among the steps; messages that are never received are left out.
pub fn matched<'r>(sends: &[End], receives: &'r [End]) -> FxHashMap<usize, &'r End> {
    let mut of_send = FxHashMap::default();
    let mut open: VecDeque<&End> = sends.iter().collect();
    for receive in receives {
        let fits = |send: &&End| send.comm == receive.comm && (receive.tag.is_none() || receive.tag == send.tag);
        let first = open.iter().position(fits);
        if let Some(send) = first.and_then(|at| open.remove(at)) {
            of_send.insert(send.step, receive);
        }
    }
    of_send
}
