//! Kinds of diagnostics of counts that rest on approximations.

use chronos_base::diag::Code;

pub(crate) static APPROXIMATED: Code = Code {
    id: "C0336",
    title: "counts rest on an approximation",
    explanation: "The evaluation used something that a run of the program may have otherwise: a variable of the environment is taken to be unset, the operands of an operator are computed in the order that compilers choose, a function whose address a library has is not called, a type is computed in another precision. The value is used, but every count that depends on it is given as assumed, or as unknown, with this as its reason, and `chronos count --strict` objects. The message names what was taken; the help says how to give it.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&APPROXIMATED];
