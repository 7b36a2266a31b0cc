//! What a replay is asked for: network, placement, pricing, what to record.

use chronos_activity::{Segments, Site, TaskId, Work};
use chronos_base::span::Span;
use chronos_base::units::Picoseconds;
use chronos_ir::BlockId;
use chronos_machine::network::Network;
use chronos_machine::topology::Links;

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
    /// Processors that the node lends to the program.
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

/// Messages that take less time than the network says, their processor time at both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FasterMessages {
    /// Which.
    pub which: WhichMessages,
    /// What is left of their time, as a part of 1.
    pub left: f64,
}

/// A part of the messages of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichMessages {
    /// Those that calls of a block send, and all inside its collective operations.
    Call(BlockId),
    /// Those from one task to another.
    Between(TaskId, TaskId),
}

impl FasterMessages {
    /// Whether they are those of a call.
    pub(crate) fn are_of(self, call: impl FnOnce() -> Option<BlockId>) -> bool {
        matches!(self.which, WhichMessages::Call(own) if call() == Some(own))
    }

    /// Whether they are those between two tasks.
    pub(crate) fn are_between(self, from: TaskId, to: TaskId) -> bool {
        self.which == WhichMessages::Between(from, to)
    }
}

/// From so many tasks on the messages of collective operations are many.
const MANY_TASKS: usize = 128;

/// What a replay depends on besides its feed.
pub struct ReplayOptions<'a> {
    /// Costs of messages, rules and measurements of collective operations.
    pub network: &'a Network,
    /// Where tasks run.
    pub placement: Placement,
    /// How the nodes are wired; `None`: to one switch, as the network says.
    pub links: Option<&'a Links>,
    /// The time of each computing step.
    pub pricing: &'a mut Pricing<'a>,
    /// The place of a call in the sources, for diagnostics.
    pub locate: &'a Locate<'a>,
    /// Keep the activity, folded.
    pub record: bool,
    /// Keep so many messages at most.
    pub messages: usize,
    /// Keep so many spans of time at most, the same number of each task.
    pub timeline: usize,
    /// The tasks whose spans are kept, and the messages that one of them sends or receives; in ascending order. Empty: of the
    /// first tasks, as many as there is room for, and all messages.
    pub timeline_tasks: Vec<TaskId>,
    /// By task: stretches of its time, in order, of which to tell what it did there; empty: none.
    pub windows: Vec<Vec<(Picoseconds, Picoseconds)>>,
    /// Keep the dependences between tasks and find the critical path.
    pub critical_path: bool,
    /// The critical path also goes through the rounds inside collective operations; else it leaves each at the message that
    /// ended its last round.
    pub path_in_collectives: bool,
    /// Keep what every task did when, and whom it waited for; in place of the critical path.
    pub waiting: bool,
    /// Messages that take less time. Those that share the links of a topology keep their way over them.
    pub faster: Option<FasterMessages>,
    /// Steps after which the replay gives up.
    pub step_limit: u64,
    /// Nothing is asked for but when the last task ends: the times of calls by their places may be left out.
    pub total_alone: bool,
    /// From so many tasks on, time collective operations around a ring, or of each with each at once, as a whole where no
    /// other message can meet theirs; the result is that of their messages. Fewer tasks have few messages, and tasks go on
    /// in the order in which these come, on which depends what branch predictors have seen.
    pub collectives_as_a_whole: usize,
    /// From so many tasks on, replay an activity by the smaller state of plain jobs where it is one; the result is the same.
    /// Only with `jump_ahead`.
    pub plain_from: usize,
    /// Count iterations that repeat with the same timing instead of replaying them; the result is the same. Only
    /// where `pricing` gives a step of a task the same time whenever it is asked.
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
            timeline_tasks: Vec::new(),
            windows: Vec::new(),
            critical_path: false,
            path_in_collectives: false,
            waiting: false,
            faster: None,
            step_limit: u64::MAX,
            total_alone: false,
            collectives_as_a_whole: MANY_TASKS,
            plain_from: MANY_TASKS,
            jump_ahead: false,
        }
    }
}
