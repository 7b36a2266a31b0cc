//! Statuses, and where the header's `MPI_Status` has their fields.

use chronos_ir::DataModel;
use chronos_mpi::handles;
use chronos_values::{Pointer, ReasonId};

/// What a status says; ranks as in the communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub source: i64,
    pub tag: i64,
    pub bytes: u64,
    /// Why nobody knows the bytes, where nobody does.
    pub vague: Option<ReasonId>,
    pub cancelled: bool,
}

impl Status {
    /// Of sends, of null and of inactive requests.
    pub const EMPTY: Self =
        Self { source: handles::ANY_SOURCE, tag: handles::ANY_TAG, bytes: 0, vague: None, cancelled: false };
    /// Of receives from `MPI_PROC_NULL`.
    pub(crate) const NULL_PEER: Self = Self { source: handles::PROC_NULL, ..Self::EMPTY };
    pub(crate) const CANCELLED: Self = Self { cancelled: true, ..Self::EMPTY };
}

/// Where the fields of the header's `MPI_Status` stand.
pub(crate) const SOURCE: i64 = 0;
pub(crate) const TAG: i64 = 4;
pub(crate) const ERROR: i64 = 8;
pub(crate) const CANCELLED: i64 = 12;
pub(crate) const BYTES: i64 = 16;

/// Bytes of one status in memory.
pub(crate) fn size(model: DataModel) -> i64 {
    match model {
        DataModel::Lp64 | DataModel::Aarch64 => 24,
        DataModel::Ilp32 => 20,
    }
}

/// Where something is to be stored later in the call; `None`: it is not wanted.
pub(crate) type Output = Option<Pointer>;
