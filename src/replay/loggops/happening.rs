//! What happens to one task at one time.

use std::cmp::Ordering;

/// Kinds of happenings in the order of those that become known at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Send,
    Recv,
    Compute,
    /// A message is taken from the interface, whether or not there is a receive for it.
    Take,
    /// Several operations, in a list, one after the other as if each had a happening of its own.
    Several,
}

/// Ordered by time, then as they became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Happening {
    pub time: u64,
    /// As they became known, then the kind, then whether the first of a line may go on now, which is the lowest bit.
    order: u64,
    pub host: u32,
    /// An operation, a message, or the first of several.
    pub what: u32,
}

const KINDS: [Kind; 8] = {
    let mut kinds = [Kind::Several; 8];
    (kinds[0], kinds[1], kinds[2], kinds[3]) = (Kind::Send, Kind::Recv, Kind::Compute, Kind::Take);
    kinds
};

impl Ord for Happening {
    /// As one number, which needs no branches.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Happening {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Happening {
    /// No two have the same, unless one of them is void.
    #[inline]
    pub fn key(self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.order)
    }

    #[inline]
    pub fn new((time, number): (u64, u64), kind: Kind, in_line: bool, (host, what): (u32, u32)) -> Self {
        Self { time, order: number << 4 | (kind as u64) << 1 | u64::from(in_line), host, what }
    }

    #[inline]
    pub fn number(self) -> u64 {
        self.order >> 4
    }

    #[inline]
    pub fn kind(self) -> Kind {
        KINDS[(self.order >> 1 & 7) as usize]
    }

    #[inline]
    pub fn in_line(self) -> bool {
        self.order & 1 != 0
    }
}
