//! What each task sent to whom, and when the last of it came.
//!
//! With very many tasks there are many more pairs than tasks, so one takes no more than it has to: messages and bytes share a
//! word, and those few that outgrow it are counted in a table besides.

use super::result::Traffic;
use super::rolls::{Roll, Rolls};
use crate::activity::TaskId;
use crate::hash::FastMap;
use crate::units::{Bytes, Picoseconds};

#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Of each sender, by receiver.
    rolls: Rolls<u32, Pair>,
    /// By position, what did not fit.
    large: FastMap<u32, Traffic>,
}

/// User messages of one sender to one receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pair {
    /// Messages above `BYTES` bits.
    few: u64,
    /// Arrivals of a pair keep the order of sending: before this nothing more arrives.
    after: Picoseconds,
}

const BYTES: u32 = 40;
const MOST: Traffic = Traffic { messages: u64::MAX >> BYTES, bytes: Bytes((1 << BYTES) - 1) };

impl Pair {
    fn traffic(self) -> Traffic {
        Traffic { messages: self.few >> BYTES, bytes: Bytes(self.few & MOST.bytes.0) }
    }
}

impl Pairs {
    /// One more message; where the table of the sender is, is told by `roll`.
    #[inline]
    pub fn count(&mut self, roll: &mut Roll, (from, to): (u32, u32), bytes: u64) {
        let pair = self.rolls.entry(roll, from, to);
        let Traffic { messages, bytes: Bytes(before) } = pair.traffic();
        match before.checked_add(bytes) {
            Some(bytes) if bytes <= MOST.bytes.0 && messages < MOST.messages => {
                pair.few = (messages + 1) << BYTES | bytes
            }
            _ => self.set(roll.position(), |traffic| Traffic {
                messages: traffic.messages + 1,
                bytes: Bytes(traffic.bytes.0.saturating_add(bytes)),
            }),
        }
    }

    /// The same of one that would come at `head`; when it comes.
    #[inline]
    pub fn in_order(&mut self, roll: &mut Roll, (from, to): (u32, u32), bytes: u64, head: Picoseconds) -> Picoseconds {
        self.count(roll, (from, to), bytes);
        let pair = self.rolls.at_mut(roll.position());
        let head = head.max(pair.after);
        pair.after = head + Picoseconds(1);
        head
    }

    fn traffic(&self, position: u32, pair: Pair) -> Traffic {
        let (few, large) = (pair.traffic(), self.large.get(&position).copied().unwrap_or_default());
        Traffic { messages: few.messages + large.messages, bytes: Bytes(few.bytes.0.saturating_add(large.bytes.0)) }
    }

    #[cold]
    fn set(&mut self, position: u32, change: impl FnOnce(Traffic) -> Traffic) {
        let before = self.traffic(position, *self.rolls.at(position));
        self.rolls.at_mut(position).few = 0;
        self.large.insert(position, change(before));
    }

    /// Shows all counts, always in the same order.
    pub fn show(&mut self, show: &mut dyn FnMut(&mut u64)) {
        for position in 0..self.rolls.len() as u32 {
            let before = self.traffic(position, *self.rolls.at(position));
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
        self.rolls.values().map(|pair| pair.after)
    }

    pub fn shift(&mut self, by: Picoseconds) {
        self.rolls.values_mut().for_each(|pair| pair.after += by);
    }

    /// Brings near what was found last for a task, which tells what is probably wanted next.
    #[inline]
    pub fn fetch(&self, roll: Roll, task: u32) {
        self.rolls.fetch(roll, task);
    }

    /// Brings that near.
    #[inline]
    pub fn fetch_expected(&self, roll: Roll) {
        self.rolls.fetch_expected(roll);
    }

    pub fn len(&self) -> usize {
        self.rolls.len()
    }

    /// Of all senders.
    pub fn values(&self) -> impl Iterator<Item = Traffic> {
        (0..).zip(self.rolls.values()).map(|(position, &pair)| self.traffic(position, pair))
    }

    /// To whom a task sent, in any order.
    pub fn unsorted(&self, roll: Roll) -> impl Iterator<Item = (TaskId, Traffic)> {
        self.rolls.positions(roll).map(|(position, &to, &pair)| (TaskId(to), self.traffic(position, pair)))
    }

    /// To whom a task sent, sorted.
    pub fn of(&self, roll: Roll) -> Vec<(TaskId, Traffic)> {
        let mut all: Vec<_> = self.unsorted(roll).collect();
        // Mostly few stretches in order, which this kind of sorting makes use of.
        all.sort_by_key(|&(to, _)| to);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_outgrows_its_room_is_counted() {
        let (mut pairs, mut roll) = (Pairs::default(), Roll::default());
        let sizes = [1 << 39, 1 << 39, 7, 1 << 41, 3];
        sizes.iter().for_each(|&bytes| pairs.count(&mut roll, (0, 1), bytes));
        pairs.count(&mut roll, (0, 2), 5);
        let all = Traffic { messages: 5, bytes: Bytes(sizes.iter().sum()) };
        let one = Traffic { messages: 1, bytes: Bytes(5) };
        assert_eq!(pairs.of(roll), [(TaskId(1), all), (TaskId(2), one)]);
        pairs.show(&mut |count| *count <<= 23);
        let more = |Traffic { messages, bytes }| Traffic { messages: messages << 23, bytes: Bytes(bytes.0 << 23) };
        pairs.count(&mut roll, (0, 2), 0);
        let again = Traffic { messages: (1 << 23) + 1, bytes: Bytes(5 << 23) };
        assert_eq!(pairs.of(roll), [(TaskId(1), more(all)), (TaskId(2), again)]);
        assert_eq!(pairs.values().collect::<Vec<_>>(), [more(all), again]);
    }

    #[test]
    fn messages_of_a_pair_keep_their_order() {
        let (mut pairs, mut roll) = (Pairs::default(), Roll::default());
        let mut head = |to, at| pairs.in_order(&mut roll, (0, to), 8, Picoseconds(at)).0;
        assert_eq!([head(1, 9), head(1, 4), head(2, 4), head(1, 30)], [9, 10, 4, 30]);
    }

    #[test]
    fn a_pair_takes_no_more_than_two_words() {
        assert_eq!(size_of::<Pair>(), 16);
    }
}
