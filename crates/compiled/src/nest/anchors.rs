//! Accesses by which the elements of a source loop are counted in blocks that stand outside its machine loops.

use super::groups::Group;
use super::plan::Situation;
use crate::code::FunctionCode;
use crate::instruction::Trait;
use crate::loops::LoopId;
use std::collections::{BTreeMap, BTreeSet};

/// An access by which elements of a source loop are counted: bytes of one element at its place.
pub(super) struct Anchor {
    pub place: (u32, u32),
    pub writes: bool,
    pub bytes: f64,
}

impl Anchor {
    pub(super) fn bytes_of(&self, code: &FunctionCode, at: usize) -> f64 {
        let Some(place) = code.function.place(at).filter(|place| (place.line, place.column) == self.place) else {
            return 0.0;
        };
        debug_assert_eq!(place.line, self.place.0);
        let memory = code.function.instructions[at].memory.as_ref();
        let own = memory.filter(|memory| if self.writes { memory.writes } else { memory.reads });
        own.map_or(0.0, |memory| f64::from(memory.width))
    }
}

/// Source loops directly inside the region's that instructions outside machine loops come from.
pub(super) fn written_out(situation: &Situation<'_>, id: Option<LoopId>, home: Option<usize>) -> BTreeSet<usize> {
    let next = |at: usize| {
        let chain = situation.places.of(at);
        let position = match home {
            Some(home) => chain.iter().position(|&known| known == home)? + 1,
            None => 0,
        };
        // What lies in loops further inside is counted with those.
        chain.get(position).copied().filter(|_| position + 1 == chain.len())
    };
    situation.code.own_instructions(id).filter_map(next).collect()
}

/// The place by which elements of a source loop are counted: the one with the most bytes, stores before loads, which may
/// stay in registers. In the widest machine loop of a group, where there is one, it tells the bytes of an element.
pub(super) fn anchor(situation: &Situation<'_>, id: Option<LoopId>, source: usize, group: &Group) -> Option<Anchor> {
    let matched = |id: &&LoopId| situation.matches.get(id).is_some_and(Result::is_ok);
    let widest = group.loops.keys().filter(matched).max_by(|a, b| group.loops[a].total_cmp(&group.loops[b]));
    let mut bytes: BTreeMap<(bool, (u32, u32)), f64> = BTreeMap::new();
    let mut add = |at: usize| {
        let instruction = &situation.code.function.instructions[at];
        let (Some(place), Some(memory)) = (situation.code.function.place(at), &instruction.memory) else { return };
        // Arguments of calls are put on the stack; no iteration of a loop is told by that.
        if instruction.has(Trait::OfStack) {
            return;
        }
        for writes in [memory.reads.then_some(false), memory.writes.then_some(true)].into_iter().flatten() {
            *bytes.entry((writes, (place.line, place.column))).or_default() += f64::from(memory.width);
        }
    };
    if let Some(widest) = widest {
        // What stays where it is, as constants and arguments of calls, is accessed outside the loop as well.
        let moving = |access: &&crate::induction::Access| {
            access.step.as_ref().is_ok_and(|step| *step != 0) && !access.is_frame()
        };
        situation.code.facts[*widest].accesses.iter().filter(moving).for_each(|access| add(access.instruction));
        let (&(writes, place), &all) = most_bytes(&bytes)?;
        return Some(Anchor { place, writes, bytes: all / group.loops[widest] });
    }
    let own = |at: &usize| situation.places.of(*at).last() == Some(&source);
    situation.code.own_instructions(id).filter(own).for_each(add);
    // What is stored once behind the loop has fewer bytes than what all iterations load.
    let (&(writes, place), _) = bytes.iter().max_by(|a, b| a.1.total_cmp(b.1).then(a.0.0.cmp(&b.0.0)))?;
    let strides = situation.source.loops[source].strides.iter().filter(|stride| stride.line == place.0);
    let mut widths = strides.filter(|stride| stride.bytes.unsigned_abs() == stride.width).map(|stride| stride.width);
    // Accesses of several widths on one line cannot be told apart.
    let width = widths.next().filter(|first| widths.all(|width| width == *first))?;
    Some(Anchor { place, writes, bytes: width as f64 })
}

/// Whether it writes, with line and column.
type AccessPlace = (bool, (u32, u32));
type BytesByPlace = BTreeMap<AccessPlace, f64>;

fn most_bytes(bytes: &BytesByPlace) -> Option<(&AccessPlace, &f64)> {
    bytes.iter().max_by(|a, b| a.0.0.cmp(&b.0.0).then(a.1.total_cmp(b.1)))
}
