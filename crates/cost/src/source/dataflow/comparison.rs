//! Comparisons of affine values, as sums that reach 0.

use crate::source::address::affine::Affine;
use chronos_ir::BinaryOp;

/// By how much a comparison of `x` and `y` falls short of its opposite, where it decides whether a loop goes on.
pub(crate) fn comparison_margin(binary: BinaryOp, x: &Affine, y: &Affine) -> Option<Affine> {
    let (rest, more) = match binary {
        BinaryOp::Lt | BinaryOp::Ne => (y.sub(x), 0),
        BinaryOp::Le => (y.sub(x), 1),
        BinaryOp::Gt => (x.sub(y), 0),
        BinaryOp::Ge => (x.sub(y), 1),
        _ => return None,
    };
    rest?.plus(more)
}
