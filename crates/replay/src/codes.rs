//! Codes of diagnostics of the replay.

use chronos_base::diag::Code;

/// C0701: deadlock.
pub static DEADLOCK: Code = Code {
    id: "C0701",
    title: "deadlock",
    explanation: "Tasks wait for one another in a circle, so that none of them can ever go on. The message names the tasks and \
        their calls. Let one of them receive before it sends, or use MPI_Sendrecv or non-blocking calls.",
};

/// C0702: a call waits for something that never comes.
pub static NEVER: Code = Code {
    id: "C0702",
    title: "a call waits for something that never comes",
    explanation: "A task waits for a message, a receive or a collective operation, and the task that it waits for has ended or \
        does something else. Often a tag, a rank or a communicator differs between sender and receiver.",
};

/// C0703: a task waits for one that could not be followed.
pub(crate) static CONSEQUENCE: Code = Code {
    id: "C0703",
    title: "a task waits for one that could not be followed",
    explanation: "A task of the program could not be evaluated to its end, which another diagnostic explains. This task waits for \
        it, so its time is known only up to this call. It is a consequence, not a fault of the program.",
};

/// C0704: message that nobody receives.
pub static UNRECEIVED: Code = Code {
    id: "C0704",
    title: "message that nobody receives",
    explanation: "A message was sent and no receive took it before the program ended. MPI calls such a program erroneous; it \
        runs only because small messages are buffered.",
};

/// C0705: message larger than its receive.
pub static TRUNCATION: Code = Code {
    id: "C0705",
    title: "message larger than its receive",
    explanation: "A message has more bytes than the receive that matches it has room for; MPI ends such a program with \
        MPI_ERR_TRUNCATE.",
};

/// C0706: members of a communicator call different collective operations.
pub static MISMATCH: Code = Code {
    id: "C0706",
    title: "members of a communicator call different collective operations",
    explanation: "All members of a communicator must call the same collective operations in the same order, with the same root \
        and matching sizes.",
};

/// C0707: request that is never completed.
pub static UNWAITED: Code = Code {
    id: "C0707",
    title: "request that is never completed",
    explanation: "A non-blocking receive was posted and no message came for it before its task ended.",
};

/// C0708: too many steps.
pub static STEP_LIMIT: Code = Code {
    id: "C0708",
    title: "too many steps",
    explanation: "The replay was given a limit of steps and reached it, so that the times end there. The program may \
        communicate without end.",
};

/// C0709: tasks share processors.
pub(crate) static SHARED_PROCESSORS: Code = Code {
    id: "C0709",
    title: "tasks share processors",
    explanation: "A node has more tasks, with what other programs use, than processors. Those of its tasks that compute at a time \
        get equal parts of them; tasks that wait for messages take nothing, as where MPI blocks instead of spinning.",
};

/// C0710: the program aborts.
pub static ABORTED: Code = Code {
    id: "C0710",
    title: "the program aborts",
    explanation: "A task called MPI_Abort, which ends all tasks. A real run ends there as well: the prediction reaches to \
        this point, and is whole. With a code other than 0 the program takes it as an error; where it should not abort, look \
        at its arguments and input.",
};

/// C0711: members of a collective operation give different sizes.
pub static SIZES: Code = Code {
    id: "C0711",
    title: "members of a collective operation give different sizes",
    explanation: "Count times size of the datatype must be equal at all members of a collective operation (except for \
        the v-forms). A real run would be truncated, abort or hang, depending on the library.",
};

/// C0712: timeline cut short.
pub(crate) static TIMELINE_FULL: Code = Code {
    id: "C0712",
    title: "timeline cut short",
    explanation: "A timeline that is written out holds two million spans of time, divided evenly among the tasks. Tasks that did more \
        are shown up to that point. Times, tables and the critical path are not concerned.",
};

/// C0713: activity that no schedule can express.
pub static NO_SCHEDULE: Code = Code {
    id: "C0713",
    title: "activity that no schedule can express",
    explanation: "A GOAL schedule fixes what each rank does; it has no calls whose outcome depends on what has arrived, no \
        abort, and grows with every operation, because repeats are unrolled. What the program does goes beyond that.",
};

/// C0714: file access takes no time.
pub static FREE_FILES: Code = Code {
    id: "C0714",
    title: "file access takes no time",
    explanation: "The program reads or writes files through MPI, and the network file says nothing of a file system. These calls are \
        followed, but take no time, so that the prediction is too short by what they take.",
};

/// C0716: starting spawned tasks takes no time.
pub static FREE_START: Code = Code {
    id: "C0716",
    title: "starting spawned tasks takes no time",
    explanation: "The program starts tasks (MPI_Comm_spawn), and the network file does not say how long it takes to start a process. \
        The message that asks for each task is timed, its start is not, so that the prediction is too short by that.",
};

/// C0717: polling without end.
pub(crate) static POLLS_IN_VAIN: Code = Code {
    id: "C0717",
    title: "polling without end",
    explanation: "Tasks called MPI_Test, MPI_Iprobe and the like millions of times without success, while no other task did anything \
        else and no message was under way. Each time their state was another one (they count how often they polled, say), so that it is not \
        certain that they never stop; the replay gave up. What they look for was not sent to them, or their partner has ended.",
};

/// C0980: a task leaves without `MPI_Finalize`, which ends the others.
pub static ENDED_BY_LAUNCHER: Code = Code {
    id: "C0980",
    title: "a task leaves without MPI_Finalize, which ends the others",
    explanation: "A task came to its end without MPI_Finalize, and others wait for something that never comes. Launchers (mpirun of Open MPI, \
        mpiexec of MPICH) take such a task as failed and end the others, so that the program ends here, as a run does: the prediction is whole. Often \
        a task prints a usage text and leaves because arguments are missing.",
};

/// The remedy of whoever waits for what never comes.
pub(crate) const COMPARE_SIDES: &str = "compare ranks, tags and communicators of the calls of both sides";

/// C0719: longer than the replay can tell.
pub static END_OF_TIME: Code = Code {
    id: "C0719",
    title: "longer than the replay can tell",
    explanation: "Times are whole picoseconds in 64 bits, which are 213 days. The program takes longer than that, so its \
        prediction ends there and is incomplete. Counts have no such limit: `chronos count` tells how often everything is executed.",
};

/// C0718: critical path too long to be told.
pub(crate) static LONG_PATH: Code = Code {
    id: "C0718",
    title: "critical path too long to be told",
    explanation: "The critical path is found backwards along everything that tasks waited for, which is kept during the replay. \
        Programs whose loops repeat millions of times wait more often than there is room for, so the path is left out; \
        times, tables and what bounds each task are complete without it.",
};

/// C0720: too many waits to tell their causes.
pub static LONG_WAITING: Code = Code {
    id: "C0720",
    title: "too many waits to tell their causes",
    explanation: "What causes waiting is found from all that tasks did and waited for, which is kept during the replay. \
        Programs whose loops repeat millions of times do more than there is room for, so the causes are left out; \
        everything else is complete without them.",
};

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[
    &DEADLOCK,
    &NEVER,
    &CONSEQUENCE,
    &UNRECEIVED,
    &TRUNCATION,
    &MISMATCH,
    &UNWAITED,
    &STEP_LIMIT,
    &SHARED_PROCESSORS,
    &ABORTED,
    &SIZES,
    &TIMELINE_FULL,
    &NO_SCHEDULE,
    &FREE_FILES,
    &FREE_START,
    &POLLS_IN_VAIN,
    &LONG_PATH,
    &END_OF_TIME,
    &LONG_WAITING,
    &ENDED_BY_LAUNCHER,
];

/// Those of them that say that MPI is used wrongly.
pub static MISUSE: &[&Code] = &[&DEADLOCK, &NEVER, &UNRECEIVED, &TRUNCATION, &MISMATCH, &UNWAITED, &ENDED_BY_LAUNCHER];
