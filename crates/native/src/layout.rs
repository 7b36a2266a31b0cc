//! How a [`Value`] lies in memory. Its type says so (`repr(u8)`); the test holds it to that.

use chronos_values::Value;

/// Bytes of a value.
pub(crate) const SIZE: i32 = size_of::<Value>() as i32;
/// Where the number of its variant stands, one byte.
pub(crate) const TAG: i32 = 0;
/// Where an integer or a floating number stands.
pub(crate) const NUMBER: i32 = 8;
/// Where the object of an address stands, four bytes.
pub(crate) const OBJECT: i32 = 4;
/// Where its offset stands.
pub(crate) const OFFSET: i32 = 8;
/// Variants.
pub(crate) const INT: i64 = 0;
pub(crate) const REAL: i64 = 1;
pub(crate) const ADDRESS: i64 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_values::{ObjectId, Pointer};

    /// The bytes of a value from an offset on.
    fn bytes<const N: usize>(value: Value, at: i32) -> [u8; N] {
        let start = (&raw const value).cast::<u8>();
        // SAFETY: the bytes that are asked for were written with the value, and lie within it.
        std::array::from_fn(|i| unsafe { start.add(at as usize + i).read() })
    }

    #[test]
    fn values_lie_as_the_code_takes_them_to() {
        assert_eq!(SIZE, 16);
        assert_eq!(i64::from(bytes::<1>(Value::Int(-2), TAG)[0]), INT);
        assert_eq!(i64::from_le_bytes(bytes(Value::Int(-2), NUMBER)), -2);
        assert_eq!(i64::from(bytes::<1>(Value::Float(0.5), TAG)[0]), REAL);
        assert_eq!(f64::from_le_bytes(bytes(Value::Float(0.5), NUMBER)).to_bits(), 0.5f64.to_bits());
        let pointer = Value::Pointer(Pointer { object: ObjectId(7), offset: -9 });
        assert_eq!(i64::from(bytes::<1>(pointer, TAG)[0]), ADDRESS);
        assert_eq!(u32::from_le_bytes(bytes(pointer, OBJECT)), 7);
        assert_eq!(i64::from_le_bytes(bytes(pointer, OFFSET)), -9);
    }
}
