//! What segments are told of branches, when they are first seen and when all was followed.

use super::{evaluator, options};
use chronos_activity::{Feed, Outcome, SegmentId, Segments, Step, TaskId, Work};
use chronos_base::hash::FxHashMap;

/// A pure function whose branch goes 60 times as bits say that no short history tells, called `calls` times, each time
/// behind a reading of the clock.
fn text(calls: usize) -> String {
    format!(
        "#include <mpi.h>
         static int bits(unsigned long x) {{ int s = 0; for (int i = 0; i < 60; i++) if (x >> i & 1) s += i; return s; }}
         int main(void) {{
             int s = 0;
             for (int k = 0; k < {calls}; k++) {{ double t = MPI_Wtime(); s += bits(0xb5297a4d9e3779b1ul); s += t > 0; }}
             return s > 0;
         }}"
    )
}

/// The greatest share of mispredicted evaluations of a branch of the function.
fn greatest(segments: &Segments) -> f64 {
    let all = segments.iter().flat_map(|(_, segment)| &segment.mispredicted);
    let of_function = all.filter(|seen| segments.context(seen.context).parent.is_some());
    of_function.map(|seen| seen.share).fold(0.0, f64::max)
}

/// Adds how often a step executes segments.
fn add(step: &Step, times: f64, executions: &mut FxHashMap<SegmentId, f64>) {
    match step {
        Step::Work(Work::Segment(id)) => *executions.entry(*id).or_default() += times,
        Step::Repeat(repeat) => repeat.steps.iter().for_each(|step| add(step, times * repeat.times as f64, executions)),
        _ => {}
    }
}

fn shares(calls: usize) -> (f64, f64) {
    let mut evaluator = evaluator(&text(calls), options(&[]));
    let mut executions = FxHashMap::default();
    loop {
        match evaluator.next(TaskId(0), Outcome::None) {
            Step::End => break,
            Step::Stuck => panic!("{:?}", evaluator.diagnostics()),
            step => add(&step, 1.0, &mut executions),
        }
    }
    let first = greatest(evaluator.segments());
    assert!(evaluator.settle_mispredictions(&executions));
    (first, greatest(evaluator.segments()))
}

#[test]
fn branches_are_learnt_by_calls_that_repeat() {
    let (first, once) = shares(1);
    assert!(first > 0.2 && once > 0.2, "{first} {once}");
    let (first, all) = shares(200);
    assert!(first > 0.2 && all < first / 8.0, "{first} {all}");
}
