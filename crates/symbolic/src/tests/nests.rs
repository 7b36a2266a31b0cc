//! Loop nests whose bounds depend on parameters.

use super::*;

#[test]
fn a_rectangle() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = 0; j < N; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N^2 if N >= 1, else 0 | N if N >= 1, else 0
    ");
}

#[test]
fn a_triangle() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = 0; j < i; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N*(N-1)/2 if N >= 2, else 0 | N if N >= 1, else 0
    ");
}

#[test]
fn a_triangle_that_ends_at_its_diagonal() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i <= N; i++)
for (int j = i; j <= N; j++)
for (int k = 0; k < j; k++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N+1 if N >= 0, else 0 | 1
    4 loop: (N+1)*(N+2)/2 if N >= 0, else 0 | N+1 if N >= 0, else 0
    5 loop: N*(N+1)*(N+2)/3 if N >= 1, else 0 | (N+1)*(N+2)/2 if N >= 0, else 0
    ");
}

#[test]
fn tiles() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int t = 0; t < N; t += 4)
for (int i = t; i < (t + 4 < N ? t + 4 : N); i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: floor((N+3)/4) if N >= 1, else 0 | 1
    4 loop: N if N >= 5; ((N+3) % 4)+1 if 1 <= N <= 4, else 0 | floor((N+3)/4) if N >= 1, else 0
    4 branch: N+floor((N+3)/4) if N >= 5; N-3*floor((N+3)/4)+4 if 1 <= N <= 4, else 0 | 5*(floor((N+3)/4)-1) if N >= 5, else 0 | ((N+3) % 4)+2 if N >= 1, else 0
    ");
}

#[test]
fn strides() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0, i;
for (i = 0; i < N; i += 3) s++;
for (i = N; i > 0; i -= 2) s++;
for (i = 1; i <= N; i += 5) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: floor((N+2)/3) if N >= 1, else 0 | 1
    4 loop: floor((N+1)/2) if N >= 1, else 0 | 1
    5 loop: floor((N+4)/5) if N >= 1, else 0 | 1
    ");
}

#[test]
fn counting_down() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = N - 1; i >= 0; i--)
for (int j = N; j > i; j--) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N*(N+1)/2 if N >= 1, else 0 | N if N >= 1, else 0
    ");
}

#[test]
fn halves_and_remainders() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N / 2; i++) s++;
for (int i = 0; i < N % 3; i++) s++;
for (int i = 0; i < (N + 3) / 4; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: floor(N/2) if N >= 2, else 0 | 1
    4 loop: (N % 3) if N >= 0, else 0 | 1
    5 loop: floor((N+3)/4) if N >= 1, else 0 | 1
    ");
}

#[test]
fn guards_of_remainders() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = 0; j < N; j++)
if ((i + j) % 2 == 0) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N^2 if N >= 1, else 0 | N if N >= 1, else 0
    5 branch: N^2 if N >= 1, else 0 | floor(N/2)^2+floor((N+1)/2)^2 if N >= 1, else 0
    ");
}

#[test]
fn guards_that_compare() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = 0; j < N; j++) {
if (i == j) s++;
if (i < j && j < N - 1) s++;
if (i == 0 || j == 0) s++; }
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N^2 if N >= 1, else 0 | N if N >= 1, else 0
    5 branch: N^2 if N >= 1, else 0 | N if N >= 1, else 0
    6 branch: N^2 if N >= 1, else 0 | N*(N-1)/2 if N >= 2, else 0
    6 branch: N^2 if N >= 1, else 0 | (N-1)*(N-2)/2 if N >= 3, else 0
    7 branch: N^2 if N >= 1, else 0 | N*(N-1) if N >= 2, else 0
    7 branch: N^2 if N >= 1, else 0 | 2*N-1 if N >= 1, else 0
    ");
}

#[test]
fn minimum_and_maximum() {
    let shown = check_two(
        r"int N = 4, M = 3;
int main(void) { int s = 0;
int low = N < M ? N : M;
for (int i = 0; i < low; i++) s++;
for (int i = 0; i < N && i < M; i++) s++;
for (int i = N > M ? N : M; i > 0; i--) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 branch: 1 | 1 if M >= N+1, else 0 | 1 if N >= M, else 0
    4 loop: N if M >= N+1 and N >= 1; M if N >= M and M >= 1, else 0 | 1
    5 loop: N if M >= N and N >= 1; M if N >= M+1 and M >= 1, else 0 | 1
    5 branch: N+1 if M >= N and N >= 1; 1 if N <= 0; 1 if N >= 1 and M <= 0, else M+1 | N if M+1 >= N and N >= 2; 1 if N >= 2 and M <= 0; M+1 if N >= M+2 and M >= 1; N if N = 1, else 0
    6 loop: M if M >= N and M >= 1; N if N >= 1 and N >= M+1, else 0 | 1
    6 branch: 1 | 1 if N >= M+1, else 0 | 1 if M >= N, else 0
    ");
}

#[test]
fn two_parameters() {
    let shown = check_two(
        r"int N = 4, M = 3;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = 0; j < M; j++) s++;
for (int i = N; i < M; i++)
for (int j = 0; j < i; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N*M if N >= 1 and M >= 1, else 0 | N if N >= 1, else 0
    5 loop: M-N if M >= N+1, else 0 | 1
    6 loop: (M^2+N-N^2-M)/2 if M >= N+1 and N >= 2; M*(M-1)/2 if N <= 1 and M >= 2, else 0 | M-N if M >= N+1, else 0
    ");
}

#[test]
fn a_stencil() {
    let shown = check_two(
        r"int N = 4, M = 3;
double a[100][100], b[100][100]; int main(void) {
for (int t = 0; t < M; t++) {
for (int i = 1; i < N - 1; i++)
for (int j = 1; j < N - 1; j++) b[i][j] = a[i - 1][j] + a[i + 1][j];
for (int i = 1; i < N - 1; i++)
for (int j = 1; j < N - 1; j++) a[i][j] = b[i][j]; }
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: M if M >= 1, else 0 | 1
    4 loop: M*(N-2) if N >= 3 and M >= 1, else 0 | M if M >= 1, else 0
    5 loop: M*(N-2)^2 if N >= 3 and M >= 1, else 0 | M*(N-2) if N >= 3 and M >= 1, else 0
    6 loop: M*(N-2) if N >= 3 and M >= 1, else 0 | M if M >= 1, else 0
    7 loop: M*(N-2)^2 if N >= 3 and M >= 1, else 0 | M*(N-2) if N >= 3 and M >= 1, else 0
    ");
}

#[test]
fn products_as_bounds() {
    let shown = check_two(
        r"int N = 4, M = 3;
int main(void) { int s = 0, n = N * N;
for (int i = 0; i < n; i++) s++;
for (int i = 0; i < N * M + 2; i++) s++;
for (long i = 0; i < (long)n * M; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N^2 if N*N >= 1, else 0 | 1
    4 loop: N*M+2 if N*M >= -1, else 0 | 1
    5 loop: N^2*M if N*N*M >= 1, else 0 | 1
    ");
}

#[test]
fn products_that_cancel() {
    let shown = check_two(
        r"int N = 4, M = 3;
int main(void) { int s = 0;
for (int i = 0; i < N; i++)
for (int j = i * M; j < (i + 1) * M; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N*M if N >= 1 and M >= 1, else 0 | N if N >= 1, else 0
    ");
}

#[test]
fn products_in_conditions() {
    let shown = check_two(
        r"int N = 4, M = 3;
int main(void) { int s = 0;
if (N * M > 20) s++;
for (int i = 0; i < N * M / 2; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 branch: 1 | 1 if N*M >= 21, else 0
    4 loop: floor(N*M/2) if N*M >= 2, else 0 | 1
    ");
}

#[test]
fn the_counter_after_the_loop() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0, i, j;
for (i = 0; i < N; i++) s++;
for (j = 0; j < i; j++) s++;
for (i = 0; i < N; i += 2) ;
for (j = 0; j < i; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N if N >= 1, else 0 | 1
    5 loop: floor((N+1)/2) if N >= 1, else 0 | 1
    6 loop: 2*floor((N+1)/2) if N >= 1, else 0 | 1
    ");
}

#[test]
fn sums_that_are_bounds() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0, n = 0;
for (int i = 0; i < N; i++) n += 2;
for (int i = 0; i < n; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: 2*N if N >= 1, else 0 | 1
    ");
}

#[test]
fn breaks() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i++) { if (i == 5) break; s++; }
for (int i = 0; ; i++) { if (i >= N) break; s++; }
for (int i = 0; i < N; i++) { if (i % 2) continue; s++; }
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: 6 if N >= 7; N if 1 <= N <= 6, else 0 | 1
    3 branch: 6 if N >= 7; N if 1 <= N <= 6, else 0 | 1 if N >= 6, else 0
    4 loop: N+1 if N >= 1, else 1 | 1
    4 branch: N+1 if N >= 1, else 1 | 1
    5 loop: N if N >= 1, else 0 | 1
    5 branch: N if N >= 1, else 0 | floor(N/2) if N >= 2, else 0
    ");
}

#[test]
fn while_loops() {
    let shown = check(
        r"int N = 4;
int main(void) { int s = 0, i = 0, n = N;
while (i < N) i++;
while (n > 0) n -= 2;
do { s++; i--; } while (i > 0);
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 loop: floor((N+1)/2) if N >= 1, else 0 | 1
    5 loop: N if N >= 2, else 1 | 1
    ");
}

#[test]
fn not_equal_as_condition() {
    let shown = check_two(
        r"int N = 4, M = 3;
unsigned long u = 0; int main(void) { int s = 0;
for (unsigned i = 0; i < 7; i++)
for (int j = 0; j != 4; j++) s++;
for (long j = 0; j <= (long)N - 1; j++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: 7 | 1
    4 loop: 28 | 7
    5 loop: N if N >= 1, else 0 | 1
    ");
}

#[test]
fn single_bits_of_a_free_number() {
    check(
        r"int N = 4;
int main(void) { int s = 0;
    if (N & 2) s++;
    for (int i = 0; i < N; i++)
        if ((i & 6) == 4) s++;
    if (-N & 12) s++;
    return s; }",
    );
}
