//! Persistent requests: made once, started many times.

use super::buffer::Buffer;
use super::call::{Call, Called, DONE, Refusal};
use super::request::{Request, Work};
use super::status::Status;
use super::world::Pending;
use crate::activity::{CommId, Operation, RequestId, SendMode};
use crate::ids::Id;
use crate::mpi::handles;

/// What starting a request does.
#[derive(Clone, Debug)]
pub(super) struct Persistent {
    /// `None`: the peer is MPI_PROC_NULL.
    operation: Option<Operation>,
    buffer: Buffer,
    comm: CommId,
}

impl Call<'_> {
    /// Enters an inactive request; `operation` is asked with the request's number.
    fn prepare(
        &mut self,
        buffer: Buffer,
        comm: CommId,
        operation: impl FnOnce(RequestId) -> Option<Operation>,
    ) -> Called {
        let id = self.new_request(6, Request::new(Work::Inactive));
        let persistent = Persistent { operation: operation(id), buffer, comm };
        if let Some(request) = self.request(id.index()) {
            request.persistent = Some(persistent);
        }
        DONE
    }

    /// Activates a request; its event, where it needs one.
    fn activate(&mut self, argument: usize, slot: Option<usize>) -> Result<Option<Operation>, Refusal> {
        let request = slot.and_then(|slot| self.request(slot));
        let Some(persistent) = request.and_then(|request| request.persistent.clone()) else {
            return Err(self.bad_handle(argument, "no persistent request"));
        };
        let work = match &persistent.operation {
            None => Work::AtOnce(Status::NULL_PEER),
            Some(Operation::Send { .. }) => {
                self.post(&persistent.buffer);
                Work::Send
            }
            Some(_) => Work::Receive { buffer: persistent.buffer.clone(), comm: persistent.comm },
        };
        if let Some(request) = slot.and_then(|slot| self.request(slot)) {
            if !matches!(request.work, Work::Inactive) {
                return Err(self.bad_handle(argument, "a request that is already active"));
            }
            request.work = work;
        }
        Ok(persistent.operation)
    }
}

fn prepare_send(call: &mut Call<'_>, mode: SendMode) -> Called {
    let out = call.outgoing(0, 5)?;
    call.prepare(out.buffer.clone(), out.comm, |id| out.operation(mode, Some(id)))
}

pub(super) fn send_init(call: &mut Call<'_>) -> Called {
    prepare_send(call, SendMode::Standard)
}

pub(super) fn ssend_init(call: &mut Call<'_>) -> Called {
    prepare_send(call, SendMode::Synchronous)
}

pub(super) fn bsend_init(call: &mut Call<'_>) -> Called {
    prepare_send(call, SendMode::Buffered)
}

pub(super) fn rsend_init(call: &mut Call<'_>) -> Called {
    prepare_send(call, SendMode::Ready)
}

/// `MPI_Recv_init(buf, count, datatype, source, tag, comm, request)`.
pub(super) fn recv_init(call: &mut Call<'_>) -> Called {
    let incoming = call.incoming(0, 5)?;
    call.prepare(incoming.buffer.clone(), incoming.comm, |id| incoming.operation(Some(id)))
}

/// `MPI_Start(request)`.
pub(super) fn start(call: &mut Call<'_>) -> Called {
    let slot = call.request_at(0)?;
    let operation = call.activate(0, slot)?;
    begin(call, operation.into_iter().collect())
}

/// `MPI_Startall(count, requests)`.
pub(super) fn startall(call: &mut Call<'_>) -> Called {
    let count = call.length(0)?;
    let mut operations = Vec::new();
    for index in 0..count {
        let handle = call.element(1, index)?;
        let slot = if handle == handles::NULL { None } else { call.request_slot(1, handle)? };
        operations.extend(call.activate(1, slot)?);
    }
    begin(call, operations)
}

fn begin(call: &mut Call<'_>, operations: Vec<Operation>) -> Called {
    if operations.is_empty() { DONE } else { call.then(operations, Pending::Done) }
}
