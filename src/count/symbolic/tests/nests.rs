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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
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
    insta::assert_snapshot!(shown, @"");
}
