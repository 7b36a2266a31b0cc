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

mod calls;
mod channels;
pub mod codes;
mod collective;
mod deadlock;
mod engine;
mod finish;
mod flows;
mod keyed_totals;
mod lazy_receive;
pub mod loggops;
mod matching;
mod message;
mod operation;
mod packed_steps;
mod places;
mod polls;
mod ports;
mod prefetch;
mod price;
mod processors;
mod queue;
mod remote;
mod requests;
pub mod result;
mod slab;
mod small_list;
mod spans;
mod spin;
mod state;
mod steady;
mod task_tables;
mod traffic;
mod transfer;
mod unfold;
mod waits;
mod watching;

pub use result::{
    ElapsedTime, Finish, IdleCauses, MessageTime, Part, PathPart, Peer, ReplayResult, SiteTime, TaskTime, TimeSpan,
    Traffic, TrafficMatrix, WindowTime,
};
pub use unfold::unfold;

use crate::activity::{Feed, Recorder, Segments, Site, TaskId, Work};
use crate::machine::network::Network;
use crate::machine::topology::Links;
use crate::span::Span;
use crate::units::Picoseconds;

/// Which node a task runs on, and how many processors a node has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Node of each task; a task beyond the end has a node of its own.
    pub nodes: Vec<u32>,
    /// Processors of every node; `None`: enough for its tasks.
    pub processors: Option<u32>,
    /// Processors and load of each node; a node beyond the end has enough of them.
    pub shares: Vec<Share>,
    /// Socket of each task within its node; a task beyond the end is on socket 0.
    pub sockets: Vec<u32>,
}

/// What a node has for its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub processors: u32,
    /// Thousandths of a processor that other programs use.
    pub load_milli: u32,
}

impl Placement {
    /// One task per node.
    pub fn spread() -> Self {
        Self::default()
    }

    /// All tasks on one node.
    pub fn together(tasks: usize) -> Self {
        Self { nodes: vec![0; tasks], ..Self::default() }
    }
}

/// Prices a computing step of a task; asked for every step, so it should remember.
pub type Pricing<'a> = dyn FnMut(TaskId, Work, &Segments) -> Picoseconds + 'a;

/// Finds the place of a call in the sources.
pub type Locate<'a> = dyn Fn(Site) -> Option<Span> + 'a;

/// What a replay depends on besides its feed.
pub struct ReplayOptions<'a> {
    pub network: &'a Network,
    pub placement: Placement,
    /// How the nodes are wired; `None`: to one switch, as the network says.
    pub links: Option<&'a Links>,
    pub pricing: &'a mut Pricing<'a>,
    pub locate: &'a Locate<'a>,
    /// Keep the activity, folded.
    pub record: bool,
    /// Keep so many messages at most.
    pub messages: usize,
    /// Keep so many spans of time at most, the same number of each task.
    pub timeline: usize,
    /// By task: stretches of its time, in order, of which to tell what it did there; empty: none.
    pub windows: Vec<Vec<(Picoseconds, Picoseconds)>>,
    /// Keep the dependences between tasks and find the critical path.
    pub critical_path: bool,
    /// Steps after which the replay gives up.
    pub step_limit: u64,
    /// Count iterations that repeat with the same timing instead of replaying them; the result is the same. Only where `pricing`
    /// gives a step of a task the same time whenever it is asked.
    pub jump_ahead: bool,
}

impl<'a> ReplayOptions<'a> {
    /// One task per node, nothing recorded.
    pub fn new(network: &'a Network, pricing: &'a mut Pricing<'a>, locate: &'a Locate<'a>) -> Self {
        Self {
            network,
            placement: Placement::spread(),
            links: None,
            pricing,
            locate,
            record: false,
            messages: 0,
            timeline: 0,
            windows: Vec::new(),
            critical_path: false,
            step_limit: u64::MAX,
            jump_ahead: false,
        }
    }
}

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
