//! Diagnostics of validation.

use chronos_base::diag::Code;

/// C1201: compiler of the validation cannot be started.
pub static NO_COMPILER: Code = Code {
    id: "C1201",
    title: "compiler of the validation cannot be started",
    explanation: "`chronos validate` builds the program here, with the compiler and flags of the machine file or of --cc; MPI \
        programs with the command of --mpicc and the same flags. That command was not found or may not be executed.",
};

/// C1202: the program does not compile here.
pub static BUILD_FAILED: Code = Code {
    id: "C1202",
    title: "the program does not compile here",
    explanation: "`chronos validate` compiles a copy of each file in which the functions to be timed begin with a reading of the \
        clock. The message shows the compiler's first complaint. Missing libraries are named with --link, \
        as in --link \"-lblas\"; folders of headers with -I.",
};

/// C1203: the program does not run to its end here.
pub static RUN_FAILED: Code = Code {
    id: "C1203",
    title: "the program does not run to its end here",
    explanation: "`chronos validate` runs the program in the current folder with the arguments behind `--`, and standard input \
        from --stdin. It crashed, was stopped after --timeout, or left by a way that writes no timings (_exit, \
        a signal). Run it by hand first.",
};

/// C1204: MPI is not installed here.
pub static NO_MPI: Code = Code {
    id: "C1204",
    title: "MPI is not installed here",
    explanation: "The program calls MPI, so `chronos validate` builds it with the compiler command of --mpicc (default: mpicc) \
        and starts it with --mpirun (default: mpirun -np {n}). One of the two was not found. Install an MPI library, or \
        name its commands.",
};

/// C1207: no place for temporary files.
pub(crate) static NO_WORKPLACE: Code = Code {
    id: "C1207",
    title: "no place for temporary files",
    explanation: "`chronos validate` writes instrumented copies of the sources, the program and its timings to the system's \
        folder for temporary files. That cannot be written. Free some space there, or set TMPDIR.",
};

/// C1208: an option that only predictions know.
pub static CANNOT_BE_RUN: Code = Code {
    id: "C1208",
    title: "an option that only predictions know",
    explanation: "--set and --symbolic change or free what the source itself defines; a compiler knows nothing of that, so the \
        program that is measured would be another one. Use -D where the source allows it, or edit a copy.",
};

/// C1209: the measured program reported a failure.
pub(crate) static EXIT_CODE: Code = Code {
    id: "C1209",
    title: "the measured program reported a failure",
    explanation: "The program ended by itself, with an exit code other than 0. Its times are shown, but it may have done other work than \
        was predicted: run it by hand with the same arguments and look at what it says.",
};

/// C1210: functions are called another number of times than predicted.
pub(crate) static OTHER_CALLS: Code = Code {
    id: "C1210",
    title: "functions are called another number of times than predicted",
    explanation: "The counts of the prediction and those of the run differ, so their times cannot agree either. Assumed branches and \
        data that the prediction does not know are the usual cause: see chronos count, --prob and --iterations.",
};

/// C1211: the clock of the moment cannot be measured.
pub(crate) static NO_CLOCK: Code = Code {
    id: "C1211",
    title: "the clock of the moment cannot be measured",
    explanation: "The clock of a shared or throttled machine differs from that of the hour in which the machine file was made. `chronos \
        validate` therefore builds a chain of dependent additions with the program's compiler, runs it before and after the \
        program, and multiplies predictions by the ratio of the clocks. Here that chain could not be built or run, as with a \
        compiler for another machine: predictions are compared as they are. --no-clock does the same without this warning.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[
    &NO_COMPILER,
    &BUILD_FAILED,
    &RUN_FAILED,
    &NO_MPI,
    &NO_WORKPLACE,
    &CANNOT_BE_RUN,
    &EXIT_CODE,
    &OTHER_CALLS,
    &NO_CLOCK,
];
