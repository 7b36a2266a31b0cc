//! Files: opening, closing, positions, views.
//!
//! Files live in memory, by name: what is written with known content is read back, sizes are followed. A file that was
//! given to the prediction has its own content; one that was neither given nor created has an unknown size and
//! unknown content. Every access takes its time at the file system, which all tasks share.

use crate::call::{Call, Called, DONE, Refusal};
use crate::collectives::plan::{AGREEMENT_BYTES, NOTHING_MADE, Plan, blocking};
use crate::environment::info;
use crate::interface::calls::Action;
use crate::interface::file_names::normalized_file_name;
use crate::state::files::content::{FileContent, FileSize};
use crate::state::files::open_file::OpenFile;
use crate::state::files::view::View;
use crate::state::handle_table::{FileId, Handle};
use crate::state::pending::Pending;
use chronos_activity::{CollectiveKind, CommId, Operation};
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::{Reason, ReasonKind, Value};
use std::sync::Arc;

/// Modes of the bundled header.
const CREATE: i64 = 1;
const WRITE_ONLY: i64 = 4;
const READ_WRITE: i64 = 8;
const DELETE_ON_CLOSE: i64 = 16;
const EXCL: i64 = 64;
const APPEND: i64 = 128;
const SEEK_SET: i64 = 600;
const SEEK_CUR: i64 = 602;
const SEEK_END: i64 = 604;

/// Error classes of the bundled header: errors of files are returned to the program.
const ERR_FILE_EXISTS: i64 = 28;
const ERR_NO_SUCH_FILE: i64 = 42;

impl Call<'_> {
    /// The file behind a handle, and its place in the table.
    pub fn file(&mut self, argument: usize) -> Result<(FileId, OpenFile), Refusal> {
        let handle = self.int(argument)?;
        let files = &self.mpi.tasks[self.task.index()].files;
        let found = FileId::from_handle(handle).and_then(|id| Some((id, files.get(id)?.clone())));
        let what = if handle == handles::NULL { "MPI_FILE_NULL" } else { "no file of this task" };
        found.ok_or_else(|| self.bad_handle(argument, what))
    }

    pub(crate) fn change_file(&mut self, id: FileId, change: impl FnOnce(&mut OpenFile)) {
        if let Some(file) = self.mpi.task(self.task).files.get_mut(id) {
            change(file);
        }
    }

    /// The name of a file; the call cannot be followed without it.
    fn file_name(&mut self, argument: usize) -> Result<Arc<str>, Refusal> {
        let name = self.address(argument).and_then(|pointer| self.env.string(pointer));
        match name {
            Some(name) => Ok(normalized_file_name(&name).into()),
            None => {
                let kind = ReasonKind::Input("the name of a file".into());
                let reason = self.env.intern_reason(Reason { kind, span: Some(self.span), origin: None });
                Err(Refusal::Unknown { argument, reason })
            }
        }
    }

    pub(crate) fn content(&mut self, name: &Arc<str>) -> &mut FileContent {
        let is_changed = self.env.take_file_change(name);
        let (env, span) = (&mut self.env, self.span);
        let files = &mut self.mpi.disk.files;
        let content = files.entry(name.clone()).or_insert_with(|| FileContent::of(env.file(name, span)));
        if is_changed {
            content.forget();
        }
        content
    }

    /// Whether all others that have the file open have closed it: before, they may still read.
    fn closes_last(&mut self, file: &OpenFile) -> bool {
        let members = self.mpi.members(file.comm).size();
        let key = (file.comm, file.name.clone());
        let closed = self.mpi.disk.closed.entry(key.clone()).or_default();
        *closed += 1;
        let is_last = *closed >= members;
        if is_last {
            self.mpi.disk.closed.remove(&key);
        }
        is_last
    }

    /// The size of a file as a value.
    fn size_value(&mut self, name: &Arc<str>) -> Value {
        match self.content(name).size {
            FileSize::Known(bytes) => Value::Int(i64::try_from(bytes).unwrap_or(i64::MAX)),
            FileSize::Unknown => {
                let kind = ReasonKind::Input(name.clone());
                Value::Unknown(self.env.intern_reason(Reason { kind, span: Some(self.span), origin: None }))
            }
        }
    }

    fn store_offset(&mut self, argument: usize, value: u64) {
        self.store(argument, ScalarType::I64, Value::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    }
}

fn code(code: i64) -> Called {
    Ok(Action::Return(Value::Int(code)))
}

/// `MPI_File_open(comm, name, mode, info, file)`: collective.
pub(crate) fn open(call: &mut Call<'_>) -> Called {
    let comm = call.intracomm(0)?;
    let (name, mode) = (call.file_name(1)?, call.int(2)?);
    let exists = call.content(&name).exists;
    if mode & EXCL != 0 && exists == Some(true) && call.own_rank(comm) == 0 {
        return code(ERR_FILE_EXISTS);
    }
    if mode & CREATE == 0 && exists == Some(false) {
        return code(ERR_NO_SUCH_FILE);
    }
    if mode & CREATE != 0 && exists != Some(true) {
        call.content(&name).create();
    }
    let size = call.content(&name).size;
    let position = match size {
        FileSize::Known(bytes) if mode & APPEND != 0 => bytes,
        _ => 0,
    };
    if mode & (WRITE_ONLY | READ_WRITE) != 0 {
        call.env.changes_file(&name, false);
    }
    let view = View::bytes(call.model());
    let file = OpenFile { name, comm, mode, view, position, atomic: false, split: None };
    let id = call.mpi.task(call.task).files.insert(file);
    call.store_int(4, id.handle());
    reaching(call, comm, AGREEMENT_BYTES)
}

/// An agreement of all who have the file open, and a request to the file system.
fn reaching(call: &mut Call<'_>, comm: CommId, bytes: u64) -> Called {
    let (collective, joined) = call.join(Plan::new(CollectiveKind::Agreement, comm, bytes))?;
    let storage = Operation::Storage { bytes: Bytes(0), write: false, request: None };
    call.then(vec![Operation::Collective(collective), storage], Pending::Collective(Box::new(joined)))
}

/// `MPI_File_close(file)`: collective.
pub(crate) fn close(call: &mut Call<'_>) -> Called {
    let handle = call.element(0, 0)?;
    let removed = FileId::from_handle(handle).and_then(|id| call.mpi.task(call.task).files.remove(id));
    let Some(file) = removed else { return Err(call.bad_handle(0, "no file of this task")) };
    call.store_int(0, handles::NULL);
    if file.mode & DELETE_ON_CLOSE != 0 && call.closes_last(&file) {
        call.content(&file.name).delete();
        call.env.changes_file(&file.name, true);
    }
    reaching(call, file.comm, NOTHING_MADE)
}

/// `MPI_File_delete(name, info)`.
pub(crate) fn delete(call: &mut Call<'_>) -> Called {
    let name = call.file_name(0)?;
    if call.content(&name).exists == Some(false) {
        return code(ERR_NO_SUCH_FILE);
    }
    call.content(&name).delete();
    call.env.changes_file(&name, true);
    let storage = Operation::Storage { bytes: Bytes(0), write: true, request: None };
    call.then(vec![storage], Pending::Done)
}

/// `MPI_File_get_size(file, size)`.
pub(crate) fn get_size(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    let size = call.size_value(&file.name);
    call.store(1, ScalarType::I64, size);
    DONE
}

/// `MPI_File_set_size(file, size)`: collective.
pub(crate) fn set_size(call: &mut Call<'_>) -> Called {
    let ((_, file), bytes) = (call.file(0)?, call.count(1)?);
    call.content(&file.name).resize(bytes);
    reaching(call, file.comm, NOTHING_MADE)
}

/// `MPI_File_preallocate(file, size)`: collective; the file is at least so large.
pub(crate) fn preallocate(call: &mut Call<'_>) -> Called {
    let ((_, file), bytes) = (call.file(0)?, call.count(1)?);
    call.content(&file.name).grow_to(bytes);
    reaching(call, file.comm, NOTHING_MADE)
}

/// `MPI_File_sync(file)`: collective.
pub(crate) fn sync(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    reaching(call, file.comm, NOTHING_MADE)
}

/// `MPI_File_seek(file, offset, whence)`.
pub(crate) fn seek(call: &mut Call<'_>) -> Called {
    let (id, file) = call.file(0)?;
    let to = sought(call, &file, file.position)?;
    call.change_file(id, |file| file.position = to);
    DONE
}

/// `MPI_File_seek_shared(file, offset, whence)`: collective, all with the same arguments.
pub(crate) fn seek_shared(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    let key = (file.comm, file.name.clone());
    let now = call.mpi.disk.shared.get(&key).copied().unwrap_or(0);
    let to = sought(call, &file, now)?;
    blocking(call, move |call| {
        call.mpi.disk.shared.insert(key, to);
        Ok(Plan::new(CollectiveKind::Agreement, file.comm, NOTHING_MADE))
    })
}

fn sought(call: &mut Call<'_>, file: &OpenFile, now: u64) -> Result<u64, Refusal> {
    let offset = call.int(1)?;
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let base = match call.int(2)? {
        SEEK_SET => 0,
        SEEK_CUR => signed(now),
        SEEK_END => {
            let size = call.size_value(&file.name);
            let bytes = call.known(2, size)?;
            signed(file.view.visible(bytes.cast_unsigned()))
        }
        _ => return Err(call.bad_argument(2, "is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END")),
    };
    u64::try_from(base.saturating_add(offset)).map_err(|_| call.bad_argument(1, "leads before the begin of the file"))
}

/// `MPI_File_get_position(file, offset)`.
pub(crate) fn get_position(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    call.store_offset(1, file.position);
    DONE
}

/// `MPI_File_get_position_shared(file, offset)`.
pub(crate) fn get_position_shared(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    let position = call.mpi.disk.shared.get(&(file.comm, file.name)).copied().unwrap_or(0);
    call.store_offset(1, position);
    DONE
}

/// `MPI_File_get_byte_offset(file, offset, displacement)`.
pub(crate) fn get_byte_offset(call: &mut Call<'_>) -> Called {
    let ((_, file), offset) = (call.file(0)?, call.count(1)?);
    let at = file.view.byte(offset);
    call.store_offset(2, at);
    DONE
}

/// `MPI_File_get_type_extent(file, type, extent)`.
pub(crate) fn get_type_extent(call: &mut Call<'_>) -> Called {
    call.file(0)?;
    let extent = call.datatype(1)?.extent();
    let aint = call.aint();
    call.store(2, aint, Value::Int(extent));
    DONE
}

/// `MPI_File_set_view(file, displacement, elementary type, file type, representation, info)`: collective.
pub(crate) fn set_view(call: &mut Call<'_>) -> Called {
    let (id, file) = call.file(0)?;
    let displacement = call.count(1)?;
    let (elementary, tile) = (call.committed(2)?.unconverted(), call.committed(3)?.unconverted());
    call.change_file(id, |file| {
        file.view = View { displacement, elementary, tile };
        file.position = 0;
    });
    call.mpi.disk.shared.insert((file.comm, file.name.clone()), 0);
    blocking(call, |_| Ok(Plan::new(CollectiveKind::Agreement, file.comm, NOTHING_MADE)))
}

/// `MPI_File_set_atomicity(file, flag)`: collective.
pub(crate) fn set_atomicity(call: &mut Call<'_>) -> Called {
    let ((id, file), flag) = (call.file(0)?, call.int(1)?);
    call.change_file(id, |file| file.atomic = flag != 0);
    blocking(call, |_| Ok(Plan::new(CollectiveKind::Agreement, file.comm, NOTHING_MADE)))
}

/// `MPI_File_get_atomicity(file, flag)`.
pub(crate) fn get_atomicity(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    call.store_int(1, i64::from(file.atomic));
    DONE
}

/// `MPI_File_get_amode(file, mode)`.
pub(crate) fn get_amode(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    call.store_int(1, file.mode);
    DONE
}

/// `MPI_File_get_group(file, group)`.
pub(crate) fn get_group(call: &mut Call<'_>) -> Called {
    let (_, file) = call.file(0)?;
    let group = call.mpi.members(file.comm).clone();
    call.store_group(1, group)
}

/// `MPI_File_set_errhandler(file, handler)` and `MPI_File_set_info(file, info)`.
pub(crate) fn accept(call: &mut Call<'_>) -> Called {
    call.file(0)?;
    DONE
}

/// `MPI_File_get_info(file, info)`: no hints are used.
pub(crate) fn get_info(call: &mut Call<'_>) -> Called {
    call.file(0)?;
    info::create_at(call, 1)
}
