//! Files that tasks share.

use super::{COMM, FILE, INFO, OFFSET, RESULT, STATUS, TYPE, frees, local, makes, mpi, received, recorded, sent};
use crate::params::{FUNCTION, INT, OUT, Object, Param, READ, TEXT, TEXT_OUT, UNWRITTEN, WRITTEN};
use crate::row::{Exchange, Function, Variant};

const IMMEDIATE: &[Variant] = &[Variant::Immediate];

/// Reads or writes data.
const fn moves(name: &'static str, params: &'static [Param]) -> Function {
    recorded(name, params).exchanging(Exchange::File)
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
    moves("MPI_File_read", &[FILE, received(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_read_all", &[FILE, received(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_read_at", &[FILE, OFFSET, received(3, 4), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_read_at_all", &[FILE, OFFSET, received(3, 4), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_read_shared", &[FILE, received(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_read_ordered", &[FILE, received(2, 3), INT, TYPE, STATUS]),
    moves("MPI_File_write", &[FILE, sent(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_write_all", &[FILE, sent(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_write_at", &[FILE, OFFSET, sent(3, 4), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_write_at_all", &[FILE, OFFSET, sent(3, 4), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_write_shared", &[FILE, sent(2, 3), INT, TYPE, STATUS]).with(IMMEDIATE),
    moves("MPI_File_write_ordered", &[FILE, sent(2, 3), INT, TYPE, STATUS]),
    moves("MPI_File_read_all_begin", &[FILE, received(2, 3), INT, TYPE]),
    moves("MPI_File_read_all_end", &[FILE, WRITTEN, STATUS]),
    moves("MPI_File_read_at_all_begin", &[FILE, OFFSET, received(3, 4), INT, TYPE]),
    moves("MPI_File_read_at_all_end", &[FILE, WRITTEN, STATUS]),
    moves("MPI_File_read_ordered_begin", &[FILE, received(2, 3), INT, TYPE]),
    moves("MPI_File_read_ordered_end", &[FILE, WRITTEN, STATUS]),
    moves("MPI_File_write_all_begin", &[FILE, sent(2, 3), INT, TYPE]),
    moves("MPI_File_write_all_end", &[FILE, READ, STATUS]),
    moves("MPI_File_write_at_all_begin", &[FILE, OFFSET, sent(3, 4), INT, TYPE]),
    moves("MPI_File_write_at_all_end", &[FILE, READ, STATUS]),
    moves("MPI_File_write_ordered_begin", &[FILE, sent(2, 3), INT, TYPE]),
    moves("MPI_File_write_ordered_end", &[FILE, READ, STATUS]),
    mpi("MPI_Register_datarep", &[TEXT, FUNCTION, FUNCTION, FUNCTION, UNWRITTEN]).unmodelled(),
];
