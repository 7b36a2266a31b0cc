//! Diagnostics of pricing.

use crate::diag::Code;

pub static UNPRICED_LIBRARY: Code = Code {
    id: "C0520",
    title: "library function without a cost",
    explanation: "The program calls library functions that the machine file does not name, so each call is taken to \
        cost `library_default_cycles` of that file. Where such calls are frequent the prediction depends on it: add \
        the functions to the field `library` of a copy of the machine file.",
};

/// All of them, for `chronos explain`.
pub static ALL: &[&Code] = &[&UNPRICED_LIBRARY];
