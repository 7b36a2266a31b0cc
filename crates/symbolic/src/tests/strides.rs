//! Steps and divisors that are parameters.

use super::*;

/// Points where the divisor is positive: for others nothing is said.
fn tiled(text: &str) -> String {
    let points: Vec<[i64; 2]> =
        [-2, 0, 1, 2, 5, 7, 8, 9, 16, 23].into_iter().flat_map(|n| [1, 2, 3, 4, 7, 8, 9, 30].map(|b| [n, b])).collect();
    let points: Vec<&[i64]> = points.iter().map(|point| &point[..]).collect();
    let counted = agrees(&snippet(text, &["N", "B"]), &points);
    assert_eq!(counted.messages, Vec::<String>::new(), "all is followed");
    counted.shown()
}

#[test]
fn a_step() {
    let shown = tiled(
        r"int N = 20, B = 4;
int main(void) { int s = 0;
for (int i = 0; i < N; i += B) s++;
for (int i = N - 1; i >= 0; i -= B) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: ceil(N/B) if N >= 1 and B >= 1, else 0 | 1
    4 loop: ceil(N/B) if N >= 1 and B >= 1, else 0 | 1
    ");
}

#[test]
fn tiles_and_what_is_in_them() {
    let shown = tiled(
        r"int N = 20, B = 4;
int main(void) { int s = 0;
for (int t = 0; t < N; t += B)
for (int i = t; i < (t + B < N ? t + B : N); i++) s++;
for (int t = 0; t < N; t += B)
for (int i = t; i < t + B && i < N; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: ceil(N/B) if N >= 1 and B >= 1, else 0 | 1
    4 loop: N if N >= 1 and B >= 1, else 0 | ceil(N/B) if N >= 1 and B >= 1, else 0
    4 branch: N+ceil(N/B) if N >= 1 and B >= 1, else 0 | (B+1)*(ceil(N/B)-1) if N >= B+1 and B >= 1, else 0 | N+B-B*ceil(N/B)+1 if N >= 1 and B >= 1, else 0
    5 loop: ceil(N/B) if N >= 1 and B >= 1, else 0 | 1
    6 loop: N if N >= 1 and B >= 1, else 0 | ceil(N/B) if N >= 1 and B >= 1, else 0
    6 branch: N+ceil(N/B) if N >= 1 and B >= 1, else 0 | N+1 if B*ceil(N/B) >= N+1 and N >= 0 and B >= 1; B*ceil(N/B) if N >= 1 and N >= B*ceil(N/B) and B >= 1, else 0
    ");
}

#[test]
fn tiles_of_two_dimensions() {
    let shown = tiled(
        r"int N = 20, B = 4;
int main(void) { int s = 0;
for (int t = 0; t < N; t += B)
for (int u = 0; u < N; u += B)
for (int i = t; i < (t + B < N ? t + B : N); i++)
for (int j = u; j < (u + B < N ? u + B : N); j++)
for (int k = 0; k < N; k++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: ceil(N/B) if N >= 1 and B >= 1, else 0 | 1
    4 loop: ceil(N/B)^2 if N >= 1 and B >= 1, else 0 | ceil(N/B) if N >= 1 and B >= 1, else 0
    5 loop: N*ceil(N/B) if N >= 1 and B >= 1, else 0 | ceil(N/B)^2 if N >= 1 and B >= 1, else 0
    5 branch: ceil(N/B)*(N+ceil(N/B)) if N >= 1 and B >= 1, else 0 | ceil(N/B)*(B+1)*(ceil(N/B)-1) if N >= B+1 and B >= 1, else 0 | ceil(N/B)*(N+B-B*ceil(N/B)+1) if N >= 1 and B >= 1, else 0
    6 loop: N^2 if N >= 1 and B >= 1, else 0 | N*ceil(N/B) if N >= 1 and B >= 1, else 0
    6 branch: N*(N+ceil(N/B)) if N >= 1 and B >= 1, else 0 | N*(B+1)*(ceil(N/B)-1) if N >= B+1 and B >= 1, else 0 | N*(N+B-B*ceil(N/B)+1) if N >= 1 and B >= 1, else 0
    7 loop: N^3 if N >= 1 and B >= 1, else 0 | N^2 if N >= 1 and B >= 1, else 0
    ");
}

#[test]
fn whole_tiles_and_the_rest() {
    let shown = tiled(
        r"int N = 20, B = 4;
int main(void) { int s = 0;
for (int t = 0; t < N / B; t++)
for (int i = t * B; i < (t + 1) * B; i++) s++;
for (int i = N - N % B; i < N; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: floor(N/B) if N >= B, else 0 | 1
    4 loop: B*floor(N/B) if N >= B and B >= 1, else 0 | floor(N/B) if N >= B, else 0
    5 loop: N-B*floor(N/B) if N >= 0 and N >= B*floor(N/B)+1, else 0 | 1
    ");
}

#[test]
fn tiles_are_rounded_up() {
    let shown = tiled(
        r"int N = 20, B = 4;
int main(void) { int s = 0;
int tiles = (N + B - 1) / B;
for (int t = 0; t < tiles; t++)
for (int i = 0; i < B; i++)
if (t * B + i < N) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    4 loop: ceil(N/B) if N >= 1, else 0 | 1
    5 loop: B*ceil(N/B) if N >= 1 and B >= 1, else 0 | ceil(N/B) if N >= 1, else 0
    6 branch: B*ceil(N/B) if N >= 1 and B >= 1, else 0 | N if N >= 1 and N+B >= 1, else 0
    ");
}

#[test]
fn a_guard_for_the_last_tile() {
    let shown = tiled(
        r"int N = 20, B = 4;
int main(void) { int s = 0;
for (int t = 0; t < N; t += B) {
int end = t + B;
if (end > N) end = N;
for (int i = t; i < end; i++) s++; }
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: ceil(N/B) if N >= 1 and B >= 1, else 0 | 1
    5 branch: ceil(N/B) if N >= 1 and B >= 1, else 0 | ceil(N/B) if B >= N+1 and N >= 1; ceil(N/B)-floor(N/B) if N >= B and B >= 1 and ceil(N/B) >= floor(N/B)+1, else 0
    6 loop: N if N >= 1 and B >= 1, else 0 | ceil(N/B) if N >= 1 and B >= 1, else 0
    ");
}
