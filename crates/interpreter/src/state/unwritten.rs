//! Values that are read before they are written, where they decide how the program goes on.
//!
//! A real run goes on with what lies there. Nobody knows that in general, so that such a value is unknown, and where it
//! decides nothing that is all. Where the evaluation cannot go on without it, the job is evaluated anew as if new memory held
//! zeros: the kernel gives zeroed pages, so that memory which the process touches first holds them, and so does what
//! lies behind a variable in static storage without initial values (`.bss`). Memory that was used before may hold
//! anything else, so that this is a doubt about all counts.

use crate::code::program::Code;
use crate::state::shared::Shared;
use chronos_base::ids::Id;
use chronos_ir::{FuncId, Program};
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::storage::Fill;
use chronos_values::{ReasonKind, Value};

/// What such a value is the result of.
const OUTSIDE: &str = "a read outside an object";

/// Why a value is unknown that lies beside an object.
pub(crate) fn outside() -> ReasonKind {
    ReasonKind::Undefined(OUTSIDE.into())
}

/// Whether a value is unknown for such a reason.
pub(crate) fn is_unwritten(kind: &ReasonKind) -> bool {
    match kind {
        ReasonKind::Uninitialised => true,
        ReasonKind::Undefined(what) => &**what == OUTSIDE,
        _ => false,
    }
}

/// Where zeros are assumed, all counts rest on that.
pub(crate) fn doubt_zeros(shared: &mut Shared, program: &Program) {
    let (Some(span), Some(main)) = (shared.options.assumptions.unwritten_is_zero, program.main) else { return };
    let text = "what is read before it is written, or beside an object, decides here, and is taken to be zero";
    let help = Some("set the variable before it is used, on every path, and check the sizes of arrays".into());
    let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help };
    shared.doubts.add(doubt, Subject::Function(main));
}

/// Gives the variables of `main` that have registers what new memory holds. Those of other functions stay unknown: calls
/// before have left something on the stack.
pub(crate) fn fill_variables(shared: &Shared, code: &Code, main: FuncId, registers: &mut [Value]) {
    if shared.fresh() != Fill::Zero {
        return;
    }
    let function = &code.functions[main.index()];
    let first = function.first_variable as usize;
    for (register, &variable) in registers[first..].iter_mut().zip(&function.variables) {
        let ty = code.program.types.scalar(code.program.variables[variable].ty);
        if let Some(ty) = ty {
            *register = Fill::Zero.scalar(ty);
        }
    }
}
