//! What is followed through storage, messages and libraries, seen in how often a loop runs.

use super::check;

/// `int main` around `body`, with MPI; the loop that tells is to be the last statement.
fn lines(globals: &str, body: &str, tasks: usize) -> String {
    let text = format!(
        "#include <mpi.h>\n#include <stdlib.h>\nint n, rank;\n{globals}\nint main(int argc, char **argv) {{\n\
         MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n{body}\nreturn MPI_Finalize();\n}}\n"
    );
    let first = 7 + globals.lines().count().max(1);
    let shown = check(&text, tasks);
    let number = |line: &str| line.split(':').next().and_then(|number| number.parse::<usize>().ok());
    let kept = shown.lines().filter(|line| number(line).is_none_or(|n| n + 1 >= first));
    kept.map(|line| format!("{line}\n")).collect()
}

#[test]
fn datatypes_reach_into_other_objects() {
    let body = "int *a = malloc(8), *b = malloc(8), length[2] = {2, 1}; MPI_Aint at[2]; MPI_Datatype both, types[2] = {MPI_INT, MPI_INT};\n\
                if (rank == 0) { a[0] = 3; a[1] = 4; b[0] = 5; }\n\
                MPI_Get_address(a, &at[0]); MPI_Get_address(b, &at[1]);\n\
                at[1] -= at[0]; at[0] = 0;\n\
                MPI_Type_create_struct(2, length, at, types, &both); MPI_Type_commit(&both);\n\
                if (rank == 0) MPI_Send(a, 1, both, 1, 0, MPI_COMM_WORLD);\n\
                else MPI_Recv(a, 1, both, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
                for (int i = 0; i < a[1] * b[0]; i++) n += i;";
    insta::assert_snapshot!(lines("", body, 2), @r"
    7: [0, 1]=1
    8: [0, 1]=1
    9: [0, 1]=1
    10: [0, 1]=1
    11: [0, 1]=1
    12: [0, 1]=1
    13: [0]=0 [1]=1
    14: [0, 1]=21
    15: [0, 1]=1
    16: [0, 1]=1
    31 0 0 0 0
    ");
}

#[test]
fn polls_change_only_what_they_repeat() {
    let body = "int there = 0, got = 0;\n\
                if (rank == 0) { got = 6; MPI_Send(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); }\n\
                else {\n\
                while (!there)\n\
                MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);\n\
                MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
                }\n\
                for (int i = 0; i < got; i++) n += i;";
    insta::assert_snapshot!(lines("", body, 2), @r"
    7: [0, 1]=1
    8: [0, 1]=1
    10: [0]=0 [1]=834
    11: [0]=0 [1]=833
    12: [0]=0 [1]=1
    14: [0, 1]=7
    15: [0, 1]=1
    16: [0, 1]=1
    line - makes [8, 9, 10, 11] timing
    18 0 0 4 0
    ");
}

#[test]
fn polls_may_decide_what_else_is_done() {
    let body = "int there = 0, other = 0, got = 0;\n\
                if (rank == 0) MPI_Send(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n\
                else {\n\
                for (;;) {\n\
                MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);\n\
                if (there) break;\n\
                other++;\n\
                }\n\
                MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
                }\n\
                for (int i = 0; i < 2 * other; i++) n += i;";
    insta::assert_snapshot!(lines("", body, 2), @r"
    7: [0, 1]=1
    8: [0, 1]=1
    11: [0]=0 [1]=833
    12: [0]=0 [1]=833
    13: [0]=0 [1]=832
    15: [0]=0 [1]=1
    17: [0]=1 [1]=1665
    18: [0, 1]=1
    19: [0, 1]=1
    line - makes [8, 9, 10, 11, 12, 14, 17, 19, 20, 21] timing
    15 0 0 10 0
    ");
}

#[test]
fn messages_of_unknown_size_are_matched() {
    let body = "int size = rand() % 9, k; MPI_Status status; int *data = malloc(100);\n\
                if (rank == 0) MPI_Send(data, size, MPI_INT, 1, 0, MPI_COMM_WORLD);\n\
                else {\n\
                MPI_Probe(0, 0, MPI_COMM_WORLD, &status);\n\
                MPI_Get_count(&status, MPI_INT, &k);\n\
                MPI_Recv(data, k, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);\n\
                for (int i = 0; i < k; i++) n += i;\n\
                }\n\
                for (int i = 0; i < 4; i++) n += i;";
    insta::assert_snapshot!(lines("", body, 2), @r"
    7: [0, 1]=1
    8: [0, 1]=1
    10: [0]=0 [1]=1
    11: [0]=0 [1]=1
    12: [0]=0 [1]=1
    13: [0]=0 [1]=?
    15: [0, 1]=5
    16: [0, 1]=1
    17: [0, 1]=1
    line 13 makes [16, 18, 19, 20] unknown
    25 0 0 0 4
    ");
}

#[test]
fn what_lies_behind_the_end_is_exact() {
    let body = "for (int i = 0; i < 5; i++) n = before(n);\n\
                if (rand() > n) MPI_Barrier(MPI_COMM_WORLD);\n\
                n = after(n);";
    let functions = "int before(int k) { return k + 1; }\n\
                     int after(int k) { return k + 2; }\n\
                     int never(int k) { return k + 3; }";
    insta::assert_snapshot!(lines(functions, body, 2), @r"
    9: [0, 1]=6
    10: [0, 1]=1
    11: [0, 1]=?
    12: [0, 1]=?
    13: [0, 1]=1
    line 10 makes [1, 16, 17, 18, 19, 20, 21] unknown
    15 0 0 0 7
    ");
}

const BLAS: &str = "void cblas_dgemm(int, int, int, int, int, int, double, double *, int, double *, int, double, double *, int); \
                    void cblas_dtrsm(int, int, int, int, int, int, int, double, double *, int, double *, int); \
                    void cblas_dgemv(int, int, int, int, double, double *, int, double *, int, double, double *, int); \
                    void cblas_dger(int, int, int, double, double *, int, double *, int, double *, int); \
                    void cblas_dtrsv(int, int, int, int, int, double *, int, double *, int); \
                    void cblas_daxpy(int, double, double *, int, double *, int); void cblas_dswap(int, double *, int, double *, int); \
                    void cblas_dcopy(int, double *, int, double *, int); void cblas_dscal(int, double, double *, int); \
                    int cblas_idamax(int, double *, int); double cblas_ddot(int, double *, int, double *, int); double x[8];";

#[test]
fn blas_results_are_those_of_the_definitions() {
    // By columns: a = [1 2; 3 4], b = [5 6; 7 8], a b = [19 22; 43 50], a^T b = [26 30; 38 44].
    let body = "double a[4] = {1, 3, 2, 4}, b[4] = {5, 7, 6, 8}, c[4] = {1, 1, 1, 1}, v[2] = {1, 2}, w[2] = {2, -9};\n\
                cblas_dgemm(102, 111, 111, 2, 2, 2, 1.0, a, 2, b, 2, 1.0, c, 2);\n\
                for (int i = 0; i < (int)c[1]; i++) n++; /* 44 */\n\
                cblas_dgemm(102, 112, 111, 2, 2, 2, 1.0, a, 2, b, 2, 0.0, c, 2);\n\
                for (int i = 0; i < (int)c[2]; i++) n++; /* 30 */\n\
                cblas_dgemm(101, 111, 111, 2, 2, 2, 1.0, a, 2, b, 2, 0.0, c, 2);\n\
                for (int i = 0; i < (int)c[0]; i++) n++; /* rows: 1 5 + 3 6 = 23 */\n\
                cblas_dgemv(102, 112, 2, 2, 1.0, a, 2, v, 1, 0.0, x, 2);\n\
                for (int i = 0; i < (int)x[2]; i++) n++; /* 1 2 + 2 4 = 10 */\n\
                cblas_dger(102, 2, 2, 2.0, v, 1, v, 1, b, 2);\n\
                for (int i = 0; i < (int)b[3]; i++) n++; /* 8 + 8 = 16 */\n\
                cblas_dtrsm(102, 141, 122, 111, 131, 2, 1, 1.0, a, 2, w, 2);\n\
                for (int i = 0; i < (int)w[0] - (int)(4 * w[1]); i++) n++; /* 2, (-9 - 6) / 4: 17 */\n\
                for (int i = 0; i < cblas_idamax(2, w, 1); i++) n++; /* 1 */\n\
                cblas_dswap(2, w, 1, v, -1); cblas_dscal(2, 3.0, v, 1);\n\
                for (int i = 0; i < (int)v[1] + (int)w[0]; i++) n++; /* 6 + 2 */\n\
                w[0] = 8; w[1] = 4; cblas_dtrsv(102, 121, 111, 131, 2, a, 2, w, 1);\n\
                for (int i = 0; i < (int)w[0]; i++) n++; /* 8 - 2 1 = 6 */\n\
                x[0] = x[1] = 1; cblas_daxpy(2, 2.0, w, 1, x, 1); cblas_dcopy(2, x, 1, v, 1);\n\
                for (int i = 0; i < (int)cblas_ddot(2, v, 1, w, 1); i++) n++; /* 13 6 + 3 1 = 81 */";
    insta::assert_snapshot!(lines(BLAS, body, 1), @r"
    7: [0]=1
    8: [0]=1
    9: [0]=45
    10: [0]=1
    11: [0]=31
    12: [0]=1
    13: [0]=24
    14: [0]=1
    15: [0]=11
    16: [0]=1
    17: [0]=17
    18: [0]=1
    19: [0]=18
    20: [0]=2
    21: [0]=1
    22: [0]=9
    23: [0]=1
    24: [0]=7
    25: [0]=1
    26: [0]=82
    27: [0]=1
    28: [0]=1
    79 0 0 0 0
    ");
}

#[test]
fn blas_loses_what_it_writes_and_no_more() {
    let body = "double a[4] = {1, 3, 2, 4}, c[2] = {7, 7}; a[1] = rand();\n\
                cblas_dcopy(2, a, 1, x, 2);\n\
                for (int i = 0; i < (int)x[1] + 5; i++) n++;\n\
                for (int i = 0; i < (int)c[1]; i++) n++;\n\
                for (int i = 0; i < (int)x[0]; i++) n++;";
    insta::assert_snapshot!(lines(BLAS, body, 1), @r"
    7: [0]=1
    8: [0]=1
    9: [0]=6
    10: [0]=8
    11: [0]=?
    12: [0]=1
    13: [0]=1
    line 11 makes [17, 19, 20, 21] unknown
    21 0 0 0 4
    ");
}

#[test]
fn aligned_storage_is_followed() {
    let body = "void *raw = malloc(4 * sizeof(int) + 64); size_t at = (size_t)raw; at = (at + 63) / 64 * 64;\n\
                int *data = (int *)at; data[2] = 6;\n\
                for (int i = 0; i < data[2]; i++) MPI_Barrier(MPI_COMM_WORLD);";
    insta::assert_snapshot!(lines("", body, 2), @r"
    7: [0, 1]=1
    8: [0, 1]=1
    9: [0, 1]=7
    10: [0, 1]=1
    11: [0, 1]=1
    15 0 0 0 0
    ");
}

#[test]
fn the_time_of_compilation_is_in_doubt() {
    let text = "static char kept[] = __TIME__;\nstatic const char *date = __DATE__;\nint main(void) {\n  int n = 0;\n  \
                char local[] = \"at \" __TIME__;\n  for (int i = '0'; i < __TIME__[7]; i++) n++;\n  \
                for (int i = '0'; i < kept[1]; i++) n++;\n  for (int i = '0'; i < local[4]; i++) n++;\n  \
                for (int i = '0'; i < date[4]; i++) n++;\n  for (int i = 0; i < 3; i++) n++;\n  return n;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    3: [0]=1
    4: [0]=1
    5: [0]=1
    6: [0]=1
    7: [0]=4
    8: [0]=4
    9: [0]=2
    10: [0]=4
    11: [0]=1
    12: [0]=1
    line 1 makes [6, 7, 8, 9, 10] assumed
    line 2 makes [1, 2, 3, 4, 5, 16, 17, 18, 19, 20] assumed
    line 5 makes [11, 12, 13, 14, 15] assumed
    7 0 20 0 0
    ");
}
