//! Time to count each nest of testdata/counting, numeric nests without isl, and whole C programs
//! with their size free and given. Both kinds of the last count without iterating; the quotient of
//! two lines says what leaving the size free costs.

use chronos::frontend::{self as source, SourceOptions};
use chronos::interpreter::EvaluatorOptions;
use chronos::ir::Program;
use chronos::math::quasi::{Affine, Constraint, Domain, Limits, Symbol, count, count_isl_text};
use chronos::symbolic;
use criterion::{Criterion, criterion_group, criterion_main};
use std::sync::Arc;

fn nests(c: &mut Criterion) {
    for line in include_str!("../testdata/counting/nests.tsv").lines().skip(1) {
        let mut fields = line.split('\t');
        let (Some(name), Some(set)) = (fields.next(), fields.next()) else { continue };
        c.bench_function(name, |b| b.iter(|| count_isl_text(set, &Limits::default())));
    }
}

/// `0 <= s0 < 1000`, and each further symbol below the one before it.
fn triangle(depth: u32) -> Domain {
    let mut piece = Vec::new();
    for k in 0..depth {
        let below = if k == 0 { Affine::constant(1000) } else { Affine::symbol(Symbol(k - 1)) };
        let slack = below.sub(&Affine { constant: 1, terms: vec![(Symbol(k), 1)] });
        piece.push(Constraint::Nonnegative(Affine::symbol(Symbol(k))));
        piece.extend(slack.map(Constraint::Nonnegative));
    }
    Domain { symbols: (0..depth).map(Symbol).collect(), pieces: vec![piece] }
}

fn numeric(c: &mut Criterion) {
    for depth in 1..=3 {
        let domain = triangle(depth);
        c.bench_function(&format!("numeric triangle, depth {depth}"), |b| {
            b.iter(|| count(&domain, &Limits::default()));
        });
    }
}

/// Loop nests in the manner of numerical kernels, as the body of `main`.
const KERNELS: [(&str, &str); 5] = [
    (
        "matrix product",
        "for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    sink += i * k;",
    ),
    (
        "triangular factorisation",
        "for (int i = 0; i < N; i++) {
            for (int j = 0; j < i; j++)
                for (int k = 0; k < j; k++)
                    sink += k;
            for (int j = i; j < N; j++)
                for (int k = 0; k < i; k++)
                    sink -= k;
        }",
    ),
    (
        "tiled stencil",
        "for (int t = 0; t < 100; t++)
            for (int ii = 1; ii < N - 1; ii += 32)
                for (int jj = 1; jj < N - 1; jj += 32)
                    for (int i = ii; i < (ii + 32 < N - 1 ? ii + 32 : N - 1); i++)
                        for (int j = jj; j < (jj + 32 < N - 1 ? jj + 32 : N - 1); j++)
                            sink += i ^ j;",
    ),
    (
        "chess board",
        "for (int t = 0; t < 100; t++)
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++)
                    if ((i + j) % 2 == t % 2)
                        sink++;",
    ),
    (
        "parenthesis",
        "for (int i = N - 1; i >= 0; i--)
            for (int j = i + 1; j < N; j++)
                for (int k = i + 1; k < j; k++)
                    sink += k;",
    ),
];

fn program(body: &str, symbolic: Vec<String>) -> Result<Arc<Program>, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = directory.path().join("bench.c");
    let text = format!("static int N = 1000;\nstatic long sink;\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n");
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let (program, _, diagnostics) =
        source::program(&SourceOptions { files: vec![file], symbolic, ..SourceOptions::default() });
    program.map(Arc::new).ok_or(format!("{diagnostics:?}"))
}

fn kernels(c: &mut Criterion) {
    let options = EvaluatorOptions { tasks: 1, ..EvaluatorOptions::default() };
    for (name, body) in KERNELS {
        for (kind, symbolic) in [("N free", vec!["N".to_owned()]), ("N = 1000", Vec::new())] {
            let program = program(body, symbolic).expect("the kernel is valid C");
            c.bench_function(&format!("{name}, {kind}"), |b| b.iter(|| symbolic::count(&program, &options)));
        }
    }
}

criterion_group!(benches, nests, numeric, kernels);
criterion_main!(benches);
