//! Functions, memory and jumps.

use super::*;

#[test]
fn a_function_per_iteration() {
    let shown = check(
        r"int N = 4;
int s; static void row(int n) { for (int j = 0; j < n; j++) s++; }
int main(void) {
for (int i = 0; i < N; i++) row(i);
row(N);
row(2 * N);
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 loop: N*(N-1)/2 if N >= 2, else 0 & N if N >= 1, else 0 & 2*N if N >= 1, else 0 | N if N >= 1, else 0 & 1 & 1
    4 loop: N if N >= 1, else 0 | 1
    4 call: N if N >= 1, else 0
    5 call: 1
    6 call: 1
    ");
}

#[test]
fn values_that_functions_return() {
    let shown = check(
        r"int N = 4;
int s; static int half(int n) { return n / 2; } static int least(int a, int b) { if (a < b) return a; return b; }
int main(void) {
for (int i = 0; i < half(N); i++) s++;
for (int i = 0; i < least(N, 10); i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 branch: 11 if N >= 10; 1 if N <= 0, else N+1 | 1 if N <= 0; N+1 if 1 <= N <= 9, else 0
    4 loop: floor(N/2) if N >= 2, else 0 | 1
    4 call: floor(N/2)+1 if N >= 2, else 1
    5 loop: 10 if N >= 10; N if 1 <= N <= 9, else 0 | 1
    5 call: 11 if N >= 10; 1 if N <= 0, else N+1
    ");
}

#[test]
fn structs_hold_sizes() {
    let shown = check(
        r"int N = 4;
struct grid { int rows, columns; double *cells; }; int s; void *malloc(unsigned long);
static void fill(struct grid *g) { for (int i = 0; i < g->rows; i++) for (int j = 0; j < g->columns; j++) g->cells[i * g->columns + j] = 0; }
int main(void) { struct grid g, h; g.rows = N; g.columns = N + 1; g.cells = malloc(sizeof(double) * N * (N + 1));
h = g; h.rows = 3;
fill(&g);
fill(&h);
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 & 3 | 1 & 1
    3 loop: N*(N+1) if N >= 1, else 0 & 3*(N+1) if N >= 0, else 0 | N if N >= 1, else 0 & 3
    4 call: 1
    6 call: 1
    7 call: 1
    ");
}

#[test]
fn allocations_stay_apart() {
    let shown = check(
        r"int N = 4;
struct v { int n; }; int s; void *malloc(unsigned long);
static struct v *make(int n) { struct v *v = malloc(sizeof *v); v->n = n; return v; }
int main(void) { struct v *a = make(N), *b = make(7);
for (int i = 0; i < a->n; i++) s++;
for (int i = 0; i < b->n; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 call: 1 & 1
    4 call: 1
    4 call: 1
    5 loop: N if N >= 1, else 0 | 1
    6 loop: 7 | 1
    ");
}

#[test]
fn tables_of_constants() {
    let shown = check(
        r"int N = 4;
static const int steps[3] = { 1, 2, 4 }; int s; int main(void) {
for (int t = 0; t < 3; t++)
for (int i = 0; i < steps[t]; i++) s++;
int local[4] = { 3, 1 };
for (int i = 0; i < local[0] + local[3]; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: 3 | 1
    4 loop: 7 | 3
    6 loop: 3 | 1
    ");
}

#[test]
fn nothing_left_free() {
    let shown = check(
        r"int N = 4;
int s; int main(void) {
for (int i = 1; i < 1000; i *= 2) s++;
for (int i = 100; i > 0; i /= 3) s++;
for (int i = 0; i < 12; i++) for (int j = i; j < 12; j += 5) if (j % 3) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: 10 | 1
    4 loop: 5 | 1
    5 loop: 12 | 1
    5 loop: 21 | 12
    5 branch: 21 | 15
    ");
}

#[test]
fn ends_in_the_middle() {
    let shown = check(
        r"int N = 4;
int s; void exit(int);
static void demand(int n) { if (n < 2) exit(0); s++; }
int main(void) {
for (int i = 0; i < 5; i++) s++;
if (N < 0) return 1;
demand(N);
for (int i = 0; i < N; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 branch: 1 if N >= 0, else 0 | 1 if 0 <= N <= 1, else 0
    3 call: 1 if 0 <= N <= 1, else 0
    5 loop: 5 | 1
    6 branch: 1 | 1 if N <= -1, else 0
    7 call: 1 if N >= 0, else 0
    8 loop: N if N >= 2, else 0 | 1 if N >= 2, else 0
    ");
}

#[test]
fn early_returns_of_loops() {
    let shown = check(
        r"int N = 4;
int s; static int find(int n) { for (int i = 0; i < n; i++) { if (i == 9) return i; s++; } return -1; }
int main(void) {
find(N);
for (int i = 0; i < N; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 loop: 10 if N >= 11; N if 1 <= N <= 10, else 0 | 1
    2 branch: 10 if N >= 11; N if 1 <= N <= 10, else 0 | 1 if N >= 10, else 0
    4 call: 1
    5 loop: N if N >= 1, else 0 | 1
    ");
}

#[test]
fn forward_jumps() {
    let shown = check(
        r"int N = 4;
int s; int main(void) {
if (N < 3) goto out;
for (int i = 0; i < N; i++) s++;
out:
for (int i = 0; i < 2; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 branch: 1 | 1 if N <= 2, else 0
    4 loop: N if N >= 3, else 0 | 1 if N >= 3, else 0
    6 loop: 2 | 1
    ");
}

#[test]
fn switches() {
    let shown = check(
        r"int N = 4;
int s; int main(void) {
for (int i = 0; i < N; i++)
switch (i % 4) { case 0: s++; break; case 1: case 2: s += 2; break; default: s--; }
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    4 branch: N if N >= 1, else 0 | floor((N+3)/4) if N >= 1, else 0 | floor((N+1)/4)+floor((N+2)/4) if N >= 2, else 0 | floor(N/4) if N >= 4, else 0
    ");
}

#[test]
fn globals_made_from_the_parameter() {
    let shown = check(
        r"int N = 4;
int rows, cells; int s; static void setup(void) { rows = N + 2; cells = rows * rows; }
int main(void) { setup();
for (int i = 1; i < rows - 1; i++) s++;
for (int i = 0; i < cells; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 call: 1
    4 loop: N if N >= 1, else 0 | 1
    5 loop: (N+2)^2 if 4*N+N*N >= -3, else 0 | 1
    ");
}

#[test]
fn pointers_to_parameters() {
    let shown = check(
        r"int N = 4;
int s; static void grow(int *n) { *n += 1; } int main(void) { int n = N; grow(&n); grow(&n);
for (int i = 0; i < n; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 call: 1
    2 call: 1
    3 loop: N+2 if N >= -1, else 0 | 1
    ");
}

#[test]
fn pointers_that_walk() {
    let shown = check(
        r"int N = 4;
int a[100]; int s; int main(void) {
for (int *p = a; p < a + N; p++) *p = 1;
int *q = a, *end = &a[N];
while (q < end) q++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    5 loop: N if N >= 1, else 0 | 1
    ");
}

#[test]
fn sizes_are_unsigned() {
    let shown = check(
        r"long N = 4;
unsigned long s; int main(void) { unsigned long n = N > 0 ? N : 0;
for (unsigned long i = 0; i < n; i++) s++;
for (unsigned long i = n; i > 0; i--) s++;
for (unsigned long i = n; i-- > 0; ) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 branch: 1 | 1 if N >= 1, else 0 | 1 if N <= 0, else 0
    3 loop: N if N >= 1, else 0 | 1
    4 loop: N if N >= 1, else 0 | 1
    5 loop: N if N >= 1, else 0 | 1
    ");
}

/// A program with a free argument.
fn with_argument(text: &str, index: u32) -> Counted {
    let mut program = snippet(text, &[]).program;
    let kind = ParameterKind::Argument { index };
    program.parameters.push(Parameter { name: format!("argv{index}").into(), kind, span: None });
    let program = Arc::new(program);
    let (counts, diagnostics) = count(&program, &EvaluatorOptions { tasks: 1, ..EvaluatorOptions::default() });
    let messages = diagnostics.iter().map(|d| format!("{} {}", d.code.id, d.message)).collect();
    Counted { program, counts, messages }
}

#[test]
fn a_free_argument_is_given() {
    let counted = with_argument(
        "#include <stdlib.h>
int s; int main(int argc, char **argv) {
for (int i = 0; i < argc; i++) s++;
int n = argc > 2 ? atoi(argv[2]) : 7;
for (int i = 0; i < n; i++) s++;
if (argc > 3) s++;
return 0; }",
        2,
    );
    insta::assert_snapshot!(counted.shown(), @r"
    3 loop: 3 | 1
    4 branch: 1 | 1 | 0
    4 call: 1
    5 loop: argv2 if argv2 >= 1, else 0 | 1
    6 branch: 1 | 0
    ");
    assert_eq!(counted.messages, Vec::<String>::new());
}

#[test]
fn arguments_before_a_free_one_are_unknown() {
    let counted = with_argument(
        "#include <stdlib.h>
int s; int main(int argc, char **argv) {
for (int i = 0; i < atoi(argv[1]); i++) s++;
return 0; }",
        2,
    );
    assert_eq!(
        counted.messages,
        ["C0306 the number of iterations of a loop depends on what is computed where values are not followed"]
    );
}

#[test]
fn texts_that_are_printed_have_their_bytes() {
    let counted = snippet(
        r#"#include <stdio.h>
int N = 4; int main(void) { for (int i = 0; i < N; i++) puts("four");
printf("100%% of %s%c\n", "all", 'x');
printf("%d\n", N); return 0; }"#,
        &["N"],
    )
    .counted();
    let bytes = |(_, _, bytes): &(_, _, crate::SymbolicCount)| {
        bytes.value.as_ref().map_or("?".to_owned(), |value| value.display(&|_| "N".to_owned()))
    };
    let shown: Vec<String> = counted.counts.tasks[0].1.volumes.iter().map(bytes).collect();
    assert_eq!(shown, ["4*N if N >= 1, else 0", "13"]);
}

/// Bounds that are real numbers, tests at the end, quotients by the counter: with N = 0 and below, too.
#[test]
fn bounds_beyond_affine_ones() {
    let shown = check(
        r"double sqrt(double); double ceil(double); double log2(double); int N = 4; int main(void) { int i, n = N, s = 0;
for (i = 1; i < n / i; i++) s++;
i = 1; do { s++; i++; } while (i * i <= n);
i = 1; do { s++; i *= 2; } while (i < n);
int half = (int)ceil(n / 2.0), part = (int)(n * 0.75);
for (i = 0; i < half; i++) s++;
for (i = 0; i < part; i++) s++;
if (n > 0) { int root = (int)sqrt((double)n), bits = (int)log2(n);
for (i = 0; i < root; i++) s++;
for (i = 0; i < bits; i++) s++; }
for (i = 0; i < n && i < 9; i++) s++;
for (; i > 0; i--) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 loop: floor((isqrt(4*N+1)+1)/2)-1 if N >= 2, else 0 | 1
    3 loop: isqrt(N) if N >= 4, else 1 | 1
    4 loop: ceil(log2(floor((N+1)/2)))+1 if N >= 3, else 1 | 1
    5 call: 1
    6 loop: floor((N+1)/2) if N >= 1, else 0 | 1
    7 loop: floor((3*N)/4) if N >= 2, else 0 | 1
    8 branch: 1 | 1 if N >= 1, else 0
    8 call: 1 if N >= 1, else 0
    8 call: 1 if N >= 1, else 0
    9 loop: isqrt(N) if N >= 1, else 0 | 1 if N >= 1, else 0
    10 loop: floor(log2(N)) if N >= 2, else 0 | 1 if N >= 1, else 0
    11 loop: 9 if N >= 10; N if 1 <= N <= 9, else 0 | 1
    11 branch: 10 if N >= 10; 1 if N <= 0, else N+1 | 10 if N >= 11; N if 1 <= N <= 10, else 0
    12 loop: 9 if N >= 10; N if 1 <= N <= 9, else 0 | 1
    ");
}

#[test]
fn a_negative_parameter_is_large_as_an_unsigned_number() {
    let shown = check(
        r"int N = 4; int main(void) { int s = 0;
for (unsigned i = 5; i-- > 0; ) if (i > N) s++;
return 0; }",
    );
    assert!(shown.contains("2 loop: 5"), "{shown}");
}
