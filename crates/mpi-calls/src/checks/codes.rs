//! Codes of what the correctness analyses find.

use chronos_base::diag::Code;

/// C0419: buffer of an open request is accessed.
pub(crate) static CONCURRENT: Code = Code {
    id: "C0419",
    title: "buffer of an open request is accessed",
    explanation: "Between the call that begins a non-blocking operation and the one that completes it, its buffer belongs to MPI. What \
                  it receives into must neither be read nor written, what it sends must not be written, and neither may be freed or \
                  given to another operation that writes it. A real run may send the new value or the old one, or receive into memory \
                  that is used otherwise. Move the access behind MPI_Wait, or use another buffer.",
};

/// C0420: buffer without memory.
pub(crate) static NULL_BUFFER: Code = Code {
    id: "C0420",
    title: "buffer without memory",
    explanation: "A call that moves data is given a null pointer, an address that was never set, or memory whose life has \
                  ended. MPI_BOTTOM, which is null, is allowed only with datatypes of absolute addresses. Allocate the buffer before the call.",
};

/// C0421: buffer shorter than what a call may write or read.
pub(crate) static SHORT_BUFFER: Code = Code {
    id: "C0421",
    title: "buffer shorter than what a call may write or read",
    explanation: "Count and datatype (and displacements) reach beyond the object that the buffer lies in. What is sent from there is \
                  whatever lies behind the object; what is received there overwrites other data. Where a receive has more room than its \
                  buffer, it goes well only as long as messages are shorter, which is a warning.",
};

/// C0422: buffers of one call overlap.
pub(crate) static ALIASED: Code = Code {
    id: "C0422",
    title: "buffers of one call overlap",
    explanation: "Two buffers of a call share memory and one of them is written, or two blocks of one receive buffer overlap. MPI forbids \
                  it, because the library may write before it has read. Use MPI_IN_PLACE or MPI_Sendrecv_replace, or separate buffers.",
};

/// C0423: request that is never completed.
pub(crate) static NEVER_COMPLETED: Code = Code {
    id: "C0423",
    title: "request that is never completed",
    explanation: "A non-blocking operation was begun, and MPI_Finalize is called while it is open: nothing waits for it or tests it \
                  to its end. Its buffer may still be in use, and the request is leaked. If a handle was overwritten by another \
                  operation, nothing can complete the first one. MPI_Request_free on an open receive is a warning, and on a send behind which the task communicates no more: the operation goes \
                  on, but nothing tells when its buffer may be used again. Complete each request with MPI_Wait, MPI_Test or one of their kind.",
};

/// C0425: buffered send without room.
pub(crate) static BUFFERED: Code = Code {
    id: "C0425",
    title: "buffered send without room",
    explanation: "MPI_Bsend copies its message into a buffer that the program has attached with MPI_Buffer_attach. There is none, or it is \
                  smaller than the message and MPI_BSEND_OVERHEAD: the call fails (MPI_ERR_BUFFER). One buffer can be attached at a time.",
};

/// C0426: sizes of a collective operation do not match.
pub static SIZES: Code = Code {
    id: "C0426",
    title: "sizes of a collective operation do not match",
    explanation: "What a member gives to another in a collective operation must be as much as that one takes: counts times the sizes of \
                  datatypes must agree, pair by pair. Unlike a message, it must not be shorter than its room.",
};

/// C0427: a call has nowhere to store its result.
pub(crate) static NULL_OUTPUT: Code = Code {
    id: "C0427",
    title: "a call has nowhere to store its result",
    explanation: "An argument through which the call stores a request, a flag or a number is a null pointer. Give the address of a \
                  variable. Only statuses may be left out, and that is said with MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE: a null pointer works \
                  with those libraries alone that define these as null.",
};

/// C0428: argument of an MPI call was never set.
pub(crate) static NEVER_SET: Code = Code {
    id: "C0428",
    title: "argument of an MPI call was never set",
    explanation: "The call is given a handle, a rank, a count or an address that is read before it is written. A real run takes whatever lies \
                  there. Set it on every path that leads to the call.",
};

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[
    &CONCURRENT,
    &NULL_BUFFER,
    &SHORT_BUFFER,
    &ALIASED,
    &NEVER_COMPLETED,
    &BUFFERED,
    &SIZES,
    &NULL_OUTPUT,
    &NEVER_SET,
    &super::remote_codes::LEAK,
    &super::remote_codes::NO_FINALIZE,
    &super::remote_codes::DISAGREE,
    &super::remote_codes::OTHER_TYPE,
    &super::remote_codes::CONFLICT,
    &super::remote_codes::ORIGIN,
    &super::remote_codes::MEMORY,
    &super::remote_codes::OPERATOR,
    &super::remote_codes::READY,
];
