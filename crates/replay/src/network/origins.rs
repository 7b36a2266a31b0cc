//! What a message depended on last, where the critical path is asked for: its own sender, or whoever kept it waiting.
//!
//! A message waits for its sender, for a port that an earlier message keeps busy, for an earlier message of the same pair,
//! or, as a rendezvous, for the receive that grants it. What ended the wait had an origin itself, which is then that of the
//! message: so the critical path goes from a receive to the task without which it would have been complete earlier, which
//! need not be the sender (Hollingsworth 1996 follows messages alone; ports are resources in the sense of critical paths of
//! queueing networks). Nothing here knows the engine.

use crate::ids::{MsgId, NodeId};
use chronos_activity::TaskId;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Picoseconds;

/// A task at the time from which on nothing but the network was left to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub task: TaskId,
    pub left: Picoseconds,
}

impl Default for Origin {
    fn default() -> Self {
        Self { task: TaskId(0), left: Picoseconds::ZERO }
    }
}

/// A completion that a task waits for: the task, and whom and when its completion names.
pub(crate) type Waited = (TaskId, TaskId, Picoseconds);

/// Origins of all that is under way.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// By id; of messages that are no more something that nobody asks for.
    messages: Vec<Origin>,
    /// What came last through the port of each node, outwards and inwards.
    outwards: Vec<Origin>,
    inwards: Vec<Origin>,
    /// The last message of each pair of tasks.
    pub pairs: FxHashMap<(TaskId, TaskId), Origin>,
    /// Of completions whose origin is not what they name themselves.
    completions: FxHashMap<Waited, Origin>,
}

impl Origins {
    pub fn new(ports: usize) -> Self {
        Self { outwards: vec![Origin::default(); ports], inwards: vec![Origin::default(); ports], ..Self::default() }
    }

    pub fn message(&self, id: MsgId) -> Origin {
        self.messages.get(id.0 as usize).copied().unwrap_or_default()
    }

    pub fn set_message(&mut self, id: MsgId, origin: Origin) {
        let known = self.messages.len().max(id.0 as usize + 1);
        self.messages.resize(known, Origin::default());
        self.messages[id.0 as usize] = origin;
    }

    /// Something leaves by a port, which was busy or not when it came; its origin from then on.
    pub fn leave(&mut self, port: NodeId, own: Origin, was_busy: bool) -> Origin {
        pass(&mut self.outwards[port.index()], own, was_busy)
    }

    /// The same of what comes in by a port.
    pub fn enter(&mut self, port: NodeId, own: Origin, was_busy: bool) -> Origin {
        pass(&mut self.inwards[port.index()], own, was_busy)
    }

    /// What keeps a port busy that is passed without keeping it.
    pub fn kept_by(&self, port: NodeId) -> Origin {
        self.inwards[port.index()]
    }

    /// A message of a pair that may have waited for the one before it.
    pub fn follow(&mut self, pair: (TaskId, TaskId), own: Origin, waited: bool) -> Origin {
        pass(self.pairs.entry(pair).or_default(), own, waited)
    }

    /// A task will wait for something with this origin.
    pub fn complete(&mut self, (waiting, from, left): Waited, origin: Origin) {
        if origin != (Origin { task: from, left }) {
            self.completions.insert((waiting, from, left), origin);
        }
    }

    /// Where the critical path goes from a completion.
    pub fn of(&self, waited: Waited) -> Origin {
        let (_, task, left) = waited;
        self.completions.get(&waited).copied().unwrap_or(Origin { task, left })
    }

    /// Nobody waits for it any more.
    pub fn forget(&mut self, waited: Waited) {
        self.completions.remove(&waited);
    }

    /// Lets all times be later.
    pub fn shift(&mut self, by: Picoseconds) {
        let later = |origin: &mut Origin| origin.left += by;
        [&mut self.messages, &mut self.outwards, &mut self.inwards].into_iter().flatten().for_each(later);
        self.pairs.values_mut().for_each(later);
        let moved = |((waiting, from, left), mut origin): (Waited, Origin)| {
            later(&mut origin);
            ((waiting, from, left + by), origin)
        };
        self.completions = std::mem::take(&mut self.completions).into_iter().map(moved).collect();
    }

    /// What came last through the port of a node, outwards and inwards.
    pub fn set_port(&mut self, port: NodeId, [outwards, inwards]: [Origin; 2]) {
        (self.outwards[port.index()], self.inwards[port.index()]) = (outwards, inwards);
    }

    /// Origins of what keeps the port of a node busy, outwards and inwards.
    pub fn of_port(&self, port: NodeId) -> [Origin; 2] {
        [self.outwards[port.index()], self.inwards[port.index()]]
    }
}

fn pass(place: &mut Origin, own: Origin, waited: bool) -> Origin {
    place.pass(own, waited)
}

impl Origin {
    /// Something comes by where this came last, and waited for it or not; its origin from then on.
    #[inline]
    pub fn pass(&mut self, own: Self, waited: bool) -> Self {
        if !waited {
            *self = own;
        }
        *self
    }
}
