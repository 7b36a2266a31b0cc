//! Messages between two tasks, and requests (MPI 4.0, chapter 3).

pub(crate) mod completion;
pub(crate) mod matched_probe;
pub(crate) mod persistent;
pub(crate) mod probe;
pub(crate) mod requests;
pub(crate) mod send_receive;
pub(crate) mod statuses;
