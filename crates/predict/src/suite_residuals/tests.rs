use super::{residuals, with_residuals};
use chronos_base::units::Nanoseconds;
use chronos_machine::{Machine, Sample};

fn sample(name: &str, ns: f64, units: f64) -> Sample {
    Sample {
        name: format!("suite.{name}"),
        min_ns: Nanoseconds(ns),
        median_ns: Nanoseconds(ns),
        repetitions: 1,
        units: Some(units),
        kind: Some("stream".to_owned()),
        rounds_ns: vec![Nanoseconds(ns)],
    }
}

/// A machine of which the suite's kernels `names` were measured at a nanosecond per element.
fn machine(names: &[&str]) -> Machine {
    let mut machine = Machine::load("pentium2-350").expect("embedded");
    machine.compiler.command = "cc".to_owned();
    machine.data_model = chronos_ir::DataModel::Lp64;
    machine.samples = names.iter().map(|name| sample(name, 1.0, 512.0)).collect();
    machine
}

#[test]
fn every_kernel_of_the_suite_is_predicted() {
    let of = |text: &'static str| text.lines().filter_map(|line| line.trim().strip_prefix("RUN(")?.split(',').next());
    let mut machine = machine(&of(chronos_calibrate::SUITE[0].1).collect::<Vec<_>>());
    for (program, text) in &chronos_calibrate::SUITE[1..] {
        machine
            .samples
            .extend(of(text).map(|name| Sample { name: format!("{program}.{name}"), ..sample(name, 1.0, 1.0) }));
    }
    let names: Vec<&str> = chronos_calibrate::SUITE.iter().flat_map(|(_, text)| of(text)).collect();
    let found = residuals(&machine).expect("predicted");
    assert!(names.len() > 100);
    let missing: Vec<&&str> = names.iter().filter(|name| !found.by_kernel.contains_key(**name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(found.kernels as usize, names.len());
}

#[test]
fn a_residual_is_predicted_over_measured_less_one() {
    let slow = residuals(&machine(&["fp_add_map"])).expect("predicted");
    let mut halved = machine(&["fp_add_map"]);
    halved.samples[0].rounds_ns[0].0 = 0.5;
    let fast = residuals(&halved).expect("predicted");
    let ratio = |found: &chronos_machine::Residuals| found.by_kernel["fp_add_map"] + 1.0;
    assert!((ratio(&fast) / ratio(&slow) - 2.0).abs() < 1e-3, "{} {}", ratio(&fast), ratio(&slow));
    assert!((slow.by_kind["stream"].median_ratio - ratio(&slow)).abs() < 1e-9);
}

#[test]
fn samples_of_other_programs_and_without_units_are_left_out() {
    let mut machine = machine(&["fp_add_map", "fp_sum"]);
    machine.samples[0].name = "chains.fp_add_map".to_owned();
    machine.samples[1].units = None;
    assert_eq!(residuals(&machine).expect("nothing to predict").kernels, 0);
}

#[test]
fn of_two_models_of_unoptimised_code_the_better_one_is_kept() {
    let mut machine = machine(&["fp_add_map", "int_add_map", "float_mul_map"]);
    machine.rules.profile = "gcc-O0".to_owned();
    let added_up = residuals(&machine).expect("predicted").median_relative;
    machine.rules.counts_instructions = true;
    let counted = residuals(&machine).expect("predicted").median_relative;
    assert!((added_up - counted).abs() > f64::EPSILON, "{added_up}");
    let kept = with_residuals(machine).expect("predicted");
    assert_eq!(kept.rules.counts_instructions, counted < added_up);
    assert_eq!(kept.residuals_source.expect("of the suite").median_relative, counted.min(added_up));
}
