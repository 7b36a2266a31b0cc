//! What other tasks see of the memory that a task exposes.
//!
//! Tasks are evaluated apart, so one cannot write into the memory of another: remote accesses go to an image of the
//! exposed memory. It is taken anew at every MPI call of its owner, and what others wrote to it is brought into the
//! owner's memory at the owner's next MPI call. Programs that follow MPI's rules cannot tell the difference.

use crate::Payload;
use chronos_ir::{DataModel, ScalarType};
use chronos_values::Value;
use std::collections::BTreeMap;

/// Known scalars by offset from the begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    items: BTreeMap<u64, (ScalarType, Value)>,
    /// Begin and bytes of what was written since the owner was told.
    changes: Vec<(u64, u64)>,
}

/// A stretch of memory that others have written; what is not in the payload is unknown.
pub(crate) struct Change {
    pub begin: u64,
    pub bytes: u64,
    pub payload: Option<Payload>,
}

/// The largest scalar, in bytes: how far before a place one may begin that reaches it.
const LARGEST_SCALAR: u64 = 16;

impl Image {
    /// The owner's memory as it is now.
    pub fn refresh(&mut self, stretches: impl Iterator<Item = (u64, Option<Payload>)>) {
        // Collected and not inserted one by one: items of a stretch are sorted, and a tree of sorted items is built at once.
        let items = stretches.flat_map(|(begin, payload)| {
            let items = payload.map(|payload| payload.items).unwrap_or_default();
            items.into_iter().map(move |(at, ty, value)| (begin + at, (ty, value)))
        });
        self.items = items.collect();
    }

    /// What is known of `bytes` from `begin` on, with offsets from there.
    pub fn read(&self, begin: u64, bytes: u64, model: DataModel) -> Payload {
        let end = begin.saturating_add(bytes);
        let inside = self.items.range(begin..end).filter(|&(&at, &(ty, _))| at + ty.size(model) <= end);
        Payload { items: inside.map(|(&at, &(ty, value))| (at - begin, ty, value)).collect() }
    }

    pub fn write(&mut self, begin: u64, bytes: u64, payload: Option<&Payload>, model: DataModel) {
        let end = begin.saturating_add(bytes);
        let near = self.items.range(begin.saturating_sub(LARGEST_SCALAR)..end);
        let hit: Vec<u64> = near.filter(|&(&at, &(ty, _))| at + ty.size(model) > begin).map(|(&at, _)| at).collect();
        hit.iter().for_each(|at| {
            self.items.remove(at);
        });
        for &(at, ty, value) in payload.iter().flat_map(|payload| &payload.items) {
            self.items.insert(begin + at, (ty, value));
        }
        self.changes.push((begin, bytes));
    }

    /// What the owner has not been told of, oldest first.
    pub fn take_changes(&mut self, model: DataModel) -> Vec<Change> {
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

    const MODEL: DataModel = DataModel::Lp64;

    fn number(value: i64) -> Payload {
        Payload { items: vec![(0, ScalarType::I32, Value::Int(value))] }
    }

    #[test]
    fn a_write_replaces_what_it_overlaps_and_is_told_once() {
        let mut image = Image::default();
        let items = vec![(0, ScalarType::I64, Value::Int(7)), (8, ScalarType::I32, Value::Int(8))];
        image.refresh(std::iter::once((0, Some(Payload { items }))));
        image.write(4, 4, Some(&number(5)), MODEL);
        assert_eq!(
            image.read(0, 12, MODEL).items,
            [(4, ScalarType::I32, Value::Int(5)), (8, ScalarType::I32, Value::Int(8))]
        );
        let changes = image.take_changes(MODEL);
        assert_eq!(changes.iter().map(|change| (change.begin, change.bytes)).collect::<Vec<_>>(), [(4, 4)]);
        assert_eq!(changes[0].payload, Some(number(5)));
        assert!(image.take_changes(MODEL).is_empty());
    }
}
