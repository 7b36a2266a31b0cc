//! Summaries of functions: a call that takes one is counted as if the function were executed there.

use super::*;
use crate::observed;
use crate::random_programs::random_program;

/// With and without summaries of functions; how often bodies were executed in each.
fn both(text: &str) -> [(Summarised, BTreeMap<String, u32>); 2] {
    [false, true].map(|in_place| {
        observed::IN_PLACE.set(in_place);
        observed::EXECUTED.take();
        let summarised = summarise(text);
        observed::IN_PLACE.set(false);
        let name = |function| summarised.program.functions[function].name.to_string();
        let executed = observed::EXECUTED.take().into_iter().map(|(function, n)| (name(function), n)).collect();
        (summarised, executed)
    })
}

/// The effects on what matters, without reasons.
fn relevant(summarised: &Summarised) -> Vec<String> {
    let analysis = Analysis::new(&summarised.program, &Assumptions::default());
    let matters = |effect: &&Effect| match effect {
        Effect::SetVariable(variable, _) | Effect::Add(variable, _) => analysis.relevant_variable(*variable),
        Effect::SetMemory(pointer, ..) => analysis.is_relevant(Origin::Variable(VarId(pointer.object.0))),
        Effect::Forget(object, _) => analysis.is_relevant(Origin::Variable(VarId(object.0))),
        Effect::ForgetAll(origin, _) => analysis.is_relevant(*origin),
    };
    let shown = |effect: &Effect| match effect {
        Effect::SetVariable(variable, Value::Unknown(_)) => format!("{variable:?} unknown"),
        Effect::SetMemory(pointer, _, Value::Unknown(_)) => format!("{pointer:?} unknown"),
        Effect::Forget(object, _) => format!("{object:?} forgotten"),
        other => format!("{other:?}"),
    };
    summarised.summary().effects.iter().filter(matters).map(shown).collect()
}

fn assert_equal(text: &str) -> [BTreeMap<String, u32>; 2] {
    let [(with, few), (without, many)] = both(text);
    let Ok(expected) = &without.summary else { return [few, many] };
    assert_eq!(with.blocks(), without.blocks(), "counts of\n{text}");
    assert_eq!(relevant(&with), relevant(&without), "effects of\n{text}");
    assert_eq!(with.summary().loses, expected.loses, "of\n{text}");
    let uncertainties = |summary: &Summary| summary.uncertain.iter().map(|u| (u.block, u.kind)).collect::<Vec<_>>();
    assert_eq!(uncertainties(with.summary()), uncertainties(expected), "of\n{text}");
    let sorted = |summary: &Summary| {
        let mut volumes = summary.volumes.clone();
        volumes.sort_by_key(|volume| (volume.0, volume.1));
        volumes
    };
    assert_eq!(sorted(with.summary()), sorted(expected), "bytes of\n{text}");
    let nonzero = |summary: &Summary| summary.counts.iter().filter(|c| !c.2.is_zero()).count();
    assert_eq!(nonzero(with.summary()), nonzero(expected), "contexts of\n{text}");
    [few, many]
}

#[test]
fn a_function_is_executed_once_for_a_thousand_calls() {
    let calls: String = (0..1000).map(|n| format!("    total += work({n}, i);\n")).collect();
    let text = format!(
        "#include <string.h>
int total; double a[5000];
static int work(int n, int m) {{
  int i, j, s = 0;
  for (i = 0; i < n; i++) for (j = i; j < m; j++) a[j] = i;
  for (i = 0; i < 4; i++) s++;
  return 2 * n + 1;
}}
int main(void) {{
  int i;
  for (i = 0; i < 20; i++) {{
{calls}  }}
  return 0;
}}"
    )
    .replace("#include <string.h>\n", "");
    let [few, many] = assert_equal(&text);
    assert_eq!(few["work"], 1);
    assert!(many["work"] > 500, "{many:?}");
}

#[test]
fn arguments_globals_and_fields_are_inputs() {
    let [few, _] = assert_equal(
        "int rows = 7; struct grid { int n; int m; }; double a[100];
static void sweep(struct grid *g, int from) {
  int i, j;
  for (i = from; i < g->n; i++) for (j = 0; j < g->m * 2; j++) if (j % 3 == i % 2) a[i] += 1;
  for (i = 0; i < rows; i++) a[i] = 0;
}
int main(void) {
  struct grid big = { 30, 20 }, small = { 5, 6 };
  int k;
  for (k = 0; k < 9; k++) { sweep(&big, k); sweep(&small, 2 * k); }
  rows = 12;
  sweep(&small, 1);
  return 0;
}",
    );
    assert_eq!(few["sweep"], 1);
}

#[test]
fn what_a_function_leaves_behind_is_seen() {
    assert_equal(
        "int calls, size = 3; double a[64];
static int grow(int *n, int by) { int i; for (i = 0; i < *n; i++) a[i] = i; *n = *n + by; size = size + 2; return *n > 8; }
int main(void) {
  int n = 2, i, late = 0;
  late = grow(&n, 1); late = late + grow(&n, 4); late = late + grow(&n, 4);
  for (i = 0; i < n + late; i++) calls++;
  for (i = 0; i < size; i++) calls++;
  return 0;
}",
    );
}

#[test]
fn pointers_that_lead_to_one_object_are_told() {
    assert_equal(
        "int total;
static void set(int *a, int *b, int n) { int i; for (i = 0; i < n; i++) total++; *a = 3; *b = n; for (i = 0; i < *a; i++) total++; }
int main(void) {
  int x = 1, y = 2, i;
  set(&x, &y, 5); set(&x, &x, 7); set(&y, &x, 9);
  for (i = 0; i < x + y; i++) total++;
  return 0;
}",
    );
}

#[test]
fn values_that_leave_their_type_are_followed() {
    assert_equal(
        "int total;
static int folded(int n, unsigned m) { int i; for (i = 0; i < (unsigned char)n; i++) total++; for (i = 0; i < (int)((m * 2654435761u) % 10u); i++) total++; return (signed char)n; }
int main(void) {
  int k;
  for (k = 0; k < 3; k++) { total += folded(300, 5); total += folded(k + 254, k); }
  total = folded(200, 77) + folded(-3, 4000000000u);
  for (k = total; k < 0; k++) total++;
  return 0;
}",
    );
}

#[test]
fn null_pointers_and_function_pointers_are_no_summary() {
    assert_equal(
        "int total;
static int one(int n) { return n + 1; }
static int two(int n) { return n + 2; }
static int use(int *p, int (*f)(int), int n) { int i; if (p) total++; for (i = 0; i < f(n); i++) total++; return i; }
int main(void) {
  int x = 0;
  total = use(&x, one, 3) + use(0, two, 4) + use(&x, two, 5) + use(0, one, 6);
  return 0;
}",
    );
}

#[test]
fn random_programs_count_alike_with_and_without_summaries() {
    observed::TAKEN.set(0);
    for seed in 0..120 {
        assert_equal(&random_program(seed));
    }
    assert!(observed::TAKEN.get() > 30, "{} calls took a summary", observed::TAKEN.get());
}
