//! Statuses in a task's memory, and the calls that read them.

use super::buffer::moved;
use super::call::{Call, Called, DONE};
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi::handles;
use chronos_values::{Pointer, ReasonId, Value};

/// What a status says; ranks as in the communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status {
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
    /// Of receives from MPI_PROC_NULL.
    pub(crate) const NULL_PEER: Self = Self { source: handles::PROC_NULL, ..Self::EMPTY };
    pub(crate) const CANCELLED: Self = Self { cancelled: true, ..Self::EMPTY };
}

/// Where the fields of the header's `MPI_Status` stand.
const SOURCE: i64 = 0;
const TAG: i64 = 4;
const ERROR: i64 = 8;
const CANCELLED: i64 = 12;
const BYTES: i64 = 16;

/// Bytes of one status in memory.
pub(super) fn size(model: DataModel) -> i64 {
    match model {
        DataModel::Lp64 => 24,
        DataModel::Ilp32 => 20,
    }
}

/// Where something is to be stored later in the call; `None`: it is not wanted.
pub(super) type Output = Option<Pointer>;

impl Call<'_> {
    /// An output argument that is stored to when the call ends.
    pub fn output(&mut self, argument: usize) -> Output {
        if let Value::Unknown(reason) = self.env.argument(argument) {
            self.env.lost_write(reason);
        }
        self.address(argument)
    }

    pub(crate) fn put_int(&mut self, place: Output, value: i64) {
        if let Some(pointer) = place {
            self.env.store(pointer, ScalarType::I32, Value::Int(value));
        }
    }

    /// Writes the `index`th status of an array; MPI_ERROR is set where the call gives several.
    pub(crate) fn put_status(&mut self, place: Output, index: usize, status: Status) {
        let Some(first) = place else { return };
        let offset = size(self.model()).saturating_mul(i64::try_from(index).unwrap_or(i64::MAX));
        let at = |field: i64| moved(first, offset.saturating_add(field));
        let fields = [
            (SOURCE, status.source),
            (TAG, status.tag),
            (ERROR, handles::SUCCESS),
            (CANCELLED, i64::from(status.cancelled)),
        ];
        for (field, value) in fields {
            self.env.store(at(field), ScalarType::I32, Value::Int(value));
        }
        let bytes = Value::Int(i64::try_from(status.bytes).unwrap_or(i64::MAX));
        let bytes = status.vague.map_or(bytes, Value::Unknown);
        self.env.store(at(BYTES), self.aint(), bytes);
    }

    fn status_bytes(&mut self) -> Value {
        match self.address(0) {
            Some(status) => self.env.load(moved(status, BYTES), self.aint()),
            None => self.env.argument(0),
        }
    }

    /// Stores what `count` makes of the bytes in the status, or what is unknown about them.
    fn put_count(&mut self, count: impl FnOnce(u64) -> i64) -> Called {
        let value = match self.status_bytes() {
            Value::Int(bytes) => Value::Int(count(u64::try_from(bytes).unwrap_or(0))),
            unknown => unknown,
        };
        self.store(2, ScalarType::I32, value);
        DONE
    }
}

/// `MPI_Get_count(status, datatype, count)`.
pub(super) fn get_count(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(1)?;
    call.put_count(|bytes| match (bytes, datatype.message_size) {
        (0, _) => 0,
        (_, 0) => handles::UNDEFINED,
        (bytes, size) if bytes % size == 0 => i64::try_from(bytes / size).unwrap_or(handles::UNDEFINED),
        _ => handles::UNDEFINED,
    })
}

/// `MPI_Get_elements(status, datatype, count)`.
pub(super) fn get_elements(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(1)?;
    call.put_count(|bytes| i64::try_from(datatype.elements_in(bytes)).unwrap_or(handles::UNDEFINED))
}

/// `MPI_Test_cancelled(status, flag)`.
pub(super) fn test_cancelled(call: &mut Call<'_>) -> Called {
    let status = call.array(0)?;
    let flag = call.env.load(moved(status, CANCELLED), ScalarType::I32);
    call.store(1, ScalarType::I32, flag);
    DONE
}
