//! Payload in packed form: known scalars at offsets into the data, gaps of the datatype left out.
//!
//! In this form what a sender gives fits whatever datatype the receiver has.

use super::Payload;
use crate::count::value::Value;
use crate::mpi::Piece;
use crate::program::DataModel;

impl Payload {
    /// Only numbers travel: pointers and clock readings mean nothing to another task.
    fn travels(value: Value) -> bool {
        matches!(value, Value::Int(_) | Value::Float(_))
    }

    /// What of a snapshot of memory, taken from `start` on, lies in the pieces, in packed form.
    /// A scalar that lies across the border of a piece is dropped.
    pub(super) fn packed(&self, start: i64, pieces: &[Piece], model: DataModel) -> Self {
        let mut items = Vec::new();
        for piece in pieces {
            let Ok(first) = u64::try_from(piece.memory.saturating_sub(start)) else { continue };
            let inside = self.within(first, piece.bytes, model);
            items.extend(inside.map(|(at, ty, value)| (at - first + piece.data, ty, value)));
        }
        Self { items }
    }

    fn within(
        &self,
        first: u64,
        bytes: u64,
        model: DataModel,
    ) -> impl Iterator<Item = (u64, crate::program::ScalarType, Value)> {
        let from = self.items.partition_point(|item| item.0 < first);
        let end = first.saturating_add(bytes);
        let near = self.items[from..].iter().take_while(move |item| item.0 < end).copied();
        near.filter(move |&(at, ty, value)| at + ty.size(model) <= end && Self::travels(value))
    }

    /// The `bytes` from `first` on, with offsets from there.
    pub(super) fn slice(&self, first: u64, bytes: u64, model: DataModel) -> Self {
        Self { items: self.within(first, bytes, model).map(|(at, ty, value)| (at - first, ty, value)).collect() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::value::{ObjectId, Pointer};
    use crate::program::ScalarType;

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
    fn a_slice_holds_whole_scalars() {
        let slice = ints(&[0, 4, 8]).slice(4, 6, DataModel::Lp64);
        assert_eq!(slice.items, [(0, ScalarType::I32, Value::Int(4))]);
    }

    #[test]
    fn pointers_do_not_travel() {
        let pointer = Value::Pointer(Pointer { object: ObjectId(1), offset: 0 });
        let payload = Payload { items: vec![(0, ScalarType::Pointer, pointer)] };
        assert!(payload.slice(0, 8, DataModel::Lp64).items.is_empty());
    }
}
