//! The part of a member in each collective that exchanges data, by the name of its blocking form.

use super::plan::Planner;
use super::{data_movement, reductions};
use chronos_functions::Function;

/// Blocking forms; what a member gives and gets is the same in the immediate and in the persistent form.
pub(crate) static PLANNERS: &[(&str, Planner)] = &[
    ("MPI_Barrier", data_movement::barrier),
    ("MPI_Bcast", data_movement::bcast),
    ("MPI_Gather", data_movement::gather),
    ("MPI_Gatherv", data_movement::gatherv),
    ("MPI_Scatter", data_movement::scatter),
    ("MPI_Scatterv", data_movement::scatterv),
    ("MPI_Allgather", data_movement::allgather),
    ("MPI_Allgatherv", data_movement::allgatherv),
    ("MPI_Alltoall", data_movement::alltoall),
    ("MPI_Alltoallv", data_movement::alltoallv),
    ("MPI_Alltoallw", data_movement::alltoallw),
    ("MPI_Reduce", reductions::reduce),
    ("MPI_Allreduce", reductions::allreduce),
    ("MPI_Reduce_scatter", reductions::reduce_scatter),
    ("MPI_Reduce_scatter_block", reductions::reduce_scatter_block),
    ("MPI_Scan", reductions::scan),
    ("MPI_Exscan", reductions::exscan),
];

/// The part of a member in a collective of any form.
pub(crate) fn planner(function: &Function) -> Option<Planner> {
    PLANNERS.iter().find(|(name, _)| *name == function.base).map(|&(_, plan)| plan)
}
