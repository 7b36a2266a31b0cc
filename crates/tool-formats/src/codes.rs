//! Codes of diagnostics of exchange formats.

use chronos_base::diag::Code;

/// C0751: malformed file of another tool.
pub static MALFORMED: Code = Code {
    id: "C0751",
    title: "malformed file of another tool",
    explanation: "A schedule or trace does not follow its format at the place named. Of GOAL, chronos takes `num_ranks`, one block \
        `rank N { ... }` for each rank, `calc`, `send` and `recv` with tag, cpu and nic, labels, `requires` and `irequires`.",
};

/// C0752: schedule or trace not read.
pub static UNREADABLE: Code = Code {
    id: "C0752",
    title: "schedule or trace not read",
    explanation: "A file given to `chronos replay` could not be read. It takes GOAL schedules (text) and time-independent traces.",
};

/// C0753: activity that no time-independent trace can express.
pub static NO_TRACE: Code = Code {
    id: "C0753",
    title: "activity that no time-independent trace can express",
    explanation: "A time-independent trace has blocking and immediate messages, waits, computation and blocking collective \
        operations of MPI_COMM_WORLD, one line for each. What the program does goes beyond that.",
};

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[&MALFORMED, &UNREADABLE, &NO_TRACE];
