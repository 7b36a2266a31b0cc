//! Machine loops of one source loop that differ in the loops inside them.
//!
//! A compiler that moves the condition of an inner loop out of the loop around it (loop unswitching; F. E. Allen and
//! J. Cocke, 1972) leaves a version without the inner loop, for the case that it never runs. Both versions run as many
//! iterations of the outer loop: only the iterations of the inner one tell which of them ran.

use super::plan::Situation;
use crate::loops::LoopId;
use std::collections::{BTreeMap, BTreeSet};

/// The source loops inside each machine loop of a source loop, and how often those run.
#[derive(Debug, Default)]
pub(super) struct Versions {
    inside: BTreeMap<LoopId, BTreeSet<usize>>,
    /// The part of the iterations of the loop around that comes to each source loop inside any of the machine loops.
    comes: BTreeMap<usize, f64>,
}

impl Versions {
    /// Looks into the machine loops of the source loop `source`.
    pub fn new<'a>(situation: &Situation<'_>, source: usize, loops: impl Iterator<Item = &'a LoopId>) -> Self {
        let inside: BTreeMap<_, _> = loops.map(|&id| (id, inside(situation, source, id))).collect();
        let all = inside.values().flatten().copied();
        let comes = all.map(|inner| (inner, comes(situation, inner))).filter(|(_, comes)| *comes > 0.0).collect();
        Self { inside, comes }
    }

    /// The part of the iterations of the source loop of which these machine loops cannot be, as they have nothing of a
    /// loop that ran in them.
    pub fn lacks(&self, loops: &[LoopId]) -> f64 {
        let has =
            |inner: &usize| loops.iter().any(|id| self.inside.get(id).is_some_and(|inside| inside.contains(inner)));
        self.comes.iter().filter(|(inner, _)| !has(inner)).map(|(_, comes)| *comes).fold(0.0, f64::max)
    }
}

/// Source loops inside `source` that instructions of a machine loop come from.
fn inside(situation: &Situation<'_>, source: usize, id: LoopId) -> BTreeSet<usize> {
    let blocks = situation.code.forest.loops[id].blocks.iter();
    let instructions = blocks.flat_map(|&block| situation.code.graph.blocks[block].instructions.clone());
    let behind = |at: usize| {
        let chain = situation.places.of(at);
        chain.iter().position(|&known| known == source).map_or(&[][..], |own| &chain[own + 1..])
    };
    instructions.flat_map(behind).copied().collect()
}

/// The part of the iterations around a source loop in which its body runs.
fn comes(situation: &Situation<'_>, inner: usize) -> f64 {
    let runs = situation.profile.trips(inner).is_some_and(|trips| trips > 0.0);
    if runs { situation.profile.reached(inner).unwrap_or(0.0).min(1.0) } else { 0.0 }
}
