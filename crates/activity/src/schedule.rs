//! Schedules: what tasks do as operations that depend on one another, instead of one step after the other.
//!
//! Other tools exchange activities in this form. An operation takes 12 bytes; that it begins when the one before it
//! in its task has ended, which is by far the most frequent dependence, is one bit of them. Operations of all tasks
//! are in one piece of memory; what else they wait for takes about two bytes each (`edges`). This module must not
//! know any file format nor any time but the given durations.

use super::TaskId;
use super::edges::encode;
pub use super::edges::{Edge, Edges};
use chronos_base::prefetch::prefetch_at;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// Sender of a receive that takes from anyone, and tag of one that takes any.
pub const ANY: u32 = u32::MAX;

/// Tasks that one thread looks at at least.
const FEW: usize = 64;

/// All tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    tasks: Vec<TaskRange>,
    operations: Vec<PackedOperation>,
    /// Of all tasks, dependences besides those on the operation just before.
    edges: Vec<u8>,
    /// Those of a task that is not sealed.
    loose: Vec<Edge>,
    /// What does not fit an operation.
    wide: Vec<WideOperation>,
}

/// Where the operations of a task are, and their dependences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TaskRange {
    begin: u64,
    edges: u64,
    length: u32,
    bytes: u32,
}

/// One task: operations and the dependences among them.
#[derive(Clone, Copy, Debug)]
pub struct TaskSchedule<'s> {
    operations: &'s [PackedOperation],
    /// Besides those on the operation just before.
    pub(super) edges: &'s [u8],
    wide: &'s [WideOperation],
}

/// An operation as one works with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledOperation {
    /// What it does.
    pub action: Action,
    /// Processor of the task that it occupies.
    pub cpu: u16,
    /// It begins when the operation before it has ended.
    pub linked: bool,
}

/// Sizes in bytes, durations in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Occupies the processor for so many nanoseconds.
    Compute {
        /// Duration in nanoseconds.
        ns: u64,
    },
    /// Sends a message to a task.
    Send {
        /// Task that the message goes to.
        to: u32,
        /// Tag of the message.
        tag: u32,
        /// Size of the message in bytes.
        bytes: u64,
    },
    /// `from` and `tag` may be [`ANY`].
    Recv {
        /// Task that the message comes from, or [`ANY`].
        from: u32,
        /// Tag of the message, or [`ANY`].
        tag: u32,
        /// Size of the message in bytes.
        bytes: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PackedOperation {
    /// Bits 0 and 1: kind; then `LINKED`, `WIDE`; the processor; the peer from bit 7 on.
    head: u32,
    tag: u32,
    /// The size; with `WIDE` the position of what did not fit.
    size: u32,
}

/// Peer, processor and size, where one of them is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WideOperation {
    size: u64,
    peer: u32,
    cpu: u16,
}

const KIND: u32 = 3;
const LINKED: u32 = 1 << 2;
const WIDE: u32 = 1 << 3;
const CPU: u32 = 4;
const CPUS: u32 = 1 << 3;
const PEER: u32 = 7;
/// Any, in the room of a peer.
const ANY_PEER: u32 = ANY >> PEER;

impl Schedule {
    /// A schedule of so many tasks that do nothing yet.
    pub fn new(tasks: usize) -> Self {
        Self { tasks: vec![TaskRange::default(); tasks], ..Self::default() }
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The operations of one task; its dependences have to be sealed.
    #[inline]
    pub fn task(&self, task: TaskId) -> TaskSchedule<'_> {
        debug_assert!(self.loose.is_empty(), "the dependences of a task that is read are sealed");
        let TaskRange { begin, length, edges, bytes } = self.tasks[task.0 as usize];
        let operations = &self.operations[begin as usize..][..length as usize];
        TaskSchedule { operations, edges: &self.edges[edges as usize..][..bytes as usize], wide: &self.wide }
    }

    /// All tasks in the order of their ranks.
    pub fn tasks(&self) -> impl Iterator<Item = TaskSchedule<'_>> {
        (0..self.tasks.len() as u32).map(|task| self.task(TaskId(task)))
    }

    /// The same on several threads.
    pub fn par_tasks(&self) -> impl IndexedParallelIterator<Item = TaskSchedule<'_>> {
        (0..self.tasks.len()).into_par_iter().with_min_len(FEW).map(|task| self.task(TaskId(task as u32)))
    }

    /// Operations of a task so far.
    #[inline]
    pub fn length(&self, task: TaskId) -> u32 {
        self.tasks[task.0 as usize].length
    }

    /// Appends an operation; its position in the task. Best one task after the other.
    #[inline]
    pub fn push(&mut self, task: TaskId, operation: ScheduledOperation) -> u32 {
        let packed = self.pack(operation);
        let stretch = &mut self.tasks[task.0 as usize];
        let end = self.operations.len() as u64;
        if stretch.begin + u64::from(stretch.length) != end {
            let moved = stretch.begin as usize..(stretch.begin + u64::from(stretch.length)) as usize;
            self.operations.extend_from_within(moved);
            stretch.begin = end;
        }
        self.operations.push(packed);
        stretch.length += 1;
        stretch.length - 1
    }

    /// One more task, which does nothing yet.
    pub(super) fn add(&mut self) {
        self.tasks.push(TaskRange::default());
    }

    /// Takes back the last task, behind which nothing was appended to any other.
    pub(super) fn take_back(&mut self) {
        let TaskRange { begin, length, edges, bytes } = self.tasks.pop().unwrap_or_default();
        if bytes > 0 {
            self.edges.truncate(edges as usize);
        }
        self.loose.clear();
        if length > 0 {
            let first = self.operations[begin as usize..].iter().find(|operation| operation.is_wide());
            self.wide.truncate(first.map_or(self.wide.len(), |operation| operation.size as usize));
            self.operations.truncate(begin as usize);
        }
    }

    /// No tasks, in the same room.
    pub(super) fn clear(&mut self) {
        self.tasks.clear();
        self.operations.clear();
        self.edges.clear();
        self.loose.clear();
        self.wide.clear();
    }

    /// Lets these tasks, which do nothing yet, do what those of another schedule do.
    pub(super) fn append(&mut self, tasks: &[TaskId], other: &mut Self) {
        let (operations, edges, wide) = (self.operations.len(), self.edges.len(), self.wide.len() as u32);
        for (task, stretch) in tasks.iter().zip(&other.tasks) {
            self.tasks[task.0 as usize] = stretch.moved(operations as u64, edges as u64);
        }
        if !other.wide.is_empty() {
            let wides = other.operations.iter_mut().filter(|operation| operation.is_wide());
            wides.for_each(|operation| operation.size += wide);
        }
        append(&mut self.operations, &mut other.operations);
        append(&mut self.edges, &mut other.edges);
        append(&mut self.wide, &mut other.wide);
    }

    /// Lets an operation wait for another one of its task, which is to be sealed before another task has such an edge.
    #[inline]
    pub fn depend(&mut self, task: TaskId, edge: Edge) {
        let TaskRange { begin, length, .. } = self.tasks[task.0 as usize];
        if edge.after < length && !edge.begin && edge.before.checked_add(1) == Some(edge.after) {
            self.operations[begin as usize + edge.after as usize].head |= LINKED;
            return;
        }
        self.loose.push(edge);
    }

    /// The task is complete: its dependences are put where they take little room.
    pub fn seal(&mut self, task: TaskId) {
        if self.loose.is_empty() {
            return;
        }
        let TaskRange { edges, bytes, .. } = self.tasks[task.0 as usize];
        self.loose.extend(Edges::new(&self.edges[edges as usize..][..bytes as usize]));
        self.loose.sort_unstable();
        self.loose.dedup();
        let begin = self.edges.len();
        encode(&self.loose, &mut self.edges);
        self.loose.clear();
        let stretch = &mut self.tasks[task.0 as usize];
        (stretch.edges, stretch.bytes) = (begin as u64, (self.edges.len() - begin) as u32);
    }

    /// Where the operations of a task begin among those of all tasks.
    #[inline]
    pub fn begin(&self, task: TaskId) -> usize {
        self.tasks[task.0 as usize].begin as usize
    }

    /// Positions of operations of all tasks.
    pub(super) fn room(&self) -> usize {
        self.operations.len()
    }

    /// The operation at a position of a task.
    #[inline]
    pub fn operation(&self, task: TaskId, index: u32) -> ScheduledOperation {
        self.at(self.begin(task) + index as usize)
    }

    /// The operation at a place among those of all tasks.
    #[inline]
    pub fn at(&self, place: usize) -> ScheduledOperation {
        self.operations[place].unpack(&self.wide)
    }

    /// Prefetches where the operations of a task are.
    #[inline]
    pub fn prefetch_task(&self, task: TaskId) {
        prefetch_at(&self.tasks, task.0 as usize);
    }

    /// Prefetches the operation at a place.
    #[inline]
    pub fn prefetch(&self, place: usize) {
        prefetch_at(&self.operations, place);
    }

    /// Gives an operation another action.
    pub fn replace(&mut self, task: TaskId, index: u32, action: Action) {
        let operation = self.operation(task, index);
        let packed = self.pack(ScheduledOperation { action, ..operation });
        let begin = self.begin(task);
        self.operations[begin + index as usize] = packed;
    }

    /// Operations of all tasks.
    pub fn operations(&self) -> u64 {
        self.tasks.iter().map(|task| u64::from(task.length)).sum()
    }

    fn pack(&mut self, operation: ScheduledOperation) -> PackedOperation {
        let (kind, peer, tag, size) = match operation.action {
            Action::Compute { ns } => (0, 0, 0, ns),
            Action::Send { to, tag, bytes } => (1, to, tag, bytes),
            Action::Recv { from, tag, bytes } => (2, from, tag, bytes),
        };
        let head = if operation.linked { kind | LINKED } else { kind };
        let cpu = u32::from(operation.cpu);
        let short = if peer == ANY { ANY_PEER } else { peer };
        let fits = cpu < CPUS && (peer == ANY || peer < ANY_PEER);
        match u32::try_from(size) {
            Ok(size) if fits => PackedOperation { head: head | cpu << CPU | short << PEER, tag, size },
            _ => {
                self.wide.push(WideOperation { size, peer, cpu: operation.cpu });
                PackedOperation { head: head | WIDE, tag, size: self.wide.len() as u32 - 1 }
            }
        }
    }
}

/// Appends; the first, which may be all, is not copied.
fn append<T>(all: &mut Vec<T>, more: &mut Vec<T>) {
    if all.is_empty() { std::mem::swap(all, more) } else { all.append(more) }
}

impl TaskRange {
    /// The same behind so many operations and bytes of edges; those who have none of them are nowhere.
    fn moved(self, operations: u64, edges: u64) -> Self {
        let begin = if self.length > 0 { self.begin + operations } else { self.begin };
        let edges = if self.bytes > 0 { self.edges + edges } else { self.edges };
        Self { begin, edges, ..self }
    }
}

impl PackedOperation {
    fn is_wide(&self) -> bool {
        self.head & WIDE != 0
    }

    fn is(&self, kind: u32) -> bool {
        self.head & KIND == kind
    }

    fn wide(&self, wide: &[WideOperation]) -> WideOperation {
        if self.is_wide() {
            return wide[self.size as usize];
        }
        let peer = self.head >> PEER;
        let peer = if peer == ANY_PEER { ANY } else { peer };
        WideOperation { size: u64::from(self.size), peer, cpu: (self.head >> CPU & (CPUS - 1)) as u16 }
    }

    fn unpack(&self, wide: &[WideOperation]) -> ScheduledOperation {
        let WideOperation { size, peer, cpu } = self.wide(wide);
        let tag = self.tag;
        let action = match self.head & KIND {
            0 => Action::Compute { ns: size },
            1 => Action::Send { to: peer, tag, bytes: size },
            _ => Action::Recv { from: peer, tag, bytes: size },
        };
        ScheduledOperation { action, cpu, linked: self.head & LINKED != 0 }
    }
}

impl<'s> TaskSchedule<'s> {
    /// Number of operations.
    #[inline]
    pub fn len(self) -> usize {
        self.operations.len()
    }

    /// Whether the task does nothing.
    pub fn is_empty(self) -> bool {
        self.operations.is_empty()
    }

    /// Dependences besides those on the operation just before.
    #[inline]
    pub fn edges(self) -> Edges<'s> {
        Edges::new(self.edges)
    }

    /// It begins when the one before it has ended.
    #[inline]
    pub fn is_linked(self, operation: u32) -> bool {
        operation > 0 && self.operations[operation as usize].head & LINKED != 0
    }

    /// Each operation waits for the one before it, and they share one processor.
    pub fn is_sequential(self) -> bool {
        let behind = |operation: &PackedOperation| operation.head & LINKED != 0;
        self.operations.iter().skip(1).all(behind)
            && self.edges().all(|edge| edge.before < edge.after)
            && !self.has_other_processors()
    }

    /// Some operation occupies another processor than the first.
    pub fn has_other_processors(self) -> bool {
        self.operations.iter().any(|operation| operation.wide(self.wide).cpu != 0)
    }

    /// Some send has more bytes than this.
    pub fn sends_more_than(self, bytes: u64) -> bool {
        self.operations.iter().any(|operation| operation.is(1) && operation.wide(self.wide).size > bytes)
    }

    /// Some receive takes from anyone, or any tag.
    pub fn has_wildcards(self) -> bool {
        let is_wild = |operation: &PackedOperation| operation.tag == ANY || operation.wide(self.wide).peer == ANY;
        self.operations.iter().any(|operation| operation.is(2) && is_wild(operation))
    }

    /// Some receive takes from this task.
    pub fn receives_from(self, task: u32) -> bool {
        self.operations.iter().any(|operation| operation.is(2) && operation.wide(self.wide).peer == task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_12_bytes_and_comes_back() {
        assert_eq!(size_of::<PackedOperation>(), 12);
        let mut schedule = Schedule::new(1);
        let send = |to, bytes| Action::Send { to, tag: 9, bytes };
        let operations = [
            ScheduledOperation { action: Action::Compute { ns: 1 << 40 }, cpu: 3, linked: false },
            ScheduledOperation { action: send(7, 12), cpu: 0, linked: true },
            ScheduledOperation { action: Action::Recv { from: ANY, tag: ANY, bytes: 0 }, cpu: 0, linked: false },
            ScheduledOperation { action: send((1 << 24) - 1, u64::from(u32::MAX)), cpu: 7, linked: true },
            ScheduledOperation { action: send(ANY_PEER, 0), cpu: 8, linked: true },
            ScheduledOperation { action: send(ANY - 1, u64::MAX), cpu: u16::MAX, linked: false },
        ];
        for (index, operation) in operations.into_iter().enumerate() {
            assert_eq!(schedule.push(TaskId(0), operation), index as u32);
        }
        for (index, operation) in operations.into_iter().enumerate() {
            assert_eq!(schedule.operation(TaskId(0), index as u32), operation);
        }
        assert_eq!(schedule.wide.len(), 3);
        schedule.depend(TaskId(0), Edge { before: 1, after: 2, begin: false });
        let task = schedule.task(TaskId(0));
        assert!(schedule.operation(TaskId(0), 2).linked && task.edges().next().is_none());
        assert!(task.has_wildcards() && !task.is_sequential());
    }

    #[test]
    fn a_sealed_task_may_get_more_dependences() {
        let mut schedule = Schedule::new(2);
        let edges = [(3, 0), (5, 1), (4, 0), (5, 3), (3, 0)].map(|(after, before)| Edge { after, before, begin: true });
        for some in edges.chunks(2) {
            some.iter().for_each(|&edge| schedule.depend(TaskId(1), edge));
            schedule.seal(TaskId(1));
        }
        let all: Vec<_> = schedule.task(TaskId(1)).edges().map(|edge| (edge.after, edge.before)).collect();
        assert_eq!(all, [(3, 0), (4, 0), (5, 1), (5, 3)]);
        assert_eq!(schedule.task(TaskId(0)).edges().count(), 0);
    }

    #[test]
    fn tasks_may_grow_by_turns() {
        let compute = |ns| ScheduledOperation { action: Action::Compute { ns }, cpu: 0, linked: false };
        let mut schedule = Schedule::new(3);
        for ns in 0..12 {
            assert_eq!(schedule.push(TaskId(ns % 3), compute(u64::from(ns))), ns / 3);
        }
        let all = |task| (0..schedule.length(task)).map(|index| schedule.operation(task, index)).collect::<Vec<_>>();
        assert_eq!(all(TaskId(0)), [0, 3, 6, 9].map(compute));
        assert_eq!(all(TaskId(1)), [1, 4, 7, 10].map(compute));
        assert_eq!(all(TaskId(2)), [2, 5, 8, 11].map(compute));
        assert_eq!(schedule.operations(), 12);
    }
}
