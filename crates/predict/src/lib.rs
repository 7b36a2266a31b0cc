//! Predictions: a program, a machine and a network to times, counts, expressions, or findings about its use of MPI.
//!
//! # Purpose
//!
//! This crate joins evaluation, cost and replay, and turns what they found into the data of `chronos_report`.
//! Everything above (`pipeline`, the command line) asks it; it knows neither files nor flags.
//!
//! # How it works
//!
//! All tasks are evaluated together. `evaluation::evaluate` makes the feed of a job (`Job`) and lets the replay drive
//! it once; counting and predicting share this step. What the feed made is recorded as a folded `Activity`. Unless it
//! depends on the timing of its target, it is replayed on further machines as it is (`predict_again`).
//!
//! Between evaluation and replay stands one point at which an activity is changed: `chronos_activity::transform`,
//! applied by `predict_transformed`. A what-if question implements `Transform` and passes through nothing else
//! (`docs/add-a-what-if-question.md`).
//!
//! A job on machines of several data models has a program for each (`evaluation::OtherPrograms`); blocks have the same
//! numbers in all of them, so that counts are added up, and each machine prices segments of its own program.
//!
//! ## Prices
//!
//! A prediction has one cost model for each kind of node of a platform (`pricing`); each segment is priced once.
//! `reuse` walks over the recorded activity of a task, repeats twice, and finds how many different bytes were used
//! between two uses of the same memory. So a program is priced twice where that makes a difference: while it is
//! evaluated as if all was found in the caches, then its activity is replayed with the final prices.
//!
//! ## Reports
//!
//! `replayed` replays the recorded activity twice more, bounded: once with timeline, messages and dependences, once
//! with the critical path as windows of each task's time, in which segments and calls are added up. So functions get
//! their share of the path. `replays` replays an activity many times with other computing times, for `chronos_whatif`. `sensitivity` replays the activity on the network with one part 1 % worse at a time.
//! `intervals` carries the residuals of the calibration suite over to the loops of the program. `network_interval` and
//! `assumption_interval` widen the interval of the total by what the network file leaves open and by what is assumed of
//! branches and loops.
//!
//! ## Counts
//!
//! `profile` joins evaluation and an untimed replay to counts by block, line and group of tasks, and says why counts
//! are inexact. Where an MPI structure remains unknown the task ends there; what it cannot execute any more is exact
//! (`profile/ahead.rs`). Three further evaluations find what is no more certain than an assumption:
//!
//! - `profile/absent.rs` evaluates as if files existed that were not given, and marks what is counted otherwise;
//! - `profile/polls.rs` evaluates with slower messages and with slower computation, and so finds what only depends on
//!   how often a program polls;
//! - `profile/orders.rs` evaluates a program in other, random orders of arrival. The static analysis of what may depend
//!   on arrival covers nearly everything in a program that unpacks what comes first; only what differed is marked.
//!
//! ## Other predictions
//!
//! - `a_priori` counts the calls of a program with a few numbers of tasks, finds their expressions in it, and replays what
//!   they cost with any number.
//! - `symbolic` sums counts with free parameters times the cost of one execution of each block: exact quasi-polynomials
//!   of nanoseconds, rounded only where they are shown.
//! - `traced` first gives the evaluation the means of a trace, so that it gets to the end, then scales inexact counts
//!   to the totals of each task; how they spread over the segments of a task is the evaluation's. `predict_run` takes
//!   the calls of the run alone. `profile::traced` puts traced counts where static ones are not exact.
//! - `executed` follows processes that run in virtual time (`chronos_direct_execution`), whatever is known statically.
//! - `calibration` multiplies prices by what a short run of the same program was measured against its prediction.
//! - `recorded` predicts recorded runs: what was evaluated is the activity of a record.
//! - `correctness` picks what concerns the use of MPI (`chronos check --mpi`). It evaluates the job once more as an MPI
//!   without buffers would run it, with other arguments, and with messages in other orders.
//! - `evaluation::spawning` evaluates with more and more tasks that `MPI_Comm_spawn` starts until there are enough of
//!   them; they are the last of the job (`Job::spawned`).
//! - `suite_residuals` predicts the calibration suite on a machine: the residuals of the model `source` by kind of
//!   code.
//! - `assumptions` and `library_costs` are the formats of two files of users. They know neither what stands at the
//!   places nor how calls are counted.
//!
//! # Invariants
//!
//! - The replay is the only driver of an evaluation, whether its times matter or not. A prediction of tasks in classes has what
//!   they execute from their courses alone; its replay then shows whether messages are what classes expect (`expected_messages`).
//! - A prediction without a total is incomplete, and a diagnostic says why. Nothing is guessed silently: `Found` has
//!   what was assumed, what depends on arrival, and the doubts with the counts that rest on them.
//! - An activity that depends on arrival is used for its own target alone (`Outcome::once`).
//! - Times are integer picoseconds; the same input gives the same prediction, whatever the number of threads.
//! - The crate reads no file, no flag and no environment variable, and prints nothing.
//!
//! # Limits
//!
//! - That an order of arrival decides nothing is seen in a few orders, not proved.
//! - Whether a file exists that was not given is assumed and said (C0307). Counts are evaluated again as if it did; a
//!   prediction is not.
//! - What depends on arrival keeps the prices of the first pass, which take all memory to be found in the caches.
//!   Contexts and nests of one segment are taken in the order of first execution and of the text.
//! - Intervals take what users say of branches and loops as exact, and libraries to cost nothing where nobody says what.
//! - Expressions hold computing times only; when a message arrives is no polynomial.
//!
//! # Literature
//!
//! - Vakkalanka and others: ISP, PPoPP 2008 (zero buffers); Vakkalanka and others, CAV 2008 (orders, POE).
//! - Vasiladiotis and others, CGO 2021: dynamic commutativity analysis (permuted orders).
//! - Mattson, Gecsei, Slutz, Traiger 1970 (reuse distance).

#![forbid(unsafe_code)]

pub mod a_priori;
pub mod assumptions;
pub mod calibration;
pub mod correctness;
mod coverage;
pub mod efficiency;
pub mod evaluation;
pub mod executed;
pub mod library_costs;
pub mod object_code;
pub mod profile;
pub mod short_run;
pub mod suite_residuals;

mod aggregate;
pub mod assumption_interval;
mod cache_factors;
mod call_tree;
mod coarse_timeline;
mod expected_messages;
mod functions;
mod intervals;
mod loops;
pub mod network_interval;
pub mod path_errors;
mod pricing;
pub mod recorded;
pub mod replayed;
pub mod replays;
mod report_sections;
mod reuse;
pub mod symbolic;
mod target;
pub mod teams;
pub mod traced;

use crate::evaluation::{Found, joined};
use crate::evaluation::{clocks, random_numbers};
use crate::target::placement;
use aggregate::Aggregate;
use cache_factors::CacheFactors;
use call_tree::CallTree;
use chronos_activity::schedule::Schedule;
use chronos_activity::{Activity, transform};
use chronos_base::diag::Diagnostic;
use chronos_machine::network::{Network, scale};
use chronos_machine::scale::Factor;
use chronos_replay::{self as replay, Pricing, ReplayOptions, ReplayResult};
use chronos_report::model::{Prediction, Sensitivity};
use chronos_tool_formats::ti;
use expected_messages::{ShownMessages, predict_separately};
use intervals::Intervals;
use pricing::Prices;
use std::borrow::Cow;

pub use crate::evaluation::{Job, OtherPrograms};
pub use report_sections::{call_name, mpi_name, task};
pub use target::{ModelOptions, Target, nodes};

/// Spans of time, and messages, that a timeline holds at most.
pub const TIMELINE_ROOM: usize = 2_000_000;

/// A prediction with what else is worth keeping.
#[derive(Debug)]
pub struct Outcome {
    /// The times, as far as they are known.
    pub prediction: Prediction,
    /// Those of evaluation, replay and prices.
    pub diagnostics: Vec<Diagnostic>,
    /// What was executed; `None` where it is not to be used again, because it depends on this target's timing.
    pub activity: Option<Evaluated>,
    /// What was executed, where it holds for this target alone.
    pub once: Option<Evaluated>,
    /// What was executed, where all MPI calls are known but not how much is computed between them.
    pub untimed: Option<Evaluated>,
    /// The replay with its timeline, where the target asks for one.
    pub replayed: Option<ReplayResult>,
    /// In how many classes the tasks were followed, or why each was followed by itself; `None` where they were not evaluated.
    pub classes: Option<Result<usize, &'static str>>,
}

impl Outcome {
    /// Of nothing that could be used again.
    fn of(prediction: Prediction, diagnostics: Vec<Diagnostic>, replayed: Option<ReplayResult>) -> Self {
        Self { prediction, diagnostics, activity: None, once: None, untimed: None, replayed, classes: None }
    }
}

/// An activity that any machine and network can be applied to.
#[derive(Clone, Debug)]
pub struct Evaluated {
    activity: Activity,
    found: Found,
    diagnostics: Vec<Diagnostic>,
}

impl Evaluated {
    /// What the tasks execute, folded.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }
}

/// Evaluates the program and predicts its time.
pub fn predict(job: &Job, target: Target<'_>) -> Outcome {
    let outcome = predict_once(job, target);
    let Some(without) = random_numbers::without(job, &outcome.diagnostics) else { return outcome };
    let mut unknown = predict_once(&without, target);
    let Some(note) = random_numbers::note(&outcome.diagnostics, &unknown.diagnostics) else { return outcome };
    unknown.diagnostics.push(note);
    unknown
}

fn predict_once(job: &Job, target: Target<'_>) -> Outcome {
    let mut prices = Prices::new(job, target);
    let mut evaluate = |followed: &Job, caches: &CacheFactors| {
        // Prices are known by numbers of segments, which are those of one evaluation.
        prices = Prices::with_caches(job, target, caches);
        with_options(job, target, &mut prices, |options| {
            evaluation::evaluate_to_replay(followed, ReplayOptions { record: true, ..options })
        })
    };
    let mut caches = CacheFactors::default();
    let mut evaluated = |job: &Job, caches: &CacheFactors| evaluation::evaluated(job, |job| evaluate(job, caches));
    let mut evaluation = clocks::followed_if_they_decide(job, |job| evaluated(job, &caches));
    let mut left = if evaluation.found.clocks.calls.is_empty() { 0 } else { MOST_REPETITIONS };
    let followed = (left > 0).then(|| clocks::with_followed_clocks(job));
    while let Some(activity) = evaluation.result.activity.as_ref().filter(|_| evaluation.result.complete && left > 0) {
        let found = Prices::cache_factors(job, target, activity, &evaluation.result);
        if found.are_near(&caches, SAME_TIME) {
            break;
        }
        (caches, left) = (found, left - 1);
        evaluation = evaluated(followed.as_ref().unwrap_or(job), &caches);
    }
    evaluation.found.clocks.caches = caches;
    settled(job, target, prices, evaluation)
}

/// How often a program whose clock decides is followed again at most, with what the caches held before.
const MOST_REPETITIONS: usize = 3;
/// Share of the time of each block up to which it is said to take the same time.
const SAME_TIME: f64 = 0.02;

/// What follows from an evaluation whose computing was priced as if all was found in the caches.
fn settled<'a>(
    job: &'a Job,
    target: Target<'a>,
    mut prices: Prices<'a>,
    evaluation: evaluation::Evaluation,
) -> Outcome {
    let evaluation::Evaluation { mut result, mut segments, found, diagnostics, is_to_replay, is_in_classes, .. } =
        evaluation;
    let mut activity = result.activity.take().filter(|_| result.complete);
    activity.iter_mut().for_each(|activity| activity.timing_dependent = found.arrival.structure);
    if let Some(activity) = activity.as_ref().filter(|_| is_to_replay) {
        prices = Prices::of_all(job, target, activity);
        segments = activity.segments.clone();
    }
    let evaluated = |activity| Evaluated { activity, found: found.clone(), diagnostics: diagnostics.clone() };
    let evaluated = activity.map(evaluated);
    if is_in_classes && evaluated.is_none() {
        return predict_separately(job, target);
    }
    let is_timed = result.complete && !prices.leave_unknown();
    let (untimed, timed) = if is_timed { (None, evaluated) } else { (evaluated, None) };
    let untimed = untimed.filter(|evaluated| !evaluated.activity.timing_dependent);
    let (once, activity) = match timed {
        Some(evaluated) if evaluated.activity.timing_dependent => (Some(evaluated), None),
        evaluated => (None, evaluated),
    };
    // What is predicted again is not put together twice.
    if let Some(evaluated) = activity.as_ref().filter(|evaluated| is_reused(job, target, evaluated, &mut prices)) {
        let (again, shown) = predict_changed(job, target, evaluated, &mut transform::Identity);
        return match is_in_classes && !shown.are_as_expected() {
            true => predict_separately(job, target),
            false => Outcome { activity, classes: found.classes, ..again },
        };
    }
    if let Some(evaluated) = activity.as_ref().or(untimed.as_ref()).filter(|_| is_to_replay) {
        let activity = &evaluated.activity;
        result = with_options(job, target, &mut prices, |options| replay::replay_activity(activity, options));
        if is_in_classes && !ShownMessages::of(&result).are_as_expected() {
            return predict_separately(job, target);
        }
    }
    let prediction = assemble(job, target, &result, &Aggregate::new(job, &segments, &result, &prices), &prices, &found);
    let diagnostics = with_prices(&diagnostics, std::mem::take(&mut result.diagnostics), &prices);
    let replayed = target.timeline.then_some(result);
    Outcome { prediction, diagnostics, activity, once, untimed, replayed, classes: found.classes }
}

/// Whether what segments find in the caches makes a difference to their prices.
fn is_reused<'a>(job: &'a Job, target: Target<'a>, evaluated: &Evaluated, prices: &mut Prices<'a>) -> bool {
    let activity = &evaluated.activity;
    Prices::of_activity(job, target, activity).differ(prices, &activity.segments)
}

/// Predicts on another target from what was evaluated before.
pub fn predict_again(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Outcome {
    predict_transformed(job, target, evaluated, &mut transform::Identity)
}

/// Predicts from what was evaluated before, changed as a what-if question asks: prices, times and tables are those of
/// the changed activity.
pub(crate) fn predict_transformed(
    job: &Job,
    target: Target<'_>,
    evaluated: &Evaluated,
    change: &mut dyn transform::Transform,
) -> Outcome {
    predict_changed(job, target, evaluated, change).0
}

/// The same, with what its replay shows.
fn predict_changed(
    job: &Job,
    target: Target<'_>,
    evaluated: &Evaluated,
    change: &mut dyn transform::Transform,
) -> (Outcome, ShownMessages) {
    let activity = transform::apply(&evaluated.activity, change);
    let mut prices = Prices::of_activity(job, target, &activity);
    let mut result = with_options(job, target, &mut prices, |options| replay::replay_activity(&activity, options));
    let aggregate = Aggregate::new(job, &activity.segments, &result, &prices);
    let prediction = assemble(job, target, &result, &aggregate, &prices, &evaluated.found);
    let diagnostics = with_prices(&evaluated.diagnostics, std::mem::take(&mut result.diagnostics), &prices);
    let shown = ShownMessages::of(&result);
    (Outcome::of(prediction, diagnostics, target.timeline.then_some(result)), shown)
}

/// What was evaluated, of a program that depends on the order of arrival, with the matching of its run on this target: it
/// can be replayed under changes, where each call takes what it took then. `None` where a task does too much to be kept.
pub fn with_recorded_matching(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Option<Evaluated> {
    let mut prices = Prices::new(job, target);
    let is_plain = evaluated.found.clocks.calls.is_empty();
    let followed = if is_plain { Cow::Borrowed(job) } else { Cow::Owned(clocks::with_followed_clocks(job)) };
    let activity = with_options(job, target, &mut prices, |options| {
        evaluation::pinned(&followed, ReplayOptions { critical_path: false, ..options })
    })?;
    Some(Evaluated { activity, found: evaluated.found.clone(), diagnostics: evaluated.diagnostics.clone() })
}

/// How much longer the program takes where a part of the network is 1 % worse: replayed anew for each part.
pub fn sensitivity(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Vec<Sensitivity> {
    let total = |network: &Network| {
        let target = Target { network, timeline: false, ..target };
        let mut prices = Prices::of_activity(job, target, &evaluated.activity);
        let replayed = |options: ReplayOptions<'_>| replay::replay_activity(&evaluated.activity, options);
        with_options(job, target, &mut prices, replayed).total.as_seconds()
    };
    let before = total(target.network);
    let change = |&key: &&str| {
        let factor = Factor { key: key.to_owned(), factor: 1.0 / 1.01 };
        let seconds = total(&target.network.scaled(&[factor]).ok()?) - before;
        let percent = if before > 0.0 { 100.0 * seconds / before } else { 0.0 };
        let slope = || 1e3 * (total(&later(target.network)) - before);
        Some(Sensitivity { part: key.to_owned(), percent, seconds, ms_per_us: (key == "network.latency").then(slope) })
    };
    scale::KEYS.iter().filter_map(change).collect()
}

/// The network with a microsecond more on the way of every message between nodes; a rendezvous has three of them.
fn later(network: &Network) -> Network {
    const MICROSECOND: f64 = 1000.0;
    let mut network = network.clone();
    let link = &mut network.between_nodes;
    link.latency_ns.points.iter_mut().for_each(|point| point.ns += MICROSECOND);
    link.request_ns += MICROSECOND;
    link.grant_ns += MICROSECOND;
    network
}

/// What was evaluated as a schedule, its computing priced on the target.
///
/// # Errors
/// The activity has calls that no schedule can express.
pub fn schedule(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Result<Schedule, Diagnostic> {
    let activity = &evaluated.activity;
    let mut prices = Prices::of_activity(job, target, activity);
    let mut pricing = |task, work| prices.time(task, work, &activity.segments);
    replay::unfold(activity, target.network, &mut pricing)
}

/// Actions that a time-independent trace holds at most.
const MOST_ACTIONS: usize = 20_000_000;

/// What was evaluated as a time-independent trace, its computation priced on the target: a nanosecond is one operation.
///
/// # Errors
/// The activity has calls that no such trace can express, or too many.
pub fn time_independent_trace(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Result<String, Diagnostic> {
    let activity = &evaluated.activity;
    let mut prices = Prices::of_activity(job, target, activity);
    let mut pricing = |task, work| prices.time(task, work, &activity.segments);
    ti::render(activity, &mut pricing, ti::FLOP_RATE, MOST_ACTIONS)
}

fn with_prices(evaluation: &[Diagnostic], replay: Vec<Diagnostic>, prices: &Prices<'_>) -> Vec<Diagnostic> {
    let mut all = joined(evaluation, replay);
    all.extend(prices.diagnostics());
    all
}

/// How a job is replayed on a target.
fn with_options<R>(
    job: &Job,
    target: Target<'_>,
    prices: &mut Prices<'_>,
    replayed: impl FnOnce(ReplayOptions<'_>) -> R,
) -> R {
    with_pricing(job, target, &mut |task, work, segments| prices.time(task, work, segments), replayed)
}

/// The same, where computing takes other times than those of the cost models.
fn with_pricing<R>(
    job: &Job,
    target: Target<'_>,
    pricing: &mut Pricing<'_>,
    replayed: impl FnOnce(ReplayOptions<'_>) -> R,
) -> R {
    let program = &job.program;
    let locate = |site: chronos_activity::Site| program.blocks.get(site.block).map(|block| block.span);
    let mut options = ReplayOptions::new(target.network, pricing, &locate);
    (options.critical_path, options.jump_ahead) = (true, target.options.jump_ahead);
    if target.timeline {
        (options.timeline, options.messages) = (TIMELINE_ROOM, TIMELINE_ROOM);
    }
    options.placement = placement(job, target);
    options.links = target.platform.and_then(|platform| platform.links.as_ref());
    replayed(options)
}

fn assemble(
    job: &Job,
    target: Target<'_>,
    result: &ReplayResult,
    aggregate: &Aggregate<'_>,
    prices: &Prices<'_>,
    found: &Found,
) -> Prediction {
    let intervals = Intervals::new(job, aggregate, prices, target);
    let known_s = result.total.as_seconds();
    let complete = result.complete && aggregate.unknown.is_empty();
    let tree = CallTree::new(job, aggregate);
    let mut blocks = report_sections::blocks(job, aggregate, found);
    tree.add_inclusive(&mut blocks, aggregate);
    intervals.add_to_blocks(&mut blocks, job.tasks, aggregate);
    Prediction {
        total_s: complete.then_some(known_s),
        interval_s: job.program.main.filter(|_| complete).and_then(|main| intervals.around(known_s, main, aggregate)),
        computing_interval_s: None,
        known_s,
        tasks: report_sections::tasks(job, target, result),
        functions: functions::functions(job, aggregate, &intervals),
        blocks,
        call_tree: tree.nodes(job, aggregate),
        calls: report_sections::calls(job, result, aggregate),
        wtime: report_sections::clocks(job, result),
        critical_path: report_sections::critical_path(job, result),
        assumptions: report_sections::assumptions(job, aggregate, &found.assumed),
        loops: loops::loops(job, aggregate, prices),
        roofline: loops::roofline(target),
        object_code: coverage::coverage(job, aggregate, prices),
        ..Prediction::unknown(report_sections::platform(target), job.tasks, &prices.model_names())
    }
}
