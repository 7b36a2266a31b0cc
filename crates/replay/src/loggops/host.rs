//! One task, with all that a message touches of it in few lines of the processor's caches.

use super::event::HostEventKind;
use super::ids::{HostMessageId, QueueEntryId};
use super::message::{HostMessage, Pattern};
use super::model::TaskOutcome;
use super::posted::{ListedReceives, OpenOperations, PostedReceives};
use super::processor_queue::{NOTHING, ProcessorQueue, QueueEntry};
use crate::matching::queues::{MatchingQueues, QueueSide};
use crate::memory::slab::Slab;
use chronos_activity::frontier::Frontier;
use chronos_activity::schedule::Schedule;
use chronos_base::hash::FxHashMap;
use chronos_base::prefetch::prefetch;

/// What is asked for together stands together, in lines of 64 bytes.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct GraphHost {
    /// Until when the first processor is busy.
    busy: u64,
    /// Until when the interface sends, and takes messages.
    pub sends: u64,
    pub receives: u64,
    pub spent: TimeSpent,
    /// Where its operations begin in the schedule.
    pub begin: usize,

    /// Of the first processor, as that of others.
    next: (u64, u64),
    /// Of the first processor, as those of others.
    processor_queues: [ProcessorQueue; 4],
    /// Receives without a message.
    posted: PostedReceives,

    pub frontier: Frontier,

    /// Messages without a receive as they were taken; receives where they are many.
    matching_queues: MatchingQueues,
    /// Messages taken so far without a receive.
    taken: u32,
    /// Processors besides the first.
    others: Option<Box<FxHashMap<u16, ExtraProcessor>>>,
}

/// Times in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TimeSpent {
    pub end: u64,
    pub compute: u64,
    pub send: u64,
    pub recv: u64,
}

#[derive(Clone, Debug)]
struct ExtraProcessor {
    busy: u64,
    /// For when and for whom of those in line an event is in the queue; others are void.
    next: (u64, u64),
    /// What waits for it, by kind.
    processor_queues: [ProcessorQueue; 4],
}

impl Default for ExtraProcessor {
    fn default() -> Self {
        Self { busy: 0, next: NOTHING, processor_queues: Default::default() }
    }
}

impl GraphHost {
    pub fn new(begin: usize, frontier: Frontier) -> Self {
        let ExtraProcessor { busy, next, processor_queues } = ExtraProcessor::default();
        let (sends, receives, spent, others) = Default::default();
        let (posted, matching_queues, taken) = Default::default();
        Self {
            busy,
            sends,
            receives,
            spent,
            begin,
            next,
            processor_queues,
            posted,
            frontier,
            matching_queues,
            taken,
            others,
        }
    }

    fn other(&mut self, cpu: u16) -> &mut ExtraProcessor {
        self.others.get_or_insert_default().entry(cpu).or_default()
    }

    /// What waits for a processor.
    #[inline]
    pub(crate) fn processor_queue_mut(&mut self, kind: HostEventKind, cpu: u16) -> &mut ProcessorQueue {
        let processor_queues =
            if cpu == 0 { &mut self.processor_queues } else { &mut self.other(cpu).processor_queues };
        &mut processor_queues[kind as usize]
    }

    /// What waits for a processor, by kind of event.
    #[inline]
    pub(crate) fn processor_queues(&self, cpu: u16) -> Option<&[ProcessorQueue; 4]> {
        if cpu == 0 { Some(&self.processor_queues) } else { Some(&self.others.as_ref()?.get(&cpu)?.processor_queues) }
    }

    /// For when and for whom of those in line for a processor an event is in the queue; others are void.
    #[inline]
    pub(crate) fn next_mut(&mut self, cpu: u16) -> &mut (u64, u64) {
        if cpu == 0 { &mut self.next } else { &mut self.other(cpu).next }
    }

    /// Until when a processor is busy.
    #[inline]
    pub fn busy(&self, cpu: u16) -> u64 {
        let other = || self.others.as_ref().and_then(|others| others.get(&cpu));
        if cpu == 0 { self.busy } else { other().map_or(0, |other| other.busy) }
    }

    #[inline]
    pub fn occupy(&mut self, cpu: u16, until: u64) {
        *(if cpu == 0 { &mut self.busy } else { &mut self.other(cpu).busy }) = until;
    }

    /// Lets a receive wait for its message.
    #[inline]
    pub fn post(&mut self, schedule: &Schedule, operation: u32, all: &mut ListedReceives) {
        let open = OpenOperations { schedule, begin: self.begin, base: self.frontier.base() };
        self.posted.post(open, operation, &mut self.matching_queues, all);
    }

    /// The receive for a message that was posted first.
    #[inline]
    pub(crate) fn posted_for(
        &mut self,
        schedule: &Schedule,
        message: &HostMessage,
        all: &mut ListedReceives,
    ) -> Option<u32> {
        let open = OpenOperations { schedule, begin: self.begin, base: self.frontier.base() };
        self.posted.take(open, message, &mut self.matching_queues, all)
    }

    /// Lets a message wait for its receive.
    pub fn keep(&mut self, message: HostMessageId, all: &mut Slab<HostMessageId, HostMessage>) {
        self.taken += 1;
        all[message].number = self.taken;
        self.matching_queues.append(QueueSide::Unexpected, message, all);
    }

    /// The first message that a receive takes.
    pub fn unexpected(
        &mut self,
        pattern: Pattern,
        all: &mut Slab<HostMessageId, HostMessage>,
    ) -> Option<HostMessageId> {
        let wanted = match pattern.is_wild() {
            true => {
                let fits = |&item: &HostMessageId| pattern.accepts(&all[item]);
                let items = self.matching_queues.items(QueueSide::Unexpected, all);
                let first = items.into_iter().filter(fits).min_by_key(|&item| all[item].number)?;
                all[first].pattern()
            }
            false => pattern,
        };
        self.matching_queues.pop(QueueSide::Unexpected, wanted.channel(), all)
    }

    /// Brings it near.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.busy);
        prefetch(&self.next);
        prefetch(&self.frontier);
        prefetch(&self.matching_queues);
    }

    /// Prefetches what is first in lines.
    #[inline]
    pub(crate) fn prefetch_queues(&self, all: &Slab<QueueEntryId, QueueEntry>) {
        self.processor_queues.iter().for_each(|processor_queue| processor_queue.prefetch(all));
    }

    pub fn outcome(&self, length: u32) -> TaskOutcome {
        let TimeSpent { end, compute, send, recv } = self.spent;
        TaskOutcome { end, compute, send, recv, stuck: Some(self.frontier.base()).filter(|&open| open < length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_often_is_in_three_lines_of_the_cache() {
        assert_eq!((size_of::<GraphHost>(), size_of::<HostMessage>(), size_of::<Frontier>()), (256, 32, 64));
    }
}
