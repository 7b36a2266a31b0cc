//! Loops around MPI calls that count to a bound, where whether they end before it was not followed; and loops that read what was
//! given.

use super::{Counted, counted_given, counted_with};
use chronos_interpreter::Inputs;
use chronos_slicing::Assumptions;

/// A solver whose change is not followed any more after some rounds; `n++` stands on line 15.
fn solver(head: &str, end: &str) -> Counted {
    let text = format!(
        "#include <mpi.h>\n#include <chronos.h>\nint n, s;\ndouble a[512];\nint main(int argc, char **argv) {{\n\
         double change, most = 1;\nint s = 0;\nMPI_Init(&argc, &argv);\nfor (int i = 0; i < 512; i++) a[i] = i * i % 17;\n\
         {head} {{\nchange = 0;\nfor (int i = 1; i < 511; i++) {{ double next = (a[i - 1] + a[i + 1]) / 2;\n\
         if (next - a[i] > change) change = next - a[i];\na[i] = next; }}\nn++;\n\
         MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);\n{end} }}\nreturn MPI_Finalize();\n}}\n"
    );
    counted_with(&text, 2, Assumptions { budget: 20_000, ..Assumptions::default() })
}

/// How often the rounds are executed, and what is said of them.
fn rounds(counted: &Counted) -> (Option<f64>, bool, Vec<&'static str>) {
    let line = counted.lines.iter().find(|line| line.line == 15).expect("it is executed");
    let mut said: Vec<_> = counted.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    said.retain(|code| ["C0305", "C0982"].contains(code));
    (line.counts[0].amount.count.as_f64(), counted.complete, said)
}

#[test]
fn a_solver_is_taken_to_come_to_its_bound() {
    let breaks = solver("for (s = 0; s < 300; s++)", "if (most < 1e-9) break;");
    assert_eq!(rounds(&breaks), (Some(300.0), true, vec!["C0982"]));
    assert!(breaks.summary.assumed > 0);
    let condition = solver("while (most > 1e-9 && s < 300)", "s++;");
    assert_eq!(rounds(&condition), (Some(300.0), true, vec!["C0982"]));
    let condition = solver("while (s < 300 && most > 1e-9)", "s++;");
    assert_eq!(rounds(&condition), (Some(300.0), true, vec!["C0982"]));
}

#[test]
fn a_loop_without_a_bound_is_asked_for() {
    let endless = solver("while (1)", "if (most < 1e-9) break;");
    assert!(!rounds(&endless).1);
    assert_eq!(rounds(&endless).2, ["C0305"]);
    let moved = solver("for (s = 0; s < 300; s++)", "if (most > 1e-9) s--; if (most < 1e-9) break;");
    assert!(!rounds(&moved).1);
}

#[test]
fn a_loop_that_a_break_leaves_runs_as_often_as_is_said() {
    // More than the rounds that are followed.
    for head in ["while (1)", "for (s = 0; s < 300; s++)"] {
        let stated = solver(&format!("chronos_iterations(100); {head}"), "if (most < 1e-9) break;");
        assert_eq!(rounds(&stated), (Some(100.0), true, vec![]), "{head}");
    }
}

#[test]
fn what_is_read_of_given_input_is_free() {
    let text =
        "#include <stdio.h>\nint n, x;\nint main(void) {\nwhile (scanf(\"%d\", &x) == 1)\nn += x;\nreturn 0;\n}\n";
    let stdin = Some("7 ".repeat(2_000).into_bytes().into());
    let assumptions = Assumptions { budget: 4_000, ..Assumptions::default() };
    let counted = counted_given(text, 1, assumptions, Inputs { stdin, ..Inputs::default() });
    let line = counted.lines.iter().find(|line| line.line == 5).expect("it is executed");
    assert_eq!((line.counts[0].amount.count.as_f64(), counted.complete), (Some(2000.0), true));
}
