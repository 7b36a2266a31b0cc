//! The open requests of a task, and what they stand for.
//!
//! With very many tasks each has a few of them, which are kept where they need no memory of their own. Where they are more,
//! those with small numbers are found without hashing: programs and schedules number them from 0 on.

use super::slab::NONE;
use crate::activity::RequestId;
use crate::hash::FastMap;
use crate::units::Picoseconds;

#[derive(Debug)]
pub(super) struct Requests {
    /// As they began; behind them `FREE`.
    few: [Open; FEW],
    /// All of them, once they were more.
    many: Option<Box<Table>>,
}

/// A request, and what it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    number: u32,
    item: u32,
    /// Of a receive that has no record.
    pub posted: Picoseconds,
}

/// So many have room.
const FEW: usize = 4;
const FREE: Open = Open { number: u32::MAX, item: NONE, posted: Picoseconds::ZERO };

/// What a request stands for, or a task waits for, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// An operation with a record.
    Op(u32),
    /// A receive that has none, and no message.
    Implied(RequestId),
    /// The message of one that has none.
    Message(u32),
}

const UNRECORDED: u32 = 1 << 31;
const MESSAGE: u32 = 1 << 30;
/// Numbers below stand for requests and messages without records.
pub(super) const MOST: u32 = MESSAGE - 1;

impl Item {
    #[inline]
    pub fn of(number: u32) -> Self {
        match () {
            () if number & UNRECORDED == 0 => Self::Op(number),
            () if number & MESSAGE == 0 => Self::Implied(RequestId(number & MOST)),
            () => Self::Message(number & MOST),
        }
    }

    #[inline]
    pub fn number(self) -> u32 {
        match self {
            Self::Op(op) => op,
            Self::Implied(RequestId(request)) => UNRECORDED | request,
            Self::Message(message) => UNRECORDED | MESSAGE | message,
        }
    }
}

impl Open {
    #[inline]
    pub fn request(self) -> RequestId {
        RequestId(self.number)
    }

    #[inline]
    pub fn item(self) -> Item {
        Item::of(self.item)
    }
}

#[derive(Debug, Default)]
struct Table {
    /// Items by request; `NONE` where there is none.
    near: Vec<u32>,
    far: FastMap<RequestId, u32>,
}

/// Numbers below are near.
const NEAR: u32 = 1 << 12;

impl Default for Requests {
    fn default() -> Self {
        Self { few: [FREE; FEW], many: None }
    }
}

impl Requests {
    #[inline]
    fn count(&self) -> usize {
        self.few.iter().take_while(|open| open.item != NONE).count()
    }

    /// The first few, as they began.
    #[inline]
    pub fn few(&self) -> &[Open] {
        &self.few[..self.count()]
    }

    #[inline]
    fn position(&self, request: RequestId) -> Option<usize> {
        self.few().iter().position(|open| open.number == request.0)
    }

    /// One more is kept without a piece of memory of its own.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.many.is_none() && self.count() < FEW
    }

    #[inline]
    pub fn insert(&mut self, request: RequestId, op: u32) {
        if let Some(many) = &mut self.many {
            return many.insert(request, op);
        }
        match self.position(request) {
            Some(position) => self.few[position].item = op,
            None => self.append(Open { number: request.0, item: op, posted: Picoseconds::ZERO }),
        }
    }

    /// A receive without a record, where there is room.
    #[inline]
    pub fn imply(&mut self, request: RequestId, posted: Picoseconds) {
        self.append(Open { number: request.0, item: Item::Implied(request).number(), posted });
    }

    #[inline]
    fn append(&mut self, open: Open) {
        let count = self.count();
        if let Some(place) = self.few.get_mut(count) {
            *place = open;
            return;
        }
        let mut many = Box::<Table>::default();
        self.few.iter().chain([&open]).for_each(|open| many.insert(open.request(), open.item));
        (self.many, self.few) = (Some(many), [FREE; FEW]);
    }

    #[inline]
    pub fn get(&self, request: RequestId) -> Option<u32> {
        match &self.many {
            Some(many) => many.get(request),
            None => self.position(request).map(|position| self.few[position].item),
        }
    }

    #[inline]
    pub fn remove(&mut self, request: RequestId) {
        if let Some(many) = &mut self.many {
            return many.remove(request);
        }
        if let Some(position) = self.position(request) {
            self.few.copy_within(position + 1.., position);
            self.few[FEW - 1] = FREE;
        }
    }

    /// What all requests stand for, by their numbers.
    pub fn items(&self) -> impl Iterator<Item = u32> {
        let mut few = self.few().to_vec();
        few.sort_unstable_by_key(|open| open.number);
        few.into_iter().map(|open| open.item).chain(self.many.iter().flat_map(|many| many.items()))
    }
}

impl Table {
    fn insert(&mut self, request: RequestId, op: u32) {
        if request.0 >= NEAR {
            self.far.insert(request, op);
            return;
        }
        let position = request.0 as usize;
        if self.near.len() <= position {
            self.near.resize(position + 1, NONE);
        }
        self.near[position] = op;
    }

    fn get(&self, request: RequestId) -> Option<u32> {
        match self.near.get(request.0 as usize) {
            Some(&op) => Some(op).filter(|&op| op != NONE),
            None => self.far.get(&request).copied(),
        }
    }

    fn remove(&mut self, request: RequestId) {
        match self.near.get_mut(request.0 as usize) {
            Some(op) => *op = NONE,
            None => _ = self.far.remove(&request),
        }
    }

    fn items(&self) -> impl Iterator<Item = u32> {
        let mut far: Vec<_> = self.far.iter().map(|(request, op)| (*request, *op)).collect();
        far.sort_unstable();
        self.near.iter().copied().filter(|&op| op != NONE).chain(far.into_iter().map(|(_, op)| op))
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
            steps in prop::collection::vec((any::<bool>(), prop_oneof![0u32..8, NEAR - 2..NEAR + 6]), 0..60),
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
