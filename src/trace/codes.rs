//! Diagnostics of traces.

use crate::diag::Code;

pub static ALL: &[&Code] = &[&UNREADABLE, &OTHER_SOURCE, &OTHER_TASKS, &PARTIAL];

pub static UNREADABLE: Code = Code {
    id: "C1101",
    title: "a trace that cannot be read",
    explanation: "A trace is a folder with trace.json and one file task-R.ctr for each task. Something is missing, \
                  damaged or of another version. What a file holds up to its first damaged line is used and said to be \
                  partial; this is told where nothing is left, or where files do not belong together.",
};

pub static OTHER_SOURCE: Code = Code {
    id: "C1102",
    title: "a trace of other sources",
    explanation: "Counts in a trace are those of numbered blocks. A file was changed since the program was traced, or \
                  macros (-D) make other blocks of it, so the numbers would mean something else. Trace the program again.",
};

pub static OTHER_TASKS: Code = Code {
    id: "C1103",
    title: "a trace of another number of tasks",
    explanation: "A trace tells what each of its tasks did. With another number of tasks they would have done something \
                  else, and nothing tells what. Give the -n of the trace, or trace the program with the number wanted.",
};

pub static PARTIAL: Code = Code {
    id: "C1104",
    title: "a partial trace",
    explanation: "A task ended before the program did (a crash, a signal, MPI_Abort, a full disk), or its file was cut. \
                  Counts are those up to the last line that was written whole: lower bounds.",
};
