//! Which arguments of an MPI call are buffers of user data.
//!
//! Whoever follows values through messages asks for it, and so do costs: a call that receives may be the first to touch
//! memory.

/// A buffer argument and the argument with its datatype.
pub type Buffer = (usize, usize);

/// Buffers of an MPI call by position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    pub sent: &'static [Buffer],
    pub received: &'static [Buffer],
}

/// The buffers of the MPI function `name` (with its `MPI_`); none for calls without user data.
pub fn buffers(name: &str) -> Buffers {
    let both = |sent, received| Buffers { sent, received };
    match blocking_form(name).as_str() {
        "send" | "ssend" | "bsend" | "rsend" | "send_init" => both(&[(0, 2)], &[]),
        "recv" | "recv_init" => both(&[], &[(0, 2)]),
        "sendrecv" => both(&[(0, 2)], &[(5, 7)]),
        "sendrecv_replace" | "bcast" => both(&[(0, 2)], &[(0, 2)]),
        "reduce" | "allreduce" | "scan" | "exscan" | "reduce_scatter" | "reduce_scatter_block" => {
            both(&[(0, 3)], &[(1, 3)])
        }
        "gather" | "scatter" | "allgather" | "alltoall" => both(&[(0, 2)], &[(3, 5)]),
        "gatherv" | "allgatherv" => both(&[(0, 2)], &[(3, 6)]),
        "scatterv" => both(&[(0, 3)], &[(4, 6)]),
        "alltoallv" => both(&[(0, 3)], &[(4, 7)]),
        "alltoallw" => both(&[(0, 3)], &[(4, 7)]),
        "neighbor_allgather" | "neighbor_alltoall" => both(&[(0, 2)], &[(3, 5)]),
        "neighbor_allgatherv" => both(&[(0, 2)], &[(3, 6)]),
        "neighbor_alltoallv" | "neighbor_alltoallw" => both(&[(0, 3)], &[(4, 7)]),
        "put" | "rput" | "accumulate" | "raccumulate" => both(&[(0, 2)], &[]),
        "get" | "rget" => both(&[], &[(0, 2)]),
        "get_accumulate" | "rget_accumulate" => both(&[(0, 2)], &[(3, 5)]),
        "fetch_and_op" => both(&[(0, 2)], &[(1, 2)]),
        "compare_and_swap" => both(&[(0, 3), (1, 3)], &[(2, 3)]),
        name => of_file(name).unwrap_or_default(),
    }
}

/// Reading and writing of files: buffer, count and datatype behind the file, or behind file and offset.
fn of_file(name: &str) -> Option<Buffers> {
    let name = name.strip_prefix("file_")?;
    let place: &[Buffer] = if name.contains("_at") { &[(2, 4)] } else { &[(1, 3)] };
    let operation = name.strip_prefix('i').unwrap_or(name);
    match operation {
        _ if operation.ends_with("_end") => None,
        _ if operation.starts_with("read") => Some(Buffers { sent: &[], received: place }),
        _ if operation.starts_with("write") => Some(Buffers { sent: place, received: &[] }),
        _ => None,
    }
}

/// `MPI_Isend` → `send`, `MPI_Bcast_init` → `bcast`: non-blocking calls and persistent collectives have the positions
/// of their blocking forms.
pub fn blocking_form(name: &str) -> String {
    let plain = name.trim_start_matches("MPI_");
    let stripped = plain.strip_prefix('I').filter(|rest| !matches!(*rest, "nit" | "nit_thread" | "nitialized"));
    let lower = stripped.unwrap_or(plain).to_ascii_lowercase();
    let collective = lower.strip_suffix("_init").filter(|rest| !rest.ends_with("send") && !rest.ends_with("recv"));
    collective.map(str::to_owned).unwrap_or(lower)
}
