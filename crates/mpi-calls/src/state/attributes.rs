//! Keys of attributes, what has attributes, and info objects.

use chronos_activity::CommId;
use chronos_values::Value;

/// A key of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttributeKey {
    pub(crate) copy: Value,
    pub(crate) delete: Value,
    pub(crate) extra: Value,
}

/// What has attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AttributeOwner {
    /// Of a communicator or window.
    Comm(CommId),
    /// Of a datatype, by its handle.
    Type(i64),
}

/// Keys with values.
pub(crate) type Info = Vec<(String, String)>;
