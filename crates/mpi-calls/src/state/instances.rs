//! What the members of a communicator have given to each of its collective operations.
//!
//! Members run apart: one may be several collectives ahead of another. An instance lives from the
//! first member that enters it to the last that has finished it.

use crate::data::blocks::{BlockPlace, in_a_row};
use crate::data::buffer::Data;
use crate::state::repeats::History;
use crate::state::repeats::remembered;
use crate::state::windows::window::Exposed;
use chronos_activity::{CommId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::DataModel;
use chronos_mpi::{Group, Neighbours, Predefined, ReduceOp, Topology};
use chronos_values::ReasonId;
use std::ops::Range;
use std::sync::Arc;

/// The collectives of one communicator, numbered from 0 in the order of calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instances {
    /// By rank: the number of the next collective.
    next: Vec<u64>,
    open: FxHashMap<u64, Instance>,
    /// Collectives that a rank performed in a folded repeat, without giving anything.
    skipped: Vec<(usize, Range<u64>)>,
    /// What members gave to collectives that are finished, and in repeats, by rank.
    kept: Vec<History<Contribution>>,
    /// Some member has performed collectives in a folded repeat.
    repeats: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub first: CollectiveCall,
    /// By rank; places that stay empty are small, as most do where few tasks are followed for all.
    pub contributions: Vec<Option<Box<Contribution>>>,
    /// By rank, once worked out: the new communicator.
    pub agreed: Option<Vec<Option<CommId>>>,
    /// Something is known of what some member gave.
    pub(crate) is_known: bool,
    /// That nothing is known of what members give, and that it fits into these blocks of all of them, once worked out.
    pub(crate) unknown: Option<UnknownBlocks>,
    /// Reductions over the first members, as far as they were worked out: with one member more each.
    prefixes: Option<(ReduceOp, Predefined, Vec<Data>)>,
    /// The reduction over all members, once worked out.
    pub reduced: Option<Data>,
    /// Where an ordered access to a file begins, once worked out.
    pub position: Option<u64>,
    finished: usize,
}

/// Blocks into which goes what all members give, and of which nothing is known.
#[derive(Clone, Debug)]
pub(crate) struct UnknownBlocks {
    pub places: Arc<[BlockPlace]>,
    /// Of the elements of the blocks.
    pub kind: Predefined,
    /// Where they begin and how many elements they have together: each lies behind the one before it.
    pub row: (i64, u64),
    pub bytes: u64,
    /// Why it is not known.
    pub lost: Option<ReasonId>,
}

impl Instance {
    /// The reduction over the first members, where all of them have entered: each goes on from the one before, in the order of
    /// ranks.
    pub(crate) fn prefix(
        &mut self,
        members: usize,
        (op, kind): (ReduceOp, Predefined),
        combine: impl Fn(&[Option<Box<Contribution>>]) -> Data,
    ) -> Option<Data> {
        let same = |(of, with, _): &(ReduceOp, Predefined, Vec<Data>)| (*of, *with) == (op, kind);
        let (.., known) = match &mut self.prefixes {
            Some(known) if same(known) => known,
            other => other.insert((op, kind, Vec::new())),
        };
        for next in self.contributions.get(..members)?.iter().skip(known.len()) {
            if next.is_none() {
                return None;
            }
            let reduced = match known.last() {
                None => combine(std::slice::from_ref(next)),
                Some(before) => combine(&[Some(Box::new(Contribution::of(before.clone()))), next.clone()]),
            };
            known.push(reduced);
        }
        known.get(members.checked_sub(1)?).cloned()
    }

    /// Whether nothing is known of what the members give, each the same to all, and it fits into these blocks.
    pub(crate) fn unknown_in(
        &mut self,
        places: &Arc<[BlockPlace]>,
        kind: Predefined,
        room: impl Fn(usize) -> u64,
    ) -> Option<&UnknownBlocks> {
        let known = |unknown: &UnknownBlocks| Arc::ptr_eq(&unknown.places, places) && unknown.kind == kind;
        if !self.unknown.as_ref().is_some_and(known) {
            self.unknown = None;
            let mut unknown =
                UnknownBlocks { places: Arc::clone(places), kind, row: in_a_row(places)?, bytes: 0, lost: None };
            for (rank, given) in self.contributions.iter().enumerate() {
                let Contribution { data, parts: Parts::Whole, .. } = given.as_deref()? else { return None };
                let same = unknown.bytes == 0 || data.bytes == 0 || data.lost == unknown.lost;
                if data.payload.is_some() || data.vague.is_some() || data.bytes != room(rank) || !same {
                    return None;
                }
                if data.bytes > 0 && data.kind != Some(kind) {
                    return None;
                }
                unknown.lost = if data.bytes > 0 { data.lost } else { unknown.lost };
                unknown.bytes = unknown.bytes.checked_add(data.bytes)?;
            }
            self.unknown = Some(unknown);
        }
        self.unknown.as_ref()
    }
}

/// What all members must agree on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CollectiveCall {
    pub name: &'static str,
    pub root: Option<TaskId>,
    pub task: TaskId,
    pub span: Span,
}

/// What one member gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contribution {
    pub data: Data,
    pub parts: Parts,
    /// Rank of the member that the first part goes to.
    pub first: usize,
    /// The two sides of an intercommunicator become one communicator.
    pub merges: bool,
    /// What a leader brings to an intercommunicator that is made.
    pub(crate) bridge: Option<IntercommAgreement>,
    pub choice: Option<NewCommunicator>,
    /// The root's: the intercommunicator with the tasks that it spawns.
    pub spawned: Option<CommId>,
    /// Memory of a window that is made.
    pub exposed: Option<Exposed>,
}

/// What leaders tell of an intercommunicator that is made.
#[derive(Clone, Debug)]
pub(crate) enum IntercommAgreement {
    /// To the other leader: the group behind it.
    Offer { group: Group, tag: i64 },
    /// To that group: where the leaders agreed.
    Agreed { comm: CommId, number: u64 },
}

/// Which part of the data goes to a member.
#[derive(Clone, Debug, Default)]
pub(crate) enum Parts {
    /// All of it to everyone.
    #[default]
    Whole,
    /// Blocks of so many bytes, by rank.
    Each(u64),
    /// Begin and bytes, by rank.
    Blocks(Vec<(u64, u64)>),
}

/// Which communicator a member wants to be in, and where.
#[derive(Clone, Debug)]
pub(crate) struct NewCommunicator {
    /// `None`: in none.
    pub colour: Option<i64>,
    pub key: i64,
    pub topology: Option<Arc<Topology>>,
    pub linked: Option<GraphPart>,
}

/// What a member tells of a graph that no member knows as a whole.
#[derive(Clone, Debug)]
pub(crate) enum GraphPart {
    /// Its own neighbours.
    Own(Neighbours),
    /// Edges of any members, with weights, and whether these were given.
    Edges(Vec<(u64, u64, i64)>, bool),
}

impl Contribution {
    pub fn of(data: Data) -> Self {
        Self { data, ..Self::default() }
    }

    /// Whether the part that goes to the member with this rank is empty.
    pub(crate) fn has_no_part(&self, rank: usize) -> bool {
        let position = rank.saturating_sub(self.first);
        matches!(&self.parts, Parts::Blocks(blocks) if blocks.get(position).is_none_or(|block| block.1 == 0))
    }

    /// Where the part begins that goes to the member with this rank, and how long it is.
    pub(crate) fn place_of_part(&self, rank: usize) -> (u64, u64) {
        let position = rank.saturating_sub(self.first);
        match &self.parts {
            Parts::Whole => (0, self.data.bytes),
            Parts::Each(bytes) => (bytes.saturating_mul(position as u64), *bytes),
            Parts::Blocks(blocks) => blocks.get(position).copied().unwrap_or_default(),
        }
    }

    /// What goes to the member with this rank.
    pub fn part(&self, rank: usize, model: DataModel) -> Data {
        if matches!(self.parts, Parts::Whole) {
            return self.data.clone();
        }
        let (begin, bytes) = self.place_of_part(rank);
        self.data.slice(begin, bytes, model)
    }
}

impl Data {
    pub fn slice(&self, begin: u64, bytes: u64, model: DataModel) -> Self {
        let payload = self.payload.as_ref().and_then(|payload| payload.slice(begin, bytes, model).non_empty());
        Self { bytes, payload, kind: self.kind, typed: None, lost: self.lost, vague: self.vague }
    }
}

impl Instances {
    /// The number of the collective that `rank` enters now.
    pub fn enter(
        &mut self,
        rank: usize,
        size: usize,
        first: CollectiveCall,
        given: Contribution,
    ) -> (u64, &CollectiveCall) {
        self.next.resize(size, 0);
        let number = self.next[rank];
        self.next[rank] += 1;
        let skipped = self.skipped.iter().filter(|(_, range)| range.contains(&number)).count();
        let fresh = || Instance {
            first,
            contributions: vec![None; size],
            agreed: None,
            is_known: false,
            unknown: None,
            prefixes: None,
            reduced: None,
            position: None,
            finished: skipped,
        };
        let instance = self.open.entry(number).or_insert_with(fresh);
        instance.is_known |= given.data.payload.is_some();
        instance.contributions[rank] = Some(Box::new(given));
        (number, &instance.first)
    }

    pub fn get_mut(&mut self, number: u64) -> Option<&mut Instance> {
        self.open.get_mut(&number)
    }

    /// A member has taken what it gets; the last one closes the instance.
    pub fn finish(&mut self, number: u64) {
        if let Some(instance) = self.open.get_mut(&number) {
            instance.finished += 1;
            if instance.finished >= instance.contributions.len() {
                self.close(number);
            }
        }
    }

    /// Nobody needs the instance any more, but a member that repeats it gives the same again.
    fn close(&mut self, number: u64) {
        let Some(instance) = self.open.remove(&number) else { return };
        let most = remembered(instance.contributions.len());
        self.kept.resize_with(instance.contributions.len().max(self.kept.len()), History::default);
        for (kept, given) in self.kept.iter_mut().zip(instance.contributions) {
            if let Some(given) = given.filter(|given| given.data.payload.is_some() || given.data.lost.is_some()) {
                let weight = given.data.weight();
                kept.retire(number, *given, weight, most);
            }
        }
    }

    /// `rank` does `times` times again what it did in its last `period` collectives.
    pub fn repeat(&mut self, rank: usize, size: usize, period: u64, times: u64) {
        self.next.resize(size, 0);
        self.kept.resize_with(size, History::default);
        let open = &self.open;
        let live = |number| open.get(&number)?.contributions.get(rank)?.as_deref().cloned();
        self.kept[rank].repeat(self.next[rank], period, times, live);
        self.repeats = true;
        self.skip(rank, size, period.saturating_mul(times));
    }

    /// Enters what members give to a collective that they perform in a repeat.
    pub fn recall(&mut self, number: u64) {
        let Some(instance) = self.open.get_mut(&number).filter(|_| self.repeats) else { return };
        for (given, kept) in instance.contributions.iter_mut().zip(&self.kept) {
            if given.is_none() {
                *given = kept.find(number).cloned().map(Box::new);
                instance.is_known |= given.as_ref().is_some_and(|given| given.data.payload.is_some());
            }
        }
    }

    /// `rank` has performed `times` collectives that nobody told of.
    fn skip(&mut self, rank: usize, size: usize, times: u64) {
        self.next.resize(size, 0);
        let range = self.next[rank]..self.next[rank].saturating_add(times);
        self.next[rank] = range.end;
        let mut entered: Vec<u64> = self.open.keys().copied().filter(|number| range.contains(number)).collect();
        entered.sort_unstable();
        for number in entered {
            self.finish(number);
        }
        let behind = self.next.iter().copied().min().unwrap_or(0);
        self.skipped.retain(|(_, old)| old.end > behind);
        match self.skipped.iter_mut().find(|(who, old)| *who == rank && old.end == range.start) {
            Some((_, old)) => old.end = range.end,
            None => self.skipped.push((rank, range)),
        }
    }

    #[cfg(test)]
    pub(crate) fn open_count(&self) -> usize {
        self.open.len()
    }
}

/// What members told of a graph, by rank, as the neighbours of each.
pub(crate) fn distributed(linked: &[GraphPart]) -> Topology {
    let mut all = vec![Neighbours::default(); linked.len()];
    for (rank, member) in linked.iter().enumerate() {
        match member {
            GraphPart::Own(own) => all[rank] = own.clone(),
            GraphPart::Edges(edges, weighted) => {
                for &(from, to, weight) in edges {
                    if let (Ok(source), Ok(destination)) = (usize::try_from(from), usize::try_from(to)) {
                        all[source].destinations.push((to, weight));
                        all[destination].sources.push((from, weight));
                    }
                }
                all.iter_mut().for_each(|neighbours| neighbours.weighted |= weighted);
            }
        }
    }
    Topology::Distributed(all)
}
