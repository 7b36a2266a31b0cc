//! Accesses to files whose events are under way.

use crate::data::buffer::{Buffer, Data};
use crate::state::delivery::Joined;
use crate::state::status::{Output, Status};

/// What a function does, as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TransferForm {
    pub(crate) write: bool,
    /// The request's argument is the last one.
    pub(crate) immediate: bool,
    /// At an offset that is given, behind the file.
    pub(crate) at: bool,
    pub(crate) pointer: FilePointer,
    pub(crate) together: bool,
    pub(crate) phase: TransferPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilePointer {
    Own,
    Shared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransferPhase {
    Whole,
    Begin,
    End,
}

/// An access whose event is under way.
#[derive(Clone, Debug)]
pub(crate) struct FileAccess {
    pub(crate) slot: usize,
    pub(crate) form: TransferForm,
    /// In elementary types; `None`: where the pointer stands when the access is performed.
    pub(crate) offset: Option<u64>,
    pub(crate) buffer: Buffer,
    /// What is written.
    pub(crate) data: Option<Data>,
    pub(crate) status: Output,
    /// The request of an immediate form.
    pub(crate) request: Option<usize>,
    pub(crate) joined: Option<Box<Joined>>,
}

/// A split collective that was begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitCollective {
    pub(crate) status: Status,
    pub(crate) write: bool,
}
