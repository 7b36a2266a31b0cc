//! The state of MPI for all tasks: handles, communicators, messages on their way.

use crate::checks::state::Checks;
use crate::data::blocks::{BlockPlace, KnownBlocks, Shared};
use crate::data::buffer::Data;
use crate::state::files::content::Disk;
use crate::state::handle_table::{DatatypeId, Handle};
use crate::state::instances::Instances;
use crate::state::options::Options;
use crate::state::repeats::remembered;
use crate::state::size_history::SizeHistory;
use crate::state::spawning::Spawning;
use crate::state::task::TaskState;
use crate::state::task::{Commitment, NamedDatatype};
use crate::state::windows::window::{Member, Window};
use chronos_activity::{CommId, MessageId, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_ir::DataModel;
use chronos_mpi::{Datatype, Group, Predefined, Sides, Topology, handles};
use chronos_values::ReasonId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Messages on their way up to which those without known payload are remembered too; what is sent beyond
/// arrives without a cause for what is unknown in it.
const REMEMBERED: usize = 1 << 16;

/// What MPI holds for all tasks of a job. It implements [`MpiCalls`](crate::MpiCalls).
#[derive(Clone, Debug)]
pub struct MpiState {
    pub(crate) options: Options,
    pub(crate) comms: Vec<Communicator>,
    pub(crate) tasks: Vec<TaskState>,
    /// Known payload of messages that were sent and not yet received.
    pub(crate) messages: FxHashMap<MessageId, Data>,
    /// By data model.
    pub(crate) predefined: Vec<(DataModel, Vec<Arc<Datatype>>)>,
    /// Communicators over which the members of a group agree on a new one, by parent and members.
    pub(crate) hidden: FxHashMap<(CommId, Arc<[TaskId]>), CommId>,
    /// Communicators of a root and the side that it serves, by intercommunicator and root.
    pub(crate) rooted: FxHashMap<(CommId, TaskId), CommId>,
    /// Communicators on which neighbours of a topology exchange blocks, by the one with the topology.
    pub(crate) beside: FxHashMap<CommId, CommId>,
    /// What is wrong and does not keep the program from going on.
    pub(crate) reports: Vec<Diagnostic>,
    /// An argument of the current call that says how much data there is, and is unknown.
    pub(crate) vague: Option<(usize, ReasonId)>,
    pub(crate) sizes: SizeHistory,
    /// By the communicator that stands for the window.
    pub(crate) windows: BTreeMap<CommId, Window>,
    /// Tasks that have stored to their memory in a window since they were last asked for.
    pub(crate) stored: BTreeSet<TaskId>,
    pub(crate) disk: Disk,
    pub(crate) spawning: Spawning,
    pub(crate) places: Shared<BlockPlace>,
    pub(crate) sizes_of_blocks: Shared<Bytes>,
    pub(crate) known_blocks: KnownBlocks,
    /// Present where the use of MPI is checked.
    pub(crate) checks: Option<Box<Checks>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Communicator {
    /// All members; of an intercommunicator those of both sides.
    pub group: Group,
    /// Present in intercommunicators.
    pub sides: Option<Arc<Sides>>,
    pub topology: Option<Arc<Topology>>,
    pub(crate) instances: Instances,
}

impl MpiState {
    /// The state before any call of a job of so many tasks, spawned ones included.
    pub fn new(tasks: usize, options: Options) -> Self {
        let world = Communicator {
            group: Group::world(tasks - options.spawned.min(tasks)),
            sides: None,
            topology: None,
            instances: Instances::default(),
        };
        let own = (0..tasks).map(|rank| Communicator { group: Group::new([TaskId::new(rank)]), ..world.clone() });
        Self {
            comms: std::iter::once(world.clone()).chain(own).collect(),
            tasks: vec![TaskState::default(); tasks],
            messages: FxHashMap::default(),
            predefined: predefined(&options),
            hidden: FxHashMap::default(),
            rooted: FxHashMap::default(),
            beside: FxHashMap::default(),
            reports: Vec::new(),
            vague: None,
            sizes: SizeHistory::default(),
            windows: BTreeMap::new(),
            stored: BTreeSet::new(),
            disk: Disk::default(),
            spawning: Spawning::default(),
            places: Shared::default(),
            sizes_of_blocks: Shared::default(),
            known_blocks: KnownBlocks::default(),
            checks: options.correctness.then(|| Box::new(Checks::new(tasks))),
            options,
        }
    }

    pub(crate) fn task(&mut self, task: TaskId) -> &mut TaskState {
        &mut self.tasks[task.index()]
    }

    pub(crate) fn members(&self, comm: CommId) -> &Group {
        &self.comms[comm.index()].group
    }

    /// All members hold data in one form.
    pub(crate) fn has_one_form(&self, comm: CommId) -> bool {
        if !self.options.is_mixed() {
            return true;
        }
        let mut models = self.members(comm).members().iter().map(|&task| self.options.model_of(task));
        let first = models.next();
        models.all(|model| Some(model) == first)
    }

    pub(crate) fn sides(&self, comm: CommId) -> Option<&Arc<Sides>> {
        self.comms[comm.index()].sides.as_ref()
    }

    /// The group that ranks of messages on `comm` count in, for this member.
    pub(crate) fn addressed(&self, comm: CommId, task: TaskId) -> &Group {
        self.sides(comm).map_or_else(|| self.members(comm), |sides| sides.remote(task))
    }

    /// The group that the member's own rank counts in.
    pub(crate) fn own_side(&self, comm: CommId, task: TaskId) -> &Group {
        self.sides(comm).map_or_else(|| self.members(comm), |sides| sides.local(task))
    }

    /// The communicator over which these members of `parent` agree on others.
    pub(crate) fn among(&mut self, parent: CommId, group: Group) -> CommId {
        let key = (parent, group.members().clone());
        if let Some(&among) = self.hidden.get(&key) {
            return among;
        }
        let among = self.add_comm(group, None);
        self.hidden.insert(key, among);
        among
    }

    pub(crate) fn add_intercomm(&mut self, sides: Sides) -> CommId {
        let comm = self.add_comm(sides.all(), None);
        self.comms[comm.index()].sides = Some(Arc::new(sides));
        comm
    }

    /// The first communicators are `MPI_COMM_WORLD` and each task's `MPI_COMM_SELF`; from then on
    /// handles and ids run in step, so all members share a handle.
    pub(crate) fn comm_of_handle(&self, task: TaskId, handle: i64) -> Option<CommId> {
        let made = |n: i64| Some(usize::try_from(n.checked_sub(handles::FIRST_COMM)?).ok()? + 1 + self.tasks.len());
        let comm = match handle {
            handles::COMM_WORLD => self.world_of(task),
            handles::COMM_SELF => CommId::new(1 + task.index()),
            n => CommId::new(made(n).filter(|&index| index < self.comms.len())?),
        };
        let usable = self.members(comm).contains(task) && !self.tasks[task.index()].freed_comms.contains(&comm);
        usable.then_some(comm)
    }

    pub(crate) fn handle_of_comm(&self, comm: CommId) -> i64 {
        if self.spawning.is_world(comm) {
            return handles::COMM_WORLD;
        }
        match comm.index() {
            0 => handles::COMM_WORLD,
            n if n <= self.tasks.len() => handles::COMM_SELF,
            n => i64::try_from(n - 1 - self.tasks.len()).unwrap_or(i64::MAX).saturating_add(handles::FIRST_COMM),
        }
    }

    pub(crate) fn add_comm(&mut self, group: Group, topology: Option<Arc<Topology>>) -> CommId {
        self.comms.push(Communicator { group, sides: None, topology, instances: Instances::default() });
        CommId::new(self.comms.len() - 1)
    }

    /// The datatype behind a handle.
    pub(crate) fn datatype(&self, task: TaskId, handle: i64) -> Option<NamedDatatype> {
        match DatatypeId::from_handle(handle) {
            Some(own) => {
                let entry = self.tasks[task.index()].datatypes.get(own)?;
                Some(NamedDatatype { datatype: entry.datatype.clone(), commitment: entry.commitment })
            }
            None => {
                let model = self.options.model_of(task);
                let (_, own) = self.predefined.iter().find(|(of, _)| *of == model)?;
                let datatype = own.get(usize::try_from(handle.checked_sub(1)?).ok()?)?.clone();
                Some(NamedDatatype { datatype, commitment: Commitment::Own })
            }
        }
    }

    /// The next point-to-point message of `task` takes this data along.
    pub(crate) fn send_payload(&mut self, task: TaskId, data: Data) {
        let state = self.task(task);
        let message = MessageId { sender: task, sequence: state.sent };
        state.sent += 1;
        self.check_sent(message);
        // The record of a mixed job tells its size in the form of messages.
        let is_needed = data.payload.is_some() || data.vague.is_some() || self.options.is_mixed();
        if is_needed || self.messages.len() < REMEMBERED {
            self.messages.insert(message, data);
        }
    }

    /// A message as it was sent, in a repeat or not.
    pub(crate) fn message(&self, id: MessageId) -> Option<&Data> {
        self.messages.get(&id).or_else(|| self.tasks[id.sender.index()].sent_history.find(id.sequence))
    }

    /// The message is received.
    pub(crate) fn take_message(&mut self, id: MessageId) -> Option<Data> {
        let Some(data) = self.messages.remove(&id) else { return self.message(id).cloned() };
        let most = remembered(self.tasks.len());
        let weight = data.weight();
        self.task(id.sender).sent_history.retire(id.sequence, data.clone(), weight, most);
        Some(data)
    }
}

fn predefined(options: &Options) -> Vec<(DataModel, Vec<Arc<Datatype>>)> {
    let converted = |model| {
        let all = Predefined::all().map(|which| Arc::new(Datatype::converted(which, model, options.model)));
        (model, all.collect())
    };
    let models: BTreeSet<DataModel> = options.models.iter().copied().chain([options.model]).collect();
    models.into_iter().map(converted).collect()
}

impl MpiState {
    /// What `MPI_COMM_WORLD` is to a task.
    pub(crate) fn world_of(&self, task: TaskId) -> CommId {
        self.spawning.child(task).map_or(CommId(0), |child| child.world)
    }

    /// The tasks that stand by and are next; fewer than `n` where there are no more.
    pub(crate) fn next_children(&self, n: usize) -> Vec<TaskId> {
        let first = self.tasks.len() - self.options.spawned + self.spawning.children.len();
        (first..self.tasks.len()).take(n).map(TaskId::new).collect()
    }
}

impl MpiState {
    pub(crate) fn own(&mut self, task: TaskId, comm: CommId) -> Option<&mut Member> {
        self.member(comm, task)
    }

    pub(crate) fn member(&mut self, comm: CommId, task: TaskId) -> Option<&mut Member> {
        let rank = self.members(comm).rank(task)?;
        self.windows.get_mut(&comm)?.members.get_mut(rank)
    }
}

impl MpiState {
    /// Reports a finding; the evaluation goes on.
    pub(crate) fn tell(&mut self, finding: Diagnostic) {
        self.reports.push(finding);
    }
}
