//! How often blocks of a region run, by the source blocks that their instructions come from.

use super::judge::RegionJudge;
use crate::graph::MachineBlockId;
use crate::instruction::{Flow, Trait};
use std::collections::{BTreeMap, BTreeSet};

/// What is reached as often is reached always: the difference is rounding.
const ALWAYS: f64 = 0.999;
/// Instructions that tell whether any bit of a mask is set.
/// Functions of the library that an instruction computes as well.
const ROOTS: [&str; 2] = ["sqrt", "sqrtf"];
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
            let instructions = self.situation.code.graph.blocks[block].instructions.clone();
            let own: BTreeMap<usize, f64> = instructions.filter_map(|at| self.own_source(at)).collect();
            let most = own.values().copied().fold(0.0, f64::max);
            for (source, count) in own.into_iter().filter(|(_, count)| *count >= most) {
                found.entry(source).or_insert((count, BTreeSet::new())).1.insert(block);
            }
        }
        found
    }

    /// The source block that an instruction comes from, with its count, where the region's own loop repeats it: instructions of loops
    /// inside stand here because they need to run once only. What was inlined is repeated by the loop around the call.
    fn own_source(&self, at: usize) -> Option<(usize, f64)> {
        let situation = self.situation;
        let source = situation.places.block(at)?;
        let block = &situation.source.blocks[source];
        let is_inlined = block.range.function != situation.code.function.name;
        let around = || situation.places.of(at).last().copied().filter(|_| is_inlined);
        (block.home.or_else(around) == self.home).then(|| Some((source, situation.profile.count(source)?)))?
    }

    /// How wrong it is to leave a source loop out: wholly, unless a condition may skip it.
    pub(super) fn skipped(&self, source: usize) -> f64 {
        let own = &self.situation.source.loops[source];
        let is_inlined = own.parent.is_none() && own.range.function != self.situation.code.function.name;
        let profile = self.situation.profile;
        // All calls of the function come to the loop; which of them stand in this region, only their number tells.
        let reached = if is_inlined { profile.reached_from(source, self.home) } else { profile.reached(source) };
        if reached.is_some_and(|reached| reached < ALWAYS) { 0.0 } else { 1.0 }
    }

    /// Source blocks that all of several ways have instructions of: what follows a branch is copied into both of its ways (tail
    /// duplication), and says nothing of how often each is taken.
    pub(super) fn copied(&self, ways: &[MachineBlockId]) -> BTreeSet<usize> {
        let of = |way: &MachineBlockId| self.source_blocks(std::iter::once(*way)).into_keys().collect::<BTreeSet<_>>();
        let common = |all: BTreeSet<usize>, own: BTreeSet<usize>| &all & &own;
        if ways.len() > 1 { ways.iter().map(of).reduce(common).unwrap_or_default() } else { BTreeSet::new() }
    }

    /// Of two ways the one that calls the library for a root which the other one computes: compilers leave it for negative numbers,
    /// of which the library sets `errno` (GCC, `-fmath-errno`).
    pub(super) fn for_errno(&self, ways: &[MachineBlockId]) -> Option<MachineBlockId> {
        let &[one, other] = ways else { return None };
        let function = &self.situation.code.function;
        let of = |block: MachineBlockId| {
            &function.instructions[self.situation.code.graph.blocks[block].instructions.clone()]
        };
        let calls = |block| {
            let is_call = |flow: &Flow| matches!(flow, Flow::Call(Some(name)) if ROOTS.contains(&name.as_str()));
            of(block).iter().any(|instruction| is_call(&instruction.flow))
        };
        let computes = |block| of(block).iter().any(|instruction| instruction.has(Trait::SquareRoot));
        [(one, other), (other, one)]
            .into_iter()
            .find(|&(never, always)| calls(never) && computes(always))
            .map(|found| found.0)
    }

    /// How probable a way is that is taken where one lane of a vector at least has the condition, which each has with the
    /// probability `share`: compilers jump over code under a mask that is empty.
    pub(super) fn of_any_lane(&self, from: MachineBlockId, share: f64) -> f64 {
        let instructions = &self.situation.code.function.instructions;
        let tests_mask = instructions[self.situation.code.graph.blocks[from].instructions.clone()]
            .iter()
            .any(|instruction| instruction.has(Trait::TestsMask));
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
        let instructions = self.situation.code.graph.blocks[block].instructions.clone();
        let counts = instructions.filter_map(|at| self.own_source(at).filter(|(source, _)| !copied.contains(source)));
        counts
            .map(|(_, count)| count)
            .fold(None, |most: Option<f64>, count| Some(most.map_or(count, |most| most.max(count))))
    }
}
