//! Where the data of a datatype lies in memory, as contiguous pieces in the order of the type map.

use super::datatype::{Datatype, Shape};
use super::predefined::{Element, Predefined};
use chronos_ir::{DataModel, ScalarType};

/// Contiguous data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Bytes from the buffer's address.
    pub memory: i64,
    /// Bytes from the begin of the data, gaps left out.
    pub data: u64,
    /// Length in bytes of memory.
    pub bytes: u64,
    /// What its elements are, where they have another size in messages than in memory.
    pub resized: Option<Resized>,
}

/// A scalar that has two forms, of one value: `long` as `MPI_LONG` between machines of different data models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resized {
    /// Its type in memory.
    pub memory: ScalarType,
    /// Its bytes there.
    pub bytes: u64,
    /// Its type in messages.
    pub message: ScalarType,
    /// Its bytes there.
    pub message_bytes: u64,
}

impl Resized {
    /// `None` where both forms are the same.
    pub(crate) fn of(which: Predefined, memory: DataModel, messages: DataModel) -> Option<Self> {
        let (own, wide) = (which.element(memory), which.element(messages));
        let ((Element::Scalar(own), Element::Scalar(wide)) | (Element::Pair(own), Element::Pair(wide))) = (own, wide)
        else {
            return None;
        };
        let (bytes, message_bytes) = (own.size(memory), wide.size(messages));
        let differs = (own, bytes) != (wide, message_bytes);
        differs.then_some(Self { memory: own, bytes, message: wide, message_bytes })
    }
}

impl Piece {
    /// Length in bytes of a message.
    pub fn message_bytes(&self) -> u64 {
        let resized = |resized: Resized| self.bytes / resized.bytes * resized.message_bytes;
        self.resized.map_or(self.bytes, resized)
    }

    /// Bytes of memory that so many bytes of a message fill; parts of an element fill none.
    pub fn memory_bytes(&self, message: u64) -> u64 {
        let resized = |resized: Resized| message / resized.message_bytes * resized.bytes;
        self.resized.map_or(message, resized)
    }
}

impl Datatype {
    /// The pieces of `count` copies; `None` where there are more than `limit`, or their places are
    /// not known.
    pub fn pieces(&self, count: u64, limit: usize) -> Option<Vec<Piece>> {
        if self.scattered {
            return None;
        }
        let mut walk = Walk { pieces: Vec::new(), data: 0, limit };
        walk.copies(self, count, self.extent(), 0)?;
        Some(walk.pieces)
    }

    /// First byte and one past the last that `count` copies may touch.
    pub fn span(&self, count: u64) -> (i64, i64) {
        let Some(last) = count.checked_sub(1) else { return (0, 0) };
        let shift = self.extent().saturating_mul(i64::try_from(last).unwrap_or(i64::MAX));
        (self.true_lower.saturating_add(shift.min(0)), self.true_upper.saturating_add(shift.max(0)))
    }
}

/// One number in any data model.
fn is_scalar(which: Predefined) -> bool {
    matches!(which.element(DataModel::Lp64), Element::Scalar(_))
}

struct Walk {
    pieces: Vec<Piece>,
    data: u64,
    limit: usize,
}

impl Walk {
    fn copies(&mut self, of: &Datatype, count: u64, stride: i64, at: i64) -> Option<()> {
        if of.dense && stride == of.extent() {
            let bytes = of.size.checked_mul(count)?;
            if !of.is_converted() {
                return self.piece(at, bytes, None);
            }
            if of.uniform().is_some_and(is_scalar) {
                return self.piece(at, bytes, of.conversion);
            }
        }
        let mut place = at;
        for _ in 0..count {
            self.one(of, place)?;
            place = place.checked_add(stride)?;
        }
        Some(())
    }

    fn one(&mut self, of: &Datatype, at: i64) -> Option<()> {
        if of.dense && !of.is_converted() {
            return self.piece(at, of.size, None);
        }
        match &of.shape {
            Shape::Predefined(which) if is_scalar(*which) => self.piece(at, of.size, of.conversion),
            // Else only pairs are predefined and not dense, or of two forms: a value, perhaps a gap, an index.
            Shape::Predefined(_) => {
                let index = of.true_upper - 4;
                self.piece(at, of.size - 4, of.conversion)?;
                self.piece(at.checked_add(index)?, 4, None)
            }
            Shape::Repeat { count, stride, of } => self.copies(of, *count, *stride, at),
            Shape::Sequence(members) => {
                members.iter().try_for_each(|(offset, member)| self.one(member, at.checked_add(*offset)?))
            }
        }
    }

    fn piece(&mut self, at: i64, bytes: u64, resized: Option<Resized>) -> Option<()> {
        if bytes == 0 {
            return Some(());
        }
        let length = i64::try_from(bytes).ok()?;
        let end = |piece: &Piece| piece.memory + i64::try_from(piece.bytes).unwrap_or(i64::MAX);
        let full = self.pieces.len() == self.limit;
        match self.pieces.last_mut() {
            Some(last) if end(last) == at && last.resized == resized => last.bytes += bytes,
            _ if full => return None,
            _ => self.pieces.push(Piece { memory: at, data: self.data, bytes, resized }),
        }
        at.checked_add(length)?;
        self.data = self.data.checked_add(Piece { memory: at, data: 0, bytes, resized }.message_bytes())?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::predefined::Predefined;
    use super::*;
    use chronos_ir::DataModel;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn of(which: Predefined) -> Arc<Datatype> {
        Arc::new(Datatype::predefined(which, DataModel::Lp64))
    }

    fn check(datatype: &Datatype, count: u64) -> Vec<(i64, u64, u64)> {
        let pieces = datatype.pieces(count, 100).expect("small");
        pieces.iter().map(|p| (p.memory, p.data, p.bytes)).collect()
    }

    #[test]
    fn dense_data_is_one_piece() {
        assert_eq!(check(&of(Predefined::Double), 1000), [(0, 0, 8000)]);
    }

    #[test]
    fn a_column_is_a_piece_per_row() {
        let column = Datatype::strided(3, 1, 80, &of(Predefined::Double));
        assert_eq!(check(&column, 1), [(0, 0, 8), (80, 8, 8), (160, 16, 8)]);
    }

    #[test]
    fn copies_of_a_resized_column_interleave() {
        let column = Datatype::strided(2, 1, 80, &of(Predefined::Double)).resized(0, 8);
        assert_eq!(check(&column, 2), [(0, 0, 8), (80, 8, 8), (8, 16, 8), (88, 24, 8)]);
    }

    #[test]
    fn pairs_leave_out_their_padding() {
        assert_eq!(check(&of(Predefined::DoubleInt), 2), [(0, 0, 12), (16, 12, 12)]);
        assert_eq!(check(&of(Predefined::ShortInt), 1), [(0, 0, 2), (4, 2, 4)]);
    }

    #[test]
    fn elements_of_two_forms_are_pieces_of_their_own() {
        let convert = |which| Arc::new(Datatype::converted(which, DataModel::Ilp32, DataModel::Lp64));
        let members = [
            (Some(0), 2, convert(Predefined::Int)),
            (Some(8), 3, convert(Predefined::Long)),
            (Some(20), 1, convert(Predefined::Double)),
        ];
        let record = Datatype::structure(&members, true);
        let longs = Some(Resized { memory: ScalarType::I32, bytes: 4, message: ScalarType::I64, message_bytes: 8 });
        let pieces = record.pieces(1, 100).expect("few");
        let found: Vec<_> = pieces.iter().map(|p| (p.memory, p.data, p.bytes, p.resized)).collect();
        assert_eq!(found, [(0, 0, 8, None), (8, 8, 12, longs), (20, 32, 8, None)]);
        assert_eq!((pieces[1].message_bytes(), pieces[1].memory_bytes(17)), (24, 8));
        let array = convert(Predefined::UnsignedLong).pieces(1000, 1).expect("one piece");
        assert_eq!((array[0].bytes, array[0].message_bytes()), (4000, 8000));
        let pairs = convert(Predefined::LongInt).pieces(2, 100).expect("few");
        let found: Vec<_> = pairs.iter().map(|p| (p.memory, p.data, p.resized.is_some())).collect();
        assert_eq!(found, [(0, 0, true), (4, 8, false), (8, 12, true), (12, 20, false)]);
    }

    #[test]
    fn a_subarray_is_a_piece_per_row() {
        let part = Datatype::subarray(&[6, 8], &[2, 3], &[1, 2], &of(Predefined::Int));
        assert_eq!(check(&part, 1), [(40, 0, 12), (72, 12, 12)]);
    }

    #[test]
    fn too_many_pieces_are_not_listed() {
        let column = Datatype::strided(1 << 40, 1, 80, &of(Predefined::Double));
        assert_eq!(column.pieces(1, 10), None);
        assert_eq!(column.span(1), (0, 80 * ((1 << 40) - 1) + 8));
    }

    fn derived() -> impl Strategy<Value = Arc<Datatype>> {
        let leaf = prop_oneof![
            Just(Predefined::Int),
            Just(Predefined::Double),
            Just(Predefined::Char),
            Just(Predefined::DoubleInt)
        ];
        let leaf = leaf.prop_map(of);
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                (0u64..4, 0u64..4, -3i64..6, inner.clone()).prop_map(|(count, block, stride, old)| {
                    Arc::new(Datatype::strided(count, block, stride * old.extent(), &old))
                }),
                prop::collection::vec((-64i64..64, 0u64..3, inner.clone()), 0..4).prop_map(|members| {
                    let members: Vec<_> = members.into_iter().map(|(at, n, old)| (Some(at), n, old)).collect();
                    Arc::new(Datatype::structure(&members, true))
                }),
                (inner, 0i64..40).prop_map(|(old, extent)| Arc::new(old.resized(0, extent))),
            ]
        })
    }

    proptest! {
        #[test]
        fn pieces_hold_the_data_in_order(datatype in derived(), count in 0u64..4) {
            let pieces = datatype.pieces(count, 100_000).expect("small");
            let (start, end) = datatype.span(count);
            let mut data = 0;
            for piece in &pieces {
                prop_assert_eq!(piece.data, data);
                data += piece.bytes;
                prop_assert!(start <= piece.memory && piece.memory + piece.bytes.cast_signed() <= end);
            }
            prop_assert_eq!(data, datatype.size * count);
        }

        #[test]
        fn elements_of_whole_copies(datatype in derived(), count in 0u64..4) {
            let whole = datatype.elements_in(datatype.size * count);
            prop_assert_eq!(whole, datatype.elements * count);
        }
    }
}
