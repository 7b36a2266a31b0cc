//! Members of a collective operation that is timed as a whole, without its messages: their state and their waits.
//!
//! The rules are those of `matching::completion`. This module must not know the engine.

use crate::network::origins::Origin;
use chronos_activity::TaskId;
use chronos_base::units::Picoseconds;

/// A member, and the port of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WholeMember {
    pub task: TaskId,
    /// Where it is in time.
    pub clock: Picoseconds,
    pub idle: Picoseconds,
    /// When the last of those came that its progress depends on so far.
    pub partner: Picoseconds,
    pub out_free: Picoseconds,
    pub in_free: Picoseconds,
    /// What came last through the port, outwards and inwards.
    pub outwards: Origin,
    pub inwards: Origin,
    /// What it waited for last.
    pub binding: Option<WholeCompletion>,
}

/// Something that a member waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WholeCompletion {
    /// What it depended on last.
    pub origin: Origin,
    pub at: Picoseconds,
    /// When it, or whom it had waited for, came.
    pub partner: Picoseconds,
    /// Processor time that completing takes.
    pub overhead: Picoseconds,
}

impl WholeMember {
    /// Waits for one thing more.
    #[inline]
    pub fn complete(&mut self, completion: WholeCompletion) {
        if completion.at > self.clock {
            // Idle only until the partner has come; the rest of the wait is the transfer itself.
            self.idle += completion.partner.min(completion.at) - self.clock;
            self.binding = Some(completion);
            self.clock = completion.at;
        }
        self.clock += completion.overhead;
    }
}
