//! Values that are read before they are written and decide about messages, and programs that end by `MPI_Abort`.

use super::check;

const HEAD: &str = "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n";

#[test]
fn variables_of_main_and_new_memory_are_taken_to_be_zero_where_they_decide() {
    let text = "int main(int argc, char **argv) {\nint rank, to, n = 3;\nMPI_Init(&argc, &argv);\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
                int *kind = malloc(12);\nif (kind[0] != -1) n = 5;\n\
                if (rank == 1) MPI_Send(&n, 1, MPI_INT, to, 0, MPI_COMM_WORLD);\n\
                else MPI_Recv(&n, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
                for (int i = 0; i < n; i++) rank++;\nreturn MPI_Finalize();\n}\n";
    insta::assert_snapshot!(check(&format!("{HEAD}{text}"), 2), @r"
    4: [0, 1]=1
    5: [0, 1]=1
    6: [0, 1]=1
    7: [0, 1]=1
    8: [0, 1]=1
    9: [0, 1]=1
    10: [0, 1]=1
    11: [0]=1 [1]=0
    12: [0, 1]=6
    13: [0, 1]=1
    14: [0, 1]=1
    line 10 makes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21] assumed
    0 0 22 0 0
    ");
}

#[test]
fn what_decides_nothing_stays_unknown_and_leaves_counts_exact() {
    let text = "int main(int argc, char **argv) {\nint unset, n = 0;\nMPI_Init(&argc, &argv);\nint twice = unset * 2;\n\
                MPI_Bcast(&twice, 1, MPI_INT, 0, MPI_COMM_WORLD);\nreturn MPI_Finalize();\n}\n";
    let shown = check(&format!("{HEAD}{text}"), 2);
    assert!(shown.ends_with(" 0 0 0 0\n"), "{shown}");
}

#[test]
fn an_array_without_elements_ends_in_zeros_where_that_decides() {
    let text = "char extra[] = {};\nint main(int argc, char **argv) {\nint a[9];\nMPI_Init(&argc, &argv);\nint n = 4 + strlen(extra);\n\
                MPI_Bcast(a, n, MPI_INT, 0, MPI_COMM_WORLD);\nfor (int i = 0; i < n; i++) a[0]++;\nreturn MPI_Finalize();\n}\n";
    insta::assert_snapshot!(check(&format!("{HEAD}{text}"), 2), @r"
    5: [0, 1]=1
    7: [0, 1]=1
    8: [0, 1]=1
    9: [0, 1]=1
    10: [0, 1]=5
    11: [0, 1]=1
    12: [0, 1]=1
    line 9 makes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] assumed
    0 0 13 0 0
    ");
}

#[test]
fn an_abort_without_an_error_is_the_end_of_the_program() {
    let text = "int main(int argc, char **argv) {\nint rank, n = 0;\nMPI_Init(&argc, &argv);\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
                for (int i = 0; i < 4; i++) n++;\nif (rank == 0) MPI_Abort(MPI_COMM_WORLD, 0);\nMPI_Barrier(MPI_COMM_WORLD);\n\
                return MPI_Finalize();\n}\n";
    let shown = check(&format!("{HEAD}{text}"), 2);
    assert!(shown.contains("8: [0, 1]=5"), "{shown}");
}
