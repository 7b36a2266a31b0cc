//! Operations and communicators as users know them.

use chronos_activity::{CollectiveKind, CommId};

/// The operation as MPI names it.
pub fn name(kind: CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::Barrier => "MPI_Barrier",
        CollectiveKind::Bcast => "MPI_Bcast",
        CollectiveKind::Reduce => "MPI_Reduce",
        CollectiveKind::Allreduce => "MPI_Allreduce",
        CollectiveKind::Gather => "MPI_Gather",
        CollectiveKind::Scatter => "MPI_Scatter",
        CollectiveKind::Allgather => "MPI_Allgather",
        CollectiveKind::Alltoall => "MPI_Alltoall",
        CollectiveKind::ReduceScatter => "MPI_Reduce_scatter",
        CollectiveKind::Scan => "MPI_Scan",
        CollectiveKind::Exscan => "MPI_Exscan",
        CollectiveKind::Agreement => "an operation on all members",
    }
}

pub fn communicator(comm: CommId) -> String {
    if comm == CommId(0) { "MPI_COMM_WORLD".to_owned() } else { format!("communicator {}", comm.0) }
}
