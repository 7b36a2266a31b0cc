//! Codes of what is found about objects of MPI, agreement among members, C types and windows.

use chronos_base::diag::Code;

/// C0430: MPI object that is never freed.
pub(crate) static LEAK: Code = Code {
    id: "C0430",
    title: "MPI object that is never freed",
    explanation: "A communicator, group, datatype, operation, window, file, info object, key or persistent request was made and not \
                  freed when MPI_Finalize is called. MPI gives the memory back at the end of the program, but where it is made \
                  again and again, memory or context ids run out: MPI libraries have only a few thousand communicators. Free it with the \
                  MPI_..._free (MPI_File_close) that belongs to it.",
};

/// C0431: MPI is not finalised.
pub(crate) static NO_FINALIZE: Code = Code {
    id: "C0431",
    title: "MPI is not finalised",
    explanation: "A task that has called MPI_Init comes to the end of the program without MPI_Finalize. Messages that are still on \
                  their way may be lost, and launchers report the task as failed and end the others. Call MPI_Finalize on every path that \
                  leads out of main, or MPI_Abort where an error keeps the program from going on.",
};

/// C0432: members of a collective give different arguments.
pub static DISAGREE: Code = Code {
    id: "C0432",
    title: "members of a collective give different arguments",
    explanation: "All members of a collective must give the same operation, and types and counts must fit: what one member gives to \
                  another must have the type signature that the other expects (with MPI_Bcast and reductions, all the same). MPI \
                  does not convert and seldom checks: the result is garbage, memory is overwritten, or the program aborts with \
                  MPI_ERR_TRUNCATE. Types that only differ in their sign are a warning.",
};

/// C0433: datatype is not that of the buffer.
pub(crate) static OTHER_TYPE: Code = Code {
    id: "C0433",
    title: "datatype is not that of the buffer",
    explanation: "The MPI datatype says other elements than the C object has that the buffer lies in: MPI_DOUBLE for an int, MPI_INT \
                  for a long, a struct member at another displacement. MPI moves the bytes as the datatype says, so the values are wrong \
                  as soon as both sides or their machines differ, and counts mean other lengths. Types that only differ in \
                  their sign are a warning. Objects of char, and MPI_BYTE and MPI_PACKED, go with everything.",
};

/// C0434: conflicting accesses to a window.
pub(crate) static CONFLICT: Code = Code {
    id: "C0434",
    title: "conflicting accesses to a window",
    explanation: "Two accesses to the same bytes of a window, of which one writes, are not ordered: neither by a fence, a lock, a \
                  post-start-complete-wait nor by a message or collective behind the end of the first one's epoch. Only accumulations with \
                  the same operation (or MPI_NO_OP) may be concurrent. The result depends on which access the network performs first. \
                  Accesses of the owner itself, by loads and stores or as buffer of another call, count as well: where the window has separate copies a store and a put to it must not meet, and where it has \
                  one the result is open (MPI 4.0, 12.7). What the owner does before it takes part in any epoch is a warning. Put \
                  synchronisation between them.",
};

/// C0435: buffer of a one-sided access is used before it is complete.
pub(crate) static ORIGIN: Code = Code {
    id: "C0435",
    title: "buffer of a one-sided access is used before it is complete",
    explanation: "The buffer that MPI_Get writes to, or MPI_Put and MPI_Accumulate read from, belongs to MPI until the access is complete \
                  at its origin: until the next MPI_Win_fence, MPI_Win_complete, MPI_Win_unlock or MPI_Win_flush. What a get brings must \
                  neither be read nor written before, what a put sends must not be written.",
};

/// C0436: window over memory that is not there.
pub(crate) static MEMORY: Code = Code {
    id: "C0436",
    title: "window over memory that is not there",
    explanation: "The memory that a task exposes in a window is null, shorter than the size given, was given back while the window exists, \
                  or is part of another window too, which makes accesses through both of them undefined. Allocate the memory before the window \
                  and free it after MPI_Win_free, or use MPI_Win_allocate.",
};

/// C0437: operation is not defined for the datatype.
pub(crate) static OPERATOR: Code = Code {
    id: "C0437",
    title: "operation is not defined for the datatype",
    explanation: "Each predefined reduction is defined for some kinds of datatypes alone: bitwise ones for integers and MPI_BYTE, logical \
                  ones for integers and truth values, MPI_MAXLOC and MPI_MINLOC for pairs, sums for numbers; MPI_REPLACE and MPI_NO_OP for \
                  one-sided accesses alone. Derived datatypes need an operation of the program (MPI_Op_create), but where \
                  they are made of one predefined type in one-sided accesses.",
};

/// C0439: ready send whose receive may not be posted.
pub(crate) static READY: Code = Code {
    id: "C0439",
    title: "ready send whose receive may not be posted",
    explanation: "A ready send (MPI_Rsend, MPI_Irsend, MPI_Rsend_init) must begin only when its receive is posted. Here nothing makes sure of \
                  that: no message or collective operation leads from the call that posts the receive to the send, so that in some \
                  run, or in all, the send comes first, and MPI may fail or lose the message. A blocking receive cannot tell \
                  anybody that it is posted. Post a non-blocking receive and tell the sender, or use MPI_Send.",
};
