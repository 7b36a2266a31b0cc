//! Values of flags that have a syntax of their own.

use std::path::PathBuf;
use std::str::FromStr;

/// `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
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

/// A limit in seconds: a number above 0.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(limit) if limit.is_finite() && limit > 0.0 => Ok(limit),
        _ => Err("expected a number of seconds above 0, for instance 0.5".to_owned()),
    }
}

/// `FILE:LINE[:COL]=NUMBER`.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
    pub number: f64,
}

impl FromStr for Placed {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text).ok_or_else(|| {
            "expected FILE:LINE=NUMBER or FILE:LINE:COLUMN=NUMBER, the number not negative, for instance sort.c:31=0.25".to_owned()
        })
    }
}

impl Placed {
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// As the program names it.
    pub name: String,
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

/// Most tasks that are evaluated.
pub const MAX_TASKS: usize = 1 << 20;

/// One or several numbers of tasks: `4`, `2,4,8`, `1..1024x2`, `2..10`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskCounts(pub Vec<usize>);

impl FromStr for TaskCounts {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut counts = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                Some((from, to)) => counts.extend(range(from, to)?),
                None => counts.push(number(part)?),
            }
        }
        Ok(Self(counts))
    }
}

fn range(from: &str, to: &str) -> Result<Vec<usize>, String> {
    let (to, factor) = match to.split_once('x') {
        Some((to, factor)) => (to, Some(number(factor)?)),
        None => (to, None),
    };
    let (from, to) = (number(from)?, number(to)?);
    if from > to {
        return Err(format!("the range {from}..{to} is empty"));
    }
    match factor {
        Some(1) => Err("a factor of 1 never reaches the end; give 2 or more".to_owned()),
        Some(factor) => {
            Ok(std::iter::successors(Some(from), |n| n.checked_mul(factor)).take_while(|&n| n <= to).collect())
        }
        None => Ok((from..=to).collect()),
    }
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
        for wrong in ["0", "-1", "", "x", "4..2", "1..8x1", "99999999999", "1..x2"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_have_a_line_and_perhaps_a_column() {
        let parse = |text: &str| text.parse::<Placed>().ok().map(|p| (p.file, p.line, p.column, p.number));
        assert_eq!(parse("a.c:3=0.5"), Some(("a.c".to_owned(), 3, None, 0.5)));
        assert_eq!(parse("dir/a.c:3:9=12"), Some(("dir/a.c".to_owned(), 3, Some(9), 12.0)));
        for wrong in ["a.c=1", "a.c:x=1", ":3=1", "a.c:3", "a.c:3=-1", "a.c:3=nan"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_value_panics(text in "[-a-z0-9.:=,x ]{0,24}|.{0,24}") {
            let _ = text.parse::<TaskCounts>();
            let _ = text.parse::<Placed>();
            let _ = text.parse::<Setting>();
            let _ = text.parse::<InputFile>();
            let _ = seconds(&text);
        }

        #[test]
        fn places_are_read_as_they_are_written(
            file in "[a-z/.]{1,12}", line in 1_u32..9999, column in proptest::option::of(1_u32..999), number in 0.0..1e6
        ) {
            let shown = column.map_or(String::new(), |column| format!(":{column}"));
            let placed = format!("{file}:{line}{shown}={number}").parse::<Placed>();
            proptest::prop_assert_eq!(placed, Ok(Placed { file, line, column, number }));
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
