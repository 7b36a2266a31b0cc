//! Records that are written by hand: times of stretches as a multiple of what is predicted for them.

use super::*;
use crate::evaluation::Job;
use crate::target::Target;
use crate::{ModelOptions, OtherPrograms, Outcome, predict};
use chronos_frontend::{self as source, SourceOptions};
use chronos_interpreter::Inputs;
use chronos_ir::Program;
use chronos_machine::Machine;
use chronos_machine::network::Network;
use chronos_record::folder::{NamedPlace, RecordInfo};
use chronos_record::places::SourcePlace;
use chronos_record::task::TaskRecord;
use chronos_slicing::Assumptions;
use std::sync::{Arc, OnceLock};

/// Two functions, each between two barriers; a third one that only long runs execute.
const PROGRAM: &str = "#include <mpi.h>
#include <stdlib.h>
double a[4096];
static void fill(int n) { for (int r = 0; r < n; r++) for (int i = 0; i < 512; i++) a[i] = i + r; }
static void sum(int n) { for (int r = 0; r < n; r++) for (int i = 1; i < 512; i++) a[i] += a[i - 1]; }
static void late(int n) { for (int r = 0; r < n; r++) for (int i = 1; i < 512; i++) a[i] *= 1.5; }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int n = atoi(argv[1]);
    for (int k = 0; k < 3; k++) {
        fill(n);
        MPI_Barrier(MPI_COMM_WORLD);
        sum(n);
        MPI_Barrier(MPI_COMM_SELF);
    }
    if (n > 100) late(n);
    MPI_Finalize();
    return 0;
}
";

fn program() -> Arc<Program> {
    static READ: OnceLock<Arc<Program>> = OnceLock::new();
    READ.get_or_init(|| Arc::new(read())).clone()
}

fn read() -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.c");
    std::fs::write(&file, PROGRAM).expect("written");
    let (program, _, diagnostics) = source::program(&SourceOptions { files: vec![file], ..SourceOptions::default() });
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn job(argument: &str) -> Job {
    Job {
        program: program(),
        other_programs: OtherPrograms::default(),
        tasks: 1,
        spawned: 0,
        arguments: vec![argument.to_owned()],
        inputs: Inputs::default(),
        assumptions: Assumptions::default(),
        tasks_per_node: 1,
        correctness: false,
        object_code: crate::object_code::ObjectCodes::default(),
    }
}

fn predicted(argument: &str, calibration: Option<&Calibration>) -> (Job, Outcome) {
    let machine = Machine::load("xeon-emerald-gcc12-O2").expect("shipped");
    let (network, options) = (Network::load("ethernet-1000").expect("shipped"), ModelOptions::default());
    let target = Target {
        machine: &machine,
        platform: None,
        network: &network,
        options: &options,
        calibration,
        timeline: false,
    };
    let job = job(argument);
    let outcome = predict(&job, target);
    (job, outcome)
}

/// Nanoseconds of one call of a function.
fn time(outcome: &Outcome, function: &str) -> f64 {
    let found = outcome.prediction.functions.iter().find(|found| found.name == function).expect("it is called");
    1e9 * found.inclusive_s / found.calls.as_f64().expect("a count")
}

/// A run in which `fill` and `sum` take these times in nanoseconds.
fn record(fill: f64, sum: f64) -> Record {
    let names = [("MPI_Init", 9), ("MPI_Barrier", 13), ("MPI_Barrier", 15), ("MPI_Finalize", 18)];
    let mut text = "chronos-record/1 task 0 of 1\nE 0 none\n".to_owned();
    let mut info = RecordInfo::new(vec!["a.c".to_owned()], vec!["50".to_owned()], 1);
    for (id, (name, line)) in names.into_iter().enumerate() {
        text += &format!("P {id} {name} {line} a\n");
        let source = SourcePlace { function: "main".to_owned(), file: "a.c".to_owned(), line };
        info.places.push(NamedPlace { module: "a".to_owned(), offset: line.into(), source });
    }
    let call = |place: usize, cpu: f64| format!("C {place} {} 0 0 0 0 0 0 e0\n", cpu as u64);
    text += &call(0, 1e6);
    (0..3).for_each(|_| text += &(call(1, fill) + &call(2, sum)));
    text += &(call(3, 100.0) + "END 0 0 0 0 0\n");
    Record { info, tasks: vec![TaskRecord::parse(&text).expect("a first line")] }
}

/// Calibrated by a run in which `fill` and `sum` take so many times what is predicted.
fn calibrated(fill: f64, sum: f64) -> Result<(Calibration, Vec<Diagnostic>), Box<Diagnostic>> {
    let (job, outcome) = predicted("50", None);
    let record = record(fill * time(&outcome, "fill"), sum * time(&outcome, "sum"));
    let machine = Machine::load("xeon-emerald-gcc12-O2").expect("shipped");
    let (network, options) = (Network::load("ethernet-1000").expect("shipped"), ModelOptions::default());
    let target = Target {
        machine: &machine,
        platform: None,
        network: &network,
        options: &options,
        calibration: None,
        timeline: false,
    };
    let evaluated = outcome.activity.as_ref().expect("it is complete");
    calibrate(PredictedRun { job: &job, target, evaluated }, &outcome.prediction.loops, &record)
}

#[test]
fn times_of_functions_are_multiplied_by_what_a_short_run_took() {
    let (calibration, notes) = calibrated(2.0, 0.5).expect("it can be compared");
    assert!(notes.is_empty(), "{notes:?}");
    let (_, plain) = predicted("80", None);
    let (job, outcome) = predicted("80", Some(&calibration));
    for (function, factor) in [("fill", 2.0), ("sum", 0.5)] {
        let found = time(&outcome, function) / time(&plain, function);
        assert!((found / factor - 1.0).abs() < 0.05, "{function}: {found}");
    }
    assert!(calibration.notes(&job.program, &outcome.prediction).is_empty());
    let [least, most] = outcome.prediction.interval_s.expect("it has an interval");
    let total = outcome.prediction.total_s.expect("complete");
    assert!(least < total && total < most && most < 1.3 * total, "{least} {total} {most}");
}

#[test]
fn what_the_short_run_did_not_execute_keeps_its_time_and_is_told() {
    let (calibration, _) = calibrated(3.0, 3.0).expect("it can be compared");
    let (_, plain) = predicted("200", None);
    let (job, outcome) = predicted("200", Some(&calibration));
    assert_eq!(time(&outcome, "late"), time(&plain, "late"));
    let notes = calibration.notes(&job.program, &outcome.prediction);
    assert_eq!(notes.iter().map(|note| note.code.id).collect::<Vec<_>>(), ["C1708"]);
    assert!(notes[0].message.contains("`late`"), "{}", notes[0].message);
}

#[test]
fn stretches_as_short_as_readings_of_the_clock_calibrate_nothing() {
    let error = calibrated(1e-3, 1e-3).expect_err("nothing is left");
    assert_eq!(error.code.id, "C1707");
}

#[test]
fn a_part_is_an_outermost_loop_without_mpi() {
    let job = job("1");
    let parts: Vec<(String, u32)> =
        Parts::new(&job.program).names.into_iter().map(|part| (part.function, part.line)).collect();
    let expected = [("fill", 0), ("fill", 4), ("sum", 0), ("sum", 5), ("late", 0), ("late", 6), ("main", 0)];
    for (function, line) in expected {
        let is_there = parts.contains(&(function.to_owned(), line));
        // A function that is nothing but a loop may have no block outside of it.
        assert!(is_there || line == 0, "{function}:{line} {parts:?}");
    }
    assert!(!parts.iter().any(|(function, line)| function == "main" && *line > 0), "{parts:?}");
}

/// Ratios of rows: measured time, and predicted times by part.
fn check(rows: &[(f64, &[(usize, f64)])], parts: usize) -> Vec<String> {
    let rows: Vec<Row> =
        rows.iter().map(|&(measured, predicted)| Row { measured, predicted: predicted.to_vec() }).collect();
    let show = |ratio: Option<Ratio>| {
        ratio.map_or("none".to_owned(), |found| format!("{:.2} ± {:.2}", found.ratio, found.spread))
    };
    fit(&rows, parts).1.into_iter().map(show).collect()
}

#[test]
fn stretches_of_several_parts_tell_them_apart() {
    // 2 a + 3 b, a + 4 b and a alone, where a takes twice and b half of what is predicted; nothing has the third part.
    let rows: [(f64, &[(usize, f64)]); 3] =
        [(5500.0, &[(0, 2000.0), (1, 3000.0)]), (4000.0, &[(0, 1000.0), (1, 4000.0)]), (2000.0, &[(0, 1000.0)])];
    assert_eq!(check(&rows, 3), ["1.99 ± 0.00", "0.50 ± 0.00", "none"]);
}

#[test]
fn parts_that_always_come_together_have_the_common_ratio() {
    let rows: [(f64, &[(usize, f64)]); 2] =
        [(3000.0, &[(0, 1000.0), (1, 1000.0)]), (6000.0, &[(0, 2000.0), (1, 2000.0)])];
    assert_eq!(check(&rows, 2), ["1.50 ± 0.00", "1.50 ± 0.00"]);
}

#[test]
fn a_part_that_takes_hardly_any_time_is_not_bent_by_errors_of_the_others() {
    let rows: [(f64, &[(usize, f64)]); 2] = [(1100.0, &[(0, 999.0), (1, 1.0)]), (900.0, &[(0, 1000.0)])];
    assert_eq!(check(&rows, 2), ["0.98 ± 0.10", "1.06 ± 0.11"]);
}
