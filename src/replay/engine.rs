//! The loop over simulated time and the steps of a task.

use super::collective::Collectives;
use super::hash::FastMap;
use super::matching::Chains;
use super::price::Prices;
use super::queue::{Happening, Kind, Queue};
use super::slab::Slab;
use super::state::{Cursor, Message, Op, Part, Status, Task};
use super::{Finish, MessageTime, ReplayOptions, codes};
use crate::activity::{Feed, Outcome, Repeat, Step, TaskId, Work};
use crate::diag::Diagnostic;
use crate::units::Picoseconds;
use std::sync::Arc;

/// The whole simulation; its parts are in `calls`, `waits`, `transfer` and `collective`.
pub(super) struct Engine<'f, 'a, F> {
    pub feed: &'f mut F,
    pub options: ReplayOptions<'a>,
    pub prices: Prices<'a>,
    pub queue: Queue,
    pub tasks: Vec<Task>,
    pub ops: Slab<Op>,
    pub messages: Slab<Message>,
    /// Receives without a message.
    pub posted: Chains,
    /// Messages without a receive.
    pub unexpected: Chains,
    /// When the port of each node is free again.
    pub out_free: Vec<Picoseconds>,
    pub in_free: Vec<Picoseconds>,
    pub pairs: FastMap<(u32, u32), Pair>,
    /// Receives posted so far.
    pub receives: u64,
    pub collectives: Collectives,
    pub dependences: Vec<Dependence>,
    pub log: Vec<MessageTime>,
    pub diagnostics: Vec<Diagnostic>,
    pub steps: u64,
    pub abort: Option<i32>,
    /// The simulation cannot go on.
    pub stopped: bool,
    /// By how much computing takes longer on a node with more tasks than processors, as a fraction.
    pub stretch: Vec<(u64, u64)>,
}

/// User messages of one sender to one receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    pub messages: u64,
    pub bytes: u64,
    /// Arrivals of a pair keep the order of sending.
    pub latest: Picoseconds,
}

/// A wait that another task ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependence {
    pub task: u32,
    pub at: Picoseconds,
    pub from: u32,
    pub left: Picoseconds,
    pub site: Option<crate::activity::Site>,
}

impl<'f, 'a, F: Feed> Engine<'f, 'a, F> {
    pub fn new(feed: &'f mut F, options: ReplayOptions<'a>) -> Self {
        let nodes = nodes_of(feed.tasks(), &options.placement.nodes);
        let ports = nodes.iter().max().map_or(0, |&node| node as usize + 1);
        let mut engine = Self {
            prices: Prices::new(options.network),
            stretch: Vec::new(),
            feed,
            options,
            queue: Queue::default(),
            tasks: nodes.iter().map(|&node| Task::new(node)).collect(),
            ops: Slab::default(),
            messages: Slab::default(),
            posted: Chains::default(),
            unexpected: Chains::default(),
            out_free: vec![Picoseconds::ZERO; ports],
            in_free: vec![Picoseconds::ZERO; ports],
            pairs: FastMap::default(),
            receives: 0,
            collectives: Collectives::default(),
            dependences: Vec::new(),
            log: Vec::new(),
            diagnostics: Vec::new(),
            steps: 0,
            abort: None,
            stopped: false,
        };
        engine.share_processors(&nodes, ports);
        engine
    }

    /// Simulates to the end.
    pub fn run(mut self) -> super::ReplayResult {
        for task in 0..self.tasks.len() as u32 {
            self.queue.push(Picoseconds::ZERO, Kind::Task, task, 0);
        }
        while let Some(happening) = self.queue.pop() {
            self.happen(happening);
            if self.stopped {
                break;
            }
        }
        self.diagnose();
        self.finish()
    }

    fn happen(&mut self, happening: Happening) {
        match happening.kind {
            Kind::Head => self.head(happening.what, happening.time),
            Kind::Data => self.data(happening.what, happening.time),
            Kind::Arrive => self.arrive(happening.what, happening.time),
            Kind::Frame => self.advance_frame(happening.what),
            Kind::Task if self.tasks[happening.task as usize].epoch == happening.what => {
                self.wake(happening.task, happening.time);
            }
            Kind::Task => {}
        }
    }

    /// Continues a task at its own clock.
    pub fn schedule(&mut self, id: u32) {
        let task = &self.tasks[id as usize];
        self.queue.push(task.now, Kind::Task, id, task.epoch);
    }

    /// Runs a task until it waits or others come first.
    pub fn proceed(&mut self, id: u32) {
        while !self.stopped {
            if self.queue.precedes(self.tasks[id as usize].now, Kind::Task, id) {
                return self.schedule(id);
            }
            if !self.step(id) {
                return;
            }
        }
    }

    /// One step; whether the task can go on at once.
    fn step(&mut self, id: u32) -> bool {
        self.steps += 1;
        if self.steps > self.options.step_limit {
            return self.give_up();
        }
        match self.next(id) {
            Step::Work(work) => self.work(id, work, 1),
            Step::Event(event) => return self.call(id, event),
            Step::Repeat(repeat) => self.enter(id, repeat),
            Step::LoopEnter | Step::LoopIteration | Step::LoopExit => {}
            Step::End => return self.end(id, Status::Ended),
            Step::Stuck => return self.end(id, Status::Stuck),
        }
        true
    }

    fn next(&mut self, id: u32) -> Step {
        let task = &mut self.tasks[id as usize];
        while let Some(cursor) = task.cursors.last_mut() {
            if let Some(step) = cursor.repeat.steps.get(cursor.index) {
                cursor.index += 1;
                return step.clone();
            }
            cursor.index = 0;
            cursor.left -= 1;
            if cursor.left == 0 {
                task.cursors.pop();
            }
        }
        let outcome = std::mem::take(&mut task.outcome);
        self.feed.next(TaskId(id), outcome)
    }

    /// Computing alone is multiplied instead of repeated.
    fn enter(&mut self, id: u32, repeat: Arc<Repeat>) {
        if repeat.times == 0 || repeat.steps.is_empty() {
            return;
        }
        if repeat.steps.iter().all(|step| matches!(step, Step::Work(_))) {
            for step in &repeat.steps {
                if let Step::Work(work) = step {
                    self.work(id, *work, repeat.times);
                }
            }
            return;
        }
        let left = repeat.times;
        self.tasks[id as usize].cursors.push(Cursor { repeat, index: 0, left });
    }

    fn work(&mut self, id: u32, work: Work, times: u64) {
        let price = (self.options.pricing)(TaskId(id), work, self.feed.segments()).saturating_mul(times);
        let task = &mut self.tasks[id as usize];
        let price = match self.stretch.get(task.node as usize) {
            Some(&(above, below)) if above > below => stretched(price, above, below),
            _ => price,
        };
        task.pass(Part::Compute, price);
        if let Work::Segment(segment) = work {
            *task.segments.entry(segment).or_insert(0) += times;
        }
    }

    fn end(&mut self, id: u32, status: Status) -> bool {
        let task = &mut self.tasks[id as usize];
        task.status = status;
        task.event = None;
        task.epoch += 1;
        false
    }

    fn give_up(&mut self) -> bool {
        let limit = self.options.step_limit;
        self.diagnostics.push(
            Diagnostic::error(&codes::STEP_LIMIT, format!("the replay gave up after {limit} steps"))
                .help("the program may not end; raise the limit if it is only long"),
        );
        self.stopped = true;
        false
    }

    fn share_processors(&mut self, nodes: &[u32], ports: usize) {
        let Some(processors) = self.options.placement.processors.filter(|&p| p > 0) else { return };
        let mut load = vec![(0u64, u64::from(processors)); ports];
        nodes.iter().for_each(|&node| load[node as usize].0 += 1);
        if let Some((tasks, _)) = load.iter().filter(|(tasks, processors)| tasks > processors).max() {
            let message = format!("up to {tasks} tasks share {processors} processors of a node");
            self.diagnostics.push(
                Diagnostic::warning(&codes::SHARED_PROCESSORS, message)
                    .help("computing is stretched by tasks per processor, as if all of them computed all the time"),
            );
        }
        self.stretch = load;
    }

    /// Hands the outcome to the feed, unless the call is inside a repeat.
    pub fn report(&mut self, id: u32, outcome: Outcome) {
        let task = &mut self.tasks[id as usize];
        if task.cursors.is_empty() {
            task.outcome = outcome;
        }
    }

    pub fn finish_of(&self, id: usize) -> Finish {
        match self.tasks[id].status {
            Status::Ended => Finish::Ended,
            Status::Stuck => Finish::Stuck,
            _ if self.abort.is_some() => Finish::Aborted,
            _ => Finish::Blocked,
        }
    }
}

fn stretched(time: Picoseconds, above: u64, below: u64) -> Picoseconds {
    Picoseconds((u128::from(time.0) * u128::from(above) / u128::from(below)).min(u128::from(u64::MAX)) as u64)
}

/// Nodes of all tasks; those that the placement leaves out get nodes of their own.
fn nodes_of(tasks: usize, placed: &[u32]) -> Vec<u32> {
    let fresh = placed.iter().take(tasks).max().map_or(0, |&node| node + 1);
    (0..tasks)
        .map(|task| placed.get(task).copied().unwrap_or(fresh + task.saturating_sub(placed.len()) as u32))
        .collect()
}
