//! Communicators, groups, and processes that are spawned or connected.

use super::{COMM, GROUP, INFO, RESULT, frees, local, makes, meeting, mpi, recorded};
use crate::abstract_model::AbstractModel;
use crate::params::{INT, OUT, Object, Param, TEXT, TEXT_OUT, UNWRITTEN, WRITTEN, list, list_out};
use crate::row::Function;

/// Starts tasks.
const fn spawning(name: &'static str, params: &'static [Param]) -> Function {
    Function { spawns: true, ..mpi(name, params) }
}

pub(super) const ROWS: &[Function] = &[
    local("MPI_Comm_rank", &[COMM, RESULT]).abstractly(AbstractModel::Rank),
    local("MPI_Comm_size", &[COMM, RESULT]).abstractly(AbstractModel::CommunicatorSize),
    local("MPI_Comm_compare", &[COMM, COMM, RESULT]),
    meeting("MPI_Comm_dup", &[COMM, makes(Object::Communicator)])
        .copying_attributes()
        .abstractly(AbstractModel::DuplicateCommunicator),
    meeting("MPI_Comm_dup_with_info", &[COMM, INFO, makes(Object::Communicator)]).copying_attributes(),
    mpi("MPI_Comm_idup", &[COMM, makes(Object::Communicator), makes(Object::Request)]).copying_attributes(),
    meeting("MPI_Comm_create", &[COMM, GROUP, makes(Object::Communicator)]),
    meeting("MPI_Comm_create_group", &[COMM, GROUP, INT, makes(Object::Communicator)]),
    meeting("MPI_Comm_split", &[COMM, INT, INT, makes(Object::Communicator)]),
    meeting("MPI_Comm_split_type", &[COMM, INT, INT, INFO, makes(Object::Communicator)]),
    local("MPI_Comm_free", &[frees(Object::Communicator)]).taking_call_time(),
    recorded("MPI_Comm_disconnect", &[frees(Object::Communicator)]),
    local("MPI_Comm_group", &[COMM, makes(Object::Group)]),
    local("MPI_Comm_remote_group", &[COMM, makes(Object::Group)]),
    local("MPI_Comm_remote_size", &[COMM, RESULT]),
    local("MPI_Comm_test_inter", &[COMM, RESULT]),
    local("MPI_Comm_get_name", &[COMM, TEXT_OUT, OUT]),
    local("MPI_Comm_set_name", &[COMM, TEXT]),
    local("MPI_Comm_get_info", &[COMM, makes(Object::Info)]).unmodelled(),
    local("MPI_Comm_set_info", &[COMM, INFO]).unmodelled(),
    local("MPI_Comm_get_parent", &[OUT]),
    mpi("MPI_Comm_join", &[INT, OUT]).unmodelled(),
    mpi("MPI_Comm_accept", &[TEXT, INFO, INT, COMM, OUT]).unmodelled(),
    mpi("MPI_Comm_connect", &[TEXT, INFO, INT, COMM, OUT]).unmodelled(),
    spawning("MPI_Comm_spawn", &[TEXT, UNWRITTEN, INT, INFO, INT, COMM, OUT, list_out(2)]),
    spawning("MPI_Comm_spawn_multiple", &[INT, UNWRITTEN, UNWRITTEN, list(0), list(0), INT, COMM, OUT, WRITTEN]),
    meeting("MPI_Intercomm_create", &[COMM, INT, COMM, INT, INT, makes(Object::Communicator)]),
    meeting("MPI_Intercomm_merge", &[COMM, INT, makes(Object::Communicator)]),
    mpi("MPI_Open_port", &[INFO, TEXT_OUT]).unmodelled(),
    mpi("MPI_Close_port", &[TEXT]).unmodelled(),
    mpi("MPI_Publish_name", &[TEXT, INFO, TEXT]).unmodelled(),
    mpi("MPI_Unpublish_name", &[TEXT, INFO, TEXT]).unmodelled(),
    mpi("MPI_Lookup_name", &[TEXT, INFO, TEXT_OUT]).unmodelled(),
    local("MPI_Group_size", &[GROUP, RESULT]),
    local("MPI_Group_rank", &[GROUP, RESULT]),
    local("MPI_Group_compare", &[GROUP, GROUP, RESULT]),
    local("MPI_Group_translate_ranks", &[GROUP, INT, list(1), GROUP, list_out(1)]),
    local("MPI_Group_union", &[GROUP, GROUP, makes(Object::Group)]),
    local("MPI_Group_intersection", &[GROUP, GROUP, makes(Object::Group)]),
    local("MPI_Group_difference", &[GROUP, GROUP, makes(Object::Group)]),
    local("MPI_Group_incl", &[GROUP, INT, list(1), makes(Object::Group)]),
    local("MPI_Group_excl", &[GROUP, INT, list(1), makes(Object::Group)]),
    local("MPI_Group_range_incl", &[GROUP, INT, UNWRITTEN, makes(Object::Group)]),
    local("MPI_Group_range_excl", &[GROUP, INT, UNWRITTEN, makes(Object::Group)]),
    local("MPI_Group_free", &[frees(Object::Group)]),
];
