//! Counts of programs with threads (OpenMP, POSIX) against gcov, on one, two and four threads.
//!
//! GCC moves the body of a region to a function of its own and marks that as artificial, so that gcov leaves its lines out
//! although they are counted. The mark is taken back in the file of notes (gcov-io.h: it follows the name of a function).

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Line to count.
type Lines = BTreeMap<u64, f64>;

#[test]
fn threads_execute_as_gcov_counts() {
    if !has_openmp() {
        println!("gcc has no OpenMP here, or no gcov: nothing is compared");
        return;
    }
    let exact = ["pi", "triangle", "histogram", "fib", "phases", "arrays", "nests", "taskloop", "device", "unrolled"];
    // How often threads look for each other is decided in the run, and told as assumed.
    let timed = ["pipeline"];
    let all = exact.map(|name| (name, true)).into_iter().chain(timed.map(|name| (name, false)));
    for (name, strict) in all {
        let source = std::fs::canonicalize(format!("testdata/openmp/{name}.c")).expect("it is there");
        for threads in [1, 2, 4] {
            check(&source, threads, strict);
        }
    }
}

fn has_openmp() -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("a.c"),
        "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n",
    )
    .expect("written");
    let compiled = Command::new("gcc").args(["-fopenmp", "a.c"]).current_dir(folder.path()).output();
    let gcov = Command::new("gcov").arg("--version").output();
    compiled.is_ok_and(|output| output.status.success()) && gcov.is_ok_and(|output| output.status.success())
}

fn check(source: &Path, threads: u32, strict: bool) {
    let text = std::fs::read_to_string(source).expect("a source");
    let executed = executed(source, threads);
    let predicted = predicted(source, threads, strict);
    let mut compared = 0;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_settled(line)) {
        if let (Some(executed), Some(predicted)) = (executed.get(&number), predicted.get(&number)) {
            assert_eq!(executed, predicted, "{}:{number} on {threads} threads: {line}", source.display());
            compared += 1;
        }
    }
    assert!(compared > 5, "{}", source.display());
}

/// Heads of loops that threads share, directives and braces are no code of the source's own in GCC.
fn is_settled(line: &str) -> bool {
    let line = line.trim();
    !["#", "for", "{", "}"].iter().any(|begin| line.starts_with(begin))
}

fn executed(source: &Path, threads: u32) -> Lines {
    run_here(source, threads, &[])
}

fn run_with(source: &Path, argument: &str) -> Lines {
    run_here(source, 1, &[argument])
}

fn run_here(source: &Path, threads: u32, arguments: &[&str]) -> Lines {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output().expect("it runs");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    run(Command::new("gcc").args(["-fopenmp", "--coverage", "-fprofile-update=atomic", "-c", "-o", "a.o"]).arg(source));
    let notes = folder.path().join("a.gcno");
    let mut bytes = std::fs::read(&notes).expect("notes");
    show_regions(&mut bytes);
    std::fs::write(notes, bytes).expect("written");
    run(Command::new("gcc").args(["-fopenmp", "--coverage", "a.o", "-o", "program"]));
    run(Command::new("./program").args(arguments).env("OMP_NUM_THREADS", threads.to_string()));
    let json = run(Command::new("gcov").args(["--json-format", "--stdout", "a.gcda"]));
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    let mut counts = Lines::new();
    for line in json["files"][0]["lines"].as_array().expect("lines") {
        let number = line["line_number"].as_u64().expect("a number");
        // A line of several functions has an entry for each.
        let sum = counts.entry(number).or_insert(0.0);
        *sum = line["count"].as_f64().expect("a count").max(*sum);
    }
    counts
}

/// Takes back the marks of functions that GCC made of regions.
fn show_regions(notes: &mut [u8]) {
    let name = b"_omp_fn.";
    for at in (0..notes.len() - name.len()).rev() {
        if notes[at..].starts_with(name) {
            let digits = notes[at + name.len()..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            // The name ends with a zero; the mark is the next word.
            let mark = at + name.len() + digits + 1;
            notes[mark..mark + 4].fill(0);
        }
    }
}

/// Threads of POSIX; what depends on the order in which they take a mutex is marked, and all else is what a run has.
#[test]
fn threads_of_posix_execute_as_gcov_counts() {
    if !has_openmp() {
        println!("gcc has no threads here, or no gcov: nothing is compared");
        return;
    }
    for (name, strict) in [("sum", true), ("matrix", true), ("queue", false)] {
        let source = std::fs::canonicalize(format!("testdata/pthreads/{name}.c")).expect("it is there");
        for threads in [1, 2, 4] {
            let executed = run_with(&source, &threads.to_string());
            let predicted = marked_lines(&source, strict, &threads.to_string());
            let mut compared = 0;
            for (line, (count, is_exact)) in predicted {
                let Some(&real) = executed.get(&line).filter(|_| is_exact) else { continue };
                assert_eq!(real, count, "{name}.c:{line} with {threads} threads");
                compared += 1;
            }
            assert!(compared > 20, "{name}: {compared} lines");
        }
    }
}

/// Each line with its count, and whether that is called exact.
fn marked_lines(source: &Path, strict: bool, argument: &str) -> BTreeMap<u64, (f64, bool)> {
    let output = Command::new(env!("CARGO_BIN_EXE_chronos"))
        .arg("count")
        .args(strict.then_some("--strict"))
        .arg(source)
        .args(["--", argument])
        .output()
        .expect("the binary");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let count = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let count = parts.next()?.trim();
        let number = parts.next()?.trim().parse().ok()?;
        let plain = count.trim_start_matches('~');
        let value = if plain == "#####" { 0.0 } else { plain.parse().ok()? };
        Some((number, (value, plain == count)))
    };
    text.lines().filter_map(count).collect()
}

/// Threads that the program starts itself, where nothing is known of them: what each refusal says.
#[test]
fn what_threads_of_posix_cannot_do_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |name: &str, text: &str, tasks: &str| {
        let source = folder.path().join(name);
        std::fs::write(&source, text).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_chronos"))
            .args(["count", "-n", tasks])
            .arg(&source)
            .output()
            .expect("the binary");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let begin = "#include <mpi.h>\n#include <pthread.h>\n";
    let waits = format!(
        "{begin}pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\npthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         void *f(void *x) {{ pthread_mutex_lock(&a); pthread_cond_wait(&c, &a); return x; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }}\n"
    );
    assert!(told("waits.c", &waits, "1").contains("error[C0985]: all 2 threads wait"));
    let calls = |init: &str| {
        format!(
            "{begin}void *f(void *x) {{ MPI_Barrier(MPI_COMM_WORLD); return x; }}\n\
             int main(void) {{ pthread_t t; int p; {init}; pthread_create(&t, 0, f, 0); pthread_join(t, 0); MPI_Finalize(); return 0; }}\n"
        )
    };
    assert!(told("level.c", &calls("MPI_Init(0, 0)"), "2").contains("error[C0986]"));
    let allowed = told("allowed.c", &calls("MPI_Init_thread(0, 0, MPI_THREAD_MULTIPLE, &p)"), "2");
    assert!(allowed.contains("warning[C0984]") && !allowed.contains("error"), "{allowed}");
    let races = format!(
        "{begin}int seen[4];\nvoid *f(void *x) {{ seen[*(int *)x % 4]++; return x; }}\n\
         int main(void) {{ pthread_t t[3]; int i; for (i = 0; i < 3; i++) pthread_create(&t[i], 0, f, &i);\n\
         for (int k = 0; k < 3; k++) pthread_join(t[k], 0); return seen[0]; }}\n"
    );
    assert!(told("races.c", &races, "1").contains("changes before the thread begins"));
    let leaves = format!(
        "{begin}void *f(void *x) {{ return x; }}\nint main(void) {{ pthread_t t; return pthread_create(&t, 0, f, 0); }}\n"
    );
    assert!(told("leaves.c", &leaves, "1").contains("the program ends before a thread does"));
}

/// What loops with `schedule(runtime)` have is said by the command, as `OMP_SCHEDULE` says it to a run.
#[test]
fn schedules_of_the_runtime_are_those_of_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("shares.c");
    let text = "#include <omp.h>\nint main(void) {\n    int first = 0;\n\
                #pragma omp parallel for schedule(runtime) reduction(+ : first) collapse(1)\n    \
                for (int i = 0; i < 10; i++)\n        if (omp_get_thread_num() == 0)\n            first++;\n    return 0;\n}\n";
    std::fs::write(&source, text).expect("written");
    let told = |schedule| lines(&source, 2, true, &["--omp-schedule", schedule]);
    for (schedule, first) in [("static", 5.0), ("static,3", 6.0), ("auto", 5.0)] {
        assert_eq!(told(schedule).ok().and_then(|lines| lines.get(&7).copied()), Some(first), "{schedule}");
    }
    let nested = text.replace("collapse(1)", "collapse(2)").replace("        if", "    for (int j = 0; j < 2; j++) if");
    std::fs::write(&source, nested).expect("written");
    assert_eq!(lines(&source, 2, true, &["--omp-schedule", "static"]).map(|lines| lines[&7]), Ok(10.0));
    // Nobody knows who takes a chunk.
    assert!(told("dynamic,2").is_err() && lines(&source, 2, true, &[]).is_err());
    assert!(told("chunky").is_err_and(|text| text.contains("is no schedule")));
}

fn predicted(source: &Path, threads: u32, strict: bool) -> Lines {
    lines(source, threads, strict, &[]).unwrap_or_else(|told| panic!("{told}"))
}

/// Counts by line, or what is told where the command fails.
fn lines(source: &Path, threads: u32, strict: bool, more: &[&str]) -> Result<Lines, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_chronos"))
        .args(["count", "--threads", &threads.to_string()])
        .args(strict.then_some("--strict"))
        .args(more)
        .arg(source)
        .output()
        .expect("the binary");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let count = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let count = parts.next()?.trim();
        let number = parts.next()?.trim().parse().ok()?;
        let count = if count == "#####" { 0.0 } else { count.parse().ok()? };
        Some((number, count))
    };
    Ok(text.lines().filter_map(count).collect())
}
