//! Time to count each nest of testdata/counting, and numeric nests without isl.

use chronos::count::quasi::{Affine, Constraint, Domain, Limits, Symbol, count, count_isl_text};
use criterion::{Criterion, criterion_group, criterion_main};

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
        let slack = below.subtract(&Affine { constant: 1, terms: vec![(Symbol(k), 1)] });
        piece.push(Constraint::Nonnegative(Affine::symbol(Symbol(k))));
        piece.extend(slack.map(Constraint::Nonnegative));
    }
    Domain { symbols: (0..depth).map(Symbol).collect(), pieces: vec![piece] }
}

fn numeric(c: &mut Criterion) {
    for depth in 1..=3 {
        let domain = triangle(depth);
        c.bench_function(&format!("numeric triangle, depth {depth}"), |b| {
            b.iter(|| count(&domain, &Limits::default()))
        });
    }
}

criterion_group!(benches, nests, numeric);
criterion_main!(benches);
