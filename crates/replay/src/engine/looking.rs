//! Repeats in which a task only computes and looks at the clock: their iterations all take the same time, so that most of them
//! need no step of their own.

use super::Engine;
use crate::result::Part;
use chronos_activity::{Event, Feed, Operation, Repeat, Step, TaskId};
use chronos_base::units::Picoseconds;
use chronos_ir::BlockId;

/// Iterations that are replayed step by step: behind them every difference of readings moves by the same time.
const FOLLOWED: u64 = 2;
/// Iterations from which on it is worth it.
const WORTH_WHILE: u64 = 64;

/// A difference of readings that an iteration takes, and what the next iteration adds to it.
struct Difference {
    from: BlockId,
    to: BlockId,
    last: Picoseconds,
    grows: bool,
}

/// Whether the steps concern nobody else, and some of them look at the clock.
fn only_looks(steps: &[Step]) -> bool {
    let reads =
        |step: &Step| matches!(step, Step::Event(event) if matches!(event.operation, Operation::ReadClock { .. }));
    let differs =
        |step: &Step| matches!(step, Step::Event(event) if matches!(event.operation, Operation::Elapsed { .. }));
    steps.iter().any(reads) && steps.iter().all(|step| matches!(step, Step::Work(_)) || reads(step) || differs(step))
}

impl<F: Feed> Engine<'_, '_, F> {
    /// Replays such a repeat; false where it is another one.
    pub(crate) fn look_again(&mut self, id: TaskId, repeat: &Repeat) -> bool {
        // What is shown of a task is shown step by step.
        let is_shown = self.tasks[id].shown || self.shares_processors(id);
        if repeat.times < WORTH_WHILE || is_shown || !only_looks(&repeat.steps) {
            return false;
        }
        let repeats = std::mem::replace(&mut self.tasks[id].repeats, true);
        let mut differences = Vec::new();
        let mut begin = self.tasks[id].now;
        for _ in 0..FOLLOWED {
            begin = self.tasks[id].now;
            differences = self.look_once(id, &repeat.steps);
        }
        let period = self.tasks[id].now - begin;
        self.skip_looks(id, &repeat.steps, &differences, period, repeat.times - FOLLOWED);
        let task = &mut self.tasks[id];
        task.count_segments(&repeat.steps, repeat.times);
        task.repeats = repeats;
        true
    }

    /// One iteration, and the differences of readings that it takes.
    fn look_once(&mut self, id: TaskId, steps: &[Step]) -> Vec<Difference> {
        let is_read = |call: BlockId| {
            let reads = |event: &Event| matches!(event.operation, Operation::ReadClock { slot } if slot == call);
            steps.iter().any(|step| matches!(step, Step::Event(event) if reads(event)))
        };
        let mut differences = Vec::new();
        for step in steps {
            match step {
                Step::Work(work) => {
                    let time = self.price(id, *work);
                    self.compute(id, time);
                }
                Step::Event(event) => {
                    self.call(id, event);
                    if let Operation::Elapsed { from, to } = event.operation
                        && let Some(last) = self.tasks[id].extras_mut().clocks.difference(from, to)
                    {
                        differences.push(Difference { from, to, last, grows: is_read(to) && !is_read(from) });
                    }
                }
                _ => {}
            }
        }
        differences
    }

    /// What so many more iterations do.
    fn skip_looks(&mut self, id: TaskId, steps: &[Step], differences: &[Difference], period: Picoseconds, times: u64) {
        let passed = period.saturating_mul(times);
        let call = self.costs.call;
        for step in steps {
            let Step::Event(event) = step else { continue };
            let Operation::ReadClock { slot } = event.operation else { continue };
            let task = &mut self.tasks[id];
            if let Some(reading) = task.extras_mut().clocks.readings.get_mut(&slot) {
                *reading += passed;
            }
            if let Some(site) = event.site {
                let entry = self.sites.entry(&mut task.sites, id.0, site);
                entry.calls += times;
                entry.time += call.saturating_mul(times);
            }
        }
        let task = &mut self.tasks[id];
        for one in differences {
            let step = if one.grows { period } else { Picoseconds::ZERO };
            task.extras_mut().clocks.tell_series(one.from, one.to, one.last, step, times);
        }
        task.pass(Part::Compute, passed);
    }
}
