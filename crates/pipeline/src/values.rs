//! Values of options that have a syntax of their own, and their reading from text.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::str::FromStr;

/// `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// What stands before the first `=`.
    pub name: String,
    /// What stands behind it, unchanged.
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, "")) => Err(format!("the value is empty; expected for instance {name}=1000")),
            Some((name, value)) if is_identifier(name) => Ok(Self { name: name.to_owned(), value: value.to_owned() }),
            _ => Err("expected NAME=VALUE, for instance N=1000".to_owned()),
        }
    }
}

/// A name as C has them.
pub fn identifier(text: &str) -> Result<String, String> {
    match is_identifier(text) {
        true => Ok(text.to_owned()),
        false => Err("expected the name of a macro, a constant or an argument, for instance N or argv1".to_owned()),
    }
}

fn is_identifier(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `FILE:LINE[:COL]=NUMBER`: a number that is said of the branch or loop there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocatedValue {
    /// Source file, as given.
    pub file: String,
    /// Line in which the branch or loop begins, from 1.
    pub line: u32,
    /// The column, from 1, where several branches or loops begin in the line.
    pub column: Option<u32>,
    /// The probability, or the mean number of iterations.
    pub number: f64,
}

impl FromStr for LocatedValue {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text).ok_or_else(|| {
            "expected FILE:LINE=NUMBER or FILE:LINE:COLUMN=NUMBER, the number not negative, for instance sort.c:31=0.25".to_owned()
        })
    }
}

impl LocatedValue {
    fn parse(text: &str) -> Option<Self> {
        let (place, number) = text.rsplit_once('=')?;
        let number: f64 = number.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0)?;
        let (rest, last) = place.rsplit_once(':')?;
        let last: u32 = last.parse().ok()?;
        let with_column = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        let (file, line, column) = match with_column {
            Some((file, line)) => (file, line, Some(last)),
            None => (rest, last, None),
        };
        (!file.is_empty()).then(|| Self { file: file.to_owned(), line, column, number })
    }
}

/// `[NAME=]FILE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// As the program names it.
    pub name: String,
    /// Where the file is here.
    pub path: PathBuf,
}

impl FromStr for InputFile {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').unwrap_or((text, text));
        if name.is_empty() || path.is_empty() {
            return Err("expected FILE or NAME=FILE".to_owned());
        }
        Ok(Self { name: name.to_owned(), path: path.into() })
    }
}

/// A program that others start, and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnedProgram {
    /// Name by which the program is started (`MPI_Comm_spawn`).
    pub name: String,
    /// Path of its source.
    pub file: PathBuf,
}

impl FromStr for SpawnedProgram {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty());
        let (name, file) = parts.ok_or("expected NAME=FILE, such as worker=worker.c")?;
        Ok(Self { name: name.to_owned(), file: PathBuf::from(file) })
    }
}

/// Most tasks that are evaluated.
pub const MAX_TASKS: usize = 1 << 20;

/// One or several numbers of tasks, each once: `4`, `2,4,8`, `1..1024x2`, `2..10`, `2..16+2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskCounts(pub Vec<usize>);

impl FromStr for TaskCounts {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut counts = Vec::new();
        for part in text.split(',') {
            match Range::parse(part, number)? {
                Some(range) => counts.extend(range.values()),
                None => counts.push(number(part)?),
            }
        }
        Ok(Self(once(counts)))
    }
}

/// Each value once, where it comes first.
fn once<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut kept = Vec::with_capacity(values.len().min(64));
    let few = values.len() <= 4096;
    for value in values {
        if !few || !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// `FROM..TO`, `FROM..TOxFACTOR` or `FROM..TO+STEP`.
struct Range {
    from: usize,
    to: usize,
    step: Step,
}

enum Step {
    Times(usize),
    Plus(usize),
}

impl Range {
    /// Nothing where `text` has no `..`; `number` reads its ends.
    fn parse(text: &str, number: impl Fn(&str) -> Result<usize, String>) -> Result<Option<Self>, String> {
        let Some((from, rest)) = text.split_once("..") else { return Ok(None) };
        let (to, step) = match (rest.split_once('x'), rest.split_once('+')) {
            (Some((to, factor)), _) => (to, Step::Times(step(factor)?)),
            (None, Some((to, more))) => (to, Step::Plus(step(more)?)),
            (None, None) => (rest, Step::Plus(1)),
        };
        let (from, to) = (number(from)?, number(to)?);
        match step {
            _ if from > to => Err(format!("the range {from}..{to} is empty")),
            Step::Times(1) => Err("a factor of 1 never reaches the end; give 2 or more".to_owned()),
            Step::Times(_) if from == 0 => Err("a range that multiplies cannot begin with 0".to_owned()),
            step => Ok(Some(Self { from, to, step })),
        }
    }

    fn values(&self) -> impl Iterator<Item = usize> {
        let next = |n: &usize| match self.step {
            Step::Times(factor) => n.checked_mul(factor),
            Step::Plus(more) => n.checked_add(more),
        };
        std::iter::successors(Some(self.from), next).take_while(|&n| n <= self.to)
    }
}

fn step(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("a range with a step of 0 never ends".to_owned()),
        Ok(step) => Ok(step),
        Err(_) => Err(format!("`{text}` is no step; expected for instance 1..64x2 or 10..100+10")),
    }
}

/// Most values of one sweep.
const MAX_VALUES: usize = 100_000;

/// `NAME=LIST`: values that are used one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// A macro, a constant, or an argument of the program (`argv1`).
    pub name: String,
    /// The values, as given, in their order.
    pub values: Vec<String>,
}

impl FromStr for Sweep {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected NAME=VALUE,VALUE,... or NAME=FROM..TOxFACTOR, for instance N=100,200,400".to_owned();
        let (name, list) = text.split_once('=').filter(|(name, _)| is_identifier(name)).ok_or_else(expected)?;
        let mut values = Vec::new();
        for part in list.split(',') {
            match Range::parse(part, whole)? {
                Some(range) => values.extend(range.values().take(MAX_VALUES + 1).map(|n| n.to_string())),
                None if part.trim().is_empty() => return Err(expected()),
                None => values.push(part.trim().to_owned()),
            }
        }
        match values.len() {
            0..=MAX_VALUES => Ok(Self { name: name.to_owned(), values: once(values) }),
            _ => Err(format!("more than {MAX_VALUES} values of {name}")),
        }
    }
}

impl Sweep {
    /// Which argument of the program it gives, from 1.
    pub fn argument(&self) -> Option<usize> {
        self.name.strip_prefix("argv")?.parse().ok().filter(|&position| position > 0)
    }
}

fn whole(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is no whole number; expected for instance 100..1600x2"))
}

/// One number of tasks.
pub fn task_count(text: &str) -> Result<usize, String> {
    if text.contains([',', '.']) {
        return Err("expected one number of tasks, for instance 4".to_owned());
    }
    number(text)
}

fn number(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(n @ 1..=MAX_TASKS) => Ok(n),
        Ok(0) => Err("a parallel program has at least one task".to_owned()),
        Ok(_) => Err(format!("at most {MAX_TASKS} tasks can be evaluated")),
        Err(_) => Err(format!("`{text}` is no number of tasks; expected for instance 4, 2,4,8 or 1..1024x2")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_counts_are_numbers_lists_and_ranges() {
        let parse = |text: &str| text.parse::<TaskCounts>().map(|t| t.0);
        assert_eq!(parse("4"), Ok(vec![4]));
        assert_eq!(parse("2,4,8"), Ok(vec![2, 4, 8]));
        assert_eq!(parse("1..20x3"), Ok(vec![1, 3, 9]));
        assert_eq!(parse("2..4,9"), Ok(vec![2, 3, 4, 9]));
        assert_eq!(parse("2..8+3,4,2"), Ok(vec![2, 5, 8, 4]));
        for wrong in ["0", "-1", "", "x", "4..2", "1..8x1", "99999999999", "1..x2", "1..8+0"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_have_a_line_and_perhaps_a_column() {
        let parse = |text: &str| text.parse::<LocatedValue>().ok().map(|p| (p.file, p.line, p.column, p.number));
        assert_eq!(parse("a.c:3=0.5"), Some(("a.c".to_owned(), 3, None, 0.5)));
        assert_eq!(parse("dir/a.c:3:9=12"), Some(("dir/a.c".to_owned(), 3, Some(9), 12.0)));
        for wrong in ["a.c=1", "a.c:x=1", ":3=1", "a.c:3", "a.c:3=-1", "a.c:3=nan"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sweeps_are_lists_and_ranges_of_a_name() {
        let parse = |text: &str| text.parse::<Sweep>().map(|s| format!("{} {}", s.name, s.values.join(" ")));
        assert_eq!(parse("N=100,200,400"), Ok("N 100 200 400".to_owned()));
        assert_eq!(parse("N=100..400x2,-1"), Ok("N 100 200 400 -1".to_owned()));
        assert_eq!(parse("EPS=1e-3,1e-6,1e-3"), Ok("EPS 1e-3 1e-6".to_owned()));
        assert_eq!(parse("argv1=0..20+10"), Ok("argv1 0 10 20".to_owned()));
        for wrong in ["N", "N=", "=1", "N=1,,2", "N=4..2", "N=0..8x2", "N=1..9999999", "2=1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_value_panics(text in "[-a-z0-9.:=,x ]{0,24}|.{0,24}") {
            let _ = text.parse::<TaskCounts>();
            let _ = text.parse::<LocatedValue>();
            let _ = text.parse::<Setting>();
            let _ = text.parse::<InputFile>();
            let _ = text.parse::<Sweep>();
        }

        #[test]
        fn places_are_read_as_they_are_written(
            file in "[a-z/.]{1,12}", line in 1_u32..9999, column in proptest::option::of(1_u32..999), number in 0.0..1e6
        ) {
            let shown = column.map_or(String::new(), |column| format!(":{column}"));
            let placed = format!("{file}:{line}{shown}={number}").parse::<LocatedValue>();
            proptest::prop_assert_eq!(placed, Ok(LocatedValue { file, line, column, number }));
        }
    }

    #[test]
    fn settings_name_an_identifier() {
        assert!("N=10".parse::<Setting>().is_ok());
        assert!("=10".parse::<Setting>().is_err());
        assert!("N".parse::<Setting>().is_err());
        assert!("N=".parse::<Setting>().is_err());
    }
}
