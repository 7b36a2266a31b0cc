//! Machine loops of one source loop: how many iterations each runs on a way, and what the way misses.

use super::plan::Situation;
use super::versions::Versions;
use super::ways::Way;
use crate::code::FunctionCode;
use crate::loops::LoopId;
use crate::matching::{Role, is_reached_without};
use std::collections::{BTreeMap, BTreeSet};

/// Machine loops of one source loop inside a region.
#[derive(Default)]
pub(super) struct Group {
    /// Machine loops with the elements that one iteration handles.
    pub loops: BTreeMap<LoopId, f64>,
    /// Elements that the widest arithmetic instruction of each works on at once.
    pub lanes: BTreeMap<LoopId, f64>,
    /// The inlined calls by which each is entered.
    pub inlined_by: BTreeMap<LoopId, usize>,
    /// The most elements that one block handles outside those.
    pub widest_block: f64,
    /// Iterations of the source loop each time it is entered.
    pub wanted: f64,
    pub varies: bool,
    pub versions: Versions,
    /// Loops around others, which run all that is left of the iterations, whatever was moved out of them.
    pub whole: BTreeSet<LoopId>,
    /// Iterations of loops whose begin, end and step stand in the code.
    pub constant: BTreeMap<LoopId, f64>,
    /// Loops behind a check at run time that fails: stores overlap loads.
    pub barred: BTreeSet<LoopId>,
    /// Stores overlap loads.
    pub overlaps: bool,
}

impl Group {
    /// Iterations of its loops, those of `source`, on a way, and elements that the way misses or has too many.
    pub(super) fn trips(&self, source: usize, way: &Way) -> (BTreeMap<LoopId, f64>, f64) {
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

/// Elements of one iteration of a loop that moves whole vectors, of which no instruction tells the size of an element, by the
/// iterations that stand in its code.
pub(super) fn moved_at_once(code: &FunctionCode, id: LoopId, wanted: f64) -> Option<f64> {
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
pub(super) fn turns(left: f64, elements: f64, varies: bool, last: bool) -> f64 {
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

/// Loops of several elements beside which there is a version of one: compilers leave it for arrays that overlap. Where only a check
/// at run time finds that, the loop that runs what is left over by vectors may be that version too, if control comes to it past them
/// (clang 14 at -O2).
pub(super) fn barred(situation: &Situation<'_>, source: usize, loops: &BTreeMap<LoopId, f64>) -> BTreeSet<LoopId> {
    let role = |id: &LoopId| situation.matches.get(id).and_then(|found| found.as_ref().ok()).map(|found| found.role);
    let checked = situation.profile.meets_by_counter(source);
    let is_past = |id: &LoopId| {
        let wider = loops.iter().filter(|(_, elements)| **elements > loops[id]).map(|(wider, _)| *wider).collect();
        checked && is_reached_without(situation.code, *id, &wider)
    };
    let is_version = |id: &LoopId| role(id) == Some(Role::Version) || is_past(id);
    let fewest = loops.iter().filter(|(id, _)| is_version(id)).map(|(_, elements)| *elements);
    let fewest = fewest.fold(f64::INFINITY, f64::min);
    loops.iter().filter(|(_, elements)| **elements > fewest).map(|(id, _)| *id).collect()
}
