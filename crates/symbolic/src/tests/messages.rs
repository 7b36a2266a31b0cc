//! Programs of several tasks.

use super::*;

/// Checks a program of three tasks with the parameter N.
#[track_caller]
fn check_tasks(text: &str) -> String {
    let text = format!("#include <mpi.h>\n{text}");
    let counted = agrees(&snippet(&text, &["N"]).tasks(3), POINTS);
    assert_eq!(counted.messages, Vec::<String>::new(), "all is followed");
    counted.shown()
}

#[test]
fn blocks_of_rows() {
    let shown = check_tasks(
        r"int N = 4; int s;
int main(int argc, char **argv) { int rank, size; MPI_Init(&argc, &argv);
MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);
int rows = N / size, first = rank * rows, last = rank == size - 1 ? N : first + rows;
for (int i = first; i < last; i++)
for (int j = 0; j < N; j++) s++;
MPI_Finalize(); return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0 1
    3 call: 1
    4 call: 1
    4 call: 1
    5 branch: 1 | 0 | 1
    6 loop: floor(N/3) if N >= 3, else 0 | 1
    7 loop: N*floor(N/3) if N >= 3, else 0 | floor(N/3) if N >= 3, else 0
    8 call: 1
    tasks 2
    3 call: 1
    4 call: 1
    4 call: 1
    5 branch: 1 | 1 | 0
    6 loop: N-2*floor(N/3) if N >= 0, else 0 | 1
    7 loop: N*(N-2*floor(N/3)) if N >= 1, else 0 | N-2*floor(N/3) if N >= 0, else 0
    8 call: 1
    ");
}

#[test]
fn rows_in_turn() {
    let shown = check_tasks(
        r"int N = 4; int s;
int main(int argc, char **argv) { int rank, size; MPI_Init(&argc, &argv);
MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);
for (int i = rank; i < N; i += size)
for (int j = 0; j < i; j++) s++;
MPI_Finalize(); return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0
    3 call: 1
    4 call: 1
    4 call: 1
    5 loop: floor((N+2)/3) if N >= 1, else 0 | 1
    6 loop: 3*floor((N+2)/3)*(floor((N+2)/3)-1)/2 if N >= 4, else 0 | floor((N+2)/3) if N >= 1, else 0
    7 call: 1
    tasks 1
    3 call: 1
    4 call: 1
    4 call: 1
    5 loop: floor((N+1)/3) if N >= 2, else 0 | 1
    6 loop: floor((N+1)/3)*(3*floor((N+1)/3)-1)/2 if N >= 2, else 0 | floor((N+1)/3) if N >= 2, else 0
    7 call: 1
    tasks 2
    3 call: 1
    4 call: 1
    4 call: 1
    5 loop: floor(N/3) if N >= 3, else 0 | 1
    6 loop: floor(N/3)*(3*floor(N/3)+1)/2 if N >= 3, else 0 | floor(N/3) if N >= 3, else 0
    7 call: 1
    ");
}

#[test]
fn messages_in_a_loop() {
    let shown = check_tasks(
        r"int N = 4; double a[100], b[100];
int main(int argc, char **argv) { int rank, size, n = N; MPI_Comm world; MPI_Init(&argc, &argv);
MPI_Comm_dup(MPI_COMM_WORLD, &world); MPI_Comm_rank(world, &rank); MPI_Comm_size(world, &size);
int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
for (int t = 0; t < 5; t++) {
if (up != MPI_PROC_NULL) MPI_Send(&n, 1, MPI_INT, up, 0, world);
if (rank > 0) MPI_Recv(a, 1, MPI_INT, rank - 1, 0, world, MPI_STATUS_IGNORE);
for (int i = 1; i < n - 1; i++) b[i] = a[i];
MPI_Barrier(world); }
MPI_Finalize(); return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0
    3 call: 1
    4 call: 1
    4 call: 1
    4 call: 1
    5 branch: 1 | 1 | 0
    6 loop: 5 | 1
    7 branch: 5 | 5
    7 call: 5
    8 branch: 5 | 0
    9 loop: 5*(N-2) if N >= 3, else 0 | 5
    10 call: 5
    11 call: 1
    tasks 1
    3 call: 1
    4 call: 1
    4 call: 1
    4 call: 1
    5 branch: 1 | 1 | 0
    6 loop: 5 | 1
    7 branch: 5 | 5
    7 call: 5
    8 branch: 5 | 5
    8 call: 5
    9 loop: 5*(N-2) if N >= 3, else 0 | 5
    10 call: 5
    11 call: 1
    tasks 2
    3 call: 1
    4 call: 1
    4 call: 1
    4 call: 1
    5 branch: 1 | 0 | 1
    6 loop: 5 | 1
    7 branch: 5 | 0
    8 branch: 5 | 5
    8 call: 5
    9 loop: 5*(N-2) if N >= 3, else 0 | 5
    10 call: 5
    11 call: 1
    ");
}

#[test]
fn what_is_received_is_unknown() {
    let text = r"#include <mpi.h>
int N = 4; int s;
int main(int argc, char **argv) { int rank, n = 3; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);
if (rank == 1) MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
for (int i = 0; i < n; i++) s++;
for (int i = 0; i < N; i++) s++;
MPI_Finalize(); return 0; }";
    let counted = snippet(text, &["N"]).tasks(2).counted();
    insta::assert_snapshot!(counted.shown(), @r"
    tasks 0
    3 call: 1
    3 call: 1
    4 branch: 1 | 0
    5 loop: 3 | 1
    6 loop: N if N >= 1, else 0 | 1
    7 call: 1
    tasks 1
    3 call: 1
    3 call: 1
    4 branch: 1 | 1
    4 call: 1
    5 loop: ? | 1
    6 loop: N if N >= 1, else 0 | 1
    7 call: 1
    ");
    insta::assert_snapshot!(counted.messages.join("\n"), @"C0306 the number of iterations of a loop is received in a message whose content is unknown");
}

#[test]
fn what_the_root_broadcasts_is_known() {
    let shown = check_tasks(
        r"int N = 4; int s;
int main(int argc, char **argv) { int rank, n = 0; double h; MPI_Init(&argc, &argv);
MPI_Comm_rank(MPI_COMM_WORLD, &rank);
if (rank == 0) n = 2 * N + 1;
MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
MPI_Bcast(&h, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
for (int i = 0; i < n; i++) s++;
MPI_Finalize(); return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0
    3 call: 1
    4 call: 1
    5 branch: 1 | 1
    6 call: 1
    7 call: 1
    8 loop: 2*N+1 if N >= 0, else 0 | 1
    9 call: 1
    tasks 1 2
    3 call: 1
    4 call: 1
    5 branch: 1 | 0
    6 call: 1
    7 call: 1
    8 loop: 2*N+1 if N >= 0, else 0 | 1
    9 call: 1
    ");
}

#[test]
fn grids_of_tasks() {
    let text = r"#include <mpi.h>
int N = 4; int s;
int main(int argc, char **argv) { int rank, size, dims[2] = { 0, 0 }, periods[2] = { 0, 1 }, at[2], up, down; MPI_Comm grid;
MPI_Init(&argc, &argv); MPI_Comm_size(MPI_COMM_WORLD, &size); MPI_Dims_create(size, 2, dims);
MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid); MPI_Comm_rank(grid, &rank);
MPI_Cart_coords(grid, rank, 2, at); MPI_Cart_shift(grid, 0, 1, &up, &down);
for (int i = at[0]; i < N; i += dims[0])
for (int j = at[1]; j < N; j += dims[1]) s++;
if (up != MPI_PROC_NULL) s++;
MPI_Finalize(); return 0; }";
    let counted = agrees(&snippet(text, &["N"]).tasks(4), POINTS);
    assert_eq!(counted.messages, Vec::<String>::new());
    insta::assert_snapshot!(counted.shown(), @r"
    tasks 0
    4 call: 1
    4 call: 1
    4 call: 1
    5 call: 1
    5 call: 1
    6 call: 1
    6 call: 1
    7 loop: floor((N+1)/2) if N >= 1, else 0 | 1
    8 loop: floor((N+1)/2)^2 if N >= 1, else 0 | floor((N+1)/2) if N >= 1, else 0
    9 branch: 1 | 0
    10 call: 1
    tasks 1
    4 call: 1
    4 call: 1
    4 call: 1
    5 call: 1
    5 call: 1
    6 call: 1
    6 call: 1
    7 loop: floor((N+1)/2) if N >= 1, else 0 | 1
    8 loop: floor(N/2)*floor((N+1)/2) if N >= 2, else 0 | floor((N+1)/2) if N >= 1, else 0
    9 branch: 1 | 0
    10 call: 1
    tasks 2
    4 call: 1
    4 call: 1
    4 call: 1
    5 call: 1
    5 call: 1
    6 call: 1
    6 call: 1
    7 loop: floor(N/2) if N >= 2, else 0 | 1
    8 loop: floor(N/2)*floor((N+1)/2) if N >= 2, else 0 | floor(N/2) if N >= 2, else 0
    9 branch: 1 | 1
    10 call: 1
    tasks 3
    4 call: 1
    4 call: 1
    4 call: 1
    5 call: 1
    5 call: 1
    6 call: 1
    6 call: 1
    7 loop: floor(N/2) if N >= 2, else 0 | 1
    8 loop: floor(N/2)^2 if N >= 2, else 0 | floor(N/2) if N >= 2, else 0
    9 branch: 1 | 1
    10 call: 1
    ");
}
