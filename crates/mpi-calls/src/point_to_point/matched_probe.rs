//! Matched probes: a message that was probed for is received by its handle.
//!
//! A handle stands for the source and the tag of what the probe found. Messages from one source
//! with one tag do not overtake each other, so the next such receive gets the message probed for.

use crate::call::{Call, Called, DONE, Peer, Refusal};
use crate::data::buffer::Buffer;
use crate::point_to_point::send_receive::Incoming;
use crate::state::handle_table::{Handle, ProbedId};
use crate::state::pending::Pending;
use crate::state::requests::{Request, RequestKind};
use crate::state::status::{Output, Status};
use crate::state::task::Matched;
use chronos_activity::{Arrival, CommId};
use chronos_mpi::handles;

impl Call<'_> {
    pub(crate) fn match_message(&mut self, place: Output, arrival: &Arrival, comm: CommId) {
        if place.is_none() {
            return;
        }
        let matched = Matched { comm, from: arrival.message.sender, tag: arrival.tag };
        let id = self.mpi.task(self.task).matched.insert(matched);
        self.put_int(place, id.handle());
    }

    /// The receive of the message whose handle the argument after the buffer points to; the handle dies.
    fn take_matched(&mut self) -> Result<Incoming, Refusal> {
        let buffer = self.buffer(0)?;
        let handle = self.element(3, 0)?;
        self.store_int(3, handles::NULL);
        if handle == handles::MESSAGE_NO_PROC {
            return Ok(Incoming { buffer, comm: CommId(0), from: Peer::Null, tag: None });
        }
        let id = ProbedId::from_handle(handle);
        let matched = id.and_then(|id| self.mpi.task(self.task).matched.remove(id));
        let Some(Matched { comm, from, tag }) = matched else {
            return Err(self.bad_handle(3, "no message that was probed for"));
        };
        Ok(Incoming { buffer, comm, from: Peer::Task(from), tag: Some(tag) })
    }
}

/// `MPI_Mprobe(source, tag, comm, message, status)`.
pub(crate) fn mprobe(call: &mut Call<'_>) -> Called {
    let (message, status) = (call.output(3), call.output(4));
    call.start_probe(true, None, message, status)
}

/// `MPI_Improbe(source, tag, comm, flag, message, status)`.
pub(crate) fn improbe(call: &mut Call<'_>) -> Called {
    let (flag, message, status) = (call.output(3), call.output(4), call.output(5));
    call.start_probe(false, flag, message, status)
}

/// `MPI_Mrecv(buf, count, datatype, message, status)`.
pub(crate) fn mrecv(call: &mut Call<'_>) -> Called {
    let incoming = call.take_matched()?;
    let status = call.output(4);
    let Some(operation) = incoming.operation(None) else {
        call.put_status(status, 0, Status::NULL_PEER);
        return DONE;
    };
    call.then(vec![operation], Pending::Receive(incoming.receive(status)))
}

/// `MPI_Imrecv(buf, count, datatype, message, request)`.
pub(crate) fn imrecv(call: &mut Call<'_>) -> Called {
    let incoming = call.take_matched()?;
    if incoming.from == Peer::Null {
        call.new_request(4, Request::new(RequestKind::AtOnce(Status::NULL_PEER)));
        return DONE;
    }
    let buffer: Buffer = incoming.buffer.clone();
    let request = call.new_request(4, Request::new(RequestKind::Receive { buffer, comm: incoming.comm }));
    let operation = incoming.operation(Some(request));
    call.then(operation.into_iter().collect(), Pending::Done)
}
