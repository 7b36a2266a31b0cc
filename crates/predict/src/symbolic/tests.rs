//! Expressions against the numeric prediction: both price the same counts.

use super::report::SymbolicReport;
use super::*;
use crate::{ModelOptions, OtherPrograms, predict};
use chronos_frontend::{self as source, SourceOptions};
use chronos_interpreter::Inputs;
use chronos_ir::{BlockId, CLibrary, Callee, Program};
use chronos_machine::Machine;
use chronos_machine::network::Network;
use chronos_slicing::Assumptions;
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn program(file: &str, settings: &[(&str, i64)], symbolic: &[&str]) -> Arc<Program> {
    let options = SourceOptions {
        files: vec![Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("testdata").join(file)],
        settings: settings.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect(),
        symbolic: symbolic.iter().map(|&name| name.to_owned()).collect(),
        // Random numbers that are known are those of one number of draws, which expressions leave open.
        c_library: CLibrary::Other,
        ..SourceOptions::default()
    };
    let (program, _, diagnostics) = source::program(&options);
    Arc::new(program.unwrap_or_else(|| panic!("{diagnostics:?}")))
}

fn job(program: Arc<Program>, tasks: usize, arguments: &[i64]) -> Job {
    let arguments = arguments.iter().map(ToString::to_string).collect();
    let (inputs, assumptions) = (Inputs::default(), Assumptions::default());
    Job {
        program,
        other_programs: OtherPrograms::default(),
        tasks,
        spawned: 0,
        arguments,
        inputs,
        assumptions,
        tasks_per_node: 1,
        correctness: false,
        object_code: crate::object_code::ObjectCodes::default(),
    }
}

fn machine() -> Machine {
    Machine::load("pentium2-350").expect("shipped")
}

/// Seconds of blocks, summed over tasks, by number.
type Times = BTreeMap<u32, f64>;

/// Blocks whose time both sides know: no MPI, and no library calls whose bytes are not followed symbolically.
fn is_compared(program: &Program, block: BlockId) -> bool {
    match program.call(block).map(|call| &call.callee) {
        Some(Callee::Library(name)) => !["printf", "fprintf", "calloc"].contains(&&**name),
        Some(Callee::Mpi(_)) => false,
        _ => true,
    }
}

fn numeric(job: &Job) -> Times {
    let (machine, network) = (machine(), Network::load("ethernet-100").expect("shipped"));
    let target = Target {
        machine: &machine,
        platform: None,
        network: &network,
        options: &ModelOptions { cost_model: Some(chronos_cost::ModelName::InstructionSum), ..ModelOptions::default() },
        calibration: None,
        timeline: false,
    };
    let blocks = predict(job, target).prediction.blocks;
    let compared = blocks.iter().filter(|block| is_compared(&job.program, BlockId(block.id)));
    compared.map(|block| (block.id, block.time_s)).collect()
}

/// The same from expressions, at several values of the parameters.
fn symbolic(job: &Job, values: &[Vec<i64>]) -> Vec<Times> {
    let (counts, _) = symbolic::count(&job.program, &job.options());
    let model = InstructionSum::new(&job.program, &machine());
    let prices = Prices::new(&model);
    let report = SymbolicReport::new(job, &counts, &prices);
    let at = |values: &Vec<i64>| {
        let value = |id: chronos_ir::ParameterId| BigInt::from(values[id.0 as usize]);
        let atoms = counts.atoms.values(&value).expect("few terms");
        let mut seconds = Times::new();
        for (tasks, block, time) in report.block_times() {
            assert!(time.certainty.complete, "the count of {block} is unknown");
            *seconds.entry(block.0).or_default() += time.nanoseconds(&atoms) / 1e9 * tasks as f64;
        }
        seconds
    };
    values.iter().map(at).collect()
}

fn agree(label: &str, numeric: &Times, symbolic: &Times) {
    for (block, n) in numeric {
        let s = symbolic.get(block).copied().unwrap_or(0.0);
        assert!((n - s).abs() <= 1e-9 * n.abs(), "{label}, b{block}: {n} s numerically, {s} s symbolically");
    }
}

/// Compares expressions of a macro with predictions where it is set.
fn check_macro(file: &str, name: &str, tasks: usize, values: &[i64]) {
    let points: Vec<Vec<i64>> = values.iter().map(|&value| vec![value]).collect();
    let expressions = symbolic(&job(program(file, &[], &[name]), tasks, &[]), &points);
    for (value, expected) in values.iter().zip(expressions) {
        let numbers = numeric(&job(program(file, &[(name, *value)], &[]), tasks, &[]));
        agree(&format!("{file} {name}={value}"), &numbers, &expected);
    }
}

/// Compares expressions of all arguments with predictions where they are given.
fn check_arguments(file: &str, tasks: usize, values: &[Vec<i64>]) {
    let names: Vec<String> = (1..=values[0].len()).map(|k| format!("argv{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let expressions = symbolic(&job(program(file, &[], &names), tasks, &values[0]), values);
    for (arguments, expected) in values.iter().zip(expressions) {
        let numbers = numeric(&job(program(file, &[], &[]), tasks, arguments));
        agree(&format!("{file} -n {tasks} -- {arguments:?}"), &numbers, &expected);
    }
}

#[test]
fn expressions_of_macros_are_what_setting_them_predicts() {
    check_macro("sequential/lu.c", "N", 1, &[1, 2, 3, 17, 40, 100]);
    // `% N` is cheaper for powers of two, which an expression does not know.
    check_macro("sequential/matrix.c", "N", 1, &[3, 5, 24, 31]);
}

#[test]
fn expressions_of_arguments_are_what_giving_them_predicts() {
    check_arguments("programs/nbody.c", 4, &[vec![64, 5], vec![4, 1], vec![33, 2]]);
    check_arguments("programs/pi_send.c", 3, &[vec![50, 10], vec![1000, 1]]);
    check_arguments("programs/ring.c", 4, &[vec![10, 3], vec![1, 1]]);
    check_arguments("programs/jacobi.c", 4, &[vec![64, 40], vec![30, 7]]);
}

#[test]
fn interpreted_free_names_have_their_own_values() {
    for (file, name, tasks) in [
        ("sequential/lu.c", "N", 1),
        ("sequential/matrix.c", "N", 1),
        ("sequential/sieve.c", "LIMIT", 1),
        ("sequential/lists.c", "BUCKETS", 1),
        ("sequential/queens.c", "SIZE", 1),
        ("programs/intsort.c", "RANGE", 3),
        ("programs/jacobi.c", "CHECK", 2),
    ] {
        let (set, free) = (program(file, &[], &[]), program(file, &[], &[name]));
        let arguments = [32, 8];
        agree(file, &numeric(&job(set, tasks, &arguments)), &numeric(&job(free, tasks, &arguments)));
    }
}

/// Segments add up to the computing time of their task; where all executions are alike, so do these.
fn check_segments(file: &str, tasks: usize, arguments: &[i64]) {
    let names: Vec<String> = (1..=arguments.len()).map(|k| format!("argv{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let job = job(program(file, &[], &names), tasks, arguments);
    let (counts, _) = symbolic::count(&job.program, &job.options());
    let model = InstructionSum::new(&job.program, &machine());
    let report = SymbolicReport::new(&job, &counts, &Prices::new(&model)).report();
    let seconds = |time: &chronos_report::symbolic::TimeExpression| time.at_defaults_s.expect("arguments are given");
    for task in &report.tasks {
        for rank in &task.tasks {
            let own = report.segments.iter().filter(|segment| segment.tasks.contains(rank));
            let sum: f64 = own.map(|segment| seconds(&segment.time)).sum();
            let all = seconds(&task.compute);
            assert!((sum - all).abs() <= 1e-9 * all, "{file}, task {rank}: {sum} s in segments, {all} s in all");
        }
    }
    for segment in &report.segments {
        let entries = segment.entries.as_ref().and_then(|entries| entries.at_defaults);
        if let (Some(each), Some(entries)) = (&segment.each, entries) {
            let (all, own) = (seconds(&segment.time), seconds(each) * entries);
            assert!((own - all).abs() <= 1e-9 * all, "{file}: {own} s by execution, {all} s in all");
        }
    }
}

#[test]
fn segments_add_up_to_tasks() {
    check_segments("programs/nbody.c", 4, &[64, 5]);
    check_segments("programs/pi_send.c", 3, &[50, 10]);
    check_segments("programs/ring.c", 4, &[10, 3]);
    check_segments("programs/jacobi.c", 4, &[64, 40]);
}

/// Numbers of another model, and expressions with the prices that it has at the defaults.
fn check_prices(file: &str, tasks: usize, arguments: &[i64], names: &[&str], elsewhere: &[i64]) {
    let (machine, network) =
        (Machine::load("epyc-zen5-gcc12-O2").expect("shipped"), Network::load("ethernet-100").expect("shipped"));
    let options = &ModelOptions { cost_model: Some(chronos_cost::ModelName::Source), ..ModelOptions::default() };
    let target =
        Target { machine: &machine, platform: None, network: &network, options, calibration: None, timeline: false };
    let numbers = predict(&job(program(file, &[], &[]), tasks, arguments), target).prediction;
    let computed: f64 = numbers.tasks.iter().map(|task| task.compute_s).sum::<f64>() / tasks as f64;
    let numbers = Numbers { at_defaults: numbers, elsewhere: vec![(elsewhere.to_vec(), 1.0)] };
    let made = predict_symbolic(&job(program(file, &[], names), tasks, arguments), target, Some(&numbers)).prediction;
    let symbolic = made.symbolic.expect("expressions");
    let mean = |groups: &[chronos_report::symbolic::TaskTimes]| {
        let of =
            |group: &chronos_report::symbolic::TaskTimes| Some(group.compute.at_defaults_s? * group.tasks.len() as f64);
        groups.iter().filter_map(of).sum::<f64>() / tasks as f64
    };
    let expressed = mean(&symbolic.tasks);
    // The bytes of printf, and what a call of MPI computes itself, are no part of expressions.
    assert!((expressed / computed - 1.0).abs() < 0.01, "{file}: {expressed} s by expressions, {computed} s by numbers");
    assert_eq!(made.cost_model, "source");
    let [checked] = &symbolic.checked[..] else { panic!("{:?}", symbolic.checked) };
    assert_eq!((checked.values.as_slice(), checked.numbers_s), (elsewhere, 1.0));
    assert!(checked.expression_s > expressed);
}

#[test]
fn blocks_have_the_prices_of_numbers_at_the_defaults() {
    check_prices("sequential/lu.c", 1, &[], &["N"], &[80]);
    check_prices("programs/nbody.c", 4, &[200, 4], &["argv1"], &[400]);
}

/// The formula of a program's total, found on a machine by replays with the numbers of tasks.
fn formula(
    file: &str,
    defaults: &[i64],
    tasks: &[usize],
) -> Result<chronos_report::symbolic::TotalFormula, total::NoFormula> {
    let (machine, network) = (machine(), Network::load("ethernet-100").expect("shipped"));
    let options = &ModelOptions::default();
    let target =
        Target { machine: &machine, platform: None, network: &network, options, calibration: None, timeline: false };
    let predicted = |values: &[i64], tasks: usize| {
        let prediction = predict(&job(program(file, &[], &[]), tasks, values), target).prediction;
        prediction.total_s.is_some().then_some(prediction)
    };
    total::total(&total::Question {
        names: (1..=defaults.len()).map(|k| format!("argv{k}")).collect(),
        defaults: defaults.to_vec(),
        tasks: tasks.to_vec(),
        calls: 100.0,
        predicted: &predicted,
    })
}

#[test]
fn the_total_of_a_ring_is_what_its_messages_take() {
    let found = formula("programs/ring.c", &[100, 64], &[2, 4, 8, 16]).expect("a formula");
    let ranges: Vec<_> = found.ranges.iter().map(|range| (&*range.name, range.least, range.greatest)).collect();
    assert_eq!(ranges, [("argv1", 13, 200), ("argv2", 8, 128), ("P", 2, 16)]);
    assert!(found.checked.len() >= 9, "{}", found.checked.len());
    for checked in found.checked.iter().chain(&found.at_defaults) {
        assert!(checked.error().abs() < 0.05, "{checked:?} {}", found.total.text);
    }
    // Each round is a message from task to task, each with its latency and its bytes.
    assert!(found.total.text.contains("argv1*P") && found.total.text.contains("argv1*argv2*P"), "{}", found.total.text);
}

#[test]
fn of_one_number_of_tasks_the_total_is_a_formula_of_the_size() {
    let found = formula("programs/jacobi.c", &[128, 20], &[4]).expect("a formula");
    assert_eq!(found.ranges.iter().map(|range| &*range.name).collect::<Vec<_>>(), ["argv1", "argv2"]);
    assert_eq!(found.tasks_count, Some(4));
    assert!(found.computing.text.contains("argv1^2*argv2"), "{}", found.computing.text);
}

#[test]
fn there_is_no_formula_without_replays_and_of_many_parameters() {
    assert_eq!(formula("programs/ring.c", &[10, 10, 10], &[2]), Err(total::NoFormula::TooManyParameters));
    let question = |calls: f64| total::Question {
        names: vec!["N".to_owned()],
        defaults: vec![100],
        tasks: vec![2],
        calls,
        predicted: &|_, _| None,
    };
    assert_eq!(total::total(&question(1.0)), Err(total::NoFormula::TooFewReplays));
    assert_eq!(total::total(&question(1e6)), Err(total::NoFormula::TooManyCalls(1e6)));
}
