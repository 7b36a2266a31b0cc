//! Calls of functions that are summarised once, with parameters left free.

use super::*;
use chronos_abstract_execution::observed;
use chronos_abstract_execution::random_programs::random_program;

/// Counts with summaries of functions are those without, wherever these are known.
fn alike(text: &str, points: &[&[i64]]) {
    let snippet = snippet(text, &["N", "M"]);
    let with = snippet.counted();
    observed::IN_PLACE.set(true);
    let without = snippet.counted();
    observed::IN_PLACE.set(false);
    for point in points {
        let (ours, theirs) = (with.evaluated(0, point), without.evaluated(0, point));
        for counter in ours.keys().chain(theirs.keys()) {
            let (own, other) = (ours.get(counter), theirs.get(counter));
            if other == Some(&None) {
                continue;
            }
            let line = with.program.blocks[with.program.block_of(*counter)].span.line_start;
            assert_eq!(
                own.map(|value| shown_rational(value.as_ref())),
                other.map(|value| shown_rational(value.as_ref())),
                "line {line} at {point:?} of\n{text}"
            );
        }
    }
}

#[test]
fn random_programs_count_alike() {
    observed::TAKEN.set(0);
    for seed in 1000..1040 {
        alike(&random_program(seed), &[&[0, 3], &[4, 7], &[5, 2], &[-2, 9]]);
    }
    assert!(observed::TAKEN.get() > 20, "{} calls took a summary", observed::TAKEN.get());
}

#[test]
fn a_polynomial_is_summed_over_counters() {
    let text = "int N = 3, M = 4, s;
static void triangle(int n, int m) { int i, j; for (i = 0; i < n; i++) for (j = i; j < m; j++) s++; }
int main(void) {
  int i, j;
  for (i = 0; i < N; i++) for (j = 0; j < i; j++) triangle(i + 1, 2 * M + j);
  triangle(N, M); triangle(M, N); triangle(7, N + M);
  return 0;
}";
    observed::EXECUTED.take();
    observed::TAKEN.set(0);
    agrees(&snippet(text, &["N", "M"]), PAIRS);
    assert!(observed::TAKEN.get() >= 4);
}
