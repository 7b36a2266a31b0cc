//! Diagnostics of instrumentation.

use chronos_base::diag::Code;

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[&OTHER_BLOCKS, &RUN_FAILED, &COMPILATION, &BUNDLED_MPI, &NOT_LINKED];

/// C1001: sources that cannot be instrumented.
pub(crate) static OTHER_BLOCKS: Code = Code {
    id: "C1001",
    title: "sources that cannot be instrumented",
    explanation: "To compile with any MPI, instrumented sources keep the names of MPI's constants. Here a constant \
                  expression or directive depends on their values, so that the blocks would not be those that are counted \
                  and predicted. Replace the comparison by what holds for the MPI in use.",
};

/// C1002: the traced program failed.
pub static RUN_FAILED: Code = Code {
    id: "C1002",
    title: "the traced or recorded program failed",
    explanation: "The program was compiled and started, but ended with an error, or could not be started. What \
                  it did until then is in the trace or the record. Run the original in the same way to see whether it fails as well.",
};

/// C1003: instrumented sources do not compile.
pub(crate) static COMPILATION: Code = Code {
    id: "C1003",
    title: "instrumented sources do not compile",
    explanation: "The compiler refused the instrumented sources. Places that it names are in the user's own files. Check \
                  that the original compiles with the same command; name the compiler with its flags by --mpicc (MPI \
                  programs) or --cc, and libraries with --link.",
};

/// C1004: the bundled MPI is used.
pub static BUNDLED_MPI: Code = Code {
    id: "C1004",
    title: "the bundled MPI is used",
    explanation: "There is no MPI compiler on this machine (mpicc), so the tasks run on the MPI that chronos brings along: as \
                  processes of this machine, connected by sockets. It follows the standard, so what tasks execute is the \
                  same, but its speed says nothing. Name an installed MPI by --mpicc and --mpirun; --mpi bundled asks for \
                  the bundled one without this note.",
};

/// C1005: a program that cannot be recorded.
pub(crate) static NOT_LINKED: Code = Code {
    id: "C1005",
    title: "a program that cannot be compiled to be recorded",
    explanation: "`chronos record` compiles the sources as they are and links a recorder in front of MPI. The compiler or the linker \
                  refused that. Check that the program compiles with the same command; name the compiler with its flags by --cc, \
                  libraries by --link. An executable that is already there is recorded with --exe, by a library that the \
                  installed mpicc compiles.",
};
