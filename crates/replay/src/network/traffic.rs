//! What each task sent to whom, and when the last of it came.
//!
//! With very many tasks there are many more pairs than tasks, so one takes no more than it has to: messages and bytes
//! share a word, and those few that outgrow it are counted in a table besides.

use crate::memory::task_tables::{TableCursor, TaskTables};
use chronos_activity::TaskId;
use chronos_base::hash::FxHashMap;
use chronos_base::units::{Bytes, Picoseconds};

/// Messages of one pair of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of messages.
    pub messages: u64,
    /// Sum of their sizes.
    pub bytes: Bytes,
}

#[derive(Clone, Debug, Default)]
pub struct TrafficCounters {
    /// Of each sender, by receiver.
    tables: TaskTables<u32, PairCounter>,
    /// By position, what did not fit.
    overflow: FxHashMap<u32, Traffic>,
}

/// User messages of one sender to one receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PairCounter {
    /// Messages above `BYTES` bits.
    packed: u64,
    /// Arrivals of a pair keep the order of sending: before this nothing more arrives.
    after: Picoseconds,
}

const BYTES: u32 = 40;
const MOST: Traffic = Traffic { messages: u64::MAX >> BYTES, bytes: Bytes((1 << BYTES) - 1) };

impl PairCounter {
    fn traffic(self) -> Traffic {
        Traffic { messages: self.packed >> BYTES, bytes: Bytes(self.packed & MOST.bytes.0) }
    }
}

impl TrafficCounters {
    /// One more message; where the table of the sender is, is told by `cursor`.
    #[inline]
    pub fn count(&mut self, cursor: &mut TableCursor, from: u32, to: u32, bytes: u64) {
        let pair = self.tables.entry(cursor, from, to);
        let Traffic { messages, bytes: Bytes(before) } = pair.traffic();
        match before.checked_add(bytes) {
            Some(bytes) if bytes <= MOST.bytes.0 && messages < MOST.messages => {
                pair.packed = (messages + 1) << BYTES | bytes;
            }
            _ => self.set(cursor.position(), |traffic| Traffic {
                messages: traffic.messages + 1,
                bytes: Bytes(traffic.bytes.0.saturating_add(bytes)),
            }),
        }
    }

    /// The same of one that would come at `head`; when it comes.
    #[inline]
    pub fn in_order(
        &mut self,
        cursor: &mut TableCursor,
        from: u32,
        to: u32,
        bytes: u64,
        head: Picoseconds,
    ) -> Picoseconds {
        self.count(cursor, from, to, bytes);
        let pair = self.tables.at_mut(cursor.position());
        let head = head.max(pair.after);
        pair.after = head + Picoseconds(1);
        head
    }

    fn traffic(&self, position: u32, pair: PairCounter) -> Traffic {
        let (packed, overflow) = (pair.traffic(), self.overflow.get(&position).copied().unwrap_or_default());
        Traffic {
            messages: packed.messages + overflow.messages,
            bytes: Bytes(packed.bytes.0.saturating_add(overflow.bytes.0)),
        }
    }

    #[cold]
    fn set(&mut self, position: u32, change: impl FnOnce(Traffic) -> Traffic) {
        let before = self.traffic(position, *self.tables.at(position));
        self.tables.at_mut(position).packed = 0;
        self.overflow.insert(position, change(before));
    }

    /// Shows all counts, always in the same order.
    pub fn show(&mut self, show: &mut dyn FnMut(&mut u64)) {
        for position in 0..self.tables.len() as u32 {
            let before = self.traffic(position, *self.tables.at(position));
            let mut traffic = before;
            show(&mut traffic.messages);
            show(&mut traffic.bytes.0);
            if traffic != before {
                self.set(position, |_| traffic);
            }
        }
    }

    /// When the next message of each pair may come.
    pub fn times(&self) -> impl Iterator<Item = Picoseconds> {
        self.tables.values().map(|pair| pair.after)
    }

    pub fn shift(&mut self, by: Picoseconds) {
        self.tables.values_mut().for_each(|pair| pair.after += by);
    }

    /// Prefetches what was found last for a task, which tells what is probably wanted next.
    #[inline]
    pub fn prefetch(&self, cursor: TableCursor, task: u32) {
        self.tables.prefetch(cursor, task);
    }

    /// Brings that near.
    #[inline]
    pub(crate) fn prefetch_expected(&self, cursor: TableCursor) {
        self.tables.prefetch_expected(cursor);
    }

    /// Number of pairs of sender and receiver.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Of all senders.
    pub fn values(&self) -> impl Iterator<Item = Traffic> {
        (0..).zip(self.tables.values()).map(|(position, &pair)| self.traffic(position, pair))
    }

    /// To whom a task sent, in any order.
    pub fn unsorted(&self, cursor: TableCursor) -> impl Iterator<Item = (TaskId, Traffic)> {
        self.tables.positions(cursor).map(|(position, &to, &pair)| (TaskId(to), self.traffic(position, pair)))
    }

    /// To whom a task sent, sorted.
    pub fn of(&self, cursor: TableCursor) -> Vec<(TaskId, Traffic)> {
        let mut all: Vec<_> = self.unsorted(cursor).collect();
        // Mostly few stretches in order, which this kind of sorting makes use of.
        all.sort_by_key(|&(to, _)| to);
        all
    }
}

/// Traffic of all pairs that sent something to each other.
#[derive(Clone, Debug, Default)]
pub struct TrafficMatrix {
    sent_traffic: TrafficCounters,
    /// By sender.
    tables: Vec<TableCursor>,
}

impl TrafficMatrix {
    /// Traffic with the table of each sender in it, by rank.
    pub fn new(sent_traffic: TrafficCounters, tables: Vec<TableCursor>) -> Self {
        Self { sent_traffic, tables }
    }

    /// Sorted by sender, then receiver.
    pub fn iter(&self) -> impl Iterator<Item = ((TaskId, TaskId), Traffic)> {
        let of =
            |(from, &cursor)| self.sent_traffic.of(cursor).into_iter().map(move |(to, traffic)| ((from, to), traffic));
        (0..).map(TaskId).zip(&self.tables).flat_map(of)
    }

    /// In any order.
    pub fn unsorted(&self) -> impl Iterator<Item = ((TaskId, TaskId), Traffic)> {
        let of = |(from, &cursor)| self.sent_traffic.unsorted(cursor).map(move |(to, traffic)| ((from, to), traffic));
        (0..).map(TaskId).zip(&self.tables).flat_map(of)
    }

    /// In any order.
    pub fn values(&self) -> impl Iterator<Item = Traffic> {
        self.sent_traffic.values()
    }

    /// What one task sent to another; `None` where it sent nothing.
    pub fn get(&self, from: TaskId, to: TaskId) -> Option<Traffic> {
        let all = self.sent_traffic.of(*self.tables.get(from.0 as usize)?);
        let position = all.binary_search_by_key(&to, |&(to, _)| to).ok()?;
        Some(all[position].1)
    }

    /// Number of pairs of tasks between which messages were sent.
    pub fn len(&self) -> usize {
        self.sent_traffic.len()
    }

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl PartialEq for TrafficMatrix {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for TrafficMatrix {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_outgrows_its_room_is_counted() {
        let (mut sent_traffic, mut cursor) = (TrafficCounters::default(), TableCursor::default());
        let sizes = [1 << 39, 1 << 39, 7, 1 << 41, 3];
        sizes.iter().for_each(|&bytes| sent_traffic.count(&mut cursor, 0, 1, bytes));
        sent_traffic.count(&mut cursor, 0, 2, 5);
        let all = Traffic { messages: 5, bytes: Bytes(sizes.iter().sum()) };
        let one = Traffic { messages: 1, bytes: Bytes(5) };
        assert_eq!(sent_traffic.of(cursor), [(TaskId(1), all), (TaskId(2), one)]);
        sent_traffic.show(&mut |count| *count <<= 23);
        let more = |Traffic { messages, bytes }| Traffic { messages: messages << 23, bytes: Bytes(bytes.0 << 23) };
        sent_traffic.count(&mut cursor, 0, 2, 0);
        let again = Traffic { messages: (1 << 23) + 1, bytes: Bytes(5 << 23) };
        assert_eq!(sent_traffic.of(cursor), [(TaskId(1), more(all)), (TaskId(2), again)]);
        assert_eq!(sent_traffic.values().collect::<Vec<_>>(), [more(all), again]);
    }

    #[test]
    fn messages_of_a_pair_keep_their_order() {
        let (mut sent_traffic, mut cursor) = (TrafficCounters::default(), TableCursor::default());
        let mut head = |to, at| sent_traffic.in_order(&mut cursor, 0, to, 8, Picoseconds(at)).0;
        assert_eq!([head(1, 9), head(1, 4), head(2, 4), head(1, 30)], [9, 10, 4, 30]);
    }

    #[test]
    fn a_pair_takes_no_more_than_two_words() {
        assert_eq!(size_of::<PairCounter>(), 16);
    }
}
