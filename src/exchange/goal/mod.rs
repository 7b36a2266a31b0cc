//! GOAL (group operation assembly language): schedules of LogGOPSim and its tools, as text.
//!
//! `num_ranks 2  rank 0 { l1: calc 100  l2: send 8b to 1 tag 0  l2 requires l1 } ...`: durations in ns, sizes in
//! bytes, `requires` waits for an end, `irequires` for a begin. -1 as sender or tag of a receive takes any.

mod feed;
mod parse;
mod write;

pub use feed::ScheduleFeed;
pub use parse::parse;
pub use write::render;
