//! The open requests of a task, and what they stand for.
//!
//! With very many tasks each has a few of them, which are kept where they need no memory of their own. Where they are
//! more, those with small numbers are found without hashing: programs and schedules number them from 0 on.

use crate::ids::{MsgId, OpId};
use crate::memory::slab::NONE;
use chronos_activity::RequestId;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;

#[derive(Debug)]
pub struct Requests {
    /// As they began; behind them `FREE`.
    inline: [OpenRequest; INLINE],
    /// All of them, once they were more.
    table: Option<Box<RequestTable>>,
}

/// A request, and what it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRequest {
    number: u32,
    item: u32,
    /// Of a receive that has no record.
    pub posted: Picoseconds,
}

/// So many have room.
const INLINE: usize = 4;
const FREE: OpenRequest = OpenRequest { number: u32::MAX, item: NONE, posted: Picoseconds::ZERO };

/// What a request stands for, or a task waits for, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitItem {
    /// An operation with a record.
    Op(OpId),
    /// A receive that has none, and no message.
    LazyReceive(RequestId),
    /// The message of one that has none.
    Message(MsgId),
}

const UNRECORDED: u32 = 1 << 31;
const MESSAGE: u32 = 1 << 30;
/// Numbers below stand for requests and messages without records.
pub const MOST: u32 = MESSAGE - 1;

impl WaitItem {
    #[inline]
    pub fn of(number: u32) -> Self {
        match () {
            () if number & UNRECORDED == 0 => Self::Op(OpId(number)),
            () if number & MESSAGE == 0 => Self::LazyReceive(RequestId(number & MOST)),
            () => Self::Message(MsgId(number & MOST)),
        }
    }

    #[inline]
    pub fn number(self) -> u32 {
        match self {
            Self::Op(op) => op.0,
            Self::LazyReceive(RequestId(request)) => UNRECORDED | request,
            Self::Message(message) => UNRECORDED | MESSAGE | message.0,
        }
    }
}

impl OpenRequest {
    #[inline]
    pub fn request(self) -> RequestId {
        RequestId(self.number)
    }

    #[inline]
    pub fn item(self) -> WaitItem {
        WaitItem::of(self.item)
    }
}

#[derive(Debug, Default)]
struct RequestTable {
    /// Items by request; `NONE` where there is none.
    by_number: Vec<u32>,
    others: FxHashMap<RequestId, u32>,
}

/// Numbers below are near.
const DIRECT: u32 = 1 << 12;

impl Default for Requests {
    fn default() -> Self {
        Self { inline: [FREE; INLINE], table: None }
    }
}

impl Requests {
    #[inline]
    fn count(&self) -> usize {
        self.inline.iter().take_while(|open| open.item != NONE).count()
    }

    /// The first few, as they began.
    #[inline]
    pub fn inline(&self) -> &[OpenRequest] {
        &self.inline[..self.count()]
    }

    #[inline]
    fn position(&self, request: RequestId) -> Option<usize> {
        self.inline().iter().position(|open| open.number == request.0)
    }

    /// One more is kept without a piece of memory of its own.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.table.is_none() && self.count() < INLINE
    }

    #[inline]
    pub fn insert(&mut self, request: RequestId, op: u32) {
        if let Some(table) = &mut self.table {
            return table.insert(request, op);
        }
        match self.position(request) {
            Some(position) => self.inline[position].item = op,
            None => self.append(OpenRequest { number: request.0, item: op, posted: Picoseconds::ZERO }),
        }
    }

    /// A receive without a record, where there is room.
    #[inline]
    pub(crate) fn post_lazily(&mut self, request: RequestId, posted: Picoseconds) {
        self.append(OpenRequest { number: request.0, item: WaitItem::LazyReceive(request).number(), posted });
    }

    #[inline]
    fn append(&mut self, open: OpenRequest) {
        let count = self.count();
        if let Some(place) = self.inline.get_mut(count) {
            *place = open;
            return;
        }
        let mut table = Box::<RequestTable>::default();
        self.inline.iter().chain([&open]).for_each(|open| table.insert(open.request(), open.item));
        (self.table, self.inline) = (Some(table), [FREE; INLINE]);
    }

    #[inline]
    pub fn get(&self, request: RequestId) -> Option<u32> {
        match &self.table {
            Some(table) => table.get(request),
            None => self.position(request).map(|position| self.inline[position].item),
        }
    }

    #[inline]
    pub fn remove(&mut self, request: RequestId) {
        if let Some(table) = &mut self.table {
            return table.remove(request);
        }
        if let Some(position) = self.position(request) {
            self.inline.copy_within(position + 1.., position);
            self.inline[INLINE - 1] = FREE;
        }
    }

    /// What all requests stand for, by their numbers.
    pub fn items(&self) -> impl Iterator<Item = u32> {
        let mut inline = self.inline().to_vec();
        inline.sort_unstable_by_key(|open| open.number);
        inline.into_iter().map(|open| open.item).chain(self.table.iter().flat_map(|table| table.items()))
    }
}

impl RequestTable {
    fn insert(&mut self, request: RequestId, op: u32) {
        if request.0 >= DIRECT {
            self.others.insert(request, op);
            return;
        }
        let position = request.0 as usize;
        if self.by_number.len() <= position {
            self.by_number.resize(position + 1, NONE);
        }
        self.by_number[position] = op;
    }

    fn get(&self, request: RequestId) -> Option<u32> {
        match self.by_number.get(request.0 as usize) {
            Some(&op) => Some(op).filter(|&op| op != NONE),
            None => self.others.get(&request).copied(),
        }
    }

    fn remove(&mut self, request: RequestId) {
        match self.by_number.get_mut(request.0 as usize) {
            Some(op) => *op = NONE,
            None => _ = self.others.remove(&request),
        }
    }

    fn items(&self) -> impl Iterator<Item = u32> {
        let mut others: Vec<_> = self.others.iter().map(|(request, op)| (*request, *op)).collect();
        others.sort_unstable();
        self.by_number.iter().copied().filter(|&op| op != NONE).chain(others.into_iter().map(|(_, op)| op))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn they_are_found_whatever_their_numbers(
            steps in prop::collection::vec((any::<bool>(), prop_oneof![0u32..8, DIRECT - 2..DIRECT + 6]), 0..60),
        ) {
            let (mut requests, mut map) = (Requests::default(), BTreeMap::new());
            for (op, (begins, number)) in (0..).zip(steps) {
                let request = RequestId(number);
                if begins {
                    requests.insert(request, op);
                    map.insert(request, op);
                } else {
                    requests.remove(request);
                    map.remove(&request);
                }
                prop_assert_eq!(requests.get(request), map.get(&request).copied());
            }
            prop_assert!(requests.items().eq(map.into_values()));
        }
    }
}
