//! What the microbenchmarks print, as data.

use super::codes;
use chronos_base::diag::Diagnostic;
use std::collections::BTreeMap;

/// One microbenchmark: nanoseconds per unit of work, and what a unit consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The least time of each round, in order; at least one.
    pub rounds_ns: Vec<f64>,
    /// The least median of a round.
    pub median_ns: f64,
    /// Repetitions of the timing, of all rounds together.
    pub repetitions: u32,
    /// Names of instruction classes, one per operation; or what is measured.
    pub tokens: Vec<String>,
    /// How long a cycle took meanwhile, in nanoseconds, in each round that tells.
    pub(crate) cycles_ns: Vec<f64>,
}

impl Measurement {
    /// The lower quartile of the rounds: other load only adds time, but a single timing may be too short, as it is
    /// a difference.
    pub fn ns(&self) -> f64 {
        quantile(self.rounds_ns.clone(), 0.25)
    }

    /// The median of the rounds: of tasks that disturb each other, what one of them typically sees.
    pub(crate) fn typical_ns(&self) -> f64 {
        median(self.rounds_ns.clone())
    }

    /// Units of work of one run of the body.
    pub fn units(&self) -> Option<f64> {
        self.tokens.iter().find_map(|token| token.strip_prefix("units:"))?.parse().ok()
    }

    fn scale(&mut self, factor: f64) {
        self.rounds_ns.iter_mut().for_each(|ns| *ns *= factor);
        self.median_ns *= factor;
    }

    /// The least time of all rounds, in nanoseconds per unit of work.
    pub(crate) fn least_ns(&self) -> f64 {
        quantile(self.rounds_ns.clone(), 0.0)
    }

    /// How far the faster half of the rounds spreads, relative to its median (the median absolute deviation of the
    /// half that other load disturbs least); infinite after one round.
    pub fn uncertainty(&self) -> f64 {
        let ns = self.ns();
        let middle = median(self.rounds_ns.clone());
        let faster = self.rounds_ns.iter().filter(|round| **round <= middle);
        let deviations: Vec<f64> = faster.map(|round| (round - ns).abs()).collect();
        if self.rounds_ns.len() < 2 {
            return f64::INFINITY;
        }
        if ns > 0.0 { median(deviations) / ns } else { 0.0 }
    }
}

/// Microbenchmarks by name, that of the program in front, such as `suite.`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements(pub BTreeMap<String, Measurement>);

impl Measurements {
    /// The time of a microbenchmark, in nanoseconds.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn ns(&self, name: &str) -> Result<f64, Diagnostic> {
        self.get(name).ok_or_else(|| bad_output(&format!("no result for {name}")))
    }

    /// The time of a microbenchmark that not every compiler or processor has, in nanoseconds.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(Measurement::ns)
    }

    /// What these rounds would have taken, had a cycle taken so long: the clock of a processor changes from one
    /// second to the next, and results that are set off against each other are to be of one clock. `core`: whether a
    /// result follows it.
    pub(crate) fn at_clock(&mut self, cycle_ns: f64, core: impl Fn(&str) -> bool) {
        for (_, measurement) in self.0.iter_mut().filter(|(name, _)| core(name)) {
            if let [meanwhile] = measurement.cycles_ns[..]
                && meanwhile > 0.0
            {
                measurement.scale(cycle_ns / meanwhile);
            }
        }
    }

    /// From one clock to another, for results that follow it.
    pub(crate) fn change_clock(&mut self, factor: f64, core: impl Fn(&str) -> bool) {
        let follow = self.0.iter_mut().filter(|(name, found)| !found.cycles_ns.is_empty() && core(name));
        follow.for_each(|(_, measurement)| measurement.scale(factor));
    }

    /// Durations of a cycle, in nanoseconds, over all rounds.
    pub(crate) fn cycles_ns(&self) -> Vec<f64> {
        self.0.values().flat_map(|measurement| measurement.cycles_ns.iter().copied()).collect()
    }

    /// Adds a further round.
    pub fn merge(&mut self, other: Self) {
        for (name, new) in other.0 {
            match self.0.get_mut(&name) {
                None => drop(self.0.insert(name, new)),
                Some(old) => {
                    old.rounds_ns.extend(new.rounds_ns);
                    old.cycles_ns.extend(new.cycles_ns);
                    old.median_ns = old.median_ns.min(new.median_ns);
                    old.repetitions += new.repetitions;
                }
            }
        }
    }

    /// By how much medians lie above what counts, relatively: the median over all microbenchmarks.
    pub fn noise(&self) -> f64 {
        let measured = self.0.values().filter(|m| m.ns() > 0.0);
        median(measured.map(|m| (m.median_ns / m.ns() - 1.0).max(0.0)).collect())
    }

    /// Microbenchmarks less certain than `limit`, the least certain first.
    pub fn uncertain(&self, limit: f64) -> Vec<(&str, f64)> {
        let all = self.0.iter().map(|(name, m)| (&**name, m.uncertainty()));
        let mut found: Vec<(&str, f64)> = all.filter(|(_, uncertainty)| *uncertainty > limit).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found
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

/// Reads lines `name least_ns median_ns repetitions tokens...`; names get the program in front. Lines that begin with
/// `#` are remarks.
///
/// # Errors
/// A line is no measurement.
pub fn parse(program: &str, text: &str) -> Result<Measurements, Diagnostic> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let parsed = lines.map(|line| {
        let (name, measurement) = parse_line(line).ok_or_else(|| bad_output(&format!("{program} printed `{line}`")))?;
        Ok((format!("{program}.{name}"), measurement))
    });
    Ok(Measurements(parsed.collect::<Result<_, Diagnostic>>()?))
}

/// Begins the token that says how long a cycle took.
const CYCLE: &str = "cycle:";

fn parse_line(line: &str) -> Option<(&str, Measurement)> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let mut number = || words.next()?.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    let (least_ns, median_ns, repetitions) = (number()?, number()?, number()? as u32);
    let (cycles, tokens): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with(CYCLE));
    let cycles_ns = cycles.iter().map(|word| word[CYCLE.len()..].parse().ok()).collect::<Option<_>>()?;
    let tokens = tokens.into_iter().map(str::to_owned).collect();
    Some((name, Measurement { rounds_ns: vec![least_ns], median_ns, repetitions, tokens, cycles_ns }))
}

/// The error about output that is no measurement.
pub(crate) fn bad_output(what: &str) -> Diagnostic {
    Diagnostic::error(&codes::BAD_OUTPUT, format!("unexpected output of a microbenchmark: {what}"))
        .help("check that the command given with --cc makes programs that run unchanged")
}

/// Four significant digits: more would be noise.
pub fn rounded(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> Measurements {
        parse("chains", text).expect("well formed")
    }

    #[test]
    fn results_are_brought_to_one_clock() {
        let mut all = Measurements::default();
        for text in ["add 0.25 0.26 20 cycle:0.25 units:16 int_add", "add 0.28 0.28 20 cycle:0.28 units:16 int_add"] {
            let mut found = round(text);
            found.at_clock(0.25, |_| true);
            all.merge(found);
        }
        let add = &all.0["chains.add"];
        assert_eq!(add.rounds_ns, [0.25, 0.25]);
        assert_eq!((add.tokens.join(" "), add.units()), ("units:16 int_add".to_owned(), Some(16.0)));
        assert_eq!(all.cycles_ns(), [0.25, 0.28]);
        all.change_clock(2.0, |_| true);
        assert_eq!(all.0["chains.add"].rounds_ns, [0.5, 0.5]);
    }

    #[test]
    fn what_does_not_follow_the_clock_stays() {
        let mut found = round("far 5 6 20 cycle:0.5 read\nfault 700 710 9 page");
        found.at_clock(0.25, |name| name != "chains.far");
        found.change_clock(2.0, |name| name != "chains.far");
        assert_eq!((found.get("chains.far"), found.get("chains.fault")), (Some(5.0), Some(700.0)));
    }

    #[test]
    fn a_clock_that_is_no_number_is_an_error() {
        assert!(parse("chains", "add 1 1 1 cycle:fast").is_err());
    }
}
