//! Which operations of a task may begin, as others begin and end.
//!
//! Of most schedules only a short stretch of each task can matter at a time: what comes behind a wait for all cannot begin before
//! it. So a task is looked at section by section, and what is kept grows with the operations that may be under way, not with
//! the length of the task. This module must not know what the operations do.

use super::TaskId;
use super::edges::{Edge, Edges};
use super::schedule::{Schedule, TaskSchedule};
use std::collections::VecDeque;

/// Where sections of the tasks of a schedule begin: each operation from there on waits, perhaps through others, for the end
/// of the one before it, and the first one for nothing else. So an operation that waits for several is in the section of the
/// last of them.
#[derive(Debug, Default)]
pub struct Sections {
    /// One bit for each operation of all tasks.
    bits: Vec<u64>,
}

impl Sections {
    /// Those of the tasks for which it is asked.
    pub fn of(schedule: &Schedule, asked: impl Fn(TaskSchedule<'_>) -> bool) -> Self {
        let mut sections = Self { bits: vec![0; schedule.room().div_ceil(64)] };
        let mut awaited = Vec::new();
        for (rank, task) in (0..).zip(schedule.tasks()) {
            if asked(task) && task.edges().all(|edge| edge.before <= edge.after) {
                all_awaited(task, &mut awaited);
                sections.mark(schedule.begin(TaskId(rank)), &awaited);
            }
        }
        sections
    }

    fn mark(&mut self, begin: usize, awaited: &[Awaited]) {
        let mut least = u32::MAX;
        for (position, awaited) in awaited.iter().enumerate().rev() {
            least = least.min(awaited.behind);
            if least as usize >= position && awaited.number < 2 {
                let bit = begin + position;
                self.bits[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// The first section of a task that begins behind a position, or the end of the task.
    fn next(&self, begin: usize, position: u32, length: u32) -> u32 {
        let mut bit = begin + position as usize + 1;
        let end = begin + length as usize;
        while bit < end {
            let word = self.bits[bit / 64] >> (bit % 64);
            if word != 0 {
                bit += word.trailing_zeros() as usize;
                break;
            }
            bit += 64 - bit % 64;
        }
        (bit.min(end) - begin) as u32
    }
}

/// For what an operation waits.
#[derive(Clone, Copy, Debug, Default)]
struct Awaited {
    /// The position behind the last one for whose end it waits; 0: there is none.
    behind: u32,
    number: u32,
}

fn all_awaited(task: TaskSchedule<'_>, all: &mut Vec<Awaited>) {
    all.clear();
    let alone = |operation: u32| match task.is_linked(operation) {
        true => Awaited { behind: operation, number: 1 },
        false => Awaited::default(),
    };
    all.extend((0..task.len() as u32).map(alone));
    for Edge { after, before, begin } in task.edges() {
        let awaited = &mut all[after as usize];
        awaited.number += 1;
        awaited.behind = awaited.behind.max(if begin { 0 } else { before + 1 });
    }
}

/// How far a task is.
#[derive(Debug)]
pub struct Frontier {
    /// Operations below have ended.
    base: u32,
    /// From there on, those that were looked at.
    operations: VecDeque<Entry>,
    /// Who waits for those.
    waits: Vec<Wait>,
    /// First of `waits` that can be used again.
    spare: u32,
    /// Where dependences go on.
    place: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// For how many it waits; with `BEGUN` and `ENDED`.
    state: u32,
    /// Who waits for it, the last one in front; 0: nobody.
    waits: u32,
}

const BEGUN: u32 = 1 << 31;
const ENDED: u32 = 1 << 30;
const PENDING: u32 = ENDED - 1;

#[derive(Clone, Copy, Debug)]
struct Wait {
    after: u32,
    /// Twice the number of the next one, from 1, and whether it waits for the begin alone.
    next: u32,
}

/// A task of a schedule, with its sections.
#[derive(Clone, Copy, Debug)]
pub struct Place<'s> {
    pub schedule: &'s Schedule,
    pub sections: &'s Sections,
    pub task: TaskId,
}

impl Place<'_> {
    fn next_section(self, position: u32) -> u32 {
        self.sections.next(self.schedule.begin(self.task), position, self.schedule.length(self.task))
    }
}

impl Frontier {
    /// Tells of each operation that may begin at once.
    pub fn new(place: Place<'_>, free: impl FnMut(u32)) -> Self {
        let mut frontier = Self { base: 0, operations: VecDeque::new(), waits: Vec::new(), spare: 0, place: None };
        frontier.enter(place, free);
        frontier
    }

    /// The first operation that has not ended, or the length of the task.
    pub fn base(&self) -> u32 {
        self.base
    }

    fn entered(&self) -> u32 {
        self.base + self.operations.len() as u32
    }

    /// Tells of each operation that nothing holds up any more, now that this one has begun.
    pub fn began(&mut self, operation: u32, free: impl FnMut(u32)) {
        self.entry(operation).state |= BEGUN;
        self.release(operation, true, free);
    }

    /// The same, now that it has ended.
    pub fn ended(&mut self, place: Place<'_>, operation: u32, mut free: impl FnMut(u32)) {
        self.entry(operation).state |= ENDED;
        self.release(operation, false, &mut free);
        self.forget_waits(operation);
        let is_gate = self.is_gate(operation);
        while self.operations.front().is_some_and(|entry| entry.state & ENDED != 0) {
            self.operations.pop_front();
            self.base += 1;
        }
        if is_gate {
            self.enter(place, free);
        }
    }

    /// Nothing behind those that were looked at can begin before this one has ended.
    pub fn is_gate(&self, operation: u32) -> bool {
        operation + 1 == self.entered()
    }

    /// For how many each of those that wait for the end of an operation waits in all.
    pub fn waiting(&self, operation: u32) -> impl Iterator<Item = u32> {
        let waits = self.waits_of(operation).filter(|wait| wait.next & 1 == 0);
        waits.map(|wait| self.operations[(wait.after - self.base) as usize].state & PENDING)
    }

    fn entry(&mut self, operation: u32) -> &mut Entry {
        &mut self.operations[(operation - self.base) as usize]
    }

    fn waits_of(&self, operation: u32) -> impl Iterator<Item = Wait> {
        let mut next = self.operations[(operation - self.base) as usize].waits;
        std::iter::from_fn(move || {
            let wait = *self.waits.get((next as usize).checked_sub(1)?)?;
            next = wait.next >> 1;
            Some(wait)
        })
    }

    #[inline]
    fn release(&mut self, operation: u32, begin: bool, mut free: impl FnMut(u32)) {
        let mut next = self.operations[(operation - self.base) as usize].waits;
        while next != 0 {
            let wait = self.waits[next as usize - 1];
            next = wait.next >> 1;
            if (wait.next & 1 != 0) == begin {
                let entry = self.entry(wait.after);
                entry.state -= 1;
                if entry.state & PENDING == 0 {
                    free(wait.after);
                }
            }
        }
    }

    /// Gives the room of those that waited for an operation to others.
    fn forget_waits(&mut self, operation: u32) {
        let mut next = std::mem::take(&mut self.entry(operation).waits);
        while next != 0 {
            let wait = &mut self.waits[next as usize - 1];
            let behind = wait.next >> 1;
            wait.next = self.spare << 1;
            self.spare = next;
            next = behind;
        }
    }

    /// Looks at the next section.
    fn enter(&mut self, place: Place<'_>, mut free: impl FnMut(u32)) {
        let (begin, task) = (self.entered(), place.schedule.task(place.task));
        if begin as usize >= task.len() {
            return;
        }
        let end = place.next_section(begin);
        self.operations.resize((end - self.base) as usize, Entry::default());
        for after in (begin.max(1)..end).filter(|&operation| task.is_linked(operation)) {
            self.depend(Edge { after, before: after - 1, begin: false });
        }
        let mut edges = self.place.map_or_else(|| task.edges(), |place| Edges::resume(task.edges, place));
        while let Some(edge) = edges.below(end) {
            self.depend(edge);
        }
        self.place = Some(edges.pause());
        (begin..end).filter(|&operation| self.entry(operation).state & PENDING == 0).for_each(&mut free);
    }

    fn depend(&mut self, Edge { after, before, begin }: Edge) {
        if before < self.base {
            return;
        }
        let entry = *self.entry(before);
        if entry.state & ENDED != 0 || begin && entry.state & BEGUN != 0 {
            return;
        }
        let wait = Wait { after, next: entry.waits << 1 | u32::from(begin) };
        self.entry(before).waits = self.keep(wait);
        self.entry(after).state += 1;
    }

    /// The number of a wait, from 1.
    fn keep(&mut self, wait: Wait) -> u32 {
        match self.spare {
            0 => {
                self.waits.push(wait);
                self.waits.len() as u32
            }
            number => {
                self.spare = self.waits[number as usize - 1].next >> 1;
                self.waits[number as usize - 1] = wait;
                number
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::schedule::{Action, ScheduledOperation};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn schedule_of(length: u32, edges: &[(u32, u32, bool)]) -> Schedule {
        let mut schedule = Schedule::new(2);
        for task in [TaskId(0), TaskId(1)] {
            for _ in 0..length {
                schedule.push(task, ScheduledOperation { action: Action::Compute { ns: 1 }, cpu: 0, linked: false });
            }
            edges.iter().for_each(|&(after, before, begin)| schedule.depend(task, Edge { after, before, begin }));
            schedule.seal(task);
        }
        schedule
    }

    fn sections_of(schedule: &Schedule) -> (Sections, Vec<u32>) {
        let sections = Sections::of(schedule, |_| true);
        let length = schedule.length(TaskId(1));
        let place = Place { schedule, sections: &sections, task: TaskId(1) };
        let begins =
            std::iter::successors(Some(0), |&last| Some(place.next_section(last)).filter(|&next| next < length));
        let begins = begins.collect();
        (sections, begins)
    }

    #[test]
    fn a_wait_for_all_ends_a_section() {
        // 1, 2 and 3 wait for 0, 4 for all of them; 5 and 6 for 4, 7 for 6 alone.
        let joined = [(1, 0), (2, 0), (3, 0), (4, 1), (4, 2), (4, 3), (5, 4), (6, 4), (7, 6)];
        let joined = joined.map(|(after, before)| (after, before, false));
        assert_eq!(sections_of(&schedule_of(8, &joined)).1, [0, 1, 5, 7]);
        let with_root = &joined[..8];
        assert_eq!(sections_of(&schedule_of(8, with_root)).1, [0], "the last one may begin at once");
        assert_eq!(sections_of(&schedule_of(3, &[(1, 0, true), (2, 1, false)])).1, [0, 2], "begins make none");
        assert_eq!(
            sections_of(&schedule_of(3, &[(1, 0, false), (0, 2, false)])).1,
            [0],
            "nor do tasks with edges forward"
        );
    }

    /// What may begin, as the definition says.
    fn may_begin(operation: u32, edges: &[(u32, u32, bool)], begun: &BTreeSet<u32>, ended: &BTreeSet<u32>) -> bool {
        let holds = |&&(after, before, begin): &&(u32, u32, bool)| {
            after == operation && !(if begin { begun } else { ended }).contains(&before)
        };
        !begun.contains(&operation) && !edges.iter().any(|edge| holds(&edge))
    }

    proptest! {
        #[test]
        fn what_may_begin_is_told_once_and_at_once(
            length in 1u32..20,
            raw in prop::collection::vec((0u32..20, 0u32..20, prop::bool::weighted(0.2)), 0..30),
            forward in prop::bool::weighted(0.2),
            choices in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 60),
        ) {
            let inside = raw.into_iter().map(|(after, before, begin)| (after % length, before % length, begin));
            let edges: Vec<_> = inside.filter(|(after, before, _)| before < after || forward && before != after).collect();
            let schedule = schedule_of(length, &edges);
            let (sections, _) = sections_of(&schedule);
            let place = Place { schedule: &schedule, sections: &sections, task: TaskId(1) };
            let (mut begun, mut ended, mut told) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            let mut news = Vec::new();
            let mut frontier = Frontier::new(place, |operation| news.push(operation));
            for (ends, choice) in choices {
                for operation in news.drain(..) {
                    prop_assert!(told.insert(operation), "told twice");
                }
                let due: BTreeSet<u32> = (0..length).filter(|&o| may_begin(o, &edges, &begun, &ended)).collect();
                prop_assert_eq!(told.difference(&begun).copied().collect::<BTreeSet<u32>>(), due.clone());
                let open: Vec<u32> = begun.difference(&ended).copied().collect();
                if !due.is_empty() && (!ends || open.is_empty()) {
                    let operation = *choice.get(&due.into_iter().collect::<Vec<_>>());
                    begun.insert(operation);
                    frontier.began(operation, |operation| news.push(operation));
                } else if !open.is_empty() {
                    let operation = *choice.get(&open);
                    ended.insert(operation);
                    frontier.ended(place, operation, |operation| news.push(operation));
                }
            }
            let first = (0..length).find(|operation| !ended.contains(operation)).unwrap_or(length);
            prop_assert_eq!(frontier.base(), first);
        }
    }
}
