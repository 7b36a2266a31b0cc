//! Other orders of arrival: which of the counts that may depend on the order do so.
//!
//! What follows from a wait for any request, a test or a receive from any source is followed through storage without
//! regard to flow, so it is nearly all of a program that unpacks whatever came first into places that the sender
//! decides. The order itself decides little of that, which shows when the program is evaluated in other orders: as
//! where loops are executed in permuted orders to find those whose iterations commute (C. Vasiladiotis et al., Loop
//! parallelization using dynamic commutativity analysis, CGO 2021). Between communications every task computes for
//! a random time, so messages overtake one another as they might on some machine. A count that is the same on every
//! task in all orders tried is taken to be independent of the order, and that is told.

use super::tally;
use super::tally::Class;
use crate::evaluation;
use crate::evaluation::random_numbers;
use crate::evaluation::{Found, Job};
use chronos_activity::{Segments, Site, TaskId, Work};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::units::Picoseconds;
use chronos_ir::{Block, BlockId, Program};
use chronos_machine::network::Network;
use chronos_replay::ReplayOptions;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::{BTreeMap, BTreeSet};

/// C0321: counts that are the same in several orders of arrival.
pub(crate) static SAME_IN_ALL_ORDERS: Code = Code {
    id: "C0321",
    title: "counts that are the same in several orders of arrival",
    explanation: "The program takes messages in the order in which they arrive (MPI_Waitany, MPI_ANY_SOURCE, tests and probes), and the counts of these blocks follow from what it takes. The program was evaluated in several random orders of arrival, and these counts were the same in all of them, so they are given as exact. Counts that differed are marked `timing`.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&SAME_IN_ALL_ORDERS];

/// Orders that are tried besides the first.
const ORDERS: u64 = 3;

/// Leaves those blocks marked whose counts differ between orders of arrival; tells of the others.
pub fn settle(job: &Job, network: &Network, classes: &[Class], found: &mut Found) -> Option<Diagnostic> {
    let marked = &found.arrival.blocks;
    // How often memory is looked at differs with any time: that some orders agree tells nothing.
    let decided = |id: &&BlockId| found.without_polls.blocks.contains(id) && !found.looking.contains(id);
    let candidates: BTreeSet<BlockId> = marked.iter().filter(decided).copied().collect();
    if candidates.is_empty() {
        return None;
    }
    let others: Vec<Vec<Class>> = (1..=ORDERS).into_par_iter().map(|seed| in_order(job, network, seed)).collect();
    let pairs: Vec<(&Class, &Class)> = others.iter().flat_map(|other| overlapping(classes, other)).collect();
    let same: BTreeSet<BlockId> =
        candidates.into_iter().filter(|&id| !block_differs(&job.program.blocks[id], &pairs)).collect();
    found.arrival.blocks.retain(|id| !same.contains(id));
    (!same.is_empty()).then(|| same_in_all_orders(&job.program, same.len(), &found.decided_by_arrival))
}

fn same_in_all_orders(program: &Program, same: usize, calls: &BTreeSet<BlockId>) -> Diagnostic {
    let orders = ORDERS + 1;
    let message =
        format!("the counts of {same} blocks are the same in {orders} orders of arrival: they are given as exact");
    let labels = calls.iter().map(|&call| program.blocks[call].span);
    labels.fold(Diagnostic::note(&SAME_IN_ALL_ORDERS, message), |note, span| {
        note.label(span, "this call takes what comes first")
    })
}

/// The counts when every task computes for random times.
fn in_order(job: &Job, network: &Network, seed: u64) -> Vec<Class> {
    let program = &job.program;
    let locate = |site: Site| program.blocks.get(site.block).map(|block| block.span);
    let evaluation = random_numbers::followed_if_few(job, |job| {
        let mut state = seed;
        let mut pricing = |_: TaskId, _: Work, _: &Segments| random_time(&mut state);
        evaluation::evaluate(job, ReplayOptions::new(network, &mut pricing, &locate))
    });
    tally::classes(program, &evaluation)
}

/// From a microsecond to a quarter of a second, all orders of magnitude alike: shorter and longer than any message.
pub(crate) fn random_time(state: &mut u64) -> Picoseconds {
    let random = next(state);
    let magnitude = 20 + random % 18;
    Picoseconds((1 << magnitude) | (next(state) & ((1 << magnitude) - 1)))
}

/// The generator splitmix64 (G. L. Steele et al., Fast splittable pseudorandom number generators, OOPSLA 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn block_differs(block: &Block, pairs: &[(&Class, &Class)]) -> bool {
    let differs = |counter| pairs.iter().any(|(one, other)| one.amount(counter) != other.amount(counter));
    (0..block.counters()).map(|i| block.counter(i)).any(differs)
}

/// Pairs of classes that have a task in common.
fn overlapping<'a>(classes: &'a [Class], others: &'a [Class]) -> Vec<(&'a Class, &'a Class)> {
    let class_of = |classes: &[Class]| -> BTreeMap<u32, usize> {
        classes.iter().enumerate().flat_map(|(i, class)| class.tasks.iter().map(move |&task| (task, i))).collect()
    };
    let (here, there) = (class_of(classes), class_of(others));
    let common: BTreeSet<(usize, usize)> =
        here.iter().filter_map(|(task, &i)| there.get(task).map(|&j| (i, j))).collect();
    common.into_iter().map(|(i, j)| (&classes[i], &others[j])).collect()
}
