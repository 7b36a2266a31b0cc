//! Diagnostics of pricing.

use chronos_base::diag::Code;

/// C0520: library function without a cost.
pub(crate) static UNPRICED_LIBRARY: Code = Code {
    id: "C0520",
    title: "library function without a cost",
    explanation: "The program calls library functions that the machine file does not name, so each call is taken to \
        cost `library_default_cycles` of that file. Where such calls are frequent the prediction depends on it: add \
        the functions to the field `library` of a copy of the machine file. Of the BLAS that is far too little, so it is a warning: \
        `chronos calibrate --blas` measures the BLAS that a program is linked with, and `--library-costs` takes the result.",
};

/// C0521: bytes of library calls left out of expressions.
pub static UNKNOWN_VOLUME: Code = Code {
    id: "C0521",
    title: "bytes of library calls left out of expressions",
    explanation: "The time of some library functions (memset, calloc, printf, ...) grows with the bytes that they handle. \
        With --symbolic, how many these are is not known as an expression for the calls named, so the expressions hold \
        the time of the calls without it. With values in place of parameters (--set) it is part of the prediction.",
};

/// C0522: the machine file lacks figures of the cost model.
pub(crate) static ASSUMED_PROCESSOR: Code = Code {
    id: "C0522",
    title: "the machine file lacks figures of the cost model",
    explanation: "The cost model `source` asks for the width and the window of the processor, its store-to-load forwarding and \
        its branch prediction (field `pipeline`), and for the time of a line from each level of memory (`ns_per_line_read`). \
        In place of a missing pipeline an ordinary out-of-order processor is assumed; levels without a time cost nothing. \
        Add the figures to a copy of the machine file, or use --cost-model instruction-sum.",
};

/// C0523: rows of unknown length taken to lie side by side.
pub(crate) static UNKNOWN_ROWS: Code = Code {
    id: "C0523",
    title: "rows of unknown length taken to lie side by side",
    explanation: "The cost model `source` knows how far apart the rows of an array lie where their length is a constant, or \
        where a loop that ran before tells what the variable holds that gives it. Elsewhere rows are taken to lie one beside \
        the other, so that they share lines of memory. It is told where what runs between two calls of \
        MPI would take over 1 % longer with each row in lines of its own. Put a constant or a macro in place of the length where \
        the rows are used; -D or --set gives a macro its value.",
};

/// All of them, for `chronos explain`.
pub static ALL: &[&Code] = &[&UNPRICED_LIBRARY, &UNKNOWN_VOLUME, &ASSUMED_PROCESSOR, &UNKNOWN_ROWS];
