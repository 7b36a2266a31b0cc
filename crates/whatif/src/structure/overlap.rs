//! Communication behind computation: waits come as late as the computation behind them allows.
//!
//! A blocking receive only begins where it stands, and it and every wait for requests are completed behind the
//! computation that follows, before the next call that sends, or that the other tasks take part in. When the buffer is
//! first used is not known, so the answer is a bound: at best, a stretch takes the longer of its computation and its
//! messages (Sancho, Barker, Kerbyson, Davis: Quantifying the potential benefit of overlapping communication and
//! computation in large-scale scientific applications, SC 2006).

use chronos_activity::{Activity, Event, Operation, RequestId, Step};
use std::sync::Arc;

/// Postpones the waits of all tasks.
pub fn apply(activity: &mut Activity) {
    activity.tasks.iter_mut().for_each(|steps| *steps = Postponing::new(steps).all(steps));
}

/// The steps of a task, with the waits that are still to come.
struct Postponing {
    steps: Vec<Step>,
    pending: Vec<Step>,
    /// Something was computed since the first of them.
    computed: bool,
    /// The first request that the task does not use.
    free: u32,
}

impl Postponing {
    fn new(steps: &[Step]) -> Self {
        let used = steps.iter().filter_map(|step| match step {
            Step::Event(event) => request(&event.operation),
            _ => None,
        });
        let free = used.map(|request| request.0 + 1).max().unwrap_or(0);
        Self { steps: Vec::with_capacity(steps.len()), pending: Vec::new(), computed: false, free }
    }

    fn all(mut self, steps: &[Step]) -> Vec<Step> {
        for step in steps {
            self.step(step);
        }
        self.wait();
        self.steps
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Work(_) => {
                self.computed |= !self.pending.is_empty();
                self.steps.push(step.clone());
            }
            Step::Event(event) => self.event(event, step),
            _ => {
                self.wait();
                self.steps.push(step.clone());
            }
        }
    }

    fn event(&mut self, event: &Arc<Event>, step: &Step) {
        // What was computed may have used what came, so nothing later goes ahead of these waits.
        if self.computed {
            self.wait();
        }
        match &event.operation {
            Operation::Recv { from, tag, comm, bytes, request: None } => {
                let request = RequestId(self.free);
                self.free += 1;
                let begun =
                    Operation::Recv { from: *from, tag: *tag, comm: *comm, bytes: *bytes, request: Some(request) };
                let wait = Operation::WaitAll { requests: [request].into() };
                self.steps.push(Step::Event(Arc::new(Event { operation: begun, site: event.site })));
                self.pending.push(Step::Event(Arc::new(Event { operation: wait, site: event.site })));
            }
            Operation::WaitAll { .. } => self.pending.push(step.clone()),
            // They move no message, and neither does their order matter.
            Operation::Recv { request: Some(_), .. } | Operation::Local { .. } => self.steps.push(step.clone()),
            _ => {
                self.wait();
                self.steps.push(step.clone());
            }
        }
    }

    fn wait(&mut self) {
        self.steps.append(&mut self.pending);
        self.computed = false;
    }
}

fn request(operation: &Operation) -> Option<RequestId> {
    match operation {
        Operation::Send { request, .. } | Operation::Recv { request, .. } | Operation::Storage { request, .. } => {
            *request
        }
        Operation::Collective(collective) => collective.request,
        Operation::Access { request, .. } => Some(*request),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::{CommId, SendMode, TaskId, Work};
    use chronos_base::units::{Bytes, Picoseconds};

    fn event(operation: Operation) -> Step {
        Step::Event(Arc::new(Event { operation, site: None }))
    }

    fn recv(request: Option<u32>) -> Step {
        let request = request.map(RequestId);
        event(Operation::Recv { from: Some(TaskId(1)), tag: Some(0), comm: CommId(0), bytes: Bytes(8), request })
    }

    fn send() -> Step {
        let (comm, mode) = (CommId(0), SendMode::Standard);
        event(Operation::Send { to: TaskId(1), tag: 0, comm, bytes: Bytes(8), mode, request: None })
    }

    fn wait(request: u32) -> Step {
        event(Operation::WaitAll { requests: [RequestId(request)].into() })
    }

    fn work() -> Step {
        Step::Work(Work::Time(Picoseconds(5)))
    }

    fn postponed(steps: &[Step]) -> Vec<Step> {
        Postponing::new(steps).all(steps)
    }

    #[test]
    fn waits_come_behind_the_next_computation_and_before_the_next_call() {
        assert_eq!(postponed(&[recv(None), work(), send()]), [recv(Some(0)), work(), wait(0), send()]);
        assert_eq!(postponed(&[recv(Some(3)), wait(3), work()]), [recv(Some(3)), work(), wait(3)]);
        let two = postponed(&[recv(None), recv(None), work(), recv(None)]);
        assert_eq!(two, [recv(Some(0)), recv(Some(1)), work(), wait(0), wait(1), recv(Some(2)), wait(2)]);
    }

    /// What is sent may be what came.
    #[test]
    fn a_send_waits_for_what_came_before_it() {
        assert_eq!(postponed(&[recv(None), send(), work()]), [recv(Some(0)), wait(0), send(), work()]);
    }
}
