//! Times of nests of machine loops, from counts of the source.

use chronos_compiled::code::FunctionCode;
use chronos_compiled::compile::object_of;
use chronos_compiled::core::Core;
use chronos_compiled::instruction::Register;
use chronos_compiled::matching::{
    SourceBlock, SourceFunctions, SourceLoop, SourceRange, SourceStride, match_loops, places,
};
use chronos_compiled::nest::{ExecutionProfile, NestTimes, SimulatedPaths, Situation};
use chronos_compiled::object_code::read;
use chronos_compiled::{Compilation, CompiledUnit};

fn unit(flags: &str, text: &str) -> CompiledUnit {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kernel.c");
    std::fs::write(&file, text).expect("written");
    let command = std::iter::once("gcc").chain(flags.split_whitespace()).map(str::to_owned).collect();
    let object = object_of(&Compilation { command, ..Compilation::default() }, &file).expect("gcc compiles it");
    read(&object.bytes, "kernel.c").expect("it is read").0
}

fn source_loop(lines: (u32, u32), parent: Option<usize>, strides: &[(u32, i64)]) -> SourceLoop {
    let (function, file) = ("f".into(), "kernel.c".into());
    let range = SourceRange { function, file, begin: (lines.0, 1), end: (lines.1, 200) };
    let strides =
        strides.iter().map(|&(line, bytes)| SourceStride { line, bytes, width: bytes.unsigned_abs() }).collect();
    SourceLoop { range, parent, strides, additions: 0 }
}

/// Iterations of the loops, and whether stores overlap loads.
struct Trips(Vec<f64>, bool);

impl ExecutionProfile for Trips {
    fn trips(&self, source_loop: usize) -> Option<f64> {
        self.0.get(source_loop).copied()
    }
    fn reached(&self, _: usize) -> Option<f64> {
        Some(1.0)
    }
    fn reached_from(&self, source_loop: usize, _: Option<usize>) -> Option<f64> {
        self.reached(source_loop)
    }
    fn count(&self, _: usize) -> Option<f64> {
        None
    }
    fn varies(&self, _: usize) -> bool {
        false
    }
    fn overlaps(&self, _: usize) -> bool {
        self.1
    }
    fn chosen_by_data(&self, _: usize) -> bool {
        true
    }
}

/// Cycles of one call of `f` on a Zen 5.
fn cycles(flags: &str, text: &str, loops: &[SourceLoop], trips: &[f64]) -> f64 {
    cycles_of(flags, text, loops, &Trips(trips.to_vec(), false))
}

fn cycles_of(flags: &str, text: &str, loops: &[SourceLoop], profile: &Trips) -> f64 {
    let unit = unit(flags, text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: loops.to_vec(), blocks: Vec::new() };
    let places = places(&code, &source);
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen5").expect("shipped"), SimulatedPaths::default());
    let situation = Situation { code: &code, matches: &matches, source: &source, places: &places, profile };
    NestTimes::new(&core, situation, &simulated).region(None).expect("all have figures").cycles
}

const PRODUCT: &str = "void f(double *restrict c, const double *a, const double *b, long n) {\n  for (long i = 0; i < 1000; i++) {\n\
                       double s = 0;\n    for (long j = 0; j < n; j++)\n      s += a[i * n + j] * b[j];\n    c[i] = s;\n  }\n}\n";

#[test]
fn short_chains_of_different_entries_overlap() {
    let loops = [source_loop((2, 7), None, &[(6, 8)]), source_loop((4, 5), Some(0), &[(5, 8), (5, 8)])];
    let each = |n: f64| cycles("-O1", PRODUCT, &loops, &[1000.0, n]) / 1000.0 / n;
    // Each sum waits two cycles for the one before; those of the next entry wait for nothing.
    assert!(each(20.0) < 1.2, "{}", each(20.0));
    assert!((1.8..2.01).contains(&each(1000.0)), "{}", each(1000.0));
}

const NEXT: &str = "double x[4096] __attribute__((aligned(64))), y[4096] __attribute__((aligned(64)));\nvoid f(long n) {\n  for (long i = 0; i < n; i++)\n    y[i] = x[i] + x[i + 1];\n}\n";

#[test]
fn vectors_that_cross_lines_take_their_port_twice() {
    let loops = [source_loop((3, 4), None, &[(4, 8)])];
    let each = |flags: &str| cycles(flags, NEXT, &loops, &[4000.0]) / 4000.0;
    // Two loads of 64 bytes of which neither is known to be aligned, on two ports: at seven of eight places each takes two cycles.
    let wide = each("-O3 -march=skylake-avx512 -mprefer-vector-width=512");
    assert!((0.23..0.24).contains(&wide), "{wide}");
    let scalar = each("-O1");
    assert!((0.99..1.05).contains(&scalar), "{scalar}");
}

#[test]
fn iterations_that_are_written_out_are_counted() {
    // At most 16 iterations: gcc writes all of them out, each with its own test.
    let text = "double a[64][16], y[64];\nvoid f(int n) {\n  for (int i = 0; i < 64; i++) {\n    double s = 0;\n\
                for (int j = 0; j < n; j++)\n      s += a[i][j] / 3;\n    y[i] = s;\n  }\n}\n";
    let loops = [source_loop((3, 8), None, &[(6, 128), (7, 8)]), source_loop((5, 6), Some(0), &[(6, 8)])];
    let each = |n: f64| cycles("-O3", text, &loops, &[64.0, n]) / 64.0;
    // A division every four cycles.
    assert!(each(16.0) > 3.0 * each(4.0) * 0.9, "{} {}", each(16.0), each(4.0));
}

const UNSWITCHED: &str = "void step(void);\nvoid f(long *sum, unsigned outer, unsigned inner) {\n  long s = 0;\n  for (unsigned i = 0; i < outer; i++)\n\
                          \x20   for (unsigned j = 0; j < inner; j++)\n      s = (s ^ j) * 5;\n  *sum = s;\n}\n";

#[test]
fn the_version_of_a_loop_without_the_loop_inside_runs_where_that_never_does() {
    let loops = [source_loop((4, 6), None, &[]), source_loop((5, 6), Some(0), &[])];
    let nest = |inner: f64| cycles("-O2", UNSWITCHED, &loops, &[1000.0, inner]) / 1000.0;
    // gcc tests the inner condition once, before the outer loop. The product of each iteration waits for the last.
    assert!((19.0..25.0).contains(&nest(10.0)), "{}", nest(10.0));
    assert!(nest(0.0) < 3.0, "{}", nest(0.0));
}

const RECURRENCE: &str = "float a[4096], b[4096], c[4096], d[4096];\nvoid f(long n) {\n  for (long i = 1; i < 4000; i++)\n    b[i] = b[i - 1] + a[i] * c[i] * d[i];\n}\n";

#[test]
fn a_load_reads_a_store_back_whose_address_is_in_another_register() {
    let loops = [source_loop((3, 4), None, &[(4, 4)])];
    // -O1 keeps the sum in memory: one register for `b`, one for `b - 4`. An addition waits for the store before it.
    let each = cycles("-O1 -fpie", RECURRENCE, &loops, &[3999.0]) / 3999.0;
    assert!(each > 4.0, "{each}");
    let apart = RECURRENCE.replace("b[i - 1]", "a[i - 1]");
    let each = cycles("-O1 -fpie", &apart, &loops, &[3999.0]) / 3999.0;
    assert!(each < 2.5, "{each}");
}

/// Iterations of the loops of a function, executions of its blocks, and whether data chooses between them.
struct Counts {
    trips: Vec<f64>,
    blocks: Vec<f64>,
    by_data: bool,
}

impl ExecutionProfile for Counts {
    fn trips(&self, source_loop: usize) -> Option<f64> {
        self.trips.get(source_loop).copied()
    }
    fn reached(&self, _: usize) -> Option<f64> {
        Some(1.0)
    }
    fn reached_from(&self, source_loop: usize, _: Option<usize>) -> Option<f64> {
        self.reached(source_loop)
    }
    fn count(&self, source_block: usize) -> Option<f64> {
        self.blocks.get(source_block).copied()
    }
    fn varies(&self, _: usize) -> bool {
        false
    }
    fn overlaps(&self, _: usize) -> bool {
        false
    }
    fn chosen_by_data(&self, _: usize) -> bool {
        self.by_data
    }
}

const CHOSEN: &str = "void f(float *restrict a, const float *restrict b, const float *restrict c, float t) {\n\
                      for (long i = 0; i < 4096; i++)\n    if (b[i] >= t)\n      a[i] += b[i] * c[i];\n}\n";

/// Cycles of each iteration of CHOSEN, where so many of 4096 iterations come to its addition.
fn chosen(flags: &str, added: f64) -> f64 {
    chosen_in(CHOSEN, flags, added, true)
}

fn chosen_in(text: &str, flags: &str, added: f64, by_data: bool) -> f64 {
    let unit = unit(flags, text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let loops = vec![source_loop((2, 4), None, &[(3, 4), (4, 4)])];
    let block = |line: u32, home: Option<usize>| SourceBlock {
        range: SourceRange { begin: (line, 1), end: (line, 200), ..loops[0].range.clone() },
        home,
    };
    let source = SourceFunctions { blocks: vec![block(3, Some(0)), block(4, Some(0))], loops };
    let (places, profile) =
        (places(&code, &source), Counts { trips: vec![4096.0], blocks: vec![4096.0, added], by_data });
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen5").expect("shipped"), SimulatedPaths::default());
    let situation = Situation { code: &code, matches: &matches, source: &source, places: &places, profile: &profile };
    NestTimes::new(&core, situation, &simulated).region(None).expect("all have figures").cycles / 4096.0
}

#[test]
fn a_way_around_a_branch_goes_on_where_the_next_iteration_begins() {
    // gcc puts the loop's condition in front of the header: the iteration ends there, and the next one follows without a jump. One
    // taken jump a cycle is all that it waits for.
    assert!((0.9..1.3).contains(&chosen("-O1", 0.0)), "{}", chosen("-O1", 0.0));
    assert!(chosen("-O1", 4096.0) > 1.4, "{}", chosen("-O1", 4096.0));
}

const RARE: &str = "void f(float *a, const float *restrict b, const float *restrict c, float t) {\n\
                    for (long i = 0; i < 4096; i++)\n    if (b[i] >= t)\n      *a = *a / (b[i] * c[i]);\n}\n";

#[test]
fn a_rare_way_that_waits_for_itself_hides_behind_the_others() {
    // One in sixteen waits for the division of the one before: twelve cycles and more that fifteen others take as well.
    let each = |by_data| chosen_in(RARE, "-O2", 256.0, by_data);
    let (in_turn, in_a_row) = (each(true), each(false));
    assert!(in_turn < 0.8 * in_a_row, "{in_turn} {in_a_row}");
}

const ROOT: &str = "double sqrt(double);\nvoid f(double *a, const double *b) {\n  for (long i = 0; i < 4096; i++)\n\
                    \x20   a[i] = sqrt(b[i]);\n}\n";

#[test]
fn roots_are_not_those_of_negative_numbers() {
    // The call of the library, for `errno`, would halve the instructions that compute roots: nine cycles each.
    let unit = unit("-O2", ROOT);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let outer = source_loop((3, 4), None, &[(4, 8)]);
    let block = |begin, end| SourceBlock { range: SourceRange { begin, end, ..outer.range.clone() }, home: Some(0) };
    let source = SourceFunctions { blocks: vec![block((4, 1), (4, 200))], loops: vec![outer.clone()] };
    let (places, profile) =
        (places(&code, &source), Counts { trips: vec![4096.0], blocks: vec![4096.0], by_data: true });
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen4").expect("shipped"), SimulatedPaths::default());
    let situation = Situation { code: &code, matches: &matches, source: &source, places: &places, profile: &profile };
    let (id, _) = code.forest.loops.iter().next().expect("a loop is left");
    let time = NestTimes::new(&core, situation, &simulated).region(Some(id)).expect("all have figures");
    assert!(!time.chooses && time.cycles > 8.5, "{time:?}");
}

#[test]
fn code_under_a_mask_runs_where_any_lane_has_its_condition() {
    // gcc jumps over the addition where the mask of 16 lanes is empty, and has the end of the loop twice.
    let each = |added: f64| chosen("-O3 -march=skylake-avx512 -mprefer-vector-width=512", added) * 16.0;
    let (none, one_in_sixteen, all) = (each(0.0), each(256.0), each(4096.0));
    assert!(none < 0.8 * all, "{none} {all}");
    // 1 - (15/16)^16 of the vectors: 64 %.
    let expected = none + 0.644 * (all - none);
    assert!((one_in_sixteen / expected - 1.0).abs() < 0.05, "{one_in_sixteen} {expected}");
}

#[test]
fn calls_with_other_arguments_do_not_wait_for_each_other() {
    let text = "void f(float *a, const float *b, const float *c, int i) {\n  a[i] += b[i] * c[i];\n}\n";
    // The sum that a call stores is not what the next one loads: fourteen cycles if it were.
    let each = cycles("-O1", text, &[], &[]);
    assert!(each < 4.0, "{each}");
    let global = "double s;\nvoid f(double x) {\n  s += x;\n}\n";
    let chain = cycles("-O1 -fno-pic", global, &[], &[]);
    assert!(chain > 8.0, "{chain}");
}

const THERE_AND_BACK: &str = "void f(double *a, double *b) {\n  for (int t = 0; t < 1000; t++) {\n    for (int i = 1; i < 119; i++)\n\
                              \x20     b[i] = 0.33 * (a[i - 1] + a[i] + a[i + 1]);\n    for (int i = 1; i < 119; i++)\n\
                              \x20     a[i] = 0.33 * (b[i - 1] + b[i] + b[i + 1]);\n  }\n}\n";

#[test]
fn a_loop_that_is_written_out_beside_a_version_for_overlapping_arrays_is_told() {
    let inner = |lines| source_loop(lines, Some(0), &[(lines.1, 8)]);
    let loops = [source_loop((2, 7), None, &[]), inner((3, 4)), inner((5, 6))];
    let unit = unit("-O3 -march=skylake-avx512 -mprefer-vector-width=512", THERE_AND_BACK);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: loops.to_vec(), blocks: Vec::new() };
    let places = places(&code, &source);
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen5").expect("shipped"), SimulatedPaths::default());
    let written_out = |overlap: bool| {
        let profile = Trips(vec![1000.0, 118.0, 118.0], overlap);
        let situation =
            Situation { code: &code, matches: &matches, source: &source, places: &places, profile: &profile };
        let nest = NestTimes::new(&core, situation, &simulated);
        let outer = matches.iter().filter(|(_, found)| found.as_ref().is_ok_and(|found| found.source == 0));
        let all = outer.map(|(id, _)| nest.written_out(Some(*id)).get(&1).copied().unwrap_or(0.0));
        all.fold(0.0, f64::max)
    };
    assert!((117.0..119.0).contains(&written_out(false)), "{}", written_out(false));
    assert!(written_out(true) < 10.0, "{}", written_out(true));
}

const ALIASED: &str =
    "void f(float *a, const float *b, long n) {\n  for (long i = 0; i < n; i++)\n    a[i] = b[i] * 3 + 1;\n}\n";

#[test]
fn the_version_for_overlapping_arrays_runs_where_they_overlap() {
    let loops = [source_loop((2, 3), None, &[(3, 4), (3, 4)])];
    let each = |overlap: bool| cycles_of("-O3", ALIASED, &loops, &Trips(vec![4000.0], overlap)) / 4000.0;
    assert!(each(false) < 0.6, "{}", each(false));
    assert!((0.9..1.5).contains(&each(true)), "{}", each(true));
}

/// Two versions of the loop of lines 3 and 4, each with two elements in an iteration.
const WRITTEN_OUT: &str = "typedef double v2 __attribute__((vector_size(16), aligned(8)));\n\
                           void f(double *a, const double *b, long n, double x) {\n\
                           if (b + n <= a || a + n <= b) for (long i = 0; i < n; i += 2) *(v2 *)(a + i) = *(const v2 *)(b + i) * x + x;\n\
                           else for (long i = 0; i < n; i += 2) { a[i] = b[i] * x + x; a[i + 1] = b[i + 1] * x + x; }\n}\n";

#[test]
fn the_version_that_is_written_out_beside_vectors_runs_where_arrays_overlap() {
    let loops = [source_loop((3, 4), None, &[(3, 8), (3, 8), (4, 8), (4, 8)])];
    let flags = "-O2 -fno-tree-vectorize -fno-tree-slp-vectorize";
    let each = cycles_of(flags, WRITTEN_OUT, &loops, &Trips(vec![4000.0], false)) / 4000.0;
    assert!(each < 0.7, "{each}");
}

/// Half of the iterations of the outer loop (lines 2 to 8) come to the inner one and to the store behind it.
struct Guarded;

impl ExecutionProfile for Guarded {
    fn trips(&self, source_loop: usize) -> Option<f64> {
        // gcc writes three iterations out: no way has nine.
        [Some(1000.0), Some(9.0)][source_loop]
    }
    fn reached(&self, source_loop: usize) -> Option<f64> {
        [Some(1.0), Some(0.5)][source_loop]
    }
    fn reached_from(&self, source_loop: usize, _: Option<usize>) -> Option<f64> {
        self.reached(source_loop)
    }
    fn count(&self, source_block: usize) -> Option<f64> {
        [Some(1000.0), Some(500.0)][source_block]
    }
    fn varies(&self, _: usize) -> bool {
        false
    }
    fn overlaps(&self, _: usize) -> bool {
        false
    }
    fn chosen_by_data(&self, _: usize) -> bool {
        true
    }
}

const GUARDED: &str = "void f(const int *skip, double *y, const double (*a)[3], long n) {\n  for (long i = 0; i < n; i++) {\n\
                       if (skip[i]) continue;\n    double s = 0;\n    for (int m = 0; m < 3; m++)\n      s += a[i][m];\n\
                       y[i] = s;\n  }\n}\n";

#[test]
fn a_loop_of_which_no_way_runs_what_its_counts_say_has_no_time() {
    let unit = unit("-O2", GUARDED);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let outer = source_loop((2, 8), None, &[(3, 4), (6, 24), (7, 8)]);
    let inner = source_loop((5, 6), Some(0), &[(6, 8)]);
    let block = |line: u32| {
        let range = SourceRange { begin: (line, 1), end: (line, 200), ..outer.range.clone() };
        SourceBlock { range, home: Some(0) }
    };
    let source = SourceFunctions { blocks: vec![block(3), block(7)], loops: vec![outer.clone(), inner] };
    let places = places(&code, &source);
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen5").expect("shipped"), SimulatedPaths::default());
    let profile = &Guarded;
    let situation = Situation { code: &code, matches: &matches, source: &source, places: &places, profile };
    let nest = NestTimes::new(&core, situation, &simulated);
    let (id, _) = code.forest.loops.iter().next().expect("a loop is left");
    let refused = nest.region(Some(id)).expect_err("only the way around the inner loop has the right iterations");
    assert!(refused.0.contains("counts of the source"), "{}", refused.0);
}

/// Iterations of an outer loop that come to the inner one, of 1; nothing is known of conditions.
struct Reached(f64);

impl ExecutionProfile for Reached {
    fn trips(&self, source_loop: usize) -> Option<f64> {
        [Some(1000.0), Some(20.0)][source_loop]
    }
    fn reached(&self, source_loop: usize) -> Option<f64> {
        [Some(1.0), Some(self.0)][source_loop]
    }
    fn reached_from(&self, source_loop: usize, _: Option<usize>) -> Option<f64> {
        self.reached(source_loop)
    }
    fn count(&self, _: usize) -> Option<f64> {
        None
    }
    fn varies(&self, _: usize) -> bool {
        false
    }
    fn overlaps(&self, _: usize) -> bool {
        false
    }
    fn chosen_by_data(&self, _: usize) -> bool {
        false
    }
}

#[test]
fn ways_to_a_loop_are_taken_as_often_as_it_is_entered() {
    let text = GUARDED.replace("long n)", "long n, long k)").replace("m < 3", "m < k");
    let unit = unit("-O2", &text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let loops = vec![source_loop((2, 8), None, &[(3, 4), (6, 24), (7, 8)]), source_loop((5, 6), Some(0), &[(6, 8)])];
    let source = SourceFunctions { blocks: Vec::new(), loops };
    let places = places(&code, &source);
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen5").expect("shipped"), SimulatedPaths::default());
    let (outer, _) = code.forest.loops.iter().find(|(_, natural)| natural.parent.is_none()).expect("a loop is left");
    let each = |reached| {
        let profile = &Reached(reached);
        let situation = Situation { code: &code, matches: &matches, source: &source, places: &places, profile };
        NestTimes::new(&core, situation, &simulated).region(Some(outer)).expect("all have figures").cycles
    };
    let (rarely, half, mostly) = (each(0.1), each(0.5), each(0.9));
    assert!((half - f64::midpoint(rarely, mostly)).abs() < 0.01 * half, "{rarely} {half} {mostly}");
    assert!(mostly > 2.0 * rarely, "{rarely} {mostly}");
}

/// The part of a function behind a loop that ran before, and that no way to the second one leaves out. The program is in the
/// first iteration of that.
struct Behind;

impl ExecutionProfile for Behind {
    fn trips(&self, source_loop: usize) -> Option<f64> {
        [Some(0.0), Some(1.0)][source_loop]
    }
    fn reached(&self, source_loop: usize) -> Option<f64> {
        [Some(0.0), Some(1.0)][source_loop]
    }
    fn reached_from(&self, source_loop: usize, _: Option<usize>) -> Option<f64> {
        self.reached(source_loop)
    }
    fn count(&self, _: usize) -> Option<f64> {
        None
    }
    fn varies(&self, _: usize) -> bool {
        false
    }
    fn overlaps(&self, _: usize) -> bool {
        false
    }
    fn chosen_by_data(&self, _: usize) -> bool {
        true
    }
}

const TWO_PARTS: &str = "void step(void);\nint stop(void);\nvoid f(long *a, long *b) {\n  if (stop()) return;\n\
                         \x20 for (int i = 0; i < 100; i++)\n    a[i] = a[i] * a[i];\n  step();\n\
                         \x20 for (int i = 0; i < 500; i++)\n    b[i] = b[i] * b[i];\n}\n";

#[test]
fn a_loop_that_no_way_of_the_counts_comes_to_runs_as_its_own_say() {
    let unit = unit("-O1", TWO_PARTS);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let loops = vec![source_loop((5, 6), None, &[(6, 8)]), source_loop((8, 9), None, &[(9, 8)])];
    let source = SourceFunctions { loops, blocks: Vec::new() };
    let places = places(&code, &source);
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen5").expect("shipped"), SimulatedPaths::default());
    let situation = Situation { code: &code, matches: &matches, source: &source, places: &places, profile: &Behind };
    let visits = NestTimes::new(&core, situation, &simulated).visits(None);
    let second = matches.iter().find(|(_, found)| found.as_ref().is_ok_and(|found| found.source == 1));
    let (id, _) = second.expect("it is matched");
    assert_eq!(visits[id].iterations, 1.0);
    assert_eq!(visits[id].reached, 1.0);
}

const STEPS: &str =
    "float a[6400], b[6400];\nvoid f(int s) {\n  for (int i = 0; i < 3200; i += s)\n    a[i] = a[i + s] + b[i];\n}\n";

#[test]
fn the_version_for_a_step_of_one_runs_where_its_iterations_are_those_of_the_program() {
    let unit = unit("-O3", STEPS);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: vec![source_loop((3, 4), None, &[])], blocks: Vec::new() };
    let places = places(&code, &source);
    let matches = match_loops(&code, &source, &places);
    let (core, simulated) = (Core::load("zen5").expect("shipped"), SimulatedPaths::default());
    let widest = |trips: f64| {
        let profile = Trips(vec![trips], true);
        let situation =
            Situation { code: &code, matches: &matches, source: &source, places: &places, profile: &profile };
        let visits = NestTimes::new(&core, situation, &simulated).visits(None);
        visits.keys().map(|id| matches[id].as_ref().map_or(0, |found| found.elements)).max()
    };
    assert_eq!([widest(3200.0), widest(1600.0)], [Some(4), Some(1)]);
}

const GENERATOR: &str = "struct state { long a[4]; int i; };\nlong next(struct state *s) {\n  long i = s->i;\n  s->i = (int)(i * i >> 3);\n  return s->a[i & 3];\n}\n";

#[test]
fn calls_with_the_same_argument_wait_for_what_the_last_one_stored() {
    let unit = unit("-O2", GENERATOR);
    let code = FunctionCode::new(&unit, unit.function("next").expect("next is there"));
    let source = SourceFunctions { loops: Vec::new(), blocks: Vec::new() };
    let core = Core::load("zen4").expect("shipped");
    let each = |code: &FunctionCode| {
        let (places, simulated) = (places(code, &source), SimulatedPaths::default());
        let matches = match_loops(code, &source, &places);
        let profile = Trips(Vec::new(), false);
        let situation = Situation { code, matches: &matches, source: &source, places: &places, profile: &profile };
        NestTimes::new(&core, situation, &simulated).region(None).expect("timed").cycles
    };
    let other = each(&code);
    let same = each(&code.clone().with_kept_arguments(&[Register::integer(7)].into()));
    // The number is stored, read back with its sign (movslq), and multiplied.
    assert!(other < 4.0 && same > 7.0, "{other} {same}");
}

#[test]
fn vectors_that_are_only_moved_hold_as_many_elements_as_their_iterations_say() {
    let text = "float a[32000];\nstatic void set(float *x, int n, float v, int s) {\n  for (int i = 0; i < n; i += s)\n    x[i] = v;\n}\nvoid f(float v) {\n  set(a, 32000, v, 1);\n}\n";
    // 8,000 vectors of four numbers; the source does not tell how far its store advances.
    let whole = cycles(
        "-O2",
        text,
        &[SourceLoop {
            range: SourceRange { function: "set".into(), ..source_loop((3, 4), None, &[]).range },
            ..source_loop((3, 4), None, &[])
        }],
        &[32_000.0],
    );
    assert!((7_900.0..8_300.0).contains(&whole), "{whole}");
}

#[test]
fn the_last_iteration_of_a_loop_that_is_left_behind_its_middle_is_counted_once() {
    let chain = "imul $3, %0, %0\\n".repeat(20);
    let text = format!(
        "long x[4096], y;\nvoid f(long n) {{\n  long s = y, i = 0;\n  for (;;) {{\n    __asm__ volatile(\"{chain}\" : \"+r\"(s));\n\
         x[i++] = s;\n    if (i == n) break;\n    __asm__ volatile(\"nop\");\n  }}\n  y = s;\n}}\n"
    );
    let loops = [source_loop((4, 9), None, &[(6, 8)])];
    let of = |trips: f64| cycles("-O1", &text, &loops, &[trips]);
    // Twenty products of three cycles each, and what is stored for the next call.
    assert!((of(1.0) - 60.0).abs() < 10.0 && (of(3.0) - 180.0).abs() < 10.0, "{} {}", of(1.0), of(3.0));
}
