//! What the lowering can report.

use chronos_base::diag::Code;

pub(crate) static UNDECLARED: Code = Code {
    id: "C0150",
    title: "undeclared identifier",
    explanation: "The source uses a name that no declaration before it introduces. A function is taken to return int, as \
                  C89 had it; any other name has an unknown value. Include the header that declares it.",
};

pub(crate) static INCOMPLETE_TYPE: Code = Code {
    id: "C0151",
    title: "incomplete type",
    explanation: "The size or the members of a struct, union or array are needed where only its name is known. Include \
                  the header that defines it.",
};

/// C0152: a construct of C is not modelled.
pub static UNSUPPORTED: Code = Code {
    id: "C0152",
    title: "unsupported construct",
    explanation: "The construct is valid C or GNU C but is not modelled. It is kept as an operation whose result is \
                  unknown, and the rest of the program is analysed as usual.",
};

pub(crate) static DUPLICATE: Code = Code {
    id: "C0153",
    title: "duplicate definition",
    explanation: "Two functions or variables with external linkage have the same name. The first definition is used. \
                  Make one of them static, rename it, or leave one of the files out.",
};

pub(crate) static ARGUMENT_COUNT: Code = Code {
    id: "C0154",
    title: "wrong number of arguments",
    explanation: "A function is called with more or fewer arguments than it has parameters. Missing ones are taken as \
                  zero. Include the header with the function's prototype and correct the call.",
};

pub(crate) static NOT_CONSTANT: Code = Code {
    id: "C0155",
    title: "not a constant expression",
    explanation: "An array size, enumerator, case label, bit-field width or static initialiser needs a value that is known \
                  at compile time, and this expression has none.",
};

pub(crate) static INVALID: Code = Code {
    id: "C0156",
    title: "invalid construct",
    explanation: "The source breaks a rule of C here; the C compiler rejects it as well. The construct is kept as an \
                  operation whose result is unknown.",
};

pub(crate) static STATIC_ASSERTION: Code = Code {
    id: "C0157",
    title: "static assertion failed",
    explanation: "A _Static_assert of the source does not hold, perhaps because the data model (LP64 or ILP32) differs \
                  from that of the compiler it was written for.",
};

pub(crate) static SETTING: Code = Code {
    id: "C0158",
    title: "unusable value of --set",
    explanation: "The value given by --set NAME=VALUE for a variable or enumerator of the program is not a number, so its \
                  own initialiser is used.",
};

pub(crate) static SEVERAL_PROGRAMS: Code = Code {
    id: "C0159",
    title: "sources of several programs",
    explanation: "A prediction is of one program, and the files given define `main` more than once, as all sources of a \
                  build with several executables do. Name the files of one executable alone.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[
    &UNDECLARED,
    &INCOMPLETE_TYPE,
    &UNSUPPORTED,
    &DUPLICATE,
    &ARGUMENT_COUNT,
    &NOT_CONSTANT,
    &INVALID,
    &STATIC_ASSERTION,
    &SETTING,
    &SEVERAL_PROGRAMS,
];
