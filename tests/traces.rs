//! Traces of real runs: instrumented programs do what the originals do, and traced counts are the static
//! ones wherever these are exact.

mod common;

use chronos::frontend::SourceOptions;
use chronos::instrument::{Instrumented, Output, instrument};
use chronos::ir::{CLibrary, CounterId, DataModel};
use chronos::machine::network::Network;
use chronos::predict::evaluation::Job;
use chronos::predict::profile::traced::is_exact;
use chronos::report::counts::model::{BlockCounts, TaskCounts};
use chronos::trace::identity::Identity;
use chronos::trace::task::Ending;
use chronos::trace::{Trace, TracedCounts};
use common::{has_mpi, job, mpirun, sources};
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Ran};
use tempfile::TempDir;

/// An instrumented program in a folder of its own.
struct Instrumentation {
    folder: TempDir,
    job: Job,
    sources: Vec<PathBuf>,
}

impl Instrumentation {
    fn of(file: &Path, tasks: usize) -> Self {
        Self::with_loops_of(0.0, file, tasks)
    }

    /// As if all loops made so many iterations.
    fn with_loops_of(iterations: f64, file: &Path, tasks: usize) -> Self {
        let job = job(file, tasks, &[]);
        let options = SourceOptions {
            files: vec![file.to_owned()],
            model: DataModel::Lp64,
            c_library: CLibrary::Other,
            ..SourceOptions::default()
        };
        let instrumented: Instrumented =
            instrument(&job.program, &options, &|_| true, true, &|_| iterations).expect("it can be instrumented");
        let output = Output::new(&instrumented, &Identity::of(&job.program), tasks);
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in &output.files {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let sources = output.sources.iter().map(|name| folder.path().join(name)).collect();
        Self { folder, job, sources }
    }

    fn compile(&self, compiler: &str, flags: &[&str]) -> PathBuf {
        let program = self.folder.path().join("program");
        let mut command = Command::new(compiler);
        command.args(flags).arg("-w").arg("-I").arg(self.folder.path()).args(&self.sources);
        let status = command.arg("-o").arg(&program).arg("-lm").status().expect("the compiler runs");
        assert!(status.success(), "{compiler} {flags:?} {:?}", self.sources);
        program
    }

    fn traced(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn run(&self, program: &Path) -> Ran {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("CHRONOS_TRACE", self.traced()).output().expect("it runs")
    }

    fn counts(&self) -> Vec<TracedCounts> {
        let (trace, partial) = Trace::read(&self.traced(), &self.job.program, self.job.tasks).expect("a trace");
        assert!(partial.is_empty(), "{partial:?}");
        trace.counts()
    }
}

/// What the original does.
fn original(file: &Path, compiler: &str) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    let status = Command::new(compiler).args(["-O1", "-w", "-o"]).arg(&program).arg(file).arg("-lm").status();
    assert!(status.expect("the compiler runs").success());
    Command::new(&program).current_dir(folder.path()).output().expect("it runs")
}

fn counted(job: &Job) -> Vec<BlockCounts> {
    let network = Network::load("ethernet-100").expect("it is shipped");
    chronos::predict::profile::count(job, &network).blocks
}

/// Every counter that is statically exact: the trace has the same number. How many were compared.
fn compare(file: &Path, blocks: &[BlockCounts], job: &Job, traced: &[TracedCounts]) -> usize {
    let mut compared = 0;
    for (block, known) in job.program.blocks.values().zip(blocks) {
        for group in known.counts.iter().filter(|group| group.source == chronos::activity::CountSource::Static) {
            for (offset, count) in (0..).zip(counters(group)) {
                if !is_exact(count) {
                    continue;
                }
                for &task in &group.tasks {
                    let counter: CounterId = block.counter(offset);
                    let executed = traced[task as usize].get(&counter).copied();
                    let place = format!("{}:{} block {} counter {offset}", file.display(), known.line_start, known.id);
                    assert_eq!(executed.map(|n| n as f64), count.as_f64(), "{place} of task {task}");
                    compared += 1;
                }
            }
        }
    }
    compared
}

fn counters(group: &TaskCounts) -> Vec<chronos::activity::Count> {
    let parts = group.entries.iter().chain(group.taken.iter().flatten());
    std::iter::once(&group.amount.count).chain(parts).copied().collect()
}

const COMPILERS: [(&str, &[&str]); 7] = [
    ("gcc", &["-O0"]),
    ("gcc", &["-O3"]),
    ("clang", &["-O3"]),
    ("clang", &["-O2"]),
    ("gcc", &["-O2"]),
    ("clang", &["-O0"]),
    ("gcc", &["-O2", "-DCHRONOS_ORDER"]),
];

fn has(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok()
}

fn check(file: &Path, iterations: f64, compilers: &[(&str, &[&str])]) {
    let instrumentation = Instrumentation::with_loops_of(iterations, file, 1);
    let expected = original(file, "gcc");
    let blocks = counted(&instrumentation.job);
    for (compiler, flags) in compilers.iter().filter(|(compiler, _)| has(compiler)) {
        let program = instrumentation.compile(compiler, flags);
        let ran = instrumentation.run(&program);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let does_the_same = |other: &Ran| (&other.stdout, other.status.code()) == (&ran.stdout, ran.status.code());
        if !does_the_same(&expected) && *compiler != "gcc" && does_the_same(&original(file, compiler)) {
            // The program itself asks for what implementations define, as types of bit-fields in `_Generic`.
            continue;
        }
        assert_eq!(text(&ran.stdout), text(&expected.stdout), "{} {compiler} {flags:?}", file.display());
        assert_eq!(ran.status.code(), expected.status.code(), "{} {compiler} {flags:?}", file.display());
        let compared = compare(file, &blocks, &instrumentation.job, &instrumentation.counts());
        // How often what longjmp leads back to is executed is not known, all of `main` with it.
        let jumps = std::fs::read_to_string(file).is_ok_and(|text| text.contains("longjmp"));
        assert!(compared > 0 || jumps, "{}", file.display());
    }
}

#[test]
fn sequential_programs_do_the_same_and_count_as_known() {
    let files: Vec<PathBuf> = ["testdata/sequential", "testdata/semantics"].into_iter().flat_map(sources).collect();
    for (index, file) in files.iter().enumerate() {
        check(file, if index % 2 == 0 { 0.0 } else { 1000.0 }, &COMPILERS[index % COMPILERS.len()..][..1]);
    }
}

#[test]
fn every_form_of_control_flow_is_kept_by_every_compiler() {
    for file in sources("testdata/tracing") {
        for iterations in [0.0, 1000.0] {
            check(&file, iterations, &COMPILERS);
        }
    }
}

/// Only where index and bound change as the loop says and nothing leaves it; the text of the loop stays where it is.
#[test]
fn plain_loops_around_choices_run_in_pieces() {
    let file = Path::new("testdata/tracing/pieces.c");
    let instrumentation = Instrumentation::with_loops_of(1000.0, file, 1);
    let text = std::fs::read_to_string(instrumentation.folder.path().join("pieces.c")).expect("written");
    let functions: Vec<&str> = text.split("\nstatic ").filter(|text| text.contains('{')).collect();
    let of = |kind: &str| -> Vec<&str> {
        functions.iter().copied().filter(|text| text.lines().next().is_some_and(|line| line.contains(kind))).collect()
    };
    let (plain, other) = (of("plain_"), of("other_"));
    assert_eq!((plain.len(), other.len()), (6, 9));
    assert!(plain.iter().all(|text| text.contains("CHRONOS_PIECES(")), "{plain:?}");
    assert!(other.iter().all(|text| !text.contains("CHRONOS_PIECES(")), "{other:?}");
    assert_eq!(
        plain[1].lines().nth(3).map(str::trim),
        Some(
            "{ CHRONOS_LOCAL(4) CHRONOS_LOCAL(5) CHRONOS_LOCAL(6) for (long i = 3; i <= n - 1; i += 7) { \
             CHRONOS_PIECES(((unsigned long long)(n - 1) - (unsigned long long)(i)) / 7) CHRONOS_BYTE(5) \
             CHRONOS_BYTE(6) CHRONOS_PIECE(i += 7) { {CHRONOS_HERE(4);"
        )
    );
}

/// What all tasks print, times and order apart, without and with trace points.
#[test]
fn parallel_programs_print_the_same() {
    if !has_mpi() {
        return;
    }
    let printed = |program: &Path, folder: &Path| {
        let ran = mpirun(4, program.to_str().expect("UTF-8")).env("CHRONOS_TRACE", folder).output().expect("it runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let text = String::from_utf8_lossy(&ran.stdout).to_lowercase();
        let timed =
            |line: &&str| ["time", "elapsed", "second", "usec", "us ", "mb/s"].iter().any(|word| line.contains(word));
        let mut lines: Vec<String> = text.lines().filter(|line| !timed(line)).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let levels = ["-O0", "-O2", "-O3"];
    for (index, file) in sources("testdata/programs").iter().enumerate() {
        let instrumentation = Instrumentation::of(file, 4);
        let level = levels[index % levels.len()];
        let original = instrumentation.folder.path().join("original");
        let mut compile = Command::new("mpicc");
        compile.args([level, "-w", "-o"]).arg(&original).arg(file).arg("-lm");
        assert!(compile.status().expect("mpicc runs").success());
        let program = instrumentation.compile("mpicc", &[level, "-DCHRONOS_WITH_MPI"]);
        let folder = instrumentation.traced();
        assert_eq!(printed(&program, &folder), printed(&original, &folder), "{} {level}", file.display());
    }
}

#[test]
fn every_task_of_a_parallel_program_counts_as_known() {
    if !has_mpi() {
        return;
    }
    for name in ["heat2d", "cg", "ring", "transpose"] {
        let file = PathBuf::from(format!("testdata/programs/{name}.c"));
        let instrumentation = Instrumentation::of(&file, 3);
        let program = instrumentation.compile("mpicc", &["-O1", "-DCHRONOS_WITH_MPI"]);
        let mut command = mpirun(3, program.to_str().expect("UTF-8"));
        let ran = command.env("CHRONOS_TRACE", instrumentation.traced()).output().expect("it runs");
        assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
        let blocks = counted(&instrumentation.job);
        assert!(compare(&file, &blocks, &instrumentation.job, &instrumentation.counts()) > 0);
    }
}

/// Compiles a program with trace points and runs it; its trace's file.
fn run(text: &str, flags: &[&str]) -> (Instrumentation, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("written");
    let instrumentation = Instrumentation::of(&file, 1);
    let program = instrumentation.compile("gcc", &[&["-O1"], flags].concat());
    instrumentation.run(&program);
    let trace = std::fs::read_to_string(instrumentation.traced().join("task-0.ctr")).expect("a trace");
    (instrumentation, trace)
}

#[test]
fn loops_fold_in_the_order_of_executions() {
    let nest = "int a[9]; int main(void) { for (int i = 0; i < 300; i++) for (int j = 0; j < 200; j++) {
        if (j % 3 == 0) a[0]++; for (int k = 0; k < 50; k++) a[k % 7] += i; } return 0; }";
    let (instrumentation, trace) = run(nest, &["-DCHRONOS_ORDER"]);
    assert!(trace.len() < 2000, "{}", trace.len());
    let totals: u128 = instrumentation.counts()[0].values().sum();
    assert!(totals > 3_000_000, "{totals}");
}

/// Ten times the executions take no more room but for digits, in order and as counts, however deep the loops nest.
#[test]
fn traces_do_not_grow_with_executions() {
    let nest = |n: u32| {
        format!(
            "int a[9]; static int next(int i) {{ return i * 7 % 9; }} int main(void) {{
            for (int i = 0; i < {n}; i++) for (int j = 0; j < 100; j++) {{ if (j % 3 == 0) a[next(j)]++;
            for (int k = 0; k < 30; k++) a[k % 7] += i; }} return 0; }}"
        )
    };
    for mode in [&["-DCHRONOS_ORDER"][..], &[]] {
        let [(few, small), (many, large)] = [10, 100].map(|n| run(&nest(n), mode));
        let executed = |run: &Instrumentation| run.counts()[0].values().sum::<u128>();
        assert!(executed(&many) > 9 * executed(&few));
        assert!(large.len() < small.len() + 40, "{} {}", small.len(), large.len());
    }
}

#[test]
fn a_program_that_dies_leaves_what_it_did() {
    let dies = "#include <stdlib.h>\nint n; int main(void) { for (int i = 0; i < 100; i++) if (++n == 60) abort(); return 0; }";
    for mode in [&["-DCHRONOS_ORDER"][..], &[]] {
        let (instrumentation, _) = run(dies, mode);
        let (trace, partial) =
            Trace::read(&instrumentation.traced(), &instrumentation.job.program, 1).expect("readable");
        assert!(matches!(trace.tasks[0].ending, Ending::Cut(6)), "{:?}", trace.tasks[0].ending);
        assert_eq!(partial.len(), 1);
        assert!(trace.counts()[0].values().any(|&n| n == 60), "{:?}", trace.counts());
    }
}

#[test]
fn a_program_that_is_killed_without_warning_leaves_its_counters() {
    let dies = "#include <signal.h>\nint n; int main(void) { for (int i = 0; i < 100; i++) if (++n == 60) raise(SIGKILL); return 0; }";
    let (instrumentation, _) = run(dies, &[]);
    let (trace, partial) = Trace::read(&instrumentation.traced(), &instrumentation.job.program, 1).expect("readable");
    assert!(matches!(trace.tasks[0].ending, Ending::Torn), "{:?}", trace.tasks[0].ending);
    assert_eq!(partial.len(), 1);
    assert!(trace.counts()[0].values().any(|&n| n == 60), "{:?}", trace.counts());
}

#[test]
fn a_program_whose_files_may_not_grow_leaves_what_could_be_written() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::write(folder.join("a.c"), RANDOM).expect("written");
    assert_eq!(chronos(folder, &["instrument", "a.c", "--all", "-o", "i"]).0, 0);
    let script = "gcc -w i/*.c -o b && (ulimit -f 1; CHRONOS_TRACE=t ./b 7; true)";
    let ran = Command::new("sh").current_dir(folder).args(["-c", script]).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let (code, _, errors) = chronos(folder, &["count", "a.c", "--trace", "t", "--", "7"]);
    assert!(code > 0 && errors.contains("trace"), "{code} {errors}");
}

#[test]
fn parallel_programs_are_traced_with_the_bundled_mpi() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    for name in ["heat2d", "cg"] {
        let source = std::fs::read_to_string(format!("testdata/programs/{name}.c")).expect("it is there");
        std::fs::write(folder.join("a.c"), source).expect("written");
        let (code, out, errors) = chronos(folder, &["trace", "a.c", "-n", "3", "--mpi", "bundled", "--all", "-o", "t"]);
        assert_eq!((code, errors.as_str()), (0, ""), "{name}: {out}");
        let (code, _, errors) = chronos(folder, &["count", "a.c", "-n", "3", "--trace", "t", "--strict"]);
        assert_eq!(code, 0, "{name}: {errors}");
    }
}

/// Branches that nothing but a run can know.
const RANDOM: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int n = 0, k = 0;
    srand(argc > 1 ? atoi(argv[1]) : 1);\n    for (int i = 0; i < 1000; i++)\n        if (rand() % 10 == 0)\n            n++;
    while (rand() % 50)\n        k++;\n    printf(\"%d %d\\n\", n, k);\n    return 0;\n}\n";

fn chronos(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    let output = command.current_dir(folder).args(common::without_random_numbers(arguments)).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[test]
fn commands_trace_count_and_predict() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::write(folder.join("a.c"), RANDOM).expect("written");
    let (code, out, errors) = chronos(folder, &["trace", "a.c", "-o", "t"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let numbers: Vec<u64> = out.split_whitespace().map(|n| n.parse().expect("a number")).collect();
    let (code, report, errors) = chronos(folder, &["count", "a.c", "--trace", "t", "--format", "json", "--strict"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let of_line = |line: u64| {
        let lines = report["lines"].as_array().expect("lines").iter();
        let found = lines.filter(|entry| entry["line"] == line).map(|entry| &entry["counts"][0]).next();
        found.map(|counts| (counts["count"].as_u64(), counts["source"].as_str().map(str::to_owned)))
    };
    assert_eq!(of_line(8), Some((Some(numbers[0]), Some("trace".to_owned()))));
    assert_eq!(of_line(10), Some((Some(numbers[1]), Some("trace".to_owned()))));
    assert_eq!(of_line(5), Some((Some(1), Some("static".to_owned()))));
    let machines = ["--machine", "pentium2-350", "--machine", "epyc-zen5-gcc12-O0"];
    let (code, report, errors) =
        chronos(folder, &[&["predict", "a.c", "--trace", "t", "--format", "json"][..], &machines].concat());
    assert_eq!((code, errors.as_str()), (0, ""));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    for prediction in report["predictions"].as_array().expect("predictions") {
        let blocks = prediction["blocks"].as_array().expect("blocks").iter();
        let traced: Vec<_> = blocks.filter(|block| block["source"] == "trace" && block["line_start"] == 10).collect();
        assert!(traced.iter().any(|block| block["count"].as_f64() == Some(numbers[1] as f64)), "{traced:?}");
        assert!(prediction["total_s"].as_f64().is_some_and(|seconds| seconds > 0.0));
    }
}

/// What seems never to be executed behind a branch that nobody knows is traced as well.
#[test]
fn blocks_behind_unknown_branches_are_traced() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nstatic int v[100];\nstatic int used(int c, int at) {
        for (int k = 0; k < at; k++) if (v[k] == c) return 1;\n        return 0;\n}\nint main(void) {
        int at = 0, wanted = 2 + rand() % 12;\n        for (int k = 0; k < wanted; k++) {\n            int c = rand() % 50;
            if (used(c, at)) continue;\n            v[at++] = c;\n        }\n        printf(\"%d\\n\", at);\n        return 0;\n}\n";
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), text).expect("written");
    let (code, out, errors) = chronos(place.path(), &["trace", "a.c", "-o", "t"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let (code, report, errors) =
        chronos(place.path(), &["count", "a.c", "--trace", "t", "--format", "json", "--strict"]);
    assert_eq!(code, 0, "{errors}");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let line = report["lines"].as_array().expect("lines").iter().find(|line| line["line"] == 13).expect("the line");
    assert_eq!(line["counts"][0]["count"].as_f64().map(|n| n.to_string()), Some(out.trim().to_owned()));
}

/// The run finds a file that the evaluation takes not to exist: what the run did counts, MPI calls included.
#[test]
fn a_run_may_find_files_that_were_not_given() {
    let text = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) {
        int rank, n = 0, found = 0;\n        MPI_Init(&argc, &argv);\n        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) {\n            FILE *in = fopen(\"size.dat\", \"r\");\n            if (in != NULL) {
                found = 1;\n                if (fscanf(in, \"%d\", &n) != 1) n = 1;\n                fclose(in);\n            }\n        }
        MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);\n        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (found)\n            for (int i = 0; i < n; i++)\n                MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();\n        return 0;\n}\n";
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), text).expect("written");
    std::fs::write(place.path().join("size.dat"), "7").expect("written");
    let trace = ["trace", "a.c", "-n", "2", "-o", "t", "--mpi", "bundled", "--only-given-files"];
    let (code, _, errors) = chronos(place.path(), &trace);
    assert_eq!(code, 0, "{errors}");
    let predict = [
        "predict",
        "a.c",
        "-n",
        "2",
        "--trace",
        "t",
        "--machine",
        "pentium2-350",
        "--format",
        "json",
        "--only-given-files",
    ];
    let (code, report, errors) = chronos(place.path(), &predict);
    assert_eq!(code, 0, "{errors}");
    assert!(errors.contains("hangs on files that were not given: they are those of the traced run"), "{errors}");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let calls = report["predictions"][0]["calls"].as_array().expect("calls");
    let barrier = calls.iter().find(|call| call["function"] == "MPI_Barrier").expect("the call");
    assert_eq!(barrier["calls"], 14);
    // Without a run it is assumed, and said to be.
    let (_, counts, _) = chronos(place.path(), &["count", "a.c", "-n", "2", "--format", "json", "--only-given-files"]);
    let counts: serde_json::Value = serde_json::from_str(&counts).expect("JSON");
    let blocks = counts["blocks"].as_array().expect("blocks");
    let source = |line: u64| {
        blocks.iter().find(|block| block["line_start"] == line).expect("a block")["counts"][0]["source"].clone()
    };
    assert_eq!(source(19), "assumed", "{counts}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::write(folder.join("a.c"), RANDOM).expect("written");
    let refused = |arguments: &[&str], message: &str| {
        let (code, _, errors) = chronos(folder, arguments);
        assert_eq!(code, 2, "{errors}");
        assert!(errors.contains(message), "{errors}");
    };
    refused(&["count", "a.c", "--trace", "t"], "t/trace.json cannot be read: no such file");
    refused(&["trace", "a.c", "-o", "t", "--cc", "no-such-compiler"], "`no-such-compiler` cannot be run");
    refused(&["trace", "a.c", "-o", "t", "--link", "-lno_such_library"], "refuses the instrumented sources");
    refused(&["trace", "a.c", "-o", "t", "--symbolic", "argv1"], "--symbolic argv1 has no meaning");
    assert_eq!(chronos(folder, &["trace", "a.c", "-o", "t"]).0, 0);
    refused(&["count", "a.c", "-n", "2", "--trace", "t"], "t is a trace of 1 task, not of 2");
    refused(&["predict", "a.c", "-n", "2", "--trace", "t", "--machine", "pentium2-350"], "not of 2");
    std::fs::write(folder.join("a.c"), RANDOM.replace("1000", "1001")).expect("written");
    refused(&["count", "a.c", "--trace", "t"], "a.c was changed since");
}

#[test]
fn instrumented_sources_are_compiled_by_hand_as_well() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::write(folder.join("a.c"), RANDOM).expect("written");
    let (code, out, errors) = chronos(folder, &["instrument", "a.c", "-o", "i"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(out.contains("trace points for"), "{out}");
    let status =
        Command::new("sh").current_dir(folder).args(["-c", "gcc -w i/*.c -o b && CHRONOS_TRACE=t ./b 7"]).output();
    assert!(status.expect("it runs").status.success());
    assert_eq!(chronos(folder, &["count", "a.c", "--trace", "t", "--", "7"]).0, 0);
    let text = std::fs::read_to_string(folder.join("i/a.c")).expect("written");
    assert!(text.contains("#include <stdlib.h>") && text.contains("CHRONOS("), "{text}");
}

/// A function that MPI calls is executed as often as the library wants: unknown, until a run tells.
#[test]
fn functions_of_reductions_are_counted_in_the_run() {
    let text = "#include <mpi.h>\nstatic void most(void *in, void *inout, int *count, MPI_Datatype *type) {
    for (int i = 0; i < *count; i++)\n        if (((int *)in)[i] > ((int *)inout)[i]) ((int *)inout)[i] = ((int *)in)[i];\n}
int main(int argc, char **argv) {\n    int one[3] = { 1, 2, 3 }, all[3];\n    MPI_Op op;\n    MPI_Init(&argc, &argv);
    MPI_Op_create(most, 1, &op);\n    MPI_Allreduce(one, all, 3, MPI_INT, op, MPI_COMM_WORLD);\n    MPI_Finalize();
    return 0;\n}\n";
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::write(folder.join("a.c"), text).expect("written");
    let (code, _, errors) = chronos(folder, &["count", "a.c", "-n", "4", "--strict"]);
    assert!(code > 0, "{errors}");
    let (code, out, errors) = chronos(folder, &["trace", "a.c", "-n", "4", "--mpi", "bundled", "-o", "t"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    let (code, report, errors) =
        chronos(folder, &["count", "a.c", "-n", "4", "--trace", "t", "--strict", "--format", "json"]);
    assert_eq!(code, 0, "{errors}");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let line = report["lines"].as_array().expect("lines").iter().find(|line| line["line"] == 3).expect("the line");
    let counts = line["counts"].as_array().expect("counts");
    assert!(counts.iter().all(|counts| counts["source"] == "trace"), "{line}");
    assert!(counts.iter().any(|counts| counts["count"].as_f64() > Some(3.0)), "{line}");
}

/// Points are put where they cost little: a small static function has none where the points of its callers tell.
#[test]
fn what_callers_tell_needs_no_point() {
    let text = "#include <stdlib.h>\nstatic int f(int i) { return i * 7 % 9; }\nint main(int argc, char **argv) {
    int s = 0;\n    for (int i = rand() % 100; i > 0; i--)\n        s += f(i);\n    return s > 0;\n}\n";
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), text).expect("written");
    assert_eq!(chronos(place.path(), &["instrument", "a.c", "-o", "i"]).0, 0);
    let text = std::fs::read_to_string(place.path().join("i/a.c")).expect("written");
    let function = text.lines().find(|line| line.contains("static int f")).expect("it is there");
    assert!(!function.contains("CHRONOS"), "{function}");
    assert_eq!(text.matches("CHRONOS_HERE(").count(), 1, "{text}");
}

/// A program of which everything is known runs as it is, and its trace says that it ended, or how.
#[test]
fn what_needs_no_trace_gets_no_runtime() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let text = "int *nowhere;\nint main(void) {\n    int s = 0;\n    for (int i = 0; i < 9; i++)\n        s += i;\n    return s == 7;\n}\n";
    std::fs::write(folder.join("a.c"), text).expect("written");
    let (code, out, errors) = chronos(folder, &["instrument", "a.c", "-o", "i"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(out, "i: nothing to trace: the counts of all blocks are exact without a run\n");
    assert!(!folder.join("i/chronos_trace.c").exists());
    let text = std::fs::read_to_string(folder.join("i/a.c")).expect("written");
    assert!(!text.contains("chronos_begin"), "{text}");
    for order in [&["--order"][..], &[]] {
        assert_eq!(chronos(folder, &[&["trace", "a.c", "-o", "t"], order].concat()).0, 0);
        let (code, out, errors) = chronos(folder, &["count", "a.c", "--trace", "t", "--strict"]);
        assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    }
    std::fs::write(folder.join("a.c"), "int *nowhere;\nint main(void) {\n    *nowhere = 1;\n    return 0;\n}\n")
        .expect("written");
    let (code, _, errors) = chronos(folder, &["trace", "a.c", "-o", "t"]);
    assert!(code == 1 && errors.contains("it was ended by signal 11"), "{code} {errors}");
}

/// A choice in a loop that is known to be long is counted beside it, and the compiler is asked to unroll it more than others.
#[test]
fn long_loops_have_counters_of_their_own() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let text = "#include <stdlib.h>\nint a[N];\nint main(void) {\n    for (int i = 0; i < N; i++) a[i] = rand();
    for (int k = 0; k < 9; k++)\n        for (int i = 0; i < N; i++)\n            a[i] = a[i] < a[k] ? a[i] : a[k];\n    return a[3] > 7;\n}\n";
    std::fs::write(folder.join("a.c"), text).expect("written");
    let loop_of = |size: &str| {
        assert_eq!(chronos(folder, &["instrument", "a.c", "-D", size, "-o", "i"]).0, 0);
        let text = std::fs::read_to_string(folder.join("i/a.c")).expect("written");
        text.lines()
            .filter(|line| line.contains("UNROLLED") || line.contains("PIECE") || line.contains("k < 9"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (long, short) = (loop_of("N=600"), loop_of("N=60"));
    assert!(long.contains("CHRONOS_PIECE") && !short.contains("_PIECE"), "{long}\n{short}");
    let own = |text: &str| text.lines().next().is_some_and(|first| !first.contains("CHRONOS_CHOICE"));
    assert!(own(&long) && !own(&short), "{long}\n{short}");
}

/// Traces of before calls were recorded (POSITION=VALUE behind a call) have counts; of another schema, nothing is taken.
#[test]
fn traces_of_before_tell_their_counts() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    for name in ["rounds.c", "trace.json", "task-0.ctr", "task-1.ctr"] {
        std::fs::copy(Path::new("testdata/tracing/old").join(name), folder.join(name)).expect("copied");
    }
    let (code, out, errors) = chronos(folder, &["count", "rounds.c", "-n", "2", "--trace", ".", "--strict"]);
    assert_eq!(code, 0, "{errors}");
    assert!(out.contains("7:  12:"), "{out}");
    let map = std::fs::read_to_string(folder.join("trace.json")).expect("readable");
    std::fs::write(folder.join("trace.json"), map.replace("chronos-trace/1", "chronos-trace/0")).expect("written");
    let (code, _, errors) = chronos(folder, &["count", "rounds.c", "-n", "2", "--trace", "."]);
    assert!(code == 2 && errors.contains("the schema `chronos-trace/0`"), "{errors}");
}

/// A changed number in trace.json would be another count.
#[test]
fn a_changed_description_is_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::write(folder.join("a.c"), RANDOM).expect("written");
    assert_eq!(chronos(folder, &["trace", "a.c", "-o", "t"]).0, 0);
    let file = folder.join("t/trace.json");
    let map = std::fs::read_to_string(&file).expect("readable");
    std::fs::write(&file, map.replacen("[[0,1]]", "[[0,2]]", 1)).expect("written");
    let (code, _, errors) = chronos(folder, &["count", "a.c", "--trace", "t"]);
    assert!(code == 2 && errors.contains("trace.json is damaged"), "{code} {errors}");
}
