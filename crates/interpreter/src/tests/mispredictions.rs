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
    shares_of(&text(calls))
}

fn shares_of(text: &str) -> (f64, f64) {
    let mut evaluator = evaluator(text, options(&[]));
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

#[test]
fn branches_of_a_loop_with_a_summary_are_learnt_as_well() {
    // The greatest common divisor of mont64 in Embench: 64 steps, each with a branch on the last bit.
    let text = |calls: usize| {
        format!(
            "#include <mpi.h>
             static unsigned long steps(unsigned long a, unsigned long b) {{
                 unsigned long u = 1, v = 0, alpha = a, beta = b;
                 while (a > 0) {{
                     a = a >> 1;
                     if ((u & 1) == 0) {{ u = u >> 1; v = v >> 1; }}
                     else {{ u = ((u ^ beta) >> 1) + (u & beta); v = (v >> 1) + alpha; }}
                 }}
                 return u + v;
             }}
             int main(void) {{
                 unsigned long s = 0;
                 for (int k = 0; k < {calls}; k++) {{ double t = MPI_Wtime(); s += steps(1ul << 63, 0xfae849273928f89ful); s += t > 0; }}
                 return s > 0;
             }}"
        )
    };
    let all = |calls: usize| shares_of(&text(calls)).1;
    assert!(all(1) > 0.2 && all(100) < all(1) / 8.0, "{} {}", all(1), all(100));
}
