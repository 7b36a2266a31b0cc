//! What the interval of a total takes as exact, though it may be off.

use crate::options::PredictOptions;
use chronos_base::diag::{Diagnostic, Severity};

/// Codes of what has no time or a fixed one, and how that is called.
const WITHOUT_TIMES: [(&str, &str); 4] = [
    ("C0335", "library calls for an unknown number of bytes, which have no time (C0335)"),
    ("C0520", "library functions without a measured cost (C0520)"),
    ("C0714", "file access, which has no time (C0714)"),
    ("C0716", "starting of spawned tasks, which has no time (C0716)"),
];

/// In words, for the report. What is only noted is small: few calls of functions whose cost was not measured.
pub fn taken_as_exact(diagnostics: &[Diagnostic], options: &PredictOptions) -> Vec<String> {
    let told = |code: &str| diagnostics.iter().any(|found| found.code.id == code && found.severity > Severity::Note);
    let without = WITHOUT_TIMES.iter().filter(|(code, _)| told(code)).map(|(_, text)| (*text).to_owned());
    given(options).into_iter().chain(without).collect()
}

/// What users say of branches and loops.
fn given(options: &PredictOptions) -> Option<String> {
    let is_given = |values: bool, name: &'static str| values.then_some(name);
    let any = |of: fn(&crate::options::ProgramOptions) -> bool| options.programs.iter().any(of);
    let names = [
        is_given(any(|program| !program.probabilities.is_empty()), "--prob"),
        is_given(any(|program| !program.iterations.is_empty()), "--iterations"),
        is_given(any(|program| !program.assumption_files.is_empty()), "--assume"),
    ];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    (!names.is_empty()).then(|| format!("what was given with {}", names.join(", ")))
}
