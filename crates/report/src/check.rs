//! What `chronos check` says of a program: what is covered, what is exact, and what to type next.

use super::counts::model::{Cause, Summary};
use super::counts::table;
use chronos_activity::CountSource;
use std::fmt::Write as _;

/// Places of one MPI function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MpiUse {
    /// Name of the MPI function.
    pub name: String,
    /// Whether chronos models it.
    pub covered: bool,
    /// `file:line`, in the order of the source.
    pub places: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Check {
    /// Source files of the program.
    pub files: Vec<String>,
    /// The program as headings name it.
    pub program: String,
    /// Tasks that it was evaluated with.
    pub tasks: usize,
    /// Functions that it defines.
    pub functions: usize,
    /// Blocks of all functions.
    pub blocks: usize,
    /// By name.
    pub mpi: Vec<MpiUse>,
    /// `file:line` and text of pragmas that are not modelled.
    pub pragmas: Vec<(String, String)>,
    /// Nothing where the program could not be evaluated.
    pub counts: Option<(Summary, Vec<Cause>)>,
    /// Errors that were reported.
    pub errors: usize,
    /// All tasks were followed to their end, and errors are about the use of MPI alone.
    pub followed: bool,
    /// A clock decides what it does, which a prediction follows.
    pub by_clock: bool,
    /// Commands with what they are good for.
    pub next: Vec<(String, String)>,
}

/// So many places of a function are named.
const PLACES: usize = 4;

/// So many causes are listed.
const CAUSES: usize = 20;

/// The findings for people.
pub fn render(check: &Check) -> String {
    let parts = [heading(check), calls(check), pragmas(check), counts(check), next(check)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading(check: &Check) -> String {
    let (functions, blocks) = (plural(check.functions, "function"), plural(check.blocks, "block"));
    let followed = match check.counts {
        Some(_) => format!(", followed on {}", plural(check.tasks, "task")),
        None => String::new(),
    };
    format!("{}: {functions}, {blocks}{followed}\n{}\n", check.program, verdict(check))
}

/// The answer in a sentence.
fn verdict(check: &Check) -> String {
    let Some((summary, causes)) = &check.counts else {
        return "Cannot be predicted yet: see what is not covered".to_owned();
    };
    let of = |wanted: CountSource| causes.iter().filter(|cause| cause.source == wanted).count();
    match (check.errors, summary.unknown, summary.inexact()) {
        (1.., _, _) if check.followed => {
            "Followed to its end, with errors to be resolved before it is predicted".to_owned()
        }
        (1.., _, _) if check.by_clock => {
            "The clock decides what it does: `chronos predict` follows it on a machine, where counts alone end at an error".to_owned()
        }
        (1.., _, _) => "Cannot be predicted yet: the evaluation ends at an error".to_owned(),
        (0, 1.., _) => {
            format!(
                "Cannot be predicted in full yet: {} must be given or traced",
                plural(of(CountSource::Unknown).max(1), "value")
            )
        }
        (0, 0, 0) => "Ready to predict: how often each block is executed is exact".to_owned(),
        _ => match of(CountSource::Assumed) {
            0 => "Ready to predict".to_owned(),
            assumed => format!("Ready to predict, resting on {}", plural(assumed, "assumption")),
        },
    }
}

fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Names without the folder that all of them share, as other tables have them.
fn shared_folder(check: &Check) -> &str {
    let folder = |file: &'_ String| file.rfind('/').map_or(0, |slash| slash + 1);
    let first = check.files.first().map_or("", |file| &file[..folder(file)]);
    if check.files.iter().all(|file| &file[..folder(file)] == first) { first } else { "" }
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
    let shared = shared_folder(check);
    let short = |place: &String| place.strip_prefix(shared).unwrap_or(place).to_owned();
    for used in &check.mpi {
        let mark = if used.covered { "  " } else { "! " };
        let shown = used.places.iter().take(PLACES).map(short).collect::<Vec<_>>().join(", ");
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
    let shared = shared_folder(check);
    // What is missing before what is assumed, and what many blocks depend on before the rest.
    let mut listed: Vec<&Cause> = causes.iter().collect();
    listed.sort_by_key(|cause| (cause.source != CountSource::Unknown, std::cmp::Reverse(cause.blocks.len())));
    for cause in listed.iter().take(CAUSES) {
        let place = match (&cause.file, cause.line) {
            (Some(file), Some(line)) => format!("{}:{line}: ", file.strip_prefix(shared).unwrap_or(file)),
            _ => String::new(),
        };
        let _ = writeln!(text, "  {place}{} ({})", cause.reason, plural(cause.blocks.len(), "block"));
        if let Some(remedy) = &cause.remedy {
            let _ = writeln!(text, "    {remedy}");
        }
    }
    if let Some(more @ 1..) = listed.len().checked_sub(CAUSES) {
        let _ = writeln!(text, "  and {more} more; `chronos count` lists all of them");
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
