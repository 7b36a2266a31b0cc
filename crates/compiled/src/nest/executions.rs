//! The ways of a region that are timed, with their weights.

use super::fitting::{Share, fit};
use super::groups::{Group, greatest};
use super::judge::RegionJudge;
use super::plan::{EQUAL, Execution, Visit};
use super::ways::{Coming, Judge, Step, Way, ways};
use crate::graph::MachineBlockId;
use crate::loops::LoopId;
use std::collections::{BTreeMap, BTreeSet};

/// Ways that are rarer do not change the time.
const RAREST: f64 = 0.02;
/// Ways of a region that are timed.
const MOST: usize = 8;
/// At most so much of a region runs on a way that its probabilities say is never taken.
const MOSTLY: f64 = 0.9;
/// What runs so often, of the most frequent block of a region, is on one of the ways that are timed.
const OFTEN: f64 = 0.1;
/// A block with so many instructions, of those on the ways, changes their time by no more than that.
const FEW: f64 = 0.1;

/// What one source loop says of ways, whatever the others do.
struct OneLoop<'a> {
    judge: &'a RegionJudge<'a>,
    source: usize,
    group: &'a Group,
}

impl Judge for OneLoop<'_> {
    fn probability(&self, from: MachineBlockId, to: MachineBlockId) -> f64 {
        self.judge.probability(from, to)
    }

    fn penalty(&self, way: &Way, open: &BTreeSet<Coming>) -> f64 {
        let waits = open.contains(&Coming::WrittenOut(self.source))
            || self.group.loops.keys().any(|id| open.contains(&Coming::Loop(*id)));
        if waits { 0.0 } else { self.group.trips(self.source, way).1 }
    }

    fn straight(&self, block: MachineBlockId) -> Option<(usize, f64)> {
        self.judge.straight(block).filter(|(source, _)| *source == self.source)
    }
}

/// Ways through a source block.
struct Through<'a> {
    judge: &'a RegionJudge<'a>,
    source_block: usize,
}

impl Through<'_> {
    /// More than any other way misses.
    const ELSEWHERE: f64 = 1e12;
}

impl Judge for Through<'_> {
    fn probability(&self, from: MachineBlockId, to: MachineBlockId) -> f64 {
        self.judge.probability(from, to)
    }

    fn penalty(&self, way: &Way, open: &BTreeSet<Coming>) -> f64 {
        let comes = way.marked || open.contains(&Coming::Marked);
        self.judge.penalty(way, open) + if comes { 0.0 } else { Self::ELSEWHERE }
    }

    fn straight(&self, block: MachineBlockId) -> Option<(usize, f64)> {
        self.judge.straight(block)
    }

    fn marks(&self, block: MachineBlockId) -> bool {
        self.judge.is_of(block, self.source_block)
    }
}

impl RegionJudge<'_> {
    /// How often loops run that none of these executions comes to, though their source loops run. A part of the program that
    /// ends or begins in the middle of a region (at an MPI call) has counts that no way through all of it fits: then each loop
    /// has the way that fits its own.
    pub(super) fn apart(&self, executions: &[Execution]) -> BTreeMap<LoopId, Visit> {
        let is_on_way = |id: &LoopId| executions.iter().any(|execution| execution.trips.contains_key(id));
        let left = self.groups.iter().filter(|(_, group)| group.wanted > 0.0 && !group.loops.keys().any(is_on_way));
        left.flat_map(|(&source, group)| self.visits_of(source, group)).collect()
    }

    fn visits_of(&self, source: usize, group: &Group) -> BTreeMap<LoopId, Visit> {
        let judge = OneLoop { judge: self, source, group };
        let found = ways(self.situation.code, self.id, &judge);
        let Some((way, _)) = found.first() else { return BTreeMap::new() };
        let (trips, _) = group.trips(source, way);
        let reached = self.situation.profile.reached(source).map_or(1.0, |reached| reached.min(1.0));
        trips.into_iter().map(|(id, trips)| (id, Visit { iterations: trips * reached, reached })).collect()
    }

    /// The most probable of ways that miss as much.
    pub(super) fn likely(&self, equal: &[Way]) -> Vec<Execution> {
        let weights = self.weights(equal);
        let mut order: Vec<usize> = (0..equal.len()).filter(|&way| weights[way] >= RAREST).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        order.truncate(MOST);
        let kept: f64 = order.iter().map(|&way| weights[way]).sum();
        order.into_iter().map(|way| self.execution(&equal[way], weights[way] / kept)).collect()
    }

    /// Of all executions, those on each way: by the probabilities of its choices, and by how often what lies on it runs.
    fn weights(&self, ways: &[Way]) -> Vec<f64> {
        let all: f64 = ways.iter().map(|way| way.probability).sum();
        // Counts that contradict each other leave no way: all are as probable.
        let weight = |way: &Way| if all > 0.0 { way.probability / all } else { 1.0 / ways.len() as f64 };
        let mut weights: Vec<f64> = ways.iter().map(weight).collect();
        let loops = self.groups.keys().filter_map(|&source| self.entered(source, ways));
        let shares: Vec<Share> = loops.chain(self.executed(ways)).collect();
        fit(&mut weights, &shares);
        weights
    }

    /// Which ways come to a source loop of the region's own, and how many executions of the region do.
    fn entered(&self, source: usize, ways: &[Way]) -> Option<Share> {
        let own = &self.situation.source.loops[source];
        let is_own = own.parent == self.home && own.range.function == self.situation.code.function.name;
        let of_all = self.situation.profile.reached(source).filter(|share| is_own && *share <= 1.0)?;
        let group = &self.groups[&source];
        let enters =
            |way: &Way| way.straight.contains_key(&source) || way.loops.iter().any(|id| group.loops.contains_key(id));
        Some(Share { ways: ways.iter().map(enters).collect(), of_all })
    }

    /// Which ways execute a source block of the region's own, and how many executions of the region do. Where vectors have
    /// masks, ways are those of several iterations at once.
    fn executed(&self, ways: &[Way]) -> Vec<Share> {
        let matched = self.id.and_then(|id| self.situation.matches.get(&id)?.as_ref().ok());
        if ways.len() < 2 || matched.is_some_and(|own| own.elements > 1) {
            return Vec::new();
        }
        let on = self.main_blocks();
        let most = self.iterations(&on.iter().map(|(_, (count, _))| *count).collect::<Vec<_>>());
        let ways: Vec<BTreeSet<MachineBlockId>> = ways.iter().map(blocks_on).collect();
        let share = |(count, blocks): &(f64, BTreeSet<MachineBlockId>)| Share {
            ways: ways.iter().map(|way| !way.is_disjoint(blocks)).collect(),
            of_all: (count / most).min(1.0),
        };
        on.values().filter(|_| most > 0.0).map(share).collect()
    }

    /// Executions of the region, of counts of its source blocks. The condition of a loop is evaluated once more for each entry
    /// than its body is executed.
    fn iterations(&self, counts: &[f64]) -> f64 {
        let most = counts.iter().copied().fold(0.0, f64::max);
        let trips = self.home.and_then(|home| self.situation.profile.trips(home)).filter(|trips| *trips > 0.0);
        let body = trips.map_or(most, |trips| most * trips / (trips + 1.0));
        let is_body = |count: &f64| (count - body).abs() <= 1e-6 * most;
        counts.iter().copied().find(is_body).unwrap_or(most)
    }

    fn execution(&self, way: &Way, weight: f64) -> Execution {
        let (trips, written_out) = (self.trips(way).0, way.straight.clone());
        Execution { weight, steps: way.steps(), trips, written_out }
    }

    /// Adds ways through what these executions leave out though it runs often, each as often as that runs: what the instructions
    /// of a branch come from can make it look as if it was never taken. Where there is no such way, nothing is known of the region:
    /// elements that are miscounted can make every way through a part of it look wrong. But what is left of a block for a rare way
    /// alone, where everywhere else its instructions became others', is no loss.
    pub(super) fn bring_left_out(&self, executions: &mut Vec<Execution>, equal: &[Way], missed: f64) {
        let mut remains = BTreeSet::new();
        for _ in 0..=MOST {
            let Some((block, share)) = self.left_out(executions, &remains) else { return };
            let known = equal.iter().find(|way| self.goes_through(way, block)).cloned();
            let Some(way) = known.or_else(|| self.way_through(block, missed)) else {
                if !self.is_remains(block, executions) {
                    break;
                }
                remains.insert(block);
                continue;
            };
            let share = share.min(MOSTLY);
            executions.iter_mut().for_each(|execution| execution.weight *= 1.0 - share);
            executions.push(self.execution(&way, share));
        }
        executions.clear();
    }

    /// Whether a source block has few instructions in the region, beside those of the ways.
    fn is_remains(&self, source_block: usize, executions: &[Execution]) -> bool {
        let situation = self.situation;
        let length = |block: MachineBlockId| situation.code.graph.blocks[block].instructions.len();
        let of_way = |execution: &Execution| {
            let blocks = execution
                .steps
                .iter()
                .filter_map(|step| if let Step::Block(block) = *step { Some(block) } else { None });
            blocks.map(length).sum::<usize>() as f64 * execution.weight
        };
        let own =
            situation.code.own_instructions(self.id).filter(|&at| situation.places.block(at) == Some(source_block));
        own.count() as f64 <= FEW * executions.iter().map(of_way).sum::<f64>()
    }

    fn goes_through(&self, way: &Way, source_block: usize) -> bool {
        way.steps().iter().any(|step| matches!(step, Step::Block(block) if self.is_of(*block, source_block)))
    }

    /// Whether instructions of a machine block come from a source block.
    pub(super) fn is_of(&self, block: MachineBlockId, source_block: usize) -> bool {
        let mut instructions = self.situation.code.graph.blocks[block].instructions.clone();
        instructions.any(|at| self.situation.places.block(at) == Some(source_block))
    }

    /// The best way that goes through a source block, if it misses no more than others.
    fn way_through(&self, source_block: usize, missed: f64) -> Option<Way> {
        let found = ways(self.situation.code, self.id, &Through { judge: self, source_block });
        let (way, penalty) = found.into_iter().next()?;
        (penalty < missed + EQUAL).then_some(way)
    }

    /// The most frequent block of the source that runs often, has instructions in the region, and none on any of these ways; with
    /// how often it runs, of the most frequent one.
    fn left_out(&self, executions: &[Execution], remains: &BTreeSet<usize>) -> Option<(usize, f64)> {
        let code = self.situation.code;
        let steps = executions.iter().flat_map(|execution| &execution.steps);
        let taken = steps.filter_map(|step| if let Step::Block(block) = *step { Some(block) } else { None });
        let taken = self.source_blocks(taken);
        let is_inside = |block: &MachineBlockId| self.id.is_none_or(|id| code.forest.loops[id].blocks.contains(block));
        let inside = self.source_blocks(code.graph.blocks.ids().filter(is_inside));
        let (own, others): (BTreeMap<_, _>, BTreeMap<_, _>) = self
            .source_blocks(code.own_blocks(self.id))
            .into_iter()
            .partition(|entry| self.home_of(entry.0) == self.home);
        // Of a loop that has machine loops here, what was moved out of them may be anywhere.
        let written_out: BTreeMap<_, _> = others.into_iter().filter(|entry| self.is_written_out(entry.0)).collect();
        let left_out = |counts: &BTreeMap<usize, f64>, most: f64| {
            let is_left = |block: &usize| !taken.contains_key(block) && !remains.contains(block);
            let left = counts.iter().filter(|&(block, count)| *count > OFTEN * most && is_left(block));
            let shares = left.map(|(block, count)| (*block, count / most));
            shares.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        };
        // A short loop beside one of many iterations is no loss.
        left_out(&own, greatest(&own)).or_else(|| left_out(&written_out, greatest(&inside)))
    }
}

fn blocks_on(way: &Way) -> BTreeSet<MachineBlockId> {
    let block = |step: Step| if let Step::Block(block) = step { Some(block) } else { None };
    way.steps().into_iter().filter_map(block).collect()
}
