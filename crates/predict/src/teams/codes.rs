//! What can be said of threads on a machine.

use chronos_base::diag::Code;

/// C0560: the machine file has no costs of threads.
pub static THREAD_COSTS: Code = Code {
    id: "C0560",
    title: "costs of threads are typical ones",
    explanation: "Begin and end of a parallel region, barriers, locks and chunks of dynamic schedules take time that depends on \
                  processor and runtime. The machine file has no `threads`, so typical figures of GCC's runtime on servers are \
                  taken. They matter where regions are short.",
};

/// C0561: more threads than cores.
pub static OVERSUBSCRIBED: Code = Code {
    id: "C0561",
    title: "more threads than cores",
    explanation: "Threads of all tasks of a node together are more than the `cores` of the machine file. They are taken to share \
                  these fairly, without the time that switching and active waiting cost a real run.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&THREAD_COSTS, &OVERSUBSCRIBED];
