//! What clang does and gcc does not: copies of iterations, kept loads, selected floats, contraction within a statement.

use super::*;
use crate::source::compiler::profile::CompilerProfile;

#[test]
fn the_family_is_known_without_a_profile() {
    let mut machine = machine("no profile of this name");
    let named = |machine: &Machine| CompilerProfile::of(machine).name;
    assert_eq!(named(&machine), "gcc-O3");
    machine.compiler.version = "Debian clang version 14.0.6".to_owned();
    machine.compiler.flags = vec!["-O2".to_owned()];
    assert_eq!(named(&machine), "clang-O2");
    machine.compiler.flags = vec!["-O3".to_owned()];
    assert_eq!(named(&machine), "clang-O3");
    machine.rules.scalar_replacement = false;
    assert_eq!(named(&machine), "clang-O1");
    machine.rules.profile = "gcc-O2".to_owned();
    assert_eq!(named(&machine), "gcc-O2");
}

/// Cycles per iteration of one entry, where the front end alone counts.
fn each(profile: &str, text: &str, trip: u32) -> f64 {
    let mut machine = machine(profile);
    machine.classes.values_mut().for_each(|cost| cost.throughput_cycles = Cycles(0.01));
    price(&machine, text, 1, trip.into()).total().0 / f64::from(trip)
}

#[test]
fn copies_share_step_comparison_and_branch() {
    let text = "void f(int *x, int y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] / y; }";
    // A load, a division and a store; four per cycle, but a branch per cycle.
    assert_close(each("gcc-O2", text, 96), 5.0 / 4.0);
    // Four copies: (3 + 1) * 4 + 2 operations are no more than 28.
    assert_close(each("clang-O2", text, 96), (3.0 + 2.0 / 4.0) / 4.0);
    // At -O1 there is one.
    assert_close(each("clang-O1", text, 96), 5.0 / 4.0);
}

#[test]
fn vectors_stand_side_by_side_where_the_number_of_iterations_is_not_known() {
    let text = "int x[999], y[999]; void f(int n) { for (int i = 0; i < n; i++) x[i] = y[i] + 1; }";
    // Two vectors of four, twice: a load, an addition and a store each; two operations for all; two cycles once.
    assert_close(each("clang-O2", text, 96), (96.0 / 4.0 * (3.0 + 2.0 / 4.0) / 4.0 + 2.0) / 96.0);
}

#[test]
fn what_is_kept_for_two_iterations_forbids_vectors() {
    let text = "double x[999], z[999]; void f(int n) {
        for (int i = 1; i < n; i++) z[i] = x[i - 1] + x[i] * 0.5 + x[i + 1]; }";
    insta::assert_snapshot!(loops("clang-O2", text), @"chain 0; each: 2 int_add, 2 fp_add, 1 fp_mul, 1 load, 1 store; once: nothing; scalar");
    let text = "double x[999], z[999]; void f(int n) { for (int i = 1; i < n; i++) z[i] = x[i - 1] + x[i]; }";
    insta::assert_snapshot!(loops("clang-O2", text), @"chain 0; each: 2 int_add, 1 fp_add, 1 load, 1 store; once: nothing; 2 lanes");
}

#[test]
fn floats_are_selected_where_floats_are_compared() {
    let text = "double f(double *x, int n) {
        double s = 0; for (int i = 0; i < n; i++) if (x[i] > 0.5) s += x[i]; return s; }";
    insta::assert_snapshot!(loops("clang-O2", text), @"chain 3; each: 3 int_add, 2 fp_add, 1 load; once: nothing; scalar");
    let text = "double f(int *x, int n) {
        double s = 0; for (int i = 0; i < n; i++) if (x[i] > 5) s += 0.5; return s; }";
    insta::assert_snapshot!(loops("clang-O2", text), @"chain 3; each: 3 int_add, 1 fp_add, 1 load; once: nothing; scalar");
}

#[test]
fn a_product_of_another_statement_is_not_fused() {
    let mut machine = machine("clang-O2");
    machine.rules.contract_fma = true;
    let text = "double f(double *x, double *y, int n) {
        double s = 0; for (int i = 0; i < n; i++) { double p = x[i] * y[i]; s += p; } return s; }";
    insta::assert_snapshot!(check(&machine, text), @"chain 3; each: 2 int_add, 1 fp_add, 1 fp_mul, 2 load; once: nothing; scalar");
    let text = "double f(double *x, double *y, int n) {
        double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }";
    // The accumulation as well, within a statement.
    insta::assert_snapshot!(check(&machine, text), @"chain 5; each: 2 int_add, 1 fp_mul, 2 load; once: nothing; scalar");
}

#[test]
fn stores_of_both_arms_are_one() {
    let text = "void f(int *c, const int *a, const int *b, int n) { int i = 0, j = 0;
        for (int k = 0; k < n; k++) { if (a[i] < b[j]) c[k] = a[i++]; else c[k] = b[j++]; } }";
    insta::assert_snapshot!(loops("clang-O2", text), @"chain 7; each: 8 int_add, 2 int_convert, 2 load, 1 store; once: nothing; scalar");
    let model = |profile: &str| Source::new(&program(text), &machine(profile));
    let data_dependent =
        |profile: &str| model(profile).scopes.iter().map(|scope| scope.data_dependent.len()).sum::<usize>();
    assert_eq!((data_dependent("gcc-O2"), data_dependent("clang-O2")), (1, 0));
}

#[test]
fn a_short_function_chooses_its_result_without_branches() {
    let text = "int f(int x) { if (x < 64) return 1; if (x < 128) return 3; return x & 7; }
        int g(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += f(x[i]); return s; }";
    let model = |profile: &str| Source::new(&program(text), &machine(profile));
    let data_dependent =
        |profile: &str| model(profile).scopes.iter().map(|scope| scope.data_dependent.len()).sum::<usize>();
    assert_eq!((data_dependent("gcc-O2"), data_dependent("clang-O2")), (2, 0));
}

#[test]
fn a_check_finds_stores_of_another_array_apart() {
    let text = "void f(double *p, double *q, double *u, int n) {
        for (int j = 1; j < n; j++) { p[j] = p[j - 1] * 0.5; q[j] = u[j]; } }";
    // Forwarding 7 and product 5; with two loops and a check the product alone.
    assert!(loops("gcc-O2", text).starts_with("chain 12;"), "{}", loops("gcc-O2", text));
    assert!(loops("clang-O2", text).starts_with("chain 5;"), "{}", loops("clang-O2", text));
}

#[test]
fn sums_of_polynomials_need_no_loop() {
    let price = |profile: &str, text: &str| price(&machine(profile), text, 1, 1000).total().0;
    let text = "long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }";
    assert!(price("gcc-O2", text) > 1000.0 && price("clang-O1", text) < 20.0, "{}", price("clang-O1", text));
    let text = "long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * s; return s; }";
    assert!(price("clang-O1", text) > 1000.0);
}
