//! Counts that are sums: products of counters, steps and divisors that counters give, powers and logarithms.

use super::*;

#[test]
fn a_product_of_counters() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = 0; j < N; j++)
for (int k = 0; k < i * j; k++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N^2 if N >= 1, else 0 | N if N >= 1, else 0
    5 loop: N^2*(N-1)^2/4 if N >= 1, else 0 | N^2 if N >= 1, else 0
    ");
}

#[test]
fn a_harmonic_nest() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 1; i <= N; i++)
for (int j = i; j <= N; j += i) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: sum(i=1..N, floor(N/i)) | N if N >= 1, else 0
    ");
}

#[test]
fn a_division_by_a_counter() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 1; i < N; i++)
for (int j = 0; j < N / i; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N-1 if N >= 2, else 0 | 1
    4 loop: sum(i=1..N-1, floor(N/i)) | N-1 if N >= 2, else 0
    ");
}

#[test]
fn butterflies() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int h = 1; h < N; h *= 2)
for (int i = 0; i < N; i += 2 * h)
for (int j = i; j < i + h; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: ceil(log2(N)) if N >= 2, else 0 | 1
    4 loop: sum(i=0..ceil(log2(N))-1, ceil(N/(2*2^i))) | ceil(log2(N)) if N >= 2, else 0
    5 loop: sum(i=0..ceil(log2(N))-1, 2^i*ceil(N/(2*2^i))) | sum(i=0..ceil(log2(N))-1, ceil(N/(2*2^i)))
    ");
}

#[test]
fn logarithms_of_a_counter() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = 1; j < i; j *= 2) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: sum(i=0..N-1, ceil(log2(i)) if i >= 2, else 0) | N if N >= 1, else 0
    ");
}

#[test]
fn halves_of_a_parameter() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int n = N; n > 0; n /= 2)
for (int i = 0; i < n; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: floor(log2(N))+1 if N >= 1, else 0 | 1
    4 loop: sum(i=0..floor(log2(N)), floor(N/(2^i))) | floor(log2(N))+1 if N >= 1, else 0
    ");
}

#[test]
fn a_sum_in_a_sum() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 1; i < N; i++)
for (int j = 1; j < i; j++)
for (int k = 0; k < N; k += i + j) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N-1 if N >= 2, else 0 | 1
    4 loop: (N-1)*(N-2)/2 if N >= 3, else 0 | N-1 if N >= 2, else 0
    5 loop: sum(i=0..N-2, sum(j=0..i-1, ceil(N/(i+j+2)))) | (N-1)*(N-2)/2 if N >= 3, else 0
    ");
}
