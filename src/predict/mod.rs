//! The main job: a program and a machine to a prediction.
//!
//! This module joins evaluation, cost and replay, and turns what they found into the report's
//! data. It must not know files, flags or the terminal.

mod aggregate;
mod arrival;
mod functions;
mod pricing;
mod sections;
pub mod symbolic;

use crate::activity::Activity;
use crate::activity::stored::ActivityFeed;
use crate::count::Assumptions;
use crate::count::interp::{Evaluator, EvaluatorOptions, Inputs};
use crate::count::mpi::{self, Calls};
use crate::count::relevance::Analysis;
use crate::count::relevance::arrival::Arrival;
use crate::count::summary::ClosedForms;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::machine::network::Network;
use crate::program::{BlockId, Program};
use crate::replay::{self, Placement, ReplayOptions, ReplayResult};
use crate::report::model::Prediction;
use aggregate::Aggregate;
use arrival::Watch;
use pricing::Prices;
use std::sync::Arc;

/// What is predicted, apart from machine and network.
#[derive(Clone, Debug)]
pub struct Job {
    pub program: Arc<Program>,
    pub tasks: usize,
    /// Without the program's own name.
    pub arguments: Vec<String>,
    pub inputs: Inputs,
    pub assumptions: Assumptions,
}

/// Where it is predicted.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub machine: &'a Machine,
    pub network: &'a Network,
    /// Tasks that share a node.
    pub tasks_per_node: u32,
}

/// A prediction with what else is worth keeping.
#[derive(Debug)]
pub struct Outcome {
    pub prediction: Prediction,
    pub diagnostics: Vec<Diagnostic>,
    /// What was executed; `None` where it is not to be used again, because it depends on this target's timing.
    pub activity: Option<Evaluated>,
}

/// An activity that any machine and network can be applied to.
#[derive(Clone, Debug)]
pub struct Evaluated {
    activity: Activity,
    found: Found,
    diagnostics: Vec<Diagnostic>,
}

/// What the evaluation says about counts, besides the counts.
#[derive(Clone, Debug, Default)]
struct Found {
    /// Blocks whose counts rest on an assumption, and which one.
    assumed: Vec<(BlockId, String)>,
    /// Blocks whose counts depend on the order of arrival.
    arrival: Arrival,
}

/// Evaluates the program and predicts its time.
pub fn predict(job: &Job, target: Target<'_>) -> Outcome {
    let analysis = Analysis::new(&job.program, &job.assumptions);
    let mut evaluator = evaluator(job, target, analysis.clone());
    let mut prices = Prices::new(&job.program, target.machine);
    let mut watch = Watch::new(&mut evaluator);
    let mut result = run(&mut watch, job, target, &mut prices, true);
    let arrival = analysis.arrival(&job.program, &watch.finish());
    let found = Found { assumed: evaluator.uncertain(), arrival };
    let diagnostics = evaluator.diagnostics();
    let segments = crate::activity::Feed::segments(&evaluator);
    let prediction = assemble(job, target, &result, &Aggregate::new(job, segments, &result, &prices), &prices, &found);
    let mut activity = result.activity.take().filter(|_| prediction.total_s.is_some());
    activity.iter_mut().for_each(|activity| activity.timing_dependent = found.arrival.structure);
    let activity = activity.filter(|activity| !activity.timing_dependent);
    let activity = activity.map(|activity| Evaluated { activity, found, diagnostics: diagnostics.clone() });
    Outcome { prediction, diagnostics: joined(&diagnostics, result.diagnostics, &prices), activity }
}

/// Predicts on another target from what was evaluated before.
pub fn predict_again(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Outcome {
    let mut prices = Prices::new(&job.program, target.machine);
    let mut feed = ActivityFeed::new(&evaluated.activity);
    let result = run(&mut feed, job, target, &mut prices, false);
    let aggregate = Aggregate::new(job, &evaluated.activity.segments, &result, &prices);
    let prediction = assemble(job, target, &result, &aggregate, &prices, &evaluated.found);
    let diagnostics = joined(&evaluated.diagnostics, result.diagnostics, &prices);
    Outcome { prediction, diagnostics, activity: None }
}

/// A truncated message is seen by the replay, which knows both sides, and by the call that gets it.
fn joined(evaluation: &[Diagnostic], replay: Vec<Diagnostic>, prices: &Prices<'_>) -> Vec<Diagnostic> {
    let place = |d: &Diagnostic| d.labels.first().map(|label| label.span);
    let truncated = |d: &&Diagnostic| d.code == &replay::codes::TRUNCATION;
    let twice = |d: &&Diagnostic| {
        d.code == &mpi::TRUNCATION && replay.iter().filter(truncated).any(|other| place(other) == place(d))
    };
    let mut all: Vec<Diagnostic> = evaluation.iter().filter(|d| !twice(d)).cloned().collect();
    all.extend(replay);
    all.extend(prices.diagnostics());
    all
}

/// The feed of a job: interpreter, summaries and MPI calls joined.
fn evaluator(job: &Job, target: Target<'_>, analysis: Analysis) -> Evaluator {
    let summaries = ClosedForms::new(job.program.clone(), analysis, job.assumptions.clone());
    let options = evaluator_options(job);
    let calls = Calls::new(job.tasks, mpi::Options { model: job.program.model, nodes: nodes(job, target) });
    Evaluator::new(job.program.clone(), options, Box::new(summaries), Box::new(calls))
}

fn evaluator_options(job: &Job) -> EvaluatorOptions {
    EvaluatorOptions {
        tasks: u32::try_from(job.tasks).unwrap_or(u32::MAX),
        arguments: job.arguments.clone(),
        inputs: job.inputs.clone(),
        assumptions: job.assumptions.clone(),
        ..EvaluatorOptions::default()
    }
}

fn run<F: crate::activity::Feed>(
    feed: &mut F,
    job: &Job,
    target: Target<'_>,
    prices: &mut Prices<'_>,
    record: bool,
) -> ReplayResult {
    let program = &job.program;
    let locate = |site: crate::activity::Site| program.blocks.get(site.block).map(|block| block.span);
    let mut pricing = |_, work, segments: &_| prices.time(work, segments);
    let mut options = ReplayOptions::new(target.network, &mut pricing, &locate);
    options.record = record;
    options.critical_path = true;
    options.placement = Placement { nodes: nodes(job, target), processors: None };
    replay::replay(feed, options)
}

/// The node of each task.
fn nodes(job: &Job, target: Target<'_>) -> Vec<u32> {
    (0..job.tasks).map(|task| u32::try_from(task).unwrap_or(u32::MAX) / target.tasks_per_node).collect()
}

fn assemble(
    job: &Job,
    target: Target<'_>,
    result: &ReplayResult,
    aggregate: &Aggregate<'_>,
    prices: &Prices<'_>,
    found: &Found,
) -> Prediction {
    let known_s = result.total.as_seconds();
    let complete = result.complete && aggregate.unknown.is_empty();
    Prediction {
        platform: sections::platform(target),
        tasks_count: job.tasks,
        total_s: complete.then_some(known_s),
        interval_s: None,
        known_s,
        cost_model: prices.model_name().to_owned(),
        tasks: sections::tasks(target.machine, result),
        functions: functions::functions(job, aggregate),
        blocks: sections::blocks(job, aggregate, &found.arrival),
        calls: sections::calls(job, result, aggregate),
        wtime: sections::clocks(job, result),
        critical_path: sections::critical_path(job, result),
        assumptions: sections::assumptions(job, aggregate, &found.assumed),
        symbolic: None,
    }
}
