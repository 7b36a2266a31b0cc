//! Values of flags that have a syntax of their own and belong to one command.

use std::path::PathBuf;
use std::str::FromStr;

/// A limit in seconds: a number above 0.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(limit) if limit.is_finite() && limit > 0.0 => Ok(limit),
        _ => Err("expected a number of seconds above 0, for instance 0.5".to_owned()),
    }
}

pub fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("expected a number per second above 0, for instance 1e9".to_owned()),
    }
}

/// A ratio: a number above 0.
pub fn ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if ratio.is_finite() && ratio > 0.0 => Ok(ratio),
        _ => Err("expected a number above 0, for instance 100".to_owned()),
    }
}

/// A large number of tasks, also as 1e6.
pub fn many(text: &str) -> Result<usize, String> {
    let whole = |x: f64| (x.fract() == 0.0 && (1.0..=1e15).contains(&x)).then_some(x as usize);
    text.parse::<f64>()
        .ok()
        .and_then(whole)
        .ok_or_else(|| "expected a number of tasks, for instance 65536 or 1e6".to_owned())
}

/// `NAME=NUMBER`, not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub value: f64,
}

impl FromStr for Parameter {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('=').and_then(|(name, value)| {
            let value = value.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0)?;
            Some(Self { name: name.to_owned(), value })
        });
        parsed.ok_or_else(|| "expected NAME=NUMBER, the number not negative, for instance Ts=100".to_owned())
    }
}

/// What `--fail-over` of a comparison takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    Seconds(f64),
    /// Longer than the first program by more than this.
    Percent(f64),
}

impl FromStr for Limit {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a percentage or a number of seconds, for instance 5% or 0.5".to_owned();
        match text.strip_suffix('%') {
            Some(percent) => match percent.trim().parse::<f64>() {
                Ok(limit) if limit.is_finite() && limit >= 0.0 => Ok(Self::Percent(limit)),
                _ => Err(expected()),
            },
            None => seconds(text).map(Self::Seconds).map_err(|_| expected()),
        }
    }
}

/// `NAME=FILE[,FILE...]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedProgram {
    pub name: String,
    pub files: Vec<PathBuf>,
}

impl FromStr for NamedProgram {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected NAME=FILE[,FILE...], for instance fast=solver.c,grid.c".to_owned();
        let (name, files) = text.split_once('=').ok_or_else(expected)?;
        let files: Vec<PathBuf> = files.split(',').map(PathBuf::from).collect();
        if name.is_empty() || files.iter().any(|file| file.as_os_str().is_empty()) {
            return Err(expected());
        }
        Ok(Self { name: name.to_owned(), files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_percentage_or_a_time() {
        assert_eq!("5%".parse(), Ok(Limit::Percent(5.0)));
        assert_eq!("0.5".parse(), Ok(Limit::Seconds(0.5)));
        assert!(["", "%", "-1%", "5 s", "0"].into_iter().all(|wrong| wrong.parse::<Limit>().is_err()));
    }

    proptest::proptest! {
        #[test]
        fn no_value_panics(text in "[-a-z0-9.:=,x ]{0,24}|.{0,24}") {
            let _ = text.parse::<Limit>();
            let _ = text.parse::<NamedProgram>();
            let _ = seconds(&text);
        }
    }
}
