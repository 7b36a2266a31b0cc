//! Messages from task to task, and requests for them.

use super::{COMM, COUNT, INFO, REQUEST, RESULT, STATUS, TYPE, exchanged, makes, meeting, mpi, received, sent};
use crate::params::{INT, Object, Param, UPDATED};
use crate::row::{Exchange, Function, Mode, Variant};

const BOTH: &[Variant] = &[Variant::Immediate, Variant::Persistent];

/// Sends, receives or looks for a message.
const fn message(name: &'static str, params: &'static [Param]) -> Function {
    Function { moves: true, ..meeting(name, params) }.exchanging(Exchange::Message)
}

const SEND: &[Param] = &[sent(1, 2), INT, TYPE, INT, INT, COMM];

const fn send(name: &'static str, mode: Mode) -> Function {
    let row = message(name, SEND).with(BOTH);
    Function { mode: Some(mode), ..row }
}

/// Of MPI 4: a message in parts.
const fn partitioned(name: &'static str, params: &'static [Param]) -> Function {
    mpi(name, params).exchanging(Exchange::Message)
}

pub(super) const ROWS: &[Function] = &[
    send("MPI_Send", Mode::Standard),
    send("MPI_Ssend", Mode::Synchronous),
    send("MPI_Bsend", Mode::Buffered),
    send("MPI_Rsend", Mode::Ready),
    message("MPI_Recv", &[received(1, 2), INT, TYPE, INT, INT, COMM, STATUS]).with(BOTH),
    message("MPI_Sendrecv", &[sent(1, 2), INT, TYPE, INT, INT, received(6, 7), INT, TYPE, INT, INT, COMM, STATUS]),
    message("MPI_Sendrecv_replace", &[exchanged(1, 2), INT, TYPE, INT, INT, INT, INT, COMM, STATUS]),
    message("MPI_Mprobe", &[INT, INT, COMM, makes(Object::Message), STATUS]),
    message("MPI_Probe", &[INT, INT, COMM, STATUS]),
    message("MPI_Mrecv", &[received(1, 2), INT, TYPE, UPDATED, STATUS]).with(&[Variant::Immediate]),
    message("MPI_Iprobe", &[INT, INT, COMM, RESULT, STATUS]).polling(),
    message("MPI_Improbe", &[INT, INT, COMM, RESULT, makes(Object::Message), STATUS]).polling(),
    partitioned("MPI_Psend_init", &[sent(2, 3), INT, COUNT, TYPE, INT, INT, COMM, INFO, makes(Object::Request)])
        .unmodelled(),
    partitioned("MPI_Precv_init", &[received(2, 3), INT, COUNT, TYPE, INT, INT, COMM, INFO, makes(Object::Request)])
        .unmodelled(),
    partitioned("MPI_Pready", &[INT, REQUEST]).unmodelled(),
    partitioned("MPI_Parrived", &[REQUEST, INT, RESULT]).unmodelled(),
];
