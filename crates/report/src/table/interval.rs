//! What makes the interval of a total wide, and what it leaves out.

use super::super::model::{Assumption, Prediction};
use super::super::number::seconds;
use super::Names;

/// An assumption that widens less than this, as greatest over least total, needs no word.
const WORTH_A_WORD: f64 = 1.2;

/// Lines below a predicted time.
pub fn notes(p: &Prediction, names: &Names) -> Vec<String> {
    widest(p, names).into_iter().chain(left_out(p)).collect()
}

/// The assumption that makes more than half of the interval, in the logarithm.
fn widest(p: &Prediction, names: &Names) -> Option<String> {
    let [low, high] = p.interval_s.filter(|[low, _]| *low > 0.0)?;
    let ranges = p.assumptions.iter().filter_map(|a| Some((a, a.total_s?)));
    let (a, alone) = ranges.max_by(|a, b| ratio(a.1).total_cmp(&ratio(b.1)))?;
    let decides = ratio(alone) >= WORTH_A_WORD && ratio(alone).ln() >= 0.5 * ratio([low, high]).ln();
    decides.then(|| of_assumption(a, alone, names))
}

fn of_assumption(a: &Assumption, [low, high]: [f64; 2], names: &Names) -> String {
    let place = names.place(&a.file, a.line);
    let what = a.text.split(": ").next().unwrap_or_default();
    let (low, high) = (seconds(low), seconds(high));
    format!(
        "Most of the interval is {place}: {what} ({low} to {high} by that alone); narrower with {} or --trace",
        a.remedy
    )
}

fn ratio([low, high]: [f64; 2]) -> f64 {
    high / low.max(f64::MIN_POSITIVE)
}

fn left_out(p: &Prediction) -> Option<String> {
    let known = p.interval_s.is_some() && !p.interval_without.is_empty();
    known.then(|| format!("The interval takes as exact: {}", p.interval_without.join("; ")))
}
