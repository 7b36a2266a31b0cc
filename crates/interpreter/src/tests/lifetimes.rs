//! Memory after the end of its life, and stores of MPI outside of objects.

use super::{check, told};

/// What is told of a program with this body.
fn of(body: &str) -> String {
    told(&format!(
        "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\nint global;\nint main(int argc, char **argv)\n{{ {body} return 0; }}"
    ))
}

#[test]
fn a_second_free_ends_the_run() {
    let twice = "C0316 memory is freed twice\n";
    assert_eq!(of("int *p = malloc(40); free(p); free(p);"), twice);
    assert_eq!(of("int *p = malloc(40), *q; free(p); q = malloc(40); *q = 1; free(p);"), twice);
    assert_eq!(of("int *p = malloc(40); p = realloc(p, 80); int *q = p; p = realloc(p, 1000); free(q);"), twice);
    assert_eq!(of("int *p = malloc(40); free(p); p = realloc(p, 80);"), twice);
    assert_eq!(of("int *p; for (int i = 0; i < 1000; i++) { p = malloc(8); free(p); } free(p);"), twice);
}

#[test]
fn what_no_allocator_gave_is_not_freed() {
    assert_eq!(of("int *p = malloc(40); free(p + 4);"), "C0316 memory is freed at byte 16 of an allocation\n");
    assert_eq!(of("int a[4]; free(a);"), "C0316 the variable `a` is freed\n");
    assert_eq!(of("free(&global);"), "C0316 the variable `global` is freed\n");
    assert_eq!(of("free(\"text\");"), "C0316 a string literal is freed\n");
    assert_eq!(of("free(0); char *p = strdup(\"text\"); free(p);"), "");
}

#[test]
fn a_stale_pointer_reads_nothing_of_another_allocation() {
    let told = of("int *p = malloc(40); free(p); int *q = malloc(40); q[0] = 7; return p[0];");
    assert!(told.contains("after the end of its life"), "{told}");
}

#[test]
fn what_may_have_been_freed_may_be_freed_elsewhere() {
    let text = "#include <stdlib.h>\nint getpid(void);\nint main(void) { int *p = malloc(40), n = getpid() > 300; p[0] = 7; \
                if (n) free(p); int s = p[0]; if (!n) free(p); return s; }";
    check(text, 7);
    check(
        "#include <stdlib.h>\nint getpid(void);\nint main(void) { for (int i = 0; i < 3; i++) { int *p = malloc(8); if (getpid() > 300) { int *q = malloc(8); free(q); } free(p); } return 3; }",
        3,
    );
}

#[test]
fn mpi_stores_outside_of_an_object_as_the_program_does() {
    let told = of("int rank[1]; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank[1]); MPI_Finalize();");
    assert!(told.starts_with("C0302 access at byte 4 of `rank`, which has 4 bytes"), "{told}");
}

#[test]
fn mpi_finds_what_it_has_stored_outside_of_an_object() {
    let dup = "MPI_Comm own[1]; int size = 0; MPI_Init(&argc, &argv); MPI_Comm_dup(MPI_COMM_WORLD, &own[1]);";
    let told = of(&format!("{dup} MPI_Comm_size(own[1], &size); MPI_Comm_free(&own[1]); MPI_Finalize();"));
    assert!(told.lines().all(|line| line.starts_with("C0302")), "{told}");
}

#[test]
fn library_functions_go_on_where_a_real_run_does() {
    let freed = "int *a = malloc(40), b[10] = {0}; a[5] = 3; free(a); memcpy(b, a, 40);";
    let told =
        |body: &str| of(body).lines().map(|line| line.split(' ').next().unwrap_or("").to_owned()).collect::<Vec<_>>();
    assert_eq!(told(&format!("{freed} return b[5];")), ["C0302"]);
    assert_eq!(told("int a[4] = {1, 2, 3, 4}, b[8] = {0}; memcpy(b, a, 32); return b[3];"), ["C0302"]);
    assert_eq!(told("char a[4]; strcpy(a, \"four\"); return a[3];"), ["C0302"]);
    assert_eq!(told("char a[4] = {1, 1, 1, 1}; return (int)strlen(a);"), ["C0302"]);
    assert_eq!(told("char a[4]; memset(a, 0, 8); return a[3];"), ["C0302"]);
    assert_eq!(told("char a[4] = {0}, b[9] = {0}; return memcmp(a, b, 9);"), ["C0302"]);
}

#[test]
fn what_lies_inside_is_copied() {
    check(
        "#include <string.h>\nint main(void) { int a[4] = {1, 2, 3, 4}, b[8] = {0}; memcpy(b, a, 32); return b[3]; }",
        4,
    );
    check("#include <string.h>\nint main(void) { char a[4]; strcpy(a, \"four\"); return a[3]; }", i64::from(b'r'));
    check("#include <string.h>\nint main(void) { char a[4] = {2, 0}, b[9] = {1}; return memcmp(a, b, 9); }", 1);
}
