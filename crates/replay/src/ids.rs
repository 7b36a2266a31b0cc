//! Ids of what is under way in a replay. Four bytes each; a newtype per kind keeps a message from being taken for an
//! operation.

use crate::memory::slab::slab_ids;

chronos_base::define_ids! {
    /// A node of the machine: it has the ports of its tasks' messages, and their processors.
    NodeId = "node";
    /// An operation under way: a send, a receive or a non-blocking collective operation.
    OpId = "op";
    /// A message under way, or waiting for its receive.
    MsgId = "msg";
    /// One member's part in a collective operation under way.
    FrameId = "frame";
}

slab_ids! { OpId MsgId FrameId }
