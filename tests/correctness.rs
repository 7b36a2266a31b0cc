//! The standing score of `chronos check --mpi`. Each program of `testdata/mpi_correctness` says in its first lines how many tasks
//! it wants and what is to be found: severity and code, each on a line of its own, or `nothing`. The programs of testdata/programs are
//! correct: nothing may be told of them.

mod common;

use chronos::base::diag::Severity;
use chronos::machine::network::Network;
use chronos::predict::correctness::{findings, is_finding};
use chronos::predict::evaluation::Job;
use chronos::predict::profile::count;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Faulty programs of which so many are found at least, as a share.
const RECALL: f64 = 0.95;
/// Programs that are told something and have what is told, as a share.
const PRECISION: f64 = 0.98;

/// A program on so many tasks, what is to be found in it, and what is.
struct Case {
    file: PathBuf,
    tasks: usize,
    wanted: BTreeSet<String>,
    found: BTreeSet<String>,
}

impl Case {
    fn new(file: PathBuf, tasks: usize, wanted: BTreeSet<String>) -> Self {
        let found = found(&file, tasks);
        Self { file, tasks, wanted, found }
    }

    /// All that its label names is told.
    fn is_found(&self) -> bool {
        !self.wanted.is_empty() && self.wanted.is_subset(&self.found)
    }

    /// Something is told that its label does not name.
    fn is_false_alarm(&self) -> bool {
        !self.found.is_subset(&self.wanted)
    }
}

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

fn labelled(file: PathBuf) -> Case {
    let text = std::fs::read_to_string(&file).expect("text");
    let tasks = said(&text, "tasks").first().and_then(|n| n.parse().ok()).expect("a number of tasks");
    let labels = said(&text, "expect");
    assert!(!labels.is_empty(), "{}: no line `// expect: `", file.display());
    Case::new(file, tasks, labels.into_iter().filter(|line| line != "nothing").collect())
}

fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let labelled = common::sources("testdata/mpi_correctness").into_iter().map(labelled);
        let correct = common::sources("testdata/programs").into_iter();
        let correct = correct.flat_map(|file| [2, 4].map(|tasks| (file.clone(), tasks)));
        labelled.chain(correct.map(|(file, tasks)| Case::new(file, tasks, BTreeSet::new()))).collect()
    })
}

#[test]
fn every_program_gets_the_findings_that_it_names() {
    let wrong = cases().iter().filter(|case| case.found != case.wanted);
    let told = wrong.map(|case| {
        format!("{} on {} tasks: found {:?}, wanted {:?}", case.file.display(), case.tasks, case.found, case.wanted)
    });
    let told: Vec<String> = told.collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn recall_and_precision_are_what_is_demanded() {
    let count = |is: fn(&Case) -> bool| cases().iter().filter(|case| is(case)).count() as f64;
    let (faulty, found) = (count(|case| !case.wanted.is_empty()), count(Case::is_found));
    let alarms = count(Case::is_false_alarm);
    let correct = count(|case| case.wanted.is_empty());
    assert!(faulty >= 40.0 && correct >= 40.0, "too few programs to score: {faulty} faulty, {correct} correct");
    let (recall, precision) = (found / faulty, found / (found + alarms));
    assert!(recall >= RECALL, "recall {found} of {faulty} = {recall:.3}, wanted {RECALL}");
    assert!(precision >= PRECISION, "precision {precision:.3} with {alarms} false alarms, wanted {PRECISION}");
}
