//! Layout, static initialisers, local initialisers.

use super::*;

#[test]
fn structs_have_layout() {
    insta::assert_snapshot!(check("struct S { char c; short s; int b : 3, d : 30; union { double x; char y[9]; }; char last; } s; int n = sizeof s;"), @r#"
struct s0 S: size 40, align 8
  +0 c: i8
  +2 s: i16
  +4 b: i32 bits 0+3
  +8 d: i32 bits 0+30
  +16 : s1
  +32 last: i8
union s1 <anonymous>: size 16, align 8
  +0 x: f64
  +0 y: [9]i8
global v0 s: s0:S &  ; a.c:1
global v1 n: i32 = {+0: 40:i32}  ; a.c:1
"#);
}

#[test]
fn static_initialisers() {
    insta::assert_snapshot!(check(r#"int f(int); int a[5] = { 1, [3] = 4, 5 }; struct P { int x; char *s; } p[] = { { 1, "ab" }, { .s = "cd" }, 7 }; int *q = &a[2], n = sizeof p, (*g)(int) = f; char t[4] = "xy"; double d = 1 / 4.0;"#), @r#"
struct s0 P: size 16, align 8
  +0 x: i32
  +8 s: *i8
global v0 a: [5]i32 & = {+0: 1:i32, +12: 4:i32, +16: 5:i32}  ; a.c:1
global v1 p: [3]s0:P & = {+0: 1:i32, +8: str0, +24: str1, +32: 7:i32}  ; a.c:1
global v2 q: *i32 = {+0: &v0:a+8}  ; a.c:1
global v3 n: i32 = {+0: 48:i32}  ; a.c:1
global v4 g: *fn(i32) -> i32 = {+0: &library f}  ; a.c:1
global v5 t: [4]i8 & = {+0: 120:i8, +1: 121:i8}  ; a.c:1
global v6 d: f64 = {+0: 0.25:f64}  ; a.c:1
str0 = "ab\x00"
str1 = "cd\x00"
"#);
}

#[test]
fn local_initialisers() {
    insta::assert_snapshot!(check(r#"void f(int x) { int a[4] = { 0 }, b[2] = { x, 2 }; struct { char c; int i; } s = { 1, x }; char t[] = "a"; static int k = 3; }"#), @r#"
struct s0 <anonymous>: size 8, align 4
  +0 c: i8
  +4 i: i32
function f0 f(v0 x: i32) -> void  ; a.c:1
  local v1 a: [4]i32 &
  local v2 b: [2]i32 &
  local v3 s: s0 &
  local v4 t: [2]i8 &
  static v5 k: i32 = {+0: 3:i32}
  b0 straight  ; c0, a.c:1
    zero v1:a: [4]i32, 16  ; 1
    %0:i32 = read v0:x: i32  ; 1
    write v2:b[0:i64 of 2 * 4]: i32, %0  ; 1
    write v2:b[1:i64 of 2 * 4]: i32, 2:i32  ; 1
    write v3:s.c: i8, 1:i8  ; 1
    %1:i32 = read v0:x: i32  ; 1
    write v3:s.i: i32, %1  ; 1
    write v4:t[0:i64 * 1]: i8, 97:i8  ; 1
    write v4:t[1:i64 * 1]: i8, 0:i8  ; 1
"#);
}

#[test]
fn compound_literals() {
    insta::assert_snapshot!(check("struct P { int x, y; }; int g(struct P *); int f(void) { return g(&(struct P){ .y = 2 }) + ((int[]){ 1, 2 })[1]; }"), @r#"
struct s0 P: size 8, align 4
  +0 x: i32
  +4 y: i32
function f0 f() -> i32  ; a.c:1
  local v0 (literal): s0:P &
  local v1 (literal): [2]i32 &
  b0 straight  ; c0, a.c:1
    zero v0:(literal): s0:P, 8  ; 1
    write v0:(literal).y: i32, 2:i32  ; 1
    %0:ptr = address v0:(literal): s0:P  ; 1
    %1:i32 = call b1  ; 1
      b1 call library g(%0)  ; c1, a.c:1
    write v1:(literal)[0:i64 * 4]: i32, 1:i32  ; 1
    write v1:(literal)[1:i64 * 4]: i32, 2:i32  ; 1
    %2:i32 = read v1:(literal)[1:i64 of 2 * 4]: i32  ; 1
    %3:i32 = add i32 %1, %2  ; 1
    return %3  ; 1
"#);
}

#[test]
fn enumerators() {
    insta::assert_snapshot!(check("enum E { A, B = 4, C } e = C; int f(enum E x) { return x == B ? A : C; }"), @r#"
global v0 e: u32 = {+0: 5:u32}  ; a.c:1
function f0 f(v1 x: u32) -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:u32 = read v1:x: u32  ; 1
    %1:i32 = eq u32 %0, 4:u32  ; 1
  b1 %2 = branch conditional %1  ; c1, a.c:1
    true -> 0:i32:
      b2 straight  ; c4, a.c:1
    false -> 5:i32:
      b3 straight  ; c5, a.c:1
  b4 straight  ; c6, a.c:1
    return %2  ; 1
"#);
}

#[test]
fn attributes_change_layout() {
    let text = "struct B { char c; int i; short s : 3; } __attribute__((packed));
        struct C { char c; int i __attribute__((aligned(16))); };
        typedef struct { char c; double d; } __attribute__((__aligned__(32))) D;
        int n[] = { sizeof(struct B), sizeof(struct C), sizeof(D) };";
    insta::assert_snapshot!(check(text), @r#"
struct s0 B: size 6, align 1
  +0 c: i8
  +1 i: i32
  +5 s: i16 bits 0+3
struct s1 C: size 32, align 16
  +0 c: i8
  +16 i: i32
struct s2 <anonymous>: size 32, align 32
  +0 c: i8
  +8 d: f64
global v0 n: [3]i32 & = {+0: 6:i32, +4: 32:i32, +8: 32:i32}  ; a.c:4
"#);
}

#[test]
fn lists_go_on_inside_of_what_was_designated() {
    let text = "struct P { struct { int x, y; } a; int c; };
        struct P p = { .a.x = 1, 2, 3 }, q[] = { [1].a.y = 4, 5, 6, 7, [0] = { 8 } }, r = { .a = 1, 2, 3 };
        struct { struct { int b, d; }; int e; } s = { .b = 1, 2, 3 }, t = { .e = 1, .d = 2, 3 };
        int m[2][3] = { [0][1] = 1, 2, 3 }, n[4] = { [0 ... 1] = 5, 6 };";
    let program = check(text);
    let values: Vec<&str> = program.lines().filter_map(|line| line.split_once(" = ")).map(|(_, v)| v).collect();
    insta::assert_snapshot!(values.join("\n"), @r"
{+0: 1:i32, +4: 2:i32, +8: 3:i32}  ; a.c:2
{+0: 8:i32, +16: 4:i32, +20: 5:i32, +24: 6:i32, +28: 7:i32}  ; a.c:2
{+0: 1:i32, +4: 2:i32, +8: 3:i32}  ; a.c:2
{+0: 1:i32, +4: 2:i32, +8: 3:i32}  ; a.c:3
{+4: 2:i32, +8: 3:i32}  ; a.c:3
{+4: 1:i32, +8: 2:i32, +12: 3:i32}  ; a.c:4
{+0: 5:i32, +4: 5:i32, +8: 6:i32}  ; a.c:4
");
}

#[test]
fn static_bit_fields_share_the_byte_of_a_bool() {
    let text = "struct B { unsigned a : 1, : 3, b : 12; signed char c : 4; _Bool d : 1; } b = { 1, 0xfff, -3, 1 };";
    assert!(check(text).contains("= {+0: 241:u8, +1: 255:u8, +2: 29:u8}"), "{}", check(text));
}
