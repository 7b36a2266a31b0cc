//! Functions of the program that libraries call, and MPI in them.

use super::*;

fn source(in_operation: &str) -> String {
    format!(
        "#include <mpi.h>
         static void add(void *in, void *out, int *n, MPI_Datatype *type) {{
             int *a = in, *b = out, size; {in_operation}
             for (int i = 0; i < *n * size / (int)sizeof(int); i++) b[i] += a[i];
         }}
         int main(int argc, char **argv) {{
             int in[4] = {{1, 2, 3, 4}}, out[4] = {{1, 1, 1, 1}}; MPI_Op op; MPI_Datatype four;
             MPI_Init(&argc, &argv);
             MPI_Type_contiguous(4, MPI_INT, &four);
             MPI_Type_commit(&four);
             MPI_Op_create(add, 1, &op);
             MPI_Reduce_local(in, out, 1, four, op);
             int result = out[3];
             MPI_Finalize();
             return result;
         }}"
    )
}

fn run(in_operation: &str) -> (Option<i64>, Vec<&'static str>) {
    let mut evaluator = evaluator(&source(in_operation), options(&[]));
    steps(&mut evaluator, 0);
    let result = evaluator.result(TaskId(0)).and_then(|value| value.as_int());
    (result, evaluator.diagnostics().iter().map(|d| d.code.id).collect())
}

#[test]
fn operations_may_ask_mpi_about_its_objects() {
    assert_eq!(run("MPI_Type_size(*type, &size);"), (Some(5), vec![]));
    // A loop that reaches MPI makes no steps of its own here.
    assert_eq!(run("for (int i = 0; i < 9; i++) MPI_Type_size(*type, &size);"), (Some(5), vec![]));
}

#[test]
fn operations_that_wait_for_others_are_refused() {
    let (_, codes) = run("MPI_Type_size(*type, &size); MPI_Barrier(MPI_COMM_WORLD);");
    assert_eq!(codes, ["C0312"]);
    let (_, codes) = run("size = MPI_Wtime() > 0;");
    assert_eq!(codes, ["C0312"]);
}
