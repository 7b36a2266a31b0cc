//! Codes of diagnostics of exchange formats.

use crate::diag::Code;

pub static MALFORMED: Code = Code {
    id: "C0751",
    title: "malformed file of another tool",
    explanation: "A schedule or trace does not follow its format at the place named. Of GOAL, chronos takes `num_ranks`, one block \
        `rank N { ... }` for each rank, `calc`, `send` and `recv` with tag, cpu and nic, labels, `requires` and `irequires`.",
};

pub static UNREADABLE: Code = Code {
    id: "C0752",
    title: "schedule or trace not read",
    explanation: "A file given to `chronos replay` could not be read. It takes GOAL schedules (text) and time-independent traces.",
};

pub static ALL: &[&Code] = &[&MALFORMED, &UNREADABLE];
