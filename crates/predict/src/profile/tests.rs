//! Small programs, counted: lines by tasks, the list of what is not exact, the file of assumptions.

mod bounds;
mod contents;
mod doubts;
mod followed;
mod leaving;
mod library;
mod runtime;
mod seeds;
mod unwritten;
mod vectors;
mod windows;

use super::amount::Amount;
use super::{Counted, count};
use crate::evaluation::{Job, OtherPrograms};
use chronos_activity::{Count, CountSource};
use chronos_frontend::{self as source, SourceOptions};
use chronos_interpreter::Inputs;
use chronos_ir::CLibrary;
use chronos_machine::network::Network;
use chronos_math::quasi::{Affine, Polynomial, QuasiPolynomial, Symbol};
use chronos_report::counts::model::Cause;
use chronos_report::model::source_name;
use chronos_report::number;
use chronos_slicing::Assumptions;
use chronos_symbolic::{Atoms, SymbolicCount};
use std::sync::Arc;

fn counted(text: &str, tasks: usize) -> Counted {
    counted_with(text, tasks, Assumptions::default())
}

fn counted_with(text: &str, tasks: usize, assumptions: Assumptions) -> Counted {
    counted_given(text, tasks, assumptions, Inputs::default())
}

fn counted_given(text: &str, tasks: usize, assumptions: Assumptions, inputs: Inputs) -> Counted {
    counted_by(text, tasks, assumptions, inputs, "")
}

/// Compiled with this command; an empty one is `cc`.
fn counted_by(text: &str, tasks: usize, assumptions: Assumptions, inputs: Inputs, cc: &str) -> Counted {
    counted_linked(text, tasks, assumptions, inputs, (cc, CLibrary::Other))
}

/// Compiled with this command, and linked with this library.
fn counted_linked(
    text: &str,
    tasks: usize,
    assumptions: Assumptions,
    inputs: Inputs,
    (cc, c_library): (&str, CLibrary),
) -> Counted {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    let (program, _, diagnostics) =
        source::program(&SourceOptions { files: vec![path], cc: cc.to_owned(), c_library, ..SourceOptions::default() });
    let program = Arc::new(program.unwrap_or_else(|| panic!("{diagnostics:?}")));
    let job = Job {
        program,
        other_programs: OtherPrograms::default(),
        tasks,
        spawned: 0,
        arguments: vec![],
        inputs,
        assumptions,
        tasks_per_node: 1,
        correctness: false,
        object_code: crate::object_code::ObjectCodes::default(),
    };
    count(&job, &Network::load("ethernet-100").expect("it is shipped"))
}

/// `line: tasks=count`, then what is not exact, then the summary.
fn check(text: &str, tasks: usize) -> String {
    let counted = counted(text, tasks);
    let mut shown = String::new();
    for line in &counted.lines {
        let groups = line.counts.iter().map(|group| {
            let least = group.amount.at_least.map_or(String::new(), |least| format!(">={}", number::count(least)));
            format!("{:?}={}{least}", group.tasks, number::count(group.amount.count))
        });
        shown.push_str(&format!("{}: {}\n", line.line, groups.collect::<Vec<_>>().join(" ")));
    }
    counted.inexact.iter().for_each(|cause| shown.push_str(&listed(cause)));
    let s = counted.summary;
    shown + &format!("{} {} {} {} {}\n", s.exact, s.probability, s.assumed, s.timing, s.unknown)
}

fn listed(cause: &Cause) -> String {
    let line = cause.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
    format!("line {line} makes {:?} {}\n", cause.blocks, source_name(cause.source))
}

#[test]
fn a_line_counts_as_its_most_executed_block_on_each_task() {
    let text = "#include <mpi.h>\nint n;\nint main(int argc, char **argv) {\n  int rank;\n  MPI_Init(&argc, &argv);\n\
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  for (int i = 0; i < 3 * rank; i++) if (i % 2) n++;\n\
                for (;;) { if (n++ > 9) break; }\n  return MPI_Finalize();\n}\nvoid never(void) {}\n";
    insta::assert_snapshot!(check(text, 3), @r"
    3: [0, 1, 2]=1
    5: [0, 1, 2]=1
    6: [0, 1, 2]=1
    7: [0]=1 [1]=4 [2]=7
    8: [0]=11 [1]=10 [2]=8
    9: [0, 1, 2]=1
    10: [0, 1, 2]=1
    18 0 0 0 0
    ");
}

#[test]
fn what_an_unknown_branch_decides_is_found_across_calls() {
    let text = "#include <stdlib.h>\nint n, m;\nvoid deep(void) { m++; }\nvoid call(void) { deep(); }\n\
                int main(void) {\n  while (n < 5) {\n    if (random() > 7)\n      call();\n    n++;\n  }\n  return 0;\n}\n";
    let counted = counted(text, 1);
    assert_eq!(counted.inexact.len(), 1);
    assert_eq!(counted.inexact[0].line, Some(7));
    let functions: Vec<&str> =
        counted.inexact[0].blocks.iter().map(|&id| counted.blocks[id as usize].function.as_str()).collect();
    assert!(functions.contains(&"deep") && functions.contains(&"call"), "{functions:?}");
    assert_eq!(counted.assumptions.branches.len(), 1);
}

#[test]
fn what_was_counted_before_the_evaluation_ended_is_a_lower_bound() {
    let text = "#include <mpi.h>\n#include <stdio.h>\nint n, k;\nint main(int argc, char **argv) {\n  MPI_Init(&argc, &argv);\n\
                for (k = 0; k < 4; k++) n += k;\n  scanf(\"%d\", &n);\n  MPI_Bcast(&k, 1, MPI_INT, n, MPI_COMM_WORLD);\n\
                return MPI_Finalize();\n}\n";
    insta::assert_snapshot!(check(text, 2), @r"
    4: [0, 1]=1
    5: [0, 1]=1
    6: [0, 1]=5
    7: [0, 1]=1
    8: [0, 1]=1
    9: [0, 1]=?
    10: [0, 1]=1
    line 8 makes [10, 11, 12] unknown
    10 0 0 0 3
    ");
}

fn expression(coefficient: i128, constant: i128) -> Amount {
    let affine = Affine { constant, terms: vec![(Symbol(0), coefficient)] };
    let value = QuasiPolynomial::from(Polynomial::affine(&affine).expect("small"));
    Amount::symbolic(&SymbolicCount { value: Some(Arc::new(value)), source: CountSource::Static, reason: None })
}

#[test]
fn expressions_are_added_and_compared() {
    let text = |amount: &Amount| amount.text(&Atoms::default()).unwrap_or_else(|| number::count(amount.count()));
    let (a, b) = (expression(1, 0), expression(2, 1));
    assert_eq!(text(&a.plus(&b)), "3*?0+1");
    assert_eq!(text(&a.plus(&Amount::ZERO)), "?0");
    assert_eq!(text(&a.clone().most(b)), "max(?0, 2*?0+1)");
    assert_eq!(text(&a.clone().most(a.clone())), "?0");
    assert_eq!(text(&Amount::ZERO.most(a.clone())), "?0");
    assert_eq!(text(&a.most(Amount::number(Count::UNKNOWN))), "?");
}

/// Sources of the counts of a line.
fn sources(counted: &Counted, line: u32) -> Vec<&'static str> {
    let groups = counted.lines.iter().filter(|counts| counts.line == line).flat_map(|counts| &counts.counts);
    groups.map(|group| source_name(group.source)).collect()
}

#[test]
fn when_the_budget_ends_what_does_not_depend_on_the_dearest_loop_stays_exact() {
    let text = "#include <mpi.h>\ndouble x[64];\nint near, sent[64], steps;\nstatic void move(void) {\n\
                for (int i = 0; i < 64; i++)\n    for (int j = 0; j < 64; j++)\n      if (x[i] * x[j] > 0.3)\n        x[i] -= 0.01 * x[j];\n}\n\
                int main(int argc, char **argv) {\n  MPI_Init(&argc, &argv);\n  for (int i = 0; i < 64; i++) x[i] = i / 64.0;\n\
                for (int s = 0; s < 10; s++) {\n    move();\n    near = 0;\n    for (int i = 0; i < 64; i++)\n      if (x[i] > 0.5)\n        near++;\n\
                MPI_Bcast(sent, near, MPI_INT, 0, MPI_COMM_WORLD);\n    steps++;\n  }\n  return MPI_Finalize();\n}\n";
    let exact = counted(text, 2);
    assert_eq!(exact.summary.exact, exact.blocks.len());
    let counted = counted_with(text, 2, Assumptions { budget: 5_000, ..Assumptions::default() });
    assert!(counted.complete, "{:?}", counted.diagnostics);
    assert!([11, 12, 14, 15, 19, 20, 22].iter().all(|&line| sources(&counted, line) == ["static"]));
    assert!([6, 7, 8, 18].iter().all(|&line| sources(&counted, line) == ["assumed"]));
    let ids: Vec<&str> = counted.diagnostics.iter().map(|d| d.code.id).collect();
    assert!(ids.contains(&"C0313") && ids.contains(&"C0320") && ids.contains(&"C0413"), "{ids:?}");
}

const UNPACK: &str = "#include <mpi.h>\nint n[3] = {0, 3, 5}, in[3], sum, got, first;\nint main(int argc, char **argv) {\n\
                int rank, which;\n  MPI_Request r[2];\n  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
                if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n  else {\n\
                for (int i = 0; i < 2; i++) MPI_Irecv(&in[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &r[i]);\n\
                for (int i = 0; i < 2; i++) {\n      MPI_Waitany(2, r, &which, MPI_STATUS_IGNORE);\n\
                for (int j = 0; j < n[in[which]]; j++)\n        sum++;\n      BODY\n    }\n  }\n  return MPI_Finalize();\n}\n";

#[test]
fn what_is_unpacked_in_any_order_is_exact() {
    let counted = counted(&UNPACK.replace("BODY", "got++;"), 3);
    assert_eq!(counted.summary.exact, counted.blocks.len());
    assert!(counted.diagnostics.iter().any(|d| d.code.id == "C0321"));
}

#[test]
fn what_the_order_decides_is_timing() {
    let counted =
        counted(&UNPACK.replace("BODY", "if (first == 0)\n first = in[which];\n if (first == 2)\n got++;"), 3);
    assert_eq!(sources(&counted, 14), ["static"; 2]);
    assert!(sources(&counted, 18).contains(&"timing"));
}

#[test]
fn what_rests_on_the_absence_of_a_file_is_assumed() {
    let text = "#include <stdio.h>\nint timers, n;\nint main(void) {\n  FILE *f = fopen(\"timer.flag\", \"r\");\n\
                if (f != NULL) {\n    timers = 1;\n    fclose(f);\n  }\n  for (int i = 0; i < 5; i++) {\n    n++;\n\
                if (timers)\n      n--;\n  }\n  return 0;\n}\n";
    let counted = counted(text, 1);
    assert!([4, 5, 9, 10, 11, 14].iter().all(|&line| sources(&counted, line) == ["static"]));
    assert!([6, 7, 12].iter().all(|&line| sources(&counted, line) == ["assumed"]));
    assert!(counted.inexact.iter().all(|cause| cause.line == Some(5) && cause.reason.contains("a file is assumed")));
}

/// The caller's loop has an unknown weight, which must not hide that chance decides what the call returns.
#[test]
fn what_a_search_returns_is_unknown_in_a_loop_of_unknown_length() {
    let text = "#include <stdlib.h>\nint v[9], n;\nstatic int found(int c, int at) {\n  for (int k = 0; k < at; k++)\n\
                if (v[k] == c) return 1;\n  return 0;\n}\nint main(void) {\n  int wanted = rand();\n\
                for (int i = 0; i < wanted; i++) {\n    if (found(rand(), 4))\n      continue;\n    n++;\n  }\n  return n;\n}\n";
    let counted = counted(text, 1);
    assert_eq!((sources(&counted, 12), sources(&counted, 13)), (vec!["unknown"], vec!["unknown"]));
}

#[test]
fn huge_loops_around_mpi_are_counted_at_once() {
    let text = "#include <mpi.h>\nint main(int c, char **v) {\nMPI_Init(&c, &v);\nfor (long i = 0; i < 1000000000; i++)\n\
                MPI_Barrier(MPI_COMM_WORLD);\nMPI_Finalize();\n}\n";
    let counted = counted(text, 4);
    let barrier = counted.lines.iter().find(|line| line.line == 5).expect("the line of the barrier");
    assert_eq!(number::count(barrier.counts[0].amount.count), "1000000000");
    assert!(counted.complete);
}
