use super::fit::{Equation, Prior, fit};
use super::output::{Measurement, Measurements, parse};
use super::{Options, build::Macros, build::Workshop, library, run};
use crate::program::DataModel;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Code and message of the failure of a calibration with a compiler command.
fn failure(compiler: &str) -> String {
    let options = Options { compiler: words(compiler), ..Options::default() };
    let (machine, diagnostics) = run(&options, &mut |_| {});
    assert!(machine.is_none());
    diagnostics.iter().map(|found| format!("{} {}", found.code.id, found.message)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_missing_compiler_is_named() {
    let message = failure("no-such-compiler -O2");
    assert!(message.starts_with("C0601 cannot start the compiler `no-such-compiler`"), "{message}");
    assert_eq!(failure(""), "C0601 no compiler is named");
}

#[test]
fn flags_that_the_compiler_refuses_are_reported_with_its_words() {
    let message = failure("cc -fno-such-flag-at-all");
    assert!(message.starts_with("C0602 `cc -fno-such-flag-at-all` does not compile"), "{message}");
    assert!(message.contains("no-such-flag-at-all"), "{message}");
}

#[test]
fn a_program_that_fails_is_reported() {
    let compiler = words("cc");
    let workshop = Workshop::open(&compiler).expect("a directory");
    let built = workshop.build("failing", "int main(void) { return 3; }", &[]).expect("compiles");
    let error = built.run().expect_err("it returns 3");
    assert_eq!(error.code.id, "C0603");
}

#[test]
fn every_microbenchmark_compiles_at_every_level() {
    for flags in ["-O0", "-O3"] {
        let compiler = words(&format!("cc {flags}"));
        let workshop = Workshop::open(&compiler).expect("a directory");
        for (name, source, extra) in super::PROGRAMS {
            workshop.build(name, source, extra).unwrap_or_else(|error| panic!("{flags}: {}", error.message));
        }
    }
}

#[test]
fn output_is_read_and_passes_merge_to_the_least() {
    let mut all = parse("suite", "sum 2.5 3.0 20 load fp_add\n").expect("well-formed");
    all.merge(parse("suite", "sum 2.0 3.5 20 load fp_add\n").expect("well-formed"));
    let expected = Measurement { min_ns: 2.0, median_ns: 3.0, repetitions: 40, tokens: words("load fp_add") };
    assert_eq!(all.0["suite.sum"], expected);
    assert!((all.noise() - 0.5).abs() < 1e-12);
}

#[test]
fn output_that_is_no_measurement_is_refused() {
    for text in ["sum", "sum 1 x 3", "sum -1 1 1", "sum nan 1 1"] {
        assert_eq!(parse("suite", text).expect_err("refused").code.id, "C0604");
    }
}

#[test]
fn costs_that_explain_exactly_are_found() {
    let equation = |a: f64, b: f64| Equation { occurrences: vec![a, b], time: 3.0 * a + 5.0 * b };
    let equations = [equation(1.0, 0.0), equation(1.0, 1.0), equation(2.0, 1.0), equation(0.0, 4.0)];
    let costs = fit(&equations, &[Prior { cost: 1.0, scale: 50.0, least: 0.0 }; 2]);
    assert!((costs[0] - 3.0).abs() < 0.05 && (costs[1] - 5.0).abs() < 0.05, "{costs:?}");
}

#[test]
fn costs_keep_to_their_least_and_unseen_classes_to_their_prior() {
    let equation = |a: f64, b: f64, time| Equation { occurrences: vec![a, b, 0.0], time };
    let costs =
        fit(&[equation(1.0, 0.0, 4.0), equation(1.0, 1.0, 2.0)], &[Prior { cost: 1.0, scale: 1.0, least: 0.0 }; 3]);
    assert!(costs.iter().all(|cost| *cost >= 0.0), "{costs:?}");
    assert!((costs[2] - 1.0).abs() < 1e-9, "{costs:?}");
}

#[test]
fn library_costs_are_split_into_calls_and_bytes() {
    let mut text = "call.baseline 1 1 1 x\ncall.exp 9 9 1 x\ncall.malloc_free 20 20 1 x\ncall.free_twice 50 50 1 x\n\
                    round.fopen 800 800 1 x\nround.atoi 30 30 1 x\n"
        .to_owned();
    text.push_str("short.memset 74 74 1 x\nlong.memset 2090 2090 1 x\n");
    let table = library::table(&parse("library", &text).expect("well-formed"), 1.0).expect("complete");
    let cost = |name: &str| (table[name].cycles.0, table[name].cycles_per_byte.0);
    assert_eq!(cost("exp"), (8.0, 0.0));
    assert_eq!(cost("memset"), (42.0, 0.5));
    assert_eq!(cost("bzero"), (42.0, 0.5));
    assert_eq!((cost("malloc"), cost("realloc"), cost("fclose")), ((10.0, 0.0), (30.0, 0.0), (400.0, 0.0)));
    assert!(!table.contains_key("baseline"));
}

#[test]
fn a_missing_timing_is_named() {
    let error = library::table(&Measurements::default(), 1.0).expect_err("nothing there");
    assert!(error.message.contains("library.call.baseline"), "{}", error.message);
}

#[test]
fn the_target_is_known_from_macros() {
    let macros = Macros::parse("#define __SIZEOF_POINTER__ 4\n#define __AVX__ 1\n#define EMPTY\n");
    assert_eq!((macros.data_model(), macros.vector_bits(), macros.has_fma()), (DataModel::Ilp32, Some(256), false));
}
