//! Ids of what is under way in the replay of a schedule, and what an event is about.

use crate::memory::slab::slab_ids;

chronos_base::define_ids! {
    /// A message in the order of events, under way or without a receive.
    HostMessageId = "message";
    /// A receive in a mailbox.
    ListedReceiveId = "receive";
    /// What waits for a processor.
    QueueEntryId = "entry";
    /// Operations of a task that are free at one time.
    OperationSetId = "set";
    /// A message of a task that goes on by itself, taken without a receive.
    UnexpectedId = "unexpected";
    /// What an event is about: an operation of its task, a message or a set of operations, as the kind of the event
    /// says. All are ordered by their number.
    Subject = "subject";
}

slab_ids! { HostMessageId ListedReceiveId QueueEntryId OperationSetId UnexpectedId }

impl Subject {
    /// The position of the operation in its task, of events of operations.
    #[inline]
    pub fn operation(self) -> u32 {
        self.0
    }

    /// Of events that take a message.
    #[inline]
    pub fn message(self) -> HostMessageId {
        HostMessageId(self.0)
    }

    /// Of events of several operations.
    #[inline]
    pub fn operation_set(self) -> OperationSetId {
        OperationSetId(self.0)
    }
}

impl From<HostMessageId> for Subject {
    #[inline]
    fn from(message: HostMessageId) -> Self {
        Self(message.0)
    }
}

impl From<OperationSetId> for Subject {
    #[inline]
    fn from(set: OperationSetId) -> Self {
        Self(set.0)
    }
}
