//! A task of which many operations are looked at at a time: who waits for whom is unpacked.

use super::{TaskView, WindowFrontier};
use crate::edges::{Edge, EdgePosition, Edges};
use std::collections::VecDeque;

/// How far such a task is.
#[derive(Debug)]
pub struct ListFrontier {
    /// Operations below have ended.
    base: u32,
    /// From there on, those that were looked at.
    operations: VecDeque<FrontierEntry>,
    /// Who waits for those.
    waits: Vec<Dependent>,
    /// First of `waits` that can be used again.
    spare: u32,
    /// Where dependences go on.
    place: Option<EdgePosition>,
    /// How many the section behind waits for.
    gates: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct FrontierEntry {
    /// For how many it waits; with `BEGUN`, `ENDED` and `GATE`.
    state: u32,
    /// Who waits for it, the last one in front; 0: nobody.
    waits: u32,
}

const BEGUN: u32 = 1 << 31;
const ENDED: u32 = 1 << 30;
/// The section behind waits for it.
const GATE: u32 = 1 << 29;
const PENDING: u32 = GATE - 1;

#[derive(Clone, Copy, Debug)]
struct Dependent {
    after: u32,
    /// Twice the number of the next one, from 1, and whether it waits for the begin alone.
    next: u32,
}

impl ListFrontier {
    /// Goes on where few operations are too many, and tells of each that may begin at once in what those had no room
    /// for.
    pub fn behind(few: &WindowFrontier, place: TaskView<'_>, mut free: impl FnMut(u32)) -> Self {
        let (base, entered) = (few.base(), few.entered());
        let flag = |has: bool, flag| if has { flag } else { 0 };
        let state = |operation| flag(few.has_begun(operation), BEGUN) | flag(few.has_ended(operation), ENDED);
        let operations = (base..entered).map(|operation| FrontierEntry { state: state(operation), waits: 0 }).collect();
        let mut many = Self { base, operations, waits: Vec::new(), spare: 0, place: None, gates: 0 };
        if entered > 0 {
            many.look_at(place, base, entered);
        }
        many.enter(place, &mut free);
        many
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
    pub fn ended(&mut self, place: TaskView<'_>, operation: u32, mut free: impl FnMut(u32)) {
        self.entry(operation).state |= ENDED;
        self.release(operation, false, &mut free);
        self.forget_waits(operation);
        let is_gate = self.is_gate(operation);
        self.gates -= u32::from(is_gate);
        while self.operations.front().is_some_and(|entry| entry.state & ENDED != 0) {
            self.operations.pop_front();
            self.base += 1;
        }
        if is_gate && self.gates == 0 {
            self.enter(place, &mut free);
        }
    }

    /// Something waits for the end of an operation.
    pub fn is_awaited(&self, operation: u32) -> bool {
        self.is_gate(operation) || self.waiting(operation).next().is_some()
    }

    /// Nothing may begin before all of these have ended.
    pub fn lets_begin_together(&self, awaited: &[u32]) -> bool {
        let all = |pending| pending as usize >= awaited.len();
        let gates = awaited.iter().filter(|&&operation| self.is_gate(operation)).count();
        (gates == 0 || all(self.gates)) && awaited.iter().all(|&operation| self.waiting(operation).all(all))
    }

    /// Nothing behind those that were looked at can begin before this one has ended.
    fn is_gate(&self, operation: u32) -> bool {
        self.operations[(operation - self.base) as usize].state & GATE != 0
    }

    /// For how many each of those that wait for the end of an operation waits in all.
    fn waiting(&self, operation: u32) -> impl Iterator<Item = u32> {
        let waits = self.waits_of(operation).filter(|wait| wait.next & 1 == 0);
        waits.map(|wait| self.operations[(wait.after - self.base) as usize].state & PENDING)
    }

    fn entry(&mut self, operation: u32) -> &mut FrontierEntry {
        &mut self.operations[(operation - self.base) as usize]
    }

    fn waits_of(&self, operation: u32) -> impl Iterator<Item = Dependent> {
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

    /// Looks at the next sections, until one waits for something.
    fn enter(&mut self, place: TaskView<'_>, free: &mut impl FnMut(u32)) {
        while self.gates == 0 && (self.entered() as usize) < place.schedule().len() {
            let begin = self.entered();
            let end = place.next_section(begin);
            self.operations.resize((end - self.base) as usize, FrontierEntry::default());
            self.look_at(place, begin, end);
            (begin..end).filter(|&operation| self.entry(operation).state & PENDING == 0).for_each(&mut *free);
        }
    }

    /// Unpacks for what the operations of a stretch wait, and those behind it.
    fn look_at(&mut self, place: TaskView<'_>, begin: u32, end: u32) {
        let task = place.schedule();
        for after in (begin.max(1)..end).filter(|&operation| task.is_linked(operation)) {
            self.depend(Edge { after, before: after - 1, begin: false });
        }
        let mut edges = self.place.map_or_else(|| task.edges(), |place| Edges::resume(task.edges, place));
        while let Some(edge) = edges.below(end) {
            self.depend(edge);
        }
        self.place = Some(edges.pause());
        if (end as usize) < task.len() {
            let linked = task.is_linked(end).then(|| end - 1);
            let others = std::iter::from_fn(|| edges.below(end + 1)).filter(|edge| !edge.begin).map(|edge| edge.before);
            linked.into_iter().chain(others).for_each(|before| self.hold_back(before));
        }
    }

    /// The section behind waits for the end of an operation.
    fn hold_back(&mut self, before: u32) {
        if before >= self.base && self.entry(before).state & (ENDED | GATE) == 0 {
            self.entry(before).state |= GATE;
            self.gates += 1;
        }
    }

    fn depend(&mut self, Edge { after, before, begin }: Edge) {
        if before < self.base {
            return;
        }
        let entry = *self.entry(before);
        if entry.state & ENDED != 0 || begin && entry.state & BEGUN != 0 {
            return;
        }
        let wait = Dependent { after, next: entry.waits << 1 | u32::from(begin) };
        self.entry(before).waits = self.keep(wait);
        self.entry(after).state += 1;
    }

    /// The number of a wait, from 1.
    fn keep(&mut self, wait: Dependent) -> u32 {
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
