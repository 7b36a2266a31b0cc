//! Whether timings mean anything, on a machine that others use too.

use super::codes;
use super::options::Options;
use super::output::Measurements;
use super::plan::Effort;
use chronos_base::diag::Diagnostic;

/// Median above what counts, from which on a run counts as noisy.
const NOISE_WARNING: f64 = 0.10;
/// ... and from which on it is refused.
const NOISE_REFUSAL: f64 = 0.60;
/// Spread of a result from which on it is named.
const UNCERTAIN: f64 = 0.03;
/// Share of such results from which on a run is refused.
const UNCERTAIN_SHARE: f64 = 0.25;
/// Results that a message names.
const NAMED: usize = 4;

/// Warnings where other load disturbed the run.
///
/// # Errors
/// So much noise that the figures would mean nothing, and the options do not allow that.
pub fn check(measurements: &Measurements, options: &Options) -> Result<Vec<Diagnostic>, Diagnostic> {
    let noise = measurements.noise();
    let uncertain = match options.effort {
        Effort::Trial => Vec::new(),
        _ => measurements.uncertain(UNCERTAIN).into_iter().filter(|(name, _)| is_alone(name)).collect(),
    };
    let above = format!("the medians of the timings lie {:.0} % above what counts", noise * 100.0);
    let unsettled = format!(
        "{} of {} results differ by more than {:.0} % from round to round, such as {}",
        uncertain.len(),
        measurements.0.len(),
        UNCERTAIN * 100.0,
        names(&uncertain),
    );
    let many = uncertain.len() as f64 > UNCERTAIN_SHARE * measurements.0.len() as f64;
    // Who wants a first answer in seconds gets it with the warning.
    let strict = matches!(options.effort, Effort::Quick | Effort::Full) && !options.allow_noise;
    if (noise > NOISE_REFUSAL || many) && strict {
        let message = if many { unsettled } else { above };
        return Err(Diagnostic::error(&codes::TOO_NOISY, message).help(
            "stop what else runs on this workstation, then calibrate again; --allow-noise makes the file nevertheless",
        ));
    }
    let messages = [(noise > NOISE_WARNING, above), (!uncertain.is_empty(), unsettled)];
    let help = "the faster rounds count; for figures to rely on, calibrate again while nothing else runs";
    let warning = |message: String| Diagnostic::warning(&codes::NOISY, message).help(help);
    Ok(messages.into_iter().filter_map(|(found, message)| found.then(|| warning(message))).collect())
}

/// Whether a result is of one task and one thread: who shares processors and memory differs more from round to round.
fn is_alone(name: &str) -> bool {
    !name.starts_with("shared") && !name.starts_with("threads.")
}

fn names(uncertain: &[(&str, f64)]) -> String {
    let named = uncertain.iter().take(NAMED);
    named.map(|(name, spread)| format!("{name} ({:.0} %)", spread * 100.0)).collect::<Vec<_>>().join(", ")
}
