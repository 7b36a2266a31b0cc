//! Loops as code of this processor: they do what the interpreter does.

use super::{evaluator, options};
use crate::{Evaluator, EvaluatorOptions, NativeCode};
use chronos_activity::{Feed, Outcome, Step, TaskId, Work};
use proptest::prelude::*;
use std::fmt::Write;

/// All that an evaluation gives: counts by context, what was told, what was doubted, and what main returns.
fn seen(text: &str, native: NativeCode) -> String {
    let options = EvaluatorOptions { native, ignores_prediction: true, ..options(&[]) };
    let mut evaluator: Evaluator = evaluator(text, options);
    let mut seen = String::new();
    loop {
        match evaluator.next(TaskId(0), Outcome::None) {
            Step::Work(Work::Segment(id)) => {
                writeln!(seen, "{:?}", evaluator.segments().get(id)).expect("a string");
            }
            Step::End | Step::Stuck => break,
            other => panic!("{other:?} in a sequential program"),
        }
    }
    for told in evaluator.diagnostics() {
        writeln!(seen, "{}: {}", told.code.id, told.message).expect("a string");
    }
    writeln!(seen, "{:?}", evaluator.result(TaskId(0))).expect("a string");
    seen
}

/// The same with and without code of this processor.
#[track_caller]
fn check(text: &str) {
    assert_eq!(seen(text, NativeCode::AtOnce), seen(text, NativeCode::Off), "{text}");
}

/// The same within a function.
#[track_caller]
fn check_main(text: &str) {
    check(&format!(
        "double sqrt(double); double pow(double, double); float sqrtf(float);\nint main(void) {{ {text} }}"
    ));
}

#[test]
fn loops_over_arrays_of_all_types() {
    check_main(
        "double a[50], s = 0; float f[50]; int n[50]; unsigned u[50]; long l[50]; char c[50]; short h[50]; _Bool b[50];
         for (int i = 0; i < 50; i++) { a[i] = i * 0.5; f[i] = i / 3.0f; n[i] = i * 7 - 9; u[i] = n[i]; l[i] = -n[i]; c[i] = n[i]; h[i] = n[i] << 9; b[i] = n[i]; }
         for (int i = 0; i < 50; i++) s += a[i] * f[i] + n[i] - u[i] + l[i] / 3 + c[i] % 5 + (h[i] >> 2) + b[i];
         return (int) s & 255;",
    );
}

#[test]
fn loops_that_end_by_their_data() {
    check_main(
        "double u[40] = {0}, d = 1; int rounds = 0; u[0] = 100;
         while (d > 0.01) { d = 0; for (int i = 1; i < 39; i++) { double old = u[i]; u[i] = (u[i - 1] + u[i + 1]) / 2; d += u[i] > old ? u[i] - old : old - u[i]; } rounds++; }
         return rounds;",
    );
}

#[test]
fn branches_switches_and_values_of_conditions() {
    check_main(
        "int seen[6] = {0}, x = 12345, odd = 0;
         for (int i = 0; i < 3000; i++) {
           x = (x * 1103 + 12345) & 0xffff;
           switch (x % 7) { case 0: case 1: seen[0]++; break; case 2: seen[1] += 2; case 3: seen[2]++; break; case 4 ... 5: seen[3]++; break; default: seen[4]++; }
           if (x % 3 == 0 && x % 5 != 0 || x == 17) odd += (x & 1) ? 2 : 1; else if (!x) continue;
           if (odd > 2000) break;
         }
         return seen[0] + seen[1] * 3 + seen[2] * 5 + seen[3] * 7 + seen[4] + odd & 255;",
    );
}

#[test]
fn calls_in_loops_have_counts_of_their_own() {
    check(
        "static double half(double x) { return x / 2; }
         static int is_prime(int n) { for (int d = 2; d * d <= n; d++) if (n % d == 0) return 0; return n > 1; }
         static int steps(int n) { int count = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : (int) half(n); count++; if (count > 500) return -1; } return count; }
         static void put(int *to, int what) { *to += what; }
         int total;
         int main(void) { int primes = 0; for (int i = 1; i < 300; i++) { primes += is_prime(i); put(&total, steps(i)); if (i % 50 == 0) total += steps(i); } return primes + total & 255; }",
    );
}

#[test]
fn what_overflows_and_what_is_undefined() {
    check_main(
        "int hash = 7, zero = 0, quotients = 0; unsigned h = 1; long wide = 1;
         for (int i = 0; i < 100; i++) { hash = hash * 31 + i; h = h * 2654435761u + i; wide *= 3; h ^= h >> 13; quotients += hash / (i - 50 ? i - 50 : 1) + (i > 97 ? hash % -1 : 0); }
         for (int i = 5; i > -5; i--) zero += i == -4 ? 0 : 10 / (i ? i : 3);
         return (hash ^ (int) h ^ (int) wide) + quotients + zero & 255;",
    );
    check_main("int s = 0; for (int i = 0; i < 40; i++) s += 100 / (20 - i); return s;");
    check_main("int a[8] = {0}, s = 0; for (int i = 0; i < 12; i++) { s += a[i]; a[i] = i; } return s;");
    check_main("int s = 0, x; for (int i = 0; i < 12; i++) { if (i > 5) s += x; else if (i > 7) x = 1; } return s;");
}

#[test]
fn pointers_move_and_lead_to_rows_and_lists() {
    check(
        "#include <stdlib.h>
         struct node { struct node *next; int value; double weight; };
         int main(void) {
           double **rows = malloc(20 * sizeof *rows), sum = 0; struct node *list = 0;
           for (int i = 0; i < 20; i++) { rows[i] = malloc(30 * sizeof **rows); for (int j = 0; j < 30; j++) rows[i][j] = i + j * 0.25; }
           for (int k = 0; k < 5; k++) for (int i = 1; i < 19; i++) for (int j = 1; j < 29; j++) rows[i][j] = (rows[i - 1][j] + rows[i + 1][j] + rows[i][j - 1] + rows[i][j + 1]) / 4;
           for (double *p = rows[3], *end = p + 30; p < end; p++) sum += *p;
           for (int i = 0; i < 50; i++) { struct node *new = malloc(sizeof *new); new->next = list; new->value = i; new->weight = i / 2.0; list = new; }
           for (int k = 0; k < 10; k++) for (struct node *at = list; at; at = at->next) { at->value += k; sum += at->weight; }
           return (int) sum + list->value & 255;
         }",
    );
}

#[test]
fn functions_of_numbers_and_conversions() {
    check_main(
        "double s = 0; float f = 0; long n = 0; unsigned long big = 0;
         for (int i = 0; i < 200; i++) { s += sqrt(i) * pow(i, 0.25); f += sqrtf((float) i); n += (long) (s * 1e3) - (int) f; big += (unsigned) (s + 0.5) * 3ul; s -= (double) big / 1e9; }
         return (int) s + (int) f + (int) n + (int) big & 255;",
    );
    check_main(
        "int s = 0; double x = 1; for (int i = 0; i < 60; i++) { x *= 4; s += x < 1e9 ? (int) x : 1; } return s & 255;",
    );
    check_main("int s = 0; double x = 1; for (int i = 0; i < 30; i++) { x *= 4; s ^= (int) x; } return s & 255;");
}

#[test]
fn random_numbers() {
    check(
        "int rand(void); long random(void); double drand48(void); long mrand48(void); long lrand48(void);
         void srand(unsigned); void srand48(long);
         static int inside(int darts) { int n = 0; for (int i = 0; i < darts; i++) { double x = drand48(), y = rand() / 2147483647.0; n += x * x + y * y < 1; } return n; }
         int main(void) { long s = 0; srand(3); int n = inside(400); srand48(9);
           for (int i = 0; i < 300; i++) { s += random() % 17 + (mrand48() < 0) + lrand48() % 5; if (i == 200) srand(i); }
           return (s + n + inside(50)) & 255; }",
    );
}

#[test]
fn sorting_and_globals() {
    check(
        "int data[200], swaps; double mean;
         static void sort(int *a, int n) { for (int i = 0; i < n; i++) for (int j = 0; j + 1 < n - i; j++) if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; swaps++; } }
         int main(void) { unsigned x = 1; for (int i = 0; i < 200; i++) { x = x * 1664525 + 1013904223; data[i] = x >> 16; mean += data[i] / 200.0; } sort(data, 200); return swaps + data[100] + (int) mean & 255; }",
    );
}

/// Statements over some variables and two arrays, with loops and branches.
fn statements(depth: u32) -> BoxedStrategy<String> {
    let expression = prop_oneof![
        Just("i".to_owned()),
        Just("x".to_owned()),
        Just("y".to_owned()),
        Just("a[i & 15]".to_owned()),
        Just("a[x & 15]".to_owned()),
        (-9i32..99).prop_map(|n| n.to_string()),
    ];
    let binary =
        (expression.clone(), "[-+*&|^<>]|==|!=|<=|<<|>>|/|%", expression.clone()).prop_map(|(a, op, b)| match &*op {
            "/" | "%" => format!("({a} {op} (({b} & 7) + 1))"),
            "<<" | ">>" => format!("(({a} & 0xffff) {op} ({b} & 7))"),
            op => format!("({a} {op} {b})"),
        });
    let expression = prop_oneof![expression, binary].boxed();
    let assignment = prop_oneof![
        expression.clone().prop_map(|e| format!("x = {e};")),
        expression.clone().prop_map(|e| format!("y += {e};")),
        (expression.clone(), expression.clone()).prop_map(|(at, e)| format!("a[{at} & 15] = {e};")),
        expression.clone().prop_map(|e| format!("d[x & 7] = d[i & 7] * 0.5 + {e};")),
        expression.clone().prop_map(|e| format!("u = u * 3u + (unsigned) {e};")),
        expression.clone().prop_map(|e| format!("y += twice({e});")),
        Just("y += d[x & 7] > 2.5;".to_owned()),
    ];
    if depth == 0 {
        return assignment.boxed();
    }
    let inner = proptest::collection::vec(statements(depth - 1), 1..4).prop_map(|all| all.join(" "));
    prop_oneof![
        3 => assignment,
        1 => (expression.clone(), inner.clone(), inner.clone()).prop_map(|(c, a, b)| format!("if ({c}) {{ {a} }} else {{ {b} }}")),
        1 => (expression.clone(), expression.clone(), inner.clone()).prop_map(|(c, e, a)| format!("if ({c} && {e}) {{ {a} }}")),
        1 => (1..6, inner.clone()).prop_map(|(n, a)| format!("for (int k = 0; k < {n}; k++) {{ {a} if (x == k) break; }}")),
        1 => (expression, inner.clone(), inner).prop_map(|(c, a, b)| format!("switch ({c} & 3) {{ case 0: {a} break; case 2: {b} default: y--; }}")),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn random_loops_do_the_same(body in proptest::collection::vec(statements(3), 1..5), trips in 1..40u32) {
        let body = body.join("\n");
        check(&format!(
            "int a[16]; double d[8]; unsigned u = 1;
             static int twice(int n) {{ int r = 0; for (int j = 0; j < 2; j++) r += n & 0xfff; return r; }}
             int main(void) {{ int x = 1, y = 2; for (int i = 0; i < {trips}; i++) {{ {body} }} for (int i = 0; i < 16; i++) y ^= a[i]; return (y ^ (int) u) & 127; }}"
        ));
    }
}
