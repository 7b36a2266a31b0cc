//! `--build`: a makefile is run, and the program that it links is the one that is read.

mod common;

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A copy of testdata/build, in which a build may write.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["Makefile", "include/step.h", "lib/step.c", "src/ring.c", "src/sum.c"] {
        let to = folder.path().join(name);
        std::fs::create_dir_all(to.parent().expect("it has a folder")).expect("it is made");
        std::fs::copy(Path::new("testdata/build").join(name), to).expect("it is copied");
    }
    folder
}

fn chronos(folder: &Path, arguments: &[&str]) -> Output {
    Command::cargo_bin("chronos").expect("the binary").current_dir(folder).args(arguments).output().expect("it runs")
}

fn check(folder: &Path, arguments: &[&str], code: i32, expected: &[&str]) {
    let output = chronos(folder, arguments);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{text}");
    for part in expected {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn the_program_of_a_makefile_is_counted_with_its_flags_and_its_library() {
    let project = project();
    // ROUNDS and NAME are defined by flags alone; `step` is in a library.
    let json = chronos(project.path(), &["count", "--build", "make", "--exe", "ring", "-n", "3", "--format", "json"]);
    let text = String::from_utf8_lossy(&json.stdout);
    assert_eq!(json.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&json.stderr));
    let report: serde_json::Value = serde_json::from_str(&text).expect("a report");
    let files: Vec<&str> =
        report["program"]["files"].as_array().expect("files").iter().filter_map(|file| file.as_str()).collect();
    assert_eq!(files, ["src/ring.c", "lib/step.c"]);
}

#[test]
fn the_program_of_a_makefile_runs_in_virtual_time() {
    let project = project();
    let arguments = [
        "run",
        "--build",
        "make",
        "--exe",
        "ring",
        "-n",
        "3",
        "--time",
        "predicted",
        "--machine",
        "epyc-zen5-gcc12-O2",
    ];
    check(project.path(), &arguments, 0, &["ring (2 files): 3 tasks", "Predicted time"]);
}

/// A linker takes no member of a library that nobody needs: what such a member lacks is no fault of the program.
#[test]
fn members_of_a_library_that_nobody_needs_may_lack_functions() {
    let project = project();
    let unneeded = "int of_nobody(int);\nint unneeded(int x) { return of_nobody(x); }\n";
    std::fs::write(project.path().join("lib/unneeded.c"), unneeded).expect("written");
    let build = "make && mpicc -c lib/unneeded.c -o unneeded.o && ar r libunneeded.a unneeded.o && \
                 mpicc -Iinclude -DROUNDS=3 -DNAME='\"again\"' src/ring.c lib/step.c libunneeded.a -o again";
    let command =
        ["--build", build, "--exe", "again", "-n", "2", "--time", "predicted", "--machine", "epyc-zen5-gcc12-O2"];
    check(project.path(), &[&["run"], &command[..]].concat(), 0, &["Predicted time"]);
}

/// What the build links and has not made is linked again, from where it lies.
#[test]
fn a_run_is_linked_with_the_libraries_of_the_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("foreign.c", "int foreign(int x) { return x + 1; }\n");
    write(
        "main.c",
        "#include <mpi.h>\nint foreign(int);\nint main(int argc, char **argv)\n{\n    MPI_Init(&argc, &argv);\n    \
         int n = foreign(2);\n    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);\n    MPI_Finalize();\n    return n != 3;\n}\n",
    );
    let made = "mkdir ext && cc -c foreign.c -o ext/foreign.o && ar rc ext/libforeign.a ext/foreign.o";
    assert!(
        std::process::Command::new("sh")
            .args(["-c", made])
            .current_dir(folder.path())
            .status()
            .expect("it runs")
            .success()
    );
    let build = "mpicc main.c -Lext -lforeign -o program";
    let command = ["run", "--build", build, "-n", "2", "--time", "predicted", "--machine", "epyc-zen5-gcc12-O2"];
    check(folder.path(), &command, 0, &["Predicted time"]);
}

#[test]
fn several_programs_are_told_apart_by_their_names() {
    let project = project();
    let check = |exe: &[&str], code: i32, expected: &[&str]| {
        check(
            project.path(),
            &[&["predict", "--machine", "epyc-zen5-gcc12-O2", "--build", "make -B all", "-n", "2"], exe].concat(),
            code,
            expected,
        );
    };
    check(&[], 2, &["error[C1503]", "links several programs: ring, sum", "--exe ring"]);
    check(&["--exe", "rings"], 2, &["error[C1503]", "did you mean `ring`?"]);
    check(&["--exe", "sum"], 0, &["sum (1 file)", "sum.c:9"]);
}

#[test]
fn the_only_program_with_mpi_needs_no_name() {
    let project = project();
    let tool = "int main(void) { return 0; }\n";
    std::fs::write(project.path().join("src/tool.c"), tool).expect("it is written");
    let build = "mkdir -p build && cc src/tool.c -o tool && make -B build/sum";
    let arguments = ["count", "--build", build, "-n", "2"];
    check(project.path(), &arguments, 0, &["note[C1508]", "(sum, tool)", "`sum` alone uses MPI", "src/sum.c: 2 tasks"]);
    check(project.path(), &[&arguments[..], &["--exe", "tool"]].concat(), 0, &["src/tool.c"]);
}

#[test]
fn a_build_that_makes_nothing_or_fails_is_told() {
    let project = project();
    let check = |build: &str, expected: &[&str]| {
        check(project.path(), &["check", "--build", build, "-n", "2"], 2, expected);
    };
    check("true", &["error[C1502]", "`true` compiled nothing", "make clean"]);
    check("echo first; echo second >&2; exit 3", &["error[C1501]", "first\nsecond"]);
    check("make nothing", &["error[C1501]", "No rule to make target"]);
    // A fault of the program is the compiler's word.
    std::fs::write(project.path().join("src/sum.c"), "int main(void) { return undeclared; }\n").expect("it is written");
    check("make", &["error[C1501]", "undeclared"]);
}

/// A build that takes too long has done nothing wrong.
#[test]
fn a_build_that_is_stopped_is_told_as_such() {
    let project = project();
    let words = ["predict", "--limit", "1s", "--build", "echo begun; sleep 1000", "-n", "2"];
    let expected =
        ["error[C1505]", "was stopped before it ended, because the limit of time was reached:\nbegun", "in the build"];
    check(project.path(), &words, 1, &expected);
}

#[test]
fn objects_from_before_are_told() {
    let project = project();
    let check = |build: &str, code: i32, expected: &[&str]| {
        check(project.path(), &["check", "--build", build, "--exe", "sum", "-n", "2"], code, expected);
    };
    check("make", 0, &["sum (1 file): "]);
    check("make", 2, &["error[C1502]", "compiled nothing", "--build 'make clean; make'"]);
    let again = "cc -c lib/step.c -Iinclude -o old.o";
    assert!(
        std::process::Command::new("sh")
            .args(["-c", again])
            .current_dir(project.path())
            .status()
            .expect("it runs")
            .success()
    );
    check("mpicc -Iinclude src/sum.c old.o -o sum", 0, &["warning[C1506]", "compile from C: old.o", "sum (1 file): "]);
    check("mpicc -Iinclude -c src/sum.c -o sum.o", 2, &["error[C1502]", "compiled 1 source and linked no program"]);
    check("mpicc sum.o old.o -o sum", 2, &["error[C1502]", "from objects that were there before"]);
}

/// Somebody who has never read a manual names the folder, the makefile or the program.
#[test]
fn what_is_no_source_leads_to_the_build() {
    let project = project();
    let check = |words: &[&str], code: i32, expected: &[&str]| {
        check(project.path(), &[&["check", "-n", "2"], words].concat(), code, expected);
    };
    check(&["."], 2, &["is a directory", "or let chronos build it: --build make"]);
    check(&["Makefile"], 2, &["Makefile is no source", "--build make"]);
    check(&["/bin/sh"], 2, &["a program that was compiled already", "--build"]);
    check(&["--build", "Makefile"], 2, &["error[C1501]", "give a command of the shell: --build make"]);
    check(&[], 2, &["no source file is given", "--build make"]);
    let entry = r#"[{"directory": ".", "file": "src/sum.c", "command": "cc -c src/sum.c"},
                    {"directory": ".", "file": "lib/step.c", "command": "cc -Iinclude -c lib/step.c"}]"#;
    std::fs::create_dir_all(project.path().join("build")).expect("made");
    std::fs::write(project.path().join("build/compile_commands.json"), entry.replace("\".\"", "\"..\""))
        .expect("written");
    check(&[], 0, &["note[C1507]", "files and flags are those of build/compile_commands.json", "functions"]);
    check(&["."], 0, &["note[C1507]", "functions"]);
}

#[test]
fn a_build_asks_the_wrapper_where_the_mpi_is() {
    let project = project();
    let command = "mpicc -show && cc -c lib/step.c -Iinclude -o s.o && printf '%s\\n' s.o src/sum.c > words && mpicc @words -o sum";
    let output = chronos(project.path(), &["count", "--build", command, "-n", "2", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["program"]["files"], serde_json::json!(["src/sum.c", "lib/step.c"]));
}

/// The wrappers leave no trace of themselves.
#[test]
fn what_was_built_runs_without_chronos() {
    let project = project();
    check(project.path(), &["check", "--build", "make", "--exe", "sum", "-n", "2"], 0, &[]);
    let built: PathBuf = project.path().join("build/sum");
    if !common::has_mpi() {
        // With the bundled MPI the program starts its tasks itself.
        let output = std::process::Command::new(built).env("CHRONOS_MPI_TASKS", "3").output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "3\n");
    }
}
