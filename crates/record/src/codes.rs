//! Diagnostics of recorded runs.

use chronos_base::diag::Code;

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[
    &UNREADABLE,
    &OTHER_TASKS,
    &PARTIAL,
    &THREADS,
    &NO_LONGEST_PATH,
    &NOTHING,
    &NOT_CALIBRATED,
    &NOT_IN_SHORT_RUN,
    &SHORT_STRETCHES,
    &OTHER_REGIME,
    &NO_SOURCES,
    &NOT_HELD,
    &SHARE_OF_RUN,
    &SAME_MACHINES,
];

/// C1701: a record that cannot be read.
pub static UNREADABLE: Code = Code {
    id: "C1701",
    title: "a record that cannot be read",
    explanation: "A record is a folder that `chronos record` wrote, with record.json and one file task-R.rec for each task. Something \
                  is missing, of another format, or from another run. What a file holds up to its last whole line is used \
                  and said to be partial; this is told where nothing is left, or where files do not belong together.",
};

/// C1702: a record of another number of tasks.
pub static OTHER_TASKS: Code = Code {
    id: "C1702",
    title: "a record of another number of tasks",
    explanation: "A record tells what each of its tasks did; with another number of tasks they would have done something else. \
                  `chronos predict --recorded` predicts the tasks of the record; leave out -n, or record a run with as many \
                  tasks as you ask for.",
};

/// C1703: a partial record.
pub static PARTIAL: Code = Code {
    id: "C1703",
    title: "a partial record",
    explanation: "A task ended before its program did (a crash, a signal, MPI_Abort, a full disk), or its file was cut. What is \
                  predicted is what the tasks did up to there.",
};

/// C1704: a record of several threads that call MPI.
pub static THREADS: Code = Code {
    id: "C1704",
    title: "a record of several threads that call MPI",
    explanation: "A record has the processor time of one thread of each task between its MPI calls. In this run other threads called \
                  MPI as well, and how they waited for each other is not recorded.",
};

/// C1705: no longest path.
pub static NO_LONGEST_PATH: Code = Code {
    id: "C1705",
    title: "no longest path",
    explanation: "The longest path of a run (--model paper) needs to know which message each receive got. It is not there for a run \
                  with one-sided communication, with wildcards that are matched anew (--re-match), or that was cut off while \
                  messages were on their way.",
};

/// C1706: a program that recorded nothing.
pub static NOTHING: Code = Code {
    id: "C1706",
    title: "a program that recorded nothing",
    explanation: "The program ended without a record of any task: it did not start, it never called MPI_Init, or it was linked \
                  statically with its MPI, so that a recorder cannot stand in front of it. Check that it runs by itself, or give its \
                  sources to `chronos record`.",
};

/// C1707: a run that calibrates nothing.
pub static NOT_CALIBRATED: Code = Code {
    id: "C1707",
    title: "a run that calibrates nothing",
    explanation: "A prediction is calibrated by what a short run of the same program took from MPI call to MPI call, against what is \
                  predicted for the same stretches. There are none: the run computes for less than two microseconds between its \
                  calls, the prediction of the short run is incomplete from its begin, or the record is of another program.",
};

/// C1708: a part that the short run does not tell of.
pub static NOT_IN_SHORT_RUN: Code = Code {
    id: "C1708",
    title: "a part that the short run does not tell of",
    explanation: "A calibrated prediction multiplies predicted times by measured / predicted of a short run, for each outermost loop without \
                  MPI calls and for the rest of each function. This part was not executed in the short run, or only in stretches that \
                  are too short to be measured, and keeps the time that the cost model predicts.",
};

/// C1709: stretches too short to calibrate by.
pub static SHORT_STRETCHES: Code = Code {
    id: "C1709",
    title: "stretches too short to calibrate by",
    explanation: "Recording a call takes about a microsecond, a fifth of it in the stretch before. A stretch of less than two microseconds \
                  is decided by that and by what the call left in caches, more than by the program, and is left out.",
};

/// C1710: a loop that runs otherwise than in the short run.
pub static OTHER_REGIME: Code = Code {
    id: "C1710",
    title: "a loop that runs otherwise than in the short run",
    explanation: "By its predicted working set and its predicted code this loop is bound by another level of memory, or runs on vectors of \
                  another length, than in the run that the prediction is calibrated by. Its measured / predicted there is still used as far as \
                  it is further from 1 than such a change makes it, and its interval is at least that of the cost model.",
};

/// C1711: machines without the sources.
pub static NO_SOURCES: Code = Code {
    id: "C1711",
    title: "a ratio of machines that needs the sources",
    explanation: "`--machine-ratio FROM:TO` predicts the recorded run on both machines and scales the processor time of each stretch by the ratio \
                  of both predictions, so that what is wrong with them cancels. For that it needs the program: name its sources beside \
                  --recorded, or give a factor.",
};

/// C1712: a call that records do not hold.
pub static NOT_HELD: Code = Code {
    id: "C1712",
    title: "a call that records do not hold",
    explanation: "Tasks that a program starts (MPI_Comm_spawn) have no file in a record, and persistent collective operations (started by \
                  MPI_Start) are not followed. The record ends in front of such a call; the prediction reaches up to there and has no total. \
                  `chronos run` follows tasks that are started, `chronos predict` follows both.",
};

/// C1713: a share of the system that is more than services take.
pub static SHARE_OF_RUN: Code = Code {
    id: "C1713",
    title: "a share of the system that is more than services take",
    explanation: "`--os-share run` takes what passed between calls without being processor time of the task, where no other program took its \
                  processor. Services of an idle system take some per cent. More comes from runs of a few milliseconds, from a virtual machine that \
                  waits for its host, or from pages that are read from a disk: such a share lengthens the computation of every task and is no \
                  property of the machine.",
};

/// C1714: a ratio of a machine to itself.
pub static SAME_MACHINES: Code = Code {
    id: "C1714",
    title: "a ratio of a machine to itself",
    explanation: "`--machine-ratio FROM:TO` with the same machine twice changes nothing: computing takes the processor time that was recorded.",
};
