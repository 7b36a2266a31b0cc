//! Predefined reductions on known scalars.

use super::predefined::{Element, Predefined};
use chronos_ir::{DataModel, ScalarType};

/// A known scalar of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// An integer of any type.
    Int(i64),
    /// A floating-point number.
    Float(f64),
}

/// A predefined reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// `MPI_MAX`.
    Max,
    /// `MPI_MIN`.
    Min,
    /// `MPI_SUM`.
    Sum,
    /// `MPI_PROD`.
    Prod,
    /// `MPI_LAND`.
    LogicalAnd,
    /// `MPI_BAND`.
    BitAnd,
    /// `MPI_LOR`.
    LogicalOr,
    /// `MPI_BOR`.
    BitOr,
    /// `MPI_LXOR`.
    LogicalXor,
    /// `MPI_BXOR`.
    BitXor,
    /// `MPI_MAXLOC`.
    MaxLoc,
    /// `MPI_MINLOC`.
    MinLoc,
    /// `MPI_REPLACE`.
    Replace,
    /// `MPI_NO_OP`.
    NoOp,
}

const ALL: [ReduceOp; 14] = [
    ReduceOp::Max,
    ReduceOp::Min,
    ReduceOp::Sum,
    ReduceOp::Prod,
    ReduceOp::LogicalAnd,
    ReduceOp::BitAnd,
    ReduceOp::LogicalOr,
    ReduceOp::BitOr,
    ReduceOp::LogicalXor,
    ReduceOp::BitXor,
    ReduceOp::MaxLoc,
    ReduceOp::MinLoc,
    ReduceOp::Replace,
    ReduceOp::NoOp,
];

impl ReduceOp {
    /// By handle, from 1.
    pub fn from_handle(handle: i64) -> Option<Self> {
        ALL.get(usize::try_from(handle.checked_sub(1)?).ok()?).copied()
    }

    /// As C programs spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Max => "MPI_MAX",
            Self::Min => "MPI_MIN",
            Self::Sum => "MPI_SUM",
            Self::Prod => "MPI_PROD",
            Self::LogicalAnd => "MPI_LAND",
            Self::BitAnd => "MPI_BAND",
            Self::LogicalOr => "MPI_LOR",
            Self::BitOr => "MPI_BOR",
            Self::LogicalXor => "MPI_LXOR",
            Self::BitXor => "MPI_BXOR",
            Self::MaxLoc => "MPI_MAXLOC",
            Self::MinLoc => "MPI_MINLOC",
            Self::Replace => "MPI_REPLACE",
            Self::NoOp => "MPI_NO_OP",
        }
    }

    /// Whether MPI defines it for a datatype (MPI 4.0, 6.9.2). `MPI_CHAR`, which stands for a printable character, is
    /// let pass as libraries do.
    pub fn takes(self, kind: Predefined, model: DataModel) -> bool {
        let (is_pair, is_complex) = match kind.element(model) {
            Element::Pair(_) => (true, false),
            Element::Complex(_) => (false, true),
            Element::Marker => return false,
            Element::Scalar(_) => (false, false),
        };
        let is_float = matches!(kind.element(model), Element::Scalar(ty) if ty.is_float());
        let (is_bool, is_byte) = (kind == Predefined::Bool, matches!(kind, Predefined::Byte | Predefined::Packed));
        match self {
            Self::Replace | Self::NoOp => true,
            Self::MaxLoc | Self::MinLoc => is_pair,
            _ if is_pair => false,
            Self::Max | Self::Min => !is_complex && !is_bool && !is_byte,
            Self::Sum | Self::Prod => !is_bool && !is_byte,
            Self::LogicalAnd | Self::LogicalOr | Self::LogicalXor => !is_float && !is_complex && !is_byte,
            Self::BitAnd | Self::BitOr | Self::BitXor => !is_float && !is_complex && !is_bool,
        }
    }

    /// `left op right` in arithmetic of type `ty`; `None` where it is not defined (bitwise operations on
    /// floating values, location reductions of single values).
    pub fn apply(self, ty: ScalarType, left: Scalar, right: Scalar) -> Option<Scalar> {
        match (left, right) {
            (Scalar::Int(a), Scalar::Int(b)) => {
                self.integers(ty, wrap(ty, a), wrap(ty, b)).map(|n| Scalar::Int(wrap(ty, n)))
            }
            (Scalar::Float(a), Scalar::Float(b)) => self.floats(a, b).map(|x| Scalar::Float(round(ty, x))),
            _ => None,
        }
    }

    fn integers(self, ty: ScalarType, a: i64, b: i64) -> Option<i64> {
        let a_wins = if ty.is_signed() { a >= b } else { a.cast_unsigned() >= b.cast_unsigned() };
        Some(match self {
            Self::Max => {
                if a_wins {
                    a
                } else {
                    b
                }
            }
            Self::Min => {
                if a_wins {
                    b
                } else {
                    a
                }
            }
            Self::Sum => a.wrapping_add(b),
            Self::Prod => a.wrapping_mul(b),
            Self::LogicalAnd => i64::from(a != 0 && b != 0),
            Self::LogicalOr => i64::from(a != 0 || b != 0),
            Self::LogicalXor => i64::from((a != 0) != (b != 0)),
            Self::BitAnd => a & b,
            Self::BitOr => a | b,
            Self::BitXor => a ^ b,
            Self::Replace => b,
            Self::NoOp => a,
            Self::MaxLoc | Self::MinLoc => return None,
        })
    }

    fn floats(self, a: f64, b: f64) -> Option<f64> {
        match self {
            Self::Max => Some(a.max(b)),
            Self::Min => Some(a.min(b)),
            Self::Sum => Some(a + b),
            Self::Prod => Some(a * b),
            Self::Replace => Some(b),
            Self::NoOp => Some(a),
            _ => None,
        }
    }

    /// Of two (value, index) pairs, as `MPI_MAXLOC` and `MPI_MINLOC` choose; equal values: the lower index.
    pub fn locate(self, left: (Scalar, i64), right: (Scalar, i64)) -> Option<(Scalar, i64)> {
        let order = match (left.0, right.0) {
            (Scalar::Int(a), Scalar::Int(b)) => a.cmp(&b),
            (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b)?,
            _ => return None,
        };
        let order = match self {
            Self::MaxLoc => order,
            Self::MinLoc => order.reverse(),
            _ => return None,
        };
        Some(match order {
            std::cmp::Ordering::Greater => left,
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Equal => (left.0, left.1.min(right.1)),
        })
    }
}

/// The value as a scalar of the type holds it, extended to 64 bits.
fn wrap(ty: ScalarType, n: i64) -> i64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wrapping is what the type does")]
    match ty {
        ScalarType::Bool => i64::from(n != 0),
        ScalarType::I8 => i64::from(n as i8),
        ScalarType::U8 => i64::from(n as u8),
        ScalarType::I16 => i64::from(n as i16),
        ScalarType::U16 => i64::from(n as u16),
        ScalarType::I32 => i64::from(n as i32),
        ScalarType::U32 => i64::from(n as u32),
        _ => n,
    }
}

fn round(ty: ScalarType, x: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "a float is what the type holds")]
    if ty == ScalarType::F32 { f64::from(x as f32) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(op: ReduceOp, a: i64, b: i64) -> Option<Scalar> {
        op.apply(ScalarType::I32, Scalar::Int(a), Scalar::Int(b))
    }

    #[test]
    fn integers() {
        assert_eq!(ints(ReduceOp::Sum, 2, 3), Some(Scalar::Int(5)));
        assert_eq!(ints(ReduceOp::Prod, 4, -3), Some(Scalar::Int(-12)));
        assert_eq!(ints(ReduceOp::Max, 4, 9), Some(Scalar::Int(9)));
        assert_eq!(ints(ReduceOp::Min, 4, 9), Some(Scalar::Int(4)));
        assert_eq!(ints(ReduceOp::LogicalAnd, 4, 0), Some(Scalar::Int(0)));
        assert_eq!(ints(ReduceOp::LogicalOr, 4, 0), Some(Scalar::Int(1)));
        assert_eq!(ints(ReduceOp::LogicalXor, 4, 1), Some(Scalar::Int(0)));
        assert_eq!(ints(ReduceOp::BitAnd, 6, 3), Some(Scalar::Int(2)));
        assert_eq!(ints(ReduceOp::BitOr, 6, 3), Some(Scalar::Int(7)));
        assert_eq!(ints(ReduceOp::BitXor, 6, 3), Some(Scalar::Int(5)));
    }

    #[test]
    fn arithmetic_is_that_of_the_type() {
        assert_eq!(ints(ReduceOp::Sum, i64::from(i32::MAX), 1), Some(Scalar::Int(i64::from(i32::MIN))));
        assert_eq!(ints(ReduceOp::Max, 0xffff_ffff, 1), Some(Scalar::Int(1)));
        let unsigned = ReduceOp::Max.apply(ScalarType::U64, Scalar::Int(-1), Scalar::Int(1));
        assert_eq!(unsigned, Some(Scalar::Int(-1)));
    }

    #[test]
    fn floats_have_no_bits() {
        let pair = (Scalar::Float(1.5), Scalar::Float(2.0));
        assert_eq!(ReduceOp::Sum.apply(ScalarType::F64, pair.0, pair.1), Some(Scalar::Float(3.5)));
        assert_eq!(ReduceOp::BitOr.apply(ScalarType::F64, pair.0, pair.1), None);
    }

    #[test]
    fn ties_go_to_the_lower_index() {
        let a = (Scalar::Int(7), 3);
        assert_eq!(ReduceOp::MaxLoc.locate(a, (Scalar::Int(7), 1)), Some((Scalar::Int(7), 1)));
        assert_eq!(ReduceOp::MinLoc.locate(a, (Scalar::Int(8), 1)), Some(a));
    }

    #[test]
    fn handles_are_those_of_the_header() {
        assert_eq!(ReduceOp::from_handle(1), Some(ReduceOp::Max));
        assert_eq!(ReduceOp::from_handle(12), Some(ReduceOp::MinLoc));
        assert_eq!(ReduceOp::from_handle(15), None);
    }
}
