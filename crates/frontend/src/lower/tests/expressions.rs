//! Conversions, places, operators.

use super::*;

#[test]
fn arithmetic_is_converted() {
    insta::assert_snapshot!(check("void f(char c, unsigned u, long l, float x) { l = c + u; u = c << l; x = x * 2; x = x * 2.0; l = u > l; c += 1; }"), @r#"
function f0 f(v0 c: i8, v1 u: u32, v2 l: i64, v3 x: f32) -> void  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i8 = read v0:c: i8  ; 1
    %1:u32 = read v1:u: u32  ; 1
    %2:u32 = convert i8 %0  ; 1
    %3:u32 = add u32 %2, %1  ; 1
    %4:i64 = convert u32 %3  ; 1
    write v2:l: i64, %4  ; 1
    %5:i8 = read v0:c: i8  ; 1
    %6:i64 = read v2:l: i64  ; 1
    %7:i32 = convert i8 %5  ; 1
    %8:i32 = convert i64 %6  ; 1
    %9:i32 = shl i32 %7, %8  ; 1
    %10:u32 = convert i32 %9  ; 1
    write v1:u: u32, %10  ; 1
    %11:f32 = read v3:x: f32  ; 1
    %12:f32 = mul f32 %11, 2.0:f32  ; 1
    write v3:x: f32, %12  ; 1
    %13:f32 = read v3:x: f32  ; 1
    %14:f64 = convert f32 %13  ; 1
    %15:f64 = mul f64 %14, 2.0:f64  ; 1
    %16:f32 = convert f64 %15  ; 1
    write v3:x: f32, %16  ; 1
    %17:u32 = read v1:u: u32  ; 1
    %18:i64 = read v2:l: i64  ; 1
    %19:i64 = convert u32 %17  ; 1
    %20:i32 = gt i64 %19, %18  ; 1
    %21:i64 = convert i32 %20  ; 1
    write v2:l: i64, %21  ; 1
    %22:i8 = read v0:c: i8  ; 1
    %23:i32 = convert i8 %22  ; 1
    %24:i32 = add i32 %23, 1:i32  ; 1
    %25:i8 = convert i32 %24  ; 1
    write v0:c: i8, %25  ; 1
"#);
}

#[test]
fn constants_fold() {
    insta::assert_snapshot!(check("int a[sizeof(int) * 3 + (2 > 1 ? 1 : 0)]; long f(void) { return (unsigned char)300 + (1u - 2) + -7 / 2 + (1 << 4 | 1); }"), @r#"
global v0 a: [13]i32 &  ; a.c:1
function f0 f() -> i64  ; a.c:1
  b0 straight  ; c0, a.c:1
    return 57:i64  ; 1
"#);
}

#[test]
fn pointers_are_places() {
    insta::assert_snapshot!(check("struct S { int x, y[3]; } *p; int f(int *q, int i, int m[][4]) { p->y[i] = *(q + 2); *q++ = q[-1]; return m[i][1] + *(*(m + 1) + i) + 1[q]; }"), @r#"
struct s0 S: size 16, align 4
  +0 x: i32
  +4 y: [3]i32
global v0 p: *s0:S  ; a.c:1
function f0 f(v1 q: *i32, v2 i: i32, v3 m: *[4]i32) -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:ptr = read v1:q: *i32  ; 1
    %1:i32 = read *(%0)[2:i64 * 4]: i32  ; 1
    %2:ptr = read v0:p: *s0:S  ; 1
    %3:i32 = read v2:i: i32  ; 1
    %4:i64 = convert i32 %3  ; 1
    write *(%2).y[%4 of 3 * 4]: i32, %1  ; 1
    %5:ptr = read v1:q: *i32  ; 1
    %6:i32 = read *(%5)[-1:i64 * 4]: i32  ; 1
    %7:ptr = read v1:q: *i32  ; 1
    %8:ptr = address *(%7)[1:i64 * 4]: i32  ; 1
    write v1:q: *i32, %8  ; 1
    write *(%7): i32, %6  ; 1
    %9:ptr = read v3:m: *[4]i32  ; 1
    %10:i32 = read v2:i: i32  ; 1
    %11:i64 = convert i32 %10  ; 1
    %12:i32 = read *(%9)[%11 * 16][1:i64 of 4 * 4]: i32  ; 1
    %13:ptr = read v3:m: *[4]i32  ; 1
    %14:i32 = read v2:i: i32  ; 1
    %15:i64 = convert i32 %14  ; 1
    %16:i32 = read *(%13)[1:i64 * 16][%15 of 4 * 4]: i32  ; 1
    %17:i32 = add i32 %12, %16  ; 1
    %18:ptr = read v1:q: *i32  ; 1
    %19:i32 = read *(%18)[1:i64 * 4]: i32  ; 1
    %20:i32 = add i32 %17, %19  ; 1
    return %20  ; 1
"#);
}

#[test]
fn addresses_mark_variables() {
    insta::assert_snapshot!(check("void g(int *); void f(void) { int a, b, c[2]; g(&a); b = sizeof(&b); g(c); g(&c[1]); }"), @r#"
function f0 f() -> void  ; a.c:1
  local v0 a: i32 &
  local v1 b: i32
  local v2 c: [2]i32 &
  b0 straight  ; c0, a.c:1
    %0:ptr = address v0:a: i32  ; 1
    call b1  ; 1
      b1 call library g(%0)  ; c1, a.c:1
    write v1:b: i32, 8:i32  ; 1
    %1:ptr = address v2:c: [2]i32  ; 1
    call b2  ; 1
      b2 call library g(%1)  ; c2, a.c:1
    %2:ptr = address v2:c[1:i64 of 2 * 4]: i32  ; 1
    call b3  ; 1
      b3 call library g(%2)  ; c3, a.c:1
"#);
}

#[test]
fn pointer_differences() {
    insta::assert_snapshot!(check("long f(double *p, double *q) { return p - q; } int g(char *p) { return !p || p == 0; }"), @r#"
function f0 f(v0 p: *f64, v1 q: *f64) -> i64  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:ptr = read v0:p: *f64  ; 1
    %1:ptr = read v1:q: *f64  ; 1
    %2:i64 = diff %0, %1 / 8  ; 1
    return %2  ; 1
function f1 g(v2 p: *i8) -> i32  ; a.c:1
  b1 straight  ; c1, a.c:1
    %0:ptr = read v2:p: *i8  ; 1
    %1:i32 = eq ptr %0, 0:ptr  ; 1
  b2 %4 = branch or %1  ; c2, a.c:1
    false -> %3:
      b3 straight  ; c4, a.c:1
        %2:ptr = read v2:p: *i8  ; 1
        %3:i32 = eq ptr %2, 0:ptr  ; 1
  b4 straight  ; c5, a.c:1
    return %4  ; 1
"#);
}

#[test]
fn values_of_choices() {
    insta::assert_snapshot!(check("int f(int a, int b) { return (a && b) + (a < 3 || !b); } void *g(int a, int *p) { return a ? p : 0; }"), @r#"
function f0 f(v0 a: i32, v1 b: i32) -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v0:a: i32  ; 1
  b1 %3 = branch and %0  ; c1, a.c:1
    true -> %2:
      b2 straight  ; c3, a.c:1
        %1:i32 = read v1:b: i32  ; 1
        %2:i32 = ne i32 %1, 0:i32  ; 1
  b3 straight  ; c4, a.c:1
    %4:i32 = read v0:a: i32  ; 1
    %5:i32 = lt i32 %4, 3:i32  ; 1
  b4 %8 = branch or %5  ; c5, a.c:1
    false -> %7:
      b5 straight  ; c7, a.c:1
        %6:i32 = read v1:b: i32  ; 1
        %7:i32 = eq i32 %6, 0:i32  ; 1
  b6 straight  ; c8, a.c:1
    %9:i32 = add i32 %3, %8  ; 1
    return %9  ; 1
function f1 g(v2 a: i32, v3 p: *i32) -> *void  ; a.c:1
  b7 straight  ; c9, a.c:1
    %0:i32 = read v2:a: i32  ; 1
  b8 %2 = branch conditional %0  ; c10, a.c:1
    true -> %1:
      b9 straight  ; c13, a.c:1
        %1:ptr = read v3:p: *i32  ; 1
    false -> 0:ptr:
      b10 straight  ; c14, a.c:1
  b11 straight  ; c15, a.c:1
    return %2  ; 1
"#);
}

#[test]
fn increments() {
    insta::assert_snapshot!(check("int f(int i, char c, double *p) { c++; --i; p--; return i++ + *p++; }"), @r#"
function f0 f(v0 i: i32, v1 c: i8, v2 p: *f64) -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i8 = read v1:c: i8  ; 1
    %1:i32 = convert i8 %0  ; 1
    %2:i32 = add i32 %1, 1:i32  ; 1
    %3:i8 = convert i32 %2  ; 1
    write v1:c: i8, %3  ; 1
    %4:i32 = read v0:i: i32  ; 1
    %5:i32 = sub i32 %4, 1:i32  ; 1
    write v0:i: i32, %5  ; 1
    %6:ptr = read v2:p: *f64  ; 1
    %7:ptr = address *(%6)[-1:i64 * 8]: f64  ; 1
    write v2:p: *f64, %7  ; 1
    %8:i32 = read v0:i: i32  ; 1
    %9:i32 = add i32 %8, 1:i32  ; 1
    write v0:i: i32, %9  ; 1
    %10:ptr = read v2:p: *f64  ; 1
    %11:ptr = address *(%10)[1:i64 * 8]: f64  ; 1
    write v2:p: *f64, %11  ; 1
    %12:f64 = read *(%10): f64  ; 1
    %13:f64 = convert i32 %8  ; 1
    %14:f64 = add f64 %13, %12  ; 1
    %15:i32 = convert f64 %14  ; 1
    return %15  ; 1
"#);
}

#[test]
fn structs_are_copied() {
    insta::assert_snapshot!(check("struct S { int a; double b; }; struct S h(struct S); void f(struct S *p, int c) { struct S s = *p, t = { 1 }; s = h(t); *p = c ? s : t; p[1] = h(*p); }"), @r#"
struct s0 S: size 16, align 8
  +0 a: i32
  +8 b: f64
function f0 f(v0 p: *s0:S, v1 c: i32) -> void  ; a.c:1
  local v2 s: s0:S &
  local v3 t: s0:S &
  local v4 (temporary): s0:S &
  local v5 (temporary): s0:S &
  local v6 (temporary): s0:S &
  b0 straight  ; c0, a.c:1
    %0:ptr = read v0:p: *s0:S  ; 1
    copy v2:s: s0:S, *(%0): s0:S, 16  ; 1
    zero v3:t: s0:S, 16  ; 1
    write v3:t.a: i32, 1:i32  ; 1
    call b1  ; 1
      b1 call library h(object v3:t: s0:S (16)) -> v4:(temporary): s0:S  ; c1, a.c:1
    copy v2:s: s0:S, v4:(temporary): s0:S, 16  ; 1
    %1:i32 = read v1:c: i32  ; 1
  b2 branch conditional %1  ; c2, a.c:1
    true:
      b3 straight  ; c5, a.c:1
        copy v5:(temporary): s0:S, v2:s: s0:S, 16  ; 1
    false:
      b4 straight  ; c6, a.c:1
        copy v5:(temporary): s0:S, v3:t: s0:S, 16  ; 1
  b5 straight  ; c7, a.c:1
    %2:ptr = read v0:p: *s0:S  ; 1
    copy *(%2): s0:S, v5:(temporary): s0:S, 16  ; 1
    %3:ptr = read v0:p: *s0:S  ; 1
    call b6  ; 1
      b6 call library h(object *(%3): s0:S (16)) -> v6:(temporary): s0:S  ; c8, a.c:1
    %4:ptr = read v0:p: *s0:S  ; 1
    copy *(%4)[1:i64 * 16]: s0:S, v6:(temporary): s0:S, 16  ; 1
"#);
}

#[test]
fn bit_fields() {
    insta::assert_snapshot!(check("struct B { unsigned a : 3, b : 7; int c : 20; } b; int f(void) { b.a = 5; b.c += b.b; return b.a; }"), @r#"
struct s0 B: size 4, align 4
  +0 a: u32 bits 0+3
  +0 b: u32 bits 3+7
  +0 c: i32 bits 10+20
global v0 b: s0:B &  ; a.c:1
function f0 f() -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    write v0:b.a bits 0+3: u32, 5:u32  ; 1
    %0:u32 = read v0:b.b bits 3+7: u32  ; 1
    %1:i32 = convert u32 %0  ; 1
    %2:i32 = read v0:b.c bits 10+20: i32  ; 1
    %3:i32 = add i32 %2, %1  ; 1
    write v0:b.c bits 10+20: i32, %3  ; 1
    %4:u32 = read v0:b.a bits 0+3: u32  ; 1
    %5:i32 = convert u32 %4  ; 1
    return %5  ; 1
"#);
}

#[test]
fn statement_expressions() {
    insta::assert_snapshot!(check("int f(int x) { int y = ({ int t = x * 2; t + 1; }); return y; }"), @r#"
function f0 f(v0 x: i32) -> i32  ; a.c:1
  local v1 y: i32
  local v2 t: i32
  b0 straight  ; c0, a.c:1
    %0:i32 = read v0:x: i32  ; 1
    %1:i32 = mul i32 %0, 2:i32  ; 1
    write v2:t: i32, %1  ; 1
    %2:i32 = read v2:t: i32  ; 1
    %3:i32 = add i32 %2, 1:i32  ; 1
    write v1:y: i32, %3  ; 1
    %4:i32 = read v1:y: i32  ; 1
    return %4  ; 1
"#);
}

#[test]
fn variable_length_arrays() {
    insta::assert_snapshot!(check("double f(int n, int m, double a[n][m]) { double t[n]; t[1] = a[2][m - 1]; return t[0] + sizeof t + sizeof(a[0]); }"), @r#"
function f0 f(v0 n: i32, v1 m: i32, v2 a: *[]f64) -> f64  ; a.c:1
  local v3 t: []f64 &
  b0 straight  ; c0, a.c:1
    %0:i32 = read v1:m: i32  ; 1
    %1:i64 = convert i32 %0  ; 1
    %2:i64 = mul i64 %1, 8:i64  ; 1
    %3:i32 = read v0:n: i32  ; 1
    %4:i64 = convert i32 %3  ; 1
    %5:i64 = mul i64 %4, 8:i64  ; 1
    allocate v3:t, %5  ; 1
    %6:ptr = read v2:a: *[]f64  ; 1
    %7:i32 = read v1:m: i32  ; 1
    %8:i32 = sub i32 %7, 1:i32  ; 1
    %9:i64 = convert i32 %8  ; 1
    %10:f64 = read *(%6)[2:i64 * %2][%9 * 8]: f64  ; 1
    write v3:t[1:i64 * 8]: f64, %10  ; 1
    %11:f64 = read v3:t[0:i64 * 8]: f64  ; 1
    %12:u64 = convert i64 %5  ; 1
    %13:f64 = convert u64 %12  ; 1
    %14:f64 = add f64 %11, %13  ; 1
    %15:ptr = read v2:a: *[]f64  ; 1
    %16:u64 = convert i64 %2  ; 1
    %17:f64 = convert u64 %16  ; 1
    %18:f64 = add f64 %14, %17  ; 1
    return %18  ; 1
"#);
}

#[test]
fn calls_convert_arguments() {
    insta::assert_snapshot!(check(r#"double sqrt(double); int printf(const char *, ...); void f(float x, char c) { x = sqrt(c); printf("%f %d", x, c); undeclared(x); }"#), @r#"
C0150:1: function `undeclared` is called without a declaration
str0 = "%f %d\x00"
function f0 f(v0 x: f32, v1 c: i8) -> void  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i8 = read v1:c: i8  ; 1
    %1:f64 = convert i8 %0  ; 1
    %2:f64 = call b1  ; 1
      b1 call library sqrt(%1)  ; c1, a.c:1
    %3:f32 = convert f64 %2  ; 1
    write v0:x: f32, %3  ; 1
    %4:f32 = read v0:x: f32  ; 1
    %5:f64 = convert f32 %4  ; 1
    %6:i8 = read v1:c: i8  ; 1
    %7:i32 = convert i8 %6  ; 1
    %8:i32 = call b2  ; 1
      b2 call library printf(str0, %5, %7)  ; c2, a.c:1
    %9:f32 = read v0:x: f32  ; 1
    %10:f64 = convert f32 %9  ; 1
    %11:i32 = call b3  ; 1
      b3 call library undeclared(%10)  ; c3, a.c:1
"#);
}

#[test]
fn unsupported_is_kept() {
    insta::assert_snapshot!(check(r#"double _Complex f(double _Complex z) { asm("nop"); return z * z; }"#), @r#"
C0150:1: function `asm` is called without a declaration
C0152:1: complex arithmetic is not supported; its result counts as unknown
struct s0 _Complex double: size 16, align 8
  +0 __real: f64
  +8 __imag: f64
str0 = "nop\x00"
function f0 f(v0 z: s0:_Complex double &) -> s0:_Complex double  ; a.c:1
  local v1 (temporary): s0:_Complex double &
  b0 straight  ; c0, a.c:1
    %0:i32 = call b1  ; 1
      b1 call library asm(str0)  ; c1, a.c:1
    opaque "complex arithmetic"  ; 1
    return object v1:(temporary): s0:_Complex double (16)  ; 1
"#);
}

#[test]
fn pointers_to_rows_of_variable_length_have_a_computed_distance() {
    insta::assert_snapshot!(check("long f(int n, int a[][n]) { return &a[3] - a; }"), @r"
function f0 f(v0 n: i32, v1 a: *[]i32) -> i64  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v0:n: i32  ; 1
    %1:i64 = convert i32 %0  ; 1
    %2:i64 = mul i64 %1, 4:i64  ; 1
    %3:ptr = read v1:a: *[]i32  ; 1
    %4:ptr = read v1:a: *[]i32  ; 1
    %5:ptr = address *(%3)[3:i64 * %2]: []i32  ; 1
    %6:i64 = diff %5, %4 / 1  ; 1
    %7:i64 = div i64 %6, %2  ; 1
    return %7  ; 1
");
}

#[test]
fn assigned_bit_fields_yield_what_they_hold() {
    let text = "struct B { unsigned u : 3; int s : 5; long l : 40; } b;
        int f(int x) { b.u = x; return (b.u = x) + (b.s = 40) + (b.l = x) + ++b.u; }";
    insta::assert_snapshot!(check(text), @r"
struct s0 B: size 8, align 8
  +0 u: u32 bits 0+3
  +0 s: i32 bits 3+5
  +0 l: i64 bits 8+40
global v0 b: s0:B &  ; a.c:1
function f0 f(v1 x: i32) -> i32  ; a.c:2
  b0 straight  ; c0, a.c:2
    %0:i32 = read v1:x: i32  ; 2
    %1:u32 = convert i32 %0  ; 2
    write v0:b.u bits 0+3: u32, %1  ; 2
    %2:i32 = read v1:x: i32  ; 2
    %3:u32 = convert i32 %2  ; 2
    write v0:b.u bits 0+3: u32, %3  ; 2
    %4:u32 = and u32 %3, 7:u32  ; 2
    %5:i32 = convert u32 %4  ; 2
    write v0:b.s bits 3+5: i32, 40:i32  ; 2
    %6:i32 = add i32 %5, 8:i32  ; 2
    %7:i32 = read v1:x: i32  ; 2
    %8:i64 = convert i32 %7  ; 2
    write v0:b.l bits 8+40: i64, %8  ; 2
    %9:i64 = shl i64 %8, 24:i64  ; 2
    %10:i64 = shr i64 %9, 24:i64  ; 2
    %11:i64 = convert i32 %6  ; 2
    %12:i64 = add i64 %11, %10  ; 2
    %13:u32 = read v0:b.u bits 0+3: u32  ; 2
    %14:i32 = convert u32 %13  ; 2
    %15:i32 = add i32 %14, 1:i32  ; 2
    %16:u32 = convert i32 %15  ; 2
    write v0:b.u bits 0+3: u32, %16  ; 2
    %17:u32 = and u32 %16, 7:u32  ; 2
    %18:i32 = convert u32 %17  ; 2
    %19:i64 = convert i32 %18  ; 2
    %20:i64 = add i64 %12, %19  ; 2
    %21:i32 = convert i64 %20  ; 2
    return %21  ; 2
");
}
