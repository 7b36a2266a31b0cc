//! Branches and loops whose behaviour is said or assumed. Expected counts are worked out by hand; every program is
//! evaluated with and without summaries, and both must agree.

use super::*;
use chronos_activity::CountValue;
use chronos_ir::{BlockKind, CounterId};
use chronos_slicing::heuristics::shown;

struct Counted {
    evaluator: Evaluator,
}

fn counted(text: &str, summaries: bool, options: EvaluatorOptions) -> Counted {
    let mut evaluator = evaluator_with(text, options, summaries);
    steps(&mut evaluator, 0);
    Counted { evaluator }
}

impl Counted {
    fn number(&self, counter: CounterId) -> String {
        let mut total = chronos_activity::Count::ZERO;
        for (_, segment) in self.evaluator.segments().iter() {
            segment.by_counter().filter(|(c, _)| *c == counter).for_each(|(_, n)| total += n);
        }
        match total.value {
            CountValue::Unknown => "?".into(),
            _ => shown(total.as_f64().unwrap_or(0.0)),
        }
    }

    /// Loops as `line loop iterations/entries`, branches as `line:column evaluations > taken of each arm`.
    fn decisions(&self) -> String {
        let mut text = String::new();
        for block in self.evaluator.programs.first().program.blocks.values() {
            let numbers: Vec<String> = (0..block.counters()).map(|n| self.number(block.counter(n))).collect();
            let (line, column) = (block.span.line_start, block.span.column_start);
            match &block.kind {
                BlockKind::Loop(_) => writeln!(text, "{line} loop {}/{}", numbers[0], numbers[1]),
                BlockKind::Branch(_) => writeln!(text, "{line}:{column} {} > {}", numbers[0], numbers[1..].join(" ")),
                _ => Ok(()),
            }
            .expect("a string");
        }
        text
    }

    fn told(&self) -> String {
        let one = |d: &chronos_base::diag::Diagnostic| format!("{} {}\n", d.code.id, d.message);
        self.evaluator.diagnostics().iter().map(one).collect()
    }
}

/// The same with summaries as without.
#[track_caller]
fn decisions(text: &str) -> String {
    let [slow, fast] = [false, true].map(|summaries| counted(text, summaries, options(&[])).decisions());
    assert_eq!(slow, fast, "interpreted and summarised");
    slow
}

/// What is said of a program, with and without summaries.
#[track_caller]
fn said(text: &str) -> String {
    let [slow, fast] = [false, true].map(|summaries| counted(text, summaries, options(&[])).told());
    assert_eq!(slow, fast, "interpreted and summarised");
    slow
}

const RAND: &str = "#include <chronos.h>\n#include <stdlib.h>\n";

#[test]
fn a_probability_speaks_of_the_next_branch() {
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (int i = 0; i < 100; i++) {{ PIC_proba(0.25); if (rand() > 3) s++; else s--; }}
  for (int i = 0; i < 100; i++) {{ chronos_probability(0.25); s += rand() > 3 ? 1 : 2; }}
  for (int i = 0; i < 100; i++) {{ if (PIC_proba(0.1), rand() > 3) s++; }}
  return s; }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 100/1
    4:52 100 > 25 75
    5 loop 100/1
    5:67 100 > 25 75
    6 loop 100/1
    6:35 100 > 10
    ");
}

#[test]
fn a_probability_speaks_of_a_whole_condition() {
    // The parts have no probability of their own: 0.5 each.
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (int i = 0; i < 100; i++) {{ PIC_proba(0.1); if (rand() > 3 && rand() > 4) s++; }}
  for (int i = 0; i < 100; i++) {{ if (PIC_proba(0.1), rand() > 3 || rand() > 4) s++; }}
  return s; }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 100/1
    4:55 100 > 50
    4:51 100 > 10
    5 loop 100/1
    5:55 100 > 50
    5:35 100 > 10
    ");
}

#[test]
fn parts_of_a_condition_have_probabilities_of_their_own() {
    // 0.5 x 0.1 = 0.05; 0.5 + 0.5 x 0.1 = 0.55.
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (int i = 0; i < 100; i++) {{ if ((PIC_proba(0.5), rand() > 3) && (PIC_proba(0.1), rand() > 4)) s++; }}
  for (int i = 0; i < 100; i++) {{ if ((PIC_proba(0.5), rand() > 3) || (PIC_proba(0.1), rand() > 4)) s++; }}
  return s; }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 100/1
    4:39 100 > 50
    4:35 100 > 5
    5 loop 100/1
    5:39 100 > 50
    5:35 100 > 55
    ");
    assert_eq!(said(&text), "");
}

#[test]
fn a_call_in_between_does_not_take_the_probability_away() {
    let text = format!(
        "{RAND}int f(int x) {{ if (x > 2) return rand(); return 1; }}
int main(void) {{ int s = 0;
  for (int i = 0; i < 100; i++) {{ PIC_proba(0.125); if (f(7) > 4) s++; }}
  return s; }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    3:16 100 > 100
    5 loop 100/1
    5:53 100 > 12.5
    ");
}

#[test]
fn the_first_label_of_a_switch_has_the_probability_and_the_others_share_the_rest() {
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (int i = 0; i < 100; i++) {{ PIC_proba(0.4); switch (rand()) {{ case 1: s++; break; case 2: case 3: s--; break; default: s = 0; }} }}
  for (int i = 0; i < 100; i++) {{ switch (rand()) {{ case 1: s++; break; case 2: case 3: s--; }} }}
  return s; }}"
    );
    // 0.6 in three labels; then a quarter for each label and for none.
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 100/1
    4:51 100 > 40 40 20
    5 loop 100/1
    5:35 100 > 25 50
    ");
}

#[test]
fn numbers_of_iterations_are_expressions() {
    // 1 + 2 + 3 + 4 iterations; 8 / 2 iterations; do: as often as said.
    let text = format!(
        "{RAND}int f(int n) {{ int s = 0; for (int i = 0; i < n; i++) {{ chronos_iterations(i + 1); while (rand() > 3) s++; }} return s; }}
int g(int n) {{ int s = 0; chronos_iterations(n / 2); for (s = 0; rand() > 3; s++) ; return s; }}
int h(void) {{ int s = 0; chronos_iterations(2.5); do s++; while (rand() > 3); return s; }}
int main(void) {{ f(4); g(8); return h(); }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    3 loop 4/1
    3 loop 10/4
    4 loop 4/1
    5 loop 2.5/1
    ");
    assert_eq!(said(&text), "");
}

#[test]
fn probabilities_are_expressions() {
    let text = format!(
        "{RAND}#define LIKELY(n, c) (PIC_proba(1.0 / (n)), c)
int f(int n) {{ int s = 0; for (int i = 0; i < 100; i++) if (LIKELY(n, rand() > 3)) s++; return s; }}
int main(void) {{ return f(4) + f(8); }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 200/2
    4:57 200 > 37.5
    ");
}

#[test]
fn a_probability_that_changes_is_followed() {
    // 0/4 + 1/4 + 2/4 + 3/4.
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (int i = 0; i < 4; i++) {{ PIC_proba(i / 4.0); if (rand() > 3) s++; }}
  return s; }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 4/1
    4:53 4 > 1.5
    ");
}

#[test]
fn what_is_known_wins() {
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (int i = 0; i < 100; i++) {{ PIC_proba(0.9); if (i < 30) s++; }}
  chronos_iterations(5); for (int i = 0; i < 10; i++) s++;
  chronos_iterations(10); for (int i = 0; i < 10; i++) s++;
  return s < 0; }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 100/1
    4:51 100 > 30
    5 loop 10/1
    6 loop 10/1
    ");
    insta::assert_snapshot!(said(&text), @r"
    C0334 a condition is true with a share of 0.3, not 0.9 as assumed
    C0334 a loop runs 10 times, not 5 as assumed
    ");
}

#[test]
fn assumptions_of_nothing_are_told() {
    let text = format!(
        "{RAND}int main(void) {{ int s = 0; PIC_proba(0.5); s++; for (int i = 0; i < 3; i++) {{ chronos_iterations(4); s++; }} return s < 0; }}"
    );
    insta::assert_snapshot!(said(&text), @r"
    C0331 no branch follows this probability
    C0331 no loop follows this number of iterations
    ");
}

#[test]
fn numbers_that_are_no_probability_are_told() {
    let wrong =
        |call: &str| said(&format!("{RAND}int main(void) {{ int n = 3; {call} if (rand() > 4) n = 1; return n; }}"));
    insta::assert_snapshot!(wrong("PIC_proba(1.5);"), @"C0332 1.5 is no probability");
    insta::assert_snapshot!(wrong("PIC_proba(-n);"), @"C0332 -3 is no probability");
    let unknown = wrong("PIC_proba(rand());");
    assert!(unknown.starts_with("C0333 a probability that the source assumes is unknown\n"), "{unknown}");
    let text =
        format!("{RAND}int main(void) {{ int n = 3; chronos_iterations(-n); while (rand() > 4) n = 1; return n; }}");
    insta::assert_snapshot!(said(&text), @"C0332 -3 is no number of iterations");
}

#[test]
fn parts_that_jump_from_nested_branches_add_up() {
    // a 0.5, b 0.5, c 0.5: b is reached by 0.5 and returns 0.25; c by 0.25 and returns 0.125; the loops by 0.125 and
    // by 1 - 0.25 - 0.125.
    let text = format!(
        "{RAND}int f(void) {{
  PIC_proba(0.5); if (rand()) {{
    PIC_proba(0.5); if (rand()) return 1;
    PIC_proba(0.5); if (rand()) return 2;
    for (int i = 0; i < 8; i++) ;
  }}
  for (int i = 0; i < 8; i++) ;
  return 0; }}
int main(void) {{ return f(); }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4:19 1 > 0.5
    5:21 0.5 > 0.25
    6:21 0.25 > 0.125
    7 loop 1/0.125
    9 loop 5/0.625
    ");
}

#[test]
fn a_continue_in_nested_branches_skips_the_rest_of_the_iteration() {
    // 100 iterations; 50 see the second branch, 10 of them go on early; 90 come to the third.
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (int i = 0; i < 100; i++) {{
    PIC_proba(0.5); if (rand()) {{ PIC_proba(0.2); if (rand()) continue; s++; }}
    PIC_proba(0.5); if (rand()) s++;
  }}
  return s; }}"
    );
    insta::assert_snapshot!(decisions(&text), @r"
    4 loop 100/1
    5:21 100 > 50
    5:51 50 > 10
    6:21 90 > 45
    ");
}

#[test]
fn heuristics_speak_where_nobody_does() {
    // x == 3: 0.16; x > y, a store: 0.45; error exits: 0.
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint g;
int main(void) { int x = rand(), y = rand(), s = 0;
  if (x == 3) s++;
  if (x > y) g = 1;
  if (x < 0) { fprintf(stderr, \"no\\n\"); return 2; }
  if (x > 5) { printf(\"Error: wrong\\n\"); }
  if (x > 6) exit(1);
  return s; }";
    insta::assert_snapshot!(decisions(text), @r"
    5:3 1 > 0.16
    6:3 1 > 0.45
    7:3 1 > 0
    8:3 1 > 0
    9:3 1 > 0
    ");
}

#[test]
fn a_return_out_of_a_loop_is_followed_by_chance() {
    // Each iteration goes on with 1 - 0.5 x 0.5 = 0.75: 1 + 0.75 + 0.5625 + 0.421875 iterations, and as many second
    // conditions as half of that; 0.75^4 of the calls come to the loop behind it.
    let text = format!(
        "{RAND}int f(void) {{ int i = 0;
  while (i < 4) {{
    PIC_proba(0.5); if (rand()) {{
      PIC_proba(0.5); if (rand()) return 1;
    }}
    i++;
  }}
  for (i = 0; i < 8; i++) ;
  return 0; }}
int main(void) {{ return f() + f(); }}"
    );
    insta::assert_snapshot!(counted(&text, true, options(&[])).decisions(), @r"
    4 loop 5.469/2
    5:21 5.469 > 2.734
    6:23 2.734 > 1.367
    10 loop 5.062/0.633
    ");
}

#[test]
fn a_loop_that_chance_alone_ends_has_the_mean_that_follows() {
    // 1 / 0.1 tests in the loop.
    let text = format!(
        "{RAND}int main(void) {{ int s = 0;
  for (;;) {{ PIC_proba(0.1); if (rand()) break; s++; }}
  return 0; }}"
    );
    insta::assert_snapshot!(counted(&text, true, options(&[])).decisions(), @r"
    4 loop 10/1
    4:30 10 > 1
    ");
}

#[test]
fn chances_that_nobody_gave_do_not_end_a_loop() {
    let text = format!("{RAND}int main(void) {{ int s = 0; for (;;) {{ if (rand() == 3) break; s++; }} return 0; }}");
    insta::assert_snapshot!(counted(&text, true, options(&[])).decisions(), @r"
    3 loop ?/1
    3:40 ? > ?
    ");
}

/// A file that was not given: the program does without it where it can; where it cannot, it is there.
#[test]
fn files_that_were_not_given() {
    let text = "#include <stdio.h>
#include <stdlib.h>
int timers(void) { FILE *f; if ((f = fopen(\"timer.flag\", \"r\")) != NULL) { fclose(f); return 1; } return 0; }
int size(void) { int n = 1; FILE *f = fopen(\"size\", \"r\"); if (f == NULL) exit(1); fscanf(f, \"%d\", &n); return n; }
int width(void) { int n = 1; FILE *f = fopen(\"width\", \"r\"); if (!f) return -1; fscanf(f, \"%d\", &n); return n; }
int main(void) { int s = 0; if (timers()) s = 2; if (size() > 0) s++; if (width() == 3) s++; return s; }
";
    insta::assert_snapshot!(decisions(text), @r"
    3:29 1 > 0
    4:59 1 > 0
    5:61 1 > 0
    6:29 1 > 0
    6:50 1 > 0.84
    6:71 1 > 0.16
    ");
    insta::assert_snapshot!(said(text), @r"
    C0314 the program reads the file `timer.flag`, which was not given
    C0307 a file is assumed not to exist: its condition depends on whether the file `timer.flag` exists, which was not given
    C0314 the program reads the file `size`, which was not given
    C0308 a check is assumed to succeed: its condition depends on whether the file `size` exists, which was not given
    C0307 a branch is assumed to be taken with probability 0.84: its condition is read from the file `size`, which was not given
    C0314 the program reads the file `width`, which was not given
    C0308 a check is assumed to find no error: its condition depends on whether the file `width` exists, which was not given
    C0307 a branch is assumed to be taken with probability 0.16: its condition is read from the file `width`, which was not given
    ");
}

/// Steps and messages of a program with so much budget.
fn with_budget(text: &str, budget: u64) -> String {
    let mut options = options(&[]);
    options.assumptions.budget = budget;
    let mut evaluator = evaluator_with(text, options, true);
    let steps = steps(&mut evaluator, 0);
    let told = evaluator.diagnostics().iter().map(|d| format!("{} {}\n", d.code.id, d.message)).collect::<String>();
    steps + &told
}

/// A loop that computes what an MPI call is given is executed beyond the budget; one that computes what a branch asks is not.
#[test]
fn what_mpi_calls_are_given_is_worth_more_than_counts() {
    let text = |used: &str| {
        format!(
            "#include <mpi.h>
int a[8];
int main(int argc, char **argv) {{ int i, j; MPI_Init(&argc, &argv);
 for (j = 0; j < 215; j++) for (i = 0; i < 40; i++) a[(a[i % 8] + i * i) & 7] += i ^ a[(i + 1) & 7];
 {used}
 MPI_Finalize(); return 0; }}"
        )
    };
    let given = with_budget(&text("MPI_Bcast(&i, 0 * a[3], MPI_INT, 0, MPI_COMM_WORLD);"), 10_000);
    let asked = with_budget(&text("if (a[3] & 1) i = 0;"), 10_000);
    assert!(!given.contains("C03"), "{given}");
    assert!(asked.contains("C0307"), "{asked}");
}

/// A loop that waits until time has passed is executed nobody knows how often; what stands behind it is exact.
#[test]
fn loops_that_wait_for_the_clock() {
    let text = "#include <mpi.h>
static double now(void) { return MPI_Wtime(); }
static void wait(double t) { double begin = now(); while (1) { double end = now(); if (end - begin > t) return; } }
int main(int argc, char **argv) { MPI_Init(&argc, &argv); wait(0.1); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }
";
    let found = counted(text, true, options(&[]));
    assert_eq!(
        found.told(),
        "C0307 a branch is assumed to be taken with probability 0.089: its condition depends on the time\n\
         C0306 the number of iterations of a loop depends on the time\n"
    );
    insta::assert_snapshot!(found.decisions(), @r"
    3 loop ?/1
    3:84 ? > ?
    ");
    let mut evaluator = evaluator_with(text, options(&[]), true);
    assert!(steps(&mut evaluator, 0).ends_with("End\n"));
}
