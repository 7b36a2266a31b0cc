//! Diagnostics of pricing.

use crate::diag::Code;

pub static UNPRICED_LIBRARY: Code = Code {
    id: "C0520",
    title: "library function without a cost",
    explanation: "The program calls library functions that the machine file does not name, so each call is taken to \
        cost `library_default_cycles` of that file. Where such calls are frequent the prediction depends on it: add \
        the functions to the field `library` of a copy of the machine file.",
};

pub static UNKNOWN_VOLUME: Code = Code {
    id: "C0521",
    title: "bytes of library calls left out of expressions",
    explanation: "The time of some library functions (memset, calloc, printf, ...) grows with the bytes that they handle. \
        With --symbolic, how many these are is not known as an expression for the calls named, so the expressions hold \
        the time of the calls without it. With values in place of parameters (--set) it is part of the prediction.",
};

/// All of them, for `chronos explain`.
pub static ALL: &[&Code] = &[&UNPRICED_LIBRARY, &UNKNOWN_VOLUME];
