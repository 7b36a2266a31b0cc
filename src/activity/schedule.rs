//! Schedules: what tasks do as operations that depend on one another, instead of one step after the other.
//!
//! Other tools exchange activities in this form. An operation takes 12 bytes; that it begins when the one before it in its
//! task has ended, which is by far the most frequent dependence, is one bit of them. Operations of all tasks are in one piece of
//! memory. This module must not know any file format nor any time but the given durations.

use super::TaskId;

/// Sender of a receive that takes from anyone, and tag of one that takes any.
pub const ANY: u32 = u32::MAX;

/// All tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    tasks: Vec<Stretch>,
    operations: Vec<Packed>,
    /// By task, as far as any has some: dependences besides those on the operation just before.
    edges: Vec<Vec<Edge>>,
    /// What does not fit an operation.
    wide: Vec<Wide>,
}

/// Where the operations of a task are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stretch {
    begin: u64,
    length: u32,
}

/// One task: operations and the dependences among them.
#[derive(Clone, Copy, Debug)]
pub struct TaskSchedule<'s> {
    operations: &'s [Packed],
    /// Besides those on the operation just before.
    pub edges: &'s [Edge],
    wide: &'s [Wide],
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
    /// Bits 0 and 1: kind; then `LINKED`, `WIDE`; the processor; the peer from bit 7 on.
    head: u32,
    tag: u32,
    /// The size; with `WIDE` the position of what did not fit.
    size: u32,
}

/// Peer, processor and size, where one of them is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide {
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
        Self { tasks: vec![Stretch::default(); tasks], ..Self::default() }
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    pub fn task(&self, task: TaskId) -> TaskSchedule<'_> {
        let Stretch { begin, length } = self.tasks[task.0 as usize];
        let operations = &self.operations[begin as usize..][..length as usize];
        TaskSchedule { operations, edges: self.edges.get(task.0 as usize).map_or(&[], Vec::as_slice), wide: &self.wide }
    }

    pub fn tasks(&self) -> impl Iterator<Item = TaskSchedule<'_>> {
        (0..self.tasks.len() as u32).map(|task| self.task(TaskId(task)))
    }

    /// Operations of a task so far.
    pub fn length(&self, task: TaskId) -> u32 {
        self.tasks[task.0 as usize].length
    }

    /// Appends an operation; its position in the task. Best one task after the other.
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

    /// Takes back all that a task does.
    pub fn clear(&mut self, task: TaskId) {
        let Stretch { begin, length } = std::mem::take(&mut self.tasks[task.0 as usize]);
        if begin + u64::from(length) == self.operations.len() as u64 {
            self.operations.truncate(begin as usize);
        }
        self.edges.get_mut(task.0 as usize).into_iter().for_each(Vec::clear);
    }

    /// Lets an operation wait for another one of its task.
    pub fn depend(&mut self, task: TaskId, edge: Edge) {
        let Stretch { begin, length } = self.tasks[task.0 as usize];
        if edge.after < length && !edge.begin && edge.before.checked_add(1) == Some(edge.after) {
            self.operations[begin as usize + edge.after as usize].head |= LINKED;
            return;
        }
        if self.edges.len() <= task.0 as usize {
            self.edges.resize(self.tasks.len(), Vec::new());
        }
        self.edges[task.0 as usize].push(edge);
    }

    pub fn operation(&self, task: TaskId, index: u32) -> ScheduledOperation {
        let Stretch { begin, .. } = self.tasks[task.0 as usize];
        self.operations[begin as usize + index as usize].unpack(&self.wide)
    }

    /// As `touch` of a feed, where this operation is next.
    pub fn touch(&self, task: TaskId, index: u32) -> u64 {
        let Stretch { begin, .. } = self.tasks[task.0 as usize];
        self.operations.get(begin as usize + index as usize).map_or(0, |operation| u64::from(operation.tag))
    }

    /// Gives an operation another action.
    pub fn replace(&mut self, task: TaskId, index: u32, action: Action) {
        let operation = self.operation(task, index);
        let packed = self.pack(ScheduledOperation { action, ..operation });
        let Stretch { begin, .. } = self.tasks[task.0 as usize];
        self.operations[begin as usize + index as usize] = packed;
    }

    /// Operations of all tasks.
    pub fn operations(&self) -> u64 {
        self.tasks.iter().map(|task| u64::from(task.length)).sum()
    }

    fn pack(&mut self, operation: ScheduledOperation) -> Packed {
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
            Ok(size) if fits => Packed { head: head | cpu << CPU | short << PEER, tag, size },
            _ => {
                self.wide.push(Wide { size, peer, cpu: operation.cpu });
                Packed { head: head | WIDE, tag, size: self.wide.len() as u32 - 1 }
            }
        }
    }
}

impl Packed {
    fn is(&self, kind: u32) -> bool {
        self.head & KIND == kind
    }

    fn wide(&self, wide: &[Wide]) -> Wide {
        if self.head & WIDE != 0 {
            return wide[self.size as usize];
        }
        let peer = self.head >> PEER;
        let peer = if peer == ANY_PEER { ANY } else { peer };
        Wide { size: u64::from(self.size), peer, cpu: (self.head >> CPU & (CPUS - 1)) as u16 }
    }

    fn unpack(&self, wide: &[Wide]) -> ScheduledOperation {
        let Wide { size, peer, cpu } = self.wide(wide);
        let tag = self.tag;
        let action = match self.head & KIND {
            0 => Action::Compute { ns: size },
            1 => Action::Send { to: peer, tag, bytes: size },
            _ => Action::Recv { from: peer, tag, bytes: size },
        };
        ScheduledOperation { action, cpu, linked: self.head & LINKED != 0 }
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
    pub fn new(task: TaskSchedule<'_>) -> Self {
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
        if self.is_empty() {
            return;
        }
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

    /// No operation waits for another one.
    pub fn is_empty(&self) -> bool {
        self.after.is_empty()
    }

    /// Operations that nothing holds up.
    pub fn free(&self) -> impl Iterator<Item = u32> {
        self.pending.iter().enumerate().filter(|&(_, &pending)| pending == 0).map(|(index, _)| index as u32)
    }
}

impl<'s> TaskSchedule<'s> {
    pub fn len(self) -> usize {
        self.operations.len()
    }

    pub fn is_empty(self) -> bool {
        self.operations.is_empty()
    }

    /// Operations that begin when the one before them has ended.
    pub fn linked(self) -> impl Iterator<Item = u32> + 's {
        let linked =
            |(index, operation): (usize, &Packed)| (index > 0 && operation.head & LINKED != 0).then_some(index as u32);
        self.operations.iter().enumerate().filter_map(linked)
    }

    /// Each operation waits for the one before it, and they share one processor.
    pub fn is_sequential(self) -> bool {
        let behind = |operation: &Packed| operation.head & LINKED != 0;
        let backward = |edge: &Edge| edge.before < edge.after;
        self.operations.iter().skip(1).all(behind)
            && self.edges.iter().all(backward)
            && self.operations.iter().all(|operation| operation.wide(self.wide).cpu == 0)
    }

    /// Some send has more bytes than this.
    pub fn sends_more_than(self, bytes: u64) -> bool {
        self.operations.iter().any(|operation| operation.is(1) && operation.wide(self.wide).size > bytes)
    }

    /// Some receive takes from anyone, or any tag.
    pub fn has_wildcards(self) -> bool {
        let is_wild = |operation: &Packed| operation.tag == ANY || operation.wide(self.wide).peer == ANY;
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
        assert_eq!(size_of::<Packed>(), 12);
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
        assert!(schedule.operation(TaskId(0), 2).linked && task.edges.is_empty());
        assert!(task.has_wildcards() && !task.is_sequential());
    }

    #[test]
    fn tasks_may_grow_by_turns_and_be_taken_back() {
        let compute = |ns| ScheduledOperation { action: Action::Compute { ns }, cpu: 0, linked: false };
        let mut schedule = Schedule::new(3);
        for ns in 0..12 {
            assert_eq!(schedule.push(TaskId(ns % 3), compute(u64::from(ns))), ns / 3);
        }
        schedule.clear(TaskId(1));
        assert_eq!(schedule.push(TaskId(1), compute(7)), 0);
        let all = |task| (0..schedule.length(task)).map(|index| schedule.operation(task, index)).collect::<Vec<_>>();
        assert_eq!(all(TaskId(0)), [0, 3, 6, 9].map(compute));
        assert_eq!(all(TaskId(1)), [compute(7)]);
        assert_eq!(all(TaskId(2)), [2, 5, 8, 11].map(compute));
        assert_eq!(schedule.operations(), 9);
    }
}
