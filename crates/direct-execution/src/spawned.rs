//! Tasks that other tasks start (`MPI_Comm_spawn`): the last ones, whose processes stand by from the beginning.
//!
//! A task that starts others is told their numbers, in the order in which the replay comes to it. It asks for each by a
//! message, as in static evaluation (crate `mpi-calls`), and each begins when the message has come.

use crate::communicators::Communicators;
use crate::events::Told;
use chronos_activity::{Operation, SendMode, TaskId};
use chronos_base::units::Bytes;
use chronos_mpi_calls::REQUEST;

/// Kind of the answer that tells the number of the first task; see `runtime/chronos_live.h`.
pub const CHILDREN: u32 = 5;

/// What was started so far.
#[derive(Clone, Copy, Debug)]
pub struct Started {
    /// Tasks in all.
    tasks: usize,
    /// The next one that is started.
    next: usize,
    /// Tasks that were asked for beyond those that stand by.
    missing: usize,
}

impl Started {
    /// None, of so many tasks of which the last ones stand by.
    pub fn none(tasks: usize, standing_by: usize) -> Self {
        Self { tasks, next: tasks.saturating_sub(standing_by), missing: 0 }
    }

    /// The number of the first of so many tasks that one starts; `None` where not so many stand by.
    pub fn take(&mut self, count: usize) -> Option<i64> {
        let first = self.next;
        self.next = self.next.saturating_add(count);
        self.missing = self.next.saturating_sub(self.tasks);
        (self.missing == 0).then(|| i64::try_from(first).ok()).flatten()
    }

    /// Tasks were asked for that do not stand by.
    pub fn is_short(&self) -> bool {
        self.missing > 0
    }

    /// How many tasks the program has started, or would have.
    pub fn wanted(&self, begun: usize) -> usize {
        self.next - begun
    }
}

/// What stands in front of the program of a task that is started, and the message that asks for it.
pub fn operation(told: &Told, id: TaskId, communicators: &mut Communicators) -> Option<Operation> {
    match &*told.kind {
        "standby" => {
            let comm = communicators.of_request(id);
            Some(Operation::Recv { from: None, tag: Some(REQUEST), comm, bytes: Bytes(0), request: None })
        }
        "start" => Some(Operation::Start),
        "request" => {
            let to = TaskId(u32::try_from(*told.numbers.first()?).ok()?);
            let (comm, mode) = (communicators.of_request(to), SendMode::Standard);
            Some(Operation::Send { to, tag: REQUEST, comm, bytes: Bytes(0), mode, request: None })
        }
        _ => None,
    }
}

/// Whether the operation stands in front of all that the program does.
pub fn is_before_start(told: &Told) -> bool {
    matches!(&*told.kind, "standby" | "start")
}
