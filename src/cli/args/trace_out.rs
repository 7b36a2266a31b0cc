//! `--trace-out`: what is to be written in the form of another tool, and where.

use std::path::PathBuf;
use std::str::FromStr;

/// `KIND=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOut {
    pub kind: TraceKind,
    pub path: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    Chrome,
    Paraver,
    Goal,
    Ti,
}

impl FromStr for TraceOut {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected chrome=FILE, paraver=FILE, goal=FILE or ti=FILE, for instance chrome=run.json".to_owned();
        let (kind, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(expected)?;
        let kind = match kind {
            "chrome" => TraceKind::Chrome,
            "paraver" => TraceKind::Paraver,
            "goal" => TraceKind::Goal,
            "ti" => TraceKind::Ti,
            _ => return Err(expected()),
        };
        Ok(Self { kind, path: path.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_and_a_file_are_wanted() {
        let parse = |text: &str| text.parse::<TraceOut>().map(|out| (out.kind, out.path));
        assert_eq!(parse("chrome=a.json"), Ok((TraceKind::Chrome, "a.json".into())));
        assert_eq!(parse("paraver=dir/a"), Ok((TraceKind::Paraver, "dir/a".into())));
        for wrong in ["chrome", "chrome=", "otf2=a"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
