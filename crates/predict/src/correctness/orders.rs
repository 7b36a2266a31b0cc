//! Programs that go wrong where messages arrive in another order.
//!
//! A receive from any source takes what comes first. ISP explores all matches of such receives (the partial order
//! avoiding elusive interleavings, POE: S. Vakkalanka et al., "Dynamic verification of MPI programs with reductions in
//! presence of split operations and relaxed orderings", CAV 2008). Here a bounded number of them is tried, each of
//! which some real run has: the job is evaluated with tasks of different speeds, in all orders of speed where they are
//! few, and with random times between calls. An error that only some orders have is told with the calls whose match
//! decides.

use super::codes::ORDER;
use crate::evaluation;
use crate::evaluation::Job;
use crate::evaluation::random_numbers;
use chronos_activity::{Segments, Site, TaskId, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;
use chronos_ir::BlockId;
use chronos_machine::network::Network;
use chronos_replay::{self as replay, ReplayOptions};
use chronos_values::Value;
use std::collections::BTreeSet;

/// Tasks up to which all orders of speed are tried.
const FEW: usize = 4;
/// Tasks, of more than that, each of which is slow once.
const SLOW: usize = 12;
/// Orders with random times.
const RANDOM: u64 = 4;
/// Steps of the replay after which an order is given up.
const STEPS: u64 = 4_000_000;

/// How long tasks take between two calls.
#[derive(Clone, Debug)]
enum Speeds {
    /// By task: so many times ten as long as the fastest.
    Ranked(Vec<u32>),
    Random(u64),
}

/// How an evaluation in one order ends.
struct Ending {
    diagnostics: Vec<Diagnostic>,
    codes: Vec<Option<Value>>,
}

/// What goes wrong in some other order; to be asked where nothing does in the first one.
pub(crate) fn other_orders(job: &Job, network: &Network) -> Vec<Diagnostic> {
    let job = Job { correctness: false, ..job.clone() };
    let calls = wildcards(&job, network);
    if calls.is_empty() {
        return Vec::new();
    }
    let first = ending(&job, network, &Speeds::Ranked(vec![0; job.tasks]));
    let others = orders(job.tasks).into_iter().map(|speeds| ending(&job, network, &speeds));
    let found = others.into_iter().map(|other| differences(&job, &first, &other, &calls));
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// The calls that take what comes first.
fn wildcards(job: &Job, network: &Network) -> BTreeSet<BlockId> {
    let locate = |site: Site| job.program.blocks.get(site.block).map(|block| block.span);
    let evaluation = random_numbers::followed_if_few(job, |job| {
        evaluation::evaluated(job, |job| {
            let mut pricing = |_, _, _: &_| Picoseconds(0);
            evaluation::evaluate(job, ReplayOptions::new(network, &mut pricing, &locate))
        })
    });
    let found = evaluation.found;
    found.decided_by_arrival.difference(&found.polls).copied().collect()
}

fn orders(tasks: usize) -> Vec<Speeds> {
    let ranked = if tasks <= FEW { permutations(tasks) } else { one_slow(tasks) };
    ranked.into_iter().map(Speeds::Ranked).chain((1..=RANDOM).map(Speeds::Random)).collect()
}

fn one_slow(tasks: usize) -> Vec<Vec<u32>> {
    let slow = |slow: usize| (0..tasks).map(|task| if task == slow { 3 } else { 0 }).collect();
    (0..tasks.min(SLOW)).map(slow).collect()
}

fn permutations(n: usize) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for rank in 0..n as u32 {
        let inserted = |order: &Vec<u32>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, rank);
                longer
            })
        };
        all = all.iter().flat_map(inserted).collect();
    }
    all
}

fn ending(job: &Job, network: &Network, speeds: &Speeds) -> Ending {
    let locate = |site: Site| job.program.blocks.get(site.block).map(|block| block.span);
    let mut state = match speeds {
        Speeds::Random(seed) => *seed,
        Speeds::Ranked(_) => 0,
    };
    let mut pricing = |task: TaskId, _: Work, _: &Segments| match speeds {
        Speeds::Ranked(ranks) => {
            let rank = ranks.get(task.0 as usize).copied().unwrap_or(0);
            // A microsecond, a tenth of a second, ...: longer than any message of the faster ones.
            Picoseconds(1_000_000 * 10_000_u64.saturating_pow(rank))
        }
        Speeds::Random(_) => crate::profile::orders::random_time(&mut state),
    };
    let options = ReplayOptions::new(network, &mut pricing, &locate);
    let options = ReplayOptions { step_limit: STEPS, ..options };
    let mut feed = evaluation::feed(job, options.placement.nodes.clone());
    let result = replay::replay_dyn(&mut feed, options);
    let diagnostics = evaluation::joined(&feed.diagnostics(), result.diagnostics);
    let codes = (0..job.tasks as u32).map(|task| feed.result(TaskId(task))).collect();
    Ending { diagnostics, codes }
}

/// Errors of the other order that the first one has not, and exit codes.
fn differences(job: &Job, first: &Ending, other: &Ending, calls: &BTreeSet<BlockId>) -> Vec<Diagnostic> {
    let place = |d: &Diagnostic| d.labels.first().map(|label| label.span);
    let known = |d: &Diagnostic| first.diagnostics.iter().any(|old| old.code == d.code && place(old) == place(d));
    let new = other.diagnostics.iter().filter(|d| d.is_error() && super::is_finding(d) && !known(d));
    let mut found: Vec<Diagnostic> = new.map(|error| told(job, error, calls)).collect();
    let exits = first.codes.iter().zip(&other.codes).enumerate();
    let failed = exits.into_iter().find_map(|(task, codes)| match codes {
        (Some(Value::Int(0)), Some(Value::Int(code))) if *code != 0 => Some((task, *code)),
        _ => None,
    });
    if let Some((task, code)) = failed.filter(|_| found.is_empty()) {
        let message = format!("task {task} ends with exit code {code}");
        found.push(told(job, &Diagnostic::error(&ORDER, message), calls));
    }
    found
}

fn told(job: &Job, error: &Diagnostic, calls: &BTreeSet<BlockId>) -> Diagnostic {
    let message = format!("where messages arrive in another order: {}", error.message);
    let mut finding = Diagnostic::error(&ORDER, message);
    finding.labels.clone_from(&error.labels);
    let spans = calls.iter().filter_map(|&call| job.program.blocks.get(call)).map(|block| block.span);
    let labelled = spans.fold(finding, |finding, span| finding.label(span, "this call takes what comes first"));
    labelled.help("name the source and the tag, or keep messages apart that must not be exchanged: other tags, or a communicator of their own")
}

#[cfg(test)]
mod tests {
    use super::permutations;

    #[test]
    fn all_orders_of_speed() {
        let mut all = permutations(3);
        all.sort();
        assert_eq!(all, [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]);
    }
}
