//! The standing score of `chronos check --mpi`: each program of testdata/mpi_correctness says in its first lines how many tasks
//! it wants and what is to be found: severity and code, each on a line of its own, or `nothing`.

mod common;

use chronos::correctness::{findings, is_finding};
use chronos::counts::count;
use chronos::diag::Severity;
use chronos::evaluation::Job;
use chronos::machine::network::Network;
use std::collections::BTreeSet;
use std::path::Path;

/// What stands behind `// KEY: ` in the first lines.
fn said(text: &str, key: &str) -> Vec<String> {
    let begin = format!("// {key}: ");
    text.lines().filter_map(|line| line.strip_prefix(&begin)).map(str::to_owned).collect()
}

fn found(file: &Path, tasks: usize) -> BTreeSet<String> {
    let job = Job { correctness: true, ..common::job(file, tasks, &[]) };
    let network = Network::load("ethernet-100").expect("it is shipped");
    let all = findings(&job, &network, &count(&job, &network));
    let shown = |severity| if severity == Severity::Error { "error" } else { "warning" };
    let told = all.iter().filter(|d| d.is_error() || is_finding(d));
    told.map(|d| format!("{} {}", shown(d.severity), d.code.id)).collect()
}

#[test]
fn every_program_gets_the_findings_that_it_names() {
    let mut wrong = Vec::new();
    for file in common::sources("testdata/mpi_correctness") {
        let text = std::fs::read_to_string(&file).expect("text");
        let tasks = said(&text, "tasks").first().and_then(|n| n.parse().ok()).expect("a number of tasks");
        let wanted: BTreeSet<String> = said(&text, "expect").into_iter().filter(|line| line != "nothing").collect();
        let found = found(&file, tasks);
        if found != wanted {
            wrong.push(format!("{}: found {found:?}, wanted {wanted:?}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
