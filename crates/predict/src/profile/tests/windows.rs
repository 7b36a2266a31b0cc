//! Accesses under locks: what they bring depends on the clock where several tasks meet, and on nothing else where they do not.

use super::counted;
use chronos_activity::CountSource;

/// What is said of a loop that is bounded by `k`, which three tasks compute with a window `w` over `m`, all under a lock.
fn bounded(body: &str) -> CountSource {
    let text = format!(
        "#include <mpi.h>\nint n;\nint main(int argc, char **argv) {{\nint r, s, k = 0, one = 1, *m;\nMPI_Win w;\n\
         MPI_Init(&argc, &argv);\nMPI_Comm_rank(MPI_COMM_WORLD, &r);\nMPI_Comm_size(MPI_COMM_WORLD, &s);\n\
         MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);\nm[0] = m[1] = r;\nMPI_Barrier(MPI_COMM_WORLD);\n\
         MPI_Win_lock_all(0, w);\n{body}\nMPI_Win_unlock_all(w);\nfor (int i = 0; i < k; i++)\nn++;\nMPI_Win_free(&w);\n\
         MPI_Finalize();\nreturn 0;\n}}\n"
    );
    let counted = counted(&text, 3);
    let at = text.lines().position(|line| line == "n++;").map_or(0, |at| at as u32 + 1);
    let line = counted.lines.iter().find(|line| line.line == at).expect("the loop is counted");
    line.counts[0].amount.count.source
}

#[track_caller]
fn check(body: &str, expected: CountSource) {
    assert_eq!(bounded(body), expected, "{body}");
}

#[test]
fn work_that_is_taken_from_a_counter_depends_on_the_clock() {
    check(
        "for (;;) { int next; MPI_Fetch_and_op(&one, &next, MPI_INT, 0, 0, MPI_SUM, w); MPI_Win_flush(0, w); \
         if (next >= 20) break; k++; }",
        CountSource::Timing,
    );
}

#[test]
fn polls_on_a_window_depend_on_the_clock() {
    check(
        "int flag = 9, zero = 0; if (r == 0) { for (int t = 1; t < s; t++) { MPI_Accumulate(&flag, 1, MPI_INT, t, 1, 1, MPI_INT, \
         MPI_REPLACE, w); MPI_Win_flush(t, w); } } else { while (flag == 9 || flag < 9) { MPI_Fetch_and_op(&zero, &flag, MPI_INT, \
         r, 1, MPI_NO_OP, w); MPI_Win_flush(r, w); k++; if (flag == 9) break; } }",
        CountSource::Timing,
    );
}

#[test]
fn polls_that_the_owner_answers_by_an_assignment_depend_on_the_clock() {
    check(
        "if (r == 0) { int seen = 0, none = 0; do { MPI_Fetch_and_op(&none, &seen, MPI_INT, 1, 1, MPI_NO_OP, w); MPI_Win_flush(1, w); \
         k++; } while (seen != 7); } else if (r == 1) { m[1] = 7; MPI_Win_sync(w); }",
        CountSource::Timing,
    );
}

#[test]
fn accesses_that_do_not_meet_are_exact() {
    // The owner's stores are over before a barrier.
    check(
        "m[1] = 7; MPI_Win_sync(w); MPI_Barrier(MPI_COMM_WORLD); MPI_Get(&k, 1, MPI_INT, 2, 1, 1, MPI_INT, w); MPI_Win_flush(2, w);",
        CountSource::Static,
    );
    // Each task its own memory.
    check("MPI_Fetch_and_op(&one, &k, MPI_INT, r, 0, MPI_SUM, w); MPI_Win_flush(r, w);", CountSource::Static);
    // Nobody writes.
    check("MPI_Get(&k, 1, MPI_INT, 2, 0, 1, MPI_INT, w); MPI_Win_flush(2, w);", CountSource::Static);
    // A barrier between them.
    check(
        "MPI_Put(&one, 1, MPI_INT, (r + 1) % s, 0, 1, MPI_INT, w); MPI_Win_flush_all(w); MPI_Barrier(MPI_COMM_WORLD);\n\
         MPI_Get(&k, 1, MPI_INT, (r + 2) % s, 0, 1, MPI_INT, w); MPI_Win_flush_all(w);",
        CountSource::Static,
    );
}

#[test]
fn loops_of_loads_alone_end_when_the_flag_comes() {
    let put = "int flag = 7; if (r == 0) { MPI_Put(&flag, 1, MPI_INT, 1, 1, 1, MPI_INT, w); MPI_Win_flush(1, w); }";
    // How often it looks is decided by the clock, and so is what follows from that.
    check(&format!("{put} volatile int *at = m + 1; if (r == 1) while (*at != 7) k++;"), CountSource::Timing);
    check(&format!("{put} if (r == 1) while (m[1] != 7) {{ k++; MPI_Win_sync(w); }}"), CountSource::Timing);
    check(
        &format!("{put} if (r == 1) while (__atomic_load_n(m + 1, __ATOMIC_ACQUIRE) != 7); k = 3;"),
        CountSource::Static,
    );
}
