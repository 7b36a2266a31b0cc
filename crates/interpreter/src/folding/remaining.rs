//! How many iterations of a counted loop are left.

use crate::code::instructions::{FoldShape, LoopCode};
use crate::codes;
use crate::execute::machine::{Machine, Stop};
use crate::folding::period::{holds, integer_bound};
use chronos_base::diag::Diagnostic;
use chronos_ir::BinaryOp;
use chronos_values::arith::wrap;

impl Machine<'_> {
    /// Iterations from now on, where the counter does not wrap around in them.
    pub fn remaining(&self, shape: &FoldShape) -> Option<u64> {
        let (times, last) = self.bounded(shape)?;
        let fits = i64::try_from(last).is_ok_and(|n| holds(shape.ty, n) && wrap(n, shape.own) == n);
        (times > 0 && fits).then_some(u64::try_from(times).ok()?)
    }

    /// The counter has values that are all below its bound, or all above.
    pub(super) fn wraps_around(&self, shape: &FoldShape) -> bool {
        let fits = |last: i128| i64::try_from(last).is_ok_and(|n| wrap(n, shape.own) == n);
        shape.own.size(self.code.program.model) < 8
            && self.bounded(shape).is_some_and(|(times, last)| times > 0 && !fits(last))
    }

    /// Iterations from now on with the last value of the counter, as if that were an integer of any size.
    pub(super) fn bounded(&self, shape: &FoldShape) -> Option<(i128, i128)> {
        let now = self.value_to_fold(shape.counter).as_int()?;
        let bound = integer_bound(shape.op, shape.ty, self.value_to_fold(shape.bound))?;
        let has_sign = !shape.ty.is_integer() || shape.ty.is_signed();
        let as_it_is = holds(shape.ty, now) && (has_sign || (now >= 0 && bound >= 0));
        if !as_it_is {
            return None;
        }
        let (now, bound, step) = (i128::from(now), i128::from(bound), i128::from(shape.step));
        let up = |distance: i128| if step > 0 { Some((distance + step - 1) / step) } else { None };
        let down = |distance: i128| if step < 0 { Some((distance - step - 1) / -step) } else { None };
        let times = match shape.op {
            BinaryOp::Lt => up(bound - now),
            BinaryOp::Le => up(bound - now + 1),
            BinaryOp::Gt => down(now - bound),
            BinaryOp::Ge => down(now - bound + 1),
            BinaryOp::Ne if step != 0 && (bound - now) % step == 0 => Some((bound - now) / step),
            _ => None,
        }?;
        let last = now + times * step;
        // A comparison without a sign has no values below 0.
        (has_sign || last >= 0).then_some((times, last))
    }

    pub(super) fn endless_counter(&self, code: &LoopCode) -> Stop {
        let message = format!(
            "the loop in `{}` never ends: its counter wraps around before it comes to the bound",
            self.function().name
        );
        let help = "give the counter a wider type";
        Diagnostic::error(&codes::ENDLESS, message).label(code.span, "this loop").help(help).into()
    }
}
