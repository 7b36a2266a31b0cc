use super::*;
use crate::model::{Platform, ProgramInfo};

fn comparison(predicted_s: f64, measured_s: f64) -> Comparison {
    Comparison {
        predicted_s,
        interval_s: Some([0.8 * predicted_s, 1.2 * predicted_s]),
        measured_s,
        measured_median_s: measured_s,
        error: Some(predicted_s / measured_s - 1.0),
    }
}

fn report() -> ValidationReport {
    let function = |name: &str, calls_measured, time| FunctionComparison {
        name: name.to_owned(),
        file: "a.c".to_owned(),
        line: 3,
        calls_predicted: Some(4.0),
        calls_measured,
        time,
    };
    let functions = vec![
        function("main", 4.0, comparison(2.0, 1.9)),
        function("solve", 3.0, comparison(1.0, 1.5)),
        function("setup", 4.0, comparison(0.5e-3, 0.5e-3)),
    ];
    let untimed =
        Untimed { name: "tiny".to_owned(), file: "a.c".to_owned(), line: 1, why: "a call takes 2 ns".to_owned() };
    ValidationReport {
        schema: ValidationReport::SCHEMA,
        program: ProgramInfo { executable: None, files: vec!["a.c".to_owned()], arguments: vec![], defines: vec![] },
        platform: Platform { machine: "here".to_owned(), network: "none".to_owned() },
        cost_model: "source".to_owned(),
        tasks_count: 1,
        measurement: Measurement {
            compiler: "gcc -O2".to_owned(),
            runs: 5,
            least_call_s: 1e-6,
            overhead_s: 40e-9,
            load: Some(0.5),
            cores: 2,
            clock: Some(Clock {
                machine_ns_per_cycle: 0.24,
                before_ns_per_cycle: 0.26,
                after_ns_per_cycle: 0.25,
                factor: 0.25 / 0.24,
            }),
        },
        total: comparison(2.0, 1.9),
        summary: Summary::of(&functions.iter().map(|f| &f.time).collect::<Vec<_>>()),
        functions,
        untimed: vec![untimed],
        diagnostics: vec![],
    }
}

#[test]
fn the_table_shows_times_errors_and_other_counts() {
    insta::assert_snapshot!(table(&report(), 9, None), @r"
    a.c: predicted for here (source), measured here with `gcc -O2`, best of 5 runs, load 0.5 on 2 cores
    Predicted 2.000 s (1.600 s to 2.400 s), measured 1.900 s (median 1.900 s): error +5.3 %
    Clock here 0.2600 ns per cycle before and 0.2500 after, 0.2400 in the machine file: predicted times are multiplied by 1.042

    Functions, callees included
    Function                Calls  Predicted                90 % interval  Measured    Error
    main                        4    2.000 s           1.600 s to 2.400 s   1.900 s   +5.3 %
    solve     4 predicted, 3 made    1.000 s  800.0 ms to 1.200 s outside   1.500 s  -33.3 %
    setup                       4   500.0 us         400.0 us to 600.0 us  500.0 us   +0.0 %

    Not timed by themselves
    Function  Where  Why
    tiny      a.c:1  a call takes 2 ns

    Error of 3 functions: median 5.3 %, 90th percentile 27.7 %, greatest 33.3 %; Kendall's tau 1.00, 67 % inside their intervals
    ");
}

#[test]
fn csv_has_a_row_per_function() {
    insta::assert_snapshot!(csv(&report()).expect("memory"), @r"
    kind,name,file,line,calls_predicted,calls_measured,predicted_s,low_s,high_s,measured_s,measured_median_s,error
    total,,,,,,2,1.6,2.4,1.9,1.9,0.05263157894736836
    function,main,a.c,3,4,4,2,1.6,2.4,1.9,1.9,0.05263157894736836
    function,solve,a.c,3,4,3,1,0.8,1.2,1.5,1.5,-0.33333333333333337
    function,setup,a.c,3,4,4,0.0005,0.0004,0.0006,0.0005,0.0005,0
    ");
}

#[test]
fn quantiles_lie_between_neighbours() {
    assert_eq!(quantile(&[], 0.5), None);
    assert_eq!(quantile(&[3.0], 0.9), Some(3.0));
    assert_eq!([0.0, 0.5, 0.75, 1.0].map(|share| quantile(&[1.0, 2.0, 4.0], share)), [1.0, 2.0, 3.0, 4.0].map(Some));
}

#[test]
fn tau_counts_pairs_in_the_same_order() {
    let of = |measured: &[f64]| tau(&measured.iter().enumerate().map(|(i, &m)| (i as f64, m)).collect::<Vec<_>>());
    assert_eq!(of(&[1.0, 2.0, 3.0]), Some(1.0));
    assert_eq!(of(&[3.0, 2.0, 1.0]), Some(-1.0));
    // Two of three pairs agree, one does not.
    assert_eq!(of(&[1.0, 3.0, 2.0]), Some(1.0 / 3.0));
    assert_eq!(of(&[1.0, 1.0]), None);
    assert_eq!(of(&[]), None);
}

#[test]
fn the_schema_is_committed() {
    let path =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("schemas/chronos-validation-1.json");
    let schema = schemars::schema_for!(ValidationReport);
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("schema is JSON"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("schemas/ is writable");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMAS=1");
}

/// Only words that are longer than the width stand out.
#[test]
fn a_narrow_terminal_gets_no_long_lines() {
    let text = table(&report(), 9, Some(40));
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 40 && line.trim().contains(' ')).collect();
    assert_eq!(long, Vec::<&str>::new(), "{text}");
}
