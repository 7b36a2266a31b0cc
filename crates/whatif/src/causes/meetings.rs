//! When two tasks met last: a message between them, or a collective operation of both.

use chronos_activity::{CommId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Picoseconds;
use chronos_replay::{Late, Wait, WaitingLog};

/// When a task and another one went on behind a meeting.
type Met = (Picoseconds, Picoseconds);

/// All meetings, by the two tasks.
pub struct Meetings<'l> {
    /// Own time and the other's, in the order of own time; each message is there for both of its ends.
    messages: FxHashMap<(TaskId, TaskId), Vec<Met>>,
    log: &'l WaitingLog,
}

impl<'l> Meetings<'l> {
    pub fn new(log: &'l WaitingLog) -> Self {
        let mut messages = FxHashMap::default();
        for (&(low, high), met) in &log.meetings {
            let mut own: Vec<Met> = met.clone();
            let mut other: Vec<Met> = met.iter().map(|&(low, high)| (high, low)).collect();
            own.sort_unstable();
            other.sort_unstable();
            messages.extend([((low, high), own), ((high, low), other)]);
        }
        Self { messages, log }
    }

    /// When both went on behind their last meeting before a wait; at the begin of the program where they never met. A task
    /// may have met others since it came to a call, so that meeting is the last one that lies before both ends.
    pub fn last(&self, wait: &Wait, late: Late) -> Met {
        let is_before = |met: &Met| met.0 <= wait.begin && met.1 <= late.came;
        let messages = self.messages.get(&(wait.task, late.task)).map_or(&[][..], Vec::as_slice);
        let until = messages.partition_point(|met| met.0 <= wait.begin);
        let message = messages[..until].iter().rev().find(|met| is_before(met)).copied();
        let operations = &self.log.collectives[wait.task.index()];
        let together = operations.keys().filter_map(|&comm| self.together(comm, wait, late));
        together.chain(message).max().unwrap_or_default()
    }

    /// The last operation of a communicator that both had left.
    fn together(&self, comm: CommId, wait: &Wait, late: Late) -> Option<Met> {
        let own = self.log.collectives[wait.task.index()].get(&comm)?;
        let other = self.log.collectives[late.task.index()].get(&comm)?;
        let until = own.partition_point(|left| left.1 <= wait.begin);
        own[..until].iter().rev().find_map(|&(number, own_left)| {
            let found = other.binary_search_by_key(&number, |left| left.0).ok()?;
            Some((own_left, other[found].1)).filter(|met| met.1 <= late.came)
        })
    }
}
