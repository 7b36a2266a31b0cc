//! The tasks of a job as they are followed: each by itself, or one for all that do the same.

use super::{Job, message_options};
use chronos_abstract_execution::ClosedForms;
use chronos_activity::{Activity, Feed, SegmentId, Segments, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_interpreter::classes::{ClassFeed, classes};
use chronos_interpreter::{Evaluator, EvaluatorOptions, Position, TaskProgram};
use chronos_ir::BlockId;
use chronos_mpi_calls::{MpiCalls, MpiState, Options};
use chronos_slicing::Analysis;
use chronos_slicing::doubts::Doubts;
use chronos_slicing::heuristics::Assumed;
use std::collections::BTreeSet;

/// From so many tasks on it is worth looking for those that do the same.
const MANY_TASKS: usize = 64;

/// Why tasks are followed one by one that need not be.
const SEPARATE: &str = "each is to be followed by itself, or a message was another one than those of a class";

/// All tasks of a job.
pub(super) enum Followed {
    /// With why that is so.
    Each(Box<Evaluator>, &'static str),
    InClasses(Box<ClassFeed>),
}

impl Followed {
    /// In classes where that is worth it and possible.
    pub(super) fn new(job: &Job, nodes: &[u32], analyses: &[Analysis], may_be_in_classes: bool) -> Self {
        let found = match may_be_in_classes {
            true => in_classes(job, nodes, analyses),
            false => Err("polls are told otherwise"),
        };
        let has_classes = found.is_ok();
        let each = || Box::new(super::evaluator_with(job, nodes.to_vec(), analyses, has_classes));
        match found {
            // What is not told of classes is not told of their members either, so that both ways give the same.
            Ok(_) if job.assumptions.separate_ranks => Self::Each(each(), SEPARATE),
            Ok(feed) => Self::InClasses(Box::new(feed)),
            Err(why) => Self::Each(each(), why),
        }
    }

    /// How many classes the tasks are in, or why each is followed by itself.
    pub(super) fn classes(&self) -> Result<usize, &'static str> {
        match self {
            Self::Each(_, why) => Err(why),
            Self::InClasses(feed) => Ok(feed.class_count()),
        }
    }

    pub(super) fn feed(&mut self) -> &mut dyn Feed {
        match self {
            Self::Each(evaluator, _) => &mut **evaluator,
            Self::InClasses(feed) => &mut **feed,
        }
    }

    /// Whether what was given is what each task by itself would have done.
    pub(super) fn is_right(&self) -> bool {
        match self {
            Self::Each(..) => true,
            Self::InClasses(feed) => feed.is_right(),
        }
    }

    pub(super) fn is_in_classes(&self) -> bool {
        matches!(self, Self::InClasses(_))
    }

    /// Whether it is, or would be but for what was asked.
    pub(super) fn may_be_in_classes(&self) -> bool {
        match self {
            Self::Each(_, why) => *why == SEPARATE,
            Self::InClasses(_) => true,
        }
    }

    /// What classes execute, without a replay; `None` where each task is followed by itself.
    pub(super) fn activity(&mut self) -> Option<Activity> {
        match self {
            Self::Each(..) => None,
            Self::InClasses(feed) => Some(feed.activity()),
        }
    }

    pub(super) fn uncertain(&self) -> Vec<(BlockId, Assumed)> {
        match self {
            Self::Each(evaluator, _) => evaluator.uncertain(),
            Self::InClasses(feed) => feed.uncertain(),
        }
    }

    pub(super) fn absent(&self) -> BTreeSet<BlockId> {
        match self {
            Self::Each(evaluator, _) => evaluator.absent().clone(),
            Self::InClasses(_) => BTreeSet::new(),
        }
    }

    /// Whether the time decided about loops or calls of MPI, without the simulated clock.
    pub(super) fn clock_decides(&self) -> bool {
        match self {
            Self::Each(evaluator, _) => evaluator.clock_decides(),
            Self::InClasses(feed) => feed.clock_decides(),
        }
    }

    /// What all tasks were charged for operations that were executed one by one; nothing of tasks in classes.
    pub(super) fn operations(&self) -> u64 {
        match self {
            Self::Each(evaluator, _) => evaluator.operations(),
            Self::InClasses(_) => 0,
        }
    }

    /// Where a value decides that is read before it is written. Tasks in classes are followed each by itself then.
    pub(super) fn unwritten_decides(&self) -> Option<Span> {
        match self {
            Self::Each(evaluator, _) => evaluator.unwritten_decides(),
            Self::InClasses(_) => None,
        }
    }

    pub(super) fn doubts(&self) -> &Doubts {
        match self {
            Self::Each(evaluator, _) => evaluator.doubts(),
            Self::InClasses(feed) => feed.doubts(),
        }
    }

    pub(super) fn segments(&self) -> &Segments {
        match self {
            Self::Each(evaluator, _) => evaluator.segments(),
            Self::InClasses(feed) => feed.segments(),
        }
    }

    /// Tells segments how well their branches are predicted over the whole activity; whether anything was told.
    pub(super) fn settle_mispredictions(&mut self, executions: &FxHashMap<SegmentId, f64>) -> bool {
        match self {
            Self::Each(evaluator, _) => evaluator.settle_mispredictions(executions),
            Self::InClasses(..) => false,
        }
    }

    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::Each(evaluator, _) => evaluator.diagnostics(),
            Self::InClasses(feed) => feed.diagnostics(),
        }
    }

    /// Of tasks that stand for others nothing is told but that they ended.
    pub(super) fn positions(&self, task: TaskId) -> Vec<Position> {
        match self {
            Self::Each(evaluator, _) => evaluator.positions(task),
            Self::InClasses(_) => Vec::new(),
        }
    }

    pub(super) fn into_segments(self) -> Segments {
        match self {
            Self::Each(evaluator, _) => evaluator.into_segments(),
            Self::InClasses(feed) => feed.into_segments(),
        }
    }
}

/// How many classes the tasks of a job form, of which one task each is followed.
///
/// # Errors
/// Why each task is followed by itself.
pub fn class_count(job: &Job) -> Result<usize, &'static str> {
    in_classes(job, &job.nodes(), &super::analyses(job)).map(|feed| feed.class_count())
}

fn in_classes(job: &Job, nodes: &[u32], analyses: &[Analysis]) -> Result<ClassFeed, &'static str> {
    if job.program.follows_clocks {
        return Err("the clock of each task decides what it does");
    }
    if job.tasks < MANY_TASKS {
        return Err("there are few tasks");
    }
    let ([analysis], false, false) = (analyses, job.spawned > 0, job.correctness) else {
        return Err("tasks are not all begun alike, or their use of MPI is checked");
    };
    let tasks = u32::try_from(job.tasks).map_err(|_| "there are too many tasks")?;
    classes(tasks, &mut |rank, calls| representative(job, nodes, analysis, rank, calls))
}

fn representative(
    job: &Job,
    nodes: &[u32],
    analysis: &Analysis,
    rank: u32,
    calls: Option<Box<dyn MpiCalls>>,
) -> Evaluator {
    let begin = || {
        let options = Options { by_representatives: true, ..message_options(job, nodes.to_vec()) };
        Box::new(MpiState::new(job.tasks, options))
    };
    let calls = calls.unwrap_or_else(|| begin());
    let summariser = ClosedForms::new(job.program.clone(), analysis.clone(), job.assumptions.clone());
    let program = TaskProgram { program: job.program.clone(), summariser: Box::new(summariser) };
    let options = EvaluatorOptions { representative: Some(rank), ignores_prediction: true, ..job.options() };
    Evaluator::of_programs(vec![program], Vec::new(), options, calls)
}
