//! Diagnostics of traces.

use chronos_base::diag::Code;

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] =
    &[&UNREADABLE, &OTHER_SOURCE, &OTHER_TASKS, &PARTIAL, &NOT_RECORDED, &FROM_TRACE, &OTHER_ARGUMENTS, &SHARED];

/// C1101: a trace that cannot be read.
pub static UNREADABLE: Code = Code {
    id: "C1101",
    title: "a trace that cannot be read",
    explanation: "A trace is a folder with trace.json and one file task-R.ctr for each task. Something is missing, \
                  damaged or of another version. What a file holds up to its first damaged line is used and said to be \
                  partial; this is told where nothing is left, or where files do not belong together.",
};

/// C1102: a trace of other sources.
pub(crate) static OTHER_SOURCE: Code = Code {
    id: "C1102",
    title: "a trace of other sources",
    explanation: "Counts in a trace are those of numbered blocks. A file was changed since the program was traced, or \
                  macros (-D) make other blocks of it, so the numbers would mean something else. Trace the program again. \
                  Headers without code may differ in their strings, which is noted.",
};

/// C1103: a trace of another number of tasks.
pub static OTHER_TASKS: Code = Code {
    id: "C1103",
    title: "a trace of another number of tasks",
    explanation: "A trace tells what each of its tasks did. With another number of tasks they would have done something \
                  else, and nothing tells what. Give the -n of the trace, trace the program with the number wanted, or say what \
                  stays the same: --share-trace total or per-task.",
};

/// C1104: a partial trace.
pub static PARTIAL: Code = Code {
    id: "C1104",
    title: "a partial trace",
    explanation: "A task ended before the program did (a crash, a signal, MPI_Abort, a full disk), or its file was cut. \
                  Counts are those up to the last line that was written whole: lower bounds.",
};

/// C1105: a call that the trace does not tell.
pub(crate) static NOT_RECORDED: Code = Code {
    id: "C1105",
    title: "a call that the trace does not tell",
    explanation: "Where the source does not determine which MPI calls a program makes, a prediction takes them from the trace, \
                  which records messages, waits, probes, collective operations, access to memory of other tasks and to files. \
                  Persistent collective operations and tasks that are spawned are not recorded; neither is anything in traces \
                  of before.",
};

/// C1106: MPI calls of the traced run.
pub static FROM_TRACE: Code = Code {
    id: "C1106",
    title: "MPI calls of the traced run",
    explanation: "Which MPI calls the program makes, with whom and how much, depends on data that the source does not tell. The \
                  prediction takes the calls of the traced run in their order, with the counts between them. Receives from \
                  any source are matched anew on each machine; what the program did with what came first stays as in the \
                  run.",
};

/// C1107: a trace of a run with other arguments.
pub static OTHER_ARGUMENTS: Code = Code {
    id: "C1107",
    title: "a trace of a run with other arguments",
    explanation: "Static counts are those of the arguments behind `--`, and counts of the trace those of its run: together they \
                  mean something only where both are the same. Give the arguments of the run, or trace the program again. \
                  Traces of instrumented sources that were compiled and started by hand do not know their arguments.",
};

/// C1108: counts shared out over other tasks.
pub static SHARED: Code = Code {
    id: "C1108",
    title: "counts shared out over other tasks",
    explanation: "A trace of another number of tasks was told to stand for this one. With --share-trace total, the sum of each \
                  count over all traced tasks is divided evenly over the new ones; with per-task, each new task counts as the \
                  mean of the traced ones. Counts that are statically exact stay so; all others are assumed. Which MPI calls \
                  are made is never taken from such a trace.",
};
