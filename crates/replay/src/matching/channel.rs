//! What MPI matches by: communicator, source and tag (MPI 4.1, section 3.5), of one receiver.

use chronos_activity::{CommId, TaskId};

pub const ANY_SOURCE: TaskId = TaskId(u32::MAX);
pub const ANY_TAG: i32 = i32::MIN;

/// Marks the communicator of messages inside collective operations, which no user receive may match.
const INTERNAL: u32 = 1 << 31;

/// Where a message goes, or what a receive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    pub to: TaskId,
    pub from: TaskId,
    comm: u32,
    pub tag: i32,
}

impl Channel {
    #[inline]
    pub fn user(to: TaskId, from: Option<TaskId>, comm: CommId, tag: Option<i32>) -> Self {
        Self { to, from: from.unwrap_or(ANY_SOURCE), comm: comm.0, tag: tag.unwrap_or(ANY_TAG) }
    }

    /// `instance` keeps operations apart that are under way at the same time.
    pub fn internal(to: TaskId, from: TaskId, comm: CommId, instance: u32) -> Self {
        Self { to, from, comm: comm.0 | INTERNAL, tag: (instance & 0x7fff_ffff) as i32 }
    }

    #[inline]
    pub fn is_user(self) -> bool {
        self.comm & INTERNAL == 0
    }

    pub fn comm(self) -> CommId {
        CommId(self.comm & !INTERNAL)
    }

    /// For comparisons.
    pub fn words(self) -> (u64, u64) {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        (pair(self.to.0, self.from.0), pair(self.comm, self.tag as u32))
    }

    #[inline]
    pub fn is_wild(self) -> bool {
        self.from == ANY_SOURCE || self.tag == ANY_TAG
    }

    /// Whether a receive or probe of `self` takes a message of `message`.
    pub fn accepts(self, message: Self) -> bool {
        self.comm == message.comm
            && (self.from == ANY_SOURCE || self.from == message.from)
            && (self.tag == ANY_TAG || self.tag == message.tag)
    }

    /// The channels in which a receive for a message of this channel may wait.
    pub fn patterns(self) -> [Self; 4] {
        let from = Self { from: ANY_SOURCE, ..self };
        let tag = Self { tag: ANY_TAG, ..self };
        [self, from, tag, Self { from: ANY_SOURCE, ..tag }]
    }
}

/// What tells the channels of one receiver apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChannelSource {
    from: TaskId,
    comm: u32,
    tag: i32,
}

impl Channel {
    #[inline]
    pub fn source(self) -> ChannelSource {
        ChannelSource { from: self.from, comm: self.comm, tag: self.tag }
    }
}
