//! Branches and loops that `--prob` and `--iterations` name.

use super::args::FrontEndArgs;
use super::codes;
use super::values::Placed;
use crate::diag::Diagnostic;
use crate::program::places::{Decision, Named};
use crate::program::{BlockId, Program};
use std::path::{Path, PathBuf};

/// The blocks that a place names.
pub fn find(program: &Program, place: &Placed, decision: Decision) -> Result<Vec<BlockId>, Diagnostic> {
    let file = |file| same_file(&program.files.get(file).name, &place.file);
    match program.named(decision, file, place.line, place.column) {
        Named::These(blocks) => Ok(blocks),
        Named::Several(blocks) => Err(ambiguous(program, place, decision, &blocks)),
        Named::Nothing => Err(not_found(program, place, decision)),
    }
}

/// A place in another program of a comparison, and not in this one.
pub fn is_elsewhere(options: &FrontEndArgs, program: &Program, place: &Placed) -> bool {
    let here = || program.files.iter().any(|(_, file)| same_file(&file.name, &place.file));
    let there = |file: &PathBuf| same_file(&file.to_string_lossy(), &place.file);
    options.elsewhere.iter().any(there) && !here()
}

/// `b.c` names `src/b.c` as well.
pub fn same_file(file: &str, named: &str) -> bool {
    Path::new(file).ends_with(named.strip_prefix("./").unwrap_or(named))
}

fn words(decision: Decision) -> (&'static str, &'static str, &'static str) {
    match decision {
        Decision::Loop => ("loop", "loops", "--iterations"),
        Decision::Branch => ("branch", "branches", "--prob"),
    }
}

fn ambiguous(program: &Program, place: &Placed, decision: Decision, blocks: &[BlockId]) -> Diagnostic {
    let (_, several, option) = words(decision);
    let shown: Vec<String> = blocks.iter().map(|&block| program.place_of(block)).collect();
    let message = format!("{option} {}:{}: {} {several} begin there", place.file, place.line, blocks.len());
    let error =
        Diagnostic::error(&codes::AMBIGUOUS_PLACE, message).help(format!("name one of them: {}", shown.join(", ")));
    let label = |error: Diagnostic, &block: &BlockId| error.label(program.blocks[block].span, program.place_of(block));
    blocks.iter().fold(error, label)
}

fn not_found(program: &Program, place: &Placed, decision: Decision) -> Diagnostic {
    let (what, _, option) = words(decision);
    let column = place.column.map_or(String::new(), |column| format!(":{column}"));
    let message = format!("{option} {}:{}{column}: no {what} begins there", place.file, place.line);
    let help = other_kind(program, place, decision).unwrap_or_else(|| other_places(program, place, decision));
    Diagnostic::error(&codes::PLACE_NOT_FOUND, message).help(help)
}

/// A loop where a branch was meant, or a branch where a loop was.
fn other_kind(program: &Program, place: &Placed, decision: Decision) -> Option<String> {
    let (other, help) = match decision {
        Decision::Branch => {
            (Decision::Loop, "a loop begins there: give its mean number of iterations with --iterations")
        }
        Decision::Loop => (Decision::Branch, "a branch begins there: give its probability with --prob"),
    };
    let file = |file| same_file(&program.files.get(file).name, &place.file);
    let named = program.named(other, file, place.line, place.column);
    let value = if other == Decision::Loop { "N" } else { "P" };
    (!matches!(named, Named::Nothing)).then(|| format!("{help} {}:{}={value}", place.file, place.line))
}

/// Where there are some: the nearest ones in the file.
fn other_places(program: &Program, place: &Placed, decision: Decision) -> String {
    let (_, what, _) = words(decision);
    let mut named = program.files.iter().filter(|(_, file)| same_file(&file.name, &place.file));
    let Some((file, source)) = named.next() else {
        let user = program.files.iter().filter(|(_, file)| file.text.is_some());
        let names: Vec<&str> = user.map(|(_, file)| &*file.name).collect();
        return format!("the program's files are {}", names.join(", "));
    };
    let alike = program.blocks.values().filter(|b| Decision::of(b) == Some(decision) && b.span.file == file);
    let mut spans: Vec<_> = alike.map(|b| b.span).collect();
    spans.sort_by_key(|span| (span.line_start.abs_diff(place.line), span.line_start, span.column_start));
    spans.truncate(5);
    spans.sort_unstable();
    let shown: Vec<String> = spans.iter().map(|span| format!("{}:{}", span.line_start, span.column_start)).collect();
    match shown.is_empty() {
        true => format!("{} has no {what}", source.name),
        false => format!("{what} near there begin at {} (LINE:COLUMN)", shown.join(", ")),
    }
}

pub fn no_probability(place: &Placed) -> Diagnostic {
    let message = format!("--prob {}:{}={}: not a probability", place.file, place.line, place.number);
    Diagnostic::error(&codes::PLACE_NOT_FOUND, message).help("give a number from 0 to 1")
}
