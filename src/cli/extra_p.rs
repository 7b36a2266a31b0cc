//! Measurements for Extra-P in a file, and what is said of them.

use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_report::extra_p::{self, LEAST_POINTS, NotMeasurements};
use chronos_report::model::Prediction;
use std::path::Path;

/// Writes the file, unless the predictions are no measurements by numbers.
pub fn write(predictions: &[Prediction], path: &Path, terminal: &Terminal) -> Exit {
    match extra_p::render(predictions) {
        Ok((text, left_out)) => {
            let told = [too_few(predictions), incomplete(left_out)];
            let told: Vec<Diagnostic> = told.into_iter().flatten().collect();
            terminal.report(&told, &SourceFiles::default()).max(terminal.write(&text, Some(path)))
        }
        Err(fault) => terminal.report(&[refused(&fault)], &SourceFiles::default()),
    }
}

fn refused(fault: &NotMeasurements) -> Diagnostic {
    let (message, help) = match fault {
        NotMeasurements::SeveralSystems => (
            "Extra-P models one machine and network, and these are predictions for several".to_owned(),
            "name one --machine and one --network for --extra-p",
        ),
        NotMeasurements::NoNumber(value) => (
            format!("the parameters of Extra-P are numbers, and `{}` of `{}` is none", value.value, value.name),
            "sweep numbers, or leave --extra-p out",
        ),
        NotMeasurements::Nothing => (
            "no prediction is complete and has call paths, so that nothing can be written for Extra-P".to_owned(),
            "the diagnostics of the predictions say what is missing",
        ),
    };
    Diagnostic::error(&codes::NO_MEASUREMENTS, message).help(help)
}

fn too_few(predictions: &[Prediction]) -> Option<Diagnostic> {
    let fewest = extra_p::fewest_values(predictions);
    let message =
        format!("Extra-P fits models to {LEAST_POINTS} or more values of each parameter, and one has {fewest} here");
    let warning = Diagnostic::warning(&codes::NO_MEASUREMENTS, message);
    (fewest < LEAST_POINTS).then(|| warning.help("give more numbers of tasks (-n 2..64x2) or values of --sweep"))
}

fn incomplete(left_out: usize) -> Option<Diagnostic> {
    let message = format!(
        "{left_out} predictions are incomplete, or without call paths, and left out of what is written for Extra-P"
    );
    (left_out > 0).then(|| Diagnostic::warning(&codes::NO_MEASUREMENTS, message))
}
