//! Which receive gets which message: the posted-receive queue and the unexpected-message queue of each task.
//!
//! The rules are those of MPI 4.1, sec. 3.5: a receive matches by communicator, source and tag (`channel`); messages
//! of one sender on one channel do not overtake each other; of several receives that fit, the one that was posted
//! first gets the message. Both queues are linked lists through the items themselves while they are short, and a hash
//! table of lists by channel where they are long (`queues`, `channel_queues`), as MPI libraries with hashed matching
//! have them (Flajslik, Dinan, Underwood: Mitigating MPI message matching misery, ISC 2016). `operation` and
//! `message` are one cache line each, `requests` are the open requests of a task, `completion` says how a wait
//! ends. This folder must not know networks nor when anything happens: times are given to it.

pub mod channel;
pub(crate) mod channel_queues;
pub mod completion;
pub(crate) mod linked_queue;
pub mod message;
pub mod operation;
pub mod queues;
pub mod requests;
