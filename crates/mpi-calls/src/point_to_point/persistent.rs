//! Persistent requests: made once, started many times.

use crate::call::{Call, Called, DONE, Refusal};
use crate::collectives::planners;
use crate::data::buffer::Buffer;
use crate::interface::environment::{CallEnvironment, Version};
use crate::interface::memory_access::CScalar;
use crate::interface::payload::Payload;
use crate::state::pending::Pending;
use crate::state::requests::{Persistent, Request, RequestKind};
use crate::state::status::Status;
use chronos_activity::{Collective, CommId, Operation, RequestId, Site};
use chronos_base::diag::Label;
use chronos_functions::Function;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_slicing::doubts::{Doubt, Subject};
use chronos_values::{ObjectId, Pointer, Reason, ReasonId, Value};
use std::sync::Arc;

/// The memory of a task, with the arguments of an earlier call.
struct CalledBefore<'e> {
    env: &'e mut dyn CallEnvironment,
    arguments: Arc<[Value]>,
}

impl CallEnvironment for CalledBefore<'_> {
    fn argument(&self, index: usize) -> Value {
        self.arguments.get(index).copied().unwrap_or(Value::Int(0))
    }
    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value {
        self.env.load(pointer, ty)
    }
    fn store(&mut self, pointer: Pointer, ty: ScalarType, value: Value) {
        self.env.store(pointer, ty, value);
    }
    fn snapshot(&self, pointer: Pointer, bytes: u64) -> Option<Payload> {
        self.env.snapshot(pointer, bytes)
    }
    fn version(&self, object: ObjectId) -> Option<Version> {
        self.env.version(object)
    }
    fn version_to_copy(&mut self, object: ObjectId) -> Option<Version> {
        self.env.version_to_copy(object)
    }
    fn version_of_all(&self) -> Option<Version> {
        self.env.version_of_all()
    }
    fn room(&self, pointer: Pointer) -> Option<u64> {
        self.env.room(pointer)
    }
    fn is_live(&self, object: ObjectId) -> bool {
        self.env.is_live(object)
    }
    fn doubt(&mut self, doubt: Doubt, subject: Subject) {
        self.env.doubt(doubt, subject);
    }
    fn c_type(&self, pointer: Pointer) -> Option<CScalar> {
        self.env.c_type(pointer)
    }
    fn deposit(&mut self, pointer: Pointer, bytes: u64, payload: Option<&Payload>, reason: ReasonId) {
        self.env.deposit(pointer, bytes, payload, reason);
    }
    fn written(&mut self, pointer: Pointer, bytes: u64, site: Site) {
        self.env.written(pointer, bytes, site);
    }
    fn unknown_in(&self, pointer: Pointer, bytes: u64) -> Option<ReasonId> {
        self.env.unknown_in(pointer, bytes)
    }
    fn was_never_set(&self, reason: ReasonId) -> bool {
        self.env.was_never_set(reason)
    }
    fn intern_reason(&mut self, reason: Reason) -> ReasonId {
        self.env.intern_reason(reason)
    }
    fn origins(&self, reason: ReasonId) -> Vec<Label> {
        self.env.origins(reason)
    }
    fn string(&self, pointer: Pointer) -> Option<String> {
        self.env.string(pointer)
    }
    fn lost_write(&mut self, reason: ReasonId) {
        self.env.lost_write(reason);
    }
    fn unsettle(&mut self) {
        self.env.unsettle();
    }
    fn watch(&mut self, object: ObjectId, on: bool) {
        self.env.watch(object, on);
    }
}

impl Call<'_> {
    /// Enters an inactive request; `operation` is asked with the request's number.
    pub(crate) fn prepare(
        &mut self,
        buffer: Buffer,
        comm: CommId,
        operation: impl FnOnce(RequestId) -> Option<Operation>,
    ) -> Called {
        let request = self.function.made_request().unwrap_or(6);
        let id = self.new_request(request, Request::new(RequestKind::Inactive));
        let persistent = Persistent::Message { operation: operation(id), buffer, comm };
        if let Some(request) = self.request(id) {
            request.persistent = Some(persistent);
        }
        DONE
    }

    /// Activates a request; its event, where it needs one.
    fn activate(&mut self, argument: usize, id: Option<RequestId>) -> Result<Option<Operation>, Refusal> {
        let request = id.and_then(|id| self.request(id));
        let Some(persistent) = request.and_then(|request| request.persistent.clone()) else {
            return Err(self.bad_handle(argument, "no persistent request"));
        };
        let Some(id) = id else { return Ok(None) };
        if !self.request(id).is_some_and(|request| matches!(request.work, RequestKind::Inactive)) {
            return Err(self.bad_handle(argument, "a request that is already active"));
        }
        let (work, operation) = match persistent {
            Persistent::Collective { function, arguments } => self.enter_again(id, function, arguments)?,
            Persistent::Message { operation, buffer, comm } => {
                (self.begin_again(operation.as_ref(), buffer, comm), operation)
            }
        };
        if let Some(request) = self.request(id) {
            request.work = work;
        }
        self.check_start(id);
        Ok(operation)
    }

    fn begin_again(&mut self, operation: Option<&Operation>, buffer: Buffer, comm: CommId) -> RequestKind {
        match operation {
            None => RequestKind::AtOnce(Status::NULL_PEER),
            Some(Operation::Send { .. }) => {
                self.post(&buffer);
                self.check_ready(operation);
                RequestKind::Send
            }
            Some(_) => RequestKind::Receive { buffer, comm },
        }
    }

    fn enter_again(
        &mut self,
        id: RequestId,
        function: &'static Function,
        arguments: Arc<[Value]>,
    ) -> Result<(RequestKind, Option<Operation>), Refusal> {
        let mut env = CalledBefore { env: &mut *self.env, arguments };
        let (task, site, span) = (self.task, self.site, self.span);
        let mut call = Call { mpi: &mut *self.mpi, env: &mut env, task, function, site, span, vague: None };
        let plan = match planners::planner(function) {
            None => return Err(call.bad_handle(0, "a request of no collective that is modelled")),
            Some(plan) => plan(&mut call),
        };
        let plan = match plan {
            Err(Refusal::Unconcerned) => return Ok((RequestKind::AtOnce(Status::EMPTY), None)),
            plan => plan?,
        };
        let (collective, joined) = call.join(plan)?;
        let collective = Collective { request: Some(id), ..collective };
        Ok((RequestKind::Collective(Box::new(joined)), Some(Operation::Collective(collective))))
    }
}

/// `MPI_Recv_init(buf, count, datatype, source, tag, comm, request)`.
pub(crate) fn recv_init(call: &mut Call<'_>) -> Called {
    let incoming = call.incoming(0, 5)?;
    call.prepare(incoming.buffer.clone(), incoming.comm, |id| incoming.operation(Some(id)))
}

/// `MPI_Start(request)`.
pub(crate) fn start(call: &mut Call<'_>) -> Called {
    let id = call.request_at(0)?;
    let operation = call.activate(0, id)?;
    begin(call, operation.into_iter().collect())
}

/// `MPI_Startall(count, requests)`.
pub(crate) fn startall(call: &mut Call<'_>) -> Called {
    let count = call.length(0)?;
    let mut operations = Vec::new();
    for index in 0..count {
        let handle = call.element(1, index)?;
        let id = if handle == handles::NULL { None } else { call.request_of(1, handle)? };
        operations.extend(call.activate(1, id)?);
    }
    begin(call, operations)
}

fn begin(call: &mut Call<'_>, operations: Vec<Operation>) -> Called {
    if operations.is_empty() { DONE } else { call.then(operations, Pending::Done) }
}
