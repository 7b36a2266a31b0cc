//! Branches and loops that options name by file, line and column.

use super::codes;
use super::options::ProgramOptions;
use super::values::LocatedValue;
use chronos_base::diag::Diagnostic;
use chronos_ir::places::{Decision, Named};
use chronos_ir::{BlockId, Program};
use std::path::{Path, PathBuf};

/// The blocks that a location names.
pub(crate) fn blocks_at(program: &Program, at: &LocatedValue, decision: Decision) -> Result<Vec<BlockId>, Diagnostic> {
    let file = |file| same_file(&program.files.get(file).name, &at.file);
    match program.named(decision, file, at.line, at.column) {
        Named::These(blocks) => Ok(blocks),
        Named::Several(blocks) => Err(ambiguous(program, at, decision, &blocks)),
        Named::Nothing => Err(not_found(program, at, decision)),
    }
}

/// A location in another program of a comparison, and not in this one.
pub(crate) fn is_in_another_program(options: &ProgramOptions, program: &Program, at: &LocatedValue) -> bool {
    let here = || program.files.iter().any(|(_, file)| same_file(&file.name, &at.file));
    let there = |file: &PathBuf| same_file(&file.to_string_lossy(), &at.file);
    options.other_programs_files.iter().any(there) && !here()
}

/// `b.c` names `src/b.c` as well.
pub fn same_file(file: &str, named: &str) -> bool {
    Path::new(file).ends_with(named.strip_prefix("./").unwrap_or(named))
}

fn terms(decision: Decision) -> (&'static str, &'static str, &'static str) {
    match decision {
        Decision::Loop => ("loop", "loops", "--iterations"),
        Decision::Branch => ("branch", "branches", "--prob"),
    }
}

fn ambiguous(program: &Program, at: &LocatedValue, decision: Decision, blocks: &[BlockId]) -> Diagnostic {
    let (_, several, option) = terms(decision);
    let shown: Vec<String> = blocks.iter().map(|&block| program.place_of(block)).collect();
    let message = format!("{option} {}:{}: {} {several} begin there", at.file, at.line, blocks.len());
    let error =
        Diagnostic::error(&codes::AMBIGUOUS_PLACE, message).help(format!("name one of them: {}", shown.join(", ")));
    let label = |error: Diagnostic, &block: &BlockId| error.label(program.blocks[block].span, program.place_of(block));
    blocks.iter().fold(error, label)
}

fn not_found(program: &Program, at: &LocatedValue, decision: Decision) -> Diagnostic {
    let (what, _, option) = terms(decision);
    let column = at.column.map_or(String::new(), |column| format!(":{column}"));
    let message = format!("{option} {}:{}{column}: no {what} begins there", at.file, at.line);
    let help = other_kind(program, at, decision).unwrap_or_else(|| other_places(program, at, decision));
    Diagnostic::error(&codes::PLACE_NOT_FOUND, message).help(help)
}

/// A loop where a branch was meant, or a branch where a loop was.
fn other_kind(program: &Program, at: &LocatedValue, decision: Decision) -> Option<String> {
    let (other, help) = match decision {
        Decision::Branch => {
            (Decision::Loop, "a loop begins there: give its mean number of iterations with --iterations")
        }
        Decision::Loop => (Decision::Branch, "a branch begins there: give its probability with --prob"),
    };
    let file = |file| same_file(&program.files.get(file).name, &at.file);
    let named = program.named(other, file, at.line, at.column);
    let value = if other == Decision::Loop { "N" } else { "P" };
    (!matches!(named, Named::Nothing)).then(|| format!("{help} {}:{}={value}", at.file, at.line))
}

/// Where there are some: the nearest ones in the file.
fn other_places(program: &Program, at: &LocatedValue, decision: Decision) -> String {
    let (_, what, _) = terms(decision);
    let mut named = program.files.iter().filter(|(_, file)| same_file(&file.name, &at.file));
    let Some((file, source)) = named.next() else {
        let user = program.files.iter().filter(|(_, file)| file.text.is_some());
        let names: Vec<&str> = user.map(|(_, file)| &*file.name).collect();
        return format!("the program's files are {}", names.join(", "));
    };
    let alike = program.blocks.values().filter(|b| Decision::of(b) == Some(decision) && b.span.file == file);
    let mut spans: Vec<_> = alike.map(|b| b.span).collect();
    spans.sort_by_key(|span| (span.line_start.abs_diff(at.line), span.line_start, span.column_start));
    spans.truncate(5);
    spans.sort_unstable();
    let shown: Vec<String> = spans.iter().map(|span| format!("{}:{}", span.line_start, span.column_start)).collect();
    match shown.is_empty() {
        true => format!("{} has no {what}", source.name),
        false => format!("{what} near there begin at {} (LINE:COLUMN)", shown.join(", ")),
    }
}

pub(crate) fn no_probability(at: &LocatedValue) -> Diagnostic {
    let message = format!("--prob {}:{}={}: not a probability", at.file, at.line, at.number);
    Diagnostic::error(&codes::PLACE_NOT_FOUND, message).help("give a number from 0 to 1")
}
