//! Contents of memory that loops have written, as messages, copies, windows and files bring them on, and those of
//! messages that folded loops send.

use super::check;

/// What is said of the lines that execute `n++;`, one after the other, and the numbers of exact and other blocks.
pub(super) fn said(body: &str, tasks: usize) -> String {
    let before = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\nlong n;\n\
                  int main(int argc, char **argv) {\n  int rank, size;\n  MPI_Init(&argc, &argv);\n\
                  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n";
    let text = format!("{before}{}\n  MPI_Finalize();\n  return 0;\n}}\n", body.replace("n++;", "\nn++;\n"));
    let wanted: Vec<String> =
        (1..).zip(text.lines()).filter(|(_, l)| *l == "n++;").map(|(i, _)| format!("{i}: ")).collect();
    let shown = check(&text, tasks);
    let of =
        |start: &String| shown.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap_or("-").to_owned();
    wanted.iter().map(of).collect::<Vec<_>>().join(" | ")
}

const EXCHANGE: &str = "MPI_Sendrecv(a, 16, MPI_INT, (rank + 1) % size, 0, b, 16, MPI_INT, (rank + size - 1) % size, 0, \
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE); for (int i = 0; i < 16; i++) if (b[i]) n++;";

#[test]
fn unknown_values_in_zeroed_memory_are_unknown_to_who_receives_them() {
    let random = "for (int i = 0; i < 16; i++) a[i] = rand() % 2;";
    for storage in ["int a[16] = {0};", "static int a[16];", "int *a = calloc(16, sizeof(int));"] {
        let text = said(&format!("int b[16]; {storage} {random} {EXCHANGE}"), 2);
        assert_eq!(text, "[0, 1]=13.0", "{storage}");
        let text = said(&format!("int b[16]; {storage} {EXCHANGE}"), 2);
        assert_eq!(text, "[0, 1]=0", "{storage}");
        // A part of it is written, and known.
        let text = said(&format!("int b[16]; {storage} for (int i = 8; i < 12; i++) a[i] = 1; {EXCHANGE}"), 2);
        assert_eq!(text, "[0, 1]=4", "{storage}");
    }
}

#[test]
fn zeros_are_numbers_of_any_type() {
    let body = "long *a = calloc(4, sizeof(long)), b[4]; double *x = calloc(4, sizeof(double)), y[4];\
                char c[3] = {0}, d[3];\
                MPI_Allreduce(a, b, 4, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); for (int i = 0; i <= b[3]; i++) n++;\
                MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); if (y[2] == 0) n++;\
                MPI_Bcast(c, 3, MPI_CHAR, 0, MPI_COMM_WORLD); if (c[2] == 0) n++;";
    assert_eq!(said(body, 2), "[0, 1]=1 | [0, 1]=1 | [0, 1]=1");
}

#[test]
fn a_swap_compares_what_a_window_of_zeros_holds() {
    let body = "long a[2] = {0}, zero = 0, five = 5, old; MPI_Win w;\
                MPI_Win_create(a, sizeof a, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_lock_all(0, w);\
                MPI_Compare_and_swap(&five, &zero, &old, MPI_LONG, rank, 0, w); MPI_Win_unlock_all(w);\
                MPI_Barrier(MPI_COMM_WORLD); for (int i = 0; i < a[0]; i++) n++;";
    assert_eq!(said(body, 2), "[0, 1]=5");
}

#[test]
fn a_field_beside_one_that_became_unknown_is_unknown() {
    let body = "struct { unsigned x : 3, y : 5; } f[8] = {0}; for (int i = 0; i < 8; i++) f[i].x = rand();\
                for (int i = 0; i < 8; i++) f[i].y = 1; if (f[3].x) n++;";
    assert_eq!(said(body, 1), "[0]=0.8");
}

#[test]
fn what_is_copied_to_an_unknown_place_may_be_anywhere() {
    let body = "int a[4] = {1, 1, 1, 1}, b[4] = {0}, c[4] = {0}; int *to = rand() % 2 ? b : c; memcpy(to, a, sizeof a);\
                if (b[0]) n++; int d[4] = {0}, e[4] = {0}; to = rand() % 2 ? d : e; memset(to, 0, sizeof d); if (d[1]) n++;";
    assert_eq!(said(body, 1), "[0]=0.8 | [0]=0.8");
}

#[test]
fn a_column_of_a_large_matrix_is_followed() {
    let body = "static float m[1100][1000]; MPI_Datatype column; MPI_Type_vector(1100, 1, 1000, MPI_FLOAT, &column);\
                MPI_Type_commit(&column); for (int i = 0; i < 1100; i++) for (int j = 0; j < 1000; j++) m[i][j] = 1 + j;\
                m[70][998] = 6; MPI_Sendrecv(&m[0][998], 1, column, 0, 0, &m[0][0], 1, column, 0, 0, MPI_COMM_WORLD, \
                MPI_STATUS_IGNORE); for (int i = 0; i < m[70][0]; i++) n++;";
    assert_eq!(said(body, 1), "[0]=6");
}

#[test]
fn files_are_written_on_where_a_loop_of_writes_ended() {
    let body = "MPI_File f; MPI_Offset at; int v = 3; MPI_File_open(MPI_COMM_SELF, \"x\", MPI_MODE_CREATE | MPI_MODE_RDWR, \
                MPI_INFO_NULL, &f); for (int k = 0; k < 40; k++) MPI_File_write(f, &v, 1, MPI_INT, MPI_STATUS_IGNORE);\
                MPI_File_get_position(f, &at); for (int i = 0; i < at; i++) n++; MPI_File_close(&f);";
    assert_eq!(said(body, 1), "[0]=160");
}

/// What one task sends in a loop that is folded decides what another one does.
#[track_caller]
fn check_folded(body: &str, tasks: usize, expected: &str) {
    assert_eq!(said(body, tasks), expected);
}

#[test]
fn messages_of_a_folded_loop_keep_their_contents() {
    check_folded(
        "int q = 2; for (int k = 0; k < 50; k++) if (rank) MPI_Send(&q, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); else {\
         int z; MPI_Recv(&z, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); for (int i = 0; i < z; i++) n++; }",
        2,
        "[0]=100 [1]=0",
    );
}

#[test]
fn a_period_sends_different_contents_in_turn() {
    check_folded(
        "for (int k = 0; k < 40; k++) for (int j = 0; j < 10; j++) { int m = j % 3 + 1, z = 0;\
         if (!rank) MPI_Send(&m, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); else {\
         MPI_Recv(&z, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); for (int i = 0; i < z; i++) n++; } }",
        2,
        "[0]=0 [1]=760",
    );
}

#[test]
fn collectives_of_a_folded_loop_keep_their_contents() {
    check_folded(
        "for (int k = 0; k < 50; k++) { int m = rank ? 0 : 7; MPI_Bcast(&m, 1, MPI_INT, 0, MPI_COMM_WORLD);\
         for (int i = 0; i < m; i++) n++; }",
        3,
        "[0, 1, 2]=350",
    );
    check_folded(
        "for (int k = 0; k < 30; k++) { int g[3] = {0}, m = rank + 1; MPI_Gather(&m, 1, MPI_INT, g, 1, MPI_INT, 0, MPI_COMM_WORLD);\
         for (int i = 0; i < g[2]; i++) n++; }",
        3,
        "[0]=90 [1, 2]=0",
    );
    check_folded(
        "for (int k = 0; k < 30; k++) { int s = 0, m = rank + 1; MPI_Reduce(&m, &s, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);\
         for (int i = 0; i < s; i++) n++; }",
        3,
        "[0, 2]=0 [1]=180",
    );
}
