//! The activity of one run in which the order of arrival decides nothing any more: each call takes what it took then.
//!
//! A receive from any source names its sender, a wait for one of several requests names that one, a successful test or
//! probe waits, an unsuccessful one is a call without effect, and polls in vain are waiting and leave nothing. This is
//! what a trace tells of a run, and what tools for traces replay (Dimemas; Scalasca). Messages of one sender on one
//! communicator and tag do not overtake one another (MPI 4.1, section 3.5), so that names are enough.

use chronos_activity::{
    Activity, Arrival, CommId, Event, Feed, Operation, Outcome, Repeat, RequestId, Segments, Spin, Step, TaskId,
};
use chronos_base::hash::FxHashMap;
use std::sync::Arc;

/// A feed that passes another one on, and keeps what it gave as it turned out.
pub struct Pinning<'a, F> {
    feed: &'a mut F,
    tasks: Vec<PinnedTask>,
    /// Steps that are kept at most.
    room: usize,
}

/// What one task did so far.
#[derive(Default)]
struct PinnedTask {
    steps: Vec<Step>,
    /// Receives under way that name no sender or tag, by request: where they stand among the steps.
    open: FxHashMap<RequestId, usize>,
    /// The step whose outcome is still to come.
    asked: Option<Asked>,
    /// Repeats that are given step by step, because what happens in them may differ from one time to the next.
    repeats: Vec<Unfolding>,
    /// The outcome of the latest step is the feed's own.
    is_own: bool,
}

enum Asked {
    Event(Arc<Event>),
    Spin(Arc<Spin>),
}

/// A repeat, and what of it is still to be given.
struct Unfolding {
    repeat: Arc<Repeat>,
    next: usize,
    left: u64,
}

impl Unfolding {
    fn next(&mut self) -> Option<Step> {
        if self.next == self.repeat.steps.len() {
            (self.next, self.left) = (0, self.left.saturating_sub(1));
        }
        if self.left == 0 {
            return None;
        }
        self.next += 1;
        self.repeat.steps.get(self.next - 1).cloned()
    }
}

impl<'a, F: Feed> Pinning<'a, F> {
    /// Of a feed that has not given anything yet; up to so many steps are kept.
    pub fn new(feed: &'a mut F, room: usize) -> Self {
        let tasks = (0..feed.tasks()).map(|_| PinnedTask::default()).collect();
        Self { feed, tasks, room }
    }

    /// What was kept; `None` where it was more than there is room for.
    pub fn finish(self) -> Option<Activity> {
        let whole: usize = self.tasks.iter().map(|task| task.steps.len()).sum();
        if whole >= self.room {
            return None;
        }
        let groups = self.tasks.iter().flat_map(|task| &task.steps).filter_map(|step| match step {
            Step::Event(event) => match &event.operation {
                Operation::Collective(collective) => Some((collective.comm, self.feed.group(collective.comm))),
                _ => None,
            },
            _ => None,
        });
        let groups = groups.collect();
        let tasks = self.tasks.into_iter().map(|task| task.steps).collect();
        Some(Activity { tasks, segments: self.feed.segments().clone(), groups, timing_dependent: false })
    }

    /// Something in it may differ from one time to the next, or completes what may.
    fn is_to_be_watched(&self, task: TaskId, repeat: &Repeat) -> bool {
        !self.tasks[task.0 as usize].open.is_empty() || repeat.steps.iter().any(may_differ)
    }

    fn is_full(&self, task: TaskId) -> bool {
        self.tasks[task.0 as usize].steps.len() >= self.room
    }
}

impl PinnedTask {
    /// The outcome of the latest step decides what is kept of it.
    fn hear(&mut self, outcome: &Outcome) {
        match self.asked.take() {
            None => {}
            Some(Asked::Spin(spin)) => self.spun(&spin, outcome),
            Some(Asked::Event(event)) => self.turned_out(&event, outcome),
        }
    }

    /// Polls in vain are waiting for what came then; those that gave up took their time.
    fn spun(&mut self, spin: &Spin, outcome: &Outcome) {
        match outcome {
            Outcome::Spun { times } if *times == spin.most && *times > 0 => {
                let steps = spin.steps.iter().map(in_vain).collect();
                self.steps.push(Step::Repeat(Arc::new(Repeat { steps, times: *times })));
            }
            _ => {}
        }
    }

    fn turned_out(&mut self, event: &Arc<Event>, outcome: &Outcome) {
        let wait = |requests: Arc<[RequestId]>| Operation::WaitAll { requests };
        let operation = match (&event.operation, outcome) {
            (Operation::Recv { request: None, .. } | Operation::Probe { .. }, Outcome::Arrived(arrivals)) => {
                arrivals.first().map(|arrival| named(&event.operation, arrival))
            }
            (Operation::TestAll { requests }, Outcome::Arrived(arrivals)) => {
                self.arrived(arrivals);
                Some(wait(Arc::clone(requests)))
            }
            (Operation::WaitAll { .. }, Outcome::Arrived(arrivals)) => {
                self.arrived(arrivals);
                None
            }
            (Operation::WaitAny { requests } | Operation::TestAny { requests }, Outcome::Any { index, arrival }) => {
                let request = requests[*index];
                arrival.iter().for_each(|arrival| self.name(request, arrival));
                Some(wait([request].into()))
            }
            (operation, Outcome::NotYet) if operation.is_poll() => Some(failed(operation)),
            _ => None,
        };
        let event = operation.map(|operation| Arc::new(Event { operation, site: event.site }));
        if let (Some(event), Some(last)) = (event, self.steps.last_mut()) {
            *last = Step::Event(event);
        }
    }

    fn arrived(&mut self, arrivals: &[Arrival]) {
        for arrival in arrivals {
            if let Some(request) = arrival.request {
                self.name(request, arrival);
            }
        }
    }

    /// A receive that was posted before got a message.
    fn name(&mut self, request: RequestId, arrival: &Arrival) {
        let Some(at) = self.open.remove(&request) else { return };
        if let Step::Event(event) = &self.steps[at] {
            let operation = named(&event.operation, arrival);
            self.steps[at] = Step::Event(Arc::new(Event { operation, site: event.site }));
        }
    }

    fn keep(&mut self, step: &Step) {
        match step {
            Step::LoopEnter | Step::LoopIteration | Step::LoopExit => return,
            Step::Spin(spin) => {
                self.asked = Some(Asked::Spin(Arc::clone(spin)));
                return;
            }
            Step::Event(event) => {
                self.asked = Some(Asked::Event(Arc::clone(event)));
                if let Operation::Recv { from, tag, request: Some(request), .. } = event.operation {
                    match from.is_none() || tag.is_none() {
                        true => _ = self.open.insert(request, self.steps.len()),
                        false => _ = self.open.remove(&request),
                    }
                }
            }
            _ => {}
        }
        self.steps.push(step.clone());
    }

    /// The next step of the repeats that are given one by one.
    fn unfolded(&mut self) -> Option<Step> {
        while let Some(innermost) = self.repeats.last_mut() {
            match innermost.next() {
                Some(step) => return Some(step),
                None => _ = self.repeats.pop(),
            }
        }
        None
    }
}

/// A receive or probe of the message that it got.
fn named(operation: &Operation, arrival: &Arrival) -> Operation {
    let (sender, number) = (Some(arrival.message.sender), Some(arrival.tag));
    match operation {
        &Operation::Recv { comm, bytes, request, .. } => {
            Operation::Recv { from: sender, tag: number, comm, bytes, request }
        }
        &Operation::Probe { comm, .. } => Operation::Probe { from: sender, tag: number, comm, blocking: true },
        other => other.clone(),
    }
}

/// A poll that finds nothing takes the time of a call.
fn failed(operation: &Operation) -> Operation {
    let function = match operation {
        Operation::Probe { .. } => "MPI_Iprobe",
        _ => "MPI_Test",
    };
    Operation::Local { function: function.into() }
}

fn in_vain(step: &Step) -> Step {
    match step {
        Step::Event(event) => {
            let operation = failed(&event.operation);
            Step::Event(Arc::new(Event { operation, site: event.site }))
        }
        other => other.clone(),
    }
}

/// Whether what a step does may differ from one time to the next.
fn may_differ(step: &Step) -> bool {
    match step {
        Step::Repeat(repeat) => repeat.steps.iter().any(may_differ),
        Step::Spin(_) => true,
        Step::Event(event) => match &event.operation {
            Operation::Recv { from, tag, .. } => from.is_none() || tag.is_none(),
            Operation::WaitAny { .. } | Operation::Probe { .. } => true,
            operation => operation.is_poll(),
        },
        _ => false,
    }
}

impl<F: Feed> Feed for Pinning<'_, F> {
    fn tasks(&self) -> usize {
        self.feed.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        let own = &mut self.tasks[task.0 as usize];
        own.hear(&outcome);
        let mut is_own = std::mem::replace(&mut own.is_own, true);
        loop {
            let own = &mut self.tasks[task.0 as usize];
            let step = match own.unfolded() {
                Some(step) => {
                    own.is_own = false;
                    step
                }
                // What happened inside a repeat is nothing that the feed asks for.
                None => self.feed.next(task, if is_own { outcome.clone() } else { Outcome::None }),
            };
            is_own = false;
            match step {
                Step::Repeat(repeat) if self.is_to_be_watched(task, &repeat) => {
                    let left = repeat.times;
                    self.tasks[task.0 as usize].repeats.push(Unfolding { repeat, next: 0, left });
                }
                step if self.is_full(task) => return step,
                step => {
                    self.tasks[task.0 as usize].keep(&step);
                    return step;
                }
            }
        }
    }

    fn wants_outcome(&self, _: TaskId) -> bool {
        true
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.feed.group(comm)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.feed.window(comm)
    }

    fn segments(&self) -> &Segments {
        self.feed.segments()
    }
}
