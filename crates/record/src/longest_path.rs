//! The longest path of the graph of what tasks computed and sent (Drozdowski 2001, section 2).
//!
//! Arcs are stretches of computation, of their own length, and messages from where they are sent to where they have been
//! received, as long as the idle network takes for so many bytes. Nothing else delays anything: a sender goes on at once, and
//! messages do not share a medium. This module must not know where the times of messages come from.

use chronos_activity::TaskId;
use chronos_activity::schedule::{ANY, Action, Schedule};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use std::collections::VecDeque;

/// Time of a message from a task to another one, by its bytes.
pub type MessageTime<'a> = dyn Fn(TaskId, TaskId, u64) -> Picoseconds + 'a;

/// The length of the longest path; `None` where a receive has no message of its own, or what waits for it goes in a ring.
pub fn longest_path(schedule: &Schedule, time: &MessageTime<'_>) -> Option<Picoseconds> {
    let mut graph = Graph::of(schedule);
    graph.add_messages(schedule, time)?;
    graph.longest()
}

/// An arc to an operation.
struct Arc {
    to: usize,
    length: Picoseconds,
    /// From the begin of the operation, not from its end.
    from_begin: bool,
}

struct Graph {
    /// Where the operations of each task begin.
    first: Vec<usize>,
    durations: Vec<Picoseconds>,
    arcs: Vec<Vec<Arc>>,
    /// Arcs to each operation.
    open: Vec<u32>,
}

impl Graph {
    fn of(schedule: &Schedule) -> Self {
        let mut graph = Self { first: Vec::new(), durations: Vec::new(), arcs: Vec::new(), open: Vec::new() };
        for task in (0..schedule.len() as u32).map(TaskId) {
            let first = graph.durations.len();
            graph.first.push(first);
            for index in 0..schedule.length(task) {
                let duration = match schedule.operation(task, index).action {
                    Action::Compute { ns } => Picoseconds(ns.saturating_mul(1000)),
                    Action::Send { .. } | Action::Recv { .. } => Picoseconds::ZERO,
                };
                graph.durations.push(duration);
                graph.arcs.push(Vec::new());
                graph.open.push(0);
            }
            let own = schedule.task(task);
            for index in (0..schedule.length(task)).filter(|&index| own.is_linked(index)) {
                graph.arc(first + index as usize - 1, first + index as usize, Picoseconds::ZERO, false);
            }
            for edge in own.edges() {
                graph.arc(first + edge.before as usize, first + edge.after as usize, Picoseconds::ZERO, edge.begin);
            }
        }
        graph
    }

    fn arc(&mut self, from: usize, to: usize, length: Picoseconds, from_begin: bool) {
        self.arcs[from].push(Arc { to, length, from_begin });
        self.open[to] += 1;
    }

    /// Messages are received in the order in which they were sent, by sender, receiver and tag.
    fn add_messages(&mut self, schedule: &Schedule, time: &MessageTime<'_>) -> Option<()> {
        let mut sent: FxHashMap<(u32, u32, u32), VecDeque<(usize, u64)>> = FxHashMap::default();
        let all = |task: TaskId| (0..schedule.length(task)).map(move |index| (task, index));
        let tasks = || (0..schedule.len() as u32).map(TaskId).flat_map(all);
        for (task, index) in tasks() {
            if let Action::Send { to, tag, bytes } = schedule.operation(task, index).action {
                let place = self.first[task.0 as usize] + index as usize;
                sent.entry((task.0, to, tag)).or_default().push_back((place, bytes));
            }
        }
        for (task, index) in tasks() {
            if let Action::Recv { from, tag, .. } = schedule.operation(task, index).action {
                if from == ANY || tag == ANY {
                    return None;
                }
                let (place, bytes) = sent.get_mut(&(from, task.0, tag))?.pop_front()?;
                let to = self.first[task.0 as usize] + index as usize;
                self.arc(place, to, time(TaskId(from), task, bytes), false);
            }
        }
        Some(())
    }

    /// By the order of the graph: each operation after all that it waits for.
    fn longest(mut self) -> Option<Picoseconds> {
        let mut begin = vec![Picoseconds::ZERO; self.durations.len()];
        let mut ready: Vec<usize> = (0..self.open.len()).filter(|&place| self.open[place] == 0).collect();
        let (mut done, mut longest) = (0, Picoseconds::ZERO);
        while let Some(place) = ready.pop() {
            done += 1;
            let end = begin[place] + self.durations[place];
            longest = longest.max(end);
            for arc in std::mem::take(&mut self.arcs[place]) {
                let from = if arc.from_begin { begin[place] } else { end };
                begin[arc.to] = begin[arc.to].max(from + arc.length);
                self.open[arc.to] -= 1;
                if self.open[arc.to] == 0 {
                    ready.push(arc.to);
                }
            }
        }
        (done == self.durations.len()).then_some(longest)
    }
}
