//! A task of which few operations are looked at at a time: each is one bit, and who waits for whom is read from the
//! schedule again where it may matter.

use super::TaskView;
use crate::edges::{Edge, EdgePosition, Edges};

/// How far such a task is. Bits are those of operations modulo 64.
#[derive(Clone, Debug, Default)]
pub struct WindowFrontier {
    /// Operations below have ended.
    base: u32,
    /// Operations from there on have not been looked at; 64 more than `base` at most.
    entered: u32,
    /// Where the dependences of those go on that something held up when it was last looked.
    edges: Option<EdgePosition>,
    begun: u64,
    ended: u64,
    /// Something holds them up.
    blocked: u64,
    /// For each of those, one operation that holds it up.
    watched: u64,
    /// What holds up the section behind.
    gates: u64,
    /// Nothing holds up the section behind, for which there is no room.
    full: bool,
}

/// Where a task goes on all of whose operations up to there have ended.
#[derive(Clone, Copy, Debug)]
pub struct FrontierPause {
    entered: u32,
    edges: EdgePosition,
}

impl FrontierPause {
    /// The operation under way with this remainder.
    #[inline]
    pub fn operation(self, remainder: u32) -> u32 {
        latest(self.entered, remainder)
    }

    /// As that of a task.
    #[inline]
    pub fn prefetch(self, place: TaskView<'_>) {
        place.prefetch_at(self.entered, Some(self.edges));
    }
}

/// So many operations are looked at at most.
const WINDOW: u32 = 64;

fn bit(operation: u32) -> u64 {
    1 << (operation % WINDOW)
}

/// The last operation below `entered` with this remainder.
fn latest(entered: u32, remainder: u32) -> u32 {
    let last = entered.wrapping_sub(1);
    last.wrapping_sub(last.wrapping_sub(remainder) % WINDOW)
}

/// The last operation of some.
fn last(bits: u64, base: u32) -> u64 {
    let apart = bits.rotate_right(base % WINDOW).leading_zeros();
    bit(base + WINDOW - 1 - apart)
}

impl WindowFrontier {
    /// The first operation that has not ended, or the length of the task.
    #[inline]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Operations from there on have not been looked at.
    #[inline]
    pub fn entered(&self) -> u32 {
        self.entered
    }

    /// The operation under way with this remainder.
    #[inline]
    pub fn operation(&self, remainder: u32) -> u32 {
        latest(self.entered, remainder)
    }

    /// Whether the operation has begun (or ended).
    #[inline]
    pub fn has_begun(&self, operation: u32) -> bool {
        operation < self.base || operation < self.entered && self.begun & bit(operation) != 0
    }

    /// Whether the operation has ended.
    #[inline]
    pub fn has_ended(&self, operation: u32) -> bool {
        operation < self.base || operation < self.entered && self.ended & bit(operation) != 0
    }

    /// What is behind may begin, but has no room.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Looks at the first section, and tells of each operation that may begin at once.
    pub fn enter(&mut self, place: TaskView<'_>, free: impl FnMut(u32)) {
        self.admit_next_section(place);
        self.recheck_blocked(place, free);
    }

    /// Where it goes on once all that was looked at has ended; `None` where some of it has not begun.
    #[inline]
    pub fn pause(&self) -> Option<FrontierPause> {
        let all_begun = self.looked_at() & !self.begun == 0 && !self.full;
        all_begun.then_some(FrontierPause { entered: self.entered, edges: self.edges? })
    }

    /// Goes on there.
    #[inline]
    pub fn resume(place: TaskView<'_>, FrontierPause { entered, edges }: FrontierPause) -> Self {
        let mut few = Self { base: entered, entered, edges: Some(edges), ..Self::default() };
        few.admit_ready_sections(place, |_| {});
        few
    }

    /// Tells of each operation that nothing holds up any more, now that this one has begun.
    #[inline]
    pub fn began(&mut self, place: TaskView<'_>, operation: u32, free: impl FnMut(u32)) {
        self.begun |= bit(operation);
        if self.watched & bit(operation) != 0 {
            self.recheck_blocked(place, free);
        }
    }

    /// The same, now that it has ended.
    #[inline]
    pub fn ended(&mut self, place: TaskView<'_>, operation: u32, free: impl FnMut(u32)) {
        self.ended |= bit(operation);
        if operation == self.base {
            let over = self.ended.rotate_right(self.base % WINDOW).trailing_ones();
            let left = u64::MAX.checked_shl(over).unwrap_or(0).rotate_left(self.base % WINDOW);
            self.begun &= left;
            self.ended &= left;
            self.base += over;
        }
        self.gates &= !bit(operation);
        match self.watched & bit(operation) != 0 {
            true => self.recheck_blocked(place, free),
            false => self.admit_ready_sections(place, free),
        }
    }

    /// The first operation that may begin.
    #[inline]
    pub fn first_ready(&self) -> Option<u32> {
        self.in_order(!self.begun & !self.blocked & self.looked_at()).next()
    }

    /// Prefetches what will be needed when one of them ends, where that lets something begin.
    #[inline]
    pub fn prefetch(&self, place: TaskView<'_>) {
        if self.watched != 0 || self.gates.count_ones() <= 1 {
            place.prefetch_at(self.entered, self.edges);
        }
    }

    /// None has still to begin.
    pub fn has_all_begun(&self, place: TaskView<'_>) -> bool {
        self.looked_at() & !self.begun == 0 && self.entered as usize == place.schedule().len()
    }

    /// Operations that have begun and not ended, in order.
    pub fn open(&self) -> impl Iterator<Item = u32> + use<> {
        self.in_order(self.begun & !self.ended)
    }

    /// Something waits for the end of an operation that is open.
    #[inline]
    pub fn is_awaited(&self, place: TaskView<'_>, operation: u32) -> bool {
        let mut found = false;
        self.lacking(place, |_, all| found |= all & bit(operation) != 0);
        found
    }

    /// Nothing may begin before all of these have ended.
    pub fn lets_begin_together(&self, place: TaskView<'_>, awaited: impl Iterator<Item = u32>) -> bool {
        let awaited = awaited.map(bit).fold(0, |all, one| all | one);
        let mut together = true;
        self.lacking(place, |_, all| together &= all & !awaited != 0 || all == awaited);
        together
    }

    fn looked_at(&self) -> u64 {
        let beyond = self.entered - self.base;
        let count = u64::MAX.checked_shl(beyond).map_or(u64::MAX, |above| !above);
        count.rotate_left(self.base % WINDOW)
    }

    fn in_order(&self, bits: u64) -> impl Iterator<Item = u32> + use<> {
        let (base, mut left) = (self.base, bits.rotate_right(self.base % WINDOW));
        std::iter::from_fn(move || {
            let next = (left != 0).then(|| base + left.trailing_zeros());
            left &= left.wrapping_sub(1);
            next
        })
    }

    /// Tells of each that is held up, and of the first operation of the section behind, what holds it up; where the
    /// dependences of the first of them go on.
    #[inline]
    fn lacking(&self, place: TaskView<'_>, mut found: impl FnMut(u32, u64)) -> EdgePosition {
        let task = place.schedule();
        let mut edges = self.edges.map_or_else(|| task.edges(), |at| Edges::resume(task.edges, at));
        let mut first = None;
        let behind = Some(self.entered).filter(|&next| (next as usize) < task.len());
        for after in self.in_order(self.blocked).chain(behind) {
            while edges.below(after).is_some() {}
            first.get_or_insert(edges.pause());
            let before = after.wrapping_sub(1);
            let mut all = if !self.has_ended(before) && task.is_linked(after) { bit(before) } else { 0 };
            while let Some(edge) = edges.below(after + 1) {
                all |= self.lacks(edge, behind == Some(after));
            }
            found(after, all);
        }
        first.unwrap_or(edges.pause())
    }

    /// The operation for which an edge makes another one wait; a section is held up by ends alone.
    #[inline]
    fn lacks(&self, Edge { before, begin, .. }: Edge, is_section: bool) -> u64 {
        let is_over = if begin { is_section || self.has_begun(before) } else { self.has_ended(before) };
        if is_over { 0 } else { bit(before) }
    }

    /// Looks again what may begin, in further sections too where nothing holds these up.
    fn recheck_blocked(&mut self, place: TaskView<'_>, mut free: impl FnMut(u32)) {
        let (mut blocked, mut watched, mut gates) = (0, 0, 0);
        let edges = self.lacking(place, |after, all| match after == self.entered {
            true => gates = all,
            false if all != 0 => {
                blocked |= bit(after);
                watched |= last(all, self.base);
            }
            false => {}
        });
        let ready = self.blocked & !blocked;
        (self.blocked, self.watched, self.gates, self.edges) = (blocked, watched, gates, Some(edges));
        self.in_order(ready).for_each(&mut free);
        self.admit_ready_sections(place, free);
    }

    /// Looks at the section behind where nothing holds it up.
    #[inline]
    fn admit_ready_sections(&mut self, place: TaskView<'_>, free: impl FnMut(u32)) {
        if self.gates != 0 || self.entered == place.schedule.length(place.task) {
            return;
        }
        self.full = !self.admit_next_section(place);
        if !self.full {
            self.recheck_blocked(place, free);
        }
    }

    /// The next section; whether there is room.
    fn admit_next_section(&mut self, place: TaskView<'_>) -> bool {
        let end = place.next_section(self.entered);
        let has_room = end - self.base <= WINDOW;
        if has_room {
            let before = self.looked_at();
            self.entered = end;
            // What nothing holds up is told of like what was held up until now.
            self.blocked |= self.looked_at() & !before;
        }
        has_room
    }
}
