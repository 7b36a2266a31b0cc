//! What messages share, and what they cost.
//!
//! The cost of a message (`cost`) is that of LogGP (Alexandrov, Ionescu, Schauser, Scheiman: LogGP, SPAA 1995) with
//! curves over the size instead of constants: overheads o of both processors, latency L, gap g per message and G per
//! byte; a synchronous protocol above the eager limit as in LogGPS (Ino, Fujimoto, Hagihara, PPoPP 2001). With
//! overheads and gaps of zero it is Hockney's t = t0 + n/r (Parallel Computing 20, 1994). `ports`: a node sends one
//! message after the other, and receives one after the other. `flows` and `fair_share`: on a topology messages share
//! links max-min fairly by progressive filling (Bertsekas, Gallager: Data Networks, 2nd ed., sec. 6.5.2). `traffic`
//! counts what each pair of tasks exchanged; `one_sided` has the locks of windows (MPI 4.1, sec. 12.5.3) and the file
//! system. This folder must not know tasks' programs, matching, or the queue of events.

pub mod cost;
pub(crate) mod fair_share;
pub mod flows;
pub mod one_sided;
pub(crate) mod origins;
pub mod ports;
pub mod traffic;
