//! The memory of a task: objects and what they hold.

mod stretches;

use crate::state::known_objects::KnownObjects;
use crate::state::pages::{LEAST_OBJECT, PAGE, Pages, pages_of};
use crate::state::traps::Traps;
use chronos_ir::{DataModel, ScalarType};
use chronos_values::common_pages::CommonPages;
use chronos_values::storage::{Content, Fill, Storage};
use chronos_values::{ObjectId, Origin, Pointer, ReasonId, Value};
use std::collections::BTreeMap;

/// An object: a variable with an address, an allocation, a string.
#[derive(Clone, Debug)]
pub struct Object {
    pub size: u64,
    pub origin: Origin,
    pub content: Content,
    pub live: bool,
    /// Its own name while it lives, or `NOBODY`.
    id: ObjectId,
    /// Its name where it lives and nobody wants to hear of accesses to it: what plain operations take. Or `NOBODY`.
    plain: ObjectId,
    /// How many objects the task had allocated before it.
    born: u64,
    /// Somebody has a copy of this version of it.
    copied: bool,
    /// Nothing of it is known, and `Memory::known` leaves it out until something of it is written.
    forgotten: bool,
    /// Changes when something is written of which somebody has a copy.
    version: u64,
    /// How often its pages were looked up among those of all tasks.
    looked_up: u8,
}

/// The name of no object: no task has as many slots.
const NOBODY: ObjectId = ObjectId(u32::MAX);

/// Slots that are not given twice where addresses have 32 bits.
const KEPT_SLOTS: usize = 1 << 10;

/// An array of as many pages is worth looking for equal ones of other tasks, so often.
const MANY_PAGES: usize = 4;
const MOST_LOOKUPS: u8 = 2;

impl Object {
    fn new(id: ObjectId, size: u64, origin: Origin, fill: Fill) -> Self {
        let (content, live) = (Content::new(fill), id != NOBODY);
        Self {
            size,
            origin,
            content,
            live,
            id,
            plain: id,
            born: 0,
            copied: false,
            forgotten: false,
            version: 0,
            looked_up: 0,
        }
    }

    /// Something of it is written, or it is another one.
    #[inline]
    fn touch(&mut self, writes: &mut Writes) {
        if self.copied | self.forgotten {
            self.touch_noticed(writes);
        }
    }

    fn touch_noticed(&mut self, writes: &mut Writes) {
        if std::mem::take(&mut self.copied) {
            writes.versions += 1;
            self.version = writes.versions;
        }
        if std::mem::take(&mut self.forgotten) {
            writes.known.add(self.id);
        }
    }

    fn is_unknown(&self) -> bool {
        matches!(self.content, Content { storage: Storage::Empty, fill: Fill::Value(Value::Unknown(_)) })
    }
}

/// What writes to objects change beside them.
#[derive(Clone, Debug, Default)]
struct Writes {
    /// The newest version of an object.
    versions: u64,
    known: KnownObjects,
}

/// Why an access is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wrong {
    OutOfBounds { offset: i64, size: u64 },
    Freed,
}

/// The objects of a task.
///
/// A pointer may outlive its object. So each object that comes into a slot has a name of its own (its generation), and a slot
/// of allocations is given up when all its names were used: a pointer to one that was freed never leads to another. Slots of
/// variables begin anew, because calls are many and pointers seldom outlive them.
#[derive(Clone, Debug)]
pub struct Memory {
    slots: Vec<Object>,
    /// Names for the next allocations, and for the next variables.
    free: [Vec<ObjectId>; 2],
    /// How many objects were allocated.
    allocated: u64,
    /// What stale pointers lead to.
    dead: Box<Object>,
    /// What MPI has written of large objects; nothing for tasks that receive nothing large.
    received: BTreeMap<ObjectId, Pages>,
    /// How many want to hear of accesses to an object.
    watched: BTreeMap<ObjectId, u32>,
    writes: Writes,
    /// Ranges whose accesses are noticed, while there are any.
    pub(crate) traps: Option<Box<Traps>>,
    pub model: DataModel,
}

impl Memory {
    pub fn new(model: DataModel) -> Self {
        Self {
            slots: Vec::new(),
            free: Default::default(),
            allocated: 0,
            dead: Box::new(Object::new(NOBODY, 0, Origin::Environment, Fill::Zero)),
            received: BTreeMap::new(),
            watched: BTreeMap::new(),
            writes: Writes::default(),
            traps: None,
            model,
        }
    }

    pub fn allocate(&mut self, size: u64, origin: Origin, fill: Fill) -> ObjectId {
        self.allocated += 1;
        let next = self.next_slot(origin);
        let id = next.unwrap_or_else(|| ObjectId::in_slot(u32::try_from(self.slots.len()).unwrap_or(u32::MAX), 0));
        let object =
            Object { version: self.writes.versions, born: self.allocated, ..Object::new(id, size, origin, fill) };
        match self.slots.get_mut(id.slot()) {
            Some(slot) => *slot = object,
            None => self.slots.push(object),
        }
        self.writes.known.add(id);
        id
    }

    /// A slot that others were in before, where there is one. Of addresses that travel as numbers of 32 bits, the first object of
    /// each slot alone has any, so there the first slots are not given twice.
    fn next_slot(&mut self, origin: Origin) -> Option<ObjectId> {
        let kind = kind_of_slot(origin);
        let keeps = kind == 0 && self.model == DataModel::Ilp32 && self.slots.len() < KEPT_SLOTS;
        if keeps { None } else { self.free[kind].pop() }
    }

    /// Ends the life of an object: its name leads nowhere any more.
    pub fn release(&mut self, id: ObjectId) {
        if !self.is_live(id) {
            return;
        }
        let object = &mut self.slots[id.slot()];
        (object.live, object.id, object.plain) = (false, NOBODY, NOBODY);
        object.touch(&mut self.writes);
        object.content.storage = Storage::Empty;
        self.watched.remove(&id);
        self.received.remove(&id);
        let kind = kind_of_slot(object.origin);
        self.free[kind].extend(next_name(id, kind));
    }

    /// How many objects were allocated so far.
    pub(crate) fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Whether an object was allocated after so many.
    pub(crate) fn is_younger(&self, id: ObjectId, allocated: u64) -> bool {
        self.object(id).born > allocated
    }

    /// Whether the values are the same but for objects that followed each other in one slot, as an allocation does that each
    /// iteration of a loop makes anew.
    pub(crate) fn is_alike(one: Value, other: Value) -> bool {
        match (one, other) {
            (Value::Pointer(a), Value::Pointer(b)) => a.object.slot() == b.object.slot() && { a.offset } == b.offset,
            _ => one == other,
        }
    }

    /// MPI writes so many bytes of a living object; how many bytes of its pages MPI is the first to write.
    pub fn receive(&mut self, pointer: Pointer, bytes: u64) -> u64 {
        let Ok(offset) = u64::try_from(pointer.offset) else { return 0 };
        if bytes == 0 || self.object(pointer.object).size < LEAST_OBJECT {
            return 0;
        }
        self.received.entry(pointer.object).or_default().add(pages_of(offset, bytes)) * PAGE
    }

    #[inline]
    pub fn object(&self, id: ObjectId) -> &Object {
        self.slots.get(id.slot()).filter(|object| object.id == id).unwrap_or(&self.dead)
    }

    #[inline]
    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        let slot = self.slots.get_mut(id.slot()).filter(|object| object.id == id);
        let object = slot.unwrap_or(&mut self.dead);
        object.touch(&mut self.writes);
        object
    }

    pub fn version(&self, id: ObjectId) -> u64 {
        self.object(id).version
    }

    /// Changes whenever the version of an object does.
    pub(crate) fn newest_version(&self) -> u64 {
        self.writes.versions
    }

    /// The version of an object, of which the caller takes a copy. What was written since has another one.
    pub fn version_to_copy(&mut self, id: ObjectId) -> u64 {
        self.see(id, 0, u64::MAX);
        let object = &mut self.slots[id.slot()];
        object.copied = true;
        object.version
    }

    /// What an object holds, for copies that share it: it is not changed.
    pub(crate) fn content_to_share(&mut self, id: ObjectId) -> &mut Content {
        &mut self.slots[id.slot()].content
    }

    /// Copies share what all objects hold until they write it.
    pub(crate) fn share_all(&mut self) {
        self.slots.iter_mut().for_each(|object| _ = object.content.share());
    }

    /// What a long array holds becomes one with equal content of other tasks. The first times alone: what a program
    /// writes again and again differs, or would be copied as often.
    pub(crate) fn share_equal(&mut self, id: ObjectId, pages: &mut CommonPages) {
        let wanted = |object: &&mut Object| object.id == id && object.looked_up < MOST_LOOKUPS;
        let Some(object) = self.slots.get_mut(id.slot()).filter(wanted) else { return };
        if let Storage::Array(array) = &mut object.content.storage
            && array.dense_pages() >= MANY_PAGES
        {
            object.looked_up += 1;
            array.share_equal(pages);
        }
    }

    /// Accesses to a living object are to be told, or one who wanted that does not any more.
    pub fn watch(&mut self, id: ObjectId, on: bool) {
        if !self.is_live(id) {
            return;
        }
        let watchers = self.watched.entry(id).or_default();
        *watchers = if on { *watchers + 1 } else { watchers.saturating_sub(1) };
        if *watchers == 0 {
            self.watched.remove(&id);
        }
        let plain = if self.watched.contains_key(&id) { NOBODY } else { id };
        self.object_mut(id).plain = plain;
    }

    /// Accesses to some objects are to be told.
    pub(crate) fn is_watching(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Accesses to this object are to be told.
    #[inline]
    pub(crate) fn is_watched(&self, id: ObjectId) -> bool {
        let object = self.object(id);
        object.live && object.plain != id
    }

    pub fn is_live(&self, id: ObjectId) -> bool {
        self.slots.get(id.slot()).is_some_and(|object| object.id == id)
    }

    /// Living objects of these origins of which something may be known, in the order of their slots. The caller forgets
    /// them: those of which nothing is known then are left out next time, until they are written.
    pub(crate) fn known(&mut self, reached: impl Fn(Origin) -> bool) -> Vec<ObjectId> {
        if !self.writes.known.is_followed() {
            self.writes.known.follow(self.slots.iter().filter(|object| object.live).map(|object| object.id));
        }
        let slots = &self.slots;
        let living = |id: ObjectId| slots.get(id.slot()).filter(|object| object.id == id).map(|object| object.origin);
        self.writes.known.take(living, reached)
    }

    /// What `known` gave was forgotten: those of which something is known nevertheless stay among the known ones.
    pub(crate) fn settle_known(&mut self, ids: &[ObjectId]) {
        for &id in ids {
            match self.slots.get_mut(id.slot()).filter(|object| object.id == id) {
                Some(object) if object.is_unknown() => object.forgotten = true,
                Some(_) => self.writes.known.add(id),
                None => {}
            }
        }
    }

    /// Checks that `bytes` at `pointer` lie inside a living object.
    ///
    /// # Errors
    /// What is wrong with the access.
    #[inline]
    pub fn check(&self, pointer: Pointer, bytes: u64) -> Result<(), Wrong> {
        let object = self.object(pointer.object);
        if pointer.offset >= 0 && (pointer.offset as u64).saturating_add(bytes) <= object.size && object.live {
            return Ok(());
        }
        if object.live {
            Err(Wrong::OutOfBounds { offset: pointer.offset, size: object.size })
        } else {
            Err(Wrong::Freed)
        }
    }

    /// The scalar at `pointer`, which has been checked; `None` where its bytes make no value.
    #[inline]
    pub fn read(&self, pointer: Pointer, ty: ScalarType) -> Option<Value> {
        self.see_scalar(pointer, ty);
        self.object(pointer.object).content.read(pointer.offset as u64, ty, self.model)
    }

    #[inline]
    fn see_scalar(&self, pointer: Pointer, ty: ScalarType) {
        if self.traps.is_some() {
            self.see(pointer.object, pointer.offset as u64, ty.size(self.model));
        }
    }

    /// Something of a range is read or written.
    #[inline]
    fn see(&self, object: ObjectId, begin: u64, bytes: u64) {
        if let Some(traps) = &self.traps {
            traps.see(object, begin, bytes);
        }
    }

    /// Writes the scalar at `pointer` to `to`, if it stands alone and was written as this type or never; whether it did.
    #[inline(always)]
    pub fn plain(&self, pointer: Pointer, ty: ScalarType, to: &mut Value) -> bool {
        let object = self.slots.get(pointer.object.slot()).filter(|object| object.plain == pointer.object);
        object.is_some_and(|object| object.content.read_fast(pointer.offset, ty, object.size, to))
    }

    /// Where the scalar at `pointer` stands, if it stands alone, was written as this type, and nobody has a copy.
    #[inline(always)]
    pub fn slot_mut(&mut self, pointer: Pointer, ty: ScalarType) -> Option<&mut Value> {
        let object = self.slots.get_mut(pointer.object.slot())?;
        if object.plain != pointer.object || object.copied | object.forgotten {
            return None;
        }
        object.content.slot_mut(pointer.offset, ty, object.size)
    }

    /// Stores a scalar at `pointer`, which has been checked.
    #[inline]
    pub fn write(&mut self, pointer: Pointer, ty: ScalarType, value: Value) {
        self.see_scalar(pointer, ty);
        let model = self.model;
        let object = &mut self.slots[pointer.object.slot()];
        object.touch(&mut self.writes);
        object.content.write(pointer.offset as u64, ty, value, object.size, model);
    }

    /// Written scalars in a range that has been checked.
    pub fn items(&self, pointer: Pointer, bytes: u64) -> Vec<(u64, ScalarType, Value)> {
        self.see(pointer.object, pointer.offset as u64, bytes);
        self.object(pointer.object).content.items(pointer.offset as u64, bytes, self.model)
    }

    /// Fills a range that has been checked.
    pub fn set_range(&mut self, pointer: Pointer, bytes: u64, fill: Fill) {
        self.see(pointer.object, pointer.offset as u64, bytes);
        let model = self.model;
        let object = &mut self.slots[pointer.object.slot()];
        object.touch(&mut self.writes);
        object.content.set_range(pointer.offset as u64, bytes, fill, object.size, model);
    }

    /// Writes scalars, sorted by offsets from `pointer`, into a range that has been checked, and fills the rest of it.
    pub fn replace(&mut self, pointer: Pointer, bytes: u64, items: &[(u64, ScalarType, Value)], rest: Fill) {
        self.see(pointer.object, pointer.offset as u64, bytes);
        let model = self.model;
        let object = &mut self.slots[pointer.object.slot()];
        object.touch(&mut self.writes);
        let begin = pointer.offset as u64;
        object.content.replace(begin..begin.saturating_add(bytes), items, rest, object.size, model);
    }

    /// Nothing of the object is known any longer.
    pub fn forget(&mut self, id: ObjectId, unknown: Value) {
        self.see(id, 0, u64::MAX);
        self.object_mut(id).content = Content::new(Fill::Value(unknown));
    }

    /// Bytes of scalars that lie across the begin or the end of a range.
    fn edges(&self, from: Pointer, bytes: u64, items: &[(u64, ScalarType, Value)]) -> Vec<(u64, Value)> {
        let content = &self.object(from.object).content;
        let start = from.offset as u64;
        let before = start.saturating_sub(15);
        let mut cut: Vec<u64> = Vec::new();
        for (at, ty, _) in content.items(before, start - before, self.model) {
            let end = before + at + ty.size(self.model);
            cut.extend(start..end.min(start + bytes));
        }
        if let Some(&(at, ty, _)) = items.last()
            && at + ty.size(self.model) > bytes
        {
            cut.extend(start + at..start + bytes);
        }
        cut.sort_unstable();
        cut.dedup();
        let byte = |at: u64| Some((at - start, content.read(at, ScalarType::I8, self.model)?));
        cut.into_iter().filter_map(byte).collect()
    }

    /// Copies `bytes` between ranges that have been checked.
    pub fn copy(&mut self, to: Pointer, from: Pointer, bytes: u64) {
        if to == from {
            return;
        }
        let items = self.items(from, bytes);
        let fill = self.object(from.object).content.fill;
        // The ranges may overlap.
        let edges = self.edges(from, bytes, &items);
        self.set_range(to, bytes, fill);
        for (at, ty, value) in items {
            if at + ty.size(self.model) <= bytes {
                self.write(Pointer { object: to.object, offset: to.offset + at as i64 }, ty, value);
            }
        }
        for (at, byte) in edges {
            self.write(Pointer { object: to.object, offset: to.offset + at as i64 }, ScalarType::I8, byte);
        }
    }
}

/// Allocations and variables have slots of their own.
fn kind_of_slot(origin: Origin) -> usize {
    usize::from(!matches!(origin, Origin::Allocation(_)))
}

/// The name of the next object in the slot of one that has ended; none where an allocation had the last one.
fn next_name(id: ObjectId, kind: usize) -> Option<ObjectId> {
    let generation = match id.generation() {
        // `NOBODY` is of the last generation, in a slot that no task has.
        ObjectId::LAST_GENERATION if kind == 0 => return None,
        ObjectId::LAST_GENERATION => 0,
        generation => generation + 1,
    };
    Some(ObjectId::in_slot(id.slot() as u32, generation))
}

/// The bytes of a string; `None` where the pointer leads nowhere, `Err` where a byte is unknown.
pub(crate) fn bytes_until_zero(memory: &Memory, pointer: Pointer) -> Option<Result<Vec<u8>, Option<ReasonId>>> {
    let mut bytes = Vec::new();
    let mut at = pointer;
    loop {
        if memory.check(at, 1).is_err() {
            return None;
        }
        match memory.read(at, ScalarType::I8) {
            Some(Value::Int(0)) => return Some(Ok(bytes)),
            Some(Value::Int(n)) => bytes.push(n as u8),
            Some(Value::Unknown(reason)) => return Some(Err(Some(reason))),
            _ => return Some(Err(None)),
        }
        at.offset += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_ir::BlockId;

    #[test]
    fn an_object_has_another_version_once_it_is_written_after_a_copy() {
        let mut memory = Memory::new(DataModel::Lp64);
        let fill = Fill::Zero;
        let object = memory.allocate(64, Origin::Environment, fill);
        let at = |offset| Pointer { object, offset };
        memory.write(at(0), ScalarType::F64, Value::Float(1.0));
        memory.write(at(8), ScalarType::F64, Value::Float(1.0));
        let first = memory.version_to_copy(object);
        let newest = memory.newest_version();
        assert_eq!(memory.version_to_copy(object), first);
        assert!(memory.slot_mut(at(8), ScalarType::F64).is_none(), "a store that nobody hears of");
        memory.write(at(8), ScalarType::F64, Value::Float(2.0));
        assert!(memory.slot_mut(at(8), ScalarType::F64).is_some());
        let second = memory.version_to_copy(object);
        assert_eq!(memory.version(object), second);
        assert_ne!(memory.newest_version(), newest);
        assert_ne!(second, first);
        memory.release(object);
        let next = memory.allocate(64, Origin::Environment, fill);
        assert_eq!(next.slot(), object.slot());
        assert_ne!(memory.version_to_copy(next), second);
    }

    #[test]
    fn a_stale_pointer_never_leads_to_another_allocation() {
        let mut memory = Memory::new(DataModel::Lp64);
        let mut seen = chronos_base::hash::FxHashSet::default();
        for _ in 0..1000 {
            let object = memory.allocate(8, Origin::Allocation(chronos_ir::BlockId(1)), Fill::Zero);
            assert!(seen.insert(object) && memory.is_live(object));
            memory.release(object);
            let again = memory.allocate(8, Origin::Environment, Fill::Zero);
            let stale = Pointer { object, offset: 0 };
            assert_eq!(memory.check(stale, 8), Err(Wrong::Freed));
            assert!(!memory.plain(stale, ScalarType::I64, &mut Value::NULL.clone()));
            memory.release(again);
        }
        assert!(memory.slots.len() < 20, "{} slots", memory.slots.len());
    }

    /// Objects of three origins are made, written, forgotten by origin and released; what was forgotten by origin is unknown.
    fn forgets_all_of_an_origin(operations: &[(u8, u8)]) {
        let mut memory = Memory::new(DataModel::Lp64);
        let unknown = Value::Unknown(ReasonId(0));
        let mut made = Vec::new();
        for &(operation, which) in operations {
            let origin = Origin::Allocation(BlockId(u32::from(which % 3)));
            let one = made.get(usize::from(which) % made.len().max(1)).copied();
            match (operation % 4, one) {
                (0, _) => made.push(memory.allocate(8, origin, Fill::Zero)),
                (1, Some(object)) if memory.is_live(object) => {
                    memory.write(Pointer { object, offset: 0 }, ScalarType::I32, Value::Int(1));
                }
                (2, Some(object)) => memory.release(object),
                _ => {
                    let known = memory.known(|other| other == origin);
                    known.iter().for_each(|&object| memory.forget(object, unknown));
                    memory.settle_known(&known);
                    let mut left = memory.slots.iter().filter(|object| object.live && object.origin == origin);
                    assert!(left.all(Object::is_unknown), "{operations:?}");
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn objects_that_were_written_since_are_forgotten_again(operations in proptest::collection::vec((0u8..4, 0u8..12), 0..80)) {
            forgets_all_of_an_origin(&operations);
        }
    }

    #[test]
    fn objects_that_stay_forgotten_are_not_looked_at_again() {
        let mut memory = Memory::new(DataModel::Lp64);
        let origin = Origin::Allocation(BlockId(0));
        let objects: Vec<ObjectId> = (0..3).map(|_| memory.allocate(8, origin, Fill::Zero)).collect();
        let known = memory.known(|_| true);
        assert_eq!(known, objects);
        known.iter().for_each(|&object| memory.forget(object, Value::Unknown(ReasonId(0))));
        memory.settle_known(&known);
        assert!(memory.known(|_| true).is_empty());
        memory.write(Pointer { object: objects[1], offset: 0 }, ScalarType::I32, Value::Int(1));
        assert_eq!(memory.known(|_| true), [objects[1]]);
    }
}
