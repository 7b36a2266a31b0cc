//! Diagnostics of calibration.

use chronos_base::diag::Code;

/// C0601: compiler cannot be started.
pub static NO_COMPILER: Code = Code {
    id: "C0601",
    title: "compiler cannot be started",
    explanation: "Calibration builds its microbenchmarks with the command given by `--cc`. That command was not \
        found or may not be executed. Install a compiler (gcc, clang) or name the one that builds your programs.",
};

/// C0602: a microbenchmark does not compile.
pub static BUILD_FAILED: Code = Code {
    id: "C0602",
    title: "a microbenchmark does not compile",
    explanation: "The compiler refused a microbenchmark with the flags given. The message shows its first \
        complaint. Flags that change the language (-std=c89, -Werror with many warnings) or that the compiler does \
        not know are the usual cause; GNU inline assembly is needed (gcc, clang).",
};

/// C0603: a microbenchmark does not run.
pub static RUN_FAILED: Code = Code {
    id: "C0603",
    title: "a microbenchmark does not run",
    explanation: "A microbenchmark was built but did not run to its end. Cross-compiled programs and instructions \
        that this processor lacks (-march of another one) are the usual cause: calibrate on the machine that is to \
        be described.",
};

/// C0604: a microbenchmark printed something unexpected.
pub(crate) static BAD_OUTPUT: Code = Code {
    id: "C0604",
    title: "a microbenchmark printed something unexpected",
    explanation: "A line of a microbenchmark's output is not a measurement, or one is missing. That is a fault of \
        this program or of a wrapper around the compiler that changes what is run.",
};

/// C0605: noisy measurement.
pub(crate) static NOISY: Code = Code {
    id: "C0605",
    title: "noisy measurement",
    explanation: "Other programs, a changing clock or a busy virtual machine disturbed the timings. The least of many \
        short repetitions is used, which stands much of that; still, the figures may be off by some percent.",
};

/// C0606: measurement too noisy.
pub(crate) static TOO_NOISY: Code = Code {
    id: "C0606",
    title: "measurement too noisy",
    explanation: "Typical timings lie so far above the least ones that the machine file would mean little, so none \
        is made.",
};

/// C0607: no temporary directory.
pub static NO_TEMPORARY: Code = Code {
    id: "C0607",
    title: "no temporary directory",
    explanation: "Calibration builds its microbenchmarks in a temporary directory, which could not be made or \
        written. Free some space there, or point TMPDIR to a directory that may be written.",
};

/// C0608: the MPI launcher does not run the benchmark.
pub(crate) static LAUNCH_FAILED: Code = Code {
    id: "C0608",
    title: "the MPI launcher does not run the benchmark",
    explanation: "Calibrating a network runs a benchmark on several tasks with the command given by `--mpirun`, in which {n} stands \
        for the number of tasks; the path of the program and its arguments follow. The command was not found or failed. \
        Open MPI refuses to run as root unless told otherwise, and more tasks than processors unless asked to; the \
        program is in the temporary directory, which all nodes must see.",
};

/// C0609: more tasks than processors.
pub(crate) static CROWDED: Code = Code {
    id: "C0609",
    title: "more tasks than processors",
    explanation: "Tasks that wait for a message usually keep a processor busy. Where a node has fewer processors than tasks, \
        one that waits keeps the one that is to answer from running, and times come out hundreds of times too long.",
};

/// C0610: the machine file keeps nothing of a measurement.
pub static NO_SAMPLES: Code = Code {
    id: "C0610",
    title: "the machine file keeps nothing of a measurement",
    explanation: "`chronos machine refit` makes anew what a newer version of chronos reads otherwise from the samples of a calibration: \
                  residuals, and figures that are fitted. Files made from published figures have no samples.",
};

/// C0611: measured message times that make no network.
pub static MESSAGE_TIMES: Code = Code {
    id: "C0611",
    title: "measured message times that make no network",
    explanation: "`chronos network fit` reads lines of a size in bytes and a time in seconds, one way, from an idle network, and                   fits a line, pieces of lines or a polynomial to them. A line that is none of these, times of fewer than two sizes,                   or a function by which longer messages take less time are told.",
};

/// C0612: messages within a virtual machine.
pub static VIRTUAL_MACHINE: Code = Code {
    id: "C0612",
    title: "messages within a virtual machine",
    explanation: "What a message between two tasks of one node takes depends on the caches that their processors share. The host of a \
                  virtual machine may place its processors on others at any time, which no program inside sees: times were \
                  2.5 times as long in one state as in another, and lasted for seconds or minutes. The network file says so in its \
                  `uncertainty`, and 90 % intervals of predictions with it are as wide. Calibrate on the bare machine, or \
                  shortly before the run that is to be predicted, and set `uncertainty` of `within_node` by hand.",
};

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[
    &NO_SAMPLES,
    &MESSAGE_TIMES,
    &VIRTUAL_MACHINE,
    &NO_COMPILER,
    &BUILD_FAILED,
    &RUN_FAILED,
    &BAD_OUTPUT,
    &NOISY,
    &TOO_NOISY,
    &NO_TEMPORARY,
    &LAUNCH_FAILED,
    &CROWDED,
];
