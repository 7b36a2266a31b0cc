//! Files that tasks share.

use super::{COMM, FILE, INFO, OFFSET, RESULT, STATUS, TYPE, frees, local, makes, mpi, received, recorded, sent};
use crate::params::{FUNCTION, INT, OUT, Object, Param, READ, TEXT, TEXT_OUT, UNWRITTEN, WRITTEN};
use crate::row::{Exchange, FileTransfer, Function, Positioning, Synchronism, Variant};

const IMMEDIATE: &[Variant] = &[Variant::Immediate];

const fn transfers(name: &'static str, transfer: FileTransfer, params: &'static [Param]) -> Function {
    Function { transfer: Some(transfer), ..recorded(name, params).exchanging(Exchange::File) }
}

const fn reads(name: &'static str, positioning: Positioning, params: &'static [Param]) -> Function {
    let transfer = FileTransfer { writes: false, positioning, synchronism: Synchronism::Blocking, collective: false };
    transfers(name, transfer, params)
}

const fn writes(name: &'static str, positioning: Positioning, params: &'static [Param]) -> Function {
    let transfer = FileTransfer { writes: true, positioning, synchronism: Synchronism::Blocking, collective: false };
    transfers(name, transfer, params)
}

impl Function {
    /// All tasks that have the file open read or write together.
    const fn collectively(self) -> Self {
        let Some(transfer) = self.transfer else { return self };
        Self { transfer: Some(FileTransfer { collective: true, ..transfer }), ..self }
    }

    /// One half of a split collective (MPI 4.0, 14.4.5).
    const fn split(self, synchronism: Synchronism) -> Self {
        let Some(transfer) = self.transfer else { return self };
        Self { transfer: Some(FileTransfer { synchronism, ..transfer }), ..self }
    }
}

pub(super) const ROWS: &[Function] = &[
    recorded("MPI_File_open", &[COMM, TEXT, INT, INFO, makes(Object::File)]),
    recorded("MPI_File_close", &[frees(Object::File)]),
    recorded("MPI_File_delete", &[TEXT, INFO]),
    recorded("MPI_File_set_size", &[FILE, OFFSET]),
    local("MPI_File_get_size", &[FILE, RESULT]),
    recorded("MPI_File_preallocate", &[FILE, OFFSET]),
    local("MPI_File_get_group", &[FILE, makes(Object::Group)]),
    local("MPI_File_get_amode", &[FILE, RESULT]),
    local("MPI_File_set_info", &[FILE, INFO]).anytime(),
    local("MPI_File_get_info", &[FILE, makes(Object::Info)]),
    recorded("MPI_File_set_view", &[FILE, OFFSET, TYPE, TYPE, TEXT, INFO]),
    local("MPI_File_get_view", &[FILE, RESULT, OUT, OUT, TEXT_OUT]).unmodelled(),
    local("MPI_File_seek", &[FILE, OFFSET, INT]),
    recorded("MPI_File_seek_shared", &[FILE, OFFSET, INT]),
    local("MPI_File_get_position", &[FILE, RESULT]),
    local("MPI_File_get_position_shared", &[FILE, RESULT]),
    local("MPI_File_get_byte_offset", &[FILE, OFFSET, RESULT]),
    local("MPI_File_get_type_extent", &[FILE, TYPE, RESULT]),
    recorded("MPI_File_set_atomicity", &[FILE, INT]),
    local("MPI_File_get_atomicity", &[FILE, RESULT]),
    recorded("MPI_File_sync", &[FILE]),
    reads("MPI_File_read", Positioning::Individual, &[FILE, received(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    reads("MPI_File_read_all", Positioning::Individual, &[FILE, received(2, 3), INT, TYPE, STATUS])
        .collectively()
        .with(IMMEDIATE),
    reads("MPI_File_read_at", Positioning::Explicit, &[FILE, OFFSET, received(3, 4), INT, TYPE, STATUS])
        .with(IMMEDIATE),
    reads("MPI_File_read_at_all", Positioning::Explicit, &[FILE, OFFSET, received(3, 4), INT, TYPE, STATUS])
        .collectively()
        .with(IMMEDIATE),
    reads("MPI_File_read_shared", Positioning::Shared, &[FILE, received(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    reads("MPI_File_read_ordered", Positioning::Shared, &[FILE, received(2, 3), INT, TYPE, STATUS]).collectively(),
    writes("MPI_File_write", Positioning::Individual, &[FILE, sent(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    writes("MPI_File_write_all", Positioning::Individual, &[FILE, sent(2, 3), INT, TYPE, STATUS])
        .collectively()
        .with(IMMEDIATE),
    writes("MPI_File_write_at", Positioning::Explicit, &[FILE, OFFSET, sent(3, 4), INT, TYPE, STATUS]).with(IMMEDIATE),
    writes("MPI_File_write_at_all", Positioning::Explicit, &[FILE, OFFSET, sent(3, 4), INT, TYPE, STATUS])
        .collectively()
        .with(IMMEDIATE),
    writes("MPI_File_write_shared", Positioning::Shared, &[FILE, sent(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    writes("MPI_File_write_ordered", Positioning::Shared, &[FILE, sent(2, 3), INT, TYPE, STATUS]).collectively(),
    reads("MPI_File_read_all_begin", Positioning::Individual, &[FILE, received(2, 3), INT, TYPE])
        .collectively()
        .split(Synchronism::SplitBegin),
    reads("MPI_File_read_all_end", Positioning::Individual, &[FILE, WRITTEN, STATUS])
        .collectively()
        .split(Synchronism::SplitEnd),
    reads("MPI_File_read_at_all_begin", Positioning::Explicit, &[FILE, OFFSET, received(3, 4), INT, TYPE])
        .collectively()
        .split(Synchronism::SplitBegin),
    reads("MPI_File_read_at_all_end", Positioning::Explicit, &[FILE, WRITTEN, STATUS])
        .collectively()
        .split(Synchronism::SplitEnd),
    reads("MPI_File_read_ordered_begin", Positioning::Shared, &[FILE, received(2, 3), INT, TYPE])
        .collectively()
        .split(Synchronism::SplitBegin),
    reads("MPI_File_read_ordered_end", Positioning::Shared, &[FILE, WRITTEN, STATUS])
        .collectively()
        .split(Synchronism::SplitEnd),
    writes("MPI_File_write_all_begin", Positioning::Individual, &[FILE, sent(2, 3), INT, TYPE])
        .collectively()
        .split(Synchronism::SplitBegin),
    writes("MPI_File_write_all_end", Positioning::Individual, &[FILE, READ, STATUS])
        .collectively()
        .split(Synchronism::SplitEnd),
    writes("MPI_File_write_at_all_begin", Positioning::Explicit, &[FILE, OFFSET, sent(3, 4), INT, TYPE])
        .collectively()
        .split(Synchronism::SplitBegin),
    writes("MPI_File_write_at_all_end", Positioning::Explicit, &[FILE, READ, STATUS])
        .collectively()
        .split(Synchronism::SplitEnd),
    writes("MPI_File_write_ordered_begin", Positioning::Shared, &[FILE, sent(2, 3), INT, TYPE])
        .collectively()
        .split(Synchronism::SplitBegin),
    writes("MPI_File_write_ordered_end", Positioning::Shared, &[FILE, READ, STATUS])
        .collectively()
        .split(Synchronism::SplitEnd),
    mpi("MPI_Register_datarep", &[TEXT, FUNCTION, FUNCTION, FUNCTION, UNWRITTEN]).unmodelled(),
];
