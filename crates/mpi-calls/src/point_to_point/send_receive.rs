//! Point-to-point communication.

use crate::call::{Call, Called, DONE, Peer, Refusal};
use crate::data::buffer::{Buffer, Data, received};
use crate::state::handle_table::Handle;
use crate::state::pending::{Pending, Receive};
use crate::state::requests::{Request, RequestKind};
use crate::state::status::{Output, Status};
use chronos_activity::{Arrival, CommId, Operation, Outcome, RequestId, SendMode};
use chronos_base::units::Bytes;
use chronos_functions::Mode;
use chronos_mpi::handles;
use chronos_values::ReasonId;
use std::sync::Arc;

/// The six arguments that every send begins with.
pub(crate) struct Outgoing {
    pub buffer: Buffer,
    pub comm: CommId,
    pub to: Peer,
    pub tag: i32,
}

/// The six arguments that every receive begins with.
pub(crate) struct Incoming {
    pub buffer: Buffer,
    pub comm: CommId,
    pub from: Peer,
    pub tag: Option<i32>,
}

impl Outgoing {
    /// `None` where it goes nowhere. The network carries the sender's own form; the receiver converts.
    pub fn operation(&self, mode: SendMode, request: Option<RequestId>) -> Option<Operation> {
        let Peer::Task(to) = self.to else { return None };
        Some(Operation::Send {
            to,
            tag: self.tag,
            comm: self.comm,
            bytes: Bytes(self.buffer.own_bytes()),
            mode,
            request,
        })
    }
}

impl Incoming {
    /// `None` where nothing will come. The room is told in the widest form, which holds what any sender puts on the wire.
    pub fn operation(&self, request: Option<RequestId>) -> Option<Operation> {
        let from = match self.from {
            Peer::Null => return None,
            Peer::Any => None,
            Peer::Task(task) => Some(task),
        };
        Some(Operation::Recv { from, tag: self.tag, comm: self.comm, bytes: Bytes(self.buffer.bytes()), request })
    }

    pub fn receive(self, status: Output) -> Receive {
        Receive { buffer: self.buffer, comm: self.comm, status, halves: Vec::new() }
    }
}

impl Call<'_> {
    /// Buffer, count, datatype, peer, tag from `first` on, and the communicator.
    pub(crate) fn outgoing(&mut self, first: usize, comm: usize) -> Result<Outgoing, Refusal> {
        let comm = self.comm(comm)?;
        let to = self.peer(first + 3, comm, false)?;
        let tag = self.tag(first + 4, false)?.unwrap_or(0);
        Ok(Outgoing { buffer: self.buffer(first)?, comm, to, tag })
    }

    pub(crate) fn incoming(&mut self, first: usize, comm: usize) -> Result<Incoming, Refusal> {
        let comm = self.comm(comm)?;
        let from = self.peer(first + 3, comm, true)?;
        let tag = self.tag(first + 4, true)?;
        Ok(Incoming { buffer: self.buffer(first)?.into_receive_buffer(), comm, from, tag })
    }

    /// Numbers the message and lets its known payload travel.
    pub fn post(&mut self, buffer: &Buffer) {
        self.check_length(buffer);
        let data = buffer.data(self.env, self.model());
        self.mpi.send_payload(self.task, data);
    }

    /// Enters a request and stores its handle.
    pub(crate) fn new_request(&mut self, argument: usize, request: Request) -> RequestId {
        let id = self.mpi.task(self.task).requests.insert(request);
        self.check_opened(argument, id);
        self.store_int(argument, id.handle());
        id
    }

    /// Writes what arrived to memory; its status.
    pub fn deliver(&mut self, buffer: &Buffer, comm: CommId, arrival: Option<&Arrival>) -> Result<Status, Refusal> {
        let Some(arrival) = arrival else {
            let data = Data::unknown(buffer.bytes());
            self.write(buffer, &data);
            return Ok(Status::EMPTY);
        };
        let status = self.status_of(arrival, comm);
        self.check_was_posted(arrival.message, arrival.request);
        self.check_message_received(arrival.message);
        let sent = self.mpi.take_message(arrival.message);
        let data = Data { bytes: status.bytes, vague: status.vague, ..sent.unwrap_or_default() };
        if data.vague.is_none() {
            self.check_room(data.bytes, buffer)?;
            if !self.check_received(&data, buffer) {
                self.check_kind(&data, buffer);
            }
        }
        self.write(buffer, &data);
        Ok(status)
    }

    /// How many bytes a message has in the form of messages, and why that is unknown to its receiver. What the network
    /// carried has another number of them where sender and messages have different forms.
    fn arrived_bytes(&mut self, arrival: &Arrival) -> (u64, Option<ReasonId>) {
        let options = &self.mpi.options;
        let is_converted = options.model_of(arrival.message.sender) != options.model;
        match self.mpi.message(arrival.message) {
            Some(sent) if is_converted => (sent.bytes, sent.vague),
            Some(sent) => (arrival.bytes.0, sent.vague),
            None => (arrival.bytes.0, is_converted.then(|| received(self.env, self.span, None))),
        }
    }

    pub(crate) fn status_of(&mut self, arrival: &Arrival, comm: CommId) -> Status {
        let rank = self.mpi.addressed(comm, self.task).rank(arrival.message.sender);
        let source = rank.and_then(|rank| i64::try_from(rank).ok()).unwrap_or(handles::ANY_SOURCE);
        let (bytes, vague) = self.arrived_bytes(arrival);
        Status { source, tag: i64::from(arrival.tag), bytes, vague, cancelled: false }
    }

    pub fn received(&mut self, receive: Receive, outcome: Outcome) -> Called {
        self.give_back(&receive.halves);
        let arrival = match &outcome {
            Outcome::Arrived(arrivals) => arrivals.first(),
            _ => None,
        };
        let status = self.deliver(&receive.buffer, receive.comm, arrival)?;
        self.put_status(receive.status, 0, status);
        DONE
    }

    fn give_back(&mut self, halves: &[RequestId]) {
        for &half in halves {
            self.mpi.task(self.task).requests.remove(half);
        }
    }

    fn send_and_receive(&mut self, out: &Outgoing, incoming: Incoming, status: Output) -> Called {
        let halves = [Request::hidden(), Request::hidden()].map(|r| self.mpi.task(self.task).requests.insert(r));
        let [receiving, sending] = halves;
        let receive = incoming.operation(Some(receiving));
        let send = out.operation(SendMode::Standard, Some(sending));
        if send.is_some() {
            self.post(&out.buffer);
        }
        let mut pending = incoming.receive(status);
        pending.halves = halves.to_vec();
        match (receive, send) {
            (Some(receive), Some(send)) => {
                let wait = Operation::WaitAll { requests: Arc::new([receiving, sending]) };
                self.then(vec![receive, send, wait], Pending::Receive(pending))
            }
            (Some(receive), None) => self.then(vec![receive, wait_for(receiving)], Pending::Receive(pending)),
            (None, send) => {
                self.give_back(&halves);
                self.put_status(status, 0, Status::NULL_PEER);
                let Some(send) = send else { return DONE };
                self.then(vec![send, wait_for(sending)], Pending::Done)
            }
        }
    }
}

fn wait_for(request: RequestId) -> Operation {
    Operation::WaitAll { requests: Arc::new([request]) }
}

/// `MPI_Send(buf, count, datatype, dest, tag, comm)` in all its modes; the immediate and the persistent forms have a request
/// more.
pub(crate) fn send(call: &mut Call<'_>) -> Called {
    let mode = match call.function.mode {
        Some(Mode::Synchronous) => SendMode::Synchronous,
        Some(Mode::Buffered) => SendMode::Buffered,
        Some(Mode::Ready) => SendMode::Ready,
        Some(Mode::Standard) | None => SendMode::Standard,
    };
    let out = call.outgoing(0, 5)?;
    match call.function.made_request() {
        None => blocking_send(call, &out, mode),
        Some(_) if call.function.is_persistent() => {
            call.prepare(out.buffer.clone(), out.comm, |id| out.operation(mode, Some(id)))
        }
        Some(request) => immediate_send(call, &out, mode, request),
    }
}

fn blocking_send(call: &mut Call<'_>, out: &Outgoing, mode: SendMode) -> Called {
    let Some(operation) = out.operation(mode, None) else { return DONE };
    call.post(&out.buffer);
    call.check_ready(Some(&operation));
    call.then(vec![operation], Pending::Done)
}

fn immediate_send(call: &mut Call<'_>, out: &Outgoing, mode: SendMode, request: usize) -> Called {
    if out.to == Peer::Null {
        call.new_request(request, Request::new(RequestKind::AtOnce(Status::EMPTY)));
        return DONE;
    }
    call.post(&out.buffer);
    let request = call.new_request(request, Request::new(RequestKind::Send));
    let operation = out.operation(mode, Some(request));
    call.check_ready(operation.as_ref());
    call.then(operation.into_iter().collect(), Pending::Done)
}

/// `MPI_Recv(buf, count, datatype, source, tag, comm, status)`.
pub(crate) fn recv(call: &mut Call<'_>) -> Called {
    let incoming = call.incoming(0, 5)?;
    let status = call.output(6);
    let Some(operation) = incoming.operation(None) else {
        call.put_status(status, 0, Status::NULL_PEER);
        return DONE;
    };
    call.then(vec![operation], Pending::Receive(incoming.receive(status)))
}

/// `MPI_Irecv(buf, count, datatype, source, tag, comm, request)`.
pub(crate) fn irecv(call: &mut Call<'_>) -> Called {
    let incoming = call.incoming(0, 5)?;
    if incoming.from == Peer::Null {
        call.new_request(6, Request::new(RequestKind::AtOnce(Status::NULL_PEER)));
        return DONE;
    }
    let work = RequestKind::Receive { buffer: incoming.buffer.clone(), comm: incoming.comm };
    let request = call.new_request(6, Request::new(work));
    let operation = incoming.operation(Some(request));
    call.then(operation.into_iter().collect(), Pending::Done)
}

/// `MPI_Sendrecv(sendbuf, count, type, dest, tag, recvbuf, count, type, source, tag, comm, status)`.
pub(crate) fn sendrecv(call: &mut Call<'_>) -> Called {
    let out = call.outgoing(0, 10)?;
    let incoming = call.incoming(5, 10)?;
    let status = call.output(11);
    call.send_and_receive(&out, incoming, status)
}

/// `MPI_Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, status)`.
pub(crate) fn sendrecv_replace(call: &mut Call<'_>) -> Called {
    let out = call.outgoing(0, 7)?;
    let from = call.peer(5, out.comm, true)?;
    let tag = call.tag(6, true)?;
    let incoming = Incoming { buffer: out.buffer.clone().into_receive_buffer(), comm: out.comm, from, tag };
    let status = call.output(8);
    call.send_and_receive(&out, incoming, status)
}
