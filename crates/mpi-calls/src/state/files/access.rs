//! Accesses to files whose events are under way.

use crate::data::buffer::{Buffer, Data};
use crate::state::delivery::EnteredCollective;
use crate::state::handle_table::FileId;
use crate::state::status::{Output, Status};
use chronos_activity::RequestId;
use chronos_functions::FileTransfer;

/// An access whose event is under way.
#[derive(Clone, Debug)]
pub(crate) struct FileAccess {
    pub(crate) file: FileId,
    pub(crate) form: FileTransfer,
    /// In elementary types; `None`: where the pointer stands when the access is performed.
    pub(crate) offset: Option<u64>,
    pub(crate) buffer: Buffer,
    /// What is written.
    pub(crate) data: Option<Data>,
    pub(crate) status: Output,
    /// The request of an immediate form.
    pub(crate) request: Option<RequestId>,
    pub(crate) joined: Option<Box<EnteredCollective>>,
}

/// A split collective that was begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitCollective {
    pub(crate) status: Status,
    pub(crate) write: bool,
}
