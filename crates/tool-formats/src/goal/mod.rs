//! GOAL (group operation assembly language): schedules of LogGOPSim and its tools, as text.
//!
//! `num_ranks 2  rank 0 { l1: calc 100  l2: send 8b to 1 tag 0  l2 requires l1 } ...`: durations in ns, sizes in
//! bytes, `requires` waits for an end, `irequires` for a begin. -1 as sender or tag of a receive takes any.

mod blocks;
mod feed;
mod graph;
mod labels;
mod parse;
mod read;
mod steps;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub use feed::{ScheduleFeed, replay};
pub use read::{parse, read};
pub use write::render;

/// Whether a file that begins like this is a schedule: the number of ranks stands first, behind blanks and comments.
pub fn is_schedule(begin: &[u8]) -> bool {
    let mut text = text::Text::new(begin, 0);
    text.skip();
    text.rest().starts_with(b"num_ranks")
}
