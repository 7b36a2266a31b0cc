//! Files that a task has open.

use crate::state::files::access::SplitCollective;
use crate::state::files::view::View;
use chronos_activity::CommId;
use std::sync::Arc;

/// A file that a task has open.
#[derive(Clone, Debug)]
pub(crate) struct OpenFile {
    pub name: Arc<str>,
    pub comm: CommId,
    pub(crate) mode: i64,
    pub view: View,
    /// In elementary types of the view.
    pub position: u64,
    pub(crate) atomic: bool,
    /// A split collective that was begun.
    pub split: Option<SplitCollective>,
}
