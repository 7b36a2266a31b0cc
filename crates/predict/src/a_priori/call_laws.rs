//! Executions and bytes of calls as expressions of the number of tasks.

use super::profile::{Call, CallKind, CallProfile, CommunicationProfile};
use chronos_base::units::Bytes;
use chronos_scaling::Tasks;
use chronos_scaling::law::{self, Law, Place, Precision, Sample, Trust};
use std::sync::Arc;

/// Expressions that are off by more than this at the two largest numbers of tasks are none: whole numbers of rows leave
/// less.
const OFF: f64 = 0.05;

/// More executions of a call than these are not replayed: the fit finds the factor, and the shape is that of any number.
pub(super) const ENOUGH: f64 = 16.0;

/// A call with its expressions.
#[derive(Clone, Debug)]
pub struct CallLaws {
    /// Which call.
    pub call: Call,
    /// Executions, as the mean over all tasks.
    pub per_task: Law,
    /// Mean bytes.
    pub bytes: Law,
    /// Members of the communicator.
    pub members: Law,
    /// The greatest number of executions at the numbers of tasks that the expressions are from.
    most: f64,
    /// With the most tasks, the share of messages that goes to one task.
    pub to_one: f64,
}

/// A call as it is executed with some number of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCall {
    /// Which call.
    pub call: Call,
    /// Executions by each task.
    pub times: f64,
    /// Of a message, a buffer or a block.
    pub bytes: u64,
    /// Members of the communicator.
    pub members: usize,
    /// The block of each member, where members have different ones.
    pub blocks: Option<Arc<[Bytes]>>,
}

impl CallLaws {
    /// It sends to one task.
    pub fn is_message(&self) -> bool {
        self.call.kind == CallKind::Message
    }

    /// With so many tasks, executions cut by a factor that is the same for all numbers of tasks; `None` where an
    /// expression gives nothing that can be executed.
    pub(super) fn planned(&self, tasks: usize) -> Option<PlannedCall> {
        let share = (ENOUGH / self.most).min(1.0);
        let at = |law: &Law| law.at(Place { n: Tasks(tasks as f64), prior: None });
        let (times, bytes, members) = (at(&self.per_task) * share, at(&self.bytes), at(&self.members));
        PlannedCall::new(self.call, times, bytes, members, tasks)
    }
}

impl PlannedCall {
    /// `None` where the numbers are none that can be executed.
    pub(super) fn new(call: Call, times: f64, bytes: f64, members: f64, tasks: usize) -> Option<Self> {
        let possible = times > 0.0 && bytes > -1.0 && members >= 1.5;
        possible.then(|| Self {
            call,
            times,
            bytes: bytes.round().max(0.0) as u64,
            members: (members.round() as usize).min(tasks),
            blocks: None,
        })
    }
}

/// Of all calls that the two largest numbers of tasks have and that have expressions.
pub fn all(profiles: &[CommunicationProfile]) -> Vec<CallLaws> {
    let mut profiles: Vec<&CommunicationProfile> = profiles.iter().filter(|profile| profile.tasks > 1).collect();
    profiles.sort_by_key(|profile| profile.tasks);
    profiles.dedup_by_key(|profile| profile.tasks);
    let Some(largest) = profiles.last() else { return Vec::new() };
    largest.calls.iter().filter_map(|call| of_call(call.call, &profiles)).collect()
}

fn of_call(call: Call, profiles: &[&CommunicationProfile]) -> Option<CallLaws> {
    let of = |profile: &&CommunicationProfile| {
        let found = profile.calls.iter().find(|other| other.call == call);
        found.map(|found| (profile.tasks, *found))
    };
    let known: Vec<(usize, CallProfile)> = profiles.iter().filter_map(of).collect();
    let law = |value: &dyn Fn(&CallProfile) -> f64| {
        let values: Vec<(usize, f64)> = known.iter().map(|(tasks, found)| (*tasks, value(found))).collect();
        expression(&values)
    };
    Some(CallLaws {
        call,
        per_task: law(&|found| found.per_task)?,
        bytes: law(&|found| found.bytes)?,
        members: law(&|found| found.members)?,
        to_one: known.last().map_or(0.0, |(_, found)| found.to_one),
        most: known.iter().map(|(_, found)| found.per_task).fold(1.0, f64::max),
    })
}

/// The expression that foretells the two largest numbers of tasks best from the others.
fn expression(values: &[(usize, f64)]) -> Option<Law> {
    let largest = values.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
    let total = if largest > 0.0 { largest } else { 1.0 };
    let place = |tasks: usize| Place { n: Tasks(tasks as f64), prior: None };
    let samples: Vec<Sample> =
        values.iter().map(|&(tasks, value)| Sample { place: place(tasks), value, total }).collect();
    let best =
        law::choices(&samples, Precision::Exact, Trust::Equal).into_iter().next().filter(|best| best.error <= OFF)?;
    law::fit(&best.form, &samples[best.first..])
}
