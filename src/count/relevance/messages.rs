//! Which arguments of an MPI call are message contents; all others shape the structure.

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
        _ => Buffers::default(),
    }
}

/// `MPI_Isend` → `send`: non-blocking calls have the positions of their blocking forms.
fn blocking_form(name: &str) -> String {
    let plain = name.trim_start_matches("MPI_");
    let stripped = plain.strip_prefix('I').filter(|rest| !matches!(*rest, "nit" | "nit_thread" | "nitialized"));
    stripped.unwrap_or(plain).to_ascii_lowercase()
}

/// Calls that read a clock.
pub fn reads_clock(name: &str) -> bool {
    matches!(name, "MPI_Wtime" | "MPI_Wtick")
}
