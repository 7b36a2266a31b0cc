//! Sizes, extents and names of datatypes, and addresses.

use crate::call::{Call, Called, DONE};
use crate::data::buffer::moved;
use crate::interface::calls::Action;
use crate::state::handle_table::{DatatypeId, Handle};
use crate::state::task::OwnType;
use chronos_mpi::{Predefined, handles};
use chronos_values::{Distance, Value};

impl Call<'_> {
    /// The entry of a derived type; `None` for predefined ones.
    pub(crate) fn own_type(&mut self, handle: i64) -> Option<&mut OwnType> {
        let id = DatatypeId::from_handle(handle)?;
        self.mpi.task(self.task).datatypes.get_mut(id)
    }

    fn store_aint(&mut self, argument: usize, value: i64) {
        let ty = self.aint();
        self.store(argument, ty, Value::Int(value));
    }
}

/// `MPI_Type_size(type, size)`.
pub(crate) fn size(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(0)?;
    call.store_int(1, i64::try_from(datatype.size).unwrap_or(handles::UNDEFINED));
    DONE
}

/// `MPI_Type_size_x(type, size)`.
pub(crate) fn size_x(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(0)?;
    call.store_aint(1, i64::try_from(datatype.size).unwrap_or(handles::UNDEFINED));
    DONE
}

/// `MPI_Type_extent(type, extent)`.
pub(crate) fn extent(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(0)?;
    call.store_aint(1, datatype.extent());
    DONE
}

/// `MPI_Type_lb(type, displacement)`.
pub(crate) fn lower(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(0)?;
    call.store_aint(1, datatype.lower);
    DONE
}

/// `MPI_Type_ub(type, displacement)`.
pub(crate) fn upper(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(0)?;
    call.store_aint(1, datatype.upper);
    DONE
}

/// `MPI_Type_get_extent(type, lower, extent)`.
pub(crate) fn get_extent(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(0)?;
    call.store_aint(1, datatype.lower);
    call.store_aint(2, datatype.extent());
    DONE
}

/// `MPI_Type_get_true_extent(type, lower, extent)`.
pub(crate) fn get_true_extent(call: &mut Call<'_>) -> Called {
    let datatype = call.datatype(0)?;
    call.store_aint(1, datatype.true_lower);
    call.store_aint(2, datatype.true_upper.saturating_sub(datatype.true_lower));
    DONE
}

/// `MPI_Type_set_name(type, name)`.
pub(crate) fn set_name(call: &mut Call<'_>) -> Called {
    let handle = call.int(0)?;
    call.named_datatype(0, handle)?;
    let name = call.address(1).and_then(|pointer| call.env.string(pointer)).unwrap_or_default();
    if let Some(own) = call.own_type(handle) {
        own.name = name;
    }
    DONE
}

/// `MPI_Type_get_name(type, name, length)`.
pub(crate) fn get_name(call: &mut Call<'_>) -> Called {
    let handle = call.int(0)?;
    call.named_datatype(0, handle)?;
    let name = match Predefined::from_handle(handle) {
        Some(predefined) => predefined.name().to_owned(),
        None => call.own_type(handle).map(|own| own.name.clone()).unwrap_or_default(),
    };
    call.store_string(1, &name, handles::MAX_OBJECT_NAME);
    call.store_length(2, &name);
    DONE
}

/// `MPI_Get_address(location, address)`: the pointer itself, of which differences can be taken.
pub(crate) fn get_address(call: &mut Call<'_>) -> Called {
    let (location, aint) = (call.env.argument(0), call.aint());
    call.store(1, aint, location);
    DONE
}

/// `MPI_Aint_add(base, displacement)`.
pub(crate) fn aint_add(call: &mut Call<'_>) -> Called {
    let sum = match (call.env.argument(0), call.env.argument(1)) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_add(b)),
        (Value::Pointer(p), Value::Int(by)) => Value::Pointer(moved(p, by)),
        (Value::Pointer(p), Value::Distance(by)) => by.added_to(p).map_or_else(|| call.unsupported(), Value::Pointer),
        (lost @ Value::Unknown(_), _) | (_, lost) if lost.is_unknown() => lost,
        _ => call.unsupported(),
    };
    Ok(Action::Return(sum))
}

/// `MPI_Aint_diff(a, b)`.
pub(crate) fn aint_diff(call: &mut Call<'_>) -> Called {
    let difference = match (call.env.argument(0), call.env.argument(1)) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_sub(b)),
        (Value::Pointer(a), Value::Pointer(b)) if a.object == b.object => Value::Int(a.offset.wrapping_sub(b.offset)),
        (Value::Pointer(a), Value::Pointer(b)) => {
            Distance::between(a, b).map_or_else(|| call.unsupported(), Value::Distance)
        }
        (lost @ Value::Unknown(_), _) | (_, lost) if lost.is_unknown() => lost,
        _ => call.unsupported(),
    };
    Ok(Action::Return(difference))
}
