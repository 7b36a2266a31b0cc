//! Starting, completing and freeing requests; statuses.

use super::{COUNT, REQUEST, RESULT, STATUS, TYPE, frees, local, makes, meeting, mpi, recorded};
use crate::params::{FUNCTION, IN, INT, Object, Param, Role, UNWRITTEN, UPDATED, list_out, list_updated};
use crate::row::Function;

/// So many requests as the argument 0 says.
const REQUESTS: Param = list_updated(0).role(Role::Requests);
const ONE_REQUEST: Param = UPDATED.role(Role::Requests);
const STATUSES: Param = list_out(0).role(Role::Status);

/// Starts requests, or waits for them.
const fn completes(name: &'static str, params: &'static [Param]) -> Function {
    Function { moves: true, ..meeting(name, params) }
}

pub(super) const ROWS: &[Function] = &[
    completes("MPI_Wait", &[ONE_REQUEST, STATUS]),
    completes("MPI_Waitall", &[INT, REQUESTS, STATUSES]),
    completes("MPI_Waitany", &[INT, REQUESTS, RESULT, STATUS]),
    completes("MPI_Waitsome", &[INT, REQUESTS, RESULT, list_out(0), STATUSES]),
    completes("MPI_Test", &[ONE_REQUEST, RESULT, STATUS]).polling(),
    completes("MPI_Testall", &[INT, REQUESTS, RESULT, STATUSES]).polling(),
    completes("MPI_Testany", &[INT, REQUESTS, RESULT, RESULT, STATUS]).polling(),
    completes("MPI_Testsome", &[INT, REQUESTS, RESULT, list_out(0), STATUSES]).polling(),
    completes("MPI_Start", &[ONE_REQUEST]),
    completes("MPI_Startall", &[INT, REQUESTS]),
    recorded("MPI_Request_free", &[frees(Object::Request)]),
    mpi("MPI_Request_get_status", &[REQUEST, RESULT, STATUS]).polling(),
    mpi("MPI_Cancel", &[UNWRITTEN]).taking_call_time(),
    mpi("MPI_Grequest_start", &[FUNCTION, FUNCTION, FUNCTION, UNWRITTEN, makes(Object::Request)]).unmodelled(),
    mpi("MPI_Grequest_complete", &[REQUEST]).unmodelled(),
    local("MPI_Test_cancelled", &[IN, RESULT]),
    local("MPI_Get_count", &[IN, TYPE, RESULT]),
    local("MPI_Get_elements", &[IN, TYPE, RESULT]),
    local("MPI_Get_elements_x", &[IN, TYPE, RESULT]).unmodelled(),
    local("MPI_Status_set_elements", &[UPDATED, TYPE, INT]).unmodelled(),
    local("MPI_Status_set_elements_x", &[UPDATED, TYPE, COUNT]).unmodelled(),
    local("MPI_Status_set_cancelled", &[UPDATED, INT]).unmodelled(),
];
