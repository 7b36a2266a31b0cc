//! Loops whose numbers of iterations are logarithms and square roots of parameters.

use super::*;

fn looped(line: &str) -> String {
    check(&format!("int N = 4;\ndouble sqrt(double);\nint main(void) {{ int s = 0;\n{line}\nreturn 0; }}"))
}

#[test]
fn logarithms() {
    insta::assert_snapshot!(looped("for (int i = 1; i < N; i *= 2) s++;"), @"4 loop: ceil(log2(N)) if N >= 2, else 0 | 1");
    insta::assert_snapshot!(looped("for (int i = 3; i <= N; i *= 3) s++;"), @"4 loop: ceil(log3(floor((N+3)/3))) if N >= 3, else 0 | 1");
    insta::assert_snapshot!(looped("for (int i = N; i > 0; i /= 2) s++;"), @"4 loop: floor(log2(N))+1 if N >= 1, else 0 | 1");
    insta::assert_snapshot!(looped("for (int i = N; i > 4; i >>= 1) s++;"), @"4 loop: floor(log2(floor(N/5)))+1 if N >= 5, else 0 | 1");
}

#[test]
fn square_roots() {
    insta::assert_snapshot!(looped("for (int i = 1; i * i <= N; i++) s++;"), @"4 loop: isqrt(N) if N >= 1, else 0 | 1");
    insta::assert_snapshot!(looped("for (int i = 0; i * i <= N; i++) s++;"), @"4 loop: isqrt(N)+1 if N >= 0 and isqrt(N) >= 0, else 0 | 1");
    insta::assert_snapshot!(looped("for (int i = 2; i * i < N; i += 3) for (int j = 0; j < i; j++) s++;"), @r"
    4 loop: floor((isqrt(N-1)+1)/3) if N >= 5, else 0 | 1
    4 loop: floor((isqrt(N-1)+1)/3)*(3*floor((isqrt(N-1)+1)/3)+1)/2 if N >= 5, else 0 | floor((isqrt(N-1)+1)/3) if N >= 5, else 0
    ");
    insta::assert_snapshot!(looped("for (int i = 1; i <= N / i; i++) s++;"), @"4 loop: isqrt(N) if N >= 1, else 0 | 1");
}
