//! What `chronos check` says of a program: what is covered, what is exact, and what to type next.

use super::counts::model::{Cause, Summary};
use super::counts::table;
use std::fmt::Write as _;

/// Places of one MPI function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MpiUse {
    pub name: String,
    pub covered: bool,
    /// `file:line`, in the order of the source.
    pub places: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Check {
    pub files: Vec<String>,
    pub tasks: usize,
    pub functions: usize,
    pub blocks: usize,
    /// By name.
    pub mpi: Vec<MpiUse>,
    /// `file:line` and text of pragmas that are not modelled.
    pub pragmas: Vec<(String, String)>,
    /// Nothing where the program could not be evaluated.
    pub counts: Option<(Summary, Vec<Cause>)>,
    pub errors: usize,
    /// Commands with what they are good for.
    pub next: Vec<(String, String)>,
}

/// So many places of a function are named.
const PLACES: usize = 4;

pub fn render(check: &Check) -> String {
    let parts = [heading(check), calls(check), pragmas(check), counts(check), next(check)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading(check: &Check) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (functions, blocks) = (plural(check.functions, "function"), plural(check.blocks, "block"));
    let followed = match check.counts {
        Some(_) => format!(", followed on {}", plural(check.tasks, "task")),
        None => String::new(),
    };
    format!("{}: {functions}, {blocks}{followed}\n", check.files.join(" "))
}

fn calls(check: &Check) -> String {
    if check.mpi.is_empty() {
        return "It calls no MPI function\n".to_owned();
    }
    let missing = check.mpi.iter().filter(|used| !used.covered).count();
    let mut text = match missing {
        0 => format!("MPI functions: {}, all covered\n", check.mpi.len()),
        _ => format!("MPI functions: {}, of which {missing} not covered\n", check.mpi.len()),
    };
    let width = check.mpi.iter().map(|used| used.name.len()).max().unwrap_or(0);
    for used in &check.mpi {
        let mark = if used.covered { "  " } else { "! " };
        let shown = used.places.iter().take(PLACES).cloned().collect::<Vec<_>>().join(", ");
        let more = match used.places.len().saturating_sub(PLACES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let _ = writeln!(text, "{mark}{:<width$}  {shown}{more}", used.name);
    }
    text
}

fn pragmas(check: &Check) -> String {
    if check.pragmas.is_empty() {
        return String::new();
    }
    let lines: String = check.pragmas.iter().map(|(place, text)| format!("  {place}: #pragma {text}\n")).collect();
    format!("Not modelled\n{lines}")
}

fn counts(check: &Check) -> String {
    let Some((summary, causes)) = &check.counts else { return String::new() };
    let mut text = format!("Counts of {}", table::summary(*summary));
    for cause in causes {
        let place = match (&cause.file, cause.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            _ => String::new(),
        };
        let number = cause.blocks.len();
        let blocks = if number == 1 { "1 block".to_owned() } else { format!("{number} blocks") };
        let _ = writeln!(text, "  {place}{} ({blocks})", cause.reason);
        if let Some(remedy) = &cause.remedy {
            let _ = writeln!(text, "    {remedy}");
        }
    }
    text
}

fn next(check: &Check) -> String {
    let mut text = match check.errors {
        0 => "Next\n".to_owned(),
        1 => "One error is told above; resolve it first. Next\n".to_owned(),
        errors => format!("{errors} errors are told above; resolve them first. Next\n"),
    };
    for (command, why) in &check.next {
        let _ = writeln!(text, "  {command}\n    {why}");
    }
    text
}
