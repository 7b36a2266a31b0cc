//! Diagnostic codes of files of assumptions.

use chronos_base::diag::Code;

/// C0912: file of assumptions not read.
pub static UNREADABLE: Code = Code {
    id: "C0912",
    title: "file of assumptions not read",
    explanation: "The file named by --assume does not exist or may not be read. `chronos count --write-assumptions NEW.json` \
                  writes one that lists every branch and loop that is not exactly known.",
};

/// C0913: file of assumptions does not follow its schema.
pub static MALFORMED: Code = Code {
    id: "C0913",
    title: "file of assumptions does not follow its schema",
    explanation: "The file named by --assume is not JSON, or a field is missing, unknown or of the wrong type; the message gives line \
                  and column. schemas/chronos-assumptions-1.json in the source tree describes every field.",
};

/// C0914: impossible value in a file of assumptions.
pub(crate) static IMPOSSIBLE: Code = Code {
    id: "C0914",
    title: "impossible value in a file of assumptions",
    explanation: "A probability is a number from 0 to 1, a mean number of iterations is not negative. null says nothing about \
                  the branch or loop.",
};

/// C0915: a file of assumptions names a place where no such branch or loop begins.
pub static PLACE: Code = Code {
    id: "C0915",
    title: "a file of assumptions names a place where no such branch or loop begins",
    explanation: "An entry is found by file, line and, where it is given, column. The source may have changed since the file was \
                  written: write a new one with `chronos count --write-assumptions`, or correct the line.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&UNREADABLE, &MALFORMED, &IMPOSSIBLE, &PLACE];
