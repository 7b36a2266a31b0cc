//! Which arguments of an MPI call are message contents; all others shape the structure.

use crate::mpi::buffers::{blocking_form, buffers};

/// The argument through which the call stores a pointer to memory that it makes.
pub fn hands_out_memory(name: &str) -> Option<usize> {
    match name {
        "MPI_Alloc_mem" | "MPI_Comm_get_attr" | "MPI_Attr_get" | "MPI_Win_get_attr" | "MPI_Type_get_attr" => Some(2),
        "MPI_Win_allocate" | "MPI_Win_allocate_shared" | "MPI_Win_shared_query" => Some(4),
        _ => None,
    }
}

/// The argument that names memory which others may read and write from then on.
pub fn exposed_memory(name: &str) -> Option<usize> {
    match name {
        "MPI_Win_create" => Some(0),
        "MPI_Win_attach" => Some(1),
        "MPI_Win_allocate" | "MPI_Win_allocate_shared" => Some(4),
        _ => None,
    }
}

/// Whether an argument of the MPI function says how much user data there is or where it lies: it stands between a
/// buffer and its datatype.
pub fn is_size(name: &str, argument: usize) -> bool {
    let known = buffers(name);
    let mut pairs = known.sent.iter().chain(known.received);
    let is_buffer = known.sent.iter().chain(known.received).any(|buffer| buffer.0 == argument);
    pairs.any(|&(buffer, datatype)| buffer < argument && argument < datatype) && !is_buffer
}

/// Calls that combine data by an operation.
pub fn reduces(name: &str) -> bool {
    matches!(
        blocking_form(name.trim_start_matches('P')).as_str(),
        "reduce" | "allreduce" | "scan" | "exscan" | "reduce_scatter" | "reduce_scatter_block" | "reduce_local"
    )
}

/// Calls that attach a value, argument 2, to an object.
pub fn sets_attribute(name: &str) -> bool {
    name.ends_with("_set_attr") || name.ends_with("MPI_Attr_put")
}

/// Calls that make a key of attributes, of functions, argument 0 and 1, that MPI calls with attributes and argument 3.
pub fn makes_key(name: &str) -> bool {
    name.ends_with("_create_keyval") || name.ends_with("MPI_Keyval_create")
}

/// Calls that read a clock.
pub fn reads_clock(name: &str) -> bool {
    matches!(name, "MPI_Wtime" | "MPI_Wtick")
}

/// Calls of one kind exchange messages with each other and with no others.
pub fn kind(name: &str) -> &'static str {
    let name = blocking_form(name);
    if name.contains("send") || name.contains("recv") {
        return "message";
    }
    if name.starts_with("file_") {
        return "file";
    }
    if matches!(name.as_str(), "put" | "get" | "fetch_and_op" | "compare_and_swap")
        || name.ends_with("accumulate")
        || matches!(name.as_str(), "rput" | "rget")
    {
        return WINDOW;
    }
    COLLECTIVES.iter().find(|known| name.starts_with(**known)).copied().unwrap_or("other")
}

/// The kind of one-sided accesses: what any of them moves may come to any window.
pub const WINDOW: &str = "window";

/// Longer names first where one begins with another; vector variants count as the plain ones.
const COLLECTIVES: &[&str] = &[
    "neighbor",
    "bcast",
    "reduce_scatter",
    "reduce",
    "allreduce",
    "allgather",
    "alltoall",
    "gather",
    "scatter",
    "exscan",
    "scan",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stand_between_buffers_and_datatypes() {
        let sizes = |name| (0..12).filter(|&argument| is_size(name, argument)).collect::<Vec<_>>();
        assert_eq!(sizes("MPI_Isend"), [1]);
        assert_eq!(sizes("MPI_Allreduce"), [2]);
        assert_eq!(sizes("MPI_Allreduce_init"), [2]);
        assert_eq!(sizes("MPI_Alltoallv"), [1, 2, 5, 6]);
        assert!(sizes("MPI_Barrier").is_empty());
    }

    #[test]
    fn collectives_exchange_with_their_own_kind() {
        assert_eq!(kind("MPI_Isend"), kind("MPI_Recv_init"));
        assert_eq!(kind("MPI_Sendrecv"), kind("MPI_Irecv"));
        assert_eq!(kind("MPI_Iallreduce"), kind("MPI_Allreduce"));
        assert_ne!(kind("MPI_Allreduce"), kind("MPI_Reduce"));
        assert_ne!(kind("MPI_Reduce_scatter"), kind("MPI_Reduce"));
        assert_ne!(kind("MPI_Bcast"), kind("MPI_Recv"));
    }
}
