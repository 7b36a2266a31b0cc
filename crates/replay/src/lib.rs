//! Replay: discrete-event simulation of tasks and messages on networks, with collective operations and deadlock.
//!
//! # Purpose
//!
//! The replay tells when each task computes, sends, receives and waits, and how long. It is the only driver of an
//! evaluation: it asks the feed for the next step of a task when the task's previous step is complete on the
//! simulated clock. It knows neither C nor what blocks contain: computing steps are priced by its caller.
//!
//! # How it works
//!
//! **Order.** What depends on the order in which tasks act (receives from any source, probes, tests, Waitany, sends
//! through a shared port, aborts) is done in the order of simulated time. Of things at one time, deliveries come
//! first, those at one port by rank of the sender, then the task of lower rank. A receive from any source therefore
//! gets what arrives first. Everything else a task does at once, ahead of the others (`engine::steps`).
//!
//! **Messages.** The sender spends its overhead. An eager message goes to the port of the sender's node and from
//! there (after the latency, and after its first frame where a switch stores and forwards) to the receiver's port; it
//! has arrived when it left that. A rendezvous message sends a request, waits for its receive, and goes the same way
//! after the grant; its send is complete when it left the sender's port. A receive is complete when the message has
//! arrived and the receiver spent its overhead (`engine::transfer`). Costs are curves over the size from the network
//! file (`network::cost`).
//!
//! **Ports.** A port is full-duplex: both directions at once take no longer than one. Measured exchanges of 128 KiB
//! and more are bimodal, up to twice that; a calibrated network says how much longer messages take that meet others
//! between the same nodes. These leave the port to others meanwhile, but those of the same two tasks do not overtake
//! them. Within a node there are no ports.
//!
//! **Topologies.** On a topology, messages are flows over all links of their route instead (`network::flows`). Rates
//! come from progressive filling in integers and are shared out anew for the flows connected with what changed. Of
//! two tasks, messages in one direction follow one another.
//!
//! **Matching.** `matching` has the posted receives and the unexpected messages of each task. As long as no receive
//! of a task has a wildcard, who matches whom is decided when the later of both appears. A receive that its feed can
//! tell again (`Feed::pending_receive`: schedules can) has no record as long as its task only sends, receives without
//! wildcards and waits for all (`engine::lazy_receive`).
//!
//! **Collective operations.** Every member goes through the rounds of its part of an algorithm, which the network
//! file chooses (`collective::plan`, `collective::patterns`). Measured times scale the messages of the algorithm by
//! the factor with which the benchmark's own program, replayed, takes the measured time (`collective::correction`).
//!
//! An operation of all tasks around a ring, or of each with each at once, has as many messages as the square of the tasks.
//! Where no other message can meet them it is timed as a whole (`engine::held`), with the same result.
//!
//! **Windows and files.** Locks of windows wait for one another, and the file system serves one request after the
//! other (`engine::one_sided`). An access to memory is a message there and one back, or a bare confirmation.
//!
//! **Polls.** A feed that knows that failing polls change nothing gives a `Step::Spin`. The task then sleeps until
//! something comes that one of the polls looks for, and the replay says how many whole periods went by
//! (`engine::spin`). All other polls are replayed one by one.
//!
//! **Processors.** Tasks that compute on a node with too few processors share them (`task::processors`).
//!
//! **Repeating iterations.** `engine::steady` compares the state of the whole replay, seen from one task's clock,
//! after a few iterations in a row and again ever more rarely. Where it recurs, clocks and counters advance by as
//! many periods as every repeat still has. The result is that of the full replay (`--no-jump-ahead`).
//!
//! **Plain jobs.** Many tasks on nodes of their own that name all partners and wait for all are replayed with a fraction of the
//! state (`plain`), and the same result.
//!
//! **Schedules.** [`loggops`] times schedules by the six parameters of LogGOPS alone. [`unfold`] makes a schedule of
//! a recorded activity.
//!
//! **Memory.** With many tasks or messages the replay is bound by memory. `task::state` therefore holds what a
//! message touches in few cache lines (an operation, `matching::operation`, is one line), `engine::prefetch` asks for
//! what the next messages need, `task::packed_steps` copies the steps of repeats next to one another, and a message
//! looks for its receive when it comes to the port, so that sending touches nothing of the receiver. Arrivals are
//! listed only for tasks that have wildcards or probes. The queue of events deals with one port after the other
//! within a latency (`events::queue`); that order changes no result.
//!
//! # Invariants
//!
//! - Times are integer picoseconds. Results depend neither on the number of threads nor on the order of a hash table.
//! - Messages of one sender on one communicator and tag do not overtake one another.
//! - The six parts of a task's time (computing, sending, receiving, collective operations, idle, ready without a
//!   processor) add up to its end.
//! - The library makes progress by itself: a granted transfer needs no call.
//! - `tests::reference` is a second simulator, written from the model alone, against which random programs are
//!   checked to the picosecond.
//! - Hand-computed schedules and tables measured on real clusters (`tests::accuracy`) are among the tests.
//!
//! # Limits
//!
//! - Clocks end after 213 days (C0719). 4,194,304 waits are kept for the critical path (C0718). Polls in vain end the
//!   replay (C0717).
//! - Tasks that wait are taken to leave their processor to others, though many MPI libraries spin.
//! - Without `storage` in the network file, files take no time (C0714); without `spawn_ns`, the start of a task takes
//!   none (C0716).
//! - v-forms of collective operations are scaled by the measurement of their mean size; non-blocking forms are not
//!   scaled.
//! - Messages at ports are served whole, one after the other.
//!
//! # Literature
//!
//! - Costs of messages: Alexandrov, Ionescu, Schauser, Scheiman: LogGP, SPAA 1995; Ino, Fujimoto, Hagihara: LogGPS,
//!   PPoPP 2001; Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010, sec. 2; Hockney: t = t0 + n/r, Parallel
//!   Computing 20, 1994.
//! - Shared links: Bertsekas, Gallager: Data Networks, 2nd ed., sec. 6.5.2 (max-min fairness by progressive filling).
//! - Collective operations: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Bruck and others, IEEE TPDS 8(11), 1997;
//!   Pjesivac-Grbovic and others, Cluster Computing 10, 2007.
//! - Matching: MPI 4.1, sec. 3.5; Flajslik, Dinan, Underwood, ISC 2016 (hashed queues).
//! - Queue of events: Brown: Calendar queues, CACM 31(10), 1988; Tang, Goh, Thng, ACM TOMACS 15(3), 2005; lookahead:
//!   Fujimoto, CACM 33(10), 1990.
//! - Repeating iterations: Baccelli, Cohen, Olsder, Quadrat: Synchronization and Linearity, 1992 (max-plus spectral
//!   theory).
//! - Deadlock: Holt, Computing Surveys 4(3), 1972. Critical path: Yang, Miller 1988. Processor sharing: Kleinrock:
//!   Queueing Systems, vol. 2, 1976.

#![forbid(unsafe_code)]

pub mod codes;
mod collective;
mod engine;
mod events;
mod ids;
pub mod loggops;
mod matching;
mod memory;
mod network;
mod options;
mod plain;
pub mod result;
mod task;
mod unfold;

use chronos_activity::stored::ActivityFeed;
use chronos_activity::{Activity, Feed, Recorder};

pub use options::{FasterMessages, Locate, Placement, Pricing, ReplayOptions, Share, WhichMessages};
pub use result::{
    Doing, ElapsedTime, Finish, IdleCauses, Late, MessageTime, Part, PathPart, Peer, ReplayResult, SiteTime, Stretch,
    TaskTime, TimeSpan, Traffic, TrafficMatrix, Wait, WaitingLog, WindowTime,
};
pub use task::spans::{holds_timeline, shorten_timeline};
pub use unfold::unfold;

/// Bytes that a replay takes for each task at least.
pub const LEAST_BYTES_OF_A_TASK: u64 =
    (size_of::<task::state::Task>() + size_of::<network::ports::Port>() + size_of::<TaskTime>()) as u64;

/// Replays what the feed gives. Faults of the program are in the result's diagnostics.
///
/// The engine is compiled for the feed, as stored activities and schedules need it: their events cost less than an indirect
/// call. Programs are better replayed by [`replay_dyn`].
pub fn replay<F: Feed>(feed: &mut F, options: ReplayOptions<'_>) -> ReplayResult {
    if options.record {
        return record(feed, options);
    }
    engine::Engine::new(feed, options).run()
}

/// Replays a program that is followed meanwhile. That takes longer than indirect calls, so one engine serves all such feeds:
/// each copy of it is as large as some crates.
pub fn replay_dyn(mut feed: &mut dyn Feed, options: ReplayOptions<'_>) -> ReplayResult {
    replay(&mut feed, options)
}

/// Replays an activity that was recorded or read.
pub fn replay_activity(activity: &Activity, mut options: ReplayOptions<'_>) -> ReplayResult {
    if let Some(result) = plain::replayed(activity, &mut options) {
        return result;
    }
    replay(&mut ActivityFeed::new(activity), options)
}

/// Keeps what the feed gives, which takes longer than indirect calls.
fn record(mut feed: &mut dyn Feed, options: ReplayOptions<'_>) -> ReplayResult {
    let mut recorder = Recorder::new(&mut feed);
    let result = engine::Engine::new(&mut recorder, options).run();
    ReplayResult { activity: Some(recorder.finish()), ..result }
}

#[cfg(test)]
mod tests;
