//! A profile for Cube in a file, and what is said of it.

use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_report::Report;
use chronos_report::cube::{self, NoProfile};
use std::path::Path;

/// Writes the profile of the only prediction of a report.
pub fn write(report: &Report, path: &Path, terminal: &Terminal) -> Exit {
    let say = |diagnostic: Diagnostic| terminal.report(&[diagnostic], &SourceFiles::default());
    let [prediction] = &report.predictions[..] else { return say(several(report.predictions.len())) };
    match cube::render(prediction, &report.program.title()) {
        Ok(profile) => {
            let told = if profile.means { say(of_means()) } else { Exit::Done };
            told.max(terminal.write_bytes(&profile.bytes, path))
        }
        Err(why) => say(refused(why)),
    }
}

fn several(predictions: usize) -> Diagnostic {
    let message = format!("a profile for Cube is of one prediction, and there are {predictions}");
    Diagnostic::error(&codes::NO_PROFILE, message).help(
        "name one machine, one network and one number of tasks, or write a file for each by commands of their own",
    )
}

fn refused(why: NoProfile) -> Diagnostic {
    let (message, help) = match why {
        NoProfile::Incomplete => (
            "the prediction is incomplete, so that no profile for Cube is written",
            "the diagnostics of the prediction say what is missing",
        ),
        NoProfile::WithoutPaths => (
            "the prediction has no call paths, so that no profile for Cube is written",
            "predict from the sources: a recorded run alone does not tell which functions call",
        ),
    };
    Diagnostic::error(&codes::NO_PROFILE, message).help(help)
}

fn of_means() -> Diagnostic {
    let message = "each task of the profile for Cube has the mean of all tasks: their own times were not kept";
    Diagnostic::note(&codes::NO_PROFILE, message)
        .help("predict anew without --resume; of very many tasks and call paths only the means are kept")
}
