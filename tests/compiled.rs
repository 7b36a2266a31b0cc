//! `--cost-model compiled`: what must hold whatever the version of the compiler.

use assert_cmd::Command;

const PROGRAM: &str = "#define ROUNDS 50
double a[1000], b[1000], most;
static double square(double x) { return x * x; }
__attribute__((noinline)) void scale(int n) {
  for (int r = 0; r < ROUNDS; r++)
    for (int i = 0; i < n; i++)
      a[i] = a[i] * 1.5 + square(b[i]);
}
__attribute__((noinline)) void greatest(int n) {
  double m = 0;
  for (int i = 0; i < n; i++)
    if (b[i] > m) m = b[i];
  most = m;
}
__attribute__((noinline)) void clear(int n) {
  for (int i = 0; i < n; i++) a[i] = 0;
}
int main(void) {
  scale(1000);
  greatest(1000);
  clear(1000);
  return 0;
}
";

fn predict(arguments: &[&str]) -> (Option<i32>, String, String) {
    predict_text(PROGRAM, arguments)
}

fn predict_text(program: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("kernels.c"), program).expect("written");
    let mut command = Command::cargo_bin("chronos").expect("the binary");
    command.current_dir(folder.path()).args(["predict", "kernels.c", "--cost-model", "compiled"]);
    let output = command.args(arguments).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn prediction(flags: &str, machine: &str) -> serde_json::Value {
    let (code, out, error) = predict(&["--cc", flags, "--machine", machine, "--format", "json"]);
    assert_eq!(code, Some(0), "{error}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    json["predictions"][0].clone()
}

/// Nanoseconds of all iterations of the loop at a line.
fn loop_ns(prediction: &serde_json::Value, line: u64) -> f64 {
    let loops = prediction["loops"].as_array().expect("loops");
    let found = loops.iter().find(|l| l["line_start"] == line).expect("the loop was entered");
    found["time_s"].as_f64().expect("a time") * 1e9
}

#[test]
fn loops_are_priced_from_object_code_at_every_level() {
    for (flags, machine) in [
        ("gcc -O0", "epyc-zen5-gcc12-O0"),
        ("gcc -O1", "epyc-zen5-gcc12-O1"),
        ("gcc -O2", "epyc-zen5-gcc12-O2"),
        ("gcc -O3", "epyc-zen5-gcc12-O2"),
    ] {
        let found = prediction(flags, machine);
        assert_eq!(found["cost_model"], "compiled", "{flags}");
        let share = found["object_code"]["share"].as_f64().expect("a share");
        assert!(share > 0.9, "{flags}: {}", found["object_code"]);
        // Each iteration takes a quarter of a cycle at least, and none of these twenty.
        let each = loop_ns(&found, 6) / 50_000.0;
        assert!((0.05..5.0).contains(&each), "{flags}: {each} ns");
    }
}

#[test]
fn vectors_are_faster_than_scalars() {
    let scalar = loop_ns(&prediction("gcc -O3 -fno-tree-vectorize", "epyc-zen5-gcc12-O2"), 6);
    let vector = loop_ns(&prediction("gcc -O3 -mavx2", "epyc-zen5-gcc12-O2"), 6);
    assert!(vector < 0.5 * scalar, "{vector} and {scalar} ns");
}

#[test]
fn a_call_of_the_library_in_place_of_a_loop_is_priced_as_one() {
    // gcc makes a call of memset of the last loop.
    let found = prediction("gcc -O2", "epyc-zen5-gcc12-O2");
    let missed = found["object_code"]["from_source"].as_array().expect("a list");
    assert!(missed.iter().all(|row| row["function"] != "clear"), "{missed:?}");
    // The call of memset is the last of the function, so that gcc jumps there; no core stores more than 64 bytes in a cycle.
    let clear = found["functions"].as_array().expect("functions").iter().find(|row| row["name"] == "clear");
    let cleared = clear.and_then(|row| row["exclusive_s"].as_f64()).expect("its time");
    assert!((2e-8..5e-7).contains(&cleared), "{cleared}");
    assert!(loop_ns(&found, 16) > 0.0);
}

#[test]
fn what_is_not_object_code_is_told_with_its_reason() {
    let arguments = ["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2", "--verbose"];
    let (_, out, error) = predict_text(WRITTEN_OUT, &[&arguments[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
    let missed = json["predictions"][0]["object_code"]["from_source"].as_array().expect("a list");
    let sums = missed.iter().find(|row| row["line"] == 3).expect("it is listed");
    assert!(sums["reason"].as_str().is_some_and(|reason| reason.contains("cpuid")), "{sums}");
    assert!(error.contains("of the computing time come from object code"), "{error}");
}

/// The inner loop is written out (it has no machine loop) in an outer one with an instruction of which no core has a figure.
const WRITTEN_OUT: &str = "double a[1000][3], y[1000];
__attribute__((noinline)) void sums(void) {
  for (int i = 0; i < 1000; i++) {
    double s = 0;
    asm volatile(\"cpuid\" ::: \"eax\", \"ebx\", \"ecx\", \"edx\");
    for (int m = 0; m < 3; m++)
      s += a[i][m];
    y[i] = s;
  }
}
int main(void) { sums(); return 0; }
";

#[test]
fn a_loop_written_out_in_one_that_the_source_prices_is_priced_by_the_source_as_well() {
    let (_, out, error) =
        predict_text(WRITTEN_OUT, &["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
    let prediction = &json["predictions"][0];
    let missed = prediction["object_code"]["from_source"].as_array().expect("a list");
    let inner = missed.iter().find(|row| row["line"] == 6).expect("it is listed");
    assert_eq!(inner["reason"], "a loop around it is priced from the source");
    assert!(loop_ns(prediction, 6) > 0.0);
}

/// Segments of such programs begin in the middle of `main` and of its loops, in which others are inlined.
#[test]
fn loops_around_mpi_calls_are_priced_from_object_code() {
    for program in ["jacobi", "heat2d", "matmul", "intsort", "cg"] {
        let file = format!("testdata/programs/{program}.c");
        let mut command = Command::cargo_bin("chronos").expect("the binary");
        command.args(["predict", &file, "-n", "2", "--cost-model", "compiled", "--format", "json"]);
        let output = command.args(["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2"]).output().expect("it runs");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = &json["predictions"][0]["object_code"];
        assert!(found["share"].as_f64().expect("a share") > 0.9, "{program}: {found}");
    }
}

/// The exchange in the middle of a round ends segments there: no way through all of a round fits the counts of one. Loops of
/// two iterations are written out in those around them.
const EXCHANGE: &str = "#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#define N 200
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int other = rank ^ 1, error = 0;
  double *in = malloc(N * N * sizeof *in), *out = malloc(N * N * sizeof *out), sum = 0, all;
  double send[2 * N], receive[2 * N];
  if (!in || !out) { error = 1; printf(\"no memory\\n\"); MPI_Abort(MPI_COMM_WORLD, error); }
  for (int i = 0; i < N * N; i++) in[i] = out[i] = i % 7;
  for (int round = 0; round < 20; round++) {
    MPI_Request requests[2];
    MPI_Irecv(receive, 2 * N, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[0]);
    if (rank >= 0)
      for (int k = 0, j = 0; j < N; j++) for (int i = 0; i < 2; i++) send[k++] = in[j * N + i];
    MPI_Isend(send, 2 * N, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    for (int k = 0, j = 0; j < N; j++) for (int i = 0; i < 2; i++) in[j * N + i] = receive[k++];
    for (int j = 2; j < N - 2; j++)
      for (int i = 2; i < N - 2; i++)
        for (int k = -2; k <= 2; k++) out[j * N + i] += 0.25 * in[(j + k) * N + i];
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) in[j * N + i] += 1.0;
  }
  for (int j = 2; j < N - 2; j++)
    for (int i = 2; i < N - 2; i++) sum += out[j * N + i];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf(\"%f\\n\", all);
  MPI_Finalize();
  return 0;
}
";

#[test]
fn loops_between_mpi_calls_of_a_round_are_priced_from_object_code() {
    for flags in ["gcc -O2", "gcc -O3"] {
        let arguments = ["-n", "2", "--cc", flags, "--machine", "epyc-zen5-gcc12-O2", "--format", "json"];
        let (_, out, error) = predict_text(EXCHANGE, &arguments);
        let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
        let found = &json["predictions"][0]["object_code"];
        assert!(found["share"].as_f64().expect("a share") > 0.97, "{flags}: {found}");
    }
}

/// Both arms end with a copy of the end of the loop: by the places of their instructions, each may run in all iterations.
const ARMS: &str = "float a[32000], b[32000], c[32000], d[32000];
__attribute__((noinline)) void halves(void) {
  for (int i = 0; i < 32000; i++) {
    if (i + 1 < 16000) {
      a[i] += b[i] * c[i];
    } else {
      a[i] += b[i] * d[i];
    }
  }
}
int main(void) {
  halves();
  return 0;
}
";

#[test]
fn both_arms_of_a_branch_are_on_ways_that_are_timed() {
    let arguments = ["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2", "--format", "json"];
    let (_, out, error) = predict_text(ARMS, &arguments);
    let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
    let found = &json["predictions"][0]["object_code"];
    assert!(found["share"].as_f64().expect("a share") > 0.97, "{found}");
}

#[test]
fn loops_that_the_source_prices_otherwise_are_listed() {
    let found = prediction("gcc -O3 -fno-tree-vectorize -fno-tree-loop-distribute-patterns", "epyc-zen5-gcc12-O2");
    let listed = found["object_code"]["differences"].as_array().expect("a list");
    for row in listed {
        let [compiled, source] = ["object_code_s", "source_s"].map(|name| row[name].as_f64().expect("a time"));
        assert!((compiled - source).abs() > 0.2 * compiled.min(source), "{row}");
    }
    let lines: Vec<u64> = listed.iter().filter_map(|row| row["line"].as_u64()).collect();
    // The source is priced for a compiler that makes a call of memset.
    assert!(lines.contains(&16), "{lines:?}");
}

#[test]
fn without_compiler_or_core_times_come_from_the_source() {
    for (arguments, code) in [
        (&["--machine", "pentium2-350", "--cc", "gcc -O2"][..], "C1307"),
        (&["--machine", "raspberry-pi4-cortex-a72-gcc12-O2", "--cc", "gcc -O2"], "C1311"),
        (&["--machine", "epyc-zen5-gcc12-O2", "--set", "ROUNDS=20"][..], "C1310"),
    ] {
        let (_, _, error) = predict(arguments);
        assert!(error.contains(code) && error.contains("times come from the source"), "{arguments:?}: {error}");
    }
}

/// A static function with one caller has no symbol: its loops stand in the caller's code, and are its own all the same.
const INLINED: &str = "double a[4000], b[4000];
ATTRIBUTE static void scale(int n, double f) {
  for (int r = 0; r < 40; r++)
    for (int i = 0; i < n; i++)
      a[i] = a[i] * f + b[i];
}
int main(void) {
  for (int i = 0; i < 4000; i++) b[i] = i;
  scale(4000, 1.5);
  return (int)a[7];
}
";

#[test]
fn loops_of_an_inlined_function_are_timed_in_the_code_of_its_caller() {
    let time = |attribute: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("inlined.c"), INLINED).expect("written");
        let mut command = Command::cargo_bin("chronos").expect("the binary");
        command.current_dir(folder.path()).args([
            "predict",
            "inlined.c",
            "--cost-model",
            "compiled",
            "--format",
            "json",
        ]);
        command.args(["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2"]).arg(format!("-DATTRIBUTE={attribute}"));
        let output = command.output().expect("it runs");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let functions = json["predictions"][0]["functions"].as_array().expect("functions");
        let scale = functions.iter().find(|row| row["name"] == "scale").expect("it was called");
        scale["exclusive_s"].as_f64().expect("a time")
    };
    let (inlined, apart) = (time(""), time("__attribute__((noinline))"));
    assert!((inlined / apart - 1.0).abs() < 0.1, "{inlined} and {apart} s");
}

/// A machine file whose figures are of this version of gcc.
fn machine_of(folder: &std::path::Path, version: &str) -> String {
    let shown =
        Command::cargo_bin("chronos").expect("the binary").args(["machine", "show", "epyc-zen5-gcc12-O2"]).output();
    let mut machine: serde_json::Value = serde_json::from_slice(&shown.expect("it runs").stdout).expect("JSON");
    machine["compiler"]["version"] = version.into();
    let path = folder.join("machine.json");
    std::fs::write(&path, machine.to_string()).expect("written");
    path.display().to_string()
}

/// What is predicted where nobody names a cost model: the report and the messages.
fn usual(folder: &std::path::Path, version: &str, arguments: &[&str]) -> (serde_json::Value, String) {
    usual_of(PROGRAM, folder, version, arguments)
}

fn usual_of(program: &str, folder: &std::path::Path, version: &str, arguments: &[&str]) -> (serde_json::Value, String) {
    std::fs::write(folder.join("kernels.c"), program).expect("written");
    let mut command = Command::cargo_bin("chronos").expect("the binary");
    command.current_dir(folder).env_remove("CHRONOS_COST_MODEL").env("XDG_CACHE_HOME", folder);
    command.args(["predict", "kernels.c", "--format", "json", "--machine", &machine_of(folder, version)]);
    let output = command.args(arguments).output().expect("it runs");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (json["predictions"][0].clone(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn here() -> String {
    let output = std::process::Command::new("gcc").arg("--version").output().expect("gcc is there");
    String::from_utf8_lossy(&output.stdout).lines().next().expect("a line").to_owned()
}

#[test]
fn object_code_is_usual_where_the_compiler_of_the_machine_file_is_at_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |version: &str, arguments: &[&str]| usual(folder.path(), version, arguments).0["cost_model"].clone();
    assert_eq!(check(&here(), &[]), "compiled");
    // Another version makes other code, and so does another source.
    assert_eq!(check("gcc (GCC) 99.1.0", &[]), "source");
    assert_eq!(check(&here(), &["--set", "ROUNDS=20"]), "source");
    assert_eq!(check(&here(), &["--cost-model", "source"]), "source");
    assert_eq!(check(&here(), &["--cc", "gcc -O3"]), "compiled");
}

#[test]
fn objects_are_kept_between_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let objects = || std::fs::read_dir(folder.path().join("chronos/objects")).map_or(0, Iterator::count);
    // Beside each object it is kept where its functions lie in the program, on cores for which that makes a difference.
    let (first, _) = usual(folder.path(), &here(), &[]);
    let kept = objects();
    assert!((1..=2).contains(&kept), "{kept}");
    let (second, _) = usual(folder.path(), &here(), &[]);
    assert_eq!((objects(), first == second), (kept, true));
    usual(folder.path(), &here(), &["-DROUNDS=60"]);
    // The program defines ROUNDS itself: another object of the same content.
    assert_eq!(objects(), kept + 1);
    // What is damaged is made anew.
    for entry in std::fs::read_dir(folder.path().join("chronos/objects")).expect("there").flatten() {
        std::fs::write(entry.path(), "{}").expect("written");
    }
    assert_eq!(usual(folder.path(), &here(), &[]).0, first);
}

/// A recorded run that is scaled by two machines compiles its program no more often than others.
#[test]
fn the_comparison_of_two_machines_keeps_objects() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy("testdata/programs/ring.c", folder.path().join("ring.c")).expect("copied");
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("chronos").expect("the binary");
        command.current_dir(folder.path()).env_remove("CHRONOS_COST_MODEL").env("XDG_CACHE_HOME", folder.path());
        command.args(arguments).assert().code(0);
    };
    run(&["record", "ring.c", "-n", "2", "--mpi", "bundled", "-o", "ring.rec"]);
    let machines = format!("{}:pentium2-350", machine_of(folder.path(), &here()));
    run(&["predict", "ring.c", "--recorded", "ring.rec", "--machine-ratio", &machines]);
    assert_eq!(std::fs::read_dir(folder.path().join("chronos/objects")).map_or(0, Iterator::count), 1);
}

#[test]
fn a_compiler_that_refuses_the_program_is_told_where_nobody_asked_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    // The jump skips a declaration that it must not skip.
    let jump =
        "int main(int argc, char **argv) { if (argc > 5) goto in; { int a[argc]; in: a[0] = 1; return a[0] - 1; } }";
    let (found, told) = usual_of(jump, folder.path(), &here(), &[]);
    assert_eq!(found["cost_model"], "source", "{told}");
    assert!(told.contains("note") && told.contains("C1302"), "{told}");
}

/// A function that is inlined where it is called, as often as `calls` says, once of them before the loop that has the others.
fn inlined(calls: &str) -> String {
    format!(
        "double a[1000], b[1000], c[1000];
static inline __attribute__((always_inline)) void scale(double *x) {{
  for (int i = 0; i < 1000; i++)
    x[i] = x[i] * 1.5 + 1;
}}
__attribute__((noinline)) void all(int n) {{ {calls} }}
int main(void) {{ all(10); return 0; }}
"
    )
}

#[test]
fn copies_of_an_inlined_loop_share_its_iterations() {
    let of = |calls: &str| {
        let arguments = ["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2", "--format", "json"];
        let (_, out, error) = predict_text(&inlined(calls), &arguments);
        let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
        loop_ns(&json["predictions"][0], 3)
    };
    let once = of("for (int k = 0; k < n; k++) scale(a);");
    let thrice = of("for (int k = 0; k < n; k++) { scale(a); scale(b); scale(c); }");
    assert!((2.4..3.6).contains(&(thrice / once)), "{once} and {thrice} ns");
    // One more entry of eleven, at another level of nesting.
    let before = of("scale(b); for (int k = 0; k < n; k++) scale(a);");
    assert!((1.0..1.3).contains(&(before / once)), "{once} and {before} ns");
}

/// gcc 12 runs the rows of a block in a loop of its own where `columns` is not positive, inside the loop over blocks.
const THREADED: &str = "#include <stdlib.h>
#define P 24
__attribute__((noinline))
static void apply(int blocks, int rows, int columns, double in[blocks][rows][P], double matrix[P][P], double line[P]) {
  for (int b = 0; b < blocks; b++)
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < columns; c++) {
        line[c] = 0;
        for (int k = 0; k < columns; k++)
          line[c] += in[b][r][k] * matrix[k][c];
      }
      for (int c = 0; c < columns; c++)
        in[b][r][c] = line[c];
    }
}
int main(int argc, char **argv) {
  int blocks = argc + 9, rows = argc + 19, columns = argc + P - 1;
  double (*in)[rows][P] = calloc(blocks, sizeof *in), matrix[P][P] = {{1}}, line[P];
  apply(blocks, rows, columns, in, matrix, line);
  return in[0][0][0] > 1;
}
";

#[test]
fn a_loop_that_runs_without_its_inner_ones_is_a_version_of_what_is_inside() {
    let arguments = ["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2", "--format", "json"];
    let (_, out, error) = predict_text(THREADED, &arguments);
    let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
    let prediction = &json["predictions"][0];
    let share = prediction["object_code"]["share"].as_f64().expect("a share");
    assert!(share > 0.97, "{share}");
    // Seven instructions of each iteration leave a core that begins eight in a cycle about one iteration per cycle.
    let cycles = loop_ns(prediction, 9) / 115_200.0 * 4.1;
    assert!((0.8..2.5).contains(&cycles), "{cycles} cycles per iteration");
}

/// Searches for 500 values that follow no rule, the same in each call.
const SEARCHES: &str = "#include <stdlib.h>
static long table[300];
static unsigned char data[500];
static long decode(void) {
  long sum = 0;
  for (int i = 0; i < 500; i++) {
    long key = data[i];
    int j = 0;
    while (table[j] < key) ++j;
    sum += j;
  }
  return sum;
}
int main(int argc, char **argv) {
  unsigned seed = 1;
  long all = 0;
  for (int i = 0; i < 300; i++) table[i] = i * 40;
  for (int i = 0; i < 500; i++) {
    seed = seed * 1103515245u + 12345u;
    data[i] = seed >> 24;
  }
  for (int call = 0; call < atoi(argv[1]); call++) all += decode();
  return all > 1000;
}
";

#[test]
fn ends_of_searches_that_repeat_are_predicted() {
    let search = |calls: &str| {
        let (_, out, error) =
            predict_text(SEARCHES, &["--machine", "epyc-zen5-gcc12-O2", "--format", "json", "--", calls]);
        let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
        loop_ns(&json["predictions"][0], 9)
    };
    let (once, often) = (search("1"), search("60"));
    assert!(often < 20.0 * once, "{once} ns and {often} ns");
}

const MOVED: &str = "float a[32000], b[32000];
__attribute__((noinline)) void ahead(int m) {
  for (int i = 0; i < m; i++)
    a[i + m] = a[i] + b[i];
}
int path[180][180];
__attribute__((noinline)) void shortest(void) {
  for (int k = 0; k < 180; k++)
    for (int i = 0; i < 180; i++)
      for (int j = 0; j < 180; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}
int main(void) {
  ahead(16000);
  shortest();
  return 0;
}
";

#[test]
fn arrays_overlap_where_an_index_is_another_counter_and_not_where_it_is_an_argument() {
    let flags = "gcc -O3 -march=skylake-avx512 -mprefer-vector-width=512";
    let (code, out, error) =
        predict_text(MOVED, &["--cc", flags, "--machine", "epyc-zen5-gcc12-O2", "--format", "json"]);
    assert_eq!(code, Some(0), "{error}");
    let found: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let each = |line, iterations: f64| loop_ns(&found["predictions"][0], line) / iterations;
    // Vectors, which gcc runs where a check finds the places apart: each iteration is a fraction of a cycle of 0.24 ns, and its lines
    // come from the second level.
    assert!(each(3, 16000.0) < 0.12, "{} ns", each(3, 16000.0));
    // The store of a row reaches what the iteration around takes from it: gcc's check fails in each row.
    let shortest = each(10, 180.0 * 180.0 * 180.0);
    assert!(shortest > 0.2, "{shortest} ns");
}

const NOT_TAKEN: &str = "double a[400000], b[400000], c[400000];
__attribute__((noinline)) void step(double t) {
  for (int i = 0; i < 400000; i++)
    if (c[i] >= t)
      a[i] += b[i];
}
int main(int argc, char **argv) {
  for (int i = 0; i < 400000; i++) c[i] = 0.5;
  for (int r = 0; r < 20; r++) step(argc > 1 ? 1.0 : 0.0);
  return 0;
}
";

#[test]
fn lines_of_an_arm_that_is_not_taken_are_not_waited_for() {
    let machine = ["--cc", "gcc -O1", "--machine", "epyc-zen5-gcc12-O1", "--format", "json"];
    let ns = |argument: &[&str]| {
        let (code, out, error) = predict_text(NOT_TAKEN, &[&machine[..], &["--"], argument].concat());
        assert_eq!(code, Some(0), "{error}");
        let found: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        loop_ns(&found["predictions"][0], 3) / 8e6
    };
    let (taken, not_taken) = (ns(&[]), ns(&["x"]));
    // Two cycles and the lines of one array against those and the lines of three.
    assert!(not_taken < 0.75 * taken, "{not_taken} and {taken} ns");
}

const REJECTED: &str = "double x[3002], y[3000];
__attribute__((noinline)) void pairs(double most, int terms) {
  for (int i = 0; i < 3000; i++) {
    double r = 0;
    for (int m = 0; m < terms; m++) r += x[i + m] * x[i + m];
    if (r > most) continue;
    y[i] = 1 / (r / y[i] + 1);
  }
}
int main(int argc, char **argv) {
  for (int i = 0; i < 3002; i++) x[i] = 0.5;
  for (int i = 0; i < 3000; i++) y[i] = 0.5;
  pairs(argc - 1, 3);
  return 0;
}
";

#[test]
fn what_a_condition_behind_a_loop_rejects_is_not_executed() {
    let ns = |arguments: &[&str]| {
        let machine = ["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2", "--format", "json", "--"];
        let (_, out, error) = predict_text(REJECTED, &[&machine[..], arguments].concat());
        let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
        loop_ns(&json["predictions"][0], 3)
    };
    // Jumps that test the condition alone have the place of its parenthesis, which is in no statement.
    let (rejected, accepted) = (ns(&[]), ns(&["x"]));
    assert!(rejected < 0.25 * accepted, "{rejected} and {accepted} ns");
}

#[test]
fn loops_of_programs_with_unswitched_loops_and_pushed_arguments_are_priced_from_object_code() {
    // gcc -O2 leaves the loop over repetitions of transpose.c entered at two places, and pushes arguments of MPI calls in nbody.c.
    for name in ["transpose", "nbody"] {
        let program = format!("{}/testdata/programs/{name}.c", env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::cargo_bin("chronos").expect("the binary");
        command.args(["predict", &program, "-n", "2", "--cost-model", "compiled", "--cc", "gcc -O2"]);
        let output = command.args(["--machine", "epyc-zen5-gcc12-O2", "--format", "json"]).output().expect("it runs");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let share = json["predictions"][0]["object_code"]["share"].as_f64().expect("a share");
        assert!(share > 0.9, "{name}: {}", json["predictions"][0]["object_code"]);
    }
}

const COLUMNS: &str = "float a[256][256], b[256][256];
__attribute__((noinline)) void columns(void) {
  for (int i = 0; i < 256; i++)
    for (int j = 1; j < 256; j++)
      a[j][i] = a[j - 1][i] + b[j][i];
}
int main(void) {
  for (int r = 0; r < 10; r++) columns();
  return (int)a[3][4];
}
";

#[test]
fn a_walk_over_columns_that_the_compiler_interchanged_is_one_along_rows() {
    let ns = |flags: &str| {
        let (code, out, error) =
            predict_text(COLUMNS, &["--cc", flags, "--machine", "epyc-zen5-gcc12-O2", "--format", "json"]);
        assert_eq!(code, Some(0), "{error}");
        let found: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        loop_ns(&found["predictions"][0], 4) / (10.0 * 256.0 * 255.0)
    };
    // Stores to lines a kilobyte apart wait for each other: some nanoseconds each.
    let apart = ns("gcc -O2 -fno-loop-interchange");
    assert!(apart > 1.0, "{apart} ns");
    // Sixteen columns at once along rows (measured with 512 bits on a Zen 5: 0.03 ns).
    let along = ns("gcc -O3 -march=skylake-avx512 -mprefer-vector-width=512");
    assert!(along < 0.1, "{along} ns");
}

/// With gcc 12 at -Os, the nest stands there twice, the second time entered in the middle, behind registers that are saved where
/// the inner loop runs first (shrink-wrapping): its cycles are nested the other way round. gcc 11 at -O2 leads around the inner
/// loop's condition (jump threading), which makes a cycle with two entries.
const TRIANGLE: &str = "double a[60][60], b[60][80];
__attribute__((noinline, noclone)) void multiply(int m, int n, double alpha, double a[60][60], double b[60][80]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        b[i][j] += a[k][i] * b[k][j];
      b[i][j] = alpha * b[i][j];
    }
}
int main(void) { multiply(60, 80, 1.5, a, b); return 0; }
";

#[test]
fn cycles_that_are_entered_in_the_middle_lose_no_iterations() {
    for flags in ["gcc -Os", "gcc -O2"] {
        let arguments = ["--cc", flags, "--machine", "epyc-zen5-gcc12-O2", "--format", "json"];
        let (_, out, error) = predict_text(TRIANGLE, &arguments);
        let json: serde_json::Value = serde_json::from_str(&out).expect(&error);
        // 141,600 iterations that add to memory one after the other: a nanosecond each at the least clock of 2 GHz and two cycles.
        let inner = loop_ns(&json["predictions"][0], 5);
        assert!(inner > 50_000.0, "{flags}: {inner} ns");
    }
}

/// The call and the return of an empty function keep the unit of jumps for four cycles (a Zen 4 takes 4.98 of them for a loop
/// with one such call, 8.96 with two), through a pointer as well: the call is among the instructions of the loop and costs nothing
/// beside them.
#[test]
fn a_call_through_a_pointer_costs_what_a_direct_one_does() {
    let program = "long a[8];
__attribute__((noinline)) void tick(long i) { a[i & 7] = i; }
__attribute__((noinline)) void direct(long n) {
  for (long i = 0; i < n; i++) tick(i);
}
__attribute__((noinline)) void by_pointer(long n, void (*call)(long)) {
  for (long i = 0; i < n; i++) call(i);
}
int main(void) { direct(1000); by_pointer(1000, tick); return 0; }
";
    let arguments = ["--cc", "gcc -O2", "--machine", "epyc-zen4-gcc12-O2", "--format", "json", "-q"];
    let (code, out, error) = predict_text(program, &arguments);
    assert_eq!(code, Some(0), "{error}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let functions = json["predictions"][0]["functions"].as_array().expect("functions").clone();
    let cycles = |name: &str| {
        let found = functions.iter().find(|function| function["name"] == name).expect("it was called");
        found["inclusive_s"].as_f64().expect("a time") * 3.7e9 / 1000.0
    };
    let (direct, by_pointer) = (cycles("direct"), cycles("by_pointer"));
    assert!((3.5..5.5).contains(&direct), "{direct} cycles");
    assert!((by_pointer / direct - 1.0).abs() < 0.2, "{by_pointer} and {direct} cycles");
}

/// A loop of an inlined function that is written out in a loop of which an instruction has no figures is not timed with that one,
/// which the source prices.
#[test]
fn what_is_inlined_where_the_source_prices_is_priced_by_the_source_as_well() {
    let program = |instruction: &str| {
        format!(
            "#include <stddef.h>
double y[16];
char text[64];
static inline __attribute__((always_inline)) void squares(double *x) {{
  for (int i = 0; i < 4; i++)
    x[i] = x[i] * x[i];
}}
__attribute__((noinline)) void host(long rounds) {{
  for (long r = 0; r < rounds; r++) {{
    void *to = text; size_t n = 8;
    __asm__ volatile(\"{instruction}\" : \"+D\"(to), \"+c\"(n) : \"a\"(0) : \"memory\");
    squares(y + (r & 7));
  }}
}}
int main(void) {{ host(1000); return 0; }}
"
        )
    };
    let ns = |instruction: &str| {
        let arguments = ["--cc", "gcc -O3", "--machine", "epyc-zen5-gcc12-O2", "--format", "json", "-q"];
        let (code, out, error) = predict_text(&program(instruction), &arguments);
        assert_eq!(code, Some(0), "{error}");
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        loop_ns(&json["predictions"][0], 5)
    };
    // With a plain instruction, the code around has the time of the loop.
    assert_eq!(ns("nop"), 0.0);
    assert!(ns("rep stosb") > 300.0, "{}", ns("rep stosb"));
}

/// All calls of an inlined function come to its loop; which iterations of the loop around make such a call, a condition decides.
#[test]
fn a_loop_of_a_function_that_is_inlined_behind_a_condition_may_be_left_out() {
    let program = "unsigned data[9000];
static inline __attribute__((always_inline)) unsigned hash(const unsigned *s) {
  unsigned h = 1;
  for (int n = 0; s[n]; n++) h = h * 31 + s[n];
  return h;
}
__attribute__((noinline)) unsigned host(int n) {
  unsigned total = 0;
  for (int i = 0; i < n; i++) {
    if (data[i * 9] == 7) total += i + 2;
    else total += hash(data + i * 9);
  }
  return total;
}
int main(void) {
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 8; j++) data[i * 9 + j] = i % 3 ? j + 8 : 7;
  return host(1000) > 0;
}
";
    let arguments = ["--cc", "gcc -O2", "--machine", "epyc-zen5-gcc12-O2", "--format", "json", "-q"];
    let (code, out, error) = predict_text(program, &arguments);
    assert_eq!(code, Some(0), "{error}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let from_source = json["predictions"][0]["object_code"]["from_source"].as_array().expect("an array");
    assert!(
        from_source.iter().all(|found| found["function"] != "host" && found["function"] != "hash"),
        "{from_source:?}"
    );
}
