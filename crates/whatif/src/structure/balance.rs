//! Computation spread evenly over the tasks, between two calls that synchronise all of them.

use super::impossible;
use crate::scope::{Rescaled, Scope, left};
use chronos_activity::{Activity, CollectiveKind, CommId, Operation, Step, TaskId, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Picoseconds;
use chronos_ir::FuncId;
use chronos_predict::replays::Replays;
use chronos_predict::{Job, Target};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Seconds of one step: what is spread, and the rest.
type Parts = (f64, f64);

/// Spreads computation, or that of functions, and says over how many stretches.
///
/// # Errors
/// The tasks do not take part in the same synchronising calls.
pub fn apply(
    functions: Option<&BTreeSet<FuncId>>,
    text: &str,
    job: &Job,
    target: Target<'_>,
    activity: &mut Activity,
    rescaled: &[Rescaled],
) -> Result<String, Diagnostic> {
    let scope = functions.map(|ids| Scope::Functions { ids: ids.clone(), alone: false });
    let tasks = times(scope.as_ref(), job, target, activity, rescaled);
    let sums: Vec<Vec<f64>> =
        tasks.iter().zip(&activity.tasks).map(|(times, steps)| sums(times, steps, activity)).collect();
    let stretches = sums.iter().map(Vec::len).max().unwrap_or(0);
    if let Some(other) = sums.iter().position(|sums| sums.len() != stretches) {
        let what = format!(
            "needs calls that synchronise all tasks; task {other} takes part in {}, another one in {}",
            sums[other].len() - 1,
            stretches - 1
        );
        return Err(impossible(text, &what, "balance programs whose tasks all call the same collective operations"));
    }
    let mean = |stretch: usize| sums.iter().map(|sums| sums[stretch]).sum::<f64>() / sums.len().max(1) as f64;
    let means: Vec<f64> = (0..stretches).map(mean).collect();
    let spread = tasks.iter().zip(&sums).enumerate();
    let spread: Vec<Vec<Step>> =
        spread.map(|(task, (times, sums))| evened(&activity.tasks[task], times, sums, &means, activity)).collect();
    activity.tasks = spread;
    let plural = if stretches == 1 { "stretch" } else { "stretches" };
    Ok(format!("computing is spread evenly within {stretches} {plural} between calls that synchronise all tasks"))
}

/// Of each step of each task.
fn times(
    scope: Option<&Scope>,
    job: &Job,
    target: Target<'_>,
    activity: &Activity,
    rescaled: &[Rescaled],
) -> Vec<Vec<Parts>> {
    let replays = Replays::of(job, target, Cow::Borrowed(activity));
    let segments = &activity.segments;
    let mut known: FxHashMap<_, Parts> = FxHashMap::default();
    let mut of_step = |task: TaskId, step: &Step| match step {
        Step::Work(Work::Time(time)) if scope.is_none() => (time.as_seconds(), 0.0),
        Step::Work(Work::Time(time)) => (0.0, time.as_seconds()),
        Step::Work(Work::Segment(id)) => *known.entry((task, *id)).or_insert_with(|| {
            let (mut spread, mut rest) = (0.0, 0.0);
            for entry in replays.price(task, *id).iter().flat_map(|priced| &priced.entries) {
                let is_spread = scope.is_none_or(|scope| scope.covers(task, entry.context, entry.block, segments));
                let seconds = entry.time.0 / 1e9 * left(rescaled, task, entry, segments);
                *(if is_spread { &mut spread } else { &mut rest }) += seconds;
            }
            (spread, rest)
        }),
        _ => (0.0, 0.0),
    };
    let tasks = activity.tasks.iter().enumerate();
    tasks.map(|(task, steps)| steps.iter().map(|step| of_step(TaskId::new(task), step)).collect()).collect()
}

/// What is spread of a task's time, by stretch.
fn sums(times: &[Parts], steps: &[Step], activity: &Activity) -> Vec<f64> {
    let mut sums = vec![0.0];
    for (time, step) in times.iter().zip(steps) {
        if synchronises(step, activity) {
            sums.push(0.0);
        }
        sums.last_mut().into_iter().for_each(|sum| *sum += time.0);
    }
    sums
}

/// Whether no task can leave the call before all have come to it.
fn synchronises(step: &Step, activity: &Activity) -> bool {
    use CollectiveKind as K;
    let Step::Event(event) = step else { return false };
    let Operation::Collective(collective) = &event.operation else { return false };
    let kinds = [K::Barrier, K::Allreduce, K::Allgather, K::Alltoall, K::ReduceScatter, K::Agreement];
    let members = activity.groups.get(&collective.comm).map_or(0, |group| group.len());
    let is_of_all = collective.comm == CommId(0) || members == activity.tasks.len();
    collective.request.is_none() && is_of_all && kinds.contains(&collective.kind)
}

/// The steps of a task with its even share of each stretch; where it has nothing to spread, that share comes first.
fn evened(steps: &[Step], times: &[Parts], sums: &[f64], means: &[f64], activity: &Activity) -> Vec<Step> {
    let mut stretch = 0;
    let mut all = Vec::with_capacity(steps.len());
    let from_others = |stretch: usize| (sums[stretch] == 0.0 && means[stretch] > 0.0).then(|| work(means[stretch]));
    all.extend(from_others(0));
    for (step, &(spread, rest)) in steps.iter().zip(times) {
        match step {
            Step::Work(_) if spread > 0.0 => all.push(work(rest + spread * means[stretch] / sums[stretch])),
            Step::Work(_) => all.push(work(rest)),
            step => all.push(step.clone()),
        }
        if synchronises(step, activity) {
            stretch += 1;
            all.extend(from_others(stretch));
        }
    }
    all
}

fn work(seconds: f64) -> Step {
    Step::Work(Work::Time(Picoseconds::from_seconds(seconds)))
}
