//! What files hold.

use crate::activity::CommId;
use crate::count::mpi::Payload;
use crate::count::mpi::window::Image;
use crate::count::value::Value;
use crate::program::{DataModel, ScalarType};
use std::collections::HashMap;
use std::sync::Arc;

/// All files that the program has named.
#[derive(Clone, Debug, Default)]
pub(in crate::count::mpi) struct Disk {
    pub files: HashMap<Arc<str>, Content>,
    /// Shared positions, by who has the file open.
    pub shared: HashMap<(CommId, Arc<str>), u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::count::mpi) enum Size {
    Known(u64),
    Unknown,
}

/// One file.
#[derive(Clone, Debug)]
pub(in crate::count::mpi) struct Content {
    /// `None` where nobody knows.
    pub exists: Option<bool>,
    pub size: Size,
    /// What the program has written.
    image: Image,
    /// What the file held before.
    given: Option<Arc<[u8]>>,
}

impl Content {
    pub fn of(given: Option<Arc<[u8]>>) -> Self {
        let size = given.as_ref().map_or(Size::Unknown, |bytes| Size::Known(bytes.len() as u64));
        Self { exists: given.is_some().then_some(true), size, image: Image::default(), given }
    }

    pub fn create(&mut self) {
        *self = Self { exists: Some(true), size: Size::Known(0), image: Image::default(), given: None };
    }

    pub fn delete(&mut self) {
        *self = Self { exists: Some(false), size: Size::Known(0), image: Image::default(), given: None };
    }

    pub fn resize(&mut self, bytes: u64) {
        self.size = Size::Known(bytes);
    }

    /// The file is at least so large.
    pub fn reach(&mut self, bytes: u64) {
        if let Size::Known(size) = &mut self.size {
            *size = (*size).max(bytes);
        }
    }

    /// Nobody knows what was written where.
    pub fn lose(&mut self) {
        *self = Self { exists: Some(true), size: Size::Unknown, image: Image::default(), given: None };
    }

    pub fn write(&mut self, begin: u64, bytes: u64, payload: Option<&Payload>, model: DataModel) {
        self.image.write(begin, bytes, payload, model);
        self.image.take_changes(model);
        self.reach(begin.saturating_add(bytes));
    }

    pub fn read(&self, begin: u64, bytes: u64, model: DataModel) -> Payload {
        let written = self.image.read(begin, bytes, model);
        match &self.given {
            Some(given) if written.items.is_empty() => Payload { items: original(given, begin, bytes) },
            _ => written,
        }
    }

    /// Bytes that are there of so many from `begin` on.
    pub fn available(&self, begin: u64, bytes: u64) -> u64 {
        match self.size {
            Size::Known(size) => size.saturating_sub(begin).min(bytes),
            Size::Unknown => bytes,
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
