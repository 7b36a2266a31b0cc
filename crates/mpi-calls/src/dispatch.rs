//! How calls begin and end: the one place that knows all rooms of functions and the analyses, and that none of them knows.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::interface::calls::{Action, MpiCalls, Performed};
use crate::interface::environment::CallEnvironment;
use crate::interface::memory_access::MemoryAccess;
use crate::state::mpi_state::MpiState;
use crate::state::pending::{Current, Pending};
use crate::state::task::Phase;
use crate::{checks, handlers, static_checks};
use chronos_activity::{CommId, MessageId, Operation, Outcome, Site, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_mpi::handles;
use chronos_values::{Reading, ReasonId, Value};
use std::sync::Arc;

impl MpiCalls for MpiState {
    fn begin(&mut self, task: TaskId, name: &str, site: Site, env: &mut dyn CallEnvironment, span: Span) -> Action {
        let Some(found) = handlers::find(name) else {
            return Action::Fail(Box::new(static_checks::unsupported([(name.into(), span)])));
        };
        if let Err(action) = self.guard(found, task, span) {
            return action;
        }
        self.expose(task, found.row, env, span);
        let mut call = Call { mpi: self, env, task, function: found.row, site, span, vague: None };
        checks::before(&mut call);
        let called = match found.handler.perform(&mut call) {
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
        let Current { function, site, span, pending } = current;
        let mut call = Call { mpi: self, env, task, function, site, span, vague: None };
        let action = call.resume(pending, outcome).unwrap_or_else(Action::from);
        checks::after(&mut call, &action);
        self.settle(task, env, span);
        action
    }

    fn has_window(&self, task: TaskId) -> bool {
        self.tasks.get(task.index()).is_some_and(|state| !state.windows.is_empty())
    }

    fn look(&mut self, task: TaskId, env: &mut dyn CallEnvironment, span: Span) {
        self.settle(task, env, span);
    }

    fn take_vague(&mut self) -> Option<(usize, ReasonId)> {
        self.vague.take()
    }

    fn take_reports(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.reports)
    }

    fn take_stored(&mut self, task: TaskId) -> bool {
        self.stored.remove(&task)
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.members(comm).members().clone()
    }

    fn communicator(&self, task: TaskId, handle: i64) -> Option<CommId> {
        self.comm_of_handle(task, handle)
    }

    fn uniform_type(&self, task: TaskId, handle: i64) -> Option<usize> {
        Some(self.datatype(task, handle)?.datatype.uniform()? as usize)
    }

    fn cartesian(&self, task: TaskId, handle: i64) -> Option<(Vec<i64>, Vec<bool>)> {
        let comm = self.comm_of_handle(task, handle)?;
        let topology = self.comms[comm.index()].topology.as_ref()?;
        let grid = topology.as_cartesian()?;
        let lengths = grid.dimensions.iter().map(|&length| i64::try_from(length).ok());
        Some((lengths.collect::<Option<_>>()?, grid.periodic.clone()))
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

    fn repeated(&mut self, task: TaskId, period: &Performed, times: u64) {
        checks::repeated(self);
        let state = &mut self.tasks[task.index()];
        let live = |sequence| self.messages.get(&MessageId { sender: task, sequence }).cloned();
        state.sent_history.repeat(state.sent, period.sends, times, live);
        state.sent = state.sent.saturating_add(period.sends.saturating_mul(times));
        for (comm, &number) in &period.collectives {
            let comm = &mut self.comms[comm.index()];
            if let Some(rank) = comm.group.rank(task) {
                comm.instances.repeat(rank, comm.group.size(), number, times);
            }
        }
    }
}

impl MpiState {
    fn guard(&self, call: &handlers::Modelled, task: TaskId, span: Span) -> Result<(), Action> {
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

impl Call<'_> {
    /// The call is done, but libraries take their time to find out that it has nothing to do.
    fn without_partner(&mut self) -> Called {
        self.then(vec![Operation::Local { function: self.name().into() }], Pending::Done)
    }
}

impl Call<'_> {
    fn resume(&mut self, pending: Pending, outcome: Outcome) -> Called {
        match pending {
            Pending::Done => DONE,
            Pending::Clock(slot) => Ok(Action::Return(Value::Clock(Reading::by(slot)))),
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
            Pending::Flushed { requests, joined } => {
                self.flushed(requests);
                joined.map_or(DONE, |joined| self.joined(*joined))
            }
        }
    }
}
