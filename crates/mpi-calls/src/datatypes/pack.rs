//! Packing and unpacking by hand.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::data::buffer::{Buffer, moved};
use chronos_ir::ScalarType;
use chronos_mpi::{Datatype, Predefined};
use std::sync::Arc;

impl Call<'_> {
    /// `bytes` of packed data at the position that an argument points to; moves the position on.
    fn packed(&mut self, base: usize, room: usize, position: usize, bytes: u64) -> Result<Buffer, Refusal> {
        let at = self.element(position, 0)?;
        let (begin, room) = (self.not_negative(position, at)?, self.count(room)?);
        let end = begin.saturating_add(bytes);
        if end > room {
            let message = format!("{} needs {end} bytes of a packed buffer of {room}", self.name());
            return Err(self.wrong(&codes::TRUNCATION, message, "make the packed buffer larger (MPI_Pack_size)"));
        }
        self.store(position, ScalarType::I32, chronos_values::Value::Int(i64::try_from(end).unwrap_or(i64::MAX)));
        let datatype = Arc::new(Datatype::predefined(Predefined::Packed, self.model()));
        Ok(Buffer {
            address: self.address(base).map(|p| moved(p, at)),
            count: bytes,
            datatype,
            form: self.form(),
            vague: self.vague,
            site: self.site,
        })
    }

    fn copy(&mut self, from: &Buffer, to: &Buffer) -> Called {
        let data = from.data(self.env, self.model());
        self.write(to, &data);
        DONE
    }
}

/// `MPI_Pack(in, count, type, out, size, position, comm)`.
pub(crate) fn pack(call: &mut Call<'_>) -> Called {
    let from = call.buffer(0)?;
    let to = call.packed(3, 4, 5, from.bytes())?;
    call.copy(&from, &to)
}

/// `MPI_Unpack(in, size, position, out, count, type, comm)`.
pub(crate) fn unpack(call: &mut Call<'_>) -> Called {
    let to = call.buffer(3)?;
    let from = call.packed(0, 1, 2, to.bytes())?;
    call.copy(&from, &to)
}

/// `MPI_Pack_size(count, type, comm, size)`.
pub(crate) fn pack_size(call: &mut Call<'_>) -> Called {
    let (count, datatype) = (call.count(0)?, call.datatype(1)?);
    let bytes = datatype.message_size.saturating_mul(count);
    call.store_int(3, i64::try_from(bytes).unwrap_or(i64::MAX));
    DONE
}
