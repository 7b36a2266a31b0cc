//! Names that are left free.

use super::*;
use crate::FreeName;

fn free(text: &str, names: &[&str]) -> String {
    let symbolic = names.iter().enumerate().map(|(number, name)| FreeName::constant(name, number)).collect();
    let settings = Settings { set: Vec::new(), symbolic, ..Settings::default() };
    let (program, diagnostics) = lower_texts(&[text], DataModel::Lp64, &settings);
    report(&diagnostics) + &print::program(&program)
}

#[test]
fn a_marked_sum_reads_a_variable_of_its_own() {
    // What `#define N 100` and `#define M (2*N)` become.
    let text = "double a[((100) + __chronos_parameter_0)];\n\
                int f(int i) { return i < (2*((100) + __chronos_parameter_0)); }";
    insta::assert_snapshot!(free(text, &["N"]), @r"
    parameter p0 N: constant v0, by default 100  ; a.c:1
    static v0 N: i32 = {+0: 100:i32}  ; a.c:1
    global v1 a: [100]f64 &  ; a.c:1
    function f0 f(v2 i: i32) -> i32  ; a.c:2
      b0 straight  ; c0, a.c:2
        %0:i32 = read v2:i: i32  ; 2
        %1:i32 = read v0:N: i32  ; 2
        %2:i32 = mul i32 2:i32, %1  ; 2
        %3:i32 = lt i32 %0, %2  ; 2
        return %3  ; 2
    ");
}

#[test]
fn initial_values_are_sums_of_parameters() {
    let text = "enum { K = 3 };\nconst int n = 5;\nint m = 2 * n - K;\nlong a[2] = { [1] = (long)K << 4 };\nshort s = K;\n\
                double d = K;\nint q = K / 2;";
    insta::assert_snapshot!(free(text, &["n", "K"]), @r"
    C0112:5: `K` has its own value 3 where C wants a constant
    parameter p0 n: initial value of v1, by default 5  ; a.c:2
    parameter p1 K: constant v0, by default 3  ; a.c:1
    initially v1:n+0: i32 = 1*p0
    initially v2:m+0: i32 = 2*p0 + -1*p1
    initially v3:a+8: i64 = 16*p1
    static v0 K: i32 = {+0: 3:i32}  ; a.c:1
    global v1 n: i32 = {+0: 5:i32}  ; a.c:2
    global v2 m: i32 = {+0: 7:i32}  ; a.c:3
    global v3 a: [2]i64 & = {+8: 48:i64}  ; a.c:4
    global v4 s: i16 = {+0: 3:i16}  ; a.c:5
    global v5 d: f64 = {+0: 3.0:f64}  ; a.c:6
    global v6 q: i32 = {+0: 1:i32}  ; a.c:7
    ");
}

#[test]
fn arguments_are_parameters_where_main_has_some() {
    let first = |text: &str| free(text, &["argv2"]).lines().next().map(str::to_owned);
    let main = "int main(int argc, char **argv) { return argc; }";
    assert_eq!(first(main).as_deref(), Some("parameter p0 argv2: argument 2"));
    assert!(first("int main(void) { return 0; }").is_some_and(|line| line.starts_with("function")));
}

#[test]
fn what_is_no_integer_is_refused() {
    let told = |text: &str, name: &str| free(text, &[name]).lines().next().unwrap_or_default().to_owned();
    assert_eq!(told("double x = 1.5;", "x"), "C0110:1: `x` is no integer and cannot be left free");
    let real = "double f(void) { return ((0.5) + __chronos_parameter_0); }";
    assert_eq!(told(real, "H"), "C0110:1: `H` is a floating-point number and cannot be left free");
    let variable = "int f(int a) { return ((a) + __chronos_parameter_0); }";
    assert_eq!(told(variable, "A"), "C0110:1: `A` is no integer constant expression and cannot be left free");
}

#[test]
fn places_that_want_a_constant_are_told() {
    assert!(free("enum { N = 4, M };", &["N"]).starts_with("C0112:1: "));
    let text = "enum { N = 4, M = N };\nint a[N];\nint f(int i) {\n  switch (i) { case N: return 1; }\n  return 0;\n}";
    let told = free(text, &["N"]);
    assert!(told.starts_with("C0112:1: `N` has its own value 4 where C wants a constant\n"), "{told}");
    assert!(told.contains("case 4:"), "{told}");
}

#[test]
fn sizes_of_arrays_are_expressions() {
    let text = "enum { N = 4 };\ndouble a[N][2 * N + 1];\nstruct { int x[N]; } s;\nint n = sizeof a[0] / sizeof(double);\n\
                int f(void) {\n  return sizeof a / sizeof a[0];\n}\nlong g(void) { return sizeof s + sizeof a; }";
    insta::assert_snapshot!(free(text, &["N"]), @r"
    C0112:8: `N` has its own value 4 where C wants a constant
    parameter p0 N: constant v0, by default 4  ; a.c:1
    initially v3:n+0: i32 = 1 + 2*p0
    struct s0 <anonymous>: size 16, align 4
      +0 x: [4]i32
    static v0 N: i32 = {+0: 4:i32}  ; a.c:1
    global v1 a: [4][9]f64 &  ; a.c:2
    global v2 s: s0 &  ; a.c:3
    global v3 n: i32 = {+0: 9:i32}  ; a.c:4
    function f0 f() -> i32  ; a.c:5
      b0 straight  ; c0, a.c:6
        %0:i32 = read v0:N: i32  ; 6
        %1:i64 = convert i32 %0  ; 6
        %2:u64 = convert i64 %1  ; 6
        %3:i32 = convert u64 %2  ; 6
        return %3  ; 6
    function f1 g() -> i64  ; a.c:8
      b1 straight  ; c1, a.c:8
        %0:i32 = read v0:N: i32  ; 8
        %1:i64 = convert i32 %0  ; 8
        %2:i32 = read v0:N: i32  ; 8
        %3:i64 = convert i32 %2  ; 8
        %4:i64 = mul i64 2:i64, %3  ; 8
        %5:i64 = add i64 1:i64, %4  ; 8
        %6:i64 = mul i64 %5, 8:i64  ; 8
        %7:i64 = mul i64 %1, %6  ; 8
        %8:u64 = convert i64 %7  ; 8
        %9:u64 = add u64 16:u64, %8  ; 8
        %10:i64 = convert u64 %9  ; 8
        return %10  ; 8
    ");
}
