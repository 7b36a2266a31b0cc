//! What other tasks see of the memory that a task exposes.
//!
//! Tasks are evaluated apart, so one cannot write into the memory of another: remote accesses go to an image of the
//! exposed memory. It is brought up to date at every MPI call of its owner, where the owner has written since, and what
//! others wrote to it is brought into the owner's memory at the owner's next MPI call. Programs that follow MPI's rules
//! cannot tell the difference.

use crate::interface::environment::{CallEnvironment, Version};
use crate::interface::payload::Payload;
use chronos_ir::DataModel;
use chronos_values::storage::{Content, Fill};
use chronos_values::{ReasonId, Value};
use std::collections::BTreeMap;

/// Known scalars by offset from the begin.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    content: Content,
    /// What was copied of the owner's memory, by where it begins here.
    copied: BTreeMap<u64, Version>,
    /// All is as it was in this version of all of the owner's memory.
    complete: Option<Version>,
    /// Begin and bytes of what was written since the owner was told.
    changes: Vec<(u64, u64)>,
}

/// A stretch of memory that others have written; what is not in the payload is unknown.
pub(crate) struct Change {
    pub begin: u64,
    pub bytes: u64,
    pub payload: Option<Payload>,
}

/// Never seen, for only what is known is read.
const UNKNOWN: Fill = Fill::Value(Value::Unknown(ReasonId(0)));
/// An image has no end.
const SIZE: u64 = u64::MAX;

impl Default for Image {
    fn default() -> Self {
        Self { content: Content::new(UNKNOWN), copied: BTreeMap::new(), complete: None, changes: Vec::new() }
    }
}

impl Image {
    /// Whether the owner's memory, of which a stretch begins here, is in the version that was copied.
    pub(crate) fn is_current(&self, begin: u64, version: Option<Version>) -> bool {
        version.is_some() && self.copied.get(&begin) == version.as_ref()
    }

    /// Whether the stretch that begins here was copied in some version.
    pub(crate) fn was_copied(&self, begin: u64) -> bool {
        self.copied.contains_key(&begin)
    }

    /// No stretch has changed since all were copied.
    pub fn is_complete(&self, env: &dyn CallEnvironment) -> bool {
        self.complete.is_some() && self.complete == env.version_of_all()
    }

    /// All stretches were copied; `None`: there are others now, or some that are not followed.
    pub fn complete(&mut self, version: Option<Version>) {
        self.complete = version;
    }

    /// A stretch of the owner's memory as it is now.
    pub(crate) fn refresh(
        &mut self,
        begin: u64,
        bytes: u64,
        payload: Option<&Payload>,
        version: Option<Version>,
        model: DataModel,
    ) {
        if self.copied.keys().all(|&other| other == begin) {
            // Nothing else is in it, so it may be held as the owner holds it now.
            self.content = Content::new(UNKNOWN);
        }
        self.put(begin, bytes, payload, model);
        self.agree(begin, version);
    }

    /// The owner has taken a stretch back.
    pub fn forget(&mut self, begin: u64, bytes: u64, model: DataModel) {
        self.refresh(begin, bytes, None, None, model);
    }

    /// The owner has been told of all changes, and its memory is in this version.
    pub fn agree(&mut self, begin: u64, version: Option<Version>) {
        match version {
            Some(version) => self.copied.insert(begin, version),
            None => self.copied.remove(&begin),
        };
    }

    /// What is known of `bytes` from `begin` on, with offsets from there.
    pub fn read(&self, begin: u64, bytes: u64, model: DataModel) -> Payload {
        let mut items = self.content.known_scalars(begin, bytes, model);
        items.retain(|(at, ty, _)| at + ty.size(model) <= bytes);
        Payload { items }
    }

    pub fn write(&mut self, begin: u64, bytes: u64, payload: Option<&Payload>, model: DataModel) {
        self.put(begin, bytes, payload, model);
        self.changes.push((begin, bytes));
    }

    fn put(&mut self, begin: u64, bytes: u64, payload: Option<&Payload>, model: DataModel) {
        let items = payload.map_or(&[][..], |payload| &payload.items);
        self.content.replace(begin..begin.saturating_add(bytes), items, UNKNOWN, SIZE, model);
    }

    /// What the owner has not been told of, oldest first.
    pub(crate) fn take_changes(&mut self, model: DataModel) -> Vec<Change> {
        let known = |begin, bytes| Some(self.read(begin, bytes, model)).filter(|payload| !payload.items.is_empty());
        let changes: Vec<Change> =
            self.changes.iter().map(|&(begin, bytes)| Change { begin, bytes, payload: known(begin, bytes) }).collect();
        self.changes.clear();
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_ir::ScalarType;

    const MODEL: DataModel = DataModel::Lp64;

    fn number(value: i64) -> Payload {
        Payload { items: vec![(0, ScalarType::I32, Value::Int(value))] }
    }

    fn version(content: u64) -> Option<Version> {
        Some(Version { content, published: 0 })
    }

    fn image(items: Vec<(u64, ScalarType, Value)>) -> Image {
        let mut image = Image::default();
        image.refresh(0, 16, Some(&Payload { items }), version(1), MODEL);
        image
    }

    #[test]
    fn a_write_replaces_what_it_overlaps_and_is_told_once() {
        let mut image = image(vec![(0, ScalarType::I64, Value::Int(7)), (8, ScalarType::I32, Value::Int(8))]);
        image.write(4, 4, Some(&number(5)), MODEL);
        assert_eq!(image.read(0, 12, MODEL).scalar(0, ScalarType::I64, MODEL), Some(Value::Int(7 + (5 << 32))));
        assert_eq!(
            image.read(4, 8, MODEL).items,
            [(0, ScalarType::I32, Value::Int(5)), (4, ScalarType::I32, Value::Int(8))]
        );
        let changes = image.take_changes(MODEL);
        assert_eq!(changes.iter().map(|change| (change.begin, change.bytes)).collect::<Vec<_>>(), [(4, 4)]);
        assert_eq!(changes[0].payload, Some(number(5)));
        assert!(image.take_changes(MODEL).is_empty());
    }

    #[test]
    fn what_is_written_and_unknown_is_not_read() {
        let mut image = image(vec![(0, ScalarType::I32, Value::Int(7)), (4, ScalarType::I32, Value::Int(8))]);
        image.write(0, 4, None, MODEL);
        assert_eq!(image.read(0, 8, MODEL).items, [(4, ScalarType::I32, Value::Int(8))]);
    }

    #[test]
    fn only_another_version_of_the_memory_is_copied() {
        let mut image = image(Vec::new());
        assert!(
            image.is_current(0, version(1)) && !image.is_current(0, version(2)) && !image.is_current(64, version(1))
        );
        image.agree(0, None);
        assert!(!image.is_current(0, version(1)) && !image.is_current(0, None));
    }
}
