//! Runs that do not end as they should, and machines that lack something: what is left of a trace is readable, and said to
//! be partial. Runs use the bundled MPI.

use std::path::{Path, PathBuf};
use std::process::Command;

fn chronos_with(folder: &Path, arguments: &[&str], path: Option<&Path>) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronos"));
    command.current_dir(folder);
    if let [name @ ("count" | "predict" | "trace" | "instrument"), rest @ ..] = arguments {
        // What only a run tells is wanted: random numbers of glibc are known.
        command.args([name, "--c-library", "other"]).args(rest);
    } else {
        command.args(arguments);
    }
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let output = command.output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn chronos(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    chronos_with(folder, arguments, None)
}

/// Rounds of an exchange whose number only the run knows; in the fourth, task 1 does something.
fn program(what: &str) -> String {
    let deep = "static int deep(int n) { char room[10000]; memset(room, n, sizeof room); return deep(n + 1) + room[n % 100]; }";
    let deep = if what.contains("deep") { deep } else { "" };
    format!(
        "#include <mpi.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\nint *nowhere;\n\
         {deep}\n\
         int main(int argc, char **argv) {{\n    int rank, round = 0, sum = 0;\n    MPI_Init(&argc, &argv);\n\
         \x20   MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    srand(1);\n    do {{\n\
         \x20       MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n\
         \x20       for (int i = 0; i < 10; i++) if (rand() % 2) sum++;\n\
         \x20       if (++round == 4 && rank == 1) {what};\n    }} while (round < 8 || rand() % 5);\n    MPI_Finalize();\n\
         \x20   return 0;\n}}\n"
    )
}

/// A folder with a program that was traced with so many tasks, and what that said.
fn traced(what: &str, options: &[&str]) -> (tempfile::TempDir, (i32, String, String)) {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), program(what)).expect("written");
    let arguments = [&["trace", "a.c", "-n", "2", "--budget", "1000", "--mpi", "bundled", "-o", "t"], options].concat();
    let told = chronos(place.path(), &arguments);
    (place, told)
}

fn is_partial(what: &str, why: &str, options: &[&str]) {
    let (place, (code, _, errors)) = traced(what, options);
    assert!(code > 0 && errors.contains(why), "{what}: {code} {errors}");
    let (code, report, errors) =
        chronos(place.path(), &["count", "a.c", "-n", "2", "--budget", "1000", "--trace", "t", "--format", "json"]);
    assert!(code == 1 && errors.contains("is partial"), "{what}: {code} {errors}");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let lines = report["lines"].as_array().expect("lines").iter();
    let rounds = lines.filter(|line| line["line"] == 13).flat_map(|line| line["counts"].as_array().expect("counts"));
    let least: Vec<_> = rounds.map(|counts| counts["at_least"].as_f64().or(counts["count"].as_f64())).collect();
    assert!(least.iter().any(|n| n.is_some_and(|n| n >= 3.0)), "{what}: {least:?}");
    let predict = ["predict", "a.c", "-n", "2", "--budget", "1000", "--trace", "t", "--machine", "pentium2-350"];
    let (code, out, errors) = chronos(place.path(), &predict);
    assert!(code == 1 && errors.contains("is partial") && out.contains("Incomplete"), "{what}: {code} {out} {errors}");
}

#[test]
fn a_crash_leaves_what_was_done() {
    is_partial("*nowhere = 1", "task 1 is partial: it was ended by signal 11", &[]);
    is_partial("abort()", "task 1 is partial: it was ended by signal 6", &["--order"]);
}

#[test]
fn a_stack_that_overflows_leaves_what_was_done() {
    is_partial("return deep(0)", "task 1 is partial", &[]);
}

#[test]
fn mpi_abort_leaves_what_was_done() {
    is_partial("MPI_Abort(MPI_COMM_WORLD, 3)", "task 1 is partial: it called MPI_Abort", &[]);
}

#[test]
fn a_killed_task_leaves_what_was_done() {
    is_partial("raise(SIGKILL)", "task 1 is partial", &[]);
}

/// A folder with nothing but a C compiler and its tools.
fn compiler_alone() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["cc", "gcc", "as", "ld", "sh"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").expect("a path"))
            .map(|place| place.join(name))
            .find(|file: &PathBuf| file.exists());
        if let Some(file) = found {
            std::os::unix::fs::symlink(file, folder.path().join(name)).expect("linked");
        }
    }
    folder
}

#[test]
fn without_an_installed_mpi_the_bundled_one_is_taken() {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), program("sum++")).expect("written");
    let tools = compiler_alone();
    let arguments = ["trace", "a.c", "-n", "2", "-o", "t"];
    let (code, _, errors) = chronos_with(place.path(), &arguments, Some(tools.path()));
    assert!(code == 0 && errors.contains("no MPI is installed (mpicc cannot be run)"), "{code} {errors}");
    let (code, _, errors) = chronos(place.path(), &["count", "a.c", "-n", "2", "--trace", "t", "--strict"]);
    assert_eq!(code, 0, "{errors}");
    let forced = [&arguments[..], &["--mpi", "installed"]].concat();
    let (code, _, errors) = chronos_with(place.path(), &forced, Some(tools.path()));
    assert!(code == 2 && errors.contains("`mpicc -O2` cannot be run"), "{code} {errors}");
}

#[test]
fn what_can_be_written_is_kept_where_files_may_not_grow() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::write(folder.join("a.c"), program("sum++")).expect("written");
    assert_eq!(chronos(folder, &["instrument", "a.c", "-n", "2", "--mpi", "bundled", "-o", "i", "--all"]).0, 0);
    // So many blocks that the folder's description still fits.
    let script = "cc -w -DCHRONOS_WITH_MPI -DCHRONOS_ORDER -Ii/chronos-mpi i/*.c i/chronos-mpi/*.c -o b -lm && \
                  (ulimit -f 8; CHRONOS_MPI_TASKS=2 CHRONOS_TRACE=t ./b; true)";
    let ran = Command::new("sh").current_dir(folder).args(["-c", script]).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let (code, _, errors) = chronos(folder, &["count", "a.c", "-n", "2", "--trace", "t"]);
    assert!(code < 2, "{code} {errors}");
}

/// A disk that is full in the middle of the run, where this user may mount one.
#[test]
fn a_full_disk_leaves_what_was_written() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let text = "#include <stdlib.h>\nint main(void) {\n    int n = 0;\n    for (int i = 0; i < 20000; i++) {
        if (rand() % 3) n++;\n        if (rand() % 5) n += 2;\n    }\n    return n != 45309;\n}\n";
    std::fs::write(folder.join("a.c"), text).expect("written");
    assert_eq!(chronos(folder, &["instrument", "a.c", "-o", "i"]).0, 0);
    let script = "cc -w -O1 -DCHRONOS_ORDER i/*.c -o b && mkdir m && mount -t tmpfs -o size=32k tmpfs m || exit 77
        CHRONOS_TRACE=m/t ./b || exit 1; cp -r m/t t";
    let ran = Command::new("unshare").current_dir(folder).args(["-rm", "sh", "-c", script]).output();
    let Ok(ran) = ran.map(|ran| (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())) else { return };
    if ran.0 != Some(0) && !ran.1.contains("chronos") {
        eprintln!("no disk can be mounted here: {}", ran.1);
        return;
    }
    assert!(ran.1.contains("the trace is incomplete: it could not be written"), "{ran:?}");
    let (_, out, errors) = chronos(folder, &["count", "a.c", "--trace", "t"]);
    assert!(errors.contains("the trace of task 0 is partial"), "{out} {errors}");
    assert!(out.contains("20000:   5:"), "{out}");
}

/// A folder with a program, and a compiler of MPI programs made of the bundled MPI.
fn with_mpi_compiler() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).expect("written");
    write("a.c", &program("sum++"));
    let told = chronos(place.path(), &["instrument", "a.c", "-n", "2", "--mpi", "bundled", "--all", "-o", "i"]);
    assert_eq!(told.0, 0, "{}", told.2);
    let link = "case \" $* \" in *' -c '*) ;; *) set -- \"$@\" i/chronos-mpi/*.c -lm ;; esac\n";
    write("mpicc", &format!("{link}exec cc -I\"$PWD/i/chronos-mpi\" \"$@\"\n"));
    place
}

fn launched(place: &Path, launcher: &str) -> (i32, String, String) {
    std::fs::write(place.join("launch"), launcher).expect("written");
    let options = ["--mpicc", "sh mpicc", "--mpirun", "sh launch {n}", "-o", "t"];
    chronos(place, &[&["trace", "a.c", "-n", "2", "--budget", "1000"], &options[..]].concat())
}

#[test]
fn a_launcher_that_refuses_leaves_no_trace() {
    let place = with_mpi_compiler();
    let (code, _, errors) = launched(place.path(), "tasks=$1; shift; CHRONOS_MPI_TASKS=$tasks exec \"$@\"\n");
    assert_eq!(code, 0, "{errors}");
    assert!(place.path().join("t/task-1.ctr").exists());
    let (code, _, errors) = launched(place.path(), "exit 7\n");
    assert!(code == 2 && errors.contains("error[C1002]: `sh launch {n}` ended with an error"), "{code} {errors}");
    assert!(errors.contains("exit status: 7") && !errors.contains("partial"), "{errors}");
    let left: Vec<_> = std::fs::read_dir(place.path().join("t")).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn root_may_start_tasks_with_open_mpi() {
    let place = with_mpi_compiler();
    launched(place.path(), "env > told; exit 1\n");
    let told = std::fs::read_to_string(place.path().join("told")).expect("the launcher ran");
    let user = Command::new("id").arg("-u").output().expect("it runs").stdout;
    if user == b"0\n" {
        let allowed = ["OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "PRTE_ALLOW_RUN_AS_ROOT=1"];
        assert!(allowed.iter().all(|name| told.lines().any(|line| line == *name)), "{told}");
    }
    if Command::new("mpicc").arg("--version").output().is_ok() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/programs/pi_send.c");
        let (code, _, errors) = chronos(
            place.path(),
            &["trace", file.to_str().expect("UTF-8"), "-n", "4", "--mpi", "installed", "-o", "p"],
        );
        assert_eq!(code, 0, "{errors}");
    }
}

#[test]
fn what_does_not_compile_leaves_an_earlier_trace() {
    let (place, (code, _, errors)) = traced("sum++", &[]);
    assert_eq!(code, 0, "{errors}");
    let before = std::fs::read(place.path().join("t/task-0.ctr")).expect("a trace");
    let (code, _, errors) = chronos(
        place.path(),
        &["trace", "a.c", "-n", "2", "--budget", "1000", "--mpi", "bundled", "--link", "-lnone-such", "-o", "t"],
    );
    assert!(code == 2 && errors.contains("C1003"), "{code} {errors}");
    assert_eq!(std::fs::read(place.path().join("t/task-0.ctr")).expect("a trace"), before);
}
