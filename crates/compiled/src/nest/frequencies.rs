//! How often blocks of a region run, by the source blocks that their instructions come from.

use super::judge::RegionJudge;
use crate::graph::MachineBlockId;
use std::collections::{BTreeMap, BTreeSet};

/// What is reached as often is reached always: the difference is rounding.
const ALWAYS: f64 = 0.999;
/// Instructions that tell whether any bit of a mask is set.
const MASK_TESTS: [&str; 7] = ["kortestb", "kortestw", "kortestd", "kortestq", "ptest", "vptest", "vtestps"];
/// Blocks that only jump on.
const FORWARDS: usize = 3;

impl RegionJudge<'_> {
    pub(super) fn home_of(&self, source_block: usize) -> Option<usize> {
        self.situation.source.blocks[source_block].home
    }

    /// Whether a source block is of a loop that has no machine loop: its instructions stand in the region's own blocks.
    pub(super) fn is_written_out(&self, source_block: usize) -> bool {
        let group = self.home_of(source_block).and_then(|home| self.groups.get(&home));
        group.is_some_and(|group| group.loops.is_empty())
    }

    /// The source blocks that instructions of these blocks come from, with their counts.
    pub(super) fn source_blocks(&self, blocks: impl Iterator<Item = MachineBlockId>) -> BTreeMap<usize, f64> {
        let situation = self.situation;
        let instructions = blocks.flat_map(|block| situation.code.graph.blocks[block].instructions.clone());
        let sources = instructions.filter_map(|at| situation.places.block(at));
        sources.filter_map(|source| Some((source, situation.profile.count(source)?))).collect()
    }

    /// The machine blocks that the most frequent source blocks of their own come from, by source block, with its count. Copies of
    /// a block all come from it.
    pub(super) fn main_blocks(&self) -> BTreeMap<usize, (f64, BTreeSet<MachineBlockId>)> {
        let mut found: BTreeMap<usize, (f64, BTreeSet<MachineBlockId>)> = BTreeMap::new();
        for block in self.situation.code.own_blocks(self.id) {
            let mut own = self.source_blocks(std::iter::once(block));
            own.retain(|&source, _| self.home_of(source) == self.home);
            let most = own.values().copied().fold(0.0, f64::max);
            for (source, count) in own.into_iter().filter(|(_, count)| *count >= most) {
                found.entry(source).or_insert((count, BTreeSet::new())).1.insert(block);
            }
        }
        found
    }

    /// How wrong it is to leave a source loop out: wholly, unless a condition may skip it.
    pub(super) fn skipped(&self, source: usize) -> f64 {
        let reached = self.situation.profile.reached(source);
        if reached.is_some_and(|reached| reached < ALWAYS) { 0.0 } else { 1.0 }
    }

    /// Source blocks that all of several ways have instructions of: what follows a branch is copied into both of its ways (tail
    /// duplication), and says nothing of how often each is taken.
    pub(super) fn copied(&self, ways: &[MachineBlockId]) -> BTreeSet<usize> {
        let of = |way: &MachineBlockId| self.source_blocks(std::iter::once(*way)).into_keys().collect::<BTreeSet<_>>();
        let common = |all: BTreeSet<usize>, own: BTreeSet<usize>| &all & &own;
        if ways.len() > 1 { ways.iter().map(of).reduce(common).unwrap_or_default() } else { BTreeSet::new() }
    }

    /// How probable a way is that is taken where one lane of a vector at least has the condition, which each has with the
    /// probability `share`: compilers jump over code under a mask that is empty.
    pub(super) fn of_any_lane(&self, from: MachineBlockId, share: f64) -> f64 {
        let instructions = &self.situation.code.function.instructions;
        let tests_mask = instructions[self.situation.code.graph.blocks[from].instructions.clone()]
            .iter()
            .any(|instruction| MASK_TESTS.contains(&instruction.mnemonic.as_str()));
        let lanes = self.id.and_then(|id| self.situation.matches.get(&id)?.as_ref().ok()).map_or(1, |own| own.elements);
        if tests_mask { 1.0 - (1.0 - share.clamp(0.0, 1.0)).powf(lanes as f64) } else { share }
    }

    /// Executions of a block, where only one block leads to it, or of the next that is known.
    pub(super) fn frequency(&self, from: MachineBlockId, to: MachineBlockId, copied: &BTreeSet<usize>) -> Option<f64> {
        let graph = &self.situation.code.graph;
        let (mut before, mut block) = (from, to);
        for _ in 0..FORWARDS {
            if graph.blocks[block].predecessors != [before] {
                return None;
            }
            if let Some(known) = self.own_frequency(block, copied) {
                return Some(known);
            }
            let [next] = graph.blocks[block].successors[..] else { return None };
            (before, block) = (block, next);
        }
        None
    }

    /// The most frequent of the source blocks that its instructions come from: compilers move instructions to where they
    /// run more often than they must, never the other way. Those of `copied` are left out.
    pub(super) fn own_frequency(&self, block: MachineBlockId, copied: &BTreeSet<usize>) -> Option<f64> {
        let situation = self.situation;
        let own = situation.code.graph.blocks[block].instructions.clone();
        let counts = own.filter_map(|at| {
            let source = situation.places.block(at).filter(|source| !copied.contains(source))?;
            // Instructions of loops inside stand here because they need to run once only.
            (situation.source.blocks[source].home == self.home).then(|| situation.profile.count(source))?
        });
        counts.fold(None, |most: Option<f64>, count| Some(most.map_or(count, |most| most.max(count))))
    }
}
