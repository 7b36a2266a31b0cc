//! Topologies: grids and graphs.

use super::{COMM, INFO, RESULT, local, makes, meeting};
use crate::abstract_model::AbstractModel;
use crate::params::{INT, Object, READ, list, list_out, list_updated};
use crate::row::Function;

pub(super) const ROWS: &[Function] = &[
    meeting("MPI_Cart_create", &[COMM, INT, list(1), list(1), INT, makes(Object::Communicator)])
        .abstractly(AbstractModel::CreateGrid),
    local("MPI_Cart_coords", &[COMM, INT, INT, list_out(2)]).abstractly(AbstractModel::GridCoordinates),
    local("MPI_Cart_rank", &[COMM, READ, RESULT]).abstractly(AbstractModel::GridRank),
    local("MPI_Cart_shift", &[COMM, INT, INT, RESULT, RESULT]).abstractly(AbstractModel::GridShift),
    meeting("MPI_Cart_sub", &[COMM, READ, makes(Object::Communicator)]),
    local("MPI_Cart_get", &[COMM, INT, list_out(1), list_out(1), list_out(1)]).abstractly(AbstractModel::GridShape),
    local("MPI_Cart_map", &[COMM, INT, list(1), list(1), RESULT]).unmodelled(),
    local("MPI_Cartdim_get", &[COMM, RESULT]),
    local("MPI_Dims_create", &[INT, INT, list_updated(1)]).abstractly(AbstractModel::BalancedDimensions),
    meeting("MPI_Graph_create", &[COMM, INT, list(1), READ, INT, makes(Object::Communicator)]),
    local("MPI_Graph_get", &[COMM, INT, INT, list_out(1), list_out(2)]),
    local("MPI_Graph_map", &[COMM, INT, list(1), READ, RESULT]).unmodelled(),
    local("MPI_Graph_neighbors", &[COMM, INT, INT, list_out(2)]),
    local("MPI_Graph_neighbors_count", &[COMM, INT, RESULT]),
    local("MPI_Graphdims_get", &[COMM, RESULT, RESULT]),
    local("MPI_Topo_test", &[COMM, RESULT]),
    meeting(
        "MPI_Dist_graph_create",
        &[COMM, INT, list(1), list(1), READ, READ, INFO, INT, makes(Object::Communicator)],
    ),
    meeting(
        "MPI_Dist_graph_create_adjacent",
        &[COMM, INT, list(1), list(1), INT, list(4), list(4), INFO, INT, makes(Object::Communicator)],
    ),
    local("MPI_Dist_graph_neighbors", &[COMM, INT, list_out(1), list_out(1), INT, list_out(4), list_out(4)]),
    local("MPI_Dist_graph_neighbors_count", &[COMM, RESULT, RESULT, RESULT]),
];
