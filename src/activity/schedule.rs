//! Schedules: what tasks do as operations that depend on one another, instead of one step after the other.
//!
//! Other tools exchange activities in this form. An operation takes 16 bytes; that it begins when the one before it in its
//! task has ended, which is by far the most frequent dependence, is one bit of them. This module must
//! not know any file format nor any time but the given durations.

use super::TaskId;

/// Sender of a receive that takes from anyone, and tag of one that takes any.
pub const ANY: u32 = u32::MAX;

/// All tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    pub tasks: Vec<TaskSchedule>,
    /// Sizes that do not fit an operation.
    large: Vec<u64>,
    /// Room for the operations of a task that is not complete, empty otherwise; without it, what lists leave as they grow
    /// would lie between them.
    spare: Vec<Packed>,
}

/// One task: operations and the dependences among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSchedule {
    operations: Vec<Packed>,
    /// Besides those on the operation just before.
    pub edges: Vec<Edge>,
}

/// `after` waits for `before`, both positions in the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub before: u32,
    pub after: u32,
    /// Until it begins, not until it ends.
    pub begin: bool,
}

/// An operation as one works with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledOperation {
    pub action: Action,
    /// Processor of the task that it occupies.
    pub cpu: u16,
    /// It begins when the operation before it has ended.
    pub linked: bool,
}

/// Sizes in bytes, durations in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Compute {
        ns: u64,
    },
    Send {
        to: u32,
        tag: u32,
        bytes: u64,
    },
    /// `from` and `tag` may be [`ANY`].
    Recv {
        from: u32,
        tag: u32,
        bytes: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    /// Bits 0 and 1: kind; then `linked`, `large`; the processor from bit 16 on.
    head: u32,
    peer: u32,
    tag: u32,
    /// The size, or its position among the large ones.
    size: u32,
}

const KIND: u32 = 3;
const LINKED: u32 = 1 << 2;
const LARGE: u32 = 1 << 3;

impl Schedule {
    /// A schedule of so many tasks that do nothing yet.
    pub fn new(tasks: usize) -> Self {
        Self { tasks: vec![TaskSchedule::default(); tasks], large: Vec::new(), spare: Vec::new() }
    }

    /// Appends an operation; its position in the task.
    pub fn push(&mut self, task: TaskId, operation: ScheduledOperation) -> u32 {
        let packed = self.pack(operation);
        let operations = &mut self.tasks[task.0 as usize].operations;
        if operations.capacity() == 0 {
            *operations = std::mem::take(&mut self.spare);
        }
        operations.push(packed);
        operations.len() as u32 - 1
    }

    /// A task is complete: it keeps no room for more.
    pub fn complete(&mut self, task: TaskId) {
        let task = &mut self.tasks[task.0 as usize];
        task.edges.shrink_to_fit();
        let exact = task.operations.clone();
        let mut room = std::mem::replace(&mut task.operations, exact);
        room.clear();
        self.spare = room;
    }

    /// Lets an operation wait for another one of its task.
    pub fn depend(&mut self, task: TaskId, edge: Edge) {
        let task = &mut self.tasks[task.0 as usize];
        match task.operations.get_mut(edge.after as usize) {
            Some(operation) if !edge.begin && edge.before.checked_add(1) == Some(edge.after) => {
                operation.head |= LINKED
            }
            _ => task.edges.push(edge),
        }
    }

    pub fn operation(&self, task: TaskId, index: u32) -> ScheduledOperation {
        self.unpack(self.tasks[task.0 as usize].operations[index as usize])
    }

    /// Gives an operation another action.
    pub fn replace(&mut self, task: TaskId, index: u32, action: Action) {
        let operation = self.operation(task, index);
        self.tasks[task.0 as usize].operations[index as usize] = self.pack(ScheduledOperation { action, ..operation });
    }

    /// Operations of all tasks.
    pub fn operations(&self) -> u64 {
        self.tasks.iter().map(|task| task.len() as u64).sum()
    }

    fn pack(&mut self, operation: ScheduledOperation) -> Packed {
        let (kind, peer, tag, size) = match operation.action {
            Action::Compute { ns } => (0, 0, 0, ns),
            Action::Send { to, tag, bytes } => (1, to, tag, bytes),
            Action::Recv { from, tag, bytes } => (2, from, tag, bytes),
        };
        let mut head = kind | u32::from(operation.cpu) << 16;
        if operation.linked {
            head |= LINKED;
        }
        let size = u32::try_from(size).unwrap_or_else(|_| {
            head |= LARGE;
            self.large.push(size);
            self.large.len() as u32 - 1
        });
        Packed { head, peer, tag, size }
    }

    fn unpack(&self, packed: Packed) -> ScheduledOperation {
        let Packed { head, peer, tag, size } = packed;
        let size = if head & LARGE == 0 { u64::from(size) } else { self.large[size as usize] };
        let action = match head & KIND {
            0 => Action::Compute { ns: size },
            1 => Action::Send { to: peer, tag, bytes: size },
            _ => Action::Recv { from: peer, tag, bytes: size },
        };
        ScheduledOperation { action, cpu: (head >> 16) as u16, linked: head & LINKED != 0 }
    }
}

/// Which operations of a task wait for which, and for how many they still wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependents {
    /// By operation.
    pub pending: Vec<u32>,
    /// Where the dependents of each operation begin.
    offsets: Vec<u32>,
    /// Dependents, and whether they wait for the begin alone.
    after: Vec<(u32, bool)>,
}

impl Dependents {
    pub fn new(task: &TaskSchedule) -> Self {
        let linked = task.linked().map(|after| Edge { before: after - 1, after, begin: false });
        let mut edges: Vec<Edge> = task.edges.iter().copied().chain(linked).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut graph = Self { pending: vec![0; task.len()], offsets: vec![0; task.len() + 1], after: Vec::new() };
        for edge in &edges {
            graph.pending[edge.after as usize] += 1;
            graph.offsets[edge.before as usize + 1] += 1;
            graph.after.push((edge.after, edge.begin));
        }
        for index in 1..graph.offsets.len() {
            graph.offsets[index] += graph.offsets[index - 1];
        }
        graph
    }

    /// Tells of each operation that nothing holds up any more, now that this one has begun or ended.
    pub fn release(&mut self, operation: u32, begin: bool, mut free: impl FnMut(u32)) {
        let range = self.offsets[operation as usize] as usize..self.offsets[operation as usize + 1] as usize;
        for &(after, of_begin) in &self.after[range] {
            if of_begin == begin {
                self.pending[after as usize] -= 1;
                if self.pending[after as usize] == 0 {
                    free(after);
                }
            }
        }
    }

    /// Operations that nothing holds up.
    pub fn free(&self) -> impl Iterator<Item = u32> {
        self.pending.iter().enumerate().filter(|&(_, &pending)| pending == 0).map(|(index, _)| index as u32)
    }
}

impl TaskSchedule {
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Operations that begin when the one before them has ended.
    pub fn linked(&self) -> impl Iterator<Item = u32> {
        let linked =
            |(index, operation): (usize, &Packed)| (index > 0 && operation.head & LINKED != 0).then_some(index as u32);
        self.operations.iter().enumerate().filter_map(linked)
    }

    /// Each operation waits for the one before it, and they share one processor.
    pub fn is_sequential(&self) -> bool {
        let behind = |operation: &Packed| operation.head & LINKED != 0;
        let backward = |edge: &Edge| edge.before < edge.after;
        self.operations.iter().skip(1).all(behind)
            && self.edges.iter().all(backward)
            && self.operations.iter().all(|operation| operation.head >> 16 == 0)
    }

    /// Some send has more bytes than this.
    pub fn sends_more_than(&self, bytes: u64) -> bool {
        let more = |operation: &Packed| operation.head & LARGE != 0 || u64::from(operation.size) > bytes;
        self.operations.iter().any(|operation| operation.head & KIND == 1 && more(operation))
    }

    /// Some receive takes from anyone, or any tag.
    pub fn has_wildcards(&self) -> bool {
        self.operations
            .iter()
            .any(|operation| operation.head & KIND == 2 && (operation.peer == ANY || operation.tag == ANY))
    }

    /// Some receive takes from this task.
    pub fn receives_from(&self, task: u32) -> bool {
        self.operations.iter().any(|operation| operation.head & KIND == 2 && operation.peer == task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_16_bytes_and_comes_back() {
        assert_eq!(size_of::<Packed>(), 16);
        let mut schedule = Schedule::new(1);
        let operations = [
            ScheduledOperation { action: Action::Compute { ns: 1 << 40 }, cpu: 3, linked: false },
            ScheduledOperation { action: Action::Send { to: 7, tag: 9, bytes: 12 }, cpu: 0, linked: true },
            ScheduledOperation { action: Action::Recv { from: ANY, tag: ANY, bytes: 0 }, cpu: 0, linked: false },
        ];
        for (index, operation) in operations.into_iter().enumerate() {
            assert_eq!(schedule.push(TaskId(0), operation), index as u32);
        }
        for (index, operation) in operations.into_iter().enumerate() {
            assert_eq!(schedule.operation(TaskId(0), index as u32), operation);
        }
        schedule.depend(TaskId(0), Edge { before: 1, after: 2, begin: false });
        assert!(schedule.operation(TaskId(0), 2).linked && schedule.tasks[0].edges.is_empty());
        assert!(schedule.tasks[0].has_wildcards() && !schedule.tasks[0].is_sequential());
    }
}
