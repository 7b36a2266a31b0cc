//! What MPI calls of a program can do wrong.

use chronos_base::diag::Code;

/// C0401: MPI call not supported.
pub static UNSUPPORTED: Code = Code {
    id: "C0401",
    title: "MPI call not supported",
    explanation: "The program calls MPI functions that chronos does not model (ports, MPI_Comm_accept, generalised \
                  requests, ...). Leave them out of the predicted version with an #ifdef, or replace them by \
                  point-to-point or collective calls.",
};
/// C0402: negative or absurd count.
pub static COUNT: Code = Code {
    id: "C0402",
    title: "negative or absurd count",
    explanation: "A count, size or length that an MPI call is given is negative or too large. A real MPI aborts the \
                  program there (MPI_ERR_COUNT, MPI_ERR_ARG). Check the expression that computes it.",
};
/// C0403: rank outside the communicator.
pub static RANK: Code = Code {
    id: "C0403",
    title: "rank outside the communicator",
    explanation: "The source, destination or root of an MPI call is no rank of its communicator, nor MPI_PROC_NULL or \
                  MPI_ANY_SOURCE where those are allowed. Often the program needs another number of tasks: try -n. \
                  As a warning: the rank is written as a number (-1, -2) that one MPI library has for a constant; --mpi-constants says which.",
};
/// C0404: invalid tag.
pub static TAG: Code = Code {
    id: "C0404",
    title: "invalid tag",
    explanation: "A tag must lie between 0 and MPI_TAG_UB; only receives and probes may give MPI_ANY_TAG. As a warning: it is written as \
                  a number (-1), which the standard does not fix.",
};
/// C0405: invalid handle.
pub(crate) static HANDLE: Code = Code {
    id: "C0405",
    title: "invalid handle",
    explanation: "A communicator, group, datatype, operation or request that an MPI call is given is null, was freed, or \
                  was never made. Check that it was created on every path that leads to this call.",
};
/// C0406: datatype not committed.
pub(crate) static UNCOMMITTED: Code = Code {
    id: "C0406",
    title: "datatype not committed",
    explanation: "A derived datatype must be committed with MPI_Type_commit before it is used in communication. As a \
                  warning: it was made of a committed one by MPI_Type_create_resized, and Open MPI takes it as committed too.",
};
/// C0407: message truncated.
pub static TRUNCATION: Code = Code {
    id: "C0407",
    title: "message truncated",
    explanation: "More data arrives than the buffer given to the call has room for. A real MPI aborts the program there \
                  (MPI_ERR_TRUNCATE). Compare count and datatype at the sender and at the receiver.",
};
/// C0408: MPI call outside of `MPI_Init` and `MPI_Finalize`.
pub(crate) static OUTSIDE: Code = Code {
    id: "C0408",
    title: "MPI call outside of MPI_Init and MPI_Finalize",
    explanation: "Communication is possible only after MPI_Init or MPI_Init_thread and before MPI_Finalize, and each of \
                  them may be called once.",
};
/// C0409: collective calls do not match.
pub static MISMATCH: Code = Code {
    id: "C0409",
    title: "collective calls do not match",
    explanation: "The members of a communicator must call the same collective operations in the same order and with the \
                  same root. Two members called different ones at the same point of their sequences.",
};
/// C0410: invalid argument of an MPI call.
pub(crate) static ARGUMENT: Code = Code {
    id: "C0410",
    title: "invalid argument of an MPI call",
    explanation: "An argument of an MPI call has a value that MPI does not allow there.",
};
/// C0411: topology does not fit.
pub(crate) static TOPOLOGY: Code = Code {
    id: "C0411",
    title: "topology does not fit",
    explanation: "The dimensions of a Cartesian topology need more tasks than the communicator has, do not divide their \
                  number, or the communicator has no topology at all. Often the program needs another number of tasks: try -n.",
};

/// C0412: datatypes do not match.
pub static DATATYPES: Code = Code {
    id: "C0412",
    title: "datatypes do not match",
    explanation: "What a message was sent as and what it is received as must be the same sequence of predefined types; \
                  only MPI_BYTE and MPI_PACKED stand for anything. MPI does not convert: an integer that is received as \
                  a floating-point number is garbage there. The prediction goes on with the bytes as they are, as a run does; \
                  `check --mpi` calls it an error where integers meet floating-point numbers.",
};

/// C0414: buffer shorter than the data that is sent.
pub(crate) static SHORT_BUFFER: Code = Code {
    id: "C0414",
    title: "buffer shorter than the data that is sent",
    explanation: "Count and datatype say that more bytes are sent than the object has from the buffer's address on; often the \
                  datatype is larger than the C type (MPI_LONG for an int). A real run sends what happens to lie behind the \
                  object, which depends on compiler and machine; here these bytes are unknown.",
};

/// C0413: the size of a message is unknown.
pub static SIZE: Code = Code {
    id: "C0413",
    title: "the size of a message is unknown",
    explanation: "How many elements a message has depends on a value that is not known statically. Its sender, receiver and \
                  tag are known, so it is matched, with the mean size of the earlier messages of the same call; what it \
                  brings, and what its receiver hears of its size, is unknown. Counts do not depend on the size assumed; \
                  predicted times do.",
};

/// C0415: access outside of a window.
pub static WINDOW: Code = Code {
    id: "C0415",
    title: "access outside of a window",
    explanation: "A one-sided access reaches memory that its target does not expose. Displacements count in the units that \
                  the target gave when the window was made, and start at its base.",
};

/// C0416: one-sided access out of order.
pub(crate) static EPOCH: Code = Code {
    id: "C0416",
    title: "one-sided access out of order",
    explanation: "Accesses to a window are allowed between two MPI_Win_fence, between MPI_Win_start and MPI_Win_complete, \
                  and while the window is locked; calls that end such an epoch need the one that began it. A lock between two fences \
                  is an epoch within theirs unless it has ended, for certain, when its target calls the second fence: put a barrier \
                  before that.",
};

/// C0417: reductions by functions of the program.
pub(crate) static OWN_OPERATION: Code = Code {
    id: "C0417",
    title: "reductions by functions of the program",
    explanation: "MPI_Op_create makes an operation of a function of the program, which the MPI library calls on as many parts as \
                  its algorithm for a reduction wants. How often that is, is not followed: the counts of the function are unknown unless \
                  a trace has them, and its time is left out. What comes out is worked out where the data is known \
                  and not more than 16 MiB in all, else it is unknown.",
};

/// C0418: tasks that cannot be started.
pub(crate) static SPAWN: Code = Code {
    id: "C0418",
    title: "tasks that cannot be started",
    explanation: "MPI_Comm_spawn starts further tasks of the program that is predicted, or of one whose source is given with --spawn \
                  NAME=FILE. Names of functions and variables that both define must be static. How many tasks are started must \
                  follow from -n, arguments and input.",
};

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[
    &UNSUPPORTED,
    &COUNT,
    &RANK,
    &TAG,
    &HANDLE,
    &UNCOMMITTED,
    &TRUNCATION,
    &OUTSIDE,
    &MISMATCH,
    &ARGUMENT,
    &TOPOLOGY,
    &DATATYPES,
    &SIZE,
    &SHORT_BUFFER,
    &WINDOW,
    &EPOCH,
    &OWN_OPERATION,
    &SPAWN,
];

/// Those of them that say that MPI is used wrongly.
pub static MISUSE: &[&Code] = &[
    &COUNT,
    &RANK,
    &TAG,
    &HANDLE,
    &UNCOMMITTED,
    &TRUNCATION,
    &OUTSIDE,
    &MISMATCH,
    &ARGUMENT,
    &TOPOLOGY,
    &DATATYPES,
    &SHORT_BUFFER,
    &WINDOW,
    &EPOCH,
];

/// Those of them that say that calls of several tasks do not match.
pub static MATCHING: &[&Code] = &[&TRUNCATION, &MISMATCH];
