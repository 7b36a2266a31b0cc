//! One-sided communication.

use super::{
    AINT, COMM, GROUP, INFO, OP, RESULT, TYPE, WIN, frees, local, makes, one_received, one_sent, received, recorded,
    sent,
};
use crate::params::{INT, OUT, Object, Param, READ, Role, TEXT, TEXT_OUT, UNWRITTEN};
use crate::row::{Exchange, Function, Variant};

const EXPOSED: Param = UNWRITTEN.role(Role::Exposed);
const HANDED_OUT: Param = OUT.role(Role::HandsOut { exposed: false });
const SHARED_OUT: Param = OUT.role(Role::HandsOut { exposed: true });

/// Reads or writes the memory of another task.
const fn access(name: &'static str, params: &'static [Param]) -> Function {
    recorded(name, params).exchanging(Exchange::Window)
}

pub(super) const ROWS: &[Function] = &[
    access("MPI_Put", &[sent(1, 2), INT, TYPE, INT, AINT, INT, TYPE, WIN]).with(&[Variant::WithRequest]),
    access("MPI_Get", &[received(1, 2), INT, TYPE, INT, AINT, INT, TYPE, WIN]).with(&[Variant::WithRequest]),
    access("MPI_Accumulate", &[sent(1, 2), INT, TYPE, INT, AINT, INT, TYPE, OP, WIN]).with(&[Variant::WithRequest]),
    access("MPI_Get_accumulate", &[sent(1, 2), INT, TYPE, received(4, 5), INT, TYPE, INT, AINT, INT, TYPE, OP, WIN])
        .with(&[Variant::WithRequest]),
    access("MPI_Fetch_and_op", &[one_sent(2), one_received(2), TYPE, INT, AINT, OP, WIN]),
    access("MPI_Compare_and_swap", &[one_sent(3), one_sent(3), one_received(3), TYPE, INT, AINT, WIN]),
    recorded("MPI_Win_create", &[EXPOSED, AINT, INT, INFO, COMM, makes(Object::Window)]),
    recorded("MPI_Win_allocate", &[AINT, INT, INFO, COMM, SHARED_OUT, makes(Object::Window)]),
    recorded("MPI_Win_allocate_shared", &[AINT, INT, INFO, COMM, SHARED_OUT, makes(Object::Window)]),
    recorded("MPI_Win_create_dynamic", &[INFO, COMM, makes(Object::Window)]),
    local("MPI_Win_attach", &[WIN, EXPOSED, AINT]),
    local("MPI_Win_detach", &[WIN, READ]),
    local("MPI_Win_shared_query", &[WIN, INT, OUT, OUT, HANDED_OUT]),
    recorded("MPI_Win_free", &[frees(Object::Window)]),
    recorded("MPI_Win_fence", &[INT, WIN]),
    recorded("MPI_Win_start", &[GROUP, INT, WIN]),
    recorded("MPI_Win_complete", &[WIN]),
    recorded("MPI_Win_post", &[GROUP, INT, WIN]),
    recorded("MPI_Win_wait", &[WIN]),
    recorded("MPI_Win_test", &[WIN, RESULT]).unmodelled(),
    recorded("MPI_Win_lock", &[INT, INT, INT, WIN]),
    recorded("MPI_Win_lock_all", &[INT, WIN]),
    recorded("MPI_Win_unlock", &[INT, WIN]),
    recorded("MPI_Win_unlock_all", &[WIN]),
    recorded("MPI_Win_flush", &[INT, WIN]),
    recorded("MPI_Win_flush_all", &[WIN]),
    recorded("MPI_Win_flush_local", &[INT, WIN]),
    recorded("MPI_Win_flush_local_all", &[WIN]),
    local("MPI_Win_sync", &[WIN]),
    local("MPI_Win_get_group", &[WIN, makes(Object::Group)]),
    local("MPI_Win_get_info", &[WIN, makes(Object::Info)]).unmodelled(),
    local("MPI_Win_set_info", &[WIN, INFO]),
    local("MPI_Win_get_name", &[WIN, TEXT_OUT, OUT]).unmodelled(),
    local("MPI_Win_set_name", &[WIN, TEXT]),
];
