//! The main job: a program and a machine to a prediction.
//!
//! This module joins evaluation, cost and replay, and turns what they found into the report's
//! data. It must not know files, flags or the terminal.

mod aggregate;
mod functions;
mod pricing;
mod sections;

use crate::activity::Activity;
use crate::activity::stored::ActivityFeed;
use crate::count::Assumptions;
use crate::count::interp::{Evaluator, EvaluatorOptions, Inputs};
use crate::count::mpi::{self, Calls};
use crate::count::relevance::Analysis;
use crate::count::summary::ClosedForms;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::machine::network::Network;
use crate::program::{BlockId, Program};
use crate::replay::{self, Placement, ReplayOptions, ReplayResult};
use crate::report::model::Prediction;
use aggregate::Aggregate;
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
    /// Blocks whose counts rest on an assumption, and which one.
    assumed: Vec<(BlockId, String)>,
    diagnostics: Vec<Diagnostic>,
}

/// Evaluates the program and predicts its time.
pub fn predict(job: &Job, target: Target<'_>) -> Outcome {
    let mut evaluator = evaluator(job, target);
    let mut prices = Prices::new(&job.program, target.machine);
    let mut result = run(&mut evaluator, job, target, &mut prices, true);
    let assumed = evaluator.uncertain();
    let diagnostics = evaluator.diagnostics();
    let segments = crate::activity::Feed::segments(&evaluator);
    let prediction = assemble(job, target, &result, &Aggregate::new(job, segments, &result, &prices), &assumed);
    let activity = result.activity.take().filter(|activity| !activity.timing_dependent && prediction.total_s.is_some());
    let activity = activity.map(|activity| Evaluated { activity, assumed, diagnostics: diagnostics.clone() });
    Outcome { prediction, diagnostics: [diagnostics, result.diagnostics].concat(), activity }
}

/// Predicts on another target from what was evaluated before.
pub fn predict_again(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Outcome {
    let mut prices = Prices::new(&job.program, target.machine);
    let mut feed = ActivityFeed::new(&evaluated.activity);
    let result = run(&mut feed, job, target, &mut prices, false);
    let aggregate = Aggregate::new(job, &evaluated.activity.segments, &result, &prices);
    let prediction = assemble(job, target, &result, &aggregate, &evaluated.assumed);
    let diagnostics = [evaluated.diagnostics.clone(), result.diagnostics].concat();
    Outcome { prediction, diagnostics, activity: None }
}

/// The feed of a job: interpreter, summaries and MPI calls joined.
fn evaluator(job: &Job, target: Target<'_>) -> Evaluator {
    let analysis = Analysis::new(&job.program, &job.assumptions);
    let summaries = ClosedForms::new(job.program.clone(), analysis, job.assumptions.clone());
    let options = EvaluatorOptions {
        tasks: u32::try_from(job.tasks).unwrap_or(u32::MAX),
        arguments: job.arguments.clone(),
        inputs: job.inputs.clone(),
        assumptions: job.assumptions.clone(),
        ..EvaluatorOptions::default()
    };
    let calls = Calls::new(job.tasks, mpi::Options { model: job.program.model, nodes: nodes(job, target) });
    Evaluator::new(job.program.clone(), options, Box::new(summaries), Box::new(calls))
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
    assumed: &[(BlockId, String)],
) -> Prediction {
    let known_s = result.total.as_seconds();
    let complete = result.complete && aggregate.unknown.is_empty();
    Prediction {
        platform: sections::platform(target),
        tasks_count: job.tasks,
        total_s: complete.then_some(known_s),
        interval_s: None,
        known_s,
        cost_model: "instruction-sum".to_owned(),
        tasks: sections::tasks(target.machine, result),
        functions: functions::functions(job, aggregate),
        blocks: sections::blocks(job, aggregate),
        calls: sections::calls(job, result),
        wtime: sections::clocks(job, result),
        critical_path: sections::critical_path(job, result),
        assumptions: sections::assumptions(job, assumed),
    }
}
