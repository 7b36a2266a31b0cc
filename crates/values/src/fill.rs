//! What memory holds where nothing was written.

use crate::Value;
use chronos_ir::ScalarType;

/// What a location holds that was never written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// Zero, as in static storage and after `calloc`.
    Zero,
    /// An unknown value.
    Value(Value),
}

impl Fill {
    /// As a scalar of type `ty`.
    #[inline]
    pub fn scalar(self, ty: ScalarType) -> Value {
        match self {
            Self::Value(value) => value,
            Self::Zero if ty.is_float() => Value::Float(0.0),
            Self::Zero => Value::Int(0),
        }
    }
}
