//! Diagnostics of programs that run in virtual time.

use chronos_base::diag::Code;

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[&REFUSED, &NOT_CONNECTED, &DIED, &UNTOLD_BYTES, &NOT_FOLLOWED];

/// C1601: a program that cannot run in virtual time.
pub static REFUSED: Code = Code {
    id: "C1601",
    title: "a program that cannot run in virtual time",
    explanation: "`chronos run` gives each task a virtual clock and decides in which order messages arrive. What tasks do \
                  behind its back would have no time: threads that run beside each other, processes that are forked, and \
                  memory that tasks share without messages. Such a program is refused by the name of the function.",
};

/// C1602: a program whose tasks do not begin.
pub static NOT_CONNECTED: Code = Code {
    id: "C1602",
    title: "a program whose tasks do not begin",
    explanation: "Each task of a program that `chronos run` starts connects to chronos before its main function begins. \
                  The program ended before that: a constructor or a library ended it, or the system refused so many \
                  processes or open files.",
};

/// C1603: a task that ended before its program did.
pub static DIED: Code = Code {
    id: "C1603",
    title: "a task that ended before its program did",
    explanation: "A task crashed, was ended by a signal, or left without MPI_Finalize, with whatever exit \
                  code: a launcher of MPI ends the whole program then (Open MPI always; MPICH where others still run). The \
                  report holds what the tasks did up to there, without a total.",
};

/// C1606: bytes of library calls that a run does not tell.
pub static UNTOLD_BYTES: Code = Code {
    id: "C1606",
    title: "bytes of library calls that a run does not tell",
    explanation: "Trace points count calls, and the bytes of those that an argument says (memcpy, memset), but not how many bytes or \
                  operations a call of another library function is for. Where tasks execute more than evaluation follows (10^8 \
                  operations of all tasks), such calls cost what a call costs whatever it is for: strlen, printf and above all the BLAS \
                  are too short there. `chronos predict` \
                  knows the bytes of all calls, where it comes to the end of the program; `chronos run --time cpu` \
                  measures them.",
};

/// C1604: a call that a run in virtual time cannot follow.
pub static NOT_FOLLOWED: Code = Code {
    id: "C1604",
    title: "a call that a run in virtual time cannot follow",
    explanation: "The runtime does not tell what this MPI function asks for, so nothing can say how long it takes. The \
                  task is followed up to there.",
};
