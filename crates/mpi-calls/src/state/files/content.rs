//! What files hold.

use crate::interface::payload::Payload;
use crate::state::windows::image::Image;
use chronos_activity::CommId;
use chronos_base::hash::FxHashMap;
use chronos_ir::{DataModel, ScalarType};
use chronos_values::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All files that the program has named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    pub files: FxHashMap<Arc<str>, FileContent>,
    /// Shared positions, by who has the file open.
    pub shared: FxHashMap<(CommId, Arc<str>), u64>,
    /// Members that have closed a file that goes away with the last of them, by who has it open.
    pub closed: FxHashMap<(CommId, Arc<str>), usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSize {
    Known(u64),
    Unknown,
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct FileContent {
    /// `None` where nobody knows.
    pub exists: Option<bool>,
    pub size: FileSize,
    /// What the program has written.
    image: Image,
    /// What the file held before.
    original_content: Option<Arc<[u8]>>,
    /// Where the program has written, known or not: first byte of each stretch, with the one behind its last.
    written: BTreeMap<u64, u64>,
}

impl FileContent {
    pub fn of(given: Option<Arc<[u8]>>) -> Self {
        let size = given.as_ref().map_or(FileSize::Unknown, |bytes| FileSize::Known(bytes.len() as u64));
        Self {
            exists: given.is_some().then_some(true),
            size,
            image: Image::default(),
            original_content: given,
            written: BTreeMap::new(),
        }
    }

    pub fn create(&mut self) {
        *self = Self { exists: Some(true), size: FileSize::Known(0), ..Self::of(None) };
    }

    pub(crate) fn delete(&mut self) {
        *self = Self { exists: Some(false), size: FileSize::Known(0), ..Self::of(None) };
    }

    pub fn resize(&mut self, bytes: u64) {
        self.size = FileSize::Known(bytes);
    }

    /// The file is at least so large.
    pub fn grow_to(&mut self, bytes: u64) {
        if let FileSize::Known(size) = &mut self.size {
            *size = (*size).max(bytes);
        }
    }

    /// Nobody knows what was written where.
    pub fn lose(&mut self) {
        *self = Self { exists: Some(true), size: FileSize::Unknown, ..Self::of(None) };
    }

    /// Something else than MPI has changed it, or removed it.
    pub fn forget(&mut self) {
        *self = Self::of(None);
    }

    pub fn write(&mut self, begin: u64, bytes: u64, payload: Option<&Payload>, model: DataModel) {
        self.image.write(begin, bytes, payload, model);
        self.image.take_changes(model);
        if self.original_content.is_some() && bytes > 0 {
            self.cover(begin, begin.saturating_add(bytes));
        }
        self.grow_to(begin.saturating_add(bytes));
    }

    fn cover(&mut self, mut begin: u64, mut end: u64) {
        while let Some((&first, &behind)) = self.written.range(..=end).next_back().filter(|found| *found.1 >= begin) {
            (begin, end) = (begin.min(first), end.max(behind));
            self.written.remove(&first);
        }
        self.written.insert(begin, end);
    }

    pub fn read(&self, begin: u64, bytes: u64, model: DataModel) -> Payload {
        let mut all = self.image.read(begin, bytes, model);
        if let Some(given) = &self.original_content {
            let end = begin.saturating_add(bytes);
            for (from, to) in self.untouched(begin, end) {
                let items = original(given, from, to - from).into_iter();
                all.items.extend(items.map(|(at, ty, value)| (at + from - begin, ty, value)));
            }
            all.items.sort_by_key(|item| item.0);
        }
        all
    }

    /// The stretches of `begin .. end` that the program has not written.
    fn untouched(&self, begin: u64, end: u64) -> Vec<(u64, u64)> {
        let before = self.written.range(..begin).next_back().map_or(begin, |(_, &behind)| behind.max(begin));
        let mut from = before;
        let mut stretches = Vec::new();
        for (&first, &behind) in self.written.range(begin..end) {
            if first > from {
                stretches.push((from, first));
            }
            from = from.max(behind);
        }
        if from < end {
            stretches.push((from, end));
        }
        stretches
    }

    /// Bytes that are there of so many from `begin` on.
    pub fn available(&self, begin: u64, bytes: u64) -> u64 {
        match self.size {
            FileSize::Known(size) => size.saturating_sub(begin).min(bytes),
            FileSize::Unknown => bytes,
        }
    }
}

/// Bytes one by one: what they mean, their reader knows.
fn original(given: &[u8], begin: u64, bytes: u64) -> Vec<(u64, ScalarType, Value)> {
    let from = usize::try_from(begin).unwrap_or(usize::MAX).min(given.len());
    let to = usize::try_from(begin.saturating_add(bytes)).unwrap_or(usize::MAX).min(given.len());
    let item = |(at, &byte): (usize, &u8)| (at as u64, ScalarType::I8, Value::Int(i64::from(byte.cast_signed())));
    given[from..to].iter().enumerate().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_overwritten_is_not_what_was_given() {
        let model = DataModel::Lp64;
        let mut content = FileContent::of(Some(Arc::from(&b"abcdefgh"[..])));
        content.write(2, 3, None, model);
        content.write(5, 1, Some(&Payload { items: vec![(0, ScalarType::I8, Value::Int(1))] }), model);
        let known =
            |begin, bytes| content.read(begin, bytes, model).items.into_iter().map(|(at, _, value)| (at, value));
        let byte = |at, byte: u8| (at, Value::Int(i64::from(byte)));
        assert_eq!(
            known(0, 8).collect::<Vec<_>>(),
            [byte(0, b'a'), byte(1, b'b'), byte(5, 1), byte(6, b'g'), byte(7, b'h')]
        );
        assert_eq!(known(3, 2).count(), 0);
    }
}
