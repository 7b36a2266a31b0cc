use super::build::{Macros, Run, Workshop};
use super::emitted::Emitted;
use super::machine::fit::{Equation, Prior, fit};
use super::machine::{library, pipeline};
use super::output::{Measurements, parse};
use super::{Effort, Options, noise, plan, run};
use chronos_ir::DataModel;
use chronos_machine::Machine;

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
    let error = built.run(&Run::default()).expect_err("it returns 3");
    assert_eq!(error.code.id, "C0603");
}

#[test]
fn every_microbenchmark_compiles_at_every_level() {
    for flags in ["-O0", "-O3 -march=native"] {
        let compiler = words(&format!("cc {flags}"));
        let workshop = Workshop::open(&compiler).expect("a directory");
        let macros = workshop.macros().expect("macros");
        for program in plan::programs(&macros, &[], Effort::Trial) {
            let built = workshop.build(&program.name, program.source, &program.flags);
            built.unwrap_or_else(|error| panic!("{flags}: {}", error.message));
        }
    }
}

/// The whole way from C to a machine file, in a few seconds: what comes out must be sound, whatever the load.
#[test]
fn a_trial_makes_a_sound_machine() {
    let options = Options { compiler: words("cc -O1"), effort: Effort::Trial, ..Options::default() };
    let mut steps = Vec::new();
    let (machine, diagnostics) = run(&options, &mut |step| steps.push(step));
    let machine = machine.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let pipeline = machine.pipeline.as_ref().expect("measured");
    assert!(pipeline.width > 0.0 && pipeline.window >= 1 && pipeline.mispredict_cycles.0 >= 0.0);
    assert!(machine.memory.page_fault_ns.is_some_and(|ns| ns.0 > 0.0));
    assert!(machine.memory.levels.iter().all(|level| level.ns_per_line_read.is_some() && level.ns_latency.is_some()));
    let residuals = machine.residuals.as_ref().expect("fitted");
    assert_eq!(residuals.kernels, residuals.by_kind.values().map(|kind| kind.kernels).sum::<u32>());
    assert!(residuals.by_kind.contains_key("reduction") && !residuals.by_kind.contains_key("other"));
    assert!(machine.samples.iter().all(|sample| !sample.rounds_ns.is_empty()));
    assert!(steps.iter().all(|step| step.done <= step.total));
    assert_eq!(Machine::parse("copy", &machine.to_json()).expect("own text"), machine);
}

fn measured(text: &str) -> Measurements {
    let mut all = Measurements::default();
    for round in text.split('|') {
        all.merge(parse("suite", round).expect("well-formed"));
    }
    all
}

#[test]
fn rounds_are_kept_and_their_lower_quartile_counts() {
    let all =
        measured("# sum\nsum 2.5 3.0 20 load fp_add\n|sum 2.0 3.5 20 load\n|sum 1.0 4 2\n|sum 9 9 1\n|sum 2.0 9 1\n");
    let sum = &all.0["suite.sum"];
    assert_eq!((sum.rounds_ns.clone(), sum.median_ns, sum.repetitions), (vec![2.5, 2.0, 1.0, 9.0, 2.0], 3.0, 44));
    assert_eq!((sum.ns(), sum.least_ns(), &*sum.tokens), (2.0, 1.0, &words("load fp_add")[..]));
    assert!((all.noise() - 0.5).abs() < 1e-12);
}

#[test]
fn results_that_differ_from_round_to_round_are_uncertain() {
    let all = measured("a 1 1 1\nb 1 1 1\n|a 1.001 1 1\nb 1.5 2 1\n|a 7 7 1\nb 2 2 1\n");
    let uncertain: Vec<&str> = all.uncertain(0.01).into_iter().map(|(name, _)| name).collect();
    assert_eq!(uncertain, ["suite.b"]);
    assert!(measured("a 1 1 1\n").uncertain(0.5).len() == 1, "one round says nothing of its error");
}

#[test]
fn noise_is_refused_unless_it_is_allowed() {
    let options = |allow_noise| Options { allow_noise, effort: Effort::Full, ..Options::default() };
    let quiet = measured("a 1 1.01 1\n|a 1 1.01 1\n");
    assert!(noise::check(&quiet, &options(false)).expect("quiet").is_empty());
    let busy = measured("a 1 1.2 1\n|a 1 1.2 1\n");
    assert_eq!(noise::check(&busy, &options(false)).expect("some noise")[0].code.id, "C0605");
    let loud = measured("a 1 1 1\nb 1 1 1\n|a 1.3 1 1\nb 1 1 1\n");
    let error = noise::check(&loud, &options(false)).expect_err("too much");
    assert_eq!(error.code.id, "C0606");
    assert!(error.message.starts_with("1 of 2 results differ by more than 3 %"), "{}", error.message);
    assert!(!noise::check(&loud, &options(true)).expect("allowed").is_empty());
}

#[test]
fn loops_are_predicted_up_to_where_an_entry_costs_a_branch_more() {
    let entries = |surprise: u32| {
        let cost = |n: u32| 2.0 + 3.0 * f64::from(n) + if n > surprise { 20.0 } else { 0.0 };
        [4, 8, 16, 32, 64, 128].map(|n| (n, cost(n))).into_iter().collect()
    };
    assert_eq!(pipeline::predicted_trips(&entries(20), 20.0), 16);
    assert_eq!(pipeline::predicted_trips(&entries(1000), 20.0), 128);
    assert_eq!(pipeline::predicted_trips(&entries(0), 20.0), 0);
    assert_eq!(pipeline::predicted_trips(&std::collections::BTreeMap::new(), 20.0), 0);
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
    text.push_str("compare.qsort 24 24 1 x\ncompare.qsort_two 152 152 1 x\n");
    let table = library::table(&parse("library", &text).expect("well-formed"), 1.0).expect("complete");
    let cost = |name: &str| (table[name].cycles.0, table[name].cycles_per_byte.0);
    assert_eq!(cost("exp"), (8.0, 0.0));
    assert_eq!(cost("memset"), (42.0, 0.5));
    assert_eq!(cost("bzero"), (42.0, 0.5));
    // A comparison of numbers in random order takes 24 cycles, four of them the program's own, and stands for 20 bytes.
    assert_eq!((cost("qsort"), cost("bsearch")), ((140.0, 1.0), (0.0, 1.0)));
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

#[test]
fn what_a_compiler_emits_is_taken_before_what_its_target_has() {
    let macros = Macros::parse("#define __GNUC__ 12\n#define __AVX512F__ 1\n#define __FMA__ 1\n");
    let emitted = Emitted { vector_bits: Some(256), fuses_sums: Some(true) };
    let rules = |level: &str, emitted| super::machine::rules::rules(&[level.to_owned()], &macros, emitted);
    let found = rules("-O3", emitted);
    assert_eq!((found.vector_bits, found.widest_bits, found.fuses_sums), (Some(256), Some(512), Some(true)));
    let found = rules("-O3", Emitted::default());
    assert_eq!((found.vector_bits, found.widest_bits, found.fuses_sums), (Some(512), None, None));
    let found = rules("-O1", emitted);
    assert_eq!((found.vector_bits, found.contract_fma, found.fuses_sums), (None, false, None));
}

#[test]
fn clang_is_known_by_what_it_says_of_itself() {
    let flags = |level: &str| vec![level.to_owned()];
    let rules = |macros: &str, level: &str| {
        super::machine::rules::rules(&flags(level), &Macros::parse(macros), Emitted::default())
    };
    let clang = "#define __clang__ 1\n#define __GNUC__ 4\n#define __SSE2__ 1\n";
    let found = rules(clang, "-O2");
    assert_eq!((&*found.profile, found.vectorise, found.vector_bits), ("clang-O2", true, Some(128)));
    assert_eq!(rules("#define __GNUC__ 12\n", "-O1").profile, "gcc-O1");
}
