//! `#pragma` lines of the user's files: what they ask for is not modelled, packing and OpenMP apart, and is reported once.

use super::openmp::directive_of;
use super::packing;
use crate::codes;
use crate::source_text::line_table::LineTable;
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::Program;

/// Pragmas that only address compilers' warnings and code layout hints.
const HARMLESS: &[&str] = &["once", "GCC", "STDC", "clang", "message", "mark", "region", "endregion", "weak", "ident"];

/// One warning for all pragmas that would change the time, and a note for those of OpenMP where that is off.
pub(crate) fn not_modelled(pragmas: &[(String, Span)]) -> Vec<Diagnostic> {
    let (openmp, others): (Vec<_>, Vec<_>) = pragmas.iter().partition(|(text, _)| is_openmp(text));
    let told = |list: &[&(String, Span)], what: &str| {
        let (first, span) = list.first()?;
        let message = match list.len() {
            1 => format!("`#pragma {first}` is {what}"),
            n => format!("`#pragma {first}` and {} more are {what}", n - 1),
        };
        Some((message, *span))
    };
    let warning = told(&others, "not modelled").map(|(message, span)| {
        let help = "the prediction is that of the program without pragmas";
        Diagnostic::warning(&codes::PRAGMAS, message).label(span, "the first one").help(help)
    });
    let note = told(&openmp, "ignored: OpenMP is off").map(|(message, span)| {
        let help = "as with a compiler without -fopenmp, each task has one thread; --threads T, or -fopenmp among the flags of --cc or \
                    of the build, lets the directives hold";
        Diagnostic::note(&codes::OPENMP_OFF, message).label(span, "the first one").help(help)
    });
    warning.into_iter().chain(note).collect()
}

fn is_openmp(pragma: &str) -> bool {
    directive_of(&format!("#pragma {pragma}")).is_some()
}

/// Directives of OpenMP that were not rewritten: errors, each with its place.
pub(crate) fn refuse_openmp(pragmas: &mut Vec<(String, Span)>) -> Vec<Diagnostic> {
    let refused = pragmas.extract_if(.., |(text, _)| is_openmp(text));
    let refused = refused.map(|(text, span)| {
        let message = format!("`#pragma {text}` is not modelled");
        let help =
            "docs/openmp.md lists what is; without -fopenmp and --threads, the program is predicted with one thread";
        Diagnostic::error(&codes::OPENMP_UNSUPPORTED, message).label(span, "this directive").help(help)
    });
    refused.collect()
}

/// Counts of threads are no expressions of free parameters.
pub(crate) fn symbolic_threads(program: &Program, symbolic: bool) -> Option<Diagnostic> {
    let span = program.openmp.as_ref().filter(|_| symbolic)?.region?;
    let message = "--symbolic does not follow the threads of parallel regions";
    let help = "give numbers (-D, --set, program arguments), or leave out -fopenmp and --threads";
    Some(Diagnostic::error(&codes::OPENMP_UNSUPPORTED, message).label(span, "the first one").help(help))
}

/// A note where parallel regions have one thread because nobody said how many.
pub(crate) fn threads_not_given(program: &Program) -> Option<Diagnostic> {
    let openmp = program.openmp.as_ref().filter(|openmp| !openmp.given)?;
    let span = openmp.region?;
    let message = "nothing says how many threads a parallel region has: one is taken";
    let help = "--threads T predicts T threads of each task, as OMP_NUM_THREADS=T asks for";
    Some(Diagnostic::note(&codes::OPENMP_THREADS, message).label(span, "the first one").help(help))
}

/// What a line of preprocessed text says behind `#pragma`.
fn pragma(line: &str) -> Option<&str> {
    Some(line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim())
}

/// The attribute that does what the pragma of its name does; `doubts::byte_order` reads it.
fn storage_order(line: &str) -> Option<&str> {
    let text = &line[line.find("scalar_storage_order")?..];
    let word = text.trim_start_matches("scalar_storage_order").trim_start_matches('_');
    word.trim_start().starts_with("(\"").then(|| text.split(')').next().unwrap_or(text))
}

/// The names that `#pragma weak NAME` declares weak.
pub(crate) fn weak(lines: &LineTable) -> Vec<String> {
    let names = lines.text_lines().filter_map(|(_, line)| {
        let mut words = pragma(line)?.split_whitespace();
        words.next().filter(|&word| word == "weak").and(words.next())
    });
    names.map(str::to_owned).collect()
}

/// The pragmas of a unit and its headers, each place once.
pub(crate) fn collect(lines: &LineTable) -> Vec<(String, Span)> {
    let mut pragmas = Vec::new();
    let has_attributes = lines.text().contains("scalar_storage_order");
    for (offset, line) in lines.text_lines() {
        let attribute = || has_attributes.then(|| storage_order(line)).flatten();
        let Some(text) = pragma(line).or_else(attribute) else { continue };
        let harmless = text.split_whitespace().next().is_none_or(|word| HARMLESS.contains(&word));
        let modelled = packing::arguments(line).is_some();
        if harmless || modelled || !lines.is_user(lang_c::span::Span::span(offset, offset + 1)) {
            continue;
        }
        let pragma = (text.to_owned(), lines.span_at(offset));
        if !pragmas.contains(&pragma) {
            pragmas.push(pragma);
        }
    }
    pragmas
}
