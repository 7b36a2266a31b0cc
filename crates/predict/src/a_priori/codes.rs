//! What can be said of more tasks than a program was predicted with.

use chronos_base::diag::Code;

/// C0966: some tasks have nothing to compute.
pub static WITHOUT_WORK: Code = Code {
    id: "C0966",
    title: "more tasks than there is work for",
    explanation: "With so many tasks some of them never execute what all tasks together execute most, and with fewer tasks all \
                  do: a grid has fewer rows than there are tasks, say. Further tasks communicate and wait, but compute next to \
                  nothing. Computing times and calls with more tasks are still those of the program, because they are counted \
                  for each number of tasks; how long tasks wait for each other is extrapolated.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&WITHOUT_WORK];
