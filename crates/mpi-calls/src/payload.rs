//! Payload in packed form: known scalars at offsets into the data, gaps of the datatype left out.
//!
//! In this form what a sender gives fits whatever datatype the receiver has.

use super::Payload;
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi::Piece;
use chronos_values::Value;
use chronos_values::arith::{from_bytes, reinterpret, to_bytes};

type Item = (u64, ScalarType, Value);

impl Payload {
    /// Only numbers travel: pointers and clock readings mean nothing to another task.
    fn travels(value: Value) -> bool {
        matches!(value, Value::Int(_) | Value::Float(_) | Value::Wide(_))
    }

    /// What of a snapshot of memory, taken from `start` on, lies in the pieces, in packed form.
    /// A number that lies across the border of a piece comes in parts.
    pub(super) fn packed(&self, start: i64, pieces: &[Piece], model: DataModel) -> Self {
        let mut items = Vec::new();
        for piece in pieces {
            let Ok(first) = u64::try_from(piece.memory.saturating_sub(start)) else { continue };
            let inside = self.within(first, piece.bytes, model);
            items.extend(inside.into_iter().map(|(at, ty, value)| (at - first + piece.data, ty, value)));
        }
        Self { items }
    }

    fn within(&self, first: u64, bytes: u64, model: DataModel) -> Vec<Item> {
        let from = self.items.partition_point(|item| item.0 + item.1.size(model) <= first);
        let end = first.saturating_add(bytes);
        let mut inside = Vec::new();
        for &(at, ty, value) in self.items[from..].iter().take_while(|item| item.0 < end) {
            if !Self::travels(value) {
                continue;
            }
            if at >= first && at + ty.size(model) <= end {
                inside.push((at, ty, value));
            } else {
                inside.extend(parts((at, ty, value), first, end));
            }
        }
        inside
    }

    /// The scalar of type `ty` at an offset, put together from bytes where others stand there; `None` where it is not
    /// known.
    pub(super) fn scalar(&self, at: u64, ty: ScalarType, model: DataModel) -> Option<Value> {
        if let Ok(position) = self.items.binary_search_by_key(&at, |item| item.0)
            && self.items[position].1.size(model) == ty.size(model)
        {
            let (_, held, value) = self.items[position];
            return reinterpret(value, held, ty);
        }
        from_bytes(&self.bytes(at, ty.size(model), model)?, ty)
    }

    /// So many bytes from an offset on, where all of them are known.
    pub(super) fn bytes(&self, first: u64, bytes: u64, model: DataModel) -> Option<Vec<u8>> {
        let mut all = Vec::new();
        for (at, ty, value) in self.within(first, bytes, model) {
            if at - first != all.len() as u64 {
                return None;
            }
            all.extend(to_bytes(value, ty)?);
        }
        (all.len() as u64 == bytes).then_some(all)
    }

    /// The `bytes` from `first` on, with offsets from there.
    pub(super) fn slice(&self, first: u64, bytes: u64, model: DataModel) -> Self {
        let inside = self.within(first, bytes, model).into_iter();
        Self { items: inside.map(|(at, ty, value)| (at - first, ty, value)).collect() }
    }

    /// Appends `other`, moved by `offset`; it must lie behind what is there.
    pub(super) fn append(&mut self, other: &Self, offset: u64) {
        self.items.extend(other.items.iter().map(|&(at, ty, value)| (at + offset, ty, value)));
    }

    /// `None` where nothing is known.
    pub(super) fn non_empty(self) -> Option<Self> {
        if self.items.is_empty() { None } else { Some(self) }
    }
}

/// The bytes of a number that lie in `first .. end`, in fours where that many are left.
fn parts((at, ty, value): Item, first: u64, end: u64) -> Vec<Item> {
    let Some(bytes) = to_bytes(value, ty) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut from = first.saturating_sub(at) as usize;
    let to = bytes.len().min((end - at) as usize);
    while from < to {
        let unit = if to - from >= 4 { ScalarType::I32 } else { ScalarType::I8 };
        let length = if unit == ScalarType::I32 { 4 } else { 1 };
        parts.extend(from_bytes(&bytes[from..from + length], unit).map(|value| (at + from as u64, unit, value)));
        from += length;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_values::{ObjectId, Pointer};

    fn ints(at: &[u64]) -> Payload {
        let item = |&at: &u64| (at, ScalarType::I32, Value::Int(at.cast_signed()));
        Payload { items: at.iter().map(item).collect() }
    }

    #[test]
    fn gaps_are_left_out() {
        let pieces = [Piece { memory: 0, data: 0, bytes: 4 }, Piece { memory: 16, data: 4, bytes: 8 }];
        let packed = ints(&[0, 4, 8, 16, 20]).packed(0, &pieces, DataModel::Lp64);
        let offsets: Vec<(u64, Value)> = packed.items.iter().map(|&(at, _, value)| (at, value)).collect();
        assert_eq!(offsets, [(0, Value::Int(0)), (4, Value::Int(16)), (8, Value::Int(20))]);
    }

    #[test]
    fn a_slice_holds_parts_of_scalars_at_its_borders() {
        let slice = ints(&[0, 4, 0x0102_0308]).slice(4, 6, DataModel::Lp64);
        assert_eq!(slice.items, [(0, ScalarType::I32, Value::Int(4))]);
        let long = Payload { items: vec![(0, ScalarType::I64, Value::Int(0x0706_0504_0302_0100))] };
        let bytes = |slice: Payload| slice.bytes(0, 5, DataModel::Lp64);
        assert_eq!(bytes(long.slice(2, 5, DataModel::Lp64)), Some(vec![2, 3, 4, 5, 6]));
        assert_eq!(bytes(long.slice(4, 5, DataModel::Lp64)), None);
    }

    #[test]
    fn a_scalar_is_put_together_from_others() {
        let words = ints(&[0, 4, 12]);
        let read = |at, ty| words.scalar(at, ty, DataModel::Lp64);
        assert_eq!(read(0, ScalarType::I64), Some(Value::Int(4 << 32)));
        assert_eq!(read(0, ScalarType::F32), Some(Value::Float(0.0)));
        assert_eq!(read(4, ScalarType::I64), None);
    }

    #[test]
    fn pointers_do_not_travel() {
        let pointer = Value::Pointer(Pointer { object: ObjectId(1), offset: 0 });
        let payload = Payload { items: vec![(0, ScalarType::Pointer, pointer)] };
        assert!(payload.slice(0, 8, DataModel::Lp64).items.is_empty());
    }
}
