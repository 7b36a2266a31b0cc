//! Time per program of loops that are interpreted, operation by operation: data decides in each of them,
//! or summaries are switched off. The number of iterations is part of each name.

use chronos::activity::{Feed, Outcome, Step, TaskId};
use chronos::frontend::{self as source, SourceOptions};
use chronos::interpreter::{Evaluator, EvaluatorOptions, NativeCode, NoSummaries};
use chronos::ir::Program;
use chronos::mpi_calls::{MpiState, Options};
use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;

const PROGRAMS: [(&str, &str); 6] = [
    (
        "trial division, 2 * 10^5 remainders",
        "int prime(int n) { for (int i = 3; i * i <= n; i += 2) if (n % i == 0) return 0; return 1; }
         int main(void) { int s = 0; for (int n = 11; n < 20000; n += 2) s += prime(n); return s & 1; }",
    ),
    (
        "matrix product, 10^5 products",
        "double a[46][46], b[46][46], c[46][46];
         int main(void) {
             for (int i = 0; i < 46; i++) for (int j = 0; j < 46; j++) { a[i][j] = i; b[i][j] = j; }
             for (int i = 0; i < 46; i++) for (int j = 0; j < 46; j++)
                 for (int k = 0; k < 46; k++) c[i][j] += a[i][k] * b[k][j];
             return 0;
         }",
    ),
    (
        "hashed integers, 10^5 stores",
        "unsigned h[4096];
         int main(void) {
             unsigned x = 1;
             for (int i = 0; i < 100000; i++) { x = x * 1664525u + 1013904223u; h[x >> 20]++; }
             return h[7] > 30;
         }",
    ),
    (
        "calls of a short function, 10^5",
        "static int step(int x, int y) { return x > y ? x - y : y - x + 1; }
         int main(void) { int s = 1; for (int i = 0; i < 100000; i++) s = step(s, i & 63); return s & 1; }",
    ),
    (
        "stores under an unknown condition, 10^5",
        "double v[1000]; int rand(void);
         int main(void) {
             if (rand() % 2)
                 for (int t = 0; t < 100; t++) for (int i = 0; i < 1000; i++) v[i] += t;
             return 0;
         }",
    ),
    (
        "sum over zeros, 10^5 loads",
        "#include <stdlib.h>
         int main(void) {
             double *z = calloc(100000, sizeof(double)), s = 0;
             for (int i = 0; i < 100000; i++) s += z[i];
             return s > 1;
         }",
    ),
];

/// Loops that are hot enough to become code of this processor; each is interpreted as well.
const HOT: [(&str, &str); 3] = [
    (
        "relaxation, 3 * 10^6 points",
        "double u[102][102], v[102][102];
         int main(void) {
             double d = 1; int rounds = 0;
             for (int i = 0; i < 102; i++) u[i][0] = 100;
             while (d > 1e-9 && rounds < 300) {
                 d = 0;
                 for (int i = 1; i < 101; i++) for (int j = 1; j < 101; j++) {
                     v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
                     double e = v[i][j] - u[i][j];
                     if (e > d) d = e;
                 }
                 for (int i = 1; i < 101; i++) for (int j = 1; j < 101; j++) u[i][j] = v[i][j];
                 rounds++;
             }
             return rounds & 1;
         }",
    ),
    (
        "trial division by a function, 6 * 10^6 remainders",
        "int prime(int n) { for (int i = 3; i * i <= n; i += 2) if (n % i == 0) return 0; return 1; }
         int main(void) { int s = 0; for (int n = 11; n < 200001; n += 2) s += prime(n); return s & 1; }",
    ),
    (
        "bubble sort, 2 * 10^6 comparisons",
        "int a[2000];
         int main(void) {
             unsigned x = 1;
             for (int i = 0; i < 2000; i++) { x = x * 1664525u + 1013904223u; a[i] = x >> 8; }
             for (int i = 0; i < 2000; i++) for (int j = 0; j + 1 < 2000 - i; j++)
                 if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
             return a[0] & 1;
         }",
    ),
];

fn program(text: &str) -> Result<Arc<Program>, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = directory.path().join("bench.c");
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let (program, _, diagnostics) = source::program(&SourceOptions { files: vec![file], ..SourceOptions::default() });
    program.map(Arc::new).ok_or(format!("{diagnostics:?}"))
}

fn run(program: &Arc<Program>, native: NativeCode) -> bool {
    let options = EvaluatorOptions { tasks: 1, native, ..EvaluatorOptions::default() };
    let calls = Box::new(MpiState::new(1, Options::default()));
    let mut evaluator = Evaluator::new(program.clone(), options, Box::new(NoSummaries), calls);
    loop {
        match evaluator.next(TaskId(0), Outcome::None) {
            Step::End => return true,
            Step::Stuck => return false,
            _ => {}
        }
    }
}

fn interpreter(c: &mut Criterion) {
    let mut group = c.benchmark_group("interpreter");
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    for (name, text) in PROGRAMS {
        let program = program(text).expect("the program is valid C");
        assert!(run(&program, NativeCode::Off), "{name} does not come to its end");
        group.bench_function(name, |b| b.iter(|| black_box(run(&program, NativeCode::Off))));
    }
    for (name, text) in HOT {
        let program = program(text).expect("the program is valid C");
        for (how, native) in [("interpreted", NativeCode::Off), ("compiled", NativeCode::Hot)] {
            assert!(run(&program, native), "{name} does not come to its end");
            group.bench_function(format!("{name}, {how}"), |b| b.iter(|| black_box(run(&program, native))));
        }
    }
    group.finish();
}

criterion_group!(benches, interpreter);
criterion_main!(benches);
