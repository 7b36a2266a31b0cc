//! Indices of 32 bits: where they are computed and widened.

use super::loops;

#[test]
fn indices_under_a_condition_are_computed_and_widened_there() {
    let guarded = |index: &str| {
        let text = format!(
            "double f(const double *a, const double *b, int n, int k, long w) {{ double s = 0;
             for (int i = 0; i < n; i++) if (a[i] > 0.5) s += b[{index}]; return s; }}"
        );
        (loops("gcc-O2", &text), loops("clang-O2", &text))
    };
    let widened = |index: &&str| {
        let (gcc, clang) = guarded(index);
        assert!(!clang.contains("int_convert"), "{index}: {clang}");
        gcc.contains("3 int_add") && gcc.contains("1 int_convert")
    };
    let found: Vec<&str> =
        ["i", "i + 1", "i + w", "k", "i + k", "2 * i", "k - i", "i * k + 3"].into_iter().filter(widened).collect();
    assert_eq!(found, ["i + k", "2 * i", "k - i", "i * k + 3"]);
}

#[test]
fn what_every_iteration_computes_is_no_index_of_its_own() {
    let text = "double f(const double *a, const double *b, int n, int k) { double s = 0;
        for (int i = 0; i < n; i++) { double x = b[i + k]; if (x > 0.5) s += a[i + k + 1]; } return s; }";
    assert!(!loops("gcc-O2", text).contains("int_convert"), "{}", loops("gcc-O2", text));
}
