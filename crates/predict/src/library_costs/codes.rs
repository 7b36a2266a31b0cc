//! Diagnostic codes of files of library costs.

use chronos_base::diag::Code;

/// C0508: file of library costs not read.
pub static UNREADABLE: Code = Code {
    id: "C0508",
    title: "file of library costs not read",
    explanation: "The file named by --library-costs does not exist or may not be read. Check the spelling; paths are \
        relative to the current directory.",
};

/// C0509: file of library costs does not follow its schema.
pub static MALFORMED: Code = Code {
    id: "C0509",
    title: "file of library costs does not follow its schema",
    explanation: "The file named by --library-costs is not JSON, or a field is missing, unknown or of the wrong type. \
        schemas/chronos-library-costs-1.json in the source tree describes every field.",
};

/// C0510: work of a library function is no expression of its arguments.
pub(crate) static BAD_WORK: Code = Code {
    id: "C0510",
    title: "work of a library function is no expression of its arguments",
    explanation: "The field `work` holds integers, names listed in `arguments`, +, -, * and parentheses, such as \
        2*m*n*k. An argument listed as \"*n\" is a pointer to an int, as Fortran passes them; the expression calls it n.",
};

/// C0511: impossible cost of a library function.
pub(crate) static BAD_COST: Code = Code {
    id: "C0511",
    title: "impossible cost of a library function",
    explanation: "Costs are numbers not below 0: `ns_per_call` for a call, `ns_per_work` for a unit of work, or \
        `work_per_ns` (of floating-point operations: Gflop/s) instead of the latter.",
};

/// All of them, for `chronos explain`.
pub static ALL: &[&Code] = &[&UNREADABLE, &MALFORMED, &BAD_WORK, &BAD_COST];
