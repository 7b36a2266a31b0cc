//! Completions of a wait in the order in which they come.

use super::message::Messages;
use super::operation::{Completion, PendingOps};
use super::requests::WaitItem;
use chronos_base::units::Picoseconds;

/// The number of a message of a sender that has sent so many, of which fewer than a `u32` tells apart are under way.
pub fn numbered(sent: u64, sequence: u32) -> u64 {
    sent.wrapping_sub(u64::from((sent as u32).wrapping_sub(sequence)))
}

/// A wait for several completions, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WaitSummary {
    pub end: Picoseconds,
    pub idle: Picoseconds,
    /// The completion that was waited for last.
    pub binding: Option<Completion>,
}

/// Completions are dealt with in the order in which they come, each taking its overhead.
#[inline]
pub(crate) fn complete_in_order(since: Picoseconds, completions: &mut [Completion]) -> WaitSummary {
    // In which order those of one time were dealt with hangs on where windows of events begin.
    if !completions.is_sorted_by(|one, next| one.at < next.at) {
        let key = |one: &Completion| (u128::from(one.at.0) << 64 | u128::from(one.partner.0), one.from);
        completions.sort_unstable_by_key(key);
    }
    let mut summary = WaitSummary { end: since, ..WaitSummary::default() };
    for completion in completions.iter() {
        // Idle only until the partner has come to its call; the rest of the wait is the transfer itself.
        if completion.at > summary.end {
            summary.idle += completion.partner.min(completion.at) - summary.end;
            summary.binding = Some(*completion);
        }
        // Overheads of receives follow one another on the one processor of the task.
        summary.end = summary.end.max(completion.at) + completion.overhead;
    }
    summary
}

/// How something that a task waits for completed, if it did.
#[inline]
pub(crate) fn completion_of(ops: &PendingOps, messages: &Messages, item: u32) -> Option<Completion> {
    match WaitItem::of(item) {
        WaitItem::Op(op) => ops[op].completion(),
        WaitItem::Message(message) => messages[message].received(),
        WaitItem::LazyReceive(_) => None,
    }
}
