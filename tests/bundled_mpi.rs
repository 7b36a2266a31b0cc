//! The bundled MPI: programs that check an MPI from inside, the test programs against an installed MPI, and what
//! happens when tasks die or wait for each other for ever.

mod common;

use chronos::instrument::bundled;
use common::{has_mpi, mpirun, sources};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The runtime, compiled once.
struct Runtime {
    folder: TempDir,
    objects: Vec<PathBuf>,
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(bundled::FOLDER)).expect("a folder");
        for (name, text) in bundled::files() {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let objects = bundled::compile(folder.path(), "cc").expect("it compiles");
        Runtime { folder, objects }
    })
}

/// A program with the runtime, in a folder of its own.
struct Program {
    folder: TempDir,
}

impl Program {
    fn of(file: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = runtime();
        let mut command = Command::new("cc");
        command.args(["-O1", "-w", "-I"]).arg(runtime.folder.path().join(bundled::FOLDER)).arg(file);
        command.args(&runtime.objects).arg("-o").arg(folder.path().join("program")).arg("-lm");
        assert!(command.status().expect("cc runs").success(), "{}", file.display());
        Self { folder }
    }

    fn from_text(text: &str) -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let file = place.path().join("program.c");
        std::fs::write(&file, format!("#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n{text}"))
            .expect("written");
        Self::of(&file)
    }

    fn run(&self, tasks: usize) -> Output {
        let mut command = Command::new(self.folder.path().join("program"));
        command.current_dir(self.folder.path()).env(bundled::TASKS, tasks.to_string()).output().expect("it runs")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn programs_that_check_an_mpi_find_it_right() {
    for file in sources("testdata/bundled_mpi") {
        let program = Program::of(&file);
        for tasks in [1, 2, 5] {
            let ran = program.run(tasks);
            let said = (text(&ran.stdout), text(&ran.stderr));
            assert_eq!((said.0.as_str(), said.1.as_str()), ("ok\n", ""), "{} with {tasks} tasks", file.display());
        }
    }
}

/// Lines in any order, without those that tell times.
fn lines(output: &Output) -> Vec<String> {
    let timeless = |line: &&str| !["Elapsed", " us ", "MB/s"].iter().any(|word| line.contains(word));
    let mut lines: Vec<String> = text(&output.stdout).lines().filter(timeless).map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn programs_print_what_they_print_with_an_installed_mpi() {
    if !has_mpi() {
        return;
    }
    for file in sources("testdata/programs") {
        let program = Program::of(&file);
        let installed = program.folder.path().join("installed");
        let status = Command::new("mpicc").args(["-O1", "-w"]).arg(&file).arg("-o").arg(&installed).arg("-lm").status();
        assert!(status.expect("mpicc runs").success());
        let expected = mpirun(4, installed.to_str().expect("UTF-8")).output().expect("it runs");
        let ran = program.run(4);
        assert_eq!(ran.status.code(), expected.status.code(), "{}: {}", file.display(), text(&ran.stderr));
        assert_eq!(lines(&ran), lines(&expected), "{}", file.display());
    }
}

#[test]
fn tasks_that_wait_for_each_other_are_ended_and_named() {
    let waits = "int main(int c, char **v) { int x, rank; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Recv(&x, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Finalize(); return 0; }";
    let ran = Program::from_text(waits).run(2);
    assert_eq!(ran.status.code(), Some(1));
    let said = text(&ran.stderr);
    assert!(said.contains("all tasks wait"), "{said}");
    assert!(said.contains("task 1 in MPI_Recv, other task 0, tag 7"), "{said}");
}

#[test]
fn a_task_that_dies_ends_all() {
    let dies = |how: &str| {
        let program = format!(
            "int main(int c, char **v) {{ int rank; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 1) {{ {how}; }} MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }}"
        );
        let ran = Program::from_text(&program).run(3);
        (ran.status.code(), text(&ran.stderr))
    };
    let (code, said) = dies("MPI_Abort(MPI_COMM_WORLD, 17)");
    assert_eq!((code, said.contains("task 1 called MPI_Abort with code 17")), (Some(17), true), "{said}");
    let (code, said) = dies("*(volatile int *)0 = 1");
    assert_eq!((code, said.contains("task 1 was ended by signal 11")), (Some(139), true), "{said}");
    let (code, said) = dies("exit(4)");
    assert_eq!((code, said.contains("ended with code 4 before MPI_Finalize")), (Some(4), true), "{said}");
}

#[test]
fn errors_and_what_is_missing_are_told_with_the_function() {
    let says = |call: &str| {
        let program = format!(
            "int main(int c, char **v) {{ int x = 0; MPI_Comm comm; (void)comm; MPI_Init(&c, &v); {call}; MPI_Finalize(); return 0; }}"
        );
        text(&Program::from_text(&program).run(1).stderr)
    };
    let said = says("MPI_Send(&x, 1, MPI_INT, 3, 0, MPI_COMM_WORLD)");
    assert!(said.contains("MPI_Send: there is no task 3 in a communicator of 1 (MPI_ERR_RANK)"), "{said}");
    let said = says("MPI_Comm_spawn(\"a\", 0, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, 0)");
    assert!(said.contains("MPI_Comm_spawn: the bundled MPI starts further tasks under `chronos run` alone"), "{said}");
}
