//! Files of assumptions (`chronos-assumptions/1`): what the user says about branches and loops whose
//! behaviour the source does not determine.
//!
//! `chronos count --write-assumptions` writes one with everything to be filled in; `--assume` reads
//! it. This module knows the format alone, not what stands at the places.

pub mod codes;

use chronos_base::diag::{Diagnostic, system_cause};
use chronos_machine::json_path::field_at;
use chronos_machine::load::bare_message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssumptionFile {
    /// `chronos-assumptions/1`.
    pub schema: String,
    /// Branches of which something is said.
    #[serde(default)]
    pub branches: Vec<BranchEntry>,
    /// Loops of which something is said.
    #[serde(default)]
    pub loops: Vec<LoopEntry>,
}

/// A branch. Only place and probability are read; the rest helps to fill it in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BranchEntry {
    /// Source file of the branch, as diagnostics name it.
    pub file: String,
    /// Line in which the branch begins, from 1.
    pub line: u32,
    /// Of the branch's begin; only needed where several stand on the line.
    #[serde(default)]
    pub column: Option<u32>,
    /// That its first arm is taken, from 0 to 1; null: nothing is said.
    pub probability: Option<f64>,
    /// The probability that is used where `probability` is null; null where there is none. Not read.
    #[serde(default)]
    pub assumed: Option<f64>,
    /// Name of the function that the branch belongs to. Not read.
    #[serde(default)]
    pub function: String,
    /// The source text there. Not read.
    #[serde(default)]
    pub code: String,
    /// Why the branch is not known exactly, in words. Not read.
    #[serde(default)]
    pub reason: String,
}

/// A loop. Only place and iterations are read; the rest helps to fill it in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopEntry {
    /// Source file of the loop, as diagnostics name it.
    pub file: String,
    /// Line in which the loop begins, from 1.
    pub line: u32,
    /// Of the loop's begin; only needed where several stand on the line.
    #[serde(default)]
    pub column: Option<u32>,
    /// Mean number per entry of the loop, not negative; null: nothing is said.
    pub iterations: Option<f64>,
    /// The number that is used where `iterations` is null; null where there is none. Not read.
    #[serde(default)]
    pub assumed: Option<f64>,
    /// Name of the function that the loop belongs to. Not read.
    #[serde(default)]
    pub function: String,
    /// The source text there. Not read.
    #[serde(default)]
    pub code: String,
    /// Why the number of iterations is not known exactly, in words. Not read.
    #[serde(default)]
    pub reason: String,
}

impl AssumptionFile {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-assumptions/1";

    /// Reads a file.
    ///
    /// # Errors
    /// Unreadable, not JSON, not of the schema: the first offence with its line. Impossible values: all of them.
    pub fn load(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| vec![unreadable(&name, &error)])?;
        Self::parse(&name, &text)
    }

    /// Parses and checks a text; `name` stands in messages.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let file: Self = serde_json::from_str(text).map_err(|error| vec![malformed(name, text, &error)])?;
        if file.schema != Self::SCHEMA {
            return Err(vec![other_schema(name, &file.schema)]);
        }
        let faults = file.impossible(name);
        if faults.is_empty() { Ok(file) } else { Err(faults) }
    }

    fn impossible(&self, name: &str) -> Vec<Diagnostic> {
        let branches = (0..).zip(&self.branches).filter_map(|(i, entry)| {
            let p = entry.probability.filter(|p| !(0.0..=1.0).contains(p))?;
            let what = format!("branches[{i}] ({}:{}): the probability {p}", entry.file, entry.line);
            Some(impossible(name, &what, "give a number from 0 to 1, or null to say nothing"))
        });
        let loops = (0..).zip(&self.loops).filter_map(|(i, entry)| {
            let n = entry.iterations.filter(|n| !n.is_finite() || *n < 0.0)?;
            let what = format!("loops[{i}] ({}:{}): {n} iterations", entry.file, entry.line);
            Some(impossible(name, &what, "give a number that is not negative, or null to say nothing"))
        });
        branches.chain(loops).collect()
    }

    /// As text, ready to be edited.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default()
    }
}

const WRITE_ONE: &str = "`chronos count FILE... --write-assumptions NEW.json` writes a file ready to be filled in";

fn unreadable(name: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read the file of assumptions {name}: {}", system_cause(error));
    Diagnostic::error(&codes::UNREADABLE, message).help(WRITE_ONE)
}

fn malformed(name: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let place = format!("{name}:{}:{}", error.line(), error.column());
    let bare = bare_message(error);
    if error.classify() != serde_json::error::Category::Data {
        let message = format!("{place}: the file of assumptions is not JSON: {bare}");
        return Diagnostic::error(&codes::MALFORMED, message).help(format!("correct it there; {WRITE_ONE}"));
    }
    let field = match field_at(text, error.line(), error.column()) {
        path if path.is_empty() => String::new(),
        path => format!("field `{path}`: "),
    };
    Diagnostic::error(&codes::MALFORMED, format!("{place}: {field}{bare}")).help(WRITE_ONE)
}

fn other_schema(name: &str, schema: &str) -> Diagnostic {
    let message = format!("{name}: the schema is `{schema}`, expected `{}`", AssumptionFile::SCHEMA);
    Diagnostic::error(&codes::MALFORMED, message).help(WRITE_ONE)
}

fn impossible(name: &str, what: &str, help: &str) -> Diagnostic {
    Diagnostic::error(&codes::IMPOSSIBLE, format!("{name}: {what}: not possible")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        match AssumptionFile::parse("a.json", text) {
            Ok(file) => format!("{} branches, {} loops", file.branches.len(), file.loops.len()),
            Err(faults) => faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>().join("\n"),
        }
    }

    #[test]
    fn faults_name_line_and_entry() {
        let with = |rest: &str| check(&format!("{{\"schema\": \"chronos-assumptions/1\",\n{rest}}}"));
        let branch = |rest: &str| with(&format!("\"branches\": [{{\"file\": \"a.c\", \"line\": 3, {rest}}}]"));
        assert_eq!(branch("\"probability\": 0.5"), "1 branches, 0 loops");
        assert_eq!(branch("\"probability\": null"), "1 branches, 0 loops");
        assert_eq!(branch("\"probability\": 1.5"), "a.json: branches[0] (a.c:3): the probability 1.5: not possible");
        let loops = with("\"loops\": [{\"file\": \"a.c\", \"line\": 3, \"iterations\": -1}]");
        assert_eq!(loops, "a.json: loops[0] (a.c:3): -1 iterations: not possible");
        assert!(branch("\"probabilty\": 0.5").starts_with("a.json:2:"), "{}", branch("\"probabilty\": 0.5"));
        assert!(branch("\"probabilty\": 0.5").contains("unknown field `probabilty`"));
        assert_eq!(check("[]"), "a.json:1:2: expected an object in braces, {...}");
        assert!(check("{").starts_with("a.json:1:1: the file of assumptions is not JSON"));
        assert_eq!(
            check("{\"schema\": \"chronos-count/1\"}"),
            "a.json: the schema is `chronos-count/1`, expected `chronos-assumptions/1`"
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let entry =
            BranchEntry { file: "a.c".into(), line: 3, column: Some(7), assumed: Some(0.5), ..BranchEntry::default() };
        let file = AssumptionFile {
            schema: AssumptionFile::SCHEMA.into(),
            branches: vec![entry],
            loops: vec![LoopEntry::default()],
        };
        assert_eq!(AssumptionFile::parse("a.json", &file.to_json()).ok(), Some(file));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[\\[\\]{}\":,a-z0-9. -]{0,60}") {
            let _ = AssumptionFile::parse("a.json", &text);
        }
    }
}
