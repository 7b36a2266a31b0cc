//! Machine loops that gcc makes of small functions, and the source loops that they come from.

use chronos_compiled::code::FunctionCode;
use chronos_compiled::compile::object_of;
use chronos_compiled::matching::{
    MatchedLoop, Role, SourceFunctions, SourceLoop, SourceRange, SourceStride, UnmatchedLoop, match_loops,
    match_loops_of_run, places,
};
use chronos_compiled::object_code::read;
use chronos_compiled::{Compilation, CompiledUnit};

fn unit(flags: &str, text: &str) -> CompiledUnit {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kernel.c");
    std::fs::write(&file, text).expect("written");
    let command = std::iter::once("gcc").chain(flags.split_whitespace()).map(str::to_owned).collect();
    let object = object_of(&Compilation { command, ..Compilation::default() }, &file).expect("gcc compiles it").bytes;
    read(&object, "kernel.c").expect("it is read").0
}

/// A loop of function `function` from the start of one line to the end of another; `strides` are of lines.
fn source_loop(function: &str, lines: (u32, u32), parent: Option<usize>, strides: &[(u32, i64)]) -> SourceLoop {
    let (function, file) = (function.into(), "kernel.c".into());
    let range = SourceRange { function, file, begin: (lines.0, 1), end: (lines.1, 200) };
    let strides =
        strides.iter().map(|&(line, bytes)| SourceStride { line, bytes, width: bytes.unsigned_abs() }).collect();
    SourceLoop { range, parent, strides, additions: 0 }
}

/// The machine loops of `f`, by source loop, role and elements.
fn check(flags: &str, text: &str, loops: &[SourceLoop]) -> Vec<(usize, Role, u64)> {
    let unit = unit(flags, text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: loops.to_vec(), blocks: Vec::new() };
    let found = match_loops(&code, &source, &places(&code, &source));
    let matched = found.into_values().map(|found| found.expect("matched"));
    let mut all: Vec<_> = matched.map(|MatchedLoop { source, role, elements, .. }| (source, role, elements)).collect();
    all.sort_unstable();
    all
}

const SCALE: &str = "void f(double *restrict a, const double *restrict b, long n) {\n\
                     for (long i = 0; i < n; i++)\n    a[i] = 3 * b[i];\n}\n";

#[test]
fn a_scalar_loop_is_one_loop_of_one_element() {
    let source = [source_loop("f", (2, 3), None, &[(3, 8), (3, 8)])];
    for flags in ["-O0", "-O1", "-O2 -fno-tree-vectorize"] {
        assert_eq!(check(flags, SCALE, &source), [(0, Role::Main, 1)], "{flags}");
    }
}

#[test]
fn vectors_have_a_main_loop_and_a_remainder() {
    let source = [source_loop("f", (2, 3), None, &[(3, 8), (3, 8)])];
    let found = check("-O3 -mavx2", SCALE, &source);
    assert!(found.contains(&(0, Role::Main, 4)), "{found:?}");
    // Three elements are left at most: some versions of gcc write them out, others make a loop of them.
    assert!(found.iter().skip(1).all(|&(_, role, elements)| role == Role::Remainder && elements < 4), "{found:?}");
    let unrolled = check("-O3 -mavx2 -funroll-loops", SCALE, &source);
    assert!(unrolled.iter().any(|&(_, role, elements)| role == Role::Main && elements >= 16), "{unrolled:?}");
}

#[test]
fn arrays_that_may_overlap_have_two_versions() {
    let text = "void f(int *a, const int *b, long n) {\n  for (long i = 0; i < n; i++)\n    a[i] = 3 * b[i];\n}\n";
    let found = check("-O3", text, &[source_loop("f", (2, 3), None, &[(3, 4), (3, 4)])]);
    assert!(found.contains(&(0, Role::Main, 4)), "{found:?}");
    assert!(found.iter().any(|&(_, role, elements)| role != Role::Main && elements == 1), "{found:?}");
}

#[test]
fn a_strided_sum_on_vectors_counts_iterations_and_not_elements_loaded() {
    let text = "int f(const int *a, long n) {\n  int s = 0;\n  for (long i = 0; i < n; i++)\n    s += a[2 * i];\n  return s;\n}\n";
    let found = check("-O3 -mavx2", text, &[source_loop("f", (3, 4), None, &[(4, 8)])]);
    assert!(found.contains(&(0, Role::Main, 8)), "{found:?}");
}

const CHECKSUM: &str = "unsigned f(unsigned c, const unsigned *t) {\n  for (int i = 0; i < 1024; i++)\n\
                        c = t[c & 255] ^ (c >> 8);\n  return c;\n}\n";

#[test]
fn copies_without_an_access_that_advances_are_told_by_what_they_compute() {
    let source = [source_loop("f", (2, 3), None, &[])];
    assert_eq!(check("-O2", CHECKSUM, &source), [(0, Role::Main, 1)]);
    assert_eq!(check("-O2 -funroll-loops", CHECKSUM, &source), [(0, Role::Main, 8)]);
}

const TWICE: &str = "static inline unsigned step(unsigned c) {\n  return (c * 5 + 1) ^ (c >> 3);\n}\n\
                     unsigned f(unsigned c, unsigned d, long n) {\n  for (long i = 0; i < n; i++) {\n    c = step(c);\n\
                     d = step(d);\n  }\n  return c + d;\n}\n";

#[test]
fn calls_that_are_inlined_are_no_copies_of_the_iteration() {
    let source = [source_loop("f", (5, 8), None, &[])];
    assert_eq!(check("-O2", TWICE, &source), [(0, Role::Main, 1)]);
}

#[test]
fn nests_and_inlined_loops_keep_their_order() {
    let text = "static inline double row(const double *a, long n) {\n  double s = 0;\n  for (long j = 0; j < n; j++)\n    s += a[j];\n\
                return s;\n}\nvoid f(double *r, const double *a, long n) {\n  for (long i = 0; i < n; i++)\n    r[i] = row(a + i * n, n);\n}\n";
    let source = [source_loop("row", (3, 4), None, &[(4, 8)]), source_loop("f", (8, 9), None, &[(9, 8)])];
    assert_eq!(check("-O2", text, &source), [(0, Role::Main, 1), (1, Role::Main, 1)]);
    // Not inlined, the inner loop is that of another function.
    assert_eq!(check("-O0", text, &source), [(1, Role::Main, 1)]);
}

#[test]
fn a_loop_that_is_written_out_leaves_the_loop_around_it() {
    let text = "void f(double *a, long n) {\n  for (long i = 0; i < n; i++)\n    for (int j = 0; j < 3; j++)\n      a[3 * i + j] *= 1.5;\n}\n";
    let source = [source_loop("f", (2, 4), None, &[(4, 24)]), source_loop("f", (3, 4), Some(0), &[(4, 8), (4, 8)])];
    assert_eq!(check("-O1", text, &source), [(0, Role::Main, 1), (1, Role::Main, 1)]);
    let found = check("-O3 -fno-tree-vectorize -fno-tree-slp-vectorize", text, &source);
    assert_eq!(found, [(0, Role::Main, 1)]);
}

#[test]
fn vectors_of_what_no_stride_tells_have_a_reason() {
    let text = "unsigned f(unsigned n) {\n  unsigned s = 0;\n  for (unsigned i = 0; i < n; i++)\n    s ^= i * i;\n  return s;\n}\n";
    let unit = unit("-O3", text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: vec![source_loop("f", (3, 4), None, &[])], blocks: Vec::new() };
    let found = match_loops(&code, &source, &places(&code, &source));
    assert!(
        found.values().any(|found| found.as_ref().is_err_and(|found| found.reason.0.contains("vectors"))),
        "{found:?}"
    );
}

#[test]
fn vectors_within_an_iteration_do_not_count_as_several() {
    // Neighbours are swapped by one vector, in a function whose accesses have no stride; a loop walks on by one of them.
    let text = "static void swap(int *a, int *b) {\n  int kept = *a;\n  *a = *b;\n  *b = kept;\n}\n\
                void f(int *v, long n) {\n  for (long j = n; j > 0 && v[j] > v[j - 1]; j--)\n    swap(&v[j], &v[j - 1]);\n}\n";
    for flags in ["-O2 -fno-tree-vectorize", "-O2 -ftree-slp-vectorize", "-O3"] {
        assert_eq!(check(flags, text, &[source_loop("f", (7, 8), None, &[])]), [(0, Role::Main, 1)], "{flags}");
    }
}

#[test]
fn interchanged_loops_are_told() {
    let text = "double x[2000], y[2000];\nvoid f(int n) {\n  for (int r = 0; r < 4; r++)\n    for (int i = 0; i < n; i++)\n\
                      y[i] = x[i] / (y[i] + 2.0);\n}\n";
    // The machine loop is said to be that of line 3, and walks as that of line 4 does.
    let loops = [source_loop("f", (3, 3), None, &[]), source_loop("f", (30, 40), Some(0), &[(5, 8)])];
    let wide = SourceLoop { range: SourceRange { end: (5, 200), ..loops[0].range.clone() }, ..loops[0].clone() };
    let unit = unit("-O1", &text.replace("r < 4", "r < 1"));
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: vec![wide, loops[1].clone()], blocks: Vec::new() };
    let found = match_loops(&code, &source, &places(&code, &source));
    let told = |found: &Result<MatchedLoop, _>| {
        found.as_ref().is_err_and(|it: &UnmatchedLoop| it.reason.0.contains("interchanged"))
    };
    assert!(found.values().any(told), "{found:?}");
    let walks_as =
        |found: &Result<MatchedLoop, UnmatchedLoop>| found.as_ref().is_err_and(|it| it.walks_as.contains(&1));
    assert!(found.values().any(walks_as), "{found:?}");
    // A loop inside that iterates once cannot be exchanged with the one around it.
    let found = match_loops_of_run(&code, &source, &places(&code, &source), &[1].into());
    let matched = found.values().flatten().filter(|found| (found.source, found.elements) == (0, 1));
    assert_eq!(matched.count(), found.len(), "{found:?}");
}

#[test]
fn unroll_and_jam_is_told_by_its_additions() {
    let text = "double x[2048], y[2048];\nvoid f(double a) {\n  for (int r = 0; r < 8; r++)\n    for (int i = 0; i < 2048; i++)\n\
                      y[i] += a * x[i];\n}\n";
    let inner = SourceLoop { additions: 1, ..source_loop("f", (4, 5), Some(0), &[(5, 8), (5, 8)]) };
    let loops = [source_loop("f", (3, 5), None, &[]), inner];
    let found = check("-O3 -mavx2 -fno-loop-interchange -fno-loop-unroll-and-jam", text, &loops);
    assert!(found.contains(&(0, Role::Main, 1)) && found.contains(&(1, Role::Main, 4)), "{found:?}");
    let jammed = check("-O3 -mavx2 -fno-loop-interchange -floop-unroll-and-jam", text, &loops);
    assert!(jammed.iter().any(|&(source, _, elements)| source == 0 && elements > 1), "{jammed:?}");
}

#[test]
fn loops_of_other_lines_are_not_matched() {
    let unit = unit("-O1", SCALE);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: vec![source_loop("f", (20, 30), None, &[])], blocks: Vec::new() };
    let found = match_loops(&code, &source, &places(&code, &source));
    assert!(found.values().all(Result::is_err) && !found.is_empty(), "{found:?}");
}

#[test]
fn interchanged_loops_are_not_taken_for_the_loop_around_them() {
    // gcc makes the loop over k the inner one of i's, with all of j on vectors in it.
    let text = "long r[20][20], a[20][20], b[20][20];\nvoid f(void) {\n  for (int i = 0; i < 20; i++)\n    for (int j = 0; j < 20; j++)\n\
                for (int k = 0; k < 20; k++)\n        r[i][j] += a[i][k] * b[k][j];\n}\n";
    let source = [
        source_loop("f", (3, 6), None, &[(6, 160), (6, 160)]),
        source_loop("f", (4, 6), Some(0), &[(6, 8), (6, 8)]),
        source_loop("f", (5, 6), Some(1), &[(6, 8), (6, 160)]),
    ];
    let unit = unit("-O3 -march=skylake-avx512", text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: source.to_vec(), blocks: Vec::new() };
    let found = match_loops(&code, &source, &places(&code, &source));
    let of_j = found.values().flatten().filter(|found| found.source == 1 && found.elements > 8);
    assert_eq!(of_j.count(), 0, "{found:?}");
}

#[test]
fn a_loop_whose_inner_loop_is_written_out_is_not_taken_for_that() {
    // A row has as many bytes as nobody knows: only the accesses of the inner loop have a stride in the source.
    let text = "void f(double *restrict out, const double *in, long n) {\n  for (long k = 0, j = 0; j < n; j++)\n\
                for (int i = 0; i < 2; i++)\n      out[k++] = in[j * n + i];\n}\n";
    let source = [source_loop("f", (2, 4), None, &[]), source_loop("f", (3, 4), Some(0), &[(4, 8), (4, 8)])];
    assert_eq!(check("-O2", text, &source), [(0, Role::Main, 1)]);
}

#[test]
fn a_loop_whose_jump_back_is_of_the_loop_written_out_inside_is_the_one_around() {
    // At most 63 iterations inside: gcc writes them out as vectors with an exit behind each, the jump back has the inner line.
    let text = "double a[64][64], y[64], x[64];\nvoid f(void) {\n  for (int i = 0; i < 64; i++) {\n    double w = y[i];\n\
                for (int j = 0; j < i; j++)\n      w -= a[i][j] * x[j];\n    y[i] = w;\n  }\n}\n";
    let outer = source_loop("f", (3, 8), None, &[(6, 512), (4, 8), (7, 8)]);
    let inner = source_loop("f", (5, 6), Some(0), &[(6, 8)]);
    let flags = "-O3 -march=skylake-avx512 -mprefer-vector-width=512";
    let unit = unit(flags, text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: vec![outer, inner], blocks: Vec::new() };
    let found = match_loops(&code, &source, &places(&code, &source));
    let outermost = code.forest.loops.iter().filter(|(_, natural)| natural.parent.is_none());
    let homes: Vec<_> =
        outermost.map(|(id, _)| found[&id].as_ref().map(|found| (found.source, found.elements))).collect();
    assert!(homes.iter().all(|home| *home == Ok((0, 1))), "{homes:?}");
}

/// The machine loop of `f` with the most elements: source loop, elements and the source loop that they walk along.
fn widest(flags: &str, text: &str, loops: &[SourceLoop]) -> (usize, u64, usize) {
    let unit = unit(flags, text);
    let code = FunctionCode::new(&unit, unit.function("f").expect("f is there"));
    let source = SourceFunctions { loops: loops.to_vec(), blocks: Vec::new() };
    let found = match_loops(&code, &source, &places(&code, &source));
    let widest = found.into_values().flatten().max_by_key(|found| found.elements).expect("matched");
    (widest.source, widest.elements, widest.nearest)
}

#[test]
fn a_loop_along_columns_that_has_the_rows_written_out_handles_whole_rows() {
    let text = "float a[64][64], b[64][64];\nvoid f(void) {\n  for (int i = 0; i < 64; i++)\n    for (int j = 1; j < 64; j++)\n\
                a[j][i] = a[j - 1][i] + b[j][i];\n}\n";
    let row = SourceStride { line: 5, bytes: 4, width: 4 };
    let column = SourceStride { line: 5, bytes: 256, width: 4 };
    let loops = [
        SourceLoop { strides: vec![row; 3], ..source_loop("f", (3, 5), None, &[]) },
        SourceLoop { strides: vec![column; 3], ..source_loop("f", (4, 5), Some(0), &[]) },
    ];
    let flags = "-O3 -march=skylake-avx512 -mprefer-vector-width=512";
    assert_eq!(widest(flags, text, &loops), (1, 64, 0));
}

const SPLIT: &str = "void f(float *a, int n, float v, int s) {\n  if (s == -1) {\n    for (int i = 0; i < n; i++)\n      a[i] = 1.f / (float)(i + 1);\n  } else if (s == -2) {\n    for (int i = 0; i < n; i++)\n      a[i] = 1.f / (float)((i + 1) * (i + 1));\n  } else {\n    for (int i = 0; i < n; i += s)\n      a[i] = v;\n  }\n}\nvoid g(float a[256][256], float v, int s) {\n  for (int i = 0; i < 256; i++)\n    f(a[i], 256, v, s);\n}\n";

#[test]
fn a_part_that_was_split_off_and_put_back_is_the_function_itself() {
    let unit = unit("-Os", SPLIT);
    let machine = unit.function("f").expect("f is there");
    let own = |function: &chronos_compiled::object_code::MachineFunction| {
        function.frames.iter().filter(|frames| frames.len() > 1).count()
    };
    assert!(own(machine) > 0, "gcc splits it no more");
    assert_eq!(
        [own(&machine.with_parts_joined(|_| false)), own(&machine.with_parts_joined(|_| true))],
        [0, own(machine)]
    );
}
