//! Machine loops of one source loop that differ in the loops inside them.
//!
//! A compiler that moves the condition of an inner loop out of the loop around it (loop unswitching; F. E. Allen and
//! J. Cocke, 1972) leaves a version without the inner loop, for the case that it never runs. Both versions run as many
//! iterations of the outer loop: only the iterations of the inner one tell which of them ran.

use super::groups::greatest;
use super::plan::Situation;
use crate::loops::LoopId;
use std::collections::{BTreeMap, BTreeSet};

/// The source loops inside each machine loop of a source loop, and how often those run.
#[derive(Debug, Default)]
pub(super) struct Versions {
    inside: BTreeMap<LoopId, BTreeSet<usize>>,
    /// The part of the iterations of the loop around that comes to each source loop inside any of the machine loops.
    comes: BTreeMap<usize, f64>,
    /// The most lanes on which each machine loop works off iterations of source loops inside.
    lanes: BTreeMap<LoopId, f64>,
    /// Stores of a source loop inside overlap its loads.
    overlaps: bool,
}

impl Versions {
    /// Looks into the machine loops of the source loop `source`. Source loops inside it that have machine loops `beside` these are in
    /// none of them.
    pub fn new<'a>(
        situation: &Situation<'_>,
        source: usize,
        loops: impl Iterator<Item = &'a LoopId>,
        beside: &BTreeSet<usize>,
    ) -> Self {
        let inside: BTreeMap<_, _> = loops.map(|&id| (id, sources_inside(situation, source, id))).collect();
        let all = inside.values().flatten().chain(beside).copied();
        let comes: BTreeMap<_, _> =
            all.map(|inner| (inner, comes(situation, inner))).filter(|(_, comes)| *comes > 0.0).collect();
        let overlaps = comes.keys().any(|&inner| situation.profile.overlaps(inner));
        let lanes = inside.keys().map(|&id| (id, lanes(situation, source, id))).collect();
        Self { inside, comes, lanes, overlaps }
    }

    /// The part of its iterations for which a machine loop is not the version that runs: by a check at run time a compiler leaves
    /// the one without vectors for arrays that overlap (0 to 1), and only for those.
    pub fn unlikely(&self, loops: &[LoopId]) -> f64 {
        let of = |id: &LoopId| self.lanes.get(id).copied().unwrap_or(1.0);
        let (fewest, most) = (self.lanes.values().copied().fold(f64::INFINITY, f64::min), greatest(&self.lanes));
        let own = loops.iter().map(of).fold(1.0, f64::max);
        match self.overlaps {
            true if own > fewest => 1.0,
            false if own < most => 1.0 - own / most,
            _ => 0.0,
        }
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
pub(super) fn sources_inside(situation: &Situation<'_>, source: usize, id: LoopId) -> BTreeSet<usize> {
    let behind = |at: usize| {
        let chain = situation.places.of(at);
        chain.iter().position(|&known| known == source).map_or(&[][..], |own| &chain[own + 1..])
    };
    instructions(situation, id).flat_map(behind).copied().collect()
}

/// The most lanes of arithmetic that a machine loop does for source loops inside `source`, of those with as many iterations.
fn lanes(situation: &Situation<'_>, source: usize, id: LoopId) -> f64 {
    let lanes = instructions(situation, id).filter_map(|at| {
        let inner = situation.places.of(at).last().filter(|inner| **inner != source)?;
        let lanes = f64::from(situation.code.function.instructions[at].lanes.count);
        situation.profile.trips(*inner).filter(|trips| *trips >= lanes).map(|_| lanes)
    });
    lanes.fold(1.0, f64::max)
}

/// The instructions of a machine loop, with those of the loops inside.
fn instructions<'a>(situation: &Situation<'a>, id: LoopId) -> impl Iterator<Item = usize> + use<'a> {
    let code = situation.code;
    code.forest.loops[id].blocks.iter().flat_map(|&block| code.graph.blocks[block].instructions.clone())
}

/// The part of the iterations around a source loop in which its body runs.
fn comes(situation: &Situation<'_>, inner: usize) -> f64 {
    let runs = situation.profile.trips(inner).is_some_and(|trips| trips > 0.0);
    if runs { situation.profile.reached(inner).unwrap_or(0.0).min(1.0) } else { 0.0 }
}
