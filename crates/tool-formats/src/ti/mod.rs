//! Time-independent traces, which SimGrid records and replays: one line for each action of a rank.
//!
//! A trace is a file with the lines of all ranks, or a file that lists files with the lines of some ranks each. Sizes
//! are counts of a datatype by number; computation is in floating-point operations, which a rate turns into time.
//! Actions are those of `MPI_COMM_WORLD`: of communicators the format knows nothing.

mod read;
mod write;

pub use read::parse;
pub use write::render;

/// Floating-point operations per second where nobody says otherwise: one takes a nanosecond.
pub const FLOP_RATE: f64 = 1e9;

/// Bytes of the datatypes with a number: double, int, char, short, long, float, byte.
const SIZES: [u64; 7] = [8, 4, 1, 2, 8, 4, 1];

/// The number of bytes as datatype.
const BYTE: u64 = 6;

const DOUBLE: u64 = 0;

/// Whether the text is a trace: its first line is an action of a rank.
pub fn is_trace(text: &str) -> bool {
    let mut words = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().split_whitespace();
    words.next().is_some_and(|rank| rank.parse::<u32>().is_ok()) && words.next().is_some_and(is_action)
}

fn is_action(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::Work;
    use chronos_base::units::Picoseconds;

    const RING: &str = "0 init\n0 compute 2000\n0 isend 1 3 10 1\n0 irecv 1 4 8 6\n0 waitall 2\n0 finalize\n\
                        1 init\n1 recv 0 3 10 1\n1 send 0 4 8 6\n1 allreduce 2 0 1\n1 finalize\n";

    #[test]
    fn actions_become_steps_and_back() {
        let activity = parse([("a.txt", RING)], FLOP_RATE).unwrap();
        let mut pricing = |_, work| if let Work::Time(time) = work { time } else { Picoseconds::ZERO };
        let text = render(&activity, &mut pricing, FLOP_RATE, 100).unwrap();
        insta::assert_snapshot!(text, @r"
        0 init
        0 compute 2000
        0 isend 1 3 40 6
        0 irecv 1 4 8 6
        0 wait 0 1 3
        0 wait 1 0 4
        0 finalize
        1 init
        1 recv 0 3 40 6
        1 send 0 4 8 6
        1 allreduce 8 0 6
        1 finalize
        ");
    }

    #[test]
    fn faults_name_their_line() {
        let fault = |text: &str| parse([("a.txt", text)], FLOP_RATE).unwrap_err().message;
        assert_eq!(fault("0 init\n0 send 7 0 5"), "a.txt:2: rank 7 is not among the 1 ranks of the trace");
        assert_eq!(fault("0 init\n0 bcast x"), "a.txt:2: argument 1 of `bcast` is `x`, not a number");
        assert_eq!(fault("0 dance"), "a.txt:1: `dance` is no action that is known");
        assert_eq!(fault("1 init"), "a.txt:1: there are no lines of some ranks below 1");
        assert_eq!(fault("1 init\n1 barrier"), "the trace has no lines of rank 0, and has some of rank 1");
        assert_eq!(fault("hello"), "a.txt:1: a line begins with the number of a rank");
    }

    #[test]
    fn a_trace_is_told_from_a_schedule() {
        assert!(is_trace("\n0 init\n"));
        assert!(!is_trace("num_ranks 2\n") && !is_trace("rank0.txt\n"));
    }
}
