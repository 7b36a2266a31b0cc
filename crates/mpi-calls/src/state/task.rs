//! What one task has made, and the call that it is in.

use crate::data::buffer::Data;
use crate::state::attributes::{AttributeKey, AttributeOwner, Info};
use crate::state::delivery::EnteredCollective;
use crate::state::files::open_file::OpenFile;
use crate::state::handle_table::{DatatypeId, FileId, GroupId, HandleTable, InfoId, KeyId, OperationId, ProbedId};
use crate::state::pending::Current;
use crate::state::repeats::History;
use crate::state::requests::Request;
use chronos_activity::{CommId, RequestId, TaskId};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_mpi::{Datatype, Group};
use chronos_values::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Before,
    Active,
    Finalized,
}

/// What one task has made and what it waits for.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskState {
    pub phase: Phase,
    /// What `MPI_Init_thread` was asked for, where that is known.
    pub thread_level: Option<i64>,
    pub requests: HandleTable<RequestId, Request>,
    pub datatypes: HandleTable<DatatypeId, OwnType>,
    pub groups: HandleTable<GroupId, Group>,
    /// Messages that a matched probe has found.
    pub matched: HandleTable<ProbedId, Matched>,
    /// Reduction operations of the program.
    pub operations: HandleTable<OperationId, OwnOperation>,
    /// Keys of attributes, and the attributes of what the task knows.
    pub keys: HandleTable<KeyId, AttributeKey>,
    pub attributes: BTreeMap<(AttributeOwner, KeyId), Value>,
    pub files: HandleTable<FileId, OpenFile>,
    pub infos: HandleTable<InfoId, Info>,
    pub(crate) freed_comms: FxHashSet<CommId>,
    pub(crate) comm_names: FxHashMap<CommId, String>,
    /// Windows that it is a member of.
    pub windows: Vec<CommId>,
    /// The buffer for buffered sends.
    pub attached: Option<AttachedBuffer>,
    pub sent: u64,
    /// Messages that were received, and those of repeats.
    pub sent_history: History<Data>,
    /// Reductions by functions of the program that are complete but for the calls of these.
    pub folds: Vec<EnteredCollective>,
    pub(crate) current: Option<Current>,
}

#[derive(Clone, Debug)]
pub(crate) struct OwnType {
    pub datatype: Arc<Datatype>,
    pub commitment: Commitment,
    pub name: String,
}

/// What a probe has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matched {
    pub(crate) comm: CommId,
    pub(crate) from: TaskId,
    pub(crate) tag: i32,
}

/// A reduction operation that the program has made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnOperation {
    pub function: Value,
    pub commutes: bool,
}

/// A datatype that a handle names.
#[derive(Clone, Debug)]
pub(crate) struct NamedDatatype {
    pub datatype: Arc<Datatype>,
    pub commitment: Commitment,
}

/// Whether a datatype may be used in communication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commitment {
    None,
    /// Its extent was changed of one that is committed, as which Open MPI takes it then, and MPICH does not.
    OfOld,
    Own,
}

/// The buffer that `MPI_Buffer_attach` gives MPI, as it was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttachedBuffer {
    pub address: Value,
    pub size: Value,
}
