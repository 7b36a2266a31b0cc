//! Loops in closed form against the same loops interpreted: random starts, factors and limits.

use super::*;
use chronos_activity::CountValue;
use proptest::prelude::*;

/// Counts with and without summaries are the same; where the interpreter gives up, so do summaries.
#[track_caller]
fn check_same(text: &str, budget: u64) {
    let mut options = options(&[]);
    options.assumptions.budget = budget;
    let (interpreted, told) = totals(evaluator_with(text, options.clone(), false));
    let (summarised, codes) = totals(evaluator_with(text, options, true));
    let known = |counts: &BTreeMap<CounterId, Count>| counts.values().all(|c| c.value != CountValue::Unknown);
    if known(&interpreted) {
        assert_eq!(interpreted, summarised, "{text} {told:?} {codes:?}");
    } else if !known(&summarised) {
        assert!(codes.contains(&"C0306") || codes.contains(&"C0310"), "an end that is not seen is told: {codes:?}");
    }
}

/// An integer, often near the ends of its type.
fn number() -> impl Strategy<Value = i64> {
    let int = i64::from(i32::MAX);
    prop_oneof![-3..40_i64, 0..5000_i64, (int - 40)..=int, (-int - 1)..(-int + 40)]
}

fn condition() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["<", "<=", ">", ">=", "!="])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn geometric_loops(
        start in number(), limit in number(), op in condition(), factor in -1..6_i64, shift in 0..3_u32,
        update in 0..4_usize, ty in prop::sample::select(vec!["int", "unsigned", "long"]), form in 0..3_u8,
    ) {
        let update = [format!("i *= {factor}"), format!("i /= {}", factor.abs().max(1)), format!("i <<= {shift}"), format!("i >>= {shift}")][update].clone();
        let condition = format!("i {op} ({ty})({limit}L)");
        let looped = match form {
            0 => format!("for (; {condition}; {update}) n++;"),
            1 => format!("while ({condition}) {{ n++; {update}; }}"),
            _ => format!("do {{ n++; {update}; }} while ({condition});"),
        };
        check_same(&format!("int main(void) {{ long n = 0; {ty} i = ({ty})({start}L); {looped} return 0; }}"), 20_000);
    }

    #[test]
    fn geometric_loops_within_counting_loops(
        first in 0..5_i64, last in 0..60_i64, start in 0..4_i64, slope in 0..2_i64, limit in 0..90_i64, factor in 2..5_i64,
        update in prop::sample::select(vec!["*", "/"]), body in 0..3_usize,
    ) {
        let (from, condition) = if update == "*" {
            (format!("{start} + {slope} * k"), format!("j < {limit} - {slope} * k"))
        } else {
            (format!("{limit} + k"), format!("j > {start}"))
        };
        let body = ["n++;", "if (j % 2 == 0) n++;", "for (int q = 0; q < j; q += 2) n++;"][body];
        check_same(&format!(
            "int main(void) {{ long n = 0; for (int k = {first}; k < {last}; k++) \
             for (int j = {from}; {condition} && j != 0; j {update}= {factor}) {{ {body} }} return 0; }}"
        ), 2_000_000);
    }

    #[test]
    fn square_roots(
        first in 0..9_i64, last in 0..80_i64, start in 0..4_i64, step in 1..4_i64, scale in 0..50_i64,
        form in 0..4_usize, body in 0..2_usize,
    ) {
        let start = if form == 1 { start + 1 } else { start };
        let condition = [
            format!("i * i <= {scale} * k"), format!("i <= ({scale} * k) / i"), format!("i * i < k + {scale}"),
            format!("i < sqrt(k + {scale})"),
        ][form].clone();
        let body = ["n++;", "for (int q = i; q < k; q++) n++;"][body];
        check_same(&format!(
            "double sqrt(double); int main(void) {{ long n = 0; for (int k = {first}; k < {last}; k++) \
             for (int i = {start}; {condition}; i += {step}) {{ {body} }} return 0; }}"
        ), 2_000_000);
    }

    #[test]
    fn jumps_out_of_loops(
        n in 1..14_i64, a in 0..3_i64, b in 0..3_i64, limit in 0..40_i64, jump in 0..3_usize, outer in 0..2_usize,
    ) {
        let jump = ["return i * 100 + j;", "goto out;", "break;"][jump];
        let bound = ["j < n", "j <= i"][outer];
        check_same(&format!(
            "int f(int n, int m) {{ int i, j, s = 0; for (i = 0; i < n; i++) {{ for (j = 0; {bound}; j++) {{ \
             if ({a} * i + {b} * j > m) {jump} s++; }} s += 2; }} out: for (j = 0; j < i; j++) s++; return s; }}\n\
             int main(void) {{ int t = 0; for (int m = 0; m < {limit}; m++) {{ int r = f({n}, m); \
             for (int q = 0; q < r % 7; q++) t++; }} return t & 1; }}"
        ), 2_000_000);
    }
}

#[test]
fn loops_without_end_are_told() {
    for body in ["int i; for (i = 0; i < 9; i *= 2) n++;", "int i = 1; while (i > 0) { i = i * 3 % 7; n++; }"] {
        let text = format!("int main(void) {{ long n = 0; {body} return 0; }}");
        let mut options = options(&[]);
        options.assumptions.budget = 20_000;
        let (_, told) = totals(evaluator_with(&text, options, true));
        assert!(told.contains(&"C0310"), "{told:?}");
    }
}

#[test]
fn sums_over_cleared_memory_are_known() {
    let text = |written: &str, sum: &str| {
        format!(
            "#include <stdlib.h>\nint main(void) {{ double *z = calloc(4000000, 8), s = 0; {written} for (int i = 0; i < 4000000; i++) {sum}; if (s <= 10.0) abs(1); free(z); return 0; }}"
        )
    };
    let codes = |written: &str, sum: &str| {
        let mut options = options(&[]);
        options.assumptions.budget = 1000;
        totals(evaluator_with(&text(written, sum), options, true)).1
    };
    assert!(codes("", "s += z[i]").is_empty());
    assert!(codes("", "s = s + z[i]").is_empty());
    assert!(!codes("z[3] = 11;", "s += z[i]").is_empty());
    assert!(!codes("", "s += z[i] + 1").is_empty());
    assert!(!codes("", "{ s += z[i]; z[i] = 1; }").is_empty());
}
