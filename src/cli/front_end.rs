//! From the front-end flags to a program with what the user says about it.

use super::args::FrontEndArgs;
use super::codes;
use super::values::Placed;
use crate::count::Assumptions;
use crate::count::interp::Inputs;
use crate::diag::{Diagnostic, system_cause};
use crate::program::{Block, BlockId, BlockKind, Callee, DataModel, Program};
use crate::report::model::ProgramInfo;
use crate::source::{self, SourceOptions};
use crate::span::SourceFiles;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads, parses and lowers the program. `None` where a diagnostic is an error; the files are there in any case.
pub fn program(options: &FrontEndArgs, model: DataModel) -> (Option<Program>, Arc<SourceFiles>, Vec<Diagnostic>) {
    source::program(&source_options(options, model))
}

fn source_options(options: &FrontEndArgs, model: DataModel) -> SourceOptions {
    SourceOptions {
        files: options.files.clone(),
        cc: options.cc.clone(),
        defines: options.defines.clone(),
        includes: options.includes.clone(),
        settings: options.settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect(),
        symbolic: options.symbolic.clone(),
        model,
    }
}

/// What the user says about branches and loops, by block.
pub fn assumptions(options: &FrontEndArgs, program: &Program) -> Result<Assumptions, Vec<Diagnostic>> {
    let mut assumed = super::assume::read(&options.assume, program)?;
    let mut errors = Vec::new();
    let mut resolve = |places: &[Placed], wants_loop: bool| -> HashMap<BlockId, f64> {
        let found = places.iter().map(|place| (block_at(program, place, wants_loop), place));
        let kept = found.filter_map(|(block, place)| {
            if block.is_none() {
                errors.push(not_found(program, place, wants_loop));
            }
            Some((block?, place.number))
        });
        kept.collect()
    };
    let probability = resolve(&options.probabilities, false);
    let iterations = resolve(&options.iterations, true);
    for place in options.probabilities.iter().filter(|place| place.number > 1.0) {
        errors.push(no_probability(place));
    }
    assumed.probability.extend(probability);
    assumed.iterations.extend(iterations);
    if errors.is_empty() { Ok(Assumptions { budget: options.budget, ..assumed }) } else { Err(errors) }
}

/// The first branch or loop on the line, at the column where one is given.
pub fn block_at(program: &Program, place: &Placed, wants_loop: bool) -> Option<BlockId> {
    let matches = |block: &Block| {
        is_kind(block, wants_loop)
            && block.span.line_start == place.line
            && place.column.is_none_or(|column| block.span.column_start == column)
            && same_file(&program.files.get(block.span.file).name, &place.file)
    };
    program.blocks.iter().find(|(_, block)| matches(block)).map(|(id, _)| id)
}

/// `b.c` names `src/b.c` as well.
fn same_file(file: &str, named: &str) -> bool {
    Path::new(file).ends_with(named.strip_prefix("./").unwrap_or(named))
}

fn not_found(program: &Program, place: &Placed, wants_loop: bool) -> Diagnostic {
    let (what, option) = if wants_loop { ("loop", "--iterations") } else { ("branch", "--prob") };
    let column = place.column.map_or(String::new(), |column| format!(":{column}"));
    let message = format!("{option} {}:{}{column}: no {what} begins there", place.file, place.line);
    Diagnostic::error(&codes::PLACE_NOT_FOUND, message).help(other_places(program, place, wants_loop))
}

/// Where there are branches or loops: the nearest ones in the file.
pub fn other_places(program: &Program, place: &Placed, wants_loop: bool) -> String {
    let what = if wants_loop { "loops" } else { "branches" };
    let mut named = program.files.iter().filter(|(_, file)| same_file(&file.name, &place.file));
    let Some((file, source)) = named.next() else {
        let user = program.files.iter().filter(|(_, file)| file.text.is_some());
        let names: Vec<&str> = user.map(|(_, file)| &*file.name).collect();
        return format!("the program's files are {}", names.join(", "));
    };
    let mut spans: Vec<_> =
        program.blocks.values().filter(|b| is_kind(b, wants_loop) && b.span.file == file).map(|b| b.span).collect();
    spans.sort_by_key(|span| (span.line_start.abs_diff(place.line), span.line_start, span.column_start));
    spans.truncate(5);
    spans.sort_unstable();
    let shown: Vec<String> = spans.iter().map(|span| format!("{}:{}", span.line_start, span.column_start)).collect();
    match shown.is_empty() {
        true => format!("{} has no {what}", source.name),
        false => format!("{what} near there begin at {} (LINE:COLUMN)", shown.join(", ")),
    }
}

fn is_kind(block: &Block, wants_loop: bool) -> bool {
    match block.kind {
        BlockKind::Loop(_) => wants_loop,
        BlockKind::Branch(_) => !wants_loop,
        _ => false,
    }
}

fn no_probability(place: &Placed) -> Diagnostic {
    let message = format!("--prob {}:{}={}: not a probability", place.file, place.line, place.number);
    Diagnostic::error(&codes::PLACE_NOT_FOUND, message).help("give a number from 0 to 1")
}

/// The files that the program reads as its own input.
pub fn inputs(options: &FrontEndArgs) -> Result<Inputs, Vec<Diagnostic>> {
    let read = |path: &Path| match std::fs::read(path) {
        Ok(bytes) => Ok(Arc::<[u8]>::from(bytes)),
        Err(error) => Err(vec![not_read(path, &error)]),
    };
    let stdin = options.stdin.as_deref().map(read).transpose()?;
    let mut files = HashMap::new();
    for file in &options.input_files {
        files.insert(file.name.clone(), read(&file.path)?);
    }
    Ok(Inputs { stdin, files })
}

fn not_read(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(&codes::INPUT_NOT_READ, format!("cannot read {}: {}", path.display(), system_cause(error)))
        .help("name a file that exists and may be read")
}

/// The program as reports name it.
pub fn info(options: &FrontEndArgs) -> ProgramInfo {
    let settings = options.settings.iter().map(|s| format!("{}={}", s.name, s.value));
    ProgramInfo {
        files: options.files.iter().map(|file| file.display().to_string()).collect(),
        arguments: options.arguments.clone(),
        defines: options.defines.iter().cloned().chain(settings).collect(),
    }
}

/// What can be said before anything is evaluated: no `main`, unsupported MPI calls.
pub fn before_evaluation(program: &Program) -> Vec<Diagnostic> {
    if program.main.is_none() {
        let error = Diagnostic::error(&codes::NO_MAIN, "no file given defines `main`");
        return vec![error.help("name all source files of the program")];
    }
    crate::count::mpi::unsupported_calls(program)
}

/// A note where several tasks are asked for and none talks to another.
pub fn without_mpi(program: &Program, several: bool) -> Option<Diagnostic> {
    let calls = |(id, _): (BlockId, _)| program.call(id).is_some_and(|call| matches!(call.callee, Callee::Mpi(_)));
    let note = || Diagnostic::note(&codes::NO_MPI, "the program calls no MPI function: every task does the same");
    (several && !program.blocks.iter().any(calls)).then(|| note().help("leave out -n to predict one run of it"))
}
