//! Several units, settings, data models.

use super::*;

fn link(texts: &[&str]) -> String {
    let (program, diagnostics) = lower_texts(texts, DataModel::Lp64, &Settings::default());
    report(&diagnostics) + &print::program(&program)
}

fn set(text: &str, name: &str, value: &str) -> String {
    let settings = Settings { set: vec![(name.to_owned(), value.to_owned())], ..Settings::default() };
    let (program, diagnostics) = lower_texts(&[text], DataModel::Lp64, &settings);
    format!("{}{}settable {:?}\n", report(&diagnostics), print::program(&program), program.settable)
}

#[test]
fn functions_and_variables_are_linked() {
    let a = "extern int shared; static int own = 1; int f(int); static int h(void) { return own; }\nint main(void) { return f(shared) + h(); }";
    let b = "int shared = 5; static int own = 2; static int h(void) { return own; }\nint f(int x) { return x + h(); }";
    insta::assert_snapshot!(link(&[a, b]), @r#"
global v0 shared: i32 = {+0: 5:i32}  ; b.c:1
static v1 own: i32 = {+0: 1:i32}  ; a.c:1
static v2 own: i32 = {+0: 2:i32}  ; b.c:1
static function f0 h() -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v1:own: i32  ; 1
    return %0  ; 1
function f1 main() -> i32  ; a.c:2
  b1 straight  ; c1, a.c:2
    %0:i32 = read v0:shared: i32  ; 2
    %1:i32 = call b2  ; 2
      b2 call f3:f(%0)  ; c2, a.c:2
    %2:i32 = call b3  ; 2
      b3 call f0:h()  ; c3, a.c:2
    %3:i32 = add i32 %1, %2  ; 2
    return %3  ; 2
static function f2 h() -> i32  ; b.c:1
  b4 straight  ; c4, b.c:1
    %0:i32 = read v2:own: i32  ; 1
    return %0  ; 1
function f3 f(v3 x: i32) -> i32  ; b.c:2
  b5 straight  ; c5, b.c:2
    %0:i32 = read v3:x: i32  ; 2
    %1:i32 = call b6  ; 2
      b6 call f2:h()  ; c6, b.c:2
    %2:i32 = add i32 %0, %1  ; 2
    return %2  ; 2
"#);
}

#[test]
fn duplicates_are_reported() {
    let a = "int x = 1; int t; int f(void) { return 1; }";
    let b = "int x = 2; int t; int f(void) { return 2; }";
    insta::assert_snapshot!(link(&[a, b]), @r#"
C0153:1: function `f` is defined more than once
C0153:1: variable `x` is defined more than once
global v0 x: i32 = {+0: 1:i32}  ; a.c:1
global v1 t: i32  ; a.c:1
function f0 f() -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    return 1:i32  ; 1
function f1 f() -> i32  ; b.c:1
  b1 straight  ; c1, b.c:1
    return 2:i32  ; 1
"#);
}

#[test]
fn arguments_are_made_to_fit() {
    let a = "int f(); int main(void) { return f(1) + f(1, 2.0, 3); }";
    let b = "int f(int a, double b) { return a; }";
    insta::assert_snapshot!(link(&[a, b]), @r#"
C0154:1: `f` is called with 1 arguments but has 2 parameters
C0154:1: `f` is called with 3 arguments but has 2 parameters
function f0 main() -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = call b1  ; 1
      b1 call f1:f(1:i32, 0.0:f64)  ; c1, a.c:1
    %1:i32 = call b2  ; 1
      b2 call f1:f(1:i32, 2.0:f64)  ; c2, a.c:1
    %2:i32 = add i32 %0, %1  ; 1
    return %2  ; 1
function f1 f(v0 a: i32, v1 b: f64) -> i32  ; b.c:1
  b3 straight  ; c3, b.c:1
    %0:i32 = read v0:a: i32  ; 1
    return %0  ; 1
"#);
}

#[test]
fn settings_override_initialisers() {
    insta::assert_snapshot!(set("static const int N = 10; double h = 0.5; enum { M = 3 }; int a[M];", "N", "42"), @r#"
static v0 N: i32 = {+0: 42:i32}  ; a.c:1
global v1 h: f64 = {+0: 0.5:f64}  ; a.c:1
global v2 a: [3]i32 &  ; a.c:1
settable ["N", "h", "M"]
"#);
    insta::assert_snapshot!(set("enum { M = 3 }; int a[M];", "M", "7"), @r#"
global v0 a: [7]i32 &  ; a.c:1
settable ["M"]
"#);
    insta::assert_snapshot!(set("double h = 0.5;", "h", "many"), @r#"
C0158:1: `many` is no value for `h`
global v0 h: f64 = {+0: 0.5:f64}  ; a.c:1
settable ["h"]
"#);
}

#[test]
fn long_has_four_bytes_in_ilp32() {
    let text =
        "struct S { char c; double d; long l; void *p; } s; long f(long a, long long b) { return a + b + sizeof(s); }";
    let (program, _) = lower_texts(&[text], DataModel::Ilp32, &Settings::default());
    insta::assert_snapshot!(print::program(&program), @r#"
struct s0 S: size 20, align 4
  +0 c: i8
  +4 d: f64
  +12 l: i32
  +16 p: *void
global v0 s: s0:S &  ; a.c:1
function f0 f(v1 a: i32, v2 b: i64) -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v1:a: i32  ; 1
    %1:i64 = read v2:b: i64  ; 1
    %2:i64 = convert i32 %0  ; 1
    %3:i64 = add i64 %2, %1  ; 1
    %4:i64 = add i64 %3, 20:i64  ; 1
    %5:i32 = convert i64 %4  ; 1
    return %5  ; 1
"#);
}

#[test]
fn what_no_unit_uses_of_a_header_is_left_out() {
    let options = |path: std::path::PathBuf| crate::SourceOptions { files: vec![path], ..Default::default() };
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("a.c");
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <assert.h>\n\
                int main(int n, char **v) { assert(n > 1); printf(\"%d\", atoi(v[1])); exit(fflush(stdout)); }\n";
    std::fs::write(&path, text).expect("the directory is writable");
    let (sources, _) = crate::read(&options(path)).expect("read");
    let (program, diagnostics) = crate::lower::lower_sources(&sources, &Settings::default());
    assert_eq!(report(&diagnostics), "");
    assert_eq!(verify::verify(&program), Vec::<String>::new());
    let globals = program.variables.values().filter(|v| v.function.is_none());
    assert_eq!(globals.map(|v| (&*v.name, v.undefined)).collect::<Vec<_>>(), [("stdout", true)]);
    assert_eq!(program.functions.len(), 1);
}

#[test]
fn a_struct_that_a_header_hides_is_that_of_the_unit_that_defines_it() {
    let user = "extern struct hidden *it; int use(void) { return it != 0; }\n";
    let owner =
        "extern struct hidden *it; struct hidden { int n; }; struct hidden *it;\nint own(void) { return it->n; }\n";
    for texts in [[user, owner, user], [owner, user, user]] {
        let (program, diagnostics) = lower_texts(&texts[..2], DataModel::Lp64, &Settings::default());
        assert_eq!(report(&diagnostics), "");
        assert_eq!(verify::verify(&program), Vec::<String>::new());
    }
}
