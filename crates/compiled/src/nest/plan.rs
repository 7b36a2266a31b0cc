//! Which ways a region takes, and how often its loops run, by the counts of the source.

use super::ExecutionProfile;
use super::versions::{Versions, sources_inside};
use super::ways::{Coming, Judge, Step, Way, ways};
use crate::code::FunctionCode;
use crate::graph::MachineBlockId;
use crate::loops::LoopId;
use crate::matching::{LoopMatches, Places, Role, SourceFunctions};
use std::collections::{BTreeMap, BTreeSet};

/// A way of a region with its weight and the iterations of the loops on it.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How often the way is taken, of 1.
    pub weight: f64,
    /// Its steps.
    pub(super) steps: Vec<Step>,
    /// Iterations of each loop on it, each time the way is taken.
    pub trips: BTreeMap<LoopId, f64>,
    /// Iterations of source loops that stand in its blocks, by source loop.
    pub written_out: BTreeMap<usize, f64>,
}

/// How one execution of a region goes.
#[derive(Clone, Debug, Default)]
pub struct RegionPlan {
    /// The ways it takes.
    pub executions: Vec<Execution>,
    /// Iterations that no way brings, of all elements of the loops inside: what the plan is wrong by.
    pub missed: f64,
    /// Loops that run, and that none of these ways comes to.
    apart: BTreeMap<LoopId, Visit>,
}

/// How often a loop inside a region runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Visit {
    /// Iterations of the machine loop in one execution of the region.
    pub iterations: f64,
    /// Executions of the region's that come to loops of the same source loop, of 1.
    pub reached: f64,
}

/// Everything that says how a machine function runs.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// The function.
    pub code: &'a FunctionCode,
    /// What its loops are of the source.
    pub matches: &'a LoopMatches,
    /// Loops and blocks of the source.
    pub source: &'a SourceFunctions,
    /// Where instructions come from.
    pub places: &'a Places,
    /// How often the source runs.
    pub profile: &'a dyn ExecutionProfile,
}

/// Ways that are rarer do not change the time.
const RAREST: f64 = 0.02;
/// Ways of a region that are timed.
const MOST: usize = 8;
/// Ways that miss as many elements of the source but for this bring as many iterations.
const EQUAL: f64 = 0.25;
/// At most so much of a region runs on a way that its probabilities say is never taken.
const MOSTLY: f64 = 0.9;

/// Plans one execution of a region.
pub fn plan(situation: &Situation<'_>, id: Option<LoopId>) -> RegionPlan {
    let judge = RegionJudge::new(situation, id);
    let found = ways(situation.code, id, &judge);
    let Some(missed) = found.first().map(|(_, penalty)| *penalty) else { return RegionPlan::default() };
    // Ways that bring as many iterations are told apart by their probabilities alone.
    let equal: Vec<Way> =
        found.into_iter().filter(|(_, penalty)| *penalty < missed + EQUAL).map(|(way, _)| way).collect();
    let mut executions = judge.likely(&equal);
    judge.bring_left_out(&mut executions, &equal, missed);
    let apart = judge.apart(&executions);
    RegionPlan { executions, missed, apart }
}

impl RegionPlan {
    /// Iterations of source loops that stand in blocks, in one execution of the region.
    pub fn written_out(&self) -> BTreeMap<usize, f64> {
        let mut all = BTreeMap::new();
        for execution in &self.executions {
            for (source, iterations) in &execution.written_out {
                *all.entry(*source).or_default() += execution.weight * iterations;
            }
        }
        all
    }

    /// How often the loops inside run.
    pub fn visits(&self, matches: &LoopMatches) -> BTreeMap<LoopId, Visit> {
        // Copies that are inlined by other calls have entries of their own.
        let matched = |id: &LoopId| matches.get(id).and_then(|found| found.as_ref().ok());
        let source = |id: &LoopId| matched(id).map(|found| (found.source, found.inlined_by));
        let mut visits: BTreeMap<LoopId, Visit> = BTreeMap::new();
        for execution in &self.executions {
            for (id, trips) in &execution.trips {
                visits.entry(*id).or_default().iterations += execution.weight * trips;
            }
        }
        for (id, visit) in &mut visits {
            let comes = |execution: &&Execution| {
                execution
                    .trips
                    .keys()
                    .any(|other| other == id || (source(other).is_some() && source(other) == source(id)))
            };
            visit.reached = self.executions.iter().filter(comes).map(|execution| execution.weight).sum();
        }
        visits.extend(&self.apart);
        visits
    }
}

/// Machine loops of one source loop inside a region.
#[derive(Default)]
struct Group {
    /// Machine loops with the elements that one iteration handles.
    loops: BTreeMap<LoopId, f64>,
    /// Elements that the widest arithmetic instruction of each works on at once.
    lanes: BTreeMap<LoopId, f64>,
    /// The inlined calls by which each is entered.
    inlined_by: BTreeMap<LoopId, usize>,
    /// The most elements that one block handles outside those.
    widest_block: f64,
    /// Iterations of the source loop each time it is entered.
    wanted: f64,
    varies: bool,
    versions: Versions,
    /// Loops around others, which run all that is left of the iterations, whatever was moved out of them.
    whole: BTreeSet<LoopId>,
    /// Iterations of loops whose begin, end and step stand in the code.
    constant: BTreeMap<LoopId, f64>,
    /// Loops behind a check at run time that fails: stores overlap loads.
    barred: BTreeSet<LoopId>,
    /// Stores overlap loads.
    overlaps: bool,
}

impl Group {
    /// Iterations of its loops, those of `source`, on a way, and elements that the way misses or has too many.
    fn trips(&self, source: usize, way: &Way) -> (BTreeMap<LoopId, f64>, f64) {
        let straight = way.straight.get(&source).copied().unwrap_or(0.0);
        let mut calls: BTreeMap<usize, Vec<LoopId>> = BTreeMap::new();
        for id in way.loops.iter().filter(|id| self.loops.contains_key(id)) {
            calls.entry(self.inlined_by.get(id).copied().unwrap_or(0)).or_default().push(*id);
        }
        match calls.len() {
            0 => (BTreeMap::new(), (self.wanted - straight).abs() + self.overlapping(straight)),
            1 => self.trips_of_call(calls.pop_first().map_or_else(Vec::new, |(_, loops)| loops), straight),
            // Each call runs all iterations; what is written out is one more call.
            _ => {
                let (mut trips, mut missed) = (BTreeMap::new(), 0.0);
                for loops in calls.into_values() {
                    let (of_call, misses) = self.trips_of_call(loops, 0.0);
                    trips.extend(of_call);
                    missed += misses;
                }
                (trips, missed)
            }
        }
    }

    /// Of iterations that stand in blocks, those for which that is not the version that runs: stores overlap loads, and beside
    /// blocks of several iterations there is a loop of fewer.
    fn overlapping(&self, straight: f64) -> f64 {
        let fewest = self.loops.values().copied().fold(f64::INFINITY, f64::min);
        if self.overlaps && self.widest_block > fewest { straight } else { 0.0 }
    }

    /// The same of the loops that one call enters, where blocks handle `straight` elements.
    fn trips_of_call(&self, mut on_way: Vec<LoopId>, straight: f64) -> (BTreeMap<LoopId, f64>, f64) {
        let mut trips = BTreeMap::new();
        let mut left = self.wanted - straight;
        on_way.sort_by(|a, b| self.loops[b].total_cmp(&self.loops[a]));
        let mut penalty = 0.0;
        let mut at = 0;
        while let Some(&first) = on_way.get(at) {
            let elements = self.loops[&first];
            let end = on_way.iter().position(|id| self.loops[id] < elements).unwrap_or(on_way.len());
            let last = end == on_way.len();
            let whole = self.wanted > 0.0 && on_way[at..end].iter().any(|id| self.whole.contains(id));
            let turns = if whole { left / elements } else { turns(left, elements, self.varies, last) };
            // Fewer elements at once than others of the group: what the fastest could do is done slowly.
            penalty += 0.25 * turns * elements * self.slower(elements);
            match self.constant_trips(&on_way[at..end]) {
                // The version for one value of a variable: its iterations tell whether the program had that one.
                Some(constant) if (constant - turns).abs() > 1.0 => penalty += (constant - turns).abs() * elements,
                Some(_) => {}
                None => penalty += turns * elements * self.doubtful(&on_way[at..end]),
            }
            // A loop on the way runs once at least.
            if turns < 1.0 && !whole {
                penalty += 1.0 + elements - (turns * elements).max(0.0);
            }
            let turns = turns.max(1.0);
            // Loops of as many elements run over the same iterations: copies of the loop.
            on_way[at..end].iter().for_each(|id| _ = trips.insert(*id, turns));
            left -= turns * elements;
            at = end;
        }
        penalty += self.wanted * self.versions.lacks(&on_way);
        (trips, penalty + left.abs())
    }

    /// How sure it is that these loops are not the version that runs, by what is known of lanes and stores.
    fn doubtful(&self, loops: &[LoopId]) -> f64 {
        let barred = if loops.iter().any(|id| self.barred.contains(id)) { 1.0 } else { 0.0 };
        barred + 0.25 * (self.versions.unlikely(loops) + self.scalar(loops))
    }

    /// Iterations that stand in the code of these loops, where there are others that might run in their place.
    fn constant_trips(&self, loops: &[LoopId]) -> Option<f64> {
        if self.wanted <= 0.0 || self.loops.len() < 2 {
            return None;
        }
        loops.iter().find_map(|id| self.constant.get(id).copied())
    }

    /// 0 for loops of as many lanes as any other of as many elements, else near 1: a compiler leaves one that is written out beside
    /// its vectors for arrays that overlap (clang 14 at -O2), and what that one does is done slowly.
    fn scalar(&self, loops: &[LoopId]) -> f64 {
        let lanes = |id: &LoopId| self.lanes.get(id).copied().unwrap_or(1.0);
        let Some(elements) = loops.first().map(|id| self.loops[id]) else { return 0.0 };
        let alike = self.loops.iter().filter(|(_, own)| **own == elements).map(|(id, _)| lanes(id));
        let (own, most) = (loops.iter().map(lanes).fold(1.0, f64::max), alike.fold(1.0, f64::max));
        if self.overlaps { 0.0 } else { 1.0 - own / most }
    }

    /// 0 for the fastest loops, else near 1.
    fn slower(&self, elements: f64) -> f64 {
        let most = self.loops.values().copied().fold(self.widest_block.max(1.0), f64::max);
        // Less than a turn of the widest is always left to narrower ones.
        if self.wanted < most { 0.0 } else { 1.0 - elements / most }
    }
}

struct RegionJudge<'a> {
    situation: &'a Situation<'a>,
    id: Option<LoopId>,
    home: Option<usize>,
    groups: BTreeMap<usize, Group>,
    anchors: BTreeMap<usize, Anchor>,
}

/// An access by which elements of a source loop are counted: bytes of one element at its place.
struct Anchor {
    place: (u32, u32),
    writes: bool,
    bytes: f64,
}

impl<'a> RegionJudge<'a> {
    fn new(situation: &'a Situation<'a>, id: Option<LoopId>) -> Self {
        let home = id.and_then(|id| situation.matches.get(&id)?.as_ref().ok()).map(|found| found.source);
        let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
        let group = |source: usize| {
            let wanted = situation.profile.trips(source)?;
            let (varies, overlaps) = (situation.profile.varies(source), situation.profile.overlaps(source));
            Some(Group { wanted, varies, overlaps, ..Group::default() })
        };
        for (child, _) in situation.code.forest.loops.iter().filter(|(_, natural)| natural.parent == id) {
            match situation.matches.get(&child) {
                Some(Ok(found)) => {
                    let Some(new) = group(found.source) else { continue };
                    let group = groups.entry(found.source).or_insert(new);
                    let elements = moved_at_once(situation.code, child, group.wanted).unwrap_or(found.elements as f64);
                    group.loops.insert(child, elements);
                    group.inlined_by.insert(child, found.inlined_by);
                    let lanes = situation.code.facts[child].lanes.map_or(1.0, f64::from);
                    group.lanes.insert(child, lanes);
                    group.constant.extend(situation.code.trips[child].map(|trips| (child, trips as f64)));
                }
                // A loop of the compiler's own, around several versions of one: it runs all iterations of what is in it.
                _ => {
                    let Some(source) = inside(situation, child) else { continue };
                    let Some(new) = group(source) else { continue };
                    let wanted = new.wanted.max(1.0);
                    let group = groups.entry(source).or_insert(new);
                    group.loops.insert(child, wanted);
                    group.whole.insert(child);
                }
            }
        }
        for source in written_out(situation, id, home) {
            if let Some(new) = group(source).filter(|_| Some(source) != home) {
                groups.entry(source).or_insert(new);
            }
        }
        // Iterations of a loop come with the machine loops of the one around it, where that has any here: a copy of its own
        // beside them is for an outer loop whose inner one does not run. Where none of them has any code of the inner loop, they are
        // for that case, and the one around is no loop of the machine that could be told (it is entered at several places).
        let (mut with_others, mut beside) = (Vec::new(), BTreeMap::<usize, BTreeSet<usize>>::new());
        for &source in groups.keys() {
            match outer_group(situation, source, home, &groups) {
                Some((_, true)) => with_others.push(source),
                Some((outer, false)) => _ = beside.entry(outer).or_default().insert(source),
                None => {}
            }
        }
        for source in with_others {
            groups.entry(source).and_modify(|group| group.wanted = 0.0);
        }
        let anchors =
            groups.iter().filter_map(|(&source, group)| Some((source, anchor(situation, id, source, group)?)));
        let anchors = anchors.collect();
        let several = |(source, group): &(&usize, &mut Group)| group.loops.len() > 1 || beside.contains_key(source);
        for (&source, group) in groups.iter_mut().filter(several) {
            let none = BTreeSet::new();
            group.versions = Versions::new(situation, source, group.loops.keys(), beside.get(&source).unwrap_or(&none));
            if group.overlaps {
                group.barred = barred(situation, &group.loops);
            }
        }
        let mut judge = Self { situation, id, home, groups, anchors };
        for block in situation.code.own_blocks(id) {
            if let Some((source, elements)) = judge.straight(block)
                && let Some(group) = judge.groups.get_mut(&source)
            {
                group.widest_block = group.widest_block.max(elements);
            }
        }
        judge
    }

    /// Iterations of the loops on a way, and elements that the way misses or has too many.
    fn trips(&self, way: &Way) -> (BTreeMap<LoopId, f64>, BTreeMap<usize, f64>) {
        let (mut trips, mut missed) = (BTreeMap::new(), BTreeMap::new());
        for (source, group) in &self.groups {
            let (of_group, misses) = group.trips(*source, way);
            trips.extend(of_group);
            missed.insert(*source, misses);
        }
        // Loops of no known length run once.
        way.loops.iter().for_each(|id| _ = trips.entry(*id).or_insert(1.0));
        (trips, missed)
    }
}

/// The source loop around another one that has machine loops here, and whether any of them has code of the inner one.
fn outer_group(
    situation: &Situation<'_>,
    source: usize,
    home: Option<usize>,
    groups: &BTreeMap<usize, Group>,
) -> Option<(usize, bool)> {
    let parent = |&inner: &usize| situation.source.loops[inner].parent;
    let mut around = std::iter::successors(parent(&source), parent).take_while(|&outer| Some(outer) != home);
    let (outer, group) =
        around.find_map(|outer| Some((outer, groups.get(&outer).filter(|group| !group.loops.is_empty())?)))?;
    let has_code = |id: &LoopId| sources_inside(situation, outer, *id).contains(&source);
    Some((outer, groups[&source].loops.is_empty() || group.loops.keys().any(has_code)))
}

/// Elements of one iteration of a loop that moves whole vectors, of which no instruction tells the size of an element, by the
/// iterations that stand in its code.
fn moved_at_once(code: &FunctionCode, id: LoopId, wanted: f64) -> Option<f64> {
    let (facts, trips) = (&code.facts[id], code.trips[id].filter(|trips| *trips > 0)? as f64);
    let is_whole = |access: &crate::induction::Access| {
        access.step.as_ref().is_ok_and(|step| step.unsigned_abs() == u64::from(access.width)) && access.width >= VECTOR
    };
    let elements = (wanted / trips).round();
    let is_known = facts.lanes.is_some() || !facts.accesses.iter().any(is_whole);
    (!is_known && elements > 1.0 && (wanted - elements * trips).abs() < elements).then_some(elements)
}

/// Bytes of the narrowest vectors.
const VECTOR: u16 = 16;

/// Turns of a loop that handles so many elements at once.
fn turns(left: f64, elements: f64, varies: bool, last: bool) -> f64 {
    if elements <= 1.0 || last && elements == 1.0 {
        return left;
    }
    if varies || left.fract() != 0.0 {
        // Of lengths that differ, half a turn is left over on average.
        return (left / elements - (elements - 1.0) / (2.0 * elements)).max(0.0);
    }
    (left / elements).floor()
}

/// 0 where there is none.
pub(super) fn greatest<K>(counts: &BTreeMap<K, f64>) -> f64 {
    counts.values().copied().fold(0.0, f64::max)
}

/// Loops of several elements beside which there is a version of one: compilers leave it for arrays that overlap.
fn barred(situation: &Situation<'_>, loops: &BTreeMap<LoopId, f64>) -> BTreeSet<LoopId> {
    let role = |id: &LoopId| situation.matches.get(id).and_then(|found| found.as_ref().ok()).map(|found| found.role);
    let fewest = loops.iter().filter(|(id, _)| role(id) == Some(Role::Version)).map(|(_, elements)| *elements);
    let fewest = fewest.fold(f64::INFINITY, f64::min);
    loops.iter().filter(|(_, elements)| **elements > fewest).map(|(id, _)| *id).collect()
}

impl Judge for RegionJudge<'_> {
    fn probability(&self, from: MachineBlockId, to: MachineBlockId) -> f64 {
        let successors = &self.situation.code.graph.blocks[from].successors;
        let stays = |block: &&MachineBlockId| {
            self.id.is_none_or(|id| self.situation.code.forest.loops[id].blocks.contains(block))
        };
        let ways: Vec<MachineBlockId> = successors.iter().filter(stays).copied().collect();
        let copied = self.copied(&ways);
        let known: Vec<Option<f64>> = ways.iter().map(|&way| self.frequency(from, way, &copied)).collect();
        let sum: f64 = known.iter().flatten().sum();
        let base = self.own_frequency(from, &BTreeSet::new()).unwrap_or(sum).max(sum);
        let unknown = known.iter().filter(|known| known.is_none()).count();
        let Some(position) = ways.iter().position(|&way| way == to) else { return 0.0 };
        let of_any = |share: f64| if unknown == 1 { self.of_any_lane(from, share) } else { share };
        match known[position] {
            _ if base <= 0.0 => 1.0 / ways.len() as f64,
            Some(own) if unknown == 0 => own / sum.max(f64::MIN_POSITIVE),
            Some(own) => of_any(own / base),
            None if known.iter().all(Option::is_none) => 1.0 / ways.len() as f64,
            None => (1.0 - of_any(sum / base)).max(0.0) / unknown as f64,
        }
    }

    fn penalty(&self, way: &Way, open: &BTreeSet<Coming>) -> f64 {
        let (_, missed) = self.trips(way);
        let waits = |source: &usize| {
            open.contains(&Coming::WrittenOut(*source))
                || self.groups[source].loops.keys().any(|id| open.contains(&Coming::Loop(*id)))
        };
        let on_way = |source: &usize| {
            way.straight.contains_key(source) || way.loops.iter().any(|id| self.groups[source].loops.contains_key(id))
        };
        missed
            .iter()
            .filter(|(source, _)| !waits(source))
            // A source loop that the way does not come to at all may stand behind a condition: its probability decides.
            .map(|(source, missed)| if on_way(source) { *missed } else { missed * self.skipped(*source) })
            .sum()
    }

    fn straight(&self, block: MachineBlockId) -> Option<(usize, f64)> {
        self.anchors.iter().find_map(|(source, anchor)| {
            let positions = self.situation.code.graph.blocks[block].instructions.clone();
            let of_loop = |at: &usize| self.situation.places.of(*at).last() == Some(source);
            let bytes: f64 = positions.filter(of_loop).map(|at| anchor.bytes_of(self.situation.code, at)).sum();
            (bytes > 0.0).then(|| (*source, bytes / anchor.bytes))
        })
    }
}

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
    fn apart(&self, executions: &[Execution]) -> BTreeMap<LoopId, Visit> {
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
    fn likely(&self, equal: &[Way]) -> Vec<Execution> {
        let all: f64 = equal.iter().map(|way| way.probability).sum();
        let likely = || equal.iter().filter(|way| way.probability >= RAREST * all).take(MOST);
        let (kept, number) = (likely().map(|way| way.probability).sum::<f64>(), likely().count());
        // Counts that contradict each other leave no way: all are as probable.
        let weight = |way: &Way| if kept > 0.0 { way.probability / kept } else { 1.0 / number as f64 };
        let mut executions = likely().map(|way| self.execution(way, weight(way))).collect::<Vec<_>>();
        self.fit_to_entries(&mut executions);
        executions
    }

    /// Weighs ways so that loops inside are entered as often as the source says, and leaves what else was known of them as it is
    /// (iterative proportional fitting; W. E. Deming and F. F. Stephan, 1940): conditions of which no instruction tells how often
    /// they hold lead to these loops.
    fn fit_to_entries(&self, executions: &mut [Execution]) {
        let entered: Vec<(Vec<bool>, f64)> =
            self.groups.keys().filter_map(|&source| self.entered(source, executions)).collect();
        for _ in 0..if entered.len() > 1 { FITTED } else { 1 } {
            for (enters, share) in &entered {
                let own = |enters: bool| if enters { *share } else { 1.0 - share };
                let weights = executions.iter().zip(enters).filter(|(_, enters)| **enters);
                let now: f64 = weights.map(|(execution, _)| execution.weight).sum();
                for (execution, &enters) in executions.iter_mut().zip(enters) {
                    execution.weight *= own(enters) / if enters { now } else { 1.0 - now };
                }
            }
        }
    }

    /// Which ways come to a source loop of the region's own, and how many executions of the region do; `None` where that is
    /// not known, or where all ways or none come to it.
    fn entered(&self, source: usize, executions: &[Execution]) -> Option<(Vec<bool>, f64)> {
        let own = &self.situation.source.loops[source];
        let is_own = own.parent == self.home && own.range.function == self.situation.code.function.name;
        let share = self.situation.profile.reached(source).filter(|share| is_own && *share <= 1.0)?;
        let group = &self.groups[&source];
        let enters = |execution: &Execution| {
            execution.written_out.contains_key(&source) || execution.trips.keys().any(|id| group.loops.contains_key(id))
        };
        let enters: Vec<bool> = executions.iter().map(enters).collect();
        let weights = executions.iter().zip(&enters).filter(|(_, enters)| **enters);
        let now: f64 = weights.map(|(execution, _)| execution.weight).sum();
        (now > 0.0 && now < 1.0 && enters.contains(&false)).then_some((enters, share))
    }

    fn execution(&self, way: &Way, weight: f64) -> Execution {
        let (trips, written_out) = (self.trips(way).0, way.straight.clone());
        Execution { weight, steps: way.steps(), trips, written_out }
    }

    /// Adds ways through what these executions leave out though it runs often, each as often as that runs: what the instructions
    /// of a branch come from can make it look as if it was never taken. Where there is no such way, nothing is known of the region:
    /// elements that are miscounted can make every way through a part of it look wrong.
    fn bring_left_out(&self, executions: &mut Vec<Execution>, equal: &[Way], missed: f64) {
        for _ in 0..=MOST {
            let Some((block, share)) = self.left_out(executions) else { return };
            let known = equal.iter().find(|way| self.goes_through(way, block)).cloned();
            let Some(way) = known.or_else(|| self.way_through(block, missed)) else { break };
            let share = share.min(MOSTLY);
            executions.iter_mut().for_each(|execution| execution.weight *= 1.0 - share);
            executions.push(self.execution(&way, share));
        }
        executions.clear();
    }

    fn goes_through(&self, way: &Way, source_block: usize) -> bool {
        way.steps().iter().any(|step| matches!(step, Step::Block(block) if self.is_of(*block, source_block)))
    }

    /// Whether instructions of a machine block come from a source block.
    fn is_of(&self, block: MachineBlockId, source_block: usize) -> bool {
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
    fn left_out(&self, executions: &[Execution]) -> Option<(usize, f64)> {
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
            let left = counts.iter().filter(|&(block, count)| *count > OFTEN * most && !taken.contains_key(block));
            let shares = left.map(|(block, count)| (*block, count / most));
            shares.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        };
        // A short loop beside one of many iterations is no loss.
        left_out(&own, greatest(&own)).or_else(|| left_out(&written_out, greatest(&inside)))
    }

    fn home_of(&self, source_block: usize) -> Option<usize> {
        self.situation.source.blocks[source_block].home
    }

    /// Whether a source block is of a loop that has no machine loop: its instructions stand in the region's own blocks.
    fn is_written_out(&self, source_block: usize) -> bool {
        let group = self.home_of(source_block).and_then(|home| self.groups.get(&home));
        group.is_some_and(|group| group.loops.is_empty())
    }

    /// The source blocks that instructions of these blocks come from, with their counts.
    fn source_blocks(&self, blocks: impl Iterator<Item = MachineBlockId>) -> BTreeMap<usize, f64> {
        let situation = self.situation;
        let instructions = blocks.flat_map(|block| situation.code.graph.blocks[block].instructions.clone());
        let sources = instructions.filter_map(|at| situation.places.block(at));
        sources.filter_map(|source| Some((source, situation.profile.count(source)?))).collect()
    }

    /// How wrong it is to leave a source loop out: wholly, unless a condition may skip it.
    fn skipped(&self, source: usize) -> f64 {
        let reached = self.situation.profile.reached(source);
        if reached.is_some_and(|reached| reached < ALWAYS) { 0.0 } else { 1.0 }
    }

    /// Source blocks that all of several ways have instructions of: what follows a branch is copied into both of its ways (tail
    /// duplication), and says nothing of how often each is taken.
    fn copied(&self, ways: &[MachineBlockId]) -> BTreeSet<usize> {
        let of = |way: &MachineBlockId| self.source_blocks(std::iter::once(*way)).into_keys().collect::<BTreeSet<_>>();
        let common = |all: BTreeSet<usize>, own: BTreeSet<usize>| &all & &own;
        if ways.len() > 1 { ways.iter().map(of).reduce(common).unwrap_or_default() } else { BTreeSet::new() }
    }

    /// How probable a way is that is taken where one lane of a vector at least has the condition, which each has with the
    /// probability `share`: compilers jump over code under a mask that is empty.
    fn of_any_lane(&self, from: MachineBlockId, share: f64) -> f64 {
        let instructions = &self.situation.code.function.instructions;
        let tests_mask = instructions[self.situation.code.graph.blocks[from].instructions.clone()]
            .iter()
            .any(|instruction| MASK_TESTS.contains(&instruction.mnemonic.as_str()));
        let lanes = self.id.and_then(|id| self.situation.matches.get(&id)?.as_ref().ok()).map_or(1, |own| own.elements);
        if tests_mask { 1.0 - (1.0 - share.clamp(0.0, 1.0)).powf(lanes as f64) } else { share }
    }

    /// Executions of a block, where only one block leads to it, or of the next that is known.
    fn frequency(&self, from: MachineBlockId, to: MachineBlockId, copied: &BTreeSet<usize>) -> Option<f64> {
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
    fn own_frequency(&self, block: MachineBlockId, copied: &BTreeSet<usize>) -> Option<f64> {
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

/// What runs so often, of the most frequent block of a region, is on one of the ways that are timed.
const OFTEN: f64 = 0.1;
/// What is reached as often is reached always: the difference is rounding.
const ALWAYS: f64 = 0.999;
/// Instructions that tell whether any bit of a mask is set.
const MASK_TESTS: [&str; 7] = ["kortestb", "kortestw", "kortestd", "kortestq", "ptest", "vptest", "vtestps"];
/// Turns of the fitting of weights.
const FITTED: usize = 20;
/// Blocks that only jump on.
const FORWARDS: usize = 3;

impl Anchor {
    fn bytes_of(&self, code: &FunctionCode, at: usize) -> f64 {
        let Some(place) = code.function.place(at).filter(|place| (place.line, place.column) == self.place) else {
            return 0.0;
        };
        debug_assert_eq!(place.line, self.place.0);
        let memory = code.function.instructions[at].memory.as_ref();
        let own = memory.filter(|memory| if self.writes { memory.writes } else { memory.reads });
        own.map_or(0.0, |memory| f64::from(memory.width))
    }
}

/// The first source loop of the loops inside a machine loop that is none of the source's.
fn inside(situation: &Situation<'_>, id: LoopId) -> Option<usize> {
    let mut children = situation.code.forest.loops[id].children.iter();
    children.find_map(|child| Some(situation.matches.get(child)?.as_ref().ok()?.source))
}

/// Source loops directly inside the region's that instructions outside machine loops come from.
fn written_out(situation: &Situation<'_>, id: Option<LoopId>, home: Option<usize>) -> BTreeSet<usize> {
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
fn anchor(situation: &Situation<'_>, id: Option<LoopId>, source: usize, group: &Group) -> Option<Anchor> {
    let matched = |id: &&LoopId| situation.matches.get(id).is_some_and(Result::is_ok);
    let widest = group.loops.keys().filter(matched).max_by(|a, b| group.loops[a].total_cmp(&group.loops[b]));
    let mut bytes: BTreeMap<(bool, (u32, u32)), f64> = BTreeMap::new();
    let mut add = |at: usize| {
        let instruction = &situation.code.function.instructions[at];
        let (Some(place), Some(memory)) = (situation.code.function.place(at), &instruction.memory) else { return };
        // Arguments of calls are put on the stack; no iteration of a loop is told by that.
        if matches!(instruction.mnemonic.as_str(), "push" | "pop") {
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
