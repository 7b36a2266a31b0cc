//! Calls that communicate, counted in an activity.

use chronos_activity::{Activity, Collective, CommId, Operation, Step, TaskId, Volume};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_machine::network::CollectiveName;
use serde::{Deserialize, Serialize};

/// What all tasks of a job ask of MPI.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommunicationProfile {
    /// The number of tasks.
    pub tasks: usize,
    /// In the order in which tasks execute them first.
    pub calls: Vec<CallProfile>,
}

/// How often a call is executed, and on how much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallProfile {
    /// Which call.
    pub call: Call,
    /// Executions, as the mean over all tasks.
    pub per_task: f64,
    /// Mean bytes: of a message, of a buffer that is broadcast or reduced, of one block of other collective operations.
    pub bytes: f64,
    /// Mean number of members of the communicator.
    pub members: f64,
    /// Of messages, the share that goes to the task that most of them go to; 0 of collective operations.
    pub to_one: f64,
}

/// A call of the program that communicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Call {
    /// Number of the block that calls.
    pub block: u32,
    /// What it asks for.
    pub kind: CallKind,
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CallKind {
    /// A message to one task.
    Message,
    /// A collective operation.
    Collective {
        /// Which one.
        name: CollectiveName,
        /// It has a root.
        rooted: bool,
        /// Its reduction commutes.
        commutative: bool,
        /// The form with a size for each member.
        vector: bool,
    },
}

impl CommunicationProfile {
    /// Of what the tasks execute.
    pub fn of(activity: &Activity) -> Self {
        Self::weighted(activity, (0..activity.tasks.len()).map(|rank| (TaskId::new(rank), 1.0)))
    }

    /// Of what these tasks execute, each of which stands for so many of all tasks.
    pub(super) fn weighted(activity: &Activity, chosen: impl Iterator<Item = (TaskId, f64)>) -> Self {
        let mut sums = Sums { activity, calls: Vec::new(), positions: FxHashMap::default() };
        chosen.for_each(|(task, weight)| sums.add_steps(&activity.tasks[task.index()], weight));
        let tasks = activity.tasks.len();
        let calls = sums.calls.iter().map(|(call, sum)| CallProfile {
            call: *call,
            per_task: sum.times / tasks.max(1) as f64,
            bytes: sum.bytes / sum.times,
            members: sum.members / sum.times,
            to_one: sum.receivers.values().copied().fold(0.0, f64::max) / sum.times,
        });
        Self { tasks, calls: calls.collect() }
    }
}

/// Executions, with bytes and members added up over them.
#[derive(Clone, Default)]
struct Sum {
    times: f64,
    bytes: f64,
    members: f64,
    /// Executions by the task that a message goes to.
    receivers: FxHashMap<TaskId, f64>,
}

struct Sums<'a> {
    activity: &'a Activity,
    calls: Vec<(Call, Sum)>,
    positions: FxHashMap<Call, usize>,
}

impl Sums<'_> {
    fn add_steps(&mut self, steps: &[Step], times: f64) {
        for step in steps {
            match step {
                Step::Event(event) => {
                    let block = event.site.map_or(u32::MAX, |site| site.block.0);
                    self.add(block, &event.operation, times);
                }
                Step::Repeat(repeat) => self.add_steps(&repeat.steps, times * repeat.times as f64),
                _ => {}
            }
        }
    }

    fn add(&mut self, block: u32, operation: &Operation, times: f64) {
        let (kind, bytes, comm) = match operation {
            Operation::Send { bytes, comm, .. } => (CallKind::Message, bytes.0 as f64, *comm),
            Operation::Collective(collective) => (kind(collective), mean_bytes(&collective.volume), collective.comm),
            _ => return,
        };
        let members = self.members(comm);
        let call = Call { block, kind };
        let position = *self.positions.entry(call).or_insert_with(|| {
            self.calls.push((call, Sum::default()));
            self.calls.len() - 1
        });
        let sum = &mut self.calls[position].1;
        sum.times += times;
        sum.bytes += times * bytes;
        sum.members += times * members;
        if let Operation::Send { to, .. } = operation {
            *sum.receivers.entry(*to).or_default() += times;
        }
    }

    /// The world holds all tasks where the activity does not say otherwise.
    fn members(&self, comm: CommId) -> f64 {
        self.activity.groups.get(&comm).map_or(self.activity.tasks.len(), |members| members.len()) as f64
    }
}

pub(super) fn kind(collective: &Collective) -> CallKind {
    CallKind::Collective {
        name: collective.kind.into(),
        rooted: collective.root.is_some(),
        commutative: collective.commutative,
        vector: matches!(collective.volume, Volume::Blocks { .. }),
    }
}

/// Of the forms with a size for each member, the mean block.
fn mean_bytes(volume: &Volume) -> f64 {
    match volume {
        Volume::Each(bytes) => bytes.0 as f64,
        Volume::Blocks { own, blocks } if blocks.is_empty() => own.0 as f64,
        Volume::Blocks { blocks, .. } => blocks.iter().map(|bytes| bytes.0 as f64).sum::<f64>() / blocks.len() as f64,
    }
}
