//! Speed of what-if questions: the ranking of jacobi with 20 rows, which is to take less than 1 s with 64 tasks, and less than 30 s
//! with 4,096.

use chronos::frontend::{self as source, SourceOptions};
use chronos::interpreter::Inputs;
use chronos::machine::Machine;
use chronos::machine::network::Network;
use chronos::predict::{self as predict, Job, ModelOptions, Target};
use chronos::slicing::Assumptions;
use chronos::whatif::{Study, causes, rank};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

/// Rows of each of the five kinds, 20 together.
const ROWS: usize = 4;

fn job(tasks: usize) -> Job {
    let files = vec![PathBuf::from("testdata/programs/jacobi.c")];
    let (program, _, _) = source::program(&SourceOptions { files, ..SourceOptions::default() });
    Job {
        program: Arc::new(program.expect("it is a program")),
        tasks,
        spawned: 0,
        arguments: Vec::new(),
        inputs: Inputs::default(),
        assumptions: Assumptions::default(),
        other_programs: Default::default(),
        tasks_per_node: 1,
        correctness: false,
        object_code: chronos::predict::object_code::ObjectCodes::default(),
    }
}

fn questions(criterion: &mut Criterion) {
    let machine = Machine::load("pentium2-350").expect("shipped");
    let network = Network::load("ethernet-100").expect("shipped");
    let options = ModelOptions::default();
    let target = Target {
        machine: &machine,
        platform: None,
        network: &network,
        options: &options,
        calibration: None,
        timeline: false,
    };
    let mut group = criterion.benchmark_group("whatif");
    group.sample_size(10);
    for tasks in [64, 1024, 4096] {
        let job = job(tasks);
        let outcome = predict::predict(&job, target);
        let evaluated = outcome.activity.expect("nothing depends on arrival");
        let study = Study::new(&job, target, &evaluated).expect("it ends");
        group.bench_function(BenchmarkId::new("ranking", tasks), |b| b.iter(|| black_box(rank::rank(&study, ROWS))));
        if tasks > 1024 {
            continue;
        }
        group.bench_function(BenchmarkId::new("causes", tasks), |b| b.iter(|| black_box(causes::causes(&study).0)));
    }
}

criterion_group!(benches, questions);
criterion_main!(benches);
