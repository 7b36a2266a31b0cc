//! Statuses in a task's memory, and the calls that read them.

use crate::call::{Call, Called, DONE};
use crate::data::buffer::moved;
use crate::state::status::BYTES;
use crate::state::status::CANCELLED;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::Value;

impl Call<'_> {
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
pub(crate) fn get_count(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(1)?;
    call.put_count(|bytes| match (bytes, datatype.message_size) {
        (0, _) => 0,
        (_, 0) => handles::UNDEFINED,
        (bytes, size) if bytes % size == 0 => i64::try_from(bytes / size).unwrap_or(handles::UNDEFINED),
        _ => handles::UNDEFINED,
    })
}

/// `MPI_Get_elements(status, datatype, count)`.
pub(crate) fn get_elements(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(1)?;
    call.put_count(|bytes| i64::try_from(datatype.elements_in(bytes)).unwrap_or(handles::UNDEFINED))
}

/// `MPI_Test_cancelled(status, flag)`.
pub(crate) fn test_cancelled(call: &mut Call<'_>) -> Called {
    let status = call.array(0)?;
    let flag = call.env.load(moved(status, CANCELLED), ScalarType::I32);
    call.store(1, ScalarType::I32, flag);
    DONE
}
