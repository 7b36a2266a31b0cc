//! Info objects: pairs of strings, in the order in which their keys were set.

use crate::call::{Call, Called, DONE, Refusal};
use crate::interface::calls::Action;
use crate::state::attributes::Info;
use crate::state::handle_table::{Handle, InfoId};
use chronos_base::ids::Id;
use chronos_mpi::handles;
use chronos_values::Value;

/// Room of the bundled header, the end of the string included.
const MAX_KEY: usize = 255;

/// Error class of the bundled header.
const ERR_INFO_NOKEY: i64 = 32;

impl Call<'_> {
    fn info(&mut self, argument: usize) -> Result<&mut Info, Refusal> {
        let handle = self.int(argument)?;
        let refusal = self.bad_handle(argument, "no info object of this task");
        let infos = &mut self.mpi.tasks[self.task.index()].infos;
        InfoId::from_handle(handle).and_then(|id| infos.get_mut(id)).ok_or(refusal)
    }

    /// A string that must be known.
    fn text(&mut self, argument: usize) -> Result<String, Refusal> {
        let text = self.address(argument).and_then(|pointer| self.env.string(pointer));
        match (text, self.unsupported()) {
            (Some(text), _) => Ok(text),
            (None, Value::Unknown(reason)) => Err(Refusal::Unknown { argument, reason }),
            (None, _) => Err(self.bad_argument(argument, "is no string")),
        }
    }

    fn value_of(&mut self, info: usize, key: usize) -> Result<Option<String>, Refusal> {
        let key = self.text(key)?;
        Ok(self.info(info)?.iter().find(|(other, _)| *other == key).map(|(_, value)| value.clone()))
    }

    fn store_info(&mut self, argument: usize, info: Info) -> Called {
        let id = self.mpi.task(self.task).infos.insert(info);
        self.store_int(argument, id.handle());
        DONE
    }
}

/// Stores the handle of a new, empty one.
pub(crate) fn create_at(call: &mut Call<'_>, argument: usize) -> Called {
    call.store_info(argument, Info::new())
}

/// `MPI_Info_create(info)`.
pub(crate) fn create(call: &mut Call<'_>) -> Called {
    create_at(call, 0)
}

/// `MPI_Info_dup(info, new)`.
pub(crate) fn dup(call: &mut Call<'_>) -> Called {
    let copy = call.info(0)?.clone();
    call.store_info(1, copy)
}

/// `MPI_Info_free(info)`.
pub(crate) fn free(call: &mut Call<'_>) -> Called {
    let handle = call.element(0, 0)?;
    let removed = InfoId::from_handle(handle).and_then(|id| call.mpi.task(call.task).infos.remove(id));
    if removed.is_none() {
        return Err(call.bad_handle(0, "no info object of this task"));
    }
    call.store_int(0, handles::NULL);
    DONE
}

/// `MPI_Info_set(info, key, value)`: values that are not known are empty, since nothing here depends on them.
pub(crate) fn set(call: &mut Call<'_>) -> Called {
    let key = call.text(1)?;
    let value = call.address(2).and_then(|pointer| call.env.string(pointer)).unwrap_or_default();
    let info = call.info(0)?;
    match info.iter_mut().find(|(other, _)| *other == key) {
        Some(entry) => entry.1 = value,
        None => info.push((key, value)),
    }
    DONE
}

/// `MPI_Info_delete(info, key)`.
pub(crate) fn delete(call: &mut Call<'_>) -> Called {
    let key = call.text(1)?;
    let info = call.info(0)?;
    let before = info.len();
    info.retain(|(other, _)| *other != key);
    if info.len() == before {
        return Ok(Action::Return(Value::Int(ERR_INFO_NOKEY)));
    }
    DONE
}

/// `MPI_Info_get(info, key, room, value, flag)`; the room is without the end of the string.
pub(crate) fn get(call: &mut Call<'_>) -> Called {
    let (value, room) = (call.value_of(0, 1)?, call.length(2)?);
    call.store_int(4, i64::from(value.is_some()));
    if let Some(value) = value {
        call.store_string(3, &value, room + 1);
    }
    DONE
}

/// `MPI_Info_get_string(info, key, room, value, flag)`; the room is with the end of the string.
pub(crate) fn get_string(call: &mut Call<'_>) -> Called {
    let value = call.value_of(0, 1)?;
    let room = call.element(2, 0)?;
    call.store_int(4, i64::from(value.is_some()));
    if let Some(value) = value {
        let room = usize::try_from(room).unwrap_or(0);
        if room > 0 {
            call.store_string(3, &value, room);
        }
        call.store_int(2, i64::try_from(value.len() + 1).unwrap_or(i64::MAX));
    }
    DONE
}

/// `MPI_Info_get_valuelen(info, key, length, flag)`.
pub(crate) fn get_valuelen(call: &mut Call<'_>) -> Called {
    let value = call.value_of(0, 1)?;
    call.store_int(3, i64::from(value.is_some()));
    if let Some(value) = value {
        call.store_length(2, &value);
    }
    DONE
}

/// `MPI_Info_get_nkeys(info, keys)`.
pub(crate) fn get_nkeys(call: &mut Call<'_>) -> Called {
    let keys = call.info(0)?.len();
    call.store_int(1, i64::try_from(keys).unwrap_or(i64::MAX));
    DONE
}

/// `MPI_Info_get_nthkey(info, n, key)`.
pub(crate) fn get_nthkey(call: &mut Call<'_>) -> Called {
    let n = call.length(1)?;
    let key = call.info(0)?.get(n).map(|(key, _)| key.clone());
    let Some(key) = key else { return Err(call.bad_argument(1, "is not below the number of keys")) };
    call.store_string(2, &key, MAX_KEY);
    DONE
}
