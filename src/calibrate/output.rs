//! What the microbenchmarks print, as data.

use super::codes;
use crate::diag::Diagnostic;
use std::collections::BTreeMap;

/// One microbenchmark: nanoseconds per unit of work, and what a unit consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    pub min_ns: f64,
    pub median_ns: f64,
    pub repetitions: u32,
    /// Names of instruction classes, one per operation; or what is measured.
    pub tokens: Vec<String>,
}

/// Microbenchmarks by name; those of the suite are told by the prefix `suite.`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements(pub BTreeMap<String, Measurement>);

impl Measurements {
    /// The least time of a microbenchmark, in nanoseconds.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn min_ns(&self, name: &str) -> Result<f64, Diagnostic> {
        self.0.get(name).map(|found| found.min_ns).ok_or_else(|| bad_output(&format!("no result for {name}")))
    }

    /// Adds a further pass: least minima and medians, repetitions summed.
    pub fn merge(&mut self, other: Self) {
        for (name, new) in other.0 {
            match self.0.get_mut(&name) {
                None => drop(self.0.insert(name, new)),
                Some(old) => {
                    old.min_ns = old.min_ns.min(new.min_ns);
                    old.median_ns = old.median_ns.min(new.median_ns);
                    old.repetitions += new.repetitions;
                }
            }
        }
    }

    /// By how much medians lie above minima, relatively: the median over all microbenchmarks.
    pub fn noise(&self) -> f64 {
        let measured = self.0.values().filter(|m| m.min_ns > 0.0);
        median(measured.map(|m| (m.median_ns / m.min_ns - 1.0).max(0.0)).collect())
    }
}

/// The median, 0 of nothing.
pub fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

/// The value below which the share `q` (0 to 1) of all values lies; 0 of nothing.
pub fn quantile(mut values: Vec<f64>, q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((last as f64 * q).round() as usize).copied().unwrap_or(0.0)
}

/// Reads lines `name min_ns median_ns repetitions tokens...`; names get the program in front.
///
/// # Errors
/// A line is no measurement.
pub fn parse(program: &str, text: &str) -> Result<Measurements, Diagnostic> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let parsed = lines.map(|line| {
        let (name, measurement) = parse_line(line).ok_or_else(|| bad_output(&format!("{program} printed `{line}`")))?;
        Ok((format!("{program}.{name}"), measurement))
    });
    Ok(Measurements(parsed.collect::<Result<_, Diagnostic>>()?))
}

fn parse_line(line: &str) -> Option<(&str, Measurement)> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let mut number = || words.next()?.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    let (min_ns, median_ns, repetitions) = (number()?, number()?, number()? as u32);
    let tokens = words.map(str::to_owned).collect();
    Some((name, Measurement { min_ns, median_ns, repetitions, tokens }))
}

pub fn bad_output(what: &str) -> Diagnostic {
    Diagnostic::error(&codes::BAD_OUTPUT, format!("unexpected output of a microbenchmark: {what}"))
        .help("check that the command given with --cc makes programs that run unchanged")
}
