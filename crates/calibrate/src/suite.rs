//! The programs that are measured to fit effective costs and to tell residuals.

use super::build;

/// What all programs of the suite include: name and text.
pub const HARNESS: (&str, &str) = ("harness.h", build::HARNESS);

/// The programs of the suite: what stands before the dot of their samples' names, and texts. Effective costs are
/// fitted to the first; residuals are of all.
pub const SUITE: [(&str, &str); 4] = [
    ("suite", include_str!("../microbench/suite.c")),
    ("irregular", include_str!("../microbench/irregular.c")),
    ("nests", include_str!("../microbench/nests.c")),
    ("unseen", include_str!("../microbench/unseen.c")),
];

/// Whether a sample is of the suite.
pub(crate) fn is_of_suite(name: &str) -> bool {
    name.split_once('.').is_some_and(|(program, _)| SUITE.iter().any(|(known, _)| *known == program))
}
