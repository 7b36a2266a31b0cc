//! What the counts of the source say of the ways through a region: which of them run as many iterations, and how probable
//! each is.

use super::anchors::{Anchor, anchor, written_out};
use super::groups::{Group, barred, moved_at_once};
use super::plan::Situation;
use super::versions::{Versions, sources_inside};
use super::ways::{Coming, Judge, Way};
use crate::graph::MachineBlockId;
use crate::loops::LoopId;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct RegionJudge<'a> {
    pub situation: &'a Situation<'a>,
    pub id: Option<LoopId>,
    pub home: Option<usize>,
    pub groups: BTreeMap<usize, Group>,
    pub anchors: BTreeMap<usize, Anchor>,
}

impl<'a> RegionJudge<'a> {
    pub(super) fn new(situation: &'a Situation<'a>, id: Option<LoopId>) -> Self {
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
                group.barred = barred(situation, source, &group.loops);
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
    pub(super) fn trips(&self, way: &Way) -> (BTreeMap<LoopId, f64>, BTreeMap<usize, f64>) {
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

impl Judge for RegionJudge<'_> {
    fn probability(&self, from: MachineBlockId, to: MachineBlockId) -> f64 {
        let successors = &self.situation.code.graph.blocks[from].successors;
        let stays = |block: &&MachineBlockId| {
            self.id.is_none_or(|id| self.situation.code.forest.loops[id].blocks.contains(block))
        };
        let ways: Vec<MachineBlockId> = successors.iter().filter(stays).copied().collect();
        if let Some(never) = self.for_errno(&ways) {
            return if to == never { 0.0 } else { 1.0 };
        }
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

/// The first source loop of the loops inside a machine loop that is none of the source's.
fn inside(situation: &Situation<'_>, id: LoopId) -> Option<usize> {
    let mut children = situation.code.forest.loops[id].children.iter();
    children.find_map(|child| Some(situation.matches.get(child)?.as_ref().ok()?.source))
}
