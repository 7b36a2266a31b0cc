//! Receives that wait for messages, and messages that wait for receives.

use super::course::Receive;
use super::messages::Message;
use crate::matching::operation::Completion;
use crate::network::cost::MessageCost;
use crate::network::origins::Origin;
use chronos_activity::TaskId;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use std::collections::VecDeque;

/// How something completed, and on whom that depended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Completed {
    pub completion: Completion,
    pub origin: Origin,
}

impl Default for Completed {
    fn default() -> Self {
        let (at, from) = (Picoseconds::ZERO, TaskId(0));
        Self { completion: Completion { at, overhead: at, partner: at, left: at, from }, origin: Origin::default() }
    }
}

impl Completed {
    /// Of a receive by its message, which is there.
    pub fn received(message: &Message, cost: &MessageCost) -> Self {
        let &Message { at, partner, left, from, origin, .. } = message;
        let from = TaskId(from);
        Self { completion: Completion { at, overhead: cost.recv_overhead, partner, left, from }, origin }
    }
}

/// A receive of a call that waits for its message.
#[derive(Clone, Copy, Debug)]
struct Posted {
    from: u32,
    tag: i32,
    comm: u32,
    /// Among all receives, which may wrap around.
    number: u32,
    room: u64,
    at: Picoseconds,
}

/// Its sender is no task.
const NOT_POSTED: Posted = Posted { from: u32::MAX, tag: 0, comm: 0, number: 0, room: 0, at: Picoseconds::ZERO };

/// Where a receive of a call is besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// It is posted, or there is none.
    Open,
    /// The same, and a wait lacks it.
    Awaited,
    Complete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Channel {
    from: u32,
    tag: i32,
    comm: u32,
    is_inside: bool,
}

impl Channel {
    fn of(message: &Message) -> Self {
        let &Message { from, tag, comm, kind, .. } = message;
        Self { from, tag, comm, is_inside: kind.is_inside() }
    }
}

/// A message without a receive of its size.
pub(super) struct TooLong;

/// A receive that a message gets.
pub(super) struct Taken {
    pub slot: u16,
    /// When it was posted.
    pub posted: Picoseconds,
    /// Whether the message fills its room.
    pub fills: bool,
}

/// All tasks.
pub(super) struct Inbox {
    posted: Vec<Posted>,
    slots: Vec<Slot>,
    completed: Vec<Completed>,
    /// Of each task, the first of its slots; then their number.
    first: Vec<u32>,
    early: Vec<Vec<Message>>,
    /// Early messages of tasks that have many, by receiver.
    more: FxHashMap<(u32, Channel), VecDeque<Message>>,
    receives: u32,
}

/// So many early messages of a task are looked through.
const FEW: usize = 16;

impl Inbox {
    /// Of tasks with so many slots each.
    pub fn new(slots: impl Iterator<Item = u16>) -> Self {
        let (mut first, mut count) = (vec![0], 0u32);
        for own in slots {
            count += u32::from(own);
            first.push(count);
        }
        let early = vec![Vec::new(); first.len() - 1];
        let (posted, slots) = (vec![NOT_POSTED; count as usize], vec![Slot::Open; count as usize]);
        let completed = vec![Completed::default(); count as usize];
        Self { posted, slots, completed, first, early, more: FxHashMap::default(), receives: 0 }
    }

    fn position(&self, task: u32, slot: u16) -> usize {
        self.first[task as usize] as usize + usize::from(slot)
    }

    /// Whether a wait lacks the receive of a slot; it does from now on.
    pub fn lacks(&mut self, task: u32, slot: u16) -> bool {
        let position = self.position(task, slot);
        let lacks = self.slots[position] != Slot::Complete;
        if lacks {
            self.slots[position] = Slot::Awaited;
        }
        lacks
    }

    /// A receive has its message; whether a wait lacked it.
    pub fn complete(&mut self, task: u32, slot: u16, completed: Completed) -> bool {
        let position = self.position(task, slot);
        self.completed[position] = completed;
        std::mem::replace(&mut self.slots[position], Slot::Complete) == Slot::Awaited
    }

    /// How the receive of a slot completed, which is free then.
    pub fn take_completed(&mut self, task: u32, slot: u16) -> Completed {
        let position = self.position(task, slot);
        self.slots[position] = Slot::Open;
        self.completed[position]
    }

    /// Posts a receive of a call at a time; the message that it gets, if that or its request is there.
    pub fn post(&mut self, task: u32, receive: &Receive, at: Picoseconds) -> Option<Message> {
        let &Receive { ahead, tag, comm, room, slot, .. } = receive;
        let from = task.wrapping_add(ahead);
        let found = self.take(task, Channel { from, tag, comm, is_inside: false });
        self.receives = self.receives.wrapping_add(1);
        if found.is_none() {
            let position = self.position(task, slot);
            self.posted[position] = Posted { from, tag, comm, number: self.receives, room, at };
        }
        found
    }

    /// The early message inside a collective operation from this sender.
    pub fn take_inside(&mut self, task: u32, from: u32, comm: u32) -> Option<Message> {
        self.take(task, Channel { from, tag: 0, comm, is_inside: true })
    }

    /// The receive of a call that waits for a message, if there is one; it waits no more.
    pub fn receive_of(&mut self, message: &Message, bytes: u64) -> Result<Option<Taken>, TooLong> {
        let (first, end) = (self.first[message.to as usize] as usize, self.first[message.to as usize + 1] as usize);
        let fits =
            |posted: &Posted| (posted.from, posted.tag, posted.comm) == (message.from, message.tag, message.comm);
        let mut oldest: Option<usize> = None;
        for (slot, posted) in self.posted[first..end].iter().enumerate().filter(|(_, posted)| fits(posted)) {
            // Of those that wait no number is far from another one.
            let is_older = |other: usize| self.posted[first + other].number.wrapping_sub(posted.number) < 1 << 31;
            if oldest.is_none_or(is_older) {
                oldest = Some(slot);
            }
        }
        let Some(slot) = oldest else { return Ok(None) };
        let posted = std::mem::replace(&mut self.posted[first + slot], NOT_POSTED);
        let taken = Taken { slot: slot as u16, posted: posted.at, fills: bytes == posted.room };
        if bytes > posted.room { Err(TooLong) } else { Ok(Some(taken)) }
    }

    /// Keeps a message that no receive waits for.
    pub fn keep(&mut self, message: Message) {
        let early = &mut self.early[message.to as usize];
        if early.len() < FEW {
            return early.push(message);
        }
        self.more.entry((message.to, Channel::of(&message))).or_default().push_back(message);
    }

    /// The one of a channel that was sent first.
    fn take(&mut self, task: u32, channel: Channel) -> Option<Message> {
        let early = &mut self.early[task as usize];
        let own = early.iter().enumerate().filter(|(_, message)| Channel::of(message) == channel);
        // Numbers of one sender may wrap around, and those that wait are near one another.
        let first = own.reduce(|one, other| if is_before(other.1, one.1) { other } else { one });
        let first = first.map(|(at, message)| (at, *message));
        let later = if self.more.is_empty() { None } else { self.more.get_mut(&(task, channel)) };
        let later = later.filter(|queue| {
            queue.front().is_some_and(|front| first.as_ref().is_none_or(|(_, message)| is_before(front, message)))
        });
        if let Some(queue) = later {
            let found = queue.pop_front();
            if queue.is_empty() {
                self.more.remove(&(task, channel));
            }
            return found;
        }
        first.map(|(at, _)| early.swap_remove(at))
    }

    /// Whether no message and no receive waits.
    pub fn is_empty(&self) -> bool {
        let none = self.early.iter().all(Vec::is_empty) && self.more.is_empty();
        none && self.posted.iter().all(|posted| posted.from == NOT_POSTED.from)
    }
}

fn is_before(one: &Message, other: &Message) -> bool {
    one.order.wrapping_sub(other.order) > 1 << 31
}
