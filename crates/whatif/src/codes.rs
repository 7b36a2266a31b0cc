//! Diagnostic codes of what-if changes.

use chronos_base::diag::Code;

pub(crate) static WRONG_CHANGE: Code = Code {
    id: "C1401",
    title: "no change that is known",
    explanation: "`chronos whatif` takes changes as words: place=0,0,1,1, place=N/M, place=cyclic:M, place=best:M, network=NAME, zero=F, \
                  speed=F:k, speed=FILE:LINE:k, move=F:FROM->TO, balance, balance=F, ideal-network, overlap, node=R:k. Several joined by \
                  ` + ` in one argument are made together. A file whose name looks like a change is given as ./NAME.",
};

pub(crate) static UNKNOWN_PART: Code = Code {
    id: "C1402",
    title: "a change of something that is not there",
    explanation: "A change names a function, a line, a task or a node. It must be one of the program as it was read, or of the system that \
                  is predicted on: a misspelled name would otherwise look like a change that saves nothing.",
};

pub(crate) static NOT_APPLICABLE: Code = Code {
    id: "C1403",
    title: "a change that cannot be made",
    explanation: "Some changes need something of the program: a function can be moved only between tasks that exchange messages, and only \
                  where it is executed before one; a placement names a node for every task. The message says what is missing and what \
                  would be right.",
};

pub(crate) static NO_BASE: Code = Code {
    id: "C1404",
    title: "nothing to compare a change with",
    explanation: "What a change saves is the difference of two complete predictions. This program's own prediction is incomplete, so the \
                  diagnostics of `chronos predict` come first.",
};

pub(crate) static DEPENDS_ON_ARRIVAL: Code = Code {
    id: "C1405",
    title: "a program that depends on the order of arrival",
    explanation: "What such a program does depends on which message comes first, and a change may change that. Messages match under \
                  each change as they did without it; with --re-evaluate, the tasks are followed again as well, so that the answer is that \
                  of the changed timing. Changes of the structure (move, balance, overlap) need one activity that is known beforehand, and \
                  are refused where the program is followed again.",
};

pub(crate) static NOT_LONGEST_PATH: Code = Code {
    id: "C1406",
    title: "the critical path does not tell what is saved at first",
    explanation: "Where each thing takes a time of its own, the total is the longest path through the program, and a part that takes a little \
                  less time saves just what the path holds of it. Tasks that share a processor, messages that share a link, and messages \
                  that are slower while others come the other way, take a time that depends on what else goes on: less of one part \
                  makes others faster too, or slower. The path is then that of the replay as it was, and each saving is replayed by itself.",
};

/// All codes of this module.
pub static ALL: &[&Code] =
    &[&WRONG_CHANGE, &UNKNOWN_PART, &NOT_APPLICABLE, &NO_BASE, &DEPENDS_ON_ARRIVAL, &NOT_LONGEST_PATH];
