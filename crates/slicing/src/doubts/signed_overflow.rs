//! Signed integers that overflow: C leaves the result undefined (C11, 6.5, paragraph 5), the evaluation goes on with the value
//! that wraps around.
//!
//! It is what compiled code nearly always computes, and no more than that: a compiler may take the operation not to overflow,
//! and then a comparison or a number of iterations comes out otherwise.

use super::{Certainty, Doubt, Doubts, Subject};
use chronos_base::span::Span;
use chronos_ir::{DepartureKind, FuncId, Program, ValueId};

pub(super) const TEXT: &str =
    "a signed integer overflows, which C leaves undefined, and the value that wraps around is taken";
pub(super) const HELP: &str =
    "compute it in an unsigned type, or compile with -fwrapv and give that here as well, as in --cc \"gcc -fwrapv\"";

/// A doubt about what an operation computes that was seen to overflow.
pub fn note(program: &Program, function: FuncId, value: ValueId, span: Span, doubts: &mut Doubts) {
    let unit = program.functions[function].unit;
    let is_undefined = |kind| matches!(kind, DepartureKind::SignedOverflow);
    if program.departures.iter().any(|departure| departure.unit == unit && is_undefined(departure.kind)) {
        let doubt = Doubt { span, certainty: Certainty::Approximate, text: TEXT.into(), help: Some(HELP.into()) };
        doubts.add(doubt, Subject::Value(function, value));
    }
}
