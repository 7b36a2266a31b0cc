//! The state of MPI for all tasks: handles, communicators, messages on their way.

use super::buffer::Data;
use super::call::{Call, Called, Refusal};
use super::checks::{self, Checks, MemoryAccess};
use super::completion::Wait;
use super::delivery::Joined;
use super::file::{self, Disk, OpenFile};
use super::folding::Folding;
use super::info::Info;
use super::instance::Instances;
use super::keyvals::{Calling, Key, Object};
use super::matched::Matched;
use super::neighbours::Exchange;
use super::point::Receive;
use super::probe::Probed;
use super::repeats::Given;
use super::request::Request;
use super::sizes::Sizes;
pub(super) use super::slots::{Slots, handle, slot};
use super::spawn::{Spawned, Spawning};
use super::window::{Access, Synchronised, Window};
use super::{Action, CallEnvironment, MpiCalls, Performed, codes, table};
use chronos_activity::{CommId, MessageId, Operation, Outcome, Site, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::{BlockId, DataModel};
use chronos_mpi::{Datatype, Group, Predefined, Sides, Topology, handles};
use chronos_values::{ReasonId, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Messages on their way up to which those without known payload are remembered too; what is sent beyond
/// arrives without a cause for what is unknown in it.
const REMEMBERED: usize = 1 << 16;

/// What the calls depend on besides the program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Sizes of C types; of tasks of several data models the widest, in whose form messages hold data.
    pub model: DataModel,
    /// The data model of each task; empty: that of all.
    pub models: Vec<DataModel>,
    /// The node that each task runs on; empty: each on its own. Tells processor names and what
    /// `MPI_Comm_split_type` makes of shared memory.
    pub nodes: Vec<u32>,
    /// How many of the tasks, the last ones, others spawn.
    pub spawned: usize,
    /// The program's own name, by which it may start itself.
    pub program: String,
    /// Further programs that may be started, by names in which all but letters and digits is `_`.
    pub others: Vec<String>,
    /// Whether the use of MPI is checked (`checks`).
    pub correctness: bool,
    /// Whether the program has ready sends.
    pub ready_sends: bool,
}

impl Options {
    /// Tasks have several data models.
    pub(crate) fn is_mixed(&self) -> bool {
        self.models.iter().any(|&model| model != self.model)
    }

    /// The data model of a task's machine.
    pub(crate) fn model_of(&self, task: TaskId) -> DataModel {
        self.models.get(task.index()).copied().unwrap_or(self.model)
    }
}

/// All MPI calls of a program; the implementation of [`MpiCalls`].
#[derive(Clone, Debug)]
pub struct Calls {
    pub(super) options: Options,
    pub(super) comms: Vec<Communicator>,
    pub(super) tasks: Vec<TaskState>,
    /// Known payload of messages that were sent and not yet received.
    pub(super) messages: HashMap<MessageId, Data>,
    /// By data model.
    pub(super) predefined: Vec<(DataModel, Vec<Arc<Datatype>>)>,
    /// Communicators over which the members of a group agree on a new one, by parent and members.
    pub(super) hidden: HashMap<(CommId, Arc<[TaskId]>), CommId>,
    /// Communicators of a root and the side that it serves, by intercommunicator and root.
    pub(super) rooted: HashMap<(CommId, TaskId), CommId>,
    /// Communicators on which neighbours of a topology exchange blocks, by the one with the topology.
    pub(super) beside: HashMap<CommId, CommId>,
    /// What is wrong and does not keep the program from going on.
    pub(super) reports: Vec<Diagnostic>,
    /// An argument of the current call that says how much data there is, and is unknown.
    pub(super) vague: Option<(usize, ReasonId)>,
    pub(super) sizes: Sizes,
    /// By the communicator that stands for the window.
    pub(super) windows: BTreeMap<CommId, Window>,
    pub(super) disk: Disk,
    pub(super) spawning: Spawning,
    /// Present where the use of MPI is checked.
    pub(super) checks: Option<Box<Checks>>,
}

/// Scalars that are remembered of what each of so many sources gave last.
pub(super) fn remembered(sources: usize) -> usize {
    ((1 << 24) / sources.max(1)).clamp(1 << 8, 1 << 16)
}

#[derive(Clone, Debug)]
pub(super) struct Communicator {
    /// All members; of an intercommunicator those of both sides.
    pub group: Group,
    /// Present in intercommunicators.
    pub sides: Option<Arc<Sides>>,
    pub topology: Option<Arc<Topology>>,
    pub(crate) instances: Instances,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    #[default]
    Before,
    Active,
    Finalized,
}

/// What one task has made and what it waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskState {
    pub phase: Phase,
    pub requests: Slots<Request>,
    pub datatypes: Slots<OwnType>,
    pub groups: Slots<Group>,
    /// Messages that a matched probe has found.
    pub matched: Slots<Matched>,
    /// Reductions of the program: the function, and whether it commutes.
    pub ops: Slots<(Value, bool)>,
    /// Keys of attributes, and the attributes of what the task knows.
    pub keys: Slots<Key>,
    pub attributes: BTreeMap<(Object, usize), Value>,
    pub files: Slots<OpenFile>,
    pub infos: Slots<Info>,
    pub(crate) freed_comms: HashSet<CommId>,
    pub(crate) comm_names: HashMap<CommId, String>,
    /// Windows that it is a member of.
    pub windows: Vec<CommId>,
    /// The buffer for buffered sends: its address and its size.
    pub attached: Option<(Value, Value)>,
    pub sent: u64,
    /// Messages that were received, and those of repeats.
    pub given: Given<Data>,
    /// Reductions by functions of the program that are complete but for the calls of these.
    pub folds: Vec<Joined>,
    current: Option<Current>,
}

#[derive(Clone, Debug)]
pub(super) struct OwnType {
    pub datatype: Arc<Datatype>,
    pub committed: bool,
    pub name: String,
}

#[derive(Clone, Debug)]
struct Current {
    name: &'static str,
    site: Site,
    span: Span,
    pending: Pending,
}

/// What is to be done when the events of a call are complete.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    Done,
    Clock(BlockId),
    Receive(Receive),
    Wait(Box<Wait>),
    /// A receive is to be taken back.
    Cancel(usize),
    Probe(Probed),
    Collective(Box<Joined>),
    Folding(Box<Folding>),
    Attributes(Box<Calling>),
    Access(Box<Access>),
    Synchronised(Box<Synchronised>),
    File(Box<file::Access>),
    Neighbours(Box<Exchange>),
    /// The tasks that spawn others have agreed; where the intercommunicator and the error codes go.
    Spawning(Box<Spawned>),
    /// Accesses are complete: their requests are given back, and perhaps a collective is done.
    Flushed {
        slots: Vec<usize>,
        joined: Option<Box<Joined>>,
    },
}

impl Calls {
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
            messages: HashMap::new(),
            predefined: predefined(&options),
            hidden: HashMap::new(),
            rooted: HashMap::new(),
            beside: HashMap::new(),
            reports: Vec::new(),
            vague: None,
            sizes: Sizes::default(),
            windows: BTreeMap::new(),
            disk: Disk::default(),
            spawning: Spawning::default(),
            checks: options.correctness.then(|| Box::new(Checks::new(tasks))),
            options,
        }
    }

    pub(super) fn task(&mut self, task: TaskId) -> &mut TaskState {
        &mut self.tasks[task.index()]
    }

    pub(super) fn members(&self, comm: CommId) -> &Group {
        &self.comms[comm.index()].group
    }

    pub(super) fn sides(&self, comm: CommId) -> Option<&Arc<Sides>> {
        self.comms[comm.index()].sides.as_ref()
    }

    /// The group that ranks of messages on `comm` count in, for this member.
    pub(super) fn addressed(&self, comm: CommId, task: TaskId) -> &Group {
        self.sides(comm).map_or_else(|| self.members(comm), |sides| sides.far(task))
    }

    /// The group that the member's own rank counts in.
    pub(super) fn own_side(&self, comm: CommId, task: TaskId) -> &Group {
        self.sides(comm).map_or_else(|| self.members(comm), |sides| sides.near(task))
    }

    /// The communicator over which these members of `parent` agree on others.
    pub(super) fn among(&mut self, parent: CommId, group: Group) -> CommId {
        let key = (parent, group.members().clone());
        if let Some(&among) = self.hidden.get(&key) {
            return among;
        }
        let among = self.add_comm(group, None);
        self.hidden.insert(key, among);
        among
    }

    pub(super) fn add_intercomm(&mut self, sides: Sides) -> CommId {
        let comm = self.add_comm(sides.all(), None);
        self.comms[comm.index()].sides = Some(Arc::new(sides));
        comm
    }

    /// The first communicators are MPI_COMM_WORLD and each task's MPI_COMM_SELF; from then on
    /// handles and ids run in step, so all members share a handle.
    pub(super) fn comm_of_handle(&self, task: TaskId, handle: i64) -> Option<CommId> {
        let made = |n: i64| Some(slot(n, handles::FIRST_COMM)? + 1 + self.tasks.len());
        let comm = match handle {
            handles::COMM_WORLD => self.world_of(task),
            handles::COMM_SELF => CommId::new(1 + task.index()),
            n => CommId::new(made(n).filter(|&index| index < self.comms.len())?),
        };
        let usable = self.members(comm).contains(task) && !self.tasks[task.index()].freed_comms.contains(&comm);
        usable.then_some(comm)
    }

    pub(super) fn handle_of_comm(&self, comm: CommId) -> i64 {
        if self.spawning.is_world(comm) {
            return handles::COMM_WORLD;
        }
        match comm.index() {
            0 => handles::COMM_WORLD,
            n if n <= self.tasks.len() => handles::COMM_SELF,
            n => handle(n - 1 - self.tasks.len(), handles::FIRST_COMM),
        }
    }

    pub(super) fn add_comm(&mut self, group: Group, topology: Option<Arc<Topology>>) -> CommId {
        self.comms.push(Communicator { group, sides: None, topology, instances: Instances::default() });
        CommId::new(self.comms.len() - 1)
    }

    /// A datatype, and whether it may be used in communication.
    pub(super) fn datatype(&self, task: TaskId, handle: i64) -> Option<(Arc<Datatype>, bool)> {
        match slot(handle, handles::FIRST_DATATYPE) {
            Some(own) => {
                let entry = self.tasks[task.index()].datatypes.get(own)?;
                Some((entry.datatype.clone(), entry.committed))
            }
            None => {
                let model = self.options.model_of(task);
                let (_, own) = self.predefined.iter().find(|(of, _)| *of == model)?;
                Some((own.get(slot(handle, 1)?)?.clone(), true))
            }
        }
    }

    /// The next point-to-point message of `task` takes this data along.
    pub(super) fn send_payload(&mut self, task: TaskId, data: Data) {
        let state = self.task(task);
        let message = MessageId { sender: task, sequence: state.sent };
        state.sent += 1;
        self.check_sent(message);
        if data.payload.is_some() || data.vague.is_some() || self.messages.len() < REMEMBERED {
            self.messages.insert(message, data);
        }
    }

    /// A message as it was sent, in a repeat or not.
    pub(super) fn message(&self, id: MessageId) -> Option<&Data> {
        self.messages.get(&id).or_else(|| self.tasks[id.sender.index()].given.find(id.sequence))
    }

    /// The message is received.
    pub(super) fn take_message(&mut self, id: MessageId) -> Option<Data> {
        let Some(data) = self.messages.remove(&id) else { return self.message(id).cloned() };
        let most = remembered(self.tasks.len());
        let weight = data.weight();
        self.task(id.sender).given.retire(id.sequence, data.clone(), weight, most);
        Some(data)
    }

    fn guard(&self, call: &table::Modelled, task: TaskId, span: Span) -> Result<(), Action> {
        let phase = self.tasks[task.index()].phase;
        if phase == Phase::Active || call.row.anytime {
            return Ok(());
        }
        let when = if phase == Phase::Before { "before MPI_Init" } else { "after MPI_Finalize" };
        let message = format!("{} is called {when}", call.row.name);
        let diagnostic = Diagnostic::error(&codes::OUTSIDE, message)
            .label(span, format!("called by task {}", task.0))
            .help("move the call between MPI_Init and MPI_Finalize");
        Err(Action::Fail(Box::new(diagnostic)))
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

impl Call<'_> {
    /// Notes what is to be done when the caller comes back.
    pub(crate) fn pend(&mut self, pending: Pending) {
        let current = Current { name: self.name, site: self.site, span: self.span, pending };
        self.world.task(self.task).current = Some(current);
    }

    /// Events, and what is to be done when they are complete.
    pub fn then(&mut self, events: Vec<Operation>, pending: Pending) -> Called {
        self.pend(pending);
        Ok(Action::Events(events.into_iter().map(|operation| self.event(operation)).collect()))
    }

    /// The call is done, but libraries take their time to find out that it has nothing to do.
    fn without_partner(&mut self) -> Called {
        self.then(vec![Operation::Local { function: self.name.into() }], Pending::Done)
    }
}

impl MpiCalls for Calls {
    fn begin(&mut self, task: TaskId, name: &str, site: Site, env: &mut dyn CallEnvironment, span: Span) -> Action {
        let Some(found) = table::find(name) else {
            return Action::Fail(Box::new(super::check::unsupported([(name.into(), span)])));
        };
        if let Err(action) = self.guard(found, task, span) {
            return action;
        }
        self.expose(task, found.row.name, env, span);
        let mut call = Call { world: self, env, task, name: found.row.name, site, span, vague: None };
        checks::before(&mut call);
        let called = match (found.handler)(&mut call) {
            Ok(Action::Return(_)) if found.row.moves => call.without_partner(),
            Err(Refusal::Unconcerned) => call.without_partner(),
            Err(Refusal::Unknown { argument, reason }) => Err(call.check_unknown(argument, reason)),
            called => called,
        };
        let action = called.unwrap_or_else(Action::from);
        checks::after(&mut call, &action);
        action
    }

    fn finish(&mut self, task: TaskId, outcome: Outcome, env: &mut dyn CallEnvironment) -> Action {
        let Some(current) = self.task(task).current.take() else {
            return Action::Return(Value::Int(handles::SUCCESS));
        };
        let Current { name, site, span, pending } = current;
        let mut call = Call { world: self, env, task, name, site, span, vague: None };
        let action = call.resume(pending, outcome).unwrap_or_else(Action::from);
        checks::after(&mut call, &action);
        self.settle(task, env, span);
        action
    }

    fn take_vague(&mut self) -> Option<(usize, ReasonId)> {
        self.vague.take()
    }

    fn take_reports(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.reports)
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.members(comm).members().clone()
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.windows.keys().position(|&window| window == comm).map(|position| position + 1)
    }

    fn accessed(&mut self, task: TaskId, access: MemoryAccess, env: &mut dyn CallEnvironment) {
        checks::accessed(self, task, access, env);
    }

    fn ended(&mut self, task: TaskId, code: Option<i64>) {
        checks::ended(self, task, code);
    }

    fn arguments_of(&self, task: TaskId) -> Option<Vec<String>> {
        Some(self.spawning.child(task)?.arguments.clone())
    }

    fn wanted(&self) -> usize {
        self.spawning.wanted
    }

    fn is_exposed(&self, task: TaskId) -> bool {
        !self.tasks[task.index()].windows.is_empty()
    }

    fn repeated(&mut self, task: TaskId, period: &Performed, times: u64) {
        checks::repeated(self);
        let state = &mut self.tasks[task.index()];
        let live = |sequence| self.messages.get(&MessageId { sender: task, sequence }).cloned();
        state.given.repeat(state.sent, period.sends, times, live);
        state.sent = state.sent.saturating_add(period.sends.saturating_mul(times));
        for (comm, &number) in &period.collectives {
            let comm = &mut self.comms[comm.index()];
            if let Some(rank) = comm.group.rank(task) {
                comm.instances.repeat(rank, comm.group.size(), number, times);
            }
        }
    }
}

impl Call<'_> {
    fn resume(&mut self, pending: Pending, outcome: Outcome) -> Called {
        match pending {
            Pending::Done => super::call::DONE,
            Pending::Clock(slot) => Ok(Action::Return(Value::Clock { slot })),
            Pending::Receive(receive) => self.received(receive, outcome),
            Pending::Wait(wait) => self.waited(*wait, outcome),
            Pending::Cancel(slot) => self.cancelled(slot, &outcome),
            Pending::Probe(probed) => self.probed(probed, outcome),
            Pending::Collective(joined) => self.duplicated(*joined),
            Pending::Attributes(calling) => self.calling(*calling),
            Pending::Folding(folding) => self.fold(*folding),
            Pending::Neighbours(exchange) => self.exchanged(*exchange, &outcome),
            Pending::Spawning(spawned) => self.spawned(*spawned),
            Pending::File(access) => self.file_accessed(*access),
            Pending::Access(access) => self.accessed(*access),
            Pending::Synchronised(synchronised) => self.synchronised(*synchronised),
            Pending::Flushed { slots, joined } => {
                self.flushed(slots);
                joined.map_or(super::call::DONE, |joined| self.joined(*joined))
            }
        }
    }
}
