//! Tasks that a program starts: `MPI_Comm_spawn` and what the tasks started see of it.
//!
//! They are the last tasks of the job, which stand by from the beginning (crate `interpreter`). The root asks each of
//! them for its start by a message; all members then agree and meet the new tasks, which come as far as their
//! `MPI_Init`, on the intercommunicator. So the call is over when all of them have started, as it is with real
//! libraries.

use crate::call::{Call, Called, Refusal};
use crate::codes;
use crate::collectives::plan::{AGREEMENT_BYTES, Plan};
use crate::interface::calls::Action;
use crate::state::instances::Contribution;
use crate::state::pending::{Pending, Spawned};
use crate::state::spawning::Child;
use chronos_activity::{Collective, CollectiveKind, CommId, Operation, SendMode};
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_functions as functions;
use chronos_ir::{SPAWNED_MAIN, ScalarType, spawned_main};
use chronos_mpi::{Group, Sides, handles};
use chronos_values::{Pointer, Value};

/// Tag of the message that asks for a task; it travels on the task's own `MPI_COMM_SELF`, which nobody else can use.
pub const REQUEST: i32 = 0;

/// Where the arguments of a call stand.
struct Participants {
    root: usize,
    comm: usize,
    inter: usize,
    errors: usize,
}

/// `MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, inter, errors)`.
pub(crate) fn spawn(call: &mut Call<'_>) -> Called {
    let one = |call: &mut Call<'_>| {
        let (command, n) = (call.env.argument(0), call.length(2)?);
        let arguments = call.env.argument(1);
        Ok(vec![call.arguments(0, command, arguments)?; n])
    };
    call.spawning(one, Participants { root: 4, comm: 5, inter: 6, errors: 7 })
}

/// `MPI_Comm_spawn_multiple(count, commands, argvs, maxprocs, infos, root, comm, inter, errors)`.
pub(crate) fn spawn_multiple(call: &mut Call<'_>) -> Called {
    let all = |call: &mut Call<'_>| {
        let mut children = Vec::new();
        for index in 0..call.length(0)? {
            let command = call.element_value(1, index, ScalarType::Pointer)?;
            let arguments = match call.env.argument(2) {
                Value::Int(0) => Value::Int(0),
                _ => call.element_value(2, index, ScalarType::Pointer)?,
            };
            let n = call.element(3, index)?;
            let n = usize::try_from(call.not_negative(3, n)?).unwrap_or(usize::MAX);
            let one = call.arguments(1, command, arguments)?;
            children.extend(std::iter::repeat_n(one, n.min(MOST)));
        }
        Ok(children)
    };
    call.spawning(all, Participants { root: 5, comm: 6, inter: 7, errors: 8 })
}

/// Tasks of one call, and arguments of one task, beyond which a number is taken for a mistake.
const MOST: usize = 1 << 20;

impl Call<'_> {
    fn spawning(
        &mut self,
        children: impl FnOnce(&mut Self) -> Result<Vec<Vec<String>>, Refusal>,
        at: Participants,
    ) -> Called {
        let comm = self.intracomm(at.comm)?;
        let rank = self.int(at.root)?;
        let root = self.task_of(rank, comm)?;
        let (place, errors) = (self.output(at.inter), self.output(at.errors));
        self.env.unsettle();
        let mut events = Vec::new();
        let mut plan = Plan::new(CollectiveKind::Agreement, comm, AGREEMENT_BYTES);
        plan.root = Some(root);
        if root == self.task {
            let children = children(self)?;
            let inter = self.start_children(comm, children, &mut events)?;
            plan.gives = Contribution { spawned: Some(inter), ..Contribution::default() };
        }
        let root = self.mpi.members(comm).rank(root).unwrap_or(0);
        let (collective, joined) = self.join(plan)?;
        events.push(Operation::Collective(Collective { root: None, ..collective }));
        self.then(events, Pending::Spawning(Box::new(Spawned { joined, root, place, errors })))
    }

    /// The program's name and the strings of a list that a null pointer ends.
    fn arguments(&mut self, argument: usize, command: Value, list: Value) -> Result<Vec<String>, Refusal> {
        let mut strings = vec![self.command(argument, command)?];
        let Value::Pointer(list) = list else {
            return match list {
                Value::Unknown(reason) => Err(Refusal::Unknown { argument: argument + 1, reason }),
                _ => Ok(strings),
            };
        };
        for index in 0..MOST {
            match self.env.load(self.nth(list, index, ScalarType::Pointer), ScalarType::Pointer) {
                Value::Pointer(text) => strings.push(self.string_at(argument + 1, text)?),
                Value::Unknown(reason) => return Err(Refusal::Unknown { argument: argument + 1, reason }),
                _ => break,
            }
        }
        Ok(strings)
    }

    fn string_at(&mut self, argument: usize, text: Pointer) -> Result<String, Refusal> {
        let Some(text) = self.env.string(text) else {
            let Value::Unknown(reason) = self.unsupported() else {
                return Err(self.bad_argument(argument, "is no string"));
            };
            return Err(Refusal::Unknown { argument, reason });
        };
        Ok(text)
    }

    /// The name of the program to start, whose source must be known.
    fn command(&mut self, argument: usize, command: Value) -> Result<String, Refusal> {
        let name = match command {
            Value::Pointer(text) => self.string_at(argument, text)?,
            Value::Unknown(reason) => return Err(Refusal::Unknown { argument, reason }),
            _ => return Err(self.bad_argument(argument, "is no string")),
        };
        let own = &self.mpi.options.program;
        let stem = name.rsplit('/').next().unwrap_or(&name);
        let plain = stem.strip_suffix(".exe").unwrap_or(stem);
        let other = spawned_main(&name);
        if plain == own || self.mpi.options.others.iter().any(|name| Some(&**name) == other.strip_prefix(SPAWNED_MAIN))
        {
            return Ok(name);
        }
        let message = format!("{} starts `{name}`, whose source was not given", self.name());
        let help = format!("give it: --spawn {plain}=FILE; where it is the program itself (`{own}`), start argv[0]");
        Err(self.wrong(&codes::SPAWN, message, help))
    }

    /// Numbers the new tasks and asks for them; their intercommunicator with the members of `comm`.
    fn start_children(
        &mut self,
        comm: CommId,
        arguments: Vec<Vec<String>>,
        events: &mut Vec<Operation>,
    ) -> Result<CommId, Refusal> {
        if arguments.is_empty() {
            return Err(self.wrong(&codes::SPAWN, format!("{} starts no task", self.name()), "ask for at least one"));
        }
        let children = self.mpi.next_children(arguments.len());
        self.mpi.spawning.wanted += arguments.len();
        if children.len() < arguments.len() {
            let message =
                format!("{} starts {} tasks, of which {} are there", self.name(), arguments.len(), children.len());
            let help = "the number of tasks that are started depends on the order of arrival: let it depend on -n and arguments";
            return Err(self.wrong(&codes::SPAWN, message, help));
        }
        let group = Group::new(children.iter().copied());
        let parents = self.mpi.members(comm).clone();
        let world = self.mpi.add_comm(group.clone(), None);
        let Some(sides) = Sides::new(parents, group) else { return Err(self.bad_handle(0, "no communicator")) };
        let parent = self.mpi.add_intercomm(sides);
        for (&task, arguments) in children.iter().zip(arguments) {
            self.mpi.spawning.children.insert(task, Child { arguments, parent, world });
            let (comm, mode) = (CommId::new(1 + task.index()), SendMode::Standard);
            events.push(Operation::Send { to: task, tag: REQUEST, comm, bytes: Bytes(0), mode, request: None });
        }
        self.mpi.task(self.task).sent += children.len() as u64;
        Ok(parent)
    }

    /// The members have agreed; now they meet the tasks that were started.
    pub fn spawned(&mut self, spawned: Spawned) -> Called {
        let Spawned { joined, root, place, errors } = spawned;
        let instances = &mut self.mpi.comms[joined.comm.index()].instances;
        let given =
            instances.get_mut(joined.number).and_then(|instance| instance.contributions.get(root)?.as_ref()?.spawned);
        instances.finish(joined.number);
        let Some(inter) = given else {
            let value = self.unsupported();
            return Ok(Action::Return(value));
        };
        let children = self.mpi.addressed(inter, self.task).size();
        let handle = self.mpi.handle_of_comm(inter);
        self.put_int(place, handle);
        if let Some(errors) = errors {
            for index in 0..children {
                let place = self.nth(errors, index, ScalarType::I32);
                self.put_int(Some(place), handles::SUCCESS);
            }
        }
        let (events, pending) = self.meet(inter)?;
        self.then(vec![events], pending)
    }

    /// Those who spawn and those who are spawned wait for each other.
    fn meet(&mut self, inter: CommId) -> Result<(Operation, Pending), Refusal> {
        let function = self.function;
        self.function = functions::exact("MPI_Comm_spawn").unwrap_or(function);
        let joined = self.join(Plan::new(CollectiveKind::Agreement, inter, AGREEMENT_BYTES));
        self.function = function;
        let (collective, joined) = joined?;
        Ok((Operation::Collective(collective), Pending::Collective(Box::new(joined))))
    }
}

/// The part of `MPI_Init` in which a task that was spawned meets those who wanted it.
pub(crate) fn arrive(call: &mut Call<'_>, events: &mut Vec<Operation>) -> Result<Pending, Refusal> {
    let Some(parent) = call.mpi.spawning.child(call.task).map(|child| child.parent) else { return Ok(Pending::Done) };
    let (event, pending) = call.meet(parent)?;
    events.push(event);
    Ok(pending)
}
