//! What is executed behind which MPI call: counts of the whole program, divided by the call that came last.
//!
//! What came last is a value like any other in abstract execution: the number of a set of calls. Knows no paths
//! and no conditions; how the value changes is the business of `last_calls`.

use super::amount::Amount;
use chronos_activity::{ContextId, Count};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId};
use std::collections::{BTreeMap, BTreeSet};

/// What may have come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LastCallOption {
    /// No call yet.
    Start,
    Call(ContextId, BlockId),
    /// Whatever is last at the end of an iteration of a loop.
    Round(LoopRoundId),
}

/// A loop that may communicate, each time it is executed abstractly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LoopRoundId(usize);

/// A set of what may have come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LastCallSetId(usize);

/// Numbers below are truth values.
const FIRST: i128 = 2;

impl LastCallSetId {
    /// No call yet, and nothing else.
    pub(crate) const START: Self = Self(0);

    /// As a value of abstract execution.
    pub fn number(self) -> i128 {
        FIRST + self.0 as i128
    }

    /// `None` for what is no number of a set.
    pub fn from_number(number: i128) -> Option<Self> {
        usize::try_from(number.checked_sub(FIRST)?).ok().map(Self)
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    Executions(CounterId),
    /// Bytes that a library call handles.
    Bytes(BlockId),
}

pub type Parts = BTreeMap<(ContextId, Item, LastCallSetId), Amount>;

/// A stretch with what is executed in it: `None` in `after` is the start of the program.
pub type Divided = BTreeMap<BTreeSet<Option<(ContextId, BlockId)>>, BTreeMap<(ContextId, Item), Amount>>;

/// Counts by what came last.
#[derive(Debug, Default)]
pub struct CountsByLastCall {
    /// Without it nothing is kept.
    pub on: bool,
    sets: Vec<BTreeSet<LastCallOption>>,
    numbers: FxHashMap<BTreeSet<LastCallOption>, LastCallSetId>,
    rounds: Vec<BTreeSet<LastCallOption>>,
    pub parts: Parts,
    /// Counters and calls in blocks that cannot be followed, until it is known which all these are.
    pub(crate) lost_blocks: (BTreeSet<(ContextId, CounterId)>, BTreeSet<LastCallOption>),
    /// Work of the counting engine for parts, apart from that for whole counts.
    pub steps: u32,
}

impl CountsByLastCall {
    pub fn new() -> Self {
        let mut own = Self { on: true, ..Self::default() };
        own.set(BTreeSet::from([LastCallOption::Start]));
        own
    }

    pub fn set(&mut self, set: BTreeSet<LastCallOption>) -> LastCallSetId {
        if let Some(&known) = self.numbers.get(&set) {
            return known;
        }
        let id = LastCallSetId(self.sets.len());
        self.sets.push(set.clone());
        self.numbers.insert(set, id);
        id
    }

    pub fn members(&self, set: LastCallSetId) -> BTreeSet<LastCallOption> {
        self.sets.get(set.0).cloned().unwrap_or_default()
    }

    pub(crate) fn open_round(&mut self) -> LoopRoundId {
        self.rounds.push(BTreeSet::new());
        LoopRoundId(self.rounds.len() - 1)
    }

    pub(crate) fn close_round(&mut self, round: LoopRoundId, ends: BTreeSet<LastCallOption>) {
        if let Some(known) = self.rounds.get_mut(round.0) {
            known.extend(ends);
        }
    }

    pub fn add(&mut self, context: ContextId, item: Item, set: LastCallSetId, amount: Amount) {
        let sum = self.parts.entry((context, item, set)).or_insert(Amount::ZERO);
        *sum = std::mem::replace(sum, Amount::ZERO).plus(amount);
    }

    pub(crate) fn add_unknown(&mut self, key: (ContextId, CounterId), set: LastCallSetId) {
        self.add(key.0, Item::Executions(key.1), set, Amount::Number(Count::UNKNOWN));
    }

    /// The parts by the calls that the sets come down to.
    pub fn divided(&self) -> Divided {
        let mut divided = Divided::new();
        for (&(context, item, set), amount) in &self.parts {
            let counts = divided.entry(self.calls(set)).or_default();
            let sum = counts.entry((context, item)).or_insert(Amount::ZERO);
            *sum = std::mem::replace(sum, Amount::ZERO).plus(amount.clone());
        }
        divided
    }

    fn calls(&self, set: LastCallSetId) -> BTreeSet<Option<(ContextId, BlockId)>> {
        let mut calls = BTreeSet::new();
        let (mut seen, mut pending) = (BTreeSet::new(), self.members(set).into_iter().collect::<Vec<_>>());
        while let Some(last) = pending.pop() {
            match last {
                LastCallOption::Start => drop(calls.insert(None)),
                LastCallOption::Call(context, block) => drop(calls.insert(Some((context, block)))),
                LastCallOption::Round(round) if seen.insert(round) => {
                    pending.extend(self.rounds.get(round.0).into_iter().flatten());
                }
                LastCallOption::Round(_) => {}
            }
        }
        calls
    }
}
