//! State of the C library of a task: streams, locale, strtok, getopt.

use crate::state::memory::Memory;
use chronos_values::storage::Fill;
use chronos_values::{ObjectId, Origin, Pointer, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Behind standard input, output and error.
const FIRST_DESCRIPTOR: i64 = 3;

/// Library state of a task: open files, strtok, getopt, errno.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    pub(crate) files: Vec<(ObjectId, OpenStream)>,
    /// Standard input, output and error, which `freopen` may lead elsewhere.
    pub(crate) standard: [Option<ObjectId>; 3],
    /// Files that are open by their descriptors.
    descriptors: BTreeMap<i64, ObjectId>,
    /// Where `strtok` goes on: null where it has come to an end.
    pub token: Option<Value>,
    /// The locale is that of the environment, or one that is not known.
    pub(crate) foreign_locale: Option<ForeignLocale>,
    pub(crate) option_index: i64,
    pub(crate) option_position: usize,
    /// Of ctype.h: classes, lower case, upper case.
    pub tables: [Option<ObjectId>; 3],
    /// Where getopt's arguments that are no options begin, and where those seen end.
    pub operands: (i64, i64),
}

/// A locale other than "C".
#[derive(Clone, Copy, Debug)]
pub(crate) enum ForeignLocale {
    /// That of the environment, taken to be "C".
    Environment,
    /// One that the program names.
    Named(Value),
}

#[derive(Clone, Debug)]
pub(crate) struct OpenStream {
    pub(crate) name: Arc<str>,
    /// Of a file: by which the program opened it.
    pub(crate) path: Option<Arc<str>>,
    /// `None`: content that was not given.
    pub(crate) content: Option<Arc<[u8]>>,
    /// Text is made for it, under this name.
    pub(crate) template: Option<Arc<str>>,
    pub(crate) at: usize,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) ended: bool,
}

impl Streams {
    /// The stream of standard input (0), output (1) or error (2).
    pub fn standard(&mut self, memory: &mut Memory, number: usize) -> Value {
        const NAMES: [&str; 3] = ["standard input", "standard output", "standard error"];
        let name = NAMES[number.min(2)];
        if let Some(object) = self.standard[number.min(2)] {
            return Value::Pointer(Pointer { object, offset: 0 });
        }
        let object = memory.allocate(216, Origin::Environment, Fill::Zero);
        let stream = OpenStream {
            name: name.into(),
            path: None,
            content: None,
            template: None,
            at: 0,
            reads: number == 0,
            writes: number > 0,
            ended: false,
        };
        self.files.push((object, stream));
        self.standard[number.min(2)] = Some(object);
        Value::Pointer(Pointer { object, offset: 0 })
    }

    /// A descriptor for an open file: the lowest one that is free behind those of the standard streams, as POSIX has it.
    pub(crate) fn describe(&mut self, object: ObjectId) -> i64 {
        let last = FIRST_DESCRIPTOR + self.descriptors.len() as i64;
        let number = (FIRST_DESCRIPTOR..last).find(|number| !self.descriptors.contains_key(number)).unwrap_or(last);
        self.descriptors.insert(number, object);
        number
    }

    pub(crate) fn described(&self, descriptor: i64) -> Option<ObjectId> {
        self.descriptors.get(&descriptor).copied()
    }

    pub(crate) fn close_descriptor(&mut self, descriptor: i64) {
        if let Some(closed) = self.descriptors.remove(&descriptor) {
            self.files.retain(|(object, _)| *object != closed);
        }
    }

    pub(crate) fn get(&mut self, object: ObjectId) -> Option<&mut OpenStream> {
        self.files.iter_mut().find(|(id, _)| *id == object).map(|(_, stream)| stream)
    }
}

impl OpenStream {
    /// From now on nobody knows what comes from it.
    pub fn lose(&mut self, by: &str) {
        (self.content, self.template, self.at) = (None, None, 0);
        self.name = format!("{}, which {by} changed", self.name).into();
    }
}
