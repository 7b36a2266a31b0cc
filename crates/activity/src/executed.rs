//! How often steps are executed, with those that are repeated.

use crate::{SegmentId, Step, Work};
use std::collections::BTreeMap;

/// Steps that one execution of these makes, at most 2^64 - 1.
pub fn executed_steps(steps: &[Step]) -> u64 {
    let one = |step: &Step| match step {
        Step::Repeat(repeat) => executed_steps(&repeat.steps).saturating_mul(repeat.times),
        _ => 1,
    };
    steps.iter().map(one).fold(0, u64::saturating_add)
}

/// How often one execution of these steps executes each segment, at most 2^64 - 1 times.
pub fn executed_segments(steps: &[Step]) -> BTreeMap<SegmentId, u64> {
    let mut executed = BTreeMap::new();
    collect(steps, 1, &mut executed);
    executed
}

fn collect(steps: &[Step], times: u64, executed: &mut BTreeMap<SegmentId, u64>) {
    for step in steps {
        match step {
            Step::Work(Work::Segment(id)) => {
                let sum = executed.entry(*id).or_insert(0);
                *sum = sum.saturating_add(times);
            }
            Step::Repeat(repeat) => collect(&repeat.steps, times.saturating_mul(repeat.times), executed),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Repeat;
    use std::sync::Arc;

    #[test]
    fn repeated_steps_count_as_often_as_they_are_executed() {
        let work = |id| Step::Work(Work::Segment(SegmentId(id)));
        let inner = Step::Repeat(Arc::new(Repeat { steps: vec![work(1), work(0)], times: 3 }));
        let steps = [work(0), Step::Repeat(Arc::new(Repeat { steps: vec![inner], times: 5 }))];
        assert_eq!(executed_steps(&steps), 31);
        assert_eq!(executed_segments(&steps), [(SegmentId(0), 16), (SegmentId(1), 15)].into());
    }
}
