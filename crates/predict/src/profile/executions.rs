//! How often blocks are executed, by task and context.

use super::amount::{Amount, Key};
use super::tally::Class;
use chronos_activity::CountSource;
use chronos_base::hash::FxHashMap;
use chronos_ir::{Block, BlockId, CounterId, Program};
use chronos_slicing::doubts::Certainty;
use chronos_symbolic::Atoms;
use std::collections::{BTreeMap, BTreeSet};

/// Executions of every block, by class of tasks.
pub(crate) struct Executions<'a> {
    pub program: &'a Program,
    pub classes: &'a [Class],
    /// Blocks whose counts depend on the order of arrival.
    pub timing: &'a BTreeSet<BlockId>,
    /// What expressions are written in.
    pub atoms: &'a Atoms,
    /// Blocks that are not executed because a check is assumed to succeed, or a file not to exist, and what else
    /// follows from that.
    pub branches_left_to_heuristics: BTreeSet<BlockId>,
    /// Blocks that the MPI library executes in reductions, and the calls that made these operations.
    pub operated: BTreeMap<BlockId, BlockId>,
    /// Blocks that are executed once at most.
    pub once: BTreeSet<BlockId>,
    /// Blocks whose counts rest on what may be otherwise.
    pub doubted: BTreeMap<BlockId, Certainty>,
}

impl Executions<'_> {
    pub(crate) fn amount(&self, class: &Class, counter: CounterId) -> Amount {
        let block = self.program.block_of(counter);
        let amount = class.amount(counter);
        match () {
            // What was counted in a run needs no further doubt.
            () if amount.source() == CountSource::Trace => amount,
            () if self.operated.contains_key(&block) => amount.at_least_that(),
            () if self.timing.contains(&block) => amount.at_source(CountSource::Timing),
            () if class.is_partial() && self.once.contains(&block) => amount.at_most_once(),
            () if self.branches_left_to_heuristics.contains(&block) => amount.at_source(CountSource::Assumed),
            () => match self.doubted.get(&block) {
                Some(Certainty::Unknown) => amount.at_least_that(),
                Some(Certainty::Approximate) => amount.at_source(CountSource::Assumed),
                None => amount,
            },
        }
    }

    /// The sum of some counters.
    pub(crate) fn sum(&self, class: &Class, term: &[CounterId]) -> Amount {
        term.iter().fold(Amount::ZERO, |sum, &counter| sum.plus(&self.amount(class, counter)))
    }

    /// All counters of a block, by groups of tasks for which all of them agree.
    pub(crate) fn of_block(&self, block: &Block) -> Vec<Group> {
        let all = |class: &Class| (0..block.counters()).map(|i| self.amount(class, block.counter(i))).collect();
        self.grouped(all)
    }

    /// Groups of tasks for which the amounts agree.
    pub(crate) fn grouped(&self, amounts: impl Fn(&Class) -> Vec<Amount>) -> Vec<Group> {
        let mut known: FxHashMap<Vec<Key>, usize> = FxHashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        for class in self.classes {
            let amounts = amounts(class);
            let key = amounts.iter().map(|amount| Key::of(amount, self.atoms)).collect();
            let index = *known.entry(key).or_insert(groups.len());
            if index == groups.len() {
                groups.push(Group { tasks: Vec::new(), amounts });
            }
            groups[index].tasks.extend(&class.tasks);
        }
        groups.iter_mut().for_each(|group| group.tasks.sort_unstable());
        groups.sort_by_key(|group| group.tasks.first().copied());
        groups
    }

    /// The worst over the tasks.
    pub(crate) fn source(&self, counter: CounterId) -> CountSource {
        self.classes.iter().map(|class| self.amount(class, counter).source()).max().unwrap_or(CountSource::Static)
    }
}

/// Tasks for which some amounts agree.
pub(crate) struct Group {
    /// Ascending.
    pub tasks: Vec<u32>,
    pub amounts: Vec<Amount>,
}
