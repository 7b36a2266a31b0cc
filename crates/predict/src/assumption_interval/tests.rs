//! Programs whose loops and branches follow random numbers of an unknown seed.

use super::*;
use crate::evaluation::OtherPrograms;
use crate::{ModelOptions, predict};
use chronos_frontend::{self as source, SourceOptions};
use chronos_interpreter::Inputs;
use chronos_ir::{BlockKind, CLibrary};
use chronos_machine::Machine;
use chronos_machine::network::Network;
use chronos_slicing::Assumptions;
use std::sync::Arc;

/// A loop that its branch ends, at the latest after 400 iterations.
const LOOP: &str = "#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    double sum = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000; i++)
        for (int n = 0; n < 400; n++) {
            if (rand() == 3) break;
            sum += 1.0 / n;
        }
    MPI_Finalize();
    return sum < 0;
}
";

/// Work in one arm of a branch.
const BRANCH: &str = "#include <mpi.h>
#include <stdlib.h>
double a[1000];
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000; i++)
        if (rand() < 1000000)
            for (int k = 0; k < 1000; k++) a[k] /= 3.0;
    MPI_Finalize();
    return a[0] < 0;
}
";

fn job(text: &str, trips: Option<f64>) -> Job {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    let options = SourceOptions { files: vec![path], c_library: CLibrary::Other, ..SourceOptions::default() };
    let (program, _, diagnostics) = source::program(&options);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let mut assumptions = Assumptions::default();
    let is_loop = |block: &chronos_ir::Block| matches!(block.kind, BlockKind::Loop(_)) && block.span.line_start == 7;
    let inner = program.blocks.iter().find(|(_, block)| is_loop(block)).map(|(id, _)| id);
    assumptions.iterations.extend(inner.zip(trips));
    Job {
        program: Arc::new(program),
        other_programs: OtherPrograms::default(),
        tasks: 2,
        spawned: 0,
        arguments: Vec::new(),
        inputs: Inputs::default(),
        assumptions,
        tasks_per_node: 1,
        correctness: false,
        object_code: crate::object_code::ObjectCodes::default(),
    }
}

/// The prediction of a job, with its interval before it is widened.
fn check(job: &Job) -> (Prediction, [f64; 2]) {
    let machine = Machine::load("epyc-zen5-gcc12-O2").expect("shipped");
    let network = Network::load("ethernet-1000").expect("shipped");
    let target = Target {
        machine: &machine,
        network: &network,
        platform: None,
        options: &ModelOptions::default(),
        calibration: None,
        timeline: false,
    };
    let outcome = predict(job, target);
    let mut prediction = outcome.prediction;
    let computing = prediction.interval_s.expect("residuals");
    widen(&mut prediction, job, target, &outcome.activity.expect("complete"));
    (prediction, computing)
}

#[test]
fn a_loop_between_bounds_may_take_as_long_as_nine_of_ten_between_them() {
    let (prediction, before) = check(&job(LOOP, None));
    let (total, [low, high]) = (prediction.total_s.expect("complete"), prediction.interval_s.expect("known"));
    assert!(low < before[0] && high > before[1]);
    let assumed = prediction.assumptions.iter().find(|a| a.text.starts_with("a loop")).expect("assumed");
    let [least, most] = assumed.range.expect("varies");
    // Nine of ten between 1 and 400, in the logarithm.
    assert!((1.2..1.5).contains(&least) && (270.0..330.0).contains(&most), "{least} {most}");
    let [_, alone] = assumed.total_s.expect("takes time");
    let trips: f64 = assumed.text.split_whitespace().nth(6).expect("a number").parse().expect("a number");
    // A part of the total does not depend on it.
    assert!((0.5..1.0).contains(&(alone / total / (most / trips))), "{alone} {total} {trips}");
    assert!(high >= 0.9 * alone);
}

#[test]
fn what_the_user_says_is_not_doubted() {
    let (prediction, before) = check(&job(LOOP, Some(20.0)));
    assert!(prediction.interval_s.expect("known")[1] < 1.5 * before[1]);
}

#[test]
fn an_arm_is_executed_never_or_always() {
    let (prediction, _) = check(&job(BRANCH, None));
    let (total, [low, high]) = (prediction.total_s.expect("complete"), prediction.assumed_interval_s.expect("assumed"));
    let assumed = prediction.assumptions.first().expect("assumed");
    let [rarely, often] = assumed.range.expect("varies");
    assert!(rarely < 0.1 && often > 0.9, "{rarely} {often}");
    assert!(low < 0.4 * total && high > 1.1 * total, "{low} {total} {high}");
}

#[test]
fn orders_of_magnitude_add_up_by_their_squares() {
    let [low, high] = joined(1.0, [0.5, 2.0], [0.1, 10.0]);
    assert!((high - 2f64.ln().hypot(10f64.ln()).exp()).abs() < 1e-9 && (low * high - 1.0).abs() < 1e-9);
    assert_eq!(joined(2.0, [2.0, 2.0], [2.0, 4.0]), [2.0, 4.0]);
}

#[test]
fn a_branch_that_leaves_a_loop_says_how_often_it_runs() {
    let (prediction, _) = check(&job(&LOOP.replace("n < 400", "n < 20"), None));
    let total = prediction.total_s.expect("complete");
    let [low, high] = prediction.assumed_interval_s.expect("assumed");
    // Once, or all 20 times, in place of about 13 times.
    assert!(low < 0.4 * total && high > 1.3 * total, "{low} {total} {high}");
}
