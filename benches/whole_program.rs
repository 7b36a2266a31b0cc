//! Time from sources to the first step of evaluation, for a generated program of 50,000 lines.

mod large;

use chronos::abstract_execution::ClosedForms;
use chronos::frontend::{self as source, SourceOptions};
use chronos::interpreter::{Evaluator, EvaluatorOptions};
use chronos::ir::Program;
use chronos::mpi_calls::{MpiState, Options};
use chronos::slicing::Analysis;
use chronos::slicing::Assumptions;
use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;

const LINES: usize = 50_000;

fn evaluator(program: Arc<Program>, analysis: Analysis) -> Evaluator {
    let assumptions = Assumptions::default();
    let summaries = ClosedForms::new(program.clone(), analysis, assumptions.clone());
    let options = EvaluatorOptions { tasks: 4, assumptions, ..EvaluatorOptions::default() };
    let calls = MpiState::new(4, Options::default());
    Evaluator::new(program, options, Box::new(summaries), Box::new(calls))
}

fn whole_program(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let files = large::write(folder.path(), LINES / large::MODULE_LINES).expect("the directory is writable");
    let options = SourceOptions { files, ..SourceOptions::default() };
    let mut group = c.benchmark_group("whole program");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.bench_function("preprocess", |b| b.iter(|| black_box(source::preprocess(&options).is_ok())));
    let preprocessed = source::preprocess(&options).expect("the generated program is valid C");
    group.bench_function("parse and lower", |b| b.iter(|| black_box(source::program_of(&preprocessed).0.is_some())));
    let program = Arc::new(source::program_of(&preprocessed).0.expect("the generated program is valid C"));
    let assumptions = Assumptions::default();
    group.bench_function("relevance", |b| b.iter(|| black_box(Analysis::new(&program, &assumptions))));
    let analysis = Analysis::new(&program, &assumptions);
    group.bench_function("evaluator", |b| b.iter(|| black_box(evaluator(program.clone(), analysis.clone()))));
    group.finish();
}

criterion_group!(benches, whole_program);
criterion_main!(benches);
