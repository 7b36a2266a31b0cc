//! The environment: beginning and end, versions, time, memory, error classes, buffers.

use super::{AINT, COMM, INFO, RESULT, local, meeting, mpi};
use crate::abstract_model::AbstractModel;
use crate::params::{INT, OUT, Param, Role, TEXT, TEXT_OUT, Type, UNWRITTEN, WRITTEN};
use crate::row::{Class, Ending, Function, Lifecycle, Traced};

const HANDED_OUT: Param = OUT.role(Role::HandsOut { exposed: false });

/// Reads a clock.
const fn clock(name: &'static str) -> Function {
    Function { result: Type::Double, class: Class::Clock, ..local(name, &[]) }.unknowable()
}

#[expect(clippy::large_types_passed_by_value, reason = "a const function can only take and return the row")]
const fn initializes(row: Function) -> Function {
    Function { lifecycle: Lifecycle::Initializes, ..row.taking_call_time() }
}

pub(super) const ROWS: &[Function] = &[
    initializes(local("MPI_Init", &[UNWRITTEN, UNWRITTEN])).anytime().abstractly(AbstractModel::Initialise),
    initializes(local("MPI_Init_thread", &[UNWRITTEN, UNWRITTEN, INT, OUT]))
        .anytime()
        .abstractly(AbstractModel::InitialiseWithThreads),
    local("MPI_Initialized", &[RESULT]).anytime().abstractly(AbstractModel::IsInitialised),
    Function { lifecycle: Lifecycle::Finalizes, ..meeting("MPI_Finalize", &[]) },
    local("MPI_Finalized", &[RESULT]).anytime(),
    local("MPI_Query_thread", &[RESULT]),
    local("MPI_Is_thread_main", &[RESULT]),
    Function { ending: Ending::Exits, ..mpi("MPI_Abort", &[COMM, INT]) }.traced(Traced::Abort).anytime(),
    clock("MPI_Wtime").polling().traced(Traced::Clock).anytime(),
    clock("MPI_Wtick").anytime(),
    local("MPI_Get_processor_name", &[TEXT_OUT, OUT]),
    local("MPI_Get_version", &[RESULT, RESULT]).anytime(),
    local("MPI_Get_library_version", &[TEXT_OUT, OUT]).anytime(),
    local("MPI_Alloc_mem", &[AINT, INFO, HANDED_OUT]),
    local("MPI_Free_mem", &[UNWRITTEN]),
    local("MPI_Pcontrol", &[INT]).more(INT).anytime(),
    local("MPI_Error_class", &[INT, RESULT]).anytime(),
    local("MPI_Error_string", &[INT, TEXT_OUT, OUT]).anytime(),
    mpi("MPI_Add_error_class", &[RESULT]).unmodelled(),
    mpi("MPI_Add_error_code", &[INT, RESULT]).unmodelled(),
    mpi("MPI_Add_error_string", &[INT, TEXT]).unmodelled(),
    local("MPI_Buffer_attach", &[UNWRITTEN, INT]),
    local("MPI_Buffer_detach", &[WRITTEN, OUT]),
];
