//! What some number of tasks computes and communicates, from the tasks that were followed alone with that number.

use super::alone::FollowedTasks;
use super::call_laws::{ENOUGH, PlannedCall};
use super::profile::{Call, CallProfile, CommunicationProfile, kind};
use crate::pricing::Prices;
use crate::{Job, Target};
use chronos_activity::{CollectiveKind, Operation, Step, TaskId, Volume, Work};
use chronos_base::hash::FxHashMap;
use chronos_base::units::{Bytes, Seconds};
use chronos_ir::CounterId;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Computing times that differ by less than this share of the mean are even: borders of the data, and what one task prints.
const UNEVEN: f64 = 0.05;

/// Of one number of tasks.
pub(super) struct CountedTasks {
    /// Mean computing time.
    pub compute: Seconds,
    /// How much longer the task computes that computes longest: the others wait for it, at the latest at the end.
    pub behind: Seconds,
    profile: CommunicationProfile,
    /// Blocks of members, where they differ.
    blocks: FxHashMap<Call, Arc<[Bytes]>>,
    /// How often each task that was followed executes what.
    pub executed: Vec<Executed>,
}

/// What a task counts.
pub(super) struct Executed {
    /// So many tasks are like it.
    pub tasks: f64,
    /// How often, by counter; none is 0.
    pub counts: FxHashMap<CounterId, f64>,
}

/// Of all these numbers of tasks; `None` where one of them does not tell: a part of the time is known a priori for all or
/// for none. On machines of several kinds those that wait for the slowest do so for as long as they are faster, which
/// the mean of the computing times does not tell.
pub(super) fn all(job: &Job, target: Target<'_>, tasks: &[usize]) -> Option<BTreeMap<usize, CountedTasks>> {
    if target.platform.is_some_and(|platform| platform.machines.len() > 1) {
        return None;
    }
    let each = tasks.par_iter().with_max_len(1);
    each.map(|&n| Some((n, CountedTasks::new(&with_tasks(job, n), target)?))).collect()
}

/// The same program with another number of tasks.
pub(super) fn with_tasks(job: &Job, tasks: usize) -> Job {
    Job { tasks, spawned: 0, ..job.clone() }
}

/// All calls, with how often they are executed; by a factor less often that is the same for all numbers of tasks.
pub(super) fn planned(counted: &BTreeMap<usize, CountedTasks>, tasks: usize) -> Option<Vec<PlannedCall>> {
    let own = counted.get(&tasks)?;
    let most = |call: Call| {
        let calls = counted.values().flat_map(|counted| &counted.profile.calls);
        calls.filter(|found| found.call == call).map(|found| found.per_task).fold(1.0, f64::max)
    };
    let one = |found: &CallProfile| {
        let times = found.per_task * (ENOUGH / most(found.call)).min(1.0);
        let planned = PlannedCall::new(found.call, times, found.bytes, found.members, tasks)?;
        Some(PlannedCall { blocks: own.blocks.get(&found.call).cloned(), ..planned })
    };
    Some(own.profile.calls.iter().filter_map(one).collect())
}

impl CountedTasks {
    pub(super) fn new(job: &Job, target: Target<'_>) -> Option<Self> {
        let followed = FollowedTasks::new(job)?;
        let profile = CommunicationProfile::weighted(&followed.activity, followed.tasks.iter().copied());
        let mut blocks = FxHashMap::default();
        let first = followed.steps().next().map_or(&[][..], |(_, steps, _)| steps);
        add_blocks(first, job.tasks, &mut blocks);
        let (compute, most) = followed.compute(job, target);
        let behind = Some(Seconds(most.0 - compute.0)).filter(|behind| behind.0 > UNEVEN * compute.0);
        let behind = behind.unwrap_or(Seconds(0.0));
        Some(Self { compute, behind, profile, blocks, executed: followed.executed() })
    }
}

impl FollowedTasks {
    /// The tasks with their steps, and how many tasks each stands for.
    fn steps(&self) -> impl Iterator<Item = (TaskId, &[Step], f64)> {
        self.tasks.iter().map(|&(task, weight)| (task, &self.activity.tasks[task.0 as usize][..], weight))
    }

    /// Mean and greatest computing time.
    fn compute(&self, job: &Job, target: Target<'_>) -> (Seconds, Seconds) {
        let mut prices = Prices::of_activity(job, target, &self.activity);
        let (mut sum, mut most) = (0.0, 0.0_f64);
        for (task, steps, weight) in self.steps() {
            let mut own = 0.0;
            each_work(steps, 1.0, &mut |work, times| {
                own += times * prices.time(task, work, &self.activity.segments).as_seconds();
            });
            sum += weight * own;
            most = most.max(own);
        }
        (Seconds(sum / job.tasks.max(1) as f64), Seconds(most))
    }

    /// What each of the tasks counts.
    pub(super) fn executed(&self) -> Vec<Executed> {
        self.steps().map(|(_, steps, tasks)| Executed { tasks, counts: self.counts(steps) }).collect()
    }

    /// Of one task.
    fn counts(&self, steps: &[Step]) -> FxHashMap<CounterId, f64> {
        let mut sums = FxHashMap::default();
        each_work(steps, 1.0, &mut |work, times| {
            let Work::Segment(id) = work else { return };
            for (counter, count) in self.activity.segments.get(id).by_counter() {
                let count = count.as_f64().unwrap_or(0.0);
                if count > 0.0 {
                    *sums.entry(counter).or_insert(0.0) += times * count;
                }
            }
        });
        sums
    }
}

/// All stretches of computation, with how often each is executed.
fn each_work(steps: &[Step], times: f64, look: &mut dyn FnMut(Work, f64)) {
    for step in steps {
        match step {
            Step::Work(work) => look(*work, times),
            Step::Repeat(repeat) => each_work(&repeat.steps, times * repeat.times as f64, look),
            _ => {}
        }
    }
}

/// The blocks that the first execution of each call names, where they are of all members and differ. Of operations in
/// which every member has blocks of its own for the others, no task knows all.
fn add_blocks(steps: &[Step], members: usize, found: &mut FxHashMap<Call, Arc<[Bytes]>>) {
    for step in steps {
        match step {
            Step::Repeat(repeat) => add_blocks(&repeat.steps, members, found),
            Step::Event(event) => {
                let Operation::Collective(collective) = &event.operation else { continue };
                let Volume::Blocks { blocks, .. } = &collective.volume else { continue };
                let same = blocks.iter().all(|block| Some(block) == blocks.first());
                if collective.kind == CollectiveKind::Allgather && blocks.len() == members && !same {
                    let block = event.site.map_or(u32::MAX, |site| site.block.0);
                    found.entry(Call { block, kind: kind(collective) }).or_insert_with(|| Arc::clone(blocks));
                }
            }
            _ => {}
        }
    }
}
