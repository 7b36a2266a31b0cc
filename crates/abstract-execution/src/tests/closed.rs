//! Loops beyond affine ones, and jumps out of loops: exact in closed form, with gcov as the judge.

use super::*;

/// Every count of the program's `main` is exact, without iterating.
fn check(body: &str) -> Summarised {
    let head = "double sqrt(double);\nint main(void) {\n int i, j, k, n = 0;\n";
    check_with_gcov(&format!("{head} {body}\n return 0;\n}}\n"))
}

#[test]
fn square_roots() {
    for body in [
        "for (i = 0; i * i <= 90000; i++) {\n n++;\n }",
        "for (i = 1; i <= 500000 / i; i += 3) {\n n++;\n }",
        "for (i = 2; i < sqrt(1000000); i++) {\n n++;\n }",
        "for (i = 2; i * i < 100000; i++) {\n for (j = 0; j < i; j++) {\n n++;\n }\n }",
        "for (k = 2; k < 900; k++) {\n for (i = 2; i * i <= k; i++) {\n n++;\n }\n }",
        "for (k = 2; k < 900; k++) {\n for (i = 1; i <= sqrt(k); i++) {\n n++;\n }\n }",
        "for (k = 2; k < 900; k++) {\n i = 3;\n while (i <= k / i) {\n n++;\n i += 2;\n }\n }",
        "for (i = 9; i * i < 50; i++) {\n n++;\n }",
    ] {
        check(body);
    }
}

#[test]
fn logarithms() {
    for body in [
        "for (k = 0; k < 5000; k++) {\n for (j = 1; j <= k; j *= 2) {\n n++;\n }\n }",
        "for (k = 1; k < 5000; k++) {\n for (j = k; j < 5000; j *= 3) {\n n++;\n }\n }",
        "for (k = 1; k < 5000; k++) {\n for (j = k; j > 0; j /= 2) {\n n++;\n }\n }",
        "for (k = 1; k < 5000; k++) {\n j = k;\n while (j != 0) {\n j >>= 1;\n n++;\n }\n }",
        "for (k = 1; k < 5000; k++) {\n j = k;\n do {\n j /= 10;\n n++;\n } while (j);\n }",
        "for (i = 1; i < 3000; i <<= 2) {\n for (j = 0; j < 3000; j += i) {\n n++;\n }\n }",
        "unsigned u;\n for (u = 1; u < 4000000000u; u *= 7) {\n if (u > 600000000u)\n break;\n n++;\n }",
        "for (k = 0; k < 300; k++) {\n for (j = 1; j < 300; j *= 2) {\n if (k % (2 * j) == 0 && k + j < 300) {\n n++;\n }\n }\n }",
    ] {
        check(body);
    }
}

#[test]
fn jumps_out_of_nests() {
    let jumps = "long f(int a) {\n long s = 0;\n int i, j;\n for (i = 0; i < 30; i++) {\n for (j = 0; j < 30; j++) {\n if (2 * i + j > a)\n return s;\n s++;\n }\n s += 2;\n }\n return s;\n}\n";
    for main in [
        "for (a = 17; a < 18; a++) {\n f(a);\n }",
        "for (a = 3; a < 100; a += 96) {\n f(a);\n }",
        "for (a = 0; a < 30; a++) {\n f(7);\n }",
    ] {
        check_with_gcov(&format!("{jumps}int main(void) {{\n int a;\n {main}\n return 0;\n}}\n"));
    }
}

#[test]
fn jumps_that_leave_the_region_are_part_of_the_summary() {
    let text = "int main(void) { int i, n = 4; for (i = 0; i < 90; i++) { n++; if (i * 3 > 40) break; if (i == 77) return 1; } for (i = 0; i < 90; i++) { if (i * 3 > 40) { n = 5; return i; } } return 0; }";
    let found = summarise(text);
    let exit = found.summary().exit.as_ref().expect("it returns");
    assert_eq!(exit.value, Some(Value::Int(14)));
    insta::assert_snapshot!(found.finals(), @r"
    i = Int(14)
    n = Int(5)
    ");
}

#[test]
fn library_functions_bound_loops_by_any_of_their_names() {
    check_with_gcov(
        "long long llabs(long long);\ndouble trunc(double);\nint main(void) {\n int i, n = 0;\n \
         for (i = 0; i < llabs(-40LL); i++) {\n n++;\n }\n for (i = 0; i < (int)trunc(-7.9 + 20); i++) {\n n++;\n }\n \
         for (i = 0; i < __builtin_sqrt(50); i++) {\n n++;\n }\n return 0;\n}\n",
    );
}
