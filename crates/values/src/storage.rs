//! Contents of one object in memory. The representation follows the use: nothing, one scalar, an
//! array of one scalar type in pages that exist once written, or scalars by offset.

use crate::Value;
use crate::arith::{from_bytes, reinterpret, to_bytes};
use crate::array::Array;
pub use crate::fill::Fill;
use chronos_ir::{DataModel, ScalarType};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a part of an object that are filled one by one.
const LARGEST_FILL: u64 = 1 << 26;
/// Scalars that a stretch of an object has at most in which nothing was written.
pub const STRETCH: u64 = 256;

/// How the values of an object are kept; the form follows what the program writes.
#[derive(Clone, Debug, Default)]
pub enum Storage {
    /// Nothing was written yet: all is as `fill` says.
    #[default]
    Empty,
    /// One scalar at offset 0.
    Cell(ScalarType, Value),
    /// Scalars of one type at multiples of its size.
    Array(Array),
    /// Shared with copies until one of them is written.
    Mixed(Arc<Members>),
    /// Constant bytes.
    Text(Arc<[u8]>),
}

/// Scalars of one type side by side.
#[derive(Clone, Copy, Debug)]
pub enum Stretch<'c> {
    /// Those that are held, from an offset in bytes on.
    Held {
        /// Where the first of them stands.
        begin: u64,
        /// The scalars.
        elements: &'c [Value],
    },
    /// So many that were never written.
    Filled {
        /// Where the first of them stands.
        begin: u64,
        /// How many there are.
        length: u64,
        /// What each of them holds.
        value: Value,
    },
}

fn filled(indices: Range<u64>, bytes: u64, value: Value) -> Stretch<'static> {
    Stretch::Filled { begin: indices.start * bytes, length: indices.end.saturating_sub(indices.start), value }
}

/// The content of an object.
#[derive(Clone, Debug)]
pub struct Content {
    /// What the places hold that were never written.
    pub fill: Fill,
    /// The values that were written.
    pub storage: Storage,
}

impl Content {
    /// Content in which nothing was written yet.
    pub fn new(fill: Fill) -> Self {
        Self { fill, storage: Storage::Empty }
    }

    /// A copy that shares what it holds with the original until one of them is written.
    pub fn share(&mut self) -> Self {
        if let Storage::Array(array) = &mut self.storage {
            array.share();
        }
        self.clone()
    }

    /// Writes the scalar at `offset` to `to` where it is an element of an array, the cell, a member of its type, or was never written; whether
    /// it did. `size` is that of the object.
    #[inline(always)]
    pub fn read_fast(&self, offset: i64, ty: ScalarType, size: u64, to: &mut Value) -> bool {
        match &self.storage {
            Storage::Array(array) if array.ty() == ty => match array.index_within(offset, size) {
                Some(index) => return array.copy_dense_element(index, self.fill, to),
                None => return false,
            },
            Storage::Cell(held, value) if offset == 0 && *held == ty => *to = value.by_parts(),
            // All scalars of these sizes are as large in every data model.
            Storage::Empty => {
                let bytes = match ty {
                    ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
                    ScalarType::F64 => 8,
                    _ => return false,
                };
                if offset < 0 || offset as u64 + bytes > size {
                    return false;
                }
                *to = self.fill.scalar(ty);
            }
            Storage::Mixed(map) if offset >= 0 => match member(map, offset as u64, ty) {
                Some(value) => *to = value.by_parts(),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Where the scalar at `offset` stands, if it is an element of a page in an array, the cell, or a member of its type.
    #[inline(always)]
    pub fn slot_mut(&mut self, offset: i64, ty: ScalarType, size: u64) -> Option<&mut Value> {
        match &mut self.storage {
            Storage::Array(array) if array.ty() == ty => array.slot_mut(array.index_within(offset, size)?),
            Storage::Cell(held, value) if offset == 0 && *held == ty => Some(value),
            Storage::Mixed(map) if offset >= 0 => member_mut(map, offset as u64, ty),
            _ => None,
        }
    }

    /// Scalars of type `ty` that stand side by side with the one at `offset`; `None` where that is no scalar of the type in an
    /// object of `size` bytes. `bytes` is the size of the scalar.
    pub fn page(&self, offset: u64, ty: ScalarType, bytes: u64, size: u64) -> Option<Stretch<'_>> {
        let within = offset.is_multiple_of(bytes) && offset.checked_add(bytes)? <= size;
        match &self.storage {
            Storage::Array(array) if array.ty() == ty && within => match array.page_of(offset / bytes) {
                Some((first, elements)) => Some(Stretch::Held { begin: first * bytes, elements }),
                None => Some(filled(array.page_range(offset / bytes), bytes, self.fill.scalar(ty))),
            },
            Storage::Empty if within => {
                let first = offset / bytes / STRETCH * STRETCH;
                Some(filled(first..(first + STRETCH).min(size / bytes), bytes, self.fill.scalar(ty)))
            }
            Storage::Cell(held, value) if offset == 0 && *held == ty => {
                Some(Stretch::Held { begin: 0, elements: std::slice::from_ref(value) })
            }
            Storage::Mixed(map) => {
                let value = map.get(&offset).filter(|(held, _)| *held == ty).map(|(_, value)| value)?;
                Some(Stretch::Held { begin: offset, elements: std::slice::from_ref(value) })
            }
            _ => None,
        }
    }

    /// The same to write in: where it begins, the scalars, and whether any of the object stood elsewhere before.
    pub fn page_mut(
        &mut self,
        offset: u64,
        ty: ScalarType,
        size: u64,
        model: DataModel,
    ) -> Option<(u64, &mut [Value], bool)> {
        let bytes = ty.size(model);
        let within = offset.is_multiple_of(bytes) && offset.checked_add(bytes)? <= size;
        let is_empty = matches!(self.storage, Storage::Empty);
        if is_empty && within {
            // It holds what it held, written now.
            self.write(offset, ty, self.fill.scalar(ty), size, model);
        }
        match &mut self.storage {
            Storage::Array(array) if array.ty() == ty && within => {
                let (first, elements, moves) = array.page_of_mut(offset / bytes, self.fill);
                Some((first * bytes, elements, moves || is_empty))
            }
            Storage::Cell(held, value) if offset == 0 && *held == ty => {
                Some((0, std::slice::from_mut(value), is_empty))
            }
            Storage::Mixed(map) if map.get(&offset).is_some_and(|(held, _)| *held == ty) => {
                let moves = Arc::get_mut(map).is_none();
                let (_, value) = Arc::make_mut(map).get_mut(&offset)?;
                Some((offset, std::slice::from_mut(value), moves))
            }
            _ => None,
        }
    }

    /// The scalar at `offset`; `None` where the bytes there cannot be put together.
    #[inline]
    pub fn read(&self, offset: u64, ty: ScalarType, model: DataModel) -> Option<Value> {
        match &self.storage {
            Storage::Empty => Some(self.fill.scalar(ty)),
            Storage::Cell(held, value) if offset == 0 && *held == ty => Some(*value),
            Storage::Array(array) if array.ty() == ty => match array.index(offset) {
                Some(index) => Some(array.get(index).unwrap_or_else(|| self.fill.scalar(ty))),
                None => self.read_slowly(offset, ty, model),
            },
            Storage::Mixed(map) => match member(map, offset, ty) {
                Some(value) => Some(*value),
                None => self.read_slowly(offset, ty, model),
            },
            _ => self.read_slowly(offset, ty, model),
        }
    }

    fn read_slowly(&self, offset: u64, ty: ScalarType, model: DataModel) -> Option<Value> {
        let size = ty.size(model);
        if let Storage::Text(bytes) = &self.storage {
            let end = (offset + size).min(bytes.len() as u64);
            let mut known = bytes.get(offset as usize..end as usize).unwrap_or(&[]).to_vec();
            known.resize(size as usize, 0);
            return from_bytes(&known, ty);
        }
        let items = self.items(offset.saturating_sub(15), offset + size - offset.saturating_sub(15), model);
        let base = offset.saturating_sub(15);
        let over: Vec<_> = items
            .into_iter()
            .map(|(at, held, value)| (at + base, held, value))
            .filter(|(at, held, _)| at + held.size(model) > offset && *at < offset + size)
            .collect();
        if let [(at, held, value)] = over[..]
            && at == offset
            && held.size(model) == size
        {
            return reinterpret(value, held, ty);
        }
        if over.is_empty() {
            return Some(self.fill.scalar(ty));
        }
        self.assemble(&over, offset, ty, size)
    }

    fn assemble(&self, over: &[(u64, ScalarType, Value)], offset: u64, ty: ScalarType, size: u64) -> Option<Value> {
        if let Some(&(.., value)) = over.iter().find(|(.., value)| value.is_unknown()) {
            return Some(value);
        }
        let mut bytes = vec![None; size as usize];
        if self.fill == Fill::Zero {
            bytes.fill(Some(0));
        }
        for &(at, held, value) in over {
            for (i, byte) in to_bytes(value, held)?.into_iter().enumerate() {
                let place = at as i64 + i as i64 - offset as i64;
                if let Some(slot) = usize::try_from(place).ok().and_then(|place| bytes.get_mut(place)) {
                    *slot = Some(byte);
                }
            }
        }
        match bytes.into_iter().collect::<Option<Vec<u8>>>() {
            Some(known) => from_bytes(&known, ty),
            None => Some(self.fill.scalar(ty)),
        }
    }

    /// Stores a scalar. `size` is that of the object.
    #[inline]
    pub fn write(&mut self, offset: u64, ty: ScalarType, value: Value, size: u64, model: DataModel) {
        match &mut self.storage {
            Storage::Cell(held, cell) if offset == 0 && *held == ty => *cell = value,
            Storage::Array(array) if array.ty() == ty => match array.index(offset) {
                Some(index) => array.set(index, value, self.fill),
                None => self.write_slowly(offset, ty, value, size, model),
            },
            _ => self.write_slowly(offset, ty, value, size, model),
        }
    }

    fn write_slowly(&mut self, offset: u64, ty: ScalarType, value: Value, size: u64, model: DataModel) {
        let bytes = ty.size(model);
        match &mut self.storage {
            Storage::Empty if offset == 0 && size == bytes => self.storage = Storage::Cell(ty, value),
            Storage::Empty if offset.is_multiple_of(bytes) && bytes.is_power_of_two() => {
                let mut array = Array::new(ty, bytes, size);
                array.set(offset / bytes, value, self.fill);
                self.storage = Storage::Array(array);
            }
            Storage::Mixed(map) => insert(Arc::make_mut(map), offset, ty, value, self.fill, model),
            _ => {
                let mut map = self.as_map(size, model);
                insert(&mut map, offset, ty, value, self.fill, model);
                self.storage = Storage::Mixed(Arc::new(map));
            }
        }
    }

    fn as_map(&self, size: u64, model: DataModel) -> Members {
        if let Storage::Mixed(map) = &self.storage {
            return BTreeMap::clone(map);
        }
        self.items(0, size, model).into_iter().map(|(at, ty, value)| (at, (ty, value))).collect()
    }

    /// The scalars that all of it was written as, where it was written as such.
    pub fn element(&self) -> Option<ScalarType> {
        match &self.storage {
            Storage::Array(array) => Some(array.ty()),
            _ => None,
        }
    }

    /// Written scalars that begin in `offset .. offset + bytes`, at offsets from `offset`, sorted.
    pub fn items(&self, offset: u64, bytes: u64, model: DataModel) -> Vec<(u64, ScalarType, Value)> {
        let end = offset.saturating_add(bytes);
        match &self.storage {
            Storage::Empty => Vec::new(),
            Storage::Cell(ty, value) if offset == 0 && bytes > 0 => vec![(0, *ty, *value)],
            Storage::Cell(..) => Vec::new(),
            Storage::Array(array) => array.items(offset, end, self.fill),
            Storage::Mixed(map) => map.range(offset..end).map(|(&at, &(ty, value))| (at - offset, ty, value)).collect(),
            Storage::Text(text) => {
                let end = end.min(text.len() as u64);
                let byte = |at: u64| (at - offset, ScalarType::I8, Value::Int(i64::from(text[at as usize] as i8)));
                let _ = model;
                (offset.min(end)..end).map(byte).collect()
            }
        }
    }

    /// Sets a range to one fill. The whole object becomes cheap again where all of it is filled.
    pub fn set_range(&mut self, offset: u64, bytes: u64, fill: Fill, size: u64, model: DataModel) {
        if offset == 0 && bytes >= size {
            *self = Self::new(fill);
            return;
        }
        if bytes == 0 {
            return;
        }
        if bytes > LARGEST_FILL {
            return self.set_large_range(offset, bytes, fill, size, model);
        }
        match &mut self.storage {
            Storage::Empty if self.fill == fill => {}
            Storage::Array(array) if array.divides(offset) && array.divides(bytes) => {
                array.set_range(offset, offset + bytes, fill, self.fill);
            }
            Storage::Mixed(map) if self.fill == fill => {
                let map = Arc::make_mut(map);
                clear(map, offset, offset + bytes, fill, model);
                if map.is_empty() {
                    self.storage = Storage::Empty;
                }
            }
            _ => self.set_range_by_words(offset, bytes, fill, size, model),
        }
    }

    /// Writes scalars, sorted by offsets from `offset`, into a range of bytes; the rest of it is filled.
    pub fn replace(
        &mut self,
        range: Range<u64>,
        items: &[(u64, ScalarType, Value)],
        rest: Fill,
        size: u64,
        model: DataModel,
    ) {
        let (offset, bytes) = (range.start, range.end.saturating_sub(range.start));
        if offset == 0 && bytes >= size {
            *self = Self::new(rest);
        }
        let mut end = 0;
        for &(at, ty, value) in items.iter().filter(|(at, ty, _)| at + ty.size(model) <= bytes) {
            if at > end {
                self.set_range(offset + end, at - end, rest, size, model);
            }
            self.write(offset + at, ty, value, size, model);
            end = end.max(at + ty.size(model));
        }
        self.set_range(offset + end, bytes.saturating_sub(end), rest, size, model);
    }

    /// Only what was written is visited; where the fill differs, nothing remains known.
    fn set_large_range(&mut self, offset: u64, bytes: u64, fill: Fill, size: u64, model: DataModel) {
        if fill != self.fill {
            *self = Self::new(if self.fill == Fill::Zero { fill } else { self.fill });
            return;
        }
        for (at, ty, _) in self.items(offset, bytes, model) {
            self.write(offset + at, ty, fill.scalar(ty), size, model);
        }
    }

    fn set_range_by_words(&mut self, offset: u64, bytes: u64, fill: Fill, size: u64, model: DataModel) {
        let end = offset + bytes;
        let mut at = offset;
        while at < end {
            let ty = if at.is_multiple_of(8) && end - at >= 8 {
                ScalarType::I64
            } else if at.is_multiple_of(4) && end - at >= 4 {
                ScalarType::I32
            } else {
                ScalarType::I8
            };
            self.write(at, ty, fill.scalar(ty), size, model);
            at += ty.size(model);
        }
    }
}

type Members = BTreeMap<u64, (ScalarType, Value)>;

/// What is held as this type at this place: no other scalar overlaps it.
#[inline(never)]
fn member(map: &Members, offset: u64, ty: ScalarType) -> Option<&Value> {
    map.get(&offset).filter(|(held, _)| *held == ty).map(|(_, value)| value)
}

/// The same to write to, where no copy shares the map.
#[inline(never)]
fn member_mut(map: &mut Arc<Members>, offset: u64, ty: ScalarType) -> Option<&mut Value> {
    Arc::get_mut(map)?.get_mut(&offset).filter(|(held, _)| *held == ty).map(|(_, value)| value)
}

/// Puts a scalar into a map; scalars that it overlaps keep their other bytes where those are known.
fn insert(map: &mut Members, offset: u64, ty: ScalarType, value: Value, fill: Fill, model: DataModel) {
    let size = ty.size(model);
    if let Some(slot) = map.get_mut(&offset)
        && slot.0.size(model) == size
    {
        *slot = (ty, value);
        return;
    }
    clear(map, offset, offset + size, fill, model);
    map.insert(offset, (ty, value));
}

/// Takes what lies in `from .. to` out of a map.
fn clear(map: &mut Members, from: u64, to: u64, fill: Fill, model: DataModel) {
    let over: Vec<u64> = map
        .range(from.saturating_sub(15)..to)
        .filter(|&(&at, &(held, _))| at + held.size(model) > from)
        .map(|(&at, _)| at)
        .collect();
    for at in over {
        let Some((held, old)) = map.remove(&at) else { continue };
        if at < from || at + held.size(model) > to {
            keep_rest(map, at, held, old, from, to, fill, model);
        }
    }
}

/// Re-enters the bytes of a scalar that lie outside `from .. to`.
#[expect(clippy::too_many_arguments, reason = "a scalar with its place, a range, and how to lay out")]
fn keep_rest(
    map: &mut Members,
    at: u64,
    held: ScalarType,
    old: Value,
    from: u64,
    to: u64,
    fill: Fill,
    model: DataModel,
) {
    let bytes = to_bytes(old, held);
    for i in 0..held.size(model) {
        let place = at + i;
        if (from..to).contains(&place) {
            continue;
        }
        let byte = match &bytes {
            _ if old.is_unknown() => old,
            // What pads a number is not written with it.
            known => match known.as_ref().and_then(|known| known.get(i as usize)) {
                Some(&byte) => Value::Int(i64::from(byte as i8)),
                None => fill.scalar(ScalarType::I8),
            },
        };
        map.insert(place, (ScalarType::I8, byte));
    }
}
