//! Payload in packed form: known scalars at offsets into the data, gaps of the datatype left out.
//!
//! In this form what a sender gives fits whatever datatype the receiver has.

use chronos_ir::{DataModel, ScalarType, wide};
use chronos_mpi::{Piece, Resized};
use chronos_values::Value;
use chronos_values::arith::{from_bytes, reinterpret, to_bytes, wrap};
use std::ops::Range;

/// Known scalars of a buffer, sorted by offset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payload {
    /// Values with their types, by offset in bytes from the begin of the buffer.
    pub items: Vec<(u64, ScalarType, Value)>,
}

type Item = (u64, ScalarType, Value);

/// The data models of the two ends of a conversion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms {
    /// Of the task's memory.
    pub memory: DataModel,
    /// Of the data outside.
    pub message: DataModel,
}

impl Forms {
    fn differ(self) -> bool {
        self.memory != self.message
    }
}

impl Payload {
    /// Only numbers travel: pointers and clock readings mean nothing to another task.
    fn travels(value: Value) -> bool {
        matches!(value, Value::Int(_) | Value::Float(_) | Value::Wide(_))
    }

    /// What of a snapshot of memory, taken from `start` on, lies in the pieces, in packed form.
    /// A number that lies across the border of a piece comes in parts.
    pub(crate) fn packed(&self, start: i64, pieces: &[Piece], forms: Forms) -> Self {
        let mut items = Vec::new();
        for piece in pieces {
            let Ok(first) = u64::try_from(piece.memory.saturating_sub(start)) else { continue };
            let inside = Self { items: self.within(first, piece.bytes, forms.memory) };
            let inside = match piece.resized {
                Some(Resized { memory, bytes, message, message_bytes }) => {
                    inside.elements(first, (memory, bytes), (message, message_bytes), forms.memory)
                }
                None => inside.of_equal_sizes(forms).counted_from(first),
            };
            items.extend(inside.items.into_iter().map(|(at, ty, value)| (at + piece.data, ty, value)));
        }
        Self { items }
    }

    /// The reverse: what of data lies in a piece, as its memory holds it, from the begin of the piece.
    pub(crate) fn unpacked(&self, piece: &Piece, forms: Forms) -> Self {
        let inside = Self { items: self.within(piece.data, piece.message_bytes(), forms.message) };
        match piece.resized {
            Some(Resized { memory, bytes, message, message_bytes }) => {
                inside.elements(piece.data, (message, message_bytes), (memory, bytes), forms.message)
            }
            None => inside.of_equal_sizes(forms).counted_from(piece.data),
        }
    }

    /// A number of the piece that its type in memory does not hold.
    pub(crate) fn overflow(&self, piece: &Piece) -> Option<(i64, Resized)> {
        let resized = piece.resized?;
        let from = self.items.partition_point(|item| item.0 < piece.data);
        let inside = self.items[from..].iter().take_while(|item| item.0 < piece.data + piece.message_bytes());
        let whole = inside.filter(|(_, ty, _)| ty.is_integer()).filter_map(|(_, _, value)| value.as_int());
        whole.map(|number| (number, resized)).find(|&(number, _)| wrap(number, resized.memory) != number)
    }

    /// What travels as bytes between data models: all but numbers of another number of bytes there.
    fn of_equal_sizes(mut self, forms: Forms) -> Self {
        if forms.differ() {
            self.items.retain(|(_, ty, _)| ty.size(forms.memory) == ty.size(forms.message));
        }
        self
    }

    /// Offsets from there.
    fn counted_from(mut self, first: u64) -> Self {
        self.items.iter_mut().for_each(|item| item.0 -= first);
        self
    }

    /// The elements from `first` on with their new type and size, at offsets from there; those of which some byte is not
    /// known are left out. An integer that the new type does not hold loses its upper bytes, as in a C conversion.
    fn elements(&self, first: u64, old: (ScalarType, u64), new: (ScalarType, u64), model: DataModel) -> Self {
        let mut items: Vec<Item> = Vec::new();
        for &(at, ..) in &self.items {
            let element = (at - first) / old.1;
            let place = element * new.1;
            if items.last().is_some_and(|last| last.0 == place) {
                continue;
            }
            if let Some(value) = self.scalar(first + element * old.1, old.0, model) {
                items.extend(converted(value, old.0, new.0).map(|value| (place, new.0, value)));
            }
        }
        Self { items }
    }

    /// Bytes of all scalars.
    pub(crate) fn known_bytes(&self, model: DataModel) -> u64 {
        self.items.iter().map(|item| item.1.size(model)).sum()
    }

    /// Without the numbers that have other sizes on machines of other data models: content that tasks of several data
    /// models share as bytes.
    pub(crate) fn shared(mut self) -> Self {
        self.items.retain(|(_, ty, _)| ty.size(DataModel::Lp64) == ty.size(DataModel::Ilp32));
        self
    }

    /// The first item of which a byte lies at the offset or behind it.
    fn first_behind(&self, offset: u64, model: DataModel) -> usize {
        self.regular_position(offset, model)
            .unwrap_or_else(|| self.items.partition_point(|item| item.0 + item.1.size(model) <= offset))
    }

    /// The same where the items before it lie next to one another with equal sizes, as in an array: a message for each
    /// pair of tasks is cut out of such, and a search would touch memory all over it. `None` where they may not.
    fn regular_position(&self, offset: u64, model: DataModel) -> Option<usize> {
        let &(begin, ty, _) = self.items.first()?;
        let position = usize::try_from(offset.checked_sub(begin)? / ty.size(model).max(1)).ok()?;
        let is_here = self.items.get(position)?.0 == offset;
        // Ends are sorted: those of all items before end no later than that of the last of them.
        let ends = |before: usize| self.items[before].0 + self.items[before].1.size(model) <= offset;
        (is_here && position.checked_sub(1).is_none_or(ends)).then_some(position)
    }

    fn within(&self, first: u64, bytes: u64, model: DataModel) -> Vec<Item> {
        let from = self.first_behind(first, model);
        let end = first.saturating_add(bytes);
        let mut inside = Vec::new();
        for &(at, ty, value) in self.items[from..].iter().take_while(|item| item.0 < end) {
            if !Self::travels(value) {
                continue;
            }
            if at >= first && at + ty.size(model) <= end {
                inside.push((at, ty, value));
            } else {
                inside.extend(parts(at, ty, value, first..end));
            }
        }
        inside
    }

    /// The scalar of type `ty` at an offset, put together from bytes where others stand there; `None` where it is not
    /// known.
    pub(crate) fn scalar(&self, at: u64, ty: ScalarType, model: DataModel) -> Option<Value> {
        if let Ok(position) = self.items.binary_search_by_key(&at, |item| item.0)
            && self.items[position].1.size(model) == ty.size(model)
        {
            let (_, held, value) = self.items[position];
            return reinterpret(value, held, ty);
        }
        from_bytes(&self.bytes(at, ty.size(model), model)?, ty)
    }

    /// So many bytes from an offset on, where all of them are known.
    pub(crate) fn bytes(&self, first: u64, bytes: u64, model: DataModel) -> Option<Vec<u8>> {
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
    pub(crate) fn slice(&self, first: u64, bytes: u64, model: DataModel) -> Self {
        let inside = self.within(first, bytes, model).into_iter();
        Self { items: inside.map(|(at, ty, value)| (at - first, ty, value)).collect() }
    }

    /// Appends `other`, moved by `offset`; it must lie behind what is there.
    pub(crate) fn append(&mut self, other: &Self, offset: u64) {
        self.items.extend(other.items.iter().map(|&(at, ty, value)| (at + offset, ty, value)));
    }

    /// Appends a part of `other` at an offset, which lies behind what is there; whether all of the part is known and made
    /// of whole scalars. If not, what was appended is of no use.
    pub(crate) fn append_known(&mut self, other: &Self, part: Range<u64>, offset: u64, model: DataModel) -> bool {
        let mut known = part.start;
        for &(at, ty, value) in &other.items[other.first_behind(part.start, model)..] {
            let end = at + ty.size(model);
            if at != known || end > part.end || !Self::travels(value) {
                break;
            }
            self.items.push((offset + at - part.start, ty, value));
            known = end;
        }
        known == part.end
    }

    /// `None` where nothing is known.
    pub(crate) fn non_empty(self) -> Option<Self> {
        if self.items.is_empty() { None } else { Some(self) }
    }
}

/// A number in another type of its class; `None` where there is no room for it.
fn converted(value: Value, from: ScalarType, ty: ScalarType) -> Option<Value> {
    match value {
        Value::Int(n) if ty.is_integer() => Some(Value::Int(wrap(n, ty))),
        value if from.is_float() && from != ty => {
            wide::convert(from, ty, value.number()?).ok().and_then(Value::of_number)
        }
        value => Some(value),
    }
}

/// The bytes of a number that lie in `first .. end`, in fours where that many are left.
fn parts(at: u64, ty: ScalarType, value: Value, range: Range<u64>) -> Vec<Item> {
    let Some(bytes) = to_bytes(value, ty) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut from = range.start.saturating_sub(at) as usize;
    let to = bytes.len().min((range.end - at) as usize);
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

    proptest::proptest! {
        /// The place that equal sizes suggest is the one that a search finds.
        #[test]
        fn a_position_is_found_as_by_a_search(
            steps in proptest::collection::vec((0_u64..3, 0_usize..3), 1..40),
            begin in 0_u64..20,
            offset in 0_u64..200,
        ) {
            let (mut at, mut items) = (begin, Vec::new());
            for (gap, kind) in steps {
                let ty = [ScalarType::I32, ScalarType::I32, ScalarType::I64][kind];
                at += [0, 0, 4][gap as usize];
                items.push((at, ty, Value::Int(1)));
                at += ty.size(DataModel::Lp64);
            }
            let wanted = items.partition_point(|item: &Item| item.0 + item.1.size(DataModel::Lp64) <= offset);
            proptest::prop_assert_eq!(Payload { items }.first_behind(offset, DataModel::Lp64), wanted);
        }
    }

    #[test]
    fn a_part_is_appended_where_all_of_it_is_known() {
        let append = |part: Range<u64>| {
            let mut all = ints(&[0]);
            let known = all.append_known(&ints(&[0, 4, 8, 16]), part, 4, DataModel::Lp64);
            (known, all.items.iter().map(|item| item.0).collect::<Vec<_>>())
        };
        assert_eq!(append(4..12), (true, vec![0, 4, 8]));
        assert_eq!(append(8..8), (true, vec![0]));
        // A gap, what nobody wrote, and the half of a number.
        assert!(![8..20, 16..24, 2..8, 4..10].map(append).iter().any(|(known, _)| *known));
    }

    #[test]
    fn gaps_are_left_out() {
        let piece = |memory, data, bytes| Piece { memory, data, bytes, resized: None };
        let same = Forms { memory: DataModel::Lp64, message: DataModel::Lp64 };
        let packed = ints(&[0, 4, 8, 16, 20]).packed(0, &[piece(0, 0, 4), piece(16, 4, 8)], same);
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
    fn elements_change_their_size_and_keep_their_value() {
        let forms = Forms { memory: DataModel::Ilp32, message: DataModel::Lp64 };
        let longs = Resized { memory: ScalarType::I32, bytes: 4, message: ScalarType::I64, message_bytes: 8 };
        let piece = Piece { memory: 8, data: 16, bytes: 12, resized: Some(longs) };
        let mut memory = ints(&[8, 16]);
        memory.items[1].2 = Value::Int(-5);
        let packed = memory.packed(0, &[piece], forms);
        assert_eq!(packed.items, [(16, ScalarType::I64, Value::Int(8)), (32, ScalarType::I64, Value::Int(-5))]);
        let back = packed.unpacked(&piece, forms);
        assert_eq!(back.items, [(0, ScalarType::I32, Value::Int(8)), (8, ScalarType::I32, Value::Int(-5))]);
        let large = Payload { items: vec![(16, ScalarType::I64, Value::Int((1 << 32) + 3))] };
        assert_eq!(large.unpacked(&piece, forms).items, [(0, ScalarType::I32, Value::Int(3))]);
        assert_eq!((large.overflow(&piece), packed.overflow(&piece)), (Some(((1 << 32) + 3, longs)), None));
        let halves = ints(&[16, 20]).unpacked(&piece, forms);
        assert_eq!(halves.items, [(0, ScalarType::I32, Value::Int(16))]);
    }

    #[test]
    fn bytes_are_copied_but_for_numbers_of_other_sizes() {
        let forms = Forms { memory: DataModel::Ilp32, message: DataModel::Lp64 };
        let piece = Piece { memory: 0, data: 0, bytes: 24, resized: None };
        let mut memory = ints(&[0, 4, 20]);
        memory.items[1] = (4, ScalarType::F80, Value::Float(1.0));
        let packed = memory.packed(0, &[piece], forms);
        assert_eq!(packed.items.iter().map(|item| item.0).collect::<Vec<_>>(), [0, 20]);
    }

    #[test]
    fn pointers_do_not_travel() {
        let pointer = Value::Pointer(Pointer { object: ObjectId(1), offset: 0 });
        let payload = Payload { items: vec![(0, ScalarType::Pointer, pointer)] };
        assert!(payload.slice(0, 8, DataModel::Lp64).items.is_empty());
    }
}
