//! Conditions that nobody knows.

use super::*;
use chronos_activity::CountSource;

const DARTS: &str = "int rand(void);
int main(void) {
  int i, hits = 0;
  for (i = 0; i < 1000; i++) {
    double x = rand() / 2147483647.0;
    double y = rand() / 2147483647.0;
    if (x * x + y * y <= 1.0) {
      hits++;
    }
  }
  return 0;
}
";

#[test]
fn a_branch_nobody_knows_is_even() {
    let found = summarise(DARTS);
    let on_hit = found.totals().into_iter().find(|(counter, _)| found.line_of(*counter) == 8).map(|(_, count)| count);
    assert_eq!(on_hit, Some(Count::expected(500.0, CountSource::Assumed)));
    assert_eq!(found.summary().uncertain[0].kind, UncertainKind::AssumedProbability(0.5));
}

#[test]
fn a_given_probability_is_taken() {
    let found = summarise_assuming(DARTS, |program, assumptions| {
        let branch = program.blocks.iter().find(|(_, block)| matches!(block.kind, BlockKind::Branch(_)));
        assumptions.probability.extend(branch.map(|(id, _)| (id, 0.785)));
    });
    let on_hit = found.totals().into_iter().find(|(counter, _)| found.line_of(*counter) == 8).map(|(_, count)| count);
    assert_eq!(on_hit, Some(Count::expected(785.0, CountSource::Probability)));
    assert_eq!(found.summary().uncertain, vec![]);
}

#[test]
fn an_arm_that_ends_the_program_has_no_chance() {
    let found = summarise(
        "int rand(void); void exit(int);
int main(void) {
  if (rand() == 3) {
    exit(1);
  }
  return 0;
}
",
    );
    let kinds: Vec<_> = found.summary().uncertain.iter().map(|u| u.kind).collect();
    assert_eq!(kinds, [UncertainKind::AssumedProbability(0.0)]);
}

#[test]
fn given_iterations_are_taken() {
    let text = "int rand(void);
int main(void) {
  int n = 0;
  while (rand() > 5) {
    n++;
  }
  return 0;
}
";
    let found = summarise_assuming(text, |program, assumptions| {
        let l = program.blocks.iter().find(|(_, block)| matches!(block.kind, BlockKind::Loop(_)));
        assumptions.iterations.extend(l.map(|(id, _)| (id, 12.5)));
    });
    insta::assert_snapshot!(found.blocks(), @r"
    3 straight 1
    4 loop ~12.5 1
    4 straight ~13.5
    4 call ~13.5
    5 straight ~12.5
    ");
}

#[test]
fn a_long_search_ends_by_chance_or_at_its_end() {
    let text = "int rand(void);
int main(void) {
  int found = 0;
  for (int i = 0; i < 1000; i++) {
    if (rand() == 17) {
      found = 1;
      break;
    }
  }
  return found;
}
";
    let found = summarise_assuming(text, |program, assumptions| {
        let branch = program.blocks.iter().find(|(_, block)| matches!(block.kind, BlockKind::Branch(_)));
        assumptions.probability.extend(branch.map(|(id, _)| (id, 0.001)));
    });
    // (1 - 0.999^1000) / 0.001 iterations.
    let iterations =
        found.totals().into_iter().find(|(counter, _)| found.line_of(*counter) == 4).map(|(_, count)| count);
    let mean = iterations.and_then(|count| count.as_f64()).expect("expected");
    assert!((mean - 632.304_575).abs() < 1e-3, "{mean}");
}
