//! TODO

pub mod channel;
pub mod channel_queues;
pub mod completion;
pub mod message;
pub mod operation;
pub mod queues;
pub mod requests;
