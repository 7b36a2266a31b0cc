//! Where sums live from one iteration to the next: in a register, or in memory because of other stores.

use super::{check, loops, machine};

const ACCUMULATE: &str = "void f(double *c, double *a, double *b, int n) {
    for (int k = 0; k < n; k++) c[7] += a[k] * b[k]; }";

#[test]
fn where_an_accumulator_lives_is_the_profiles_affair() {
    // Through memory: forwarding 7 and addition 3; the loads of a and b may alias the store.
    insta::assert_snapshot!(loops("gcc-O1", ACCUMULATE), @"chain 10; each: 2 int_add, 1 fp_add, 1 fp_mul, 3 load, 1 store; once: nothing; scalar");
    // The value is handed on in a register, the store stays.
    insta::assert_snapshot!(loops("gcc-O2", ACCUMULATE), @"chain 3; each: 2 int_add, 1 fp_add, 1 fp_mul, 2 load, 1 store; once: nothing; scalar");
}

#[test]
fn a_root_that_may_set_errno_keeps_what_pointers_reach_in_memory() {
    let behind_pointer = "double sqrt(double);
        void f(double *c, double *a, int n) { for (int k = 0; k < n; k++) c[7] += sqrt(a[k]); }";
    insta::assert_snapshot!(loops("gcc-O2", behind_pointer), @"chain 10; each: 2 int_add, 1 fp_add, 1 fp_sqrt, 2 load, 1 store; once: nothing; scalar");
    let named = "double sqrt(double); double c[9], a[100];
        void f(int n) { for (int k = 0; k < n; k++) c[7] += sqrt(a[k]); }";
    insta::assert_snapshot!(loops("gcc-O2", named), @"chain 3; each: 2 int_add, 1 fp_add, 1 fp_sqrt, 1 load, 1 store; once: nothing; scalar");
    let mut machine = machine("gcc-O2");
    machine.compiler.flags.push("-fno-math-errno".to_owned());
    insta::assert_snapshot!(check(&machine, behind_pointer), @"chain 3; each: 2 int_add, 1 fp_add, 1 fp_sqrt, 1 load, 1 store; once: nothing; scalar");
}

#[test]
fn a_sum_behind_a_pointer_that_stays_is_handed_on_in_a_register() {
    let text = "void f(double **c, double **a, double **b, int i, int j, int n) {
        for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }";
    // The rows of c and a once; the pointer to a row of b, and one number of each of a and b.
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 3; each: 2 int_add, 1 fp_add, 1 fp_mul, 3 load, 1 store; once: 2 load; scalar");
    insta::assert_snapshot!(loops("gcc-O1", text), @"chain 10; each: 2 int_add, 1 fp_add, 1 fp_mul, 4 load, 1 store; once: 2 load; scalar");
    // A pointer that moves on: no place is read again.
    let moves = text.replace("c[i][j]", "c[k][j]");
    insta::assert_snapshot!(loops("gcc-O2", &moves), @"chain 1; each: 2 int_add, 1 fp_add, 1 fp_mul, 5 load, 1 store; once: 1 load; scalar");
}

#[test]
fn distinct_arrays_free_the_accumulator_of_its_store() {
    let text = "double c[10], a[100], b[100]; void f(int n) { for (int k = 0; k < n; k++) c[7] += a[k] * b[k]; }";
    insta::assert_snapshot!(loops("gcc-O1", text), @"chain 3; each: 2 int_add, 1 fp_add, 1 fp_mul, 2 load; once: nothing; scalar");
}

#[test]
fn a_second_store_keeps_accumulators_in_memory() {
    let text = "void f(double *s, double *q, double *a, int n) {
        for (int i = 0; i < n; i++) { s[0] += a[i]; q[i] = 0.0; } }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 10; each: 2 int_add, 1 fp_add, 2 load, 2 store; once: nothing; scalar");
}

#[test]
fn what_the_iteration_before_stored_is_a_recurrence() {
    let text = "double a[100]; void f(int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * 0.5; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 5; each: 2 int_add, 1 fp_mul, 1 store; once: nothing; scalar");
    // Two iterations apart: half of it per iteration.
    let text = "double a[100]; void f(int n) { for (int i = 2; i < n; i++) a[i] = a[i - 2] * 0.5; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 2.5; each: 2 int_add, 1 fp_mul, 1 store; once: nothing; scalar");
}
