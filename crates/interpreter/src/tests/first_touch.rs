//! Pages that MPI is the first to write of all its calls.

use super::{evaluator_with, options};
use crate::{Evaluator, EvaluatorOptions};
use chronos_activity::{Feed, Outcome, Step, TaskId, Work};
use chronos_ir::{BlockId, Callee};

/// KiB of new pages and events of a task in their order; `*` begins and ends what is repeated.
fn check(tasks: u32, task: u32, text: &str) -> String {
    let text = format!(
        "#include <mpi.h>\n#include <stdlib.h>\nint main(int c, char **v) {{ MPI_Init(&c, &v); {text} MPI_Finalize(); return 0; }}"
    );
    let mut evaluator = evaluator_with(&text, EvaluatorOptions { tasks, ..options(&[]) }, true);
    let mut all = Vec::new();
    while let step @ (Step::Work(_)
    | Step::Event(_)
    | Step::Repeat(_)
    | Step::LoopEnter
    | Step::LoopIteration
    | Step::LoopExit) = evaluator.next(TaskId(task), Outcome::None)
    {
        all.push(step);
    }
    let mut shown = Vec::new();
    all.iter().for_each(|step| show(step, &evaluator, &mut shown));
    let local = ["MPI_Init", "MPI_Finalize"];
    shown.retain(|step| !local.contains(&&**step));
    shown.join(" ")
}

fn show(step: &Step, evaluator: &Evaluator, shown: &mut Vec<String>) {
    match step {
        Step::Work(Work::Segment(id)) => {
            let program = &evaluator.programs.first().program;
            let of_mpi = |call: BlockId| matches!(program.call(call).map(|call| &call.callee), Some(Callee::Mpi(_)));
            let volumes = evaluator.segments().get(*id).volumes.iter().filter(|volume| of_mpi(volume.1));
            shown.extend(volumes.map(|volume| format!("{}K", volume.2 / 1024.0)));
        }
        Step::Event(event) => shown.push(super::name(&format!("{:?}", event.operation)).clone()),
        Step::Repeat(repeat) => {
            shown.push(format!("{}*", repeat.times));
            repeat.steps.iter().for_each(|step| show(step, evaluator, shown));
            shown.push("*".to_owned());
        }
        _ => {}
    }
}

const SUM: &str = "MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);";

#[test]
fn what_was_received_before_is_there() {
    let text = format!("int n = 10000; double *a = malloc(n * sizeof(double)); {SUM} {SUM} n = 1000; {SUM} free(a);");
    insta::assert_snapshot!(check(1, 0, &text), @"Local Collective 80K Collective Collective Collective");
}

#[test]
fn memory_that_was_given_back_is_new_again() {
    let text = format!(
        "int n = 10000; for (int i = 0; i < 2; i++) {{ double *a = malloc(n * sizeof(double)); {SUM} {SUM} free(a); }}"
    );
    insta::assert_snapshot!(check(1, 0, &text), @"Local Collective 80K Collective Collective 80K Collective Collective");
}

#[test]
fn small_objects_and_those_of_the_stack_are_not_followed() {
    let text = format!("double b[20000], *a = b; int n = 20000; {SUM} n = 1000; a = malloc(n * sizeof(double)); {SUM}");
    insta::assert_snapshot!(check(1, 0, &text), @"Local Collective Collective Collective");
}

#[test]
fn iterations_that_receive_into_the_same_memory_are_folded() {
    let text =
        format!("int n = 10000; double *a = malloc(n * sizeof(double)); for (int i = 0; i < 100; i++) {{ {SUM} }}");
    insta::assert_snapshot!(check(1, 0, &text), @"Local Collective 80K Collective Collective 97* Collective * Collective");
}

#[test]
fn iterations_that_take_turns_are_folded_when_all_buffers_are_known() {
    let ring = format!(
        "int n = 10000; double *b = malloc(4 * n * sizeof(double));
        for (int i = 0; i < 100; i++) {{ double *a = b + i % 4 * n; {SUM} }}"
    );
    insta::assert_snapshot!(check(1, 0, &ring), @"Local Collective 80K Collective 80K Collective 76K Collective 80K Collective Collective Collective Collective Collective Collective Collective Collective 22* Collective Collective Collective Collective * Collective");
}

#[test]
fn iterations_whose_buffers_change_their_parts_are_folded() {
    let text = format!(
        "int n = 10; double *a = malloc(n * sizeof(double)), *b = malloc(n * sizeof(double));
        for (int i = 0; i < 1001; i++) {{ {SUM} double *c = a; a = b; b = c; }}"
    );
    insta::assert_snapshot!(check(1, 0, &text), @"Local Collective Collective Collective Collective 498* Collective Collective * Collective Collective");
}

#[test]
fn a_request_waits_for_the_pages_of_its_receive() {
    let text = "static double a[20000]; MPI_Request r;
        MPI_Irecv(a, 20000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &r); MPI_Wait(&r, MPI_STATUS_IGNORE);";
    insta::assert_snapshot!(check(2, 1, text), @"Local Recv WaitAll 160K Collective");
}

#[test]
fn a_root_touches_its_part_before_the_others_get_theirs() {
    let text = "int n = 10000, rank; double *a = malloc(n * sizeof(double)), *b = malloc(2 * n * sizeof(double));
        MPI_Scatter(b, n, MPI_DOUBLE, a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Gather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);";
    insta::assert_snapshot!(check(2, 0, text), @"Local 80K Collective 80K Collective 80K Collective");
    insta::assert_snapshot!(check(2, 1, text), @"Local Collective 80K Collective Collective");
    let other = text.replace("0, MPI_COMM", "1, MPI_COMM");
    insta::assert_snapshot!(check(2, 1, &other), @"Local Collective 80K Collective 160K Collective");
    let in_place = text.replace("MPI_DOUBLE, a, n", "MPI_DOUBLE, MPI_IN_PLACE, n");
    insta::assert_snapshot!(check(2, 0, &in_place), @"Local Collective 80K Collective 80K Collective");
}

#[test]
fn columns_of_large_rows_are_taken_to_be_there() {
    let text = "double *a = malloc(1000 * 1000 * sizeof(double)); MPI_Datatype t;
        MPI_Type_vector(1000, 1, 1000, MPI_DOUBLE, &t); MPI_Type_commit(&t);
        MPI_Bcast(a, 1, t, 1, MPI_COMM_WORLD); MPI_Bcast(a, 50000, MPI_DOUBLE, 1, MPI_COMM_WORLD);";
    insta::assert_snapshot!(check(2, 0, text), @"Local Collective Collective 392K Collective");
}
