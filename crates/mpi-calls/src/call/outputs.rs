//! Results that a call stores to the memory of its task.

use crate::call::Call;
use crate::data::buffer::moved;
use crate::state::status::BYTES;
use crate::state::status::CANCELLED;
use crate::state::status::ERROR;
use crate::state::status::SOURCE;
use crate::state::status::TAG;
use crate::state::status::{Output, Status, size};
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::Value;

impl Call<'_> {
    /// Stores an `int` through an output argument.
    pub(crate) fn store_int(&mut self, argument: usize, value: i64) {
        self.store(argument, ScalarType::I32, Value::Int(value));
    }

    /// Stores through an output argument; an unknown address loses the write, a null one is ignored.
    pub fn store(&mut self, argument: usize, ty: ScalarType, value: Value) {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => self.env.store(pointer, ty, value),
            Value::Unknown(reason) => self.env.lost_write(reason),
            _ => {}
        }
    }

    /// Stores `int`s one after the other through an output argument.
    pub fn store_ints(&mut self, argument: usize, values: &[i64]) {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => {
                for (index, &value) in values.iter().enumerate() {
                    self.env.store(self.nth(pointer, index, ScalarType::I32), ScalarType::I32, Value::Int(value));
                }
            }
            Value::Unknown(reason) => self.env.lost_write(reason),
            _ => {}
        }
    }

    /// Stores a string with its terminating zero, cut to `room` bytes.
    pub(crate) fn store_string(&mut self, argument: usize, text: &str, room: usize) {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => {
                let bytes = text.bytes().take(room.saturating_sub(1)).chain([0]);
                for (index, byte) in bytes.enumerate() {
                    let place = self.nth(pointer, index, ScalarType::I8);
                    self.env.store(place, ScalarType::I8, Value::Int(i64::from(byte.cast_signed())));
                }
            }
            Value::Unknown(reason) => self.env.lost_write(reason),
            _ => {}
        }
    }

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

    /// Writes the `index`th status of an array; `MPI_ERROR` is set where the call gives several.
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
}
