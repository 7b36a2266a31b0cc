//! Results of library functions that decide how often something runs: what the table of functions says of them is what
//! lets them be known.

use super::contents::said;

/// How often `n++` runs where a function gives the bound, and whether all is exact.
fn bound(expression: &str) -> String {
    let body = format!(
        "double x = argc * 6.25; float f = argc * 6.5f; int k = argc * 3; (void)x; (void)f; (void)k;\
         for (int i = 0; i < {expression}; i++) n++;"
    );
    said(&body, 1)
}

#[test]
fn functions_of_numbers_give_bounds_of_loops() {
    let cases = [
        ("lrint(x)", 6),
        ("llrint(x)", 6),
        ("lround(x + 0.5)", 7),
        ("lroundf(f)", 7),
        ("fma(x, 2, 0.5)", 13),
        ("roundf(f)", 7),
        ("nearbyint(x + 0.25)", 6),
        ("fdim(x, 2)", 5),
        ("fdimf(f, 0.5f)", 6),
        ("scalbn(x, 1)", 13),
        ("ldexpf(f, 1)", 13),
        ("__builtin_popcount(k)", 2),
        ("(isblank(' ') != 0) + k", 4),
        ("strspn(\"aab\", \"a\") + k", 5),
    ];
    for (expression, count) in cases {
        assert_eq!(bound(expression), format!("[0]={count}"), "{expression}");
    }
}

#[test]
fn functions_by_the_names_of_headers_are_the_same() {
    let body = "int k = 0; __isoc99_sscanf(\"7\", \"%d\", &k); for (int i = 0; i < k; i++) n++;";
    assert_eq!(said(body, 1), "[0]=7");
}

#[test]
fn a_message_that_was_looked_for_brings_its_content() {
    let body = "int k = 0; MPI_Message found; if (rank == 0) { for (int i = 0; i < 9; i++) k += i % 3;\
                MPI_Send(&k, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); } else { MPI_Mprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);\
                MPI_Mrecv(&k, 1, MPI_INT, &found, MPI_STATUS_IGNORE); } for (int i = 0; i < k; i++) n++;";
    assert_eq!(said(body, 2), "[0, 1]=9");
}

#[test]
fn a_local_reduction_combines_its_operands() {
    let body = "int a = 0, b = 1; for (int i = 0; i < 5; i++) a += rank + i % 2; MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_SUM);\
                for (int i = 0; i < b; i++) n++;";
    assert_eq!(said(body, 2), "[0]=3 [1]=8");
}

#[test]
fn datatypes_of_equal_blocks_are_written_where_the_standard_says() {
    let body = "int at[2] = {0, 4}, size = 0; MPI_Datatype t; MPI_Type_create_indexed_block(2, 3, at, MPI_INT, &t);\
                MPI_Type_commit(&t); MPI_Type_size(t, &size); MPI_Type_free(&t); for (int i = 0; i < size; i++) n++;";
    assert_eq!(said(body, 1), "[0]=24");
}

#[test]
fn results_through_pointers_have_the_type_of_the_variant() {
    let body = "double s, c; sincos(argc * 0.5, &s, &c); for (int i = 0; i < 10 * s; i++) n++;\
                float p[2] = {0, 7}, q[2] = {0, 7}; sincosf(argc * 0.5f, p, q); for (int i = 0; i < 10 * q[0] + q[1]; i++) n++;\
                float whole[2] = {0, 3}; modff(argc * 4.5f, whole); for (int i = 0; i < whole[0] + whole[1]; i++) n++;";
    // sin 0.5 = 0.479, cos 0.5 = 0.878
    assert_eq!(said(body, 1), "[0]=5 | [0]=16 | [0]=7");
}

#[test]
fn extents_are_told_as_counts_too() {
    let body = "MPI_Count low, extent; MPI_Type_get_extent_x(MPI_DOUBLE, &low, &extent); for (int i = 0; i < extent; i++) n++;\
                MPI_Type_get_true_extent_x(MPI_INT, &low, &extent); for (int i = low; i < extent; i++) n++;";
    assert_eq!(said(body, 1), "[0]=8 | [0]=4");
}
