//! Communication behind computation: waits come as late as the computation behind them allows.
//!
//! A blocking receive only begins where it stands, and it and every wait for requests are completed behind the
//! computation that follows, before the next call that sends, or that the other tasks take part in. When the buffer is
//! first used is not known, so the answer is a bound: at best, a stretch takes the longer of its computation and its
//! messages. A receive that was blocking takes no further call, so that the bound is never above the program as it is (Sancho, Barker, Kerbyson, Davis: Quantifying the potential benefit of overlapping communication and
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
    /// Receives that were blocking.
    begun: u32,
}

impl Postponing {
    fn new(steps: &[Step]) -> Self {
        Self { steps: Vec::with_capacity(steps.len()), pending: Vec::new(), computed: false, begun: 0 }
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
                let request = RequestId::of_blocking(self.begun);
                self.begun += 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::{CommId, SendMode, TaskId, Work};
    use chronos_base::units::{Bytes, Picoseconds};

    fn event(operation: Operation) -> Step {
        Step::Event(Arc::new(Event { operation, site: None }))
    }

    fn recv(request: Option<RequestId>) -> Step {
        event(Operation::Recv { from: Some(TaskId(1)), tag: Some(0), comm: CommId(0), bytes: Bytes(8), request })
    }

    fn send() -> Step {
        let (comm, mode) = (CommId(0), SendMode::Standard);
        event(Operation::Send { to: TaskId(1), tag: 0, comm, bytes: Bytes(8), mode, request: None })
    }

    fn wait(request: RequestId) -> Step {
        event(Operation::WaitAll { requests: [request].into() })
    }

    fn begun(number: u32) -> RequestId {
        RequestId::of_blocking(number)
    }

    fn work() -> Step {
        Step::Work(Work::Time(Picoseconds(5)))
    }

    fn postponed(steps: &[Step]) -> Vec<Step> {
        Postponing::new(steps).all(steps)
    }

    #[test]
    fn waits_come_behind_the_next_computation_and_before_the_next_call() {
        let [zero, one, two] = [0, 1, 2].map(begun);
        let own = RequestId(3);
        assert_eq!(postponed(&[recv(None), work(), send()]), [recv(Some(zero)), work(), wait(zero), send()]);
        assert_eq!(postponed(&[recv(Some(own)), wait(own), work()]), [recv(Some(own)), work(), wait(own)]);
        let several = postponed(&[recv(None), recv(None), work(), recv(None)]);
        let begun = [recv(Some(zero)), recv(Some(one)), work(), wait(zero), wait(one), recv(Some(two)), wait(two)];
        assert_eq!(several, begun);
    }

    /// What is sent may be what came.
    #[test]
    fn a_send_waits_for_what_came_before_it() {
        assert_eq!(postponed(&[recv(None), send(), work()]), [recv(Some(begun(0))), wait(begun(0)), send(), work()]);
    }
}
