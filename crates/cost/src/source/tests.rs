//! Snippets of C on a made-up machine: every class takes one cycle of throughput, so that the cycles by class are
//! the operations that an optimiser leaves; chains are added up by hand.

use super::dataflow::graph::{Access, access_stride};
use super::loops::idiom::Idiom;
use super::vectorize::legality::{Legality, VectorizationBlocker};
use super::*;
use chronos_activity::{ContextId, Count, Mispredicted};
use chronos_base::span::{FileId, Span};
use chronos_base::units::Cycles;
use chronos_frontend::lower::{LowerInput, Settings, lower};
use chronos_ir::{BlockKind, CounterId, DataModel, InstructionClass as C, Program};
use chronos_machine::{Machine, Pipeline};
use std::fmt::Write;

mod accumulators;
mod addressing;
mod clang;
mod columns;
mod first_touch;
mod hardware;
mod indices;
mod instructions;
mod interleaved_vectors;
mod kept_arguments;
mod library;
mod mispredictions;
mod reuse;
mod unknown_rows;

pub fn program(text: &str) -> Program {
    let parsed = lang_c::driver::parse_preprocessed(&lang_c::driver::Config::with_gcc(), text.to_owned());
    let unit = parsed.unwrap_or_else(|error| panic!("{error}")).unit;
    let here = Span { file: FileId(0), line_start: 1, column_start: 1, line_end: 1, column_end: 1 };
    let span = |_: lang_c::span::Span| here;
    let input = LowerInput { ast: &unit, span: &span, file: FileId(0), is_system: &|_| false };
    let (program, diagnostics) = lower(&[input], DataModel::default(), &Settings::default());
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{diagnostics:?}");
    program
}

/// One nanosecond per cycle; vectors of 128 bits; memory costs nothing.
pub fn machine(profile: &str) -> Machine {
    let mut machine = Machine::load("epyc-zen5-gcc12-O2").expect("shipped");
    let latencies = [(C::FpAdd, 3.0), (C::FpMul, 5.0), (C::FpDiv, 20.0), (C::IntMul, 3.0), (C::Load, 4.0)];
    for (class, cost) in &mut machine.classes {
        let latency = latencies.iter().find(|(known, _)| known == class).map_or(1.0, |&(_, latency)| latency);
        (cost.latency_cycles, cost.throughput_cycles) = (Cycles(latency), Cycles(1.0));
    }
    machine.ns_per_cycle.0 = 1.0;
    profile.clone_into(&mut machine.rules.profile);
    machine.rules.vectorise = profile != "gcc-O1" && profile != "gcc-O0";
    machine.rules.locals_in_registers = profile != "gcc-O0";
    machine.rules.vector_bits = Some(128);
    machine.rules.folds_loads = false;
    machine.memory = chronos_machine::Memory::default();
    machine.classes.values_mut().for_each(|cost| cost.vector.clear());
    machine.pipeline = Some(Pipeline {
        width: 4.0,
        window: 100,
        forward_fp_cycles: Cycles(7.0),
        forward_int_cycles: Cycles(2.0),
        mispredict_cycles: Cycles(10.0),
        predicted_trips: 1000,
        ..Pipeline::default()
    });
    machine
}

/// One line per loop: chain, operations of an iteration, operations per entry, vectors.
fn loops(profile: &str, text: &str) -> String {
    check(&machine(profile), text)
}

fn check(machine: &Machine, text: &str) -> String {
    let program = program(text);
    let model = Source::new(&program, machine);
    let mut out = String::new();
    for scope in model.scopes.iter().filter(|scope| scope.header.is_some()) {
        let mut body = std::collections::BTreeMap::new();
        for (_, _, share) in &scope.blocks {
            share.classes.iter().for_each(|(class, cycles)| *body.entry(*class).or_insert(0.0) += cycles);
        }
        let list = |classes: &std::collections::BTreeMap<C, f64>| {
            let words: Vec<_> = classes.iter().map(|(class, number)| format!("{number} {}", class.name())).collect();
            if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
        };
        let vector = match scope.legality {
            Legality::No(_) => "scalar".to_owned(),
            Legality::Checked => format!("{} lanes if apart", scope.lanes),
            Legality::Yes => format!("{} lanes", scope.lanes),
        };
        let once = list(&scope.hoisted.classes);
        writeln!(out, "chain {}; each: {}; once: {once}; {vector}", scope.recurrence.cycles, list(&body))
            .expect("string");
    }
    out
}

/// All counters of a program, by block.
fn counters(text: &str, of: impl Fn(&Program, BlockId) -> Vec<u64>) -> Vec<(u32, u64)> {
    let program = program(text);
    let blocks = program.blocks.iter().flat_map(|(id, block)| {
        of(&program, id).into_iter().enumerate().map(move |(at, n)| (block.first_counter.0 + at as u32, n))
    });
    blocks.collect()
}

#[test]
fn a_sum_in_a_local_waits_for_the_addition() {
    let text = "double f(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    // The comparison and the step of i, no index arithmetic.
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 3; each: 2 int_add, 1 fp_add, 1 load; once: nothing; scalar");
}

#[test]
fn a_product_in_the_chain_adds_its_latency() {
    let text = "double f(double *x, int n) { double s = 1; for (int i = 0; i < n; i++) s = s * 0.5 + x[i]; return s; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 8; each: 2 int_add, 1 fp_add, 1 fp_mul, 1 load; once: nothing; scalar");
}

#[test]
fn contraction_makes_one_operation_of_product_and_sum() {
    let text = "double f(double *x, double *y, int n) {
        double s = 1; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }";
    let mut machine = machine("gcc-O2");
    machine.rules.contract_fma = true;
    // gcc for these processors keeps an accumulation apart: only the addition is in the chain.
    insta::assert_snapshot!(check(&machine, text), @"chain 3; each: 2 int_add, 1 fp_add, 1 fp_mul, 2 load; once: nothing; scalar");
    let text = "double a[99], b[99]; void f(double x, int n) { for (int i = 0; i < n; i++) b[i] = a[i] * x + 1; }";
    // One fused operation, which costs as a product.
    insta::assert_snapshot!(check(&machine, text), @"chain 1; each: 2 int_add, 1 fp_mul, 1 load, 1 store; once: nothing; 2 lanes");
}

#[test]
fn equal_expressions_and_dead_ones_are_computed_once_and_never() {
    let text = "double a[100], b[100]; void f(int n) { for (int i = 0; i < n; i++) {
        double unused = a[i] * 3.0; b[i] = (a[i] + 1.0) * (a[i] + 1.0); } }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 1; each: 2 int_add, 1 fp_add, 1 fp_mul, 1 load, 1 store; once: nothing; 2 lanes");
}

#[test]
fn invariants_are_computed_once_per_entry() {
    let text = "double a[100], b[100]; void f(int n, double x) {
        for (int i = 0; i < n; i++) b[i] = a[i] * (x * x + a[3]); }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 1; each: 2 int_add, 1 fp_mul, 1 load, 1 store; once: 1 fp_add, 1 fp_mul, 1 load; 2 lanes");
}

#[test]
fn a_rotation_of_scalars_shares_its_latency() {
    let text = "double f(double a, double b, int n) {
        for (int i = 0; i < n; i++) { double t = a; a = b + 1.0; b = t; } return a + b; }";
    // Once around takes two iterations and one addition.
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 1.5; each: 2 int_add, 1 fp_add; once: nothing; scalar");
}

#[test]
fn arrays_that_may_overlap_are_checked_and_sums_of_integers_split() {
    let text = "void f(double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = 2.0 * x[i]; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 1; each: 2 int_add, 1 fp_mul, 1 load, 1 store; once: nothing; 2 lanes if apart");
    let text = "int f(int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 1; each: 3 int_add, 1 load; once: nothing; 4 lanes");
    // A product in the recurrence is no sum; no vector divides integers.
    let text = "int f(int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 31 + x[i]; return s; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 4; each: 3 int_add, 1 int_mul, 1 load; once: nothing; scalar");
    let text = "int x[9], y[9], z[9]; void f(int n) { for (int i = 0; i < n; i++) z[i] = x[i] / y[i]; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 1; each: 2 int_add, 1 int_div, 2 load, 1 store; once: nothing; scalar");
}

#[test]
fn choices_of_integers_are_selects_and_of_floats_extremes() {
    let text = "int f(int *x, int n) { int c = 0; for (int i = 0; i < n; i++) if (x[i] > 0) c++; return c; }";
    // Comparison, sum and select; both loop operations.
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 1; each: 5 int_add, 1 load; once: nothing; 4 lanes");
    // The greater of two is one operation, without a comparison.
    let text = "double f(double *x, int n) {
        double m = x[0]; for (int i = 0; i < n; i++) if (x[i] > m) m = x[i]; return m; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 3; each: 2 int_add, 1 fp_add, 1 load; once: nothing; scalar");
}

#[test]
fn without_optimisation_variables_make_round_trips_through_memory() {
    let text = "double f(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    assert!(loops("gcc-O0", text).starts_with("chain 10;"), "forwarding 7 and addition 3");
}

/// Prices `entries` of the only loop, of `trip` iterations each.
fn price(machine: &Machine, text: &str, entries: u128, trip: u128) -> Priced {
    let program = program(text);
    let model = Source::new(&program, machine);
    let segment = segment(&model, entries, trip);
    let priced = model.price(&segment, &Reuse::default());
    for entry in &priced.entries {
        let sum: f64 = entry.classes.iter().map(|(_, time)| time.0).sum();
        assert!((sum - entry.time.0).abs() <= 1e-9 * sum, "classes add up");
    }
    priced
}

fn segment(model: &Source, entries: u128, trip: u128) -> Segment {
    let inner = model.scopes.last().and_then(|scope| scope.header).expect("a loop");
    let mut counts = Vec::new();
    for scope in model.scopes.iter().filter(|scope| scope.header == Some(inner)) {
        let [iterations, entered] = model.loop_counters(inner);
        counts.extend([(iterations, entries * trip), (entered, entries)]);
        counts.extend(scope.blocks.iter().map(|&(_, counter, _)| (counter, entries * trip)));
    }
    counts.sort();
    let counts = counts.into_iter().map(|(counter, n)| (ContextId(0), counter, Count::exact(n))).collect();
    Segment { counts, ..Segment::default() }
}

/// Of each loop that takes time, why.
fn why(machine: &Machine, text: &str) -> String {
    let program = program(text);
    let model = Source::new(&program, machine);
    let loops = model.loops(&segment(&model, 1, 1000), &Reuse::default());
    loops.iter().map(|found| format!("{}: {}\n", found.bound, found.why)).collect()
}

#[test]
fn the_bound_that_wins_is_told_with_the_remedy() {
    let o2 = machine("gcc-O2");
    let sum = "double f(double *x, int n) { double s = 0;\nfor (int i = 0; i < n; i++)\ns += x[i]; return s; }";
    insta::assert_snapshot!(why(&o2, sum), @"latency: bound by the latency of the accumulation at line 1: 3 cycles per iteration; several accumulators, or -ffast-math, would help; not vectorised: the order of floating-point sums must be kept");
    let memory = "void f(double *x, double *y, int n) { for (int i = 0; i < n; i++)\nx[i + 1] = x[i] * y[i]; }";
    insta::assert_snapshot!(why(&machine("gcc-O1"), memory), @"latency: bound by a value at line 1 that each iteration stores and the next one loads: 12 cycles per iteration, 7 of them from store to load; keeping it in a local variable would help");
    let map = "void f(double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * x[i + 1] * x[i + 3]; }";
    insta::assert_snapshot!(why(&o2, map), @"throughput of loads: bound by the throughput of loads: 3 cycles per iteration; using a value several times once it is loaded (unroll and jam) would help; not vectorised: its pointers may alias (restrict would help)");
    let divide = "double a[99]; void f(double x) { for (int i = 0; i < 1000; i++) a[i] = x / (a[i] + 1) / x; }";
    insta::assert_snapshot!(why(&o2, divide), @"throughput of integer operations: bound by the throughput of integer operations: 1 cycle per iteration; vectorised, 2 iterations at once");
    insta::assert_snapshot!(why(&machine("gcc-O0"), map), @"latency: bound by the latency of the integer recurrence at line 1: 3 cycles per iteration; not vectorised: this compiler does not at this level");
}

#[test]
fn the_greater_of_chain_and_throughput_is_the_time() {
    let sum = "double f(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    // Chain 3 against 2 cycles of integers.
    assert!((price(&machine("gcc-O2"), sum, 1, 1000).total().0 - 3000.0).abs() < 1e-6);
    let stores = "double a[9], b[9], c[9], d[9], e[9]; void f(int n) {
        for (int i = 0; i < n; i++) { a[0] = 1; a[i] = 1; b[i] = 2; c[i] = 3; d[i] = 4; e[i] = 5; } }";
    // Six stores, one per cycle.
    assert!((price(&machine("gcc-O2"), stores, 1, 1000).total().0 - 6000.0).abs() < 1e-6);
}

#[test]
fn short_chains_overlap_through_the_window() {
    let sum = "double f(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    // 25 iterations of 4 operations fill the window of 100. Iterations take 2 cycles of integers and 3 of the chain:
    // the front end gets a third of the window ahead, so 1 + 25 / 3 / 25 entries run at a time; the last one alone.
    assert_close(price(&machine("gcc-O2"), sum, 1001, 25).total().0, 75.0 * (1000.0 / (1.0 + 1.0 / 3.0) + 1.0));
    // Where few operations may wait, they are the limit: 6 sums, a third of that ahead.
    let mut small = machine("gcc-O2");
    small.pipeline.as_mut().expect("given").waiting = Some(6);
    assert_close(price(&small, sum, 1001, 25).total().0, 75.0 * (1000.0 / (1.0 + 2.0 / 25.0) + 1.0));
}

#[test]
fn entries_overlap_unless_they_go_on_with_the_chain() {
    let each = |text| price(&machine("gcc-O2"), text, 1001, 25).total().0 / 75.0 - 1.0;
    // 7 operations each: 100 / 7 / 3 iterations ahead.
    let solver = "void f(double (*l)[64], double *x, int m, int n) {
        for (int j = 0; j < m; j++) for (int k = 0; k < n; k++) x[j] -= l[j][k] * x[k]; }";
    assert_close(each(solver), 1000.0 / (1.0 + 100.0 / 7.0 / 3.0 / 25.0));
    // The next row follows this one at a distance.
    let sweep = "void f(double (*x)[64], int m, int n) {
        for (int j = 1; j < m; j++) for (int k = 1; k < n; k++) x[j][k] = x[j][k - 1] + x[j - 1][k]; }";
    assert_close(each(sweep), 1000.0 / (1.0 + 100.0 / 5.0 / 3.0 / 25.0));
    let total = "double f(double (*x)[64], int m, int n) { double s = 0;
        for (int j = 0; j < m; j++) for (int k = 0; k < n; k++) s += x[j][k]; return s; }";
    assert_close(each(total), 1000.0);
}

#[test]
fn the_bound_of_a_triangle_is_a_counter_whatever_its_own_loop_leaves_behind() {
    let text = "void f(double (*x)[64], int n) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)
        for (int k = 0; k < j; k++) x[i][j] -= x[i][k] * x[j][k]; }";
    let program = program(text);
    let model = Source::new(&program, &machine("gcc-O2"));
    // For the outermost loop j is what the loop inside it left; for the innermost one it is a counter.
    let innermost = model.scopes.last().expect("a loop");
    assert_eq!((innermost.bounds.len(), price::mispredictions::data_dependent_exit(&model, innermost)), (1, None));
}

#[test]
fn a_sum_waits_longer_for_a_product_than_for_a_sum() {
    let mut machine = machine("gcc-O2");
    machine.pipeline.as_mut().expect("given").bypass_cycles = Some(Cycles(1.0));
    let text = "double f(double *x, int n) { double s = 1; for (int i = 0; i < n; i++) s = s * 0.5 + x[i]; return s; }";
    assert!(check(&machine, text).starts_with("chain 9;"));
    let sums = text.replace("s * 0.5 + x[i]", "s + x[i] + x[i + 1]");
    assert!(check(&machine, &sums).starts_with("chain 6;"));
}

#[test]
fn of_two_products_the_first_is_fused() {
    let mut machine = machine("gcc-O3");
    machine.rules.contract_fma = true;
    machine.pipeline.as_mut().expect("given").fused_cycles = Some(Cycles(7.0));
    // s * 0.5 (5 cycles) is the sum of the operation that multiplies x[i] (7).
    let text = "double f(double *x, double *y, int n) { double s = 1;
        for (int i = 0; i < n; i++) { s = 0.2 * x[i] + 0.5 * s; y[i] = s; } return s; }";
    assert!(check(&machine, text).starts_with("chain 12;"), "{}", check(&machine, text));
}

#[test]
fn sums_whose_partial_values_are_seen_stay_in_order() {
    let seen = |body: &str| {
        loops(
            "gcc-O3",
            &format!(
                "int f(int *restrict x, int *restrict y, int n) {{ int s = 0;\nfor (int i = 0; i < n; i++) {{ {body} }} return s; }}"
            ),
        )
    };
    assert!(seen("s += x[i]; y[i] = x[i];").contains("lanes"));
    assert!(seen("if (x[i] > 3) s += x[i]; y[i] = x[i];").contains("lanes"));
    for body in [
        "s += x[i]; y[i] = s;",
        "y[i] = s; s += x[i];",
        "y[i] = s + 1; s += x[i];",
        "s = x[i] > s ? x[i] : s; y[i] = s;",
    ] {
        assert!(seen(body).ends_with("scalar\n"), "{body}");
    }
}

#[test]
fn checks_at_run_time_find_rows_apart_and_begins_behind() {
    let row = "void f(double (*x)[64], int m, int n, int k) {
        for (int i = k + 1; i < m; i++) for (int j = BEGIN; j < n; j++) x[i][j] -= x[i][k] * x[k][j]; }";
    let inner = |text: String| loops("gcc-O3", &text).lines().last().map(str::to_owned).unwrap_or_default();
    assert!(inner(row.replace("BEGIN", "k + 1")).ends_with("2 lanes if apart"));
    assert!(inner(row.replace("BEGIN", "0")).ends_with("scalar"));
    // Columns are put together element by element, at -O3 alone.
    let column = "void f(double (*restrict x)[64], double (*restrict y)[64], int j, int n) {
        for (int i = 0; i < n; i++) x[j][i] = y[i][j]; }";
    assert!(loops("gcc-O3", column).ends_with("2 lanes\n"));
    assert!(loops("gcc-O2", column).ends_with("scalar\n"));
}

#[test]
fn restrict_keeps_parameters_apart() {
    let text = "void f(double *Q x, double *y, int n) { for (int i = 0; i < 64; i++) x[i] = 2 * y[i]; }";
    let last = |text: &str| loops("gcc-O2", text).lines().last().map(str::to_owned).unwrap_or_default();
    assert!(last(&text.replace('Q', "")).ends_with("if apart"), "{}", last(&text.replace('Q', "")));
    assert!(last(&text.replace('Q', "restrict")).ends_with("2 lanes"), "{}", last(&text.replace('Q', "restrict")));
    let array = "void f(double x[restrict 64], double *y, int n) { for (int i = 0; i < 64; i++) x[i] = 2 * y[i]; }";
    assert!(last(array).ends_with("2 lanes"), "{}", last(array));
    // What is pointed to by elements is not.
    let rows = "void f(double *restrict *x, double *y, int n) { for (int i = 0; i < 64; i++) x[1][i] = 2 * y[i]; }";
    assert!(!last(rows).ends_with("2 lanes"), "{}", last(rows));
}

#[test]
fn what_was_seen_of_a_branch_is_charged() {
    let text = "int x[100], y[100]; void f(int n) { for (int i = 0; i < n; i++) if (x[i] > 5) y[i] = i; }";
    let program = program(text);
    let model = Source::new(&program, &machine("gcc-O2"));
    let all = counters(text, |program, block| match &program.blocks[block].kind {
        BlockKind::Loop(_) => vec![100, 1],
        BlockKind::Branch(_) => vec![100, 50],
        _ => vec![100],
    });
    let misprediction = |share: Option<f64>| {
        let counts = all.iter().map(|&(counter, n)| (ContextId(0), CounterId(counter), Count::exact(n.into())));
        let branch = program.blocks.iter().find(|(_, block)| matches!(block.kind, BlockKind::Branch(_)));
        let seen = share.zip(branch).map(|(share, (block, _))| Mispredicted { context: ContextId(0), block, share });
        let segment =
            Segment { counts: counts.collect(), mispredicted: seen.into_iter().collect(), ..Segment::default() };
        let counts = profile::counts::ExecutionCounts::of_context(&segment, ContextId(0));
        (0..model.scopes.len())
            .map(|scope| price::loop_time::scope_time(&model, scope, &counts).misprediction)
            .sum::<f64>()
    };
    // Unknown, it is not quite as random as its frequency allows.
    assert!((misprediction(None) - misprediction(Some(0.3))).abs() < 1e-9);
    assert!((misprediction(Some(0.05)) - misprediction(Some(0.5)) / 10.0).abs() < 1e-9);
}

#[test]
fn the_end_of_a_long_loop_is_mispredicted() {
    let mut machine = machine("gcc-O2");
    machine.pipeline.as_mut().expect("given").predicted_trips = 10;
    let stores = "double a[9], b[9], c[9]; void f(int n) {
        for (int i = 0; i < n; i++) { a[0] = 1; a[i] = 1; b[i] = 2; c[i] = 3; } }";
    assert!((price(&machine, stores, 10, 100).total().0 - 10.0 * (400.0 + 10.0)).abs() < 1e-6);
}

fn assert_close(time: f64, expected: f64) {
    assert!((time - expected).abs() < 1e-6, "{time} instead of {expected}");
}

#[test]
fn vectors_need_whole_trips_at_o2_and_two_of_them_at_o3() {
    let text = "double x[999], y[999]; void f(void) { for (int i = 0; i < 100; i++) y[i] = 2.0 * x[i]; }";
    // Two cycles of integers; 50 vectors and 2 cycles to prepare.
    assert_close(price(&machine("gcc-O2"), text, 1, 100).total().0, 102.0);
    let odd = text.replace("100", "101");
    assert_close(price(&machine("gcc-O2"), &odd, 1, 101).total().0, 202.0);
    // 50 vectors and one iteration behind them.
    assert_close(price(&machine("gcc-O3"), &odd, 1, 101).total().0, 104.0);
}

#[test]
fn a_walk_over_more_than_the_cache_waits_for_lines() {
    let mut machine = machine("gcc-O2");
    machine.memory = Machine::load("epyc-zen5-gcc12-O2").expect("shipped").memory;
    machine.memory.levels.truncate(2);
    machine.memory.levels[0].ns_per_line_read = Some(chronos_base::units::Nanoseconds(1.0));
    machine.memory.levels[1].ns_per_line_read = Some(chronos_base::units::Nanoseconds(41.0));
    let text = "double x[99999], y[99999]; void f(int n) { for (int i = 0; i < n; i++) y[i] = 2.0 * x[i]; }";
    // 8000 iterations walk over 2 arrays of 1000 lines each: 125 KiB. A line that takes 41 with the loads, which alone
    // take 1, takes 40.99 by itself; the iterations' 2 cycles overlap with it; 10 for the end.
    let time = price(&machine, text, 1, 8000).total().0;
    let lines = 2000.0 * (41.0_f64 * 41.0 - 1.0).sqrt();
    assert!((time - (16_000.0_f64.hypot(lines) + 10.0)).abs() <= 100.0, "{time}");
}

#[test]
fn columns_use_their_lines_again_unless_they_share_sets() {
    let mut machine = machine("gcc-O2");
    machine.memory = Machine::load("epyc-zen5-gcc12-O2").expect("shipped").memory;
    let column = |pitch: u32| {
        let text = format!(
            "double x[200][{pitch}]; void f(int n) {{ for (int i = 0; i < n; i++) x[i][0] = 1; }}
             void g(int n) {{ for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) x[i][j] = 1; }}"
        );
        let program = program(&text);
        let model = Source::new(&program, &machine);
        let headers: Vec<_> = model.scopes.iter().filter_map(|scope| scope.header).collect();
        let counts = [(headers[1], 200, 1), (headers[2], 40_000, 200)].into_iter().flat_map(|(header, n, entries)| {
            let [iterations, entered] = model.loop_counters(header);
            [(ContextId(0), iterations, Count::exact(n)), (ContextId(0), entered, Count::exact(entries))]
        });
        let index = model.scopes.len() - 1;
        let mut counts: Vec<_> = counts.collect();
        counts.sort_by_key(|entry| entry.1);
        let segment = Segment { counts, ..Segment::default() };
        memory::lines::memory_traffic(
            &model,
            index,
            &profile::counts::ExecutionCounts::of_context(&segment, ContextId(0)),
            None,
        )
        .second_level
    };
    // Rows of 25 and of 256 lines: in the first case each line comes once per eight columns.
    let (spread, shared) = (column(200), column(256));
    assert!(spread > 0.0 && shared > 16.0 * spread, "{spread} {shared}");
}

#[test]
fn figures_that_a_machine_lacks_are_named() {
    let complete = Machine::load("epyc-zen5-gcc12-O2").expect("shipped");
    assert!(super::model::missing(&complete).is_none());
    let bare = Machine { pipeline: None, ..complete };
    let told = super::model::missing(&bare).expect("the pipeline is missing");
    assert!(told.message.contains("no pipeline"), "{}", told.message);
}

#[test]
fn tables_are_looked_up_in_the_chain() {
    let text = "unsigned t[256]; unsigned f(unsigned char *s, int n) { unsigned c = 1;
        for (int i = 0; i < n; i++) c = t[(c ^ s[i]) & 255] ^ (c >> 8); return c; }";
    // xor, and, scaled address, load, xor.
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 8; each: 6 int_add, 2 load; once: nothing; scalar");
    let text = "int f(int *next, int n) { int at = 0; for (int i = 0; i < n; i++) at = next[at]; return at; }";
    // Widening, scaled address, load.
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 6; each: 2 int_add, 1 int_convert, 1 load; once: nothing; scalar");
}

#[test]
fn constant_divisors_are_products_and_shifts() {
    let text = "int f(unsigned x, int n) { unsigned s = x; for (int i = 0; i < n; i++) s = s / 10 + x; return s; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 5; each: 4 int_add, 1 int_mul; once: nothing; scalar");
    let text = "int f(int x, int n) { int s = x; for (int i = 0; i < n; i++) s = s % 8 + x; return s; }";
    insta::assert_snapshot!(loops("gcc-O2", text), @"chain 5; each: 7 int_add; once: nothing; scalar");
}

#[test]
fn arms_with_stores_are_masked_where_the_target_can() {
    let text = "int x[100], y[100]; void f(int n) { for (int i = 0; i < n; i++) if (x[i] > 5) y[i] = i; }";
    insta::assert_snapshot!(loops("gcc-O3", text), @"chain 1; each: 3 int_add, 1 load, 1 store; once: nothing; scalar");
    let mut wide = machine("gcc-O3");
    wide.rules.vector_bits = Some(256);
    insta::assert_snapshot!(check(&wide, text), @"chain 1; each: 3 int_add, 1 load, 1 store; once: nothing; 8 lanes");
}

/// Idioms of the loops of a program at -O2.
fn idioms(text: &str) -> Vec<Option<Idiom>> {
    let model = Source::new(&program(text), &machine("gcc-O2"));
    model.scopes.iter().filter(|scope| scope.header.is_some()).map(|scope| scope.idiom).collect()
}

#[test]
fn only_zero_fills_by_memset() {
    let fill = |value: &str| {
        idioms(&format!("double a[100]; void f(int n) {{ for (int i = 0; i < n; i++) a[i] = {value}; }}"))
    };
    assert_eq!(fill("0.0"), [Some(Idiom::Fill(8))]);
    assert_eq!(fill("0.05"), [None]);
    assert_eq!(fill("-0.0"), [None]);
}

#[test]
fn an_address_beyond_64_bits_has_no_stride() {
    let blockers = |factor: &str| {
        let text = format!(
            "double a[100]; void f(long n) {{ for (long i = 0; i < n; i++) a[i * {factor}] = a[i * {factor}] + 1; }}"
        );
        let model = Source::new(&program(&text), &machine("gcc-O2"));
        model.scopes.last().expect("a loop").accesses.iter().map(|access| stride_of(&model, access)).collect::<Vec<_>>()
    };
    assert_eq!(blockers("4"), [Some(32), Some(32)]);
    assert_eq!(blockers("4611686018427387904"), [None, None]);
}

/// Bytes by which an access of the last loop advances per iteration.
fn stride_of(model: &Source, access: &Access) -> Option<i64> {
    let steps = &model.scopes.last().expect("a loop").steps;
    access_stride(access, &|variable| steps.get(&variable).copied().or(Some(0)))
}

/// Compilers look at accesses with conditions turned into selections.
#[test]
fn accesses_that_meet_are_found_behind_conditions() {
    let program = program(
        "int path[90][90];\nint main(void) {\n  for (int k = 0; k < 90; k++)\n    for (int i = 0; i < 90; i++)\n      \
         for (int j = 0; j < 90; j++)\n        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];\n  \
         return 0;\n}",
    );
    let machine = machine("clang-O2");
    let model = Source::new(&program, &machine);
    let innermost: Vec<_> = model.scopes.iter().filter(|scope| scope.header.is_some() && scope.innermost).collect();
    let [scope] = innermost[..] else { panic!("one innermost loop") };
    assert_eq!(scope.legality, Legality::No(VectorizationBlocker::MetByCounter));
}
