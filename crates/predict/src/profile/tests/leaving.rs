//! Tasks that end without `MPI_Finalize` while others wait for them.

use super::counted;

const HEAD: &str = "#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\nint rank, n = 0;\n\
                    MPI_Init(&argc, &argv);\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n";

#[track_caller]
fn check(body: &str, complete: bool, codes: &[&str]) {
    let counted = counted(&format!("{HEAD}{body}\n}}\n"), 3);
    let told: Vec<&str> = counted.diagnostics.iter().map(|d| d.code.id).collect();
    assert_eq!((counted.complete, &told[..]), (complete, codes), "{:?}", counted.diagnostics);
}

#[test]
fn launchers_end_those_who_wait_for_a_task_that_left() {
    let rest = "MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD); n++; return MPI_Finalize();";
    check(&format!("if (!rank) return 0; {rest}"), true, &["C0980"]);
    check(&format!("if (!rank && argc < 2) exit(1); {rest}"), true, &["C0317", "C0980"]);
    check(
        "if (rank) MPI_Recv(&n, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); return 0;",
        true,
        &["C0980"],
    );
}

#[test]
fn tasks_that_wait_for_one_another_are_in_a_deadlock_whoever_left() {
    let body = "if (rank) MPI_Recv(&n, 1, MPI_INT, 3 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); return 0;";
    check(body, false, &["C0701"]);
}

#[test]
fn who_has_called_finalize_has_not_left_early() {
    let body =
        "if (rank == 1) MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); return MPI_Finalize();";
    check(body, false, &["C0701"]);
}

/// As gcov has it: the closing brace of a function that ends the program before counts nothing.
#[test]
fn the_end_of_a_function_is_not_reached_where_the_program_ends_in_it() {
    let text = "#include <stdlib.h>\nint n;\nvoid f(int a) {\nif (a > 1)\nexit(1);\nn++;\n}\n\
                int g(int a) {\nif (a > 2)\nreturn 1;\nf(a);\nreturn 2;\n}\nint main(void) {\ng(3);\ng(1);\ng(2);\nreturn 0;\n}\n";
    let counted = counted(text, 1);
    let count = |number: u32| {
        let line = counted.lines.iter().find(|line| line.line == number).expect("it is told");
        line.counts[0].amount.count.as_f64().expect("it is known")
    };
    assert_eq!([7, 13, 19].map(count), [1.0, 2.0, 0.0]);
    assert_eq!([3, 8, 14].map(count), [2.0, 3.0, 1.0]);
}
