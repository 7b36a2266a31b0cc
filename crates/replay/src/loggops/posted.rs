//! Receives of a task without a message, in the order in which they were posted.
//!
//! A few are told by their operations alone, and what they receive is read from the schedule, which has it in one
//! place; more are in a mailbox, where each is found in constant time.

use super::ids::ListedReceiveId;
use super::message::{HostMessage, Pattern};
use crate::matching::channel::ChannelSource;
use crate::matching::linked_queue::QueueItems;
use crate::matching::queues::{MatchingQueues, QueueSide};
use crate::memory::slab::{NONE, Slab};
use chronos_activity::TaskId;
use chronos_activity::schedule::{ANY, Action, Schedule};

/// Those of one task. Where any are in its mailbox, all are.
#[derive(Debug, Default)]
pub(super) struct PostedReceives {
    /// Operations modulo 256.
    inline: [u8; INLINE],
    count: u8,
}

const INLINE: usize = 15;

/// Receives of all tasks that are in mailboxes.
#[derive(Debug, Default)]
pub(super) struct ListedReceives {
    slab: Slab<ListedReceiveId, ListedReceive>,
    /// So many came to a mailbox.
    made: u64,
}

#[derive(Clone, Copy, Debug)]
struct ListedReceive {
    number: u64,
    pattern: Pattern,
    operation: u32,
    next: u32,
}

impl QueueItems for ListedReceives {
    type Id = ListedReceiveId;

    #[inline]
    fn source(&self, item: ListedReceiveId) -> ChannelSource {
        self.slab[item].pattern.channel().source()
    }

    #[inline]
    fn next(&self, item: ListedReceiveId) -> u32 {
        self.slab[item].next
    }

    #[inline]
    fn link(&mut self, item: ListedReceiveId, next: u32) {
        self.slab[item].next = next;
    }
}

/// Operations of a task that have not ended.
#[derive(Clone, Copy)]
pub(super) struct OpenOperations<'s> {
    pub schedule: &'s Schedule,
    /// Where those of the task begin.
    pub begin: usize,
    /// The first that has not ended.
    pub base: u32,
}

impl OpenOperations<'_> {
    /// Sender and tag that a receive takes.
    #[inline]
    fn pattern(self, operation: u32) -> Pattern {
        match self.schedule.at(self.begin + operation as usize).action {
            Action::Recv { from, tag, .. } => Pattern { from: TaskId(from), tag },
            Action::Send { .. } | Action::Compute { .. } => Pattern { from: TaskId(ANY), tag: ANY },
        }
    }

    /// The first operation with this remainder.
    #[inline]
    fn nth(self, remainder: u8) -> u32 {
        self.base + u32::from(remainder.wrapping_sub(self.base as u8))
    }
}

impl PostedReceives {
    /// A receive waits for its message.
    #[inline]
    pub fn post(
        &mut self,
        open: OpenOperations,
        operation: u32,
        matching_queues: &mut MatchingQueues,
        all: &mut ListedReceives,
    ) {
        let has_room = usize::from(self.count) < INLINE && u8::try_from(operation - open.base).is_ok();
        if has_room && !matching_queues.has_items(QueueSide::Posted) {
            self.inline[usize::from(self.count)] = operation as u8;
            self.count += 1;
            return;
        }
        for earlier in 0..usize::from(std::mem::take(&mut self.count)) {
            all.post(open, open.nth(self.inline[earlier]), matching_queues);
        }
        all.post(open, operation, matching_queues);
    }

    /// The one for a message that was posted first, taken out.
    #[inline]
    pub fn take(
        &mut self,
        open: OpenOperations,
        message: &HostMessage,
        matching_queues: &mut MatchingQueues,
        all: &mut ListedReceives,
    ) -> Option<u32> {
        let count = usize::from(self.count);
        if count == 0 {
            return all.take(message.pattern(), matching_queues);
        }
        let fits = |&inline: &u8| open.pattern(open.nth(inline)).accepts(message);
        let position = self.inline[..count].iter().position(fits)?;
        let operation = open.nth(self.inline[position]);
        self.inline.copy_within(position + 1..count, position);
        self.count -= 1;
        Some(operation)
    }
}

impl ListedReceives {
    fn post(&mut self, open: OpenOperations, operation: u32, matching_queues: &mut MatchingQueues) {
        let pattern = open.pattern(operation);
        self.made += 1;
        let item = self.slab.insert(ListedReceive { number: self.made, pattern, operation, next: NONE });
        matching_queues.wildcards += u32::from(pattern.is_wild());
        matching_queues.append(QueueSide::Posted, item, self);
    }

    fn take(&mut self, wanted: Pattern, matching_queues: &mut MatchingQueues) -> Option<u32> {
        let item = self.first(wanted, matching_queues)?;
        let receive = self.slab[item];
        matching_queues.wildcards -= u32::from(receive.pattern.is_wild());
        let taken = matching_queues.pop(QueueSide::Posted, receive.pattern.channel(), self)?;
        self.slab.release(taken);
        Some(receive.operation)
    }

    fn first(&self, sent: Pattern, matching_queues: &MatchingQueues) -> Option<ListedReceiveId> {
        let head = |pattern: Pattern| matching_queues.head(QueueSide::Posted, pattern.channel(), self);
        if matching_queues.wildcards == 0 {
            return head(sent);
        }
        let anybody = TaskId(ANY);
        let patterns = [
            sent,
            Pattern { from: anybody, ..sent },
            Pattern { tag: ANY, ..sent },
            Pattern { from: anybody, tag: ANY },
        ];
        patterns.into_iter().filter_map(head).min_by_key(|&item| self.slab[item].number)
    }
}
