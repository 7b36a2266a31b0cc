//! Event-driven timing of a feed: who computes, sends, receives and waits, and how long.
//!
//! The engine is the only driver of an evaluation. It asks the feed for the next step of a task when
//! the task's previous step is complete on the simulated clock. What depends on the order in which tasks act (receives
//! from any source, probes, tests, sends through a shared port, aborts) is done in the order of simulated time (ties:
//! deliveries first, those at one port by rank of the sender, then the task of lower rank), so that a receive from any source gets
//! what arrives first; everything else a task does at once, ahead of the others. It must not know C nor what blocks contain; computing steps are priced by
//! its caller.
//!
//! What happens to a message: the sender spends its overhead. An eager message goes to the
//! port of the sender's node, from there (after the latency, and after its first frame where a
//! switch stores and forwards) to the receiver's port; it has arrived when it left that. A rendezvous message sends a
//! request, waits for its receive, and goes the same way after the grant; its send is complete
//! when it left the sender's port. A receive is complete when the message has arrived and the receiver spent its
//! overhead. A port is full-duplex: both directions at once take no longer than one. (Measured exchanges of
//! 128 KiB and more are bimodal, up to twice that; a calibrated network says how much longer messages take that meet others
//! between the same nodes.) On a topology, messages share links instead (`flows`). Within a node there are no ports. The library makes progress by itself: a granted transfer needs no call.

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
pub mod result;
mod task;
mod unfold;

use chronos_activity::{Feed, Recorder};
pub use options::{Locate, Placement, Pricing, ReplayOptions, Share};
pub use result::{
    ElapsedTime, Finish, IdleCauses, MessageTime, Part, PathPart, Peer, ReplayResult, SiteTime, TaskTime, TimeSpan,
    Traffic, TrafficMatrix, WindowTime,
};
pub use unfold::unfold;

/// Replays what the feed gives. Faults of the program are in the result's diagnostics.
pub fn replay<F: Feed>(feed: &mut F, options: ReplayOptions<'_>) -> ReplayResult {
    if !options.record {
        return engine::Engine::new(feed, options).run();
    }
    let mut recorder = Recorder::new(feed);
    let result = play(&mut recorder, options);
    ReplayResult { activity: Some(recorder.finish()), ..result }
}

/// Apart, so that the engine borrows the recorder no longer than it runs.
fn play<F: Feed>(feed: &mut F, options: ReplayOptions<'_>) -> ReplayResult {
    engine::Engine::new(feed, options).run()
}

#[cfg(test)]
mod tests;
