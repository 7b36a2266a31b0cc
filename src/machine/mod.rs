//! Machine and network files: their schemas, the embedded library of them, and their checks.
//! Must not know programs.

pub mod network;
