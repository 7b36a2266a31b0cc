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

/// Whether an argument of the MPI function says how much user data there is or where it lies: it stands between a
/// buffer and its datatype.
pub fn is_size(name: &str, argument: usize) -> bool {
    let known = buffers(name);
    let mut pairs = known.sent.iter().chain(known.received);
    let is_buffer = known.sent.iter().chain(known.received).any(|buffer| buffer.0 == argument);
    pairs.any(|&(buffer, datatype)| buffer < argument && argument < datatype) && !is_buffer
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

/// Calls of one kind exchange messages with each other and with no others.
pub fn kind(name: &str) -> &'static str {
    let name = blocking_form(name);
    if name.contains("send") || name.contains("recv") {
        return "message";
    }
    COLLECTIVES.iter().find(|known| name.starts_with(**known)).copied().unwrap_or("other")
}

/// Longer names first where one begins with another; vector variants count as the plain ones.
const COLLECTIVES: &[&str] =
    &["bcast", "reduce_scatter", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter", "exscan", "scan"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stand_between_buffers_and_datatypes() {
        let sizes = |name| (0..12).filter(|&argument| is_size(name, argument)).collect::<Vec<_>>();
        assert_eq!(sizes("MPI_Isend"), [1]);
        assert_eq!(sizes("MPI_Allreduce"), [2]);
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
