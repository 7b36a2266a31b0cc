//! The calls of a program, replayed with nothing between them.

use super::call_laws::PlannedCall;
use super::profile::CallKind;
use crate::{Job, Target, with_pricing};
use chronos_activity::{
    Activity, Collective, CollectiveKind, CommId, Event, Operation, Repeat, Segments, SendMode, Step, TaskId, Volume,
    Work,
};
use chronos_base::units::{Bytes, Picoseconds, Seconds};
use chronos_machine::network::{Algorithm, AlgorithmRule, CollectiveName, Network};
use chronos_replay::{self as replay, ReplayOptions, ReplayResult};
use chronos_scaling::law::{self, Form, Place, Sample, Term};
use chronos_scaling::{Parts, Tasks};
use std::sync::Arc;

/// Operations whose messages grow with the square of the members are replayed with no more members than this; so are all
/// with no more than `MOST_MEMBERS`. Beyond, a constant, a logarithm and a linear term go through the three largest.
const MOST_SQUARE: usize = 256;
const MOST_MEMBERS: usize = 65_536;
/// Where members have different blocks, the largest decide how long a round takes, so that fewer members do not show what
/// many do: operations with a message for each pair are replayed with up to so many, and few times, because each has
/// millions of messages.
const MOST_UNEQUAL: usize = 4096;
const FEW: f64 = 2.0;

const KINDS: [CollectiveKind; 12] = [
    CollectiveKind::Barrier,
    CollectiveKind::Bcast,
    CollectiveKind::Reduce,
    CollectiveKind::Allreduce,
    CollectiveKind::Gather,
    CollectiveKind::Scatter,
    CollectiveKind::Allgather,
    CollectiveKind::Alltoall,
    CollectiveKind::ReduceScatter,
    CollectiveKind::Scan,
    CollectiveKind::Exscan,
    CollectiveKind::Agreement,
];

/// Where calls are replayed.
pub struct Skeleton<'a> {
    pub job: &'a Job,
    pub target: Target<'a>,
}

impl Skeleton<'_> {
    /// Means over the tasks. Operations of all tasks are replayed one after the other, so that who comes late to one
    /// comes late to the next; those of smaller communicators, and messages, by themselves.
    pub fn parts(&self, calls: &[PlannedCall], tasks: usize) -> Parts {
        let mut parts = Parts::default();
        let mut together = Vec::new();
        for call in calls {
            match call.call.kind {
                CallKind::Message => add(&mut parts, &self.message(call), call.times),
                CallKind::Collective { .. } if self.is_long(call) && Self::is_unequal(call, tasks) => {
                    let few = PlannedCall { times: call.times.min(FEW), ..call.clone() };
                    add(&mut parts, &self.collectives(self.target.network, &[&few], tasks), call.times / few.times);
                }
                CallKind::Collective { .. } if self.is_long(call) => add(&mut parts, &self.extended(call), 1.0),
                CallKind::Collective { .. } if call.members < tasks => {
                    add(&mut parts, &self.collectives(self.target.network, &[call], call.members), 1.0);
                }
                CallKind::Collective { .. } => together.push(call),
            }
        }
        if !together.is_empty() {
            add(&mut parts, &self.collectives(self.target.network, &together, tasks), 1.0);
        }
        parts
    }

    /// One message between the first two tasks.
    fn message(&self, call: &PlannedCall) -> Parts {
        let (comm, bytes) = (CommId(0), Bytes(call.bytes));
        let send = Operation::Send { to: TaskId(1), tag: 0, comm, bytes, mode: SendMode::Standard, request: None };
        let recv = Operation::Recv { from: Some(TaskId(0)), tag: Some(0), comm, bytes, request: None };
        let activity = Activity { tasks: vec![vec![event(send)], vec![event(recv)]], ..Activity::default() };
        let both = self.replay(self.target.network, &activity);
        // Of both tasks together: one message for each task is one sent and one received.
        Parts { messages: Seconds(2.0 * both.messages.0), ..Parts::default() }
    }

    /// It has more members than are replayed where there is another way.
    fn is_long(&self, call: &PlannedCall) -> bool {
        self.most_members(call) < call.members
    }

    /// All tasks are members, with different blocks, and few enough.
    fn is_unequal(call: &PlannedCall, tasks: usize) -> bool {
        call.blocks.is_some() && call.members == tasks && tasks <= MOST_UNEQUAL
    }

    fn collectives(&self, network: &Network, calls: &[&PlannedCall], members: usize) -> Parts {
        let of = |rank: usize| calls.iter().filter_map(|call| steps(call, rank)).collect::<Vec<Step>>();
        let alike = calls.iter().all(|call| call.blocks.is_none());
        let tasks = if alike { vec![of(0); members] } else { (0..members).map(of).collect() };
        self.replay(network, &Activity { tasks, ..Activity::default() })
    }

    fn replay(&self, network: &Network, activity: &Activity) -> Parts {
        let job = Job { tasks: activity.tasks.len(), spawned: 0, ..self.job.clone() };
        let target = Target { network, timeline: false, ..self.target };
        let mut pricing = |_: TaskId, _: Work, _: &Segments| Picoseconds::ZERO;
        let result = with_pricing(&job, target, &mut pricing, |options| {
            replay::replay_activity(activity, ReplayOptions { critical_path: false, ..options })
        });
        means(&result)
    }

    /// The most members with which the operation is replayed.
    fn most_members(&self, call: &PlannedCall) -> usize {
        if self.grows_with_square(call) { MOST_SQUARE } else { MOST_MEMBERS }
    }

    fn rule(&self, call: &PlannedCall) -> Option<&AlgorithmRule> {
        let CallKind::Collective { name, vector, .. } = call.call.kind else { return None };
        let members = u32::try_from(call.members).unwrap_or(u32::MAX);
        self.target.network.rule_of_form(name, vector, members, call.bytes)
    }

    /// Every member has a message for every other one.
    fn grows_with_square(&self, call: &PlannedCall) -> bool {
        let CallKind::Collective { name, .. } = call.call.kind else { return false };
        match self.rule(call).map(|rule| rule.algorithm) {
            Some(Algorithm::Ring | Algorithm::ScatterRing | Algorithm::Pairwise | Algorithm::NeighborExchange) => true,
            Some(Algorithm::Linear) => name == CollectiveName::Alltoall,
            Some(_) => false,
            // The replay's own choice depends on the size alone; these have forms of this kind.
            None => {
                matches!(name, CollectiveName::Allgather | CollectiveName::Alltoall | CollectiveName::ReduceScatter)
            }
        }
    }

    /// Of an operation with too many members to be replayed: by the algorithm that so many members use, on as many bytes.
    fn extended(&self, call: &PlannedCall) -> Parts {
        let network = self.with_algorithm_of(call);
        let most = self.most_members(call);
        let known = [most / 4, most / 2, most].map(|members| {
            let call = PlannedCall { members, times: call.times.min(4.0), blocks: None, ..*call };
            (members, self.collectives(&network, &[&call], members))
        });
        let scale = call.times / call.times.min(4.0);
        let part = |i: usize| Seconds(scale * extended(&known.map(|(n, parts)| (n, parts.all()[i].0)), call.members));
        let [compute, messages, collective, idle, end] = [0, 1, 2, 3, 4].map(part);
        Parts { compute, messages, collective, idle, end }
    }

    fn with_algorithm_of(&self, call: &PlannedCall) -> Network {
        let rule = self.rule(call).map(|rule| AlgorithmRule { tasks_below: None, bytes_below: None, ..rule.clone() });
        let algorithms = rule.map_or_else(|| self.target.network.algorithms.clone(), |rule| vec![rule]);
        Network { algorithms, ..self.target.network.clone() }
    }
}

/// The value with so many members by the law through three others.
fn extended(known: &[(usize, f64); 3], members: usize) -> f64 {
    let total = known.iter().map(|(_, value)| value.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let place = |n: usize| Place { n: Tasks(n as f64), prior: None };
    let samples = known.map(|(n, value)| Sample { place: place(n), value, total });
    let terms = vec![Term::Power { halves: 0, logs: 1 }, Term::Power { halves: 2, logs: 0 }];
    law::fit(&Form { constant: true, terms }, &samples).map_or(0.0, |law| law.at(place(members)).max(0.0))
}

fn event(operation: Operation) -> Step {
    Step::Event(Arc::new(Event { operation, site: None }))
}

/// As the member with this rank executes it.
fn steps(call: &PlannedCall, rank: usize) -> Option<Step> {
    let CallKind::Collective { name, rooted, commutative, vector } = call.call.kind else { return None };
    let bytes = Bytes(call.bytes);
    let volume = match &call.blocks {
        Some(blocks) => Volume::Blocks { own: *blocks.get(rank)?, blocks: Arc::clone(blocks) },
        None if vector => Volume::Blocks { own: bytes, blocks: vec![bytes; call.members].into() },
        None => Volume::Each(bytes),
    };
    let kind = KINDS.into_iter().find(|&kind| CollectiveName::from(kind) == name)?;
    let operation = Operation::Collective(Collective {
        kind,
        comm: CommId(0),
        root: rooted.then_some(TaskId(0)),
        volume,
        commutative,
        request: None,
    });
    let times = call.times.round().max(1.0) as u64;
    Some(Step::Repeat(Arc::new(Repeat { steps: vec![event(operation)], times })))
}

fn means(result: &ReplayResult) -> Parts {
    let mean = |part: &dyn Fn(&replay::TaskTime) -> Picoseconds| {
        let sum: f64 = result.tasks.iter().map(|task| part(task).as_seconds()).sum();
        Seconds(sum / result.tasks.len().max(1) as f64)
    };
    Parts {
        compute: Seconds(0.0),
        messages: Seconds(mean(&|task| task.send).0 + mean(&|task| task.recv).0),
        collective: mean(&|task| task.collective),
        idle: mean(&|task| task.idle),
        end: Seconds(result.total.as_seconds() - mean(&|task| task.end).0),
    }
}

fn add(sum: &mut Parts, other: &Parts, times: f64) {
    let fields = [&mut sum.compute, &mut sum.messages, &mut sum.collective, &mut sum.idle, &mut sum.end];
    fields.into_iter().zip(other.all()).for_each(|(field, part)| field.0 += times * part.0);
}
