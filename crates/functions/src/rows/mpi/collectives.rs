//! Collectives and their operations; `MPI_Allreduce` stands for `MPI_Iallreduce` and `MPI_Allreduce_init` as well.

use super::{COMM, OP, PER_TASK, RESULT, TYPE, exchanged, frees, local, makes, meeting, received, sent};
use crate::abstract_model::AbstractModel;
use crate::params::{FUNCTION, INT, Object, Param, READ};
use crate::row::{CollectiveOperation, Exchange, Function, Variant};

const OTHERS: &[Variant] = &[Variant::Immediate, Variant::PersistentCollective];

/// A collective that exchanges data with calls of its own kind.
const fn collective(name: &'static str, operation: CollectiveOperation, params: &'static [Param]) -> Function {
    meeting(name, params).exchanging(Exchange::Collective(operation)).with(OTHERS)
}

/// With the neighbours in a topology.
const fn neighbours(name: &'static str, params: &'static [Param]) -> Function {
    meeting(name, params).exchanging(Exchange::Collective(CollectiveOperation::Neighbor)).with(&[Variant::Immediate])
}

pub(super) const ROWS: &[Function] = &[
    collective("MPI_Barrier", CollectiveOperation::Barrier, &[COMM]),
    collective("MPI_Bcast", CollectiveOperation::Bcast, &[exchanged(1, 2), INT, TYPE, INT, COMM])
        .abstractly(AbstractModel::Broadcast),
    collective("MPI_Reduce", CollectiveOperation::Reduce, &[sent(2, 3), received(2, 3), INT, TYPE, OP, INT, COMM]),
    collective("MPI_Allreduce", CollectiveOperation::Allreduce, &[sent(2, 3), received(2, 3), INT, TYPE, OP, COMM]),
    collective(
        "MPI_Reduce_scatter",
        CollectiveOperation::ReduceScatter,
        &[sent(2, 3), received(2, 3), PER_TASK, TYPE, OP, COMM],
    ),
    collective(
        "MPI_Reduce_scatter_block",
        CollectiveOperation::ReduceScatter,
        &[sent(2, 3), received(2, 3), INT, TYPE, OP, COMM],
    ),
    collective("MPI_Scan", CollectiveOperation::Scan, &[sent(2, 3), received(2, 3), INT, TYPE, OP, COMM]),
    collective("MPI_Exscan", CollectiveOperation::Exscan, &[sent(2, 3), received(2, 3), INT, TYPE, OP, COMM]),
    collective(
        "MPI_Gather",
        CollectiveOperation::Gather,
        &[sent(1, 2), INT, TYPE, received(4, 5), INT, TYPE, INT, COMM],
    ),
    collective(
        "MPI_Gatherv",
        CollectiveOperation::Gather,
        &[sent(1, 2), INT, TYPE, received(4, 6), PER_TASK, PER_TASK, TYPE, INT, COMM],
    ),
    collective(
        "MPI_Scatter",
        CollectiveOperation::Scatter,
        &[sent(1, 2), INT, TYPE, received(4, 5), INT, TYPE, INT, COMM],
    ),
    collective(
        "MPI_Scatterv",
        CollectiveOperation::Scatter,
        &[sent(1, 3), PER_TASK, PER_TASK, TYPE, received(5, 6), INT, TYPE, INT, COMM],
    ),
    collective(
        "MPI_Allgather",
        CollectiveOperation::Allgather,
        &[sent(1, 2), INT, TYPE, received(4, 5), INT, TYPE, COMM],
    ),
    collective(
        "MPI_Allgatherv",
        CollectiveOperation::Allgather,
        &[sent(1, 2), INT, TYPE, received(4, 6), PER_TASK, PER_TASK, TYPE, COMM],
    ),
    collective(
        "MPI_Alltoall",
        CollectiveOperation::Alltoall,
        &[sent(1, 2), INT, TYPE, received(4, 5), INT, TYPE, COMM],
    ),
    collective(
        "MPI_Alltoallv",
        CollectiveOperation::Alltoall,
        &[sent(1, 3), PER_TASK, PER_TASK, TYPE, received(5, 7), PER_TASK, PER_TASK, TYPE, COMM],
    ),
    collective(
        "MPI_Alltoallw",
        CollectiveOperation::Alltoall,
        &[sent(1, 3), PER_TASK, PER_TASK, PER_TASK, received(5, 7), PER_TASK, PER_TASK, PER_TASK, COMM],
    ),
    neighbours("MPI_Neighbor_allgather", &[sent(1, 2), INT, TYPE, received(4, 5), INT, TYPE, COMM]),
    neighbours("MPI_Neighbor_allgatherv", &[sent(1, 2), INT, TYPE, received(4, 6), READ, READ, TYPE, COMM]),
    neighbours("MPI_Neighbor_alltoall", &[sent(1, 2), INT, TYPE, received(4, 5), INT, TYPE, COMM]),
    neighbours("MPI_Neighbor_alltoallv", &[sent(1, 3), READ, READ, TYPE, received(5, 7), READ, READ, TYPE, COMM]),
    neighbours("MPI_Neighbor_alltoallw", &[sent(1, 3), READ, READ, READ, received(5, 7), READ, READ, READ, COMM]),
    local("MPI_Reduce_local", &[sent(2, 3), exchanged(2, 3), INT, TYPE, OP])
        .exchanging(Exchange::Collective(CollectiveOperation::ReduceLocal)),
    local("MPI_Op_create", &[FUNCTION, INT, makes(Object::Operation)]),
    local("MPI_Op_free", &[frees(Object::Operation)]),
    local("MPI_Op_commutative", &[OP, RESULT]),
];
