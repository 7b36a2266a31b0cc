//! Loops whose number of iterations follows from chance, by a recurrence.

use super::*;

/// What a search in `length` elements is expected to do: `declarations` of counters, the `loop`.
fn expected(search: &str, length: u32) -> String {
    let text = format!(
        "int rand(void);\nint f(int n) {{\n int lo = 0, hi = n, mid, found = 0;\n{search}\n return lo + found + hi;\n}}\nint main(void) {{\n int once;\n for (once = 0; once < 1; once++) f({length});\n return 0;\n}}\n"
    );
    let found = summarise(&text);
    let main = found.program.main;
    let loops = found.program.blocks.iter().filter(|(_, block)| matches!(block.kind, BlockKind::Loop(_)));
    let loops = loops.filter(|(_, block)| Some(block.function) != main);
    let totals = found.totals();
    let counts = loops.map(|(_, block)| {
        let count = totals.get(&block.counter(0)).copied().unwrap_or(Count::ZERO);
        let bounds = found.summary().uncertain.iter().find_map(|uncertain| match uncertain.kind {
            UncertainKind::AssumedTrips { least, most, .. } => Some(format!(" in {least}..={most}")),
            _ => None,
        });
        format!("{}{}", shown(count), bounds.unwrap_or_default())
    });
    counts.collect::<Vec<_>>().join(" ")
}

const LOWER_BOUND: &str = "while (lo < hi) { mid = lo + (hi - lo) / 2; if (rand() < 5) lo = mid + 1; else hi = mid; }";
const CLOSED: &str =
    "hi = n - 1; while (lo <= hi) { mid = (lo + hi) / 2; if (rand() < 5) lo = mid + 1; else hi = mid - 1; }";
const HALVES: &str = "while (hi - lo > 1) { mid = (lo + hi) >> 1; if (rand() < 5) lo = mid; else hi = mid; }";
const EARLY: &str = "hi = n - 1; while (lo <= hi) { mid = (lo + hi) / 2; if (rand() == 5) { found = 1; break; } if (rand() < 5) lo = mid + 1; else hi = mid - 1; }";
const RETURN: &str = "hi = n - 1; while (lo <= hi) { mid = lo + (hi - lo) / 2; if (rand() == 5) return mid; else if (rand() < 5) lo = mid + 1; else hi = mid - 1; }";
const FLAG: &str = "while (lo < hi && !found) { mid = (lo + hi) / 2; if (rand() == 5) found = 1; else if (rand() < 5) lo = mid + 1; else hi = mid; }";
const COUNT: &str =
    "while (n > 0) { int half = n / 2; if (rand() < 5) { lo = lo + half + 1; n -= half + 1; } else n = half; }";
const DO: &str =
    "do { mid = (lo + hi) / 2; lo = rand() < 5 ? mid + 1 : lo; hi = hi - (hi - mid) * 1; } while (lo < hi);";

/// The mean by hand: with `p` for the upper part of `n` elements.
fn by_hand(n: u64, p: f64, parts: &dyn Fn(u64) -> Option<(u64, u64)>) -> f64 {
    match parts(n) {
        None => 0.0,
        Some((upper, lower)) => 1.0 + p * by_hand(upper, p, parts) + (1.0 - p) * by_hand(lower, p, parts),
    }
}

fn mean(text: &str) -> f64 {
    let number = text.trim_start_matches('~').split(' ').next().expect("a first word");
    number.parse().expect("a number")
}

/// `rand() < 5` has the probability of an integer that is less than a constant.
#[test]
fn searches_have_the_mean_of_their_recurrence() {
    for n in [1, 2, 3, 5, 10, 100, 1000, 1_000_000] {
        let p = 0.5;
        let lower = by_hand(n, p, &|n| (n > 0).then(|| (n - n / 2 - 1, n / 2)));
        let closed = by_hand(n, p, &|n| (n > 0).then(|| (n - 1 - (n - 1) / 2, (n - 1) / 2)));
        for (search, by_hand) in [(LOWER_BOUND, lower), (COUNT, lower), (CLOSED, closed)] {
            let found = mean(&expected(search, n as u32));
            assert!((found - by_hand).abs() < 1e-9, "{found}, by hand {by_hand}, of {search} in {n}");
        }
    }
}

#[test]
fn searches_whose_parts_are_alike_are_exact() {
    assert_eq!(expected(HALVES, 1024), "10");
    assert_eq!(expected(LOWER_BOUND, 1023), "10");
    assert_eq!(expected(CLOSED, 255), "8");
    assert_eq!(expected(LOWER_BOUND, 0), "0");
    assert_eq!(expected(CLOSED, 0), "0");
}

#[test]
fn searches_that_may_end_early() {
    insta::assert_snapshot!([EARLY, RETURN, FLAG].map(|search| expected(search, 1000)).join("\n"), @r"
    ~8.154238606580275 in 1..=10
    ~7.611995437115947 in 1..=10
    ~2.4660943105685886 in 1..=10
    ");
}

/// Half of the executions end in each iteration: `Σ 2^-k` for k from 0 to 6.
#[test]
fn conditions_at_the_end_and_conditional_expressions() {
    assert_eq!(expected(DO, 100), "~1.984375 in 1..=7");
}

#[test]
fn what_is_no_recurrence_stays_unknown() {
    let random = "while (lo < hi) { if (rand() < 5) lo = rand(); else hi--; }";
    let endless = "while (lo < hi) { mid = (lo + hi) / 2; if (rand() < 5) lo = mid; else hi = mid; }";
    assert_eq!([random, endless].map(|search| expected(search, 100)), ["?", "?"]);
}

#[test]
fn given_iterations_win() {
    let text =
        format!("int rand(void);\nint main(void) {{ int lo = 0, hi = 1000, mid;\n{LOWER_BOUND}\n return 0; }}\n");
    let found = summarise_assuming(&text, |program, assumptions| {
        let is_loop = |(_, block): &(BlockId, &chronos_ir::Block)| matches!(block.kind, BlockKind::Loop(_));
        let (id, _) = program.blocks.iter().find(is_loop).expect("there is one");
        assumptions.iterations.insert(id, 7.0);
    });
    assert!(found.blocks().contains("3 loop 7 1"), "{}", found.blocks());
}

/// Every count is exact without interpretation, and what gcov measures.
fn check_exact(body: &str) {
    let head = "int main(void) {\n int i, j, k, n = 0;\n";
    check_with_gcov(&format!("{head} {body}\n return 0;\n}}\n"));
}

#[test]
fn harmonic_loops() {
    for body in [
        "for (i = 1; i <= 500; i++) {\n for (j = i; j <= 500; j += i) {\n n++;\n }\n }",
        "for (i = 2; i < 500; i++) {\n for (j = 2 * i; j < 500; j = j + i) {\n n++;\n }\n n--;\n }",
        "for (i = 1; i <= 90; i += 4) {\n for (j = 0; 300 > j; j += 2 * i) {\n for (k = 0; k < 3; k++) {\n n++;\n }\n }\n }",
        "for (i = 1; i <= 60; i++) {\n for (k = 1; k <= i; k++) {\n for (j = i; j <= 100; j += i + k) {\n n++;\n }\n }\n }",
        "for (i = 40; i > 0; i--) {\n for (j = -7; j <= 50 - i; j += i) {\n if (i % 3 == 0) {\n n++;\n }\n }\n }",
        "for (i = 1; i <= 50; i++) {\n for (j = 2147483000; j <= 2147483500; j += i) {\n n++;\n }\n }",
        "for (i = 1; i <= 50; i++) {\n for (j = 500; j <= 100 + i; j += i) {\n n++;\n }\n n++;\n }",
    ] {
        check_exact(body);
    }
}

#[test]
fn bounds_that_are_products() {
    for body in [
        "for (i = 0; i < 30; i++) {\n for (j = 0; j < 20; j++) {\n for (k = 0; k < i * j; k++) {\n n++;\n }\n }\n }",
        "for (i = 0; i < 60; i++) {\n for (k = 0; k < i * i; k++) {\n n++;\n }\n }",
        "for (i = -5; i < 9; i++) {\n for (j = -4; j <= i; j++) {\n for (k = 3; k <= i * j; k += 2) {\n n++;\n }\n n++;\n }\n }",
        "for (i = 1; i < 20; i++) {\n for (j = i; j < 20; j++) {\n for (k = 0; k < i * j + i - 2; k++) {\n if (k < 5 * i) {\n n++;\n }\n }\n }\n }",
        "for (i = 1; i < 20; i++) {\n for (j = 0; j < 20; j++) {\n if (i * j > 60) {\n n++;\n }\n if (i * j % 4 == 1) {\n n++;\n }\n }\n }",
        "for (i = 0; i < 12; i++) {\n for (j = 0; j < i * i; j++) {\n for (k = 0; k < j; k++) {\n n++;\n }\n }\n }",
    ] {
        check_exact(body);
    }
}

#[test]
fn square_roots_by_division() {
    for n in [0, 1, 2, 5, 6, 7, 999_999, 1_000_000, 2_147_483_647] {
        for body in ["for (i = 1; i < L / i; i++) {\n n++;\n }", "for (i = 1; i <= L / i; i++) {\n n++;\n }"] {
            check_exact(&body.replace('L', &n.to_string()));
        }
    }
}

/// What could leave its type is not taken for a number of iterations.
#[test]
fn products_that_may_wrap_around_are_unknown() {
    let found = summarise(
        "int main(void) { int i, k, n = 0; for (i = 0; i < 100000; i++) { for (k = 0; k < i * i; k++) { n++; } } return 0; }",
    );
    assert!(found.summary().uncertain.iter().any(|uncertain| uncertain.kind == UncertainKind::UnknownTrips));
}

/// Bounds that were computed as real numbers, and counters of loops with several conditions.
#[test]
fn real_bounds_in_nests() {
    for body in [
        "for (i = 0; i < 40; i++) {\n k = (int)(i / 2.0);\n for (j = 0; j < k; j++) {\n n++;\n }\n }",
        "for (i = -9; i < 40; i++) {\n k = (int)(i * 0.75) + 3;\n for (j = 0; j < k; j++) {\n n++;\n }\n }",
        "for (i = 1; i < 40; i++) {\n k = (int)sqrt((double)i);\n for (j = 0; j < k; j++) {\n n++;\n }\n }",
        "for (i = 1; i < 70; i++) {\n k = (int)ceil(sqrt(i));\n for (j = 0; j < k; j++) {\n n++;\n }\n }",
        "for (i = 1; i < 70; i++) {\n k = (int)ceil(log2(i)) + (int)log2(i);\n for (j = 0; j < k; j++) {\n n++;\n }\n }",
        "for (i = -5; i < 40; i++) {\n k = (int)ceil(i / 3.0) + (int)floor((i + 1) / 7.0);\n for (j = 0; j < k; j++) {\n n++;\n }\n }",
        "for (i = 0; i < 40; i++) {\n for (j = 0; j < i / 2.0; j++) {\n n++;\n }\n if (i - 20 <= i * 0.25 + 3) {\n n++;\n }\n }",
        "for (i = 1; i < 40; i++) {\n if ((i * 0.0 + (2 * i - 9) * 1.0) / 2000000000.0 <= 0.0) {\n n++;\n }\n }",
        "for (i = 0; i < 40; i++) {\n for (j = 0; j < i && j < 30 - i; j++) {\n n++;\n }\n for (; j > 0; j--) {\n n++;\n }\n }",
        "for (i = 0; i < 40; i++) {\n for (j = 3; j < i && j < 35 - i && j < 17; j++) {\n n++;\n }\n for (k = 0; k < j; k++) {\n n++;\n }\n }",
    ] {
        check_with_gcov(&format!(
            "double sqrt(double), ceil(double), floor(double), log2(double);\nint main(void) {{\n int i, j, k, n = 0;\n {body}\n return 0;\n}}\n"
        ));
    }
}

#[test]
fn tests_at_the_end() {
    for body in [
        "i = 1;\n do {\n n++;\n i++;\n } while (i * i <= 1000000);",
        "i = 0;\n do {\n i += 3;\n n++;\n } while (i * i < 100);",
        "for (k = -3; k < 3000; k++) {\n j = 1;\n do {\n n++;\n j *= 2;\n } while (j < k);\n }",
        "for (k = 0; k < 3000; k++) {\n j = k;\n do {\n n++;\n j /= 3;\n } while (j > 2);\n }",
        "for (k = 1; k < 60; k++) {\n j = k;\n do {\n n++;\n j += k;\n } while (j < 400);\n }",
        "for (k = 1; k < 60; k++) {\n j = 1;\n do {\n n++;\n j++;\n } while (j < 400 / j);\n }",
        "i = 1;\n do {\n n++;\n i *= 2;\n if (i == 64)\n break;\n } while (i < 1000);",
    ] {
        check_exact(body);
    }
}
