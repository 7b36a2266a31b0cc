//! What a body reads, writes and reaches: successors of operations, and slots that are read later (liveness).
//!
//! Literature: A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers", section 9.2.5 (live variables).

use crate::code::{Arm, Body, Branch, Op, OpIndex, Place, Slot, Source};

/// Sets of slots, one for each operation.
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(sets: usize, slots: usize) -> Self {
        let words = slots.div_ceil(64).max(1);
        Self { words, bits: vec![0; sets * words] }
    }

    fn of(&self, index: usize) -> &[u64] {
        &self.bits[index * self.words..(index + 1) * self.words]
    }

    fn slots(&self, index: OpIndex) -> impl Iterator<Item = Slot> + '_ {
        let words = self.of(index as usize).iter().enumerate();
        words.flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| Slot((word * 64 + bit) as u32))
        })
    }

    fn replace(&mut self, index: usize, set: &[u64]) -> bool {
        let own = &mut self.bits[index * self.words..(index + 1) * self.words];
        let changes = own != set;
        own.copy_from_slice(set);
        changes
    }
}

/// What is known of the flow of a body.
pub(crate) struct Flow {
    /// What is read later by the code or by the interpreter.
    live: Sets,
    /// What is read by the code alone.
    needed: Sets,
    /// Operations that the code may come to.
    pub(crate) reached: Vec<bool>,
}

impl Flow {
    pub(crate) fn of(body: &Body) -> Self {
        let told = reached(body, true);
        let reached = reached(body, false);
        Self { live: live(body, &told, true), needed: live(body, &reached, false), reached }
    }

    /// Slots that are read by an operation, or behind it, before they are written, be it by the interpreter.
    pub(crate) fn live_at(&self, index: OpIndex) -> impl Iterator<Item = Slot> + '_ {
        self.live.slots(index)
    }

    /// Slots that the code reads before it writes them.
    pub(crate) fn read_at_first(&self) -> impl Iterator<Item = Slot> + '_ {
        self.needed.slots(0)
    }
}

/// Operations that are reached from the first one; `beyond`: also by way of the interpreter.
fn reached(body: &Body, beyond: bool) -> Vec<bool> {
    let mut reached = vec![false; body.ops.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        let Some(seen) = reached.get_mut(index as usize) else { continue };
        if !std::mem::replace(seen, true) {
            ways(body, index, beyond, |next, _| open.push(next));
        }
    }
    reached
}

fn live(body: &Body, reached: &[bool], beyond: bool) -> Sets {
    let mut live = Sets::new(body.ops.len(), body.slots.len());
    let mut changes = true;
    while changes {
        changes = false;
        for index in (0..body.ops.len()).rev().filter(|&index| reached[index]) {
            let mut set = vec![0u64; live.words];
            let op = &body.ops[index];
            ways(body, index as OpIndex, beyond, |next, result| {
                let hidden = result.map(|Slot(slot)| (slot as usize / 64, 1u64 << (slot % 64)));
                for (word, (own, other)) in set.iter_mut().zip(live.of(next as usize)).enumerate() {
                    let mask = hidden.filter(|(at, _)| *at == word).map_or(0, |(_, bit)| bit);
                    *own |= other & !mask;
                }
            });
            if let Some(Slot(slot)) = written(op) {
                set[slot as usize / 64] &= !(1 << (slot % 64));
            }
            let silent = !beyond && matches!(op, Op::Leave { .. });
            read(body, op, |Slot(slot)| {
                if !silent {
                    set[slot as usize / 64] |= 1 << (slot % 64);
                }
            });
            changes |= live.replace(index, &set);
        }
    }
    live
}

/// Operations that may follow.
pub(crate) fn successors(body: &Body, index: OpIndex, mut see: impl FnMut(OpIndex)) {
    ways(body, index, false, |next, _| see(next));
}

/// Operations that may follow, each with the slot that is written on the way to it; `beyond`: also those that the interpreter goes
/// on with.
fn ways(body: &Body, index: OpIndex, beyond: bool, mut see: impl FnMut(OpIndex, Option<Slot>)) {
    match &body.ops[index as usize] {
        Op::Jump(target) => see(*target, None),
        Op::Leave { next, .. } if beyond => next.iter().for_each(|&next| see(next, None)),
        Op::Leave { .. } => {}
        Op::Test { exit, .. } => {
            see(index + 1, None);
            see(*exit, None);
        }
        Op::Choose { yes, no, branch, .. } => {
            way(*yes, branch, &mut see);
            way(*no, branch, &mut see);
        }
        Op::Switch { cases, default, branch, .. } => {
            cases.iter().for_each(|(.., arm)| see(arm.target, None));
            way(*default, branch, &mut see);
        }
        _ => see(index + 1, None),
    }
}

/// Into an arm, or past the branch, where its result is written.
fn way(arm: Option<Arm>, branch: &Branch, see: &mut impl FnMut(OpIndex, Option<Slot>)) {
    match arm {
        Some(arm) => see(arm.target, None),
        None => see(branch.otherwise, branch.result.map(|(slot, _)| slot)),
    }
}

/// The slot that an operation writes. The result of a branch is written on one of its ways only.
pub(crate) fn written(op: &Op) -> Option<Slot> {
    match op {
        Op::Copy { to, .. }
        | Op::Binary { to, .. }
        | Op::Unary { to, .. }
        | Op::Convert { to, .. }
        | Op::Difference { to, .. }
        | Op::Address { to, .. }
        | Op::Load { to, .. } => Some(*to),
        Op::Call { to, .. } | Op::Draw { to, .. } | Op::Leave { to, .. } => *to,
        _ => None,
    }
}

/// The slots that an operation reads.
pub(crate) fn read(body: &Body, op: &Op, mut see: impl FnMut(Slot)) {
    let mut source = |source: Source| {
        if let Source::Slot(slot) = source {
            see(slot);
        }
    };
    match op {
        Op::Copy { from: a, .. }
        | Op::Unary { a, .. }
        | Op::Convert { a, .. }
        | Op::Test { condition: a, .. }
        | Op::Choose { condition: a, .. }
        | Op::Switch { condition: a, .. } => source(*a),
        Op::Binary { a, b, .. } | Op::Difference { a, b, .. } | Op::Call { a, b, .. } => {
            source(*a);
            source(*b);
        }
        Op::Address { place, .. } | Op::Load { place, .. } => read_place(body, &body.places[*place as usize], source),
        Op::Store { place, from } => {
            source(*from);
            read_place(body, &body.places[*place as usize], source);
        }
        Op::Leave { reads, .. } => reads.iter().for_each(|&read| source(read)),
        Op::Count(_)
        | Op::Forget { .. }
        | Op::Draw { .. }
        | Op::Jump(_)
        | Op::Enter { .. }
        | Op::Iterate { .. }
        | Op::Begin { .. } => {}
    }
}

fn read_place(body: &Body, place: &Place, mut source: impl FnMut(Source)) {
    source(place.base);
    for step in steps(body, place) {
        source(step.index);
        source(step.stride);
    }
}

/// The indices of a place.
pub(crate) fn steps<'b>(body: &'b Body, place: &Place) -> &'b [crate::code::Step] {
    &body.steps[place.steps.0 as usize..(place.steps.0 + place.steps.1) as usize]
}
