//! Where straight blocks begin and end, and how blocks are numbered.

use super::*;

#[test]
fn a_loop_has_blocks_for_each_part() {
    insta::assert_snapshot!(check("int main(void) { int s = 0; for (int i = 0; i < 10; i++) if (i % 2 && s < 5) s += i; return s; }"), @r#"
function f0 main() -> i32  ; a.c:1
  local v0 s: i32
  local v1 i: i32
  b0 straight  ; c0, a.c:1
    write v0:s: i32, 0:i32  ; 1
  b1 loop for T0  ; c1, a.c:1
    init:
      b2 straight  ; c3, a.c:1
        write v1:i: i32, 0:i32  ; 1
    condition %1:
      b3 straight  ; c4, a.c:1
        %0:i32 = read v1:i: i32  ; 1
        %1:i32 = lt i32 %0, 10:i32  ; 1
    body:
      b5 straight  ; c6, a.c:1
        %4:i32 = read v1:i: i32  ; 1
        %5:i32 = rem i32 %4, 2:i32  ; 1
      b6 %8 = branch and %5  ; c7, a.c:1
        true -> %7:
          b7 straight  ; c9, a.c:1
            %6:i32 = read v0:s: i32  ; 1
            %7:i32 = lt i32 %6, 5:i32  ; 1
      b8 branch if %8  ; c10, a.c:1
        true:
          b9 straight  ; c12, a.c:1
            %9:i32 = read v1:i: i32  ; 1
            %10:i32 = read v0:s: i32  ; 1
            %11:i32 = add i32 %10, %9  ; 1
            write v0:s: i32, %11  ; 1
    step:
      b4 straight  ; c5, a.c:1
        %2:i32 = read v1:i: i32  ; 1
        %3:i32 = add i32 %2, 1:i32  ; 1
        write v1:i: i32, %3  ; 1
  b10 straight  ; c13, a.c:1
    %12:i32 = read v0:s: i32  ; 1
    return %12  ; 1
"#);
}

#[test]
fn ordinary_calls_do_not_end_a_block() {
    insta::assert_snapshot!(check("int f(int x) { return x; }
int g(int x) { return f(x) + f(2) * x; }"), @r#"
function f0 f(v0 x: i32) -> i32  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v0:x: i32  ; 1
    return %0  ; 1
function f1 g(v1 x: i32) -> i32  ; a.c:2
  b1 straight  ; c1, a.c:2
    %0:i32 = read v1:x: i32  ; 2
    %1:i32 = call b2  ; 2
      b2 call f0:f(%0)  ; c2, a.c:2
    %2:i32 = call b3  ; 2
      b3 call f0:f(2:i32)  ; c3, a.c:2
    %3:i32 = read v1:x: i32  ; 2
    %4:i32 = mul i32 %2, %3  ; 2
    %5:i32 = add i32 %1, %4  ; 2
    return %5  ; 2
"#);
}

#[test]
fn calls_that_reach_mpi_end_a_block() {
    insta::assert_snapshot!(check("int MPI_Barrier(int); int PMPI_Barrier(int);
void f(void) { PMPI_Barrier(0); }
void g(int x) { x = 1; f(); x = 2; MPI_Barrier(x); MPI_Barrier(1); }"), @r#"
function f0 f() -> void reaches-mpi  ; a.c:2
  b0 straight  ; c0, a.c:2
    %0:i32 = call b1  ; 2
      b1 call mpi MPI_Barrier(0:i32)  ; c1, a.c:2
function f1 g(v0 x: i32) -> void reaches-mpi  ; a.c:3
  b2 straight  ; c2, a.c:3
    write v0:x: i32, 1:i32  ; 3
    call b3  ; 3
      b3 call f0:f()  ; c3, a.c:3
  b4 straight  ; c4, a.c:3
    write v0:x: i32, 2:i32  ; 3
    %0:i32 = read v0:x: i32  ; 3
    %1:i32 = call b5  ; 3
      b5 call mpi MPI_Barrier(%0)  ; c5, a.c:3
  b6 straight  ; c6, a.c:3
    %2:i32 = call b7  ; 3
      b7 call mpi MPI_Barrier(1:i32)  ; c7, a.c:3
"#);
}

#[test]
fn calls_that_may_not_return_end_a_block() {
    insta::assert_snapshot!(check(r#"void exit(int); int puts(const char *);
void die(void) { puts("x"); exit(1); }
int f(int x) { if (x < 0) die(); x = 3; return x; }"#), @r#"
str0 = "x\x00"
function f0 die() -> void may-not-return  ; a.c:2
  b0 straight  ; c0, a.c:2
    %0:i32 = call b1  ; 2
      b1 call library puts(str0)  ; c1, a.c:2
    call b2  ; 2
      b2 call library exit(1:i32)  ; c2, a.c:2
function f1 f(v0 x: i32) -> i32 may-not-return  ; a.c:3
  b3 straight  ; c3, a.c:3
    %0:i32 = read v0:x: i32  ; 3
    %1:i32 = lt i32 %0, 0:i32  ; 3
  b4 branch if %1  ; c4, a.c:3
    true:
      b5 straight  ; c6, a.c:3
        call b6  ; 3
          b6 call f0:die()  ; c7, a.c:3
  b7 straight  ; c8, a.c:3
    write v0:x: i32, 3:i32  ; 3
    %2:i32 = read v0:x: i32  ; 3
    return %2  ; 3
"#);
}

#[test]
fn indirect_calls_reach_what_fits() {
    insta::assert_snapshot!(check("int MPI_Barrier(int);
int a(int x) { return MPI_Barrier(x); }
int b(int x, int y) { return x + y; }
int c(int (*p)(int), int (*q)(int, int)) { int r = q(1, 2); r += p(1); return r; }
int d(void) { return c(a, b); }"), @r#"
function f0 a(v0 x: i32) -> i32 reaches-mpi address-taken  ; a.c:2
  b0 straight  ; c0, a.c:2
    %0:i32 = read v0:x: i32  ; 2
    %1:i32 = call b1  ; 2
      b1 call mpi MPI_Barrier(%0)  ; c1, a.c:2
  b2 straight  ; c2, a.c:2
    return %1  ; 2
function f1 b(v1 x: i32, v2 y: i32) -> i32 address-taken  ; a.c:3
  b3 straight  ; c3, a.c:3
    %0:i32 = read v1:x: i32  ; 3
    %1:i32 = read v2:y: i32  ; 3
    %2:i32 = add i32 %0, %1  ; 3
    return %2  ; 3
function f2 c(v3 p: *fn(i32) -> i32, v4 q: *fn(i32, i32) -> i32) -> i32 reaches-mpi  ; a.c:4
  local v5 r: i32
  b4 straight  ; c4, a.c:4
    %0:ptr = read v4:q: *fn(i32, i32) -> i32  ; 4
    %1:i32 = call b5  ; 4
      b5 call *%0(1:i32, 2:i32)  ; c5, a.c:4
    write v5:r: i32, %1  ; 4
    %2:ptr = read v3:p: *fn(i32) -> i32  ; 4
    %3:i32 = call b6  ; 4
      b6 call *%2(1:i32)  ; c6, a.c:4
  b7 straight  ; c7, a.c:4
    %4:i32 = read v5:r: i32  ; 4
    %5:i32 = add i32 %4, %3  ; 4
    write v5:r: i32, %5  ; 4
    %6:i32 = read v5:r: i32  ; 4
    return %6  ; 4
function f3 d() -> i32 reaches-mpi  ; a.c:5
  b8 straight  ; c8, a.c:5
    %0:i32 = call b9  ; 5
      b9 call f2:c(&f0:a, &f1:b)  ; c9, a.c:5
  b10 straight  ; c10, a.c:5
    return %0  ; 5
"#);
}

#[test]
fn choices_in_a_loop_condition() {
    insta::assert_snapshot!(check("void f(int a, int b) { while (a > 0 && (b || a == 3)) a -= b ? 1 : 2; }"), @r#"
function f0 f(v0 a: i32, v1 b: i32) -> void  ; a.c:1
  b0 loop while T0  ; c0, a.c:1
    condition %6:
      b1 straight  ; c2, a.c:1
        %0:i32 = read v0:a: i32  ; 1
        %1:i32 = gt i32 %0, 0:i32  ; 1
      b2 %6 = branch and %1  ; c3, a.c:1
        true -> %5:
          b3 straight  ; c5, a.c:1
            %2:i32 = read v1:b: i32  ; 1
          b4 %5 = branch or %2  ; c6, a.c:1
            false -> %4:
              b5 straight  ; c8, a.c:1
                %3:i32 = read v0:a: i32  ; 1
                %4:i32 = eq i32 %3, 3:i32  ; 1
    body:
      b6 straight  ; c9, a.c:1
        %7:i32 = read v1:b: i32  ; 1
      b7 %8 = branch conditional %7  ; c10, a.c:1
        true -> 1:i32:
          b8 straight  ; c13, a.c:1
        false -> 2:i32:
          b9 straight  ; c14, a.c:1
      b10 straight  ; c15, a.c:1
        %9:i32 = read v0:a: i32  ; 1
        %10:i32 = sub i32 %9, %8  ; 1
        write v0:a: i32, %10  ; 1
"#);
}

#[test]
fn nested_loops() {
    insta::assert_snapshot!(check("void f(int n) { for (int i = 0; i < n; i++) for (int j = i; j; ) { if (j == 2) continue; break; } }"), @r#"
function f0 f(v0 n: i32) -> void  ; a.c:1
  local v1 i: i32
  local v2 j: i32
  b0 loop for T0  ; c0, a.c:1
    init:
      b1 straight  ; c2, a.c:1
        write v1:i: i32, 0:i32  ; 1
    condition %2:
      b2 straight  ; c3, a.c:1
        %0:i32 = read v1:i: i32  ; 1
        %1:i32 = read v0:n: i32  ; 1
        %2:i32 = lt i32 %0, %1  ; 1
    body:
      b4 loop for T1  ; c5, a.c:1
        init:
          b5 straight  ; c7, a.c:1
            %5:i32 = read v1:i: i32  ; 1
            write v2:j: i32, %5  ; 1
        condition %6:
          b6 straight  ; c8, a.c:1
            %6:i32 = read v2:j: i32  ; 1
        body:
          b7 straight  ; c9, a.c:1
            %7:i32 = read v2:j: i32  ; 1
            %8:i32 = eq i32 %7, 2:i32  ; 1
          b8 branch if %8  ; c10, a.c:1
            true:
              b9 straight  ; c12, a.c:1
                continue T1  ; 1
          b10 straight  ; c13, a.c:1
            break T1  ; 1
    step:
      b3 straight  ; c4, a.c:1
        %3:i32 = read v1:i: i32  ; 1
        %4:i32 = add i32 %3, 1:i32  ; 1
        write v1:i: i32, %4  ; 1
"#);
}

#[test]
fn a_do_loop_has_its_condition_last() {
    insta::assert_snapshot!(check("void f(int n) { do { n--; if (n == 3) continue; } while (n); }"), @r#"
function f0 f(v0 n: i32) -> void  ; a.c:1
  b0 loop do-while T0  ; c0, a.c:1
    body:
      b1 straight  ; c2, a.c:1
        %0:i32 = read v0:n: i32  ; 1
        %1:i32 = sub i32 %0, 1:i32  ; 1
        write v0:n: i32, %1  ; 1
        %2:i32 = read v0:n: i32  ; 1
        %3:i32 = eq i32 %2, 3:i32  ; 1
      b2 branch if %3  ; c3, a.c:1
        true:
          b3 straight  ; c5, a.c:1
            continue T0  ; 1
    condition %4:
      b4 straight  ; c6, a.c:1
        %4:i32 = read v0:n: i32  ; 1
"#);
}

#[test]
fn a_switch_falls_through() {
    insta::assert_snapshot!(check("int f(int n) { int r = 0; switch (n) { case 1: case 2: r = 1; case 3: r++; break; case 5 ... 7: return 2; default: r = 4; } return r; }"), @r#"
function f0 f(v0 n: i32) -> i32  ; a.c:1
  local v1 r: i32
  b0 straight  ; c0, a.c:1
    write v1:r: i32, 0:i32  ; 1
    %0:i32 = read v0:n: i32  ; 1
  b1 branch switch %0 T0  ; c1, a.c:1
    case 1, case 2 falls through:
      b2 straight  ; c6, a.c:1
        write v1:r: i32, 1:i32  ; 1
    case 3:
      b3 straight  ; c7, a.c:1
        %1:i32 = read v1:r: i32  ; 1
        %2:i32 = add i32 %1, 1:i32  ; 1
        write v1:r: i32, %2  ; 1
        break T0  ; 1
    case 5 ... 7:
      b4 straight  ; c8, a.c:1
        return 2:i32  ; 1
    default:
      b5 straight  ; c9, a.c:1
        write v1:r: i32, 4:i32  ; 1
  b6 straight  ; c10, a.c:1
    %3:i32 = read v1:r: i32  ; 1
    return %3  ; 1
"#);
}

#[test]
fn nested_cases_become_gotos() {
    insta::assert_snapshot!(check("void f(int n) { switch (n) { case 0: do { n--; case 1: n -= 2; } while (n > 0); } }"), @r#"
function f0 f(v0 n: i32) -> void  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v0:n: i32  ; 1
  b1 branch switch %0  ; c1, a.c:1
    case 0:
      b2 straight  ; c5, a.c:1
        goto L1  ; 1
    case 1:
      b3 straight  ; c6, a.c:1
        goto L2  ; 1
    default:
      b4 straight  ; c7, a.c:1
        goto L0  ; 1
  b5 straight L1 (case)  ; c8, a.c:1
  b6 loop do-while T0  ; c9, a.c:1
    body:
      b7 straight  ; c11, a.c:1
        %1:i32 = read v0:n: i32  ; 1
        %2:i32 = sub i32 %1, 1:i32  ; 1
        write v0:n: i32, %2  ; 1
      b8 straight L2 (case)  ; c12, a.c:1
        %3:i32 = read v0:n: i32  ; 1
        %4:i32 = sub i32 %3, 2:i32  ; 1
        write v0:n: i32, %4  ; 1
    condition %6:
      b9 straight  ; c13, a.c:1
        %5:i32 = read v0:n: i32  ; 1
        %6:i32 = gt i32 %5, 0:i32  ; 1
  b10 straight L0 (end of switch)  ; c14, a.c:1
"#);
}

#[test]
fn labels_start_blocks() {
    insta::assert_snapshot!(check("void f(int n) { n++; again: n--; if (n) goto again; return; n = 5; }"), @r#"
function f0 f(v0 n: i32) -> void  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v0:n: i32  ; 1
    %1:i32 = add i32 %0, 1:i32  ; 1
    write v0:n: i32, %1  ; 1
  b1 straight L0 again  ; c1, a.c:1
    %2:i32 = read v0:n: i32  ; 1
    %3:i32 = sub i32 %2, 1:i32  ; 1
    write v0:n: i32, %3  ; 1
    %4:i32 = read v0:n: i32  ; 1
  b2 branch if %4  ; c2, a.c:1
    true:
      b3 straight  ; c4, a.c:1
        goto L0  ; 1
  b4 straight  ; c5, a.c:1
    return  ; 1
  b5 straight  ; c6, a.c:1
    write v0:n: i32, 5:i32  ; 1
"#);
}

#[test]
fn recursion_is_found() {
    insta::assert_snapshot!(check("int odd(int); int even(int n) { return n ? odd(n - 1) : 1; }
int odd(int n) { return n ? even(n - 1) : 0; }
int top(void) { return odd(3); }"), @r#"
function f0 even(v0 n: i32) -> i32 recursive  ; a.c:1
  b0 straight  ; c0, a.c:1
    %0:i32 = read v0:n: i32  ; 1
  b1 %4 = branch conditional %0  ; c1, a.c:1
    true -> %3:
      b2 straight  ; c4, a.c:1
        %1:i32 = read v0:n: i32  ; 1
        %2:i32 = sub i32 %1, 1:i32  ; 1
        %3:i32 = call b3  ; 1
          b3 call f1:odd(%2)  ; c5, a.c:1
    false -> 1:i32:
      b4 straight  ; c6, a.c:1
  b5 straight  ; c7, a.c:1
    return %4  ; 1
function f1 odd(v1 n: i32) -> i32 recursive  ; a.c:2
  b6 straight  ; c8, a.c:2
    %0:i32 = read v1:n: i32  ; 2
  b7 %4 = branch conditional %0  ; c9, a.c:2
    true -> %3:
      b8 straight  ; c12, a.c:2
        %1:i32 = read v1:n: i32  ; 2
        %2:i32 = sub i32 %1, 1:i32  ; 2
        %3:i32 = call b9  ; 2
          b9 call f0:even(%2)  ; c13, a.c:2
    false -> 0:i32:
      b10 straight  ; c14, a.c:2
  b11 straight  ; c15, a.c:2
    return %4  ; 2
function f2 top() -> i32  ; a.c:3
  b12 straight  ; c16, a.c:3
    %0:i32 = call b13  ; 3
      b13 call f1:odd(3:i32)  ; c17, a.c:3
    return %0  ; 3
"#);
}
