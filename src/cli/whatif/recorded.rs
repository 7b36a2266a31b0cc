//! What can be asked of a recorded run: it tells how long tasks computed, and not which code.

use crate::cli::args::TableChoice;
use crate::cli::codes;
use chronos_base::diag::Diagnostic;
use chronos_pipeline::ProgramOptions;
use chronos_whatif::{Change, Combination};

/// What cannot be asked.
pub fn faults(program: &ProgramOptions, changes: &[Combination], tables: &[TableChoice]) -> Vec<Diagnostic> {
    let files = (!program.files.is_empty()).then(|| {
        let file = program.files[0].display();
        error(format!("{file} is no change, and --recorded takes the place of a program"), "leave one of both out")
    });
    let changes = changes.iter().filter(|change| change.changes.iter().any(|change| !is_possible(change)));
    let changes = changes.map(|change| {
        let message = format!("`{}` asks for the time of code, which a recorded run does not tell", change.text);
        error(message, "ask for other places, networks or ideal-network, or give the program in place of --recorded")
    });
    let tables = tables.iter().filter(|table| matches!(table, TableChoice::Rank | TableChoice::Causes)).map(|_| {
        let message = "--show rank and causes name code, which a recorded run does not tell".to_owned();
        error(message, "ask for --show efficiency,tolerance, or give the program in place of --recorded")
    });
    files.into_iter().chain(changes).chain(tables).collect()
}

fn is_possible(change: &Change) -> bool {
    match change {
        Change::Place(_) | Change::Network(_) | Change::IdealNetwork | Change::Overlap | Change::Balance(None) => true,
        Change::Speed(..) | Change::Move(_) | Change::Balance(Some(_)) | Change::Node(..) => false,
    }
}

fn error(message: String, help: &str) -> Diagnostic {
    Diagnostic::error(&codes::NOTHING_TO_CHANGE, message).help(help)
}
