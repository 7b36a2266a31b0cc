//! `#pragma` lines of the user's files: what they ask for is not modelled, packing apart, and is reported once.

use super::packing;
use crate::codes;
use crate::source_text::line_table::LineTable;
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;

/// Pragmas that only address compilers' warnings and code layout hints.
const HARMLESS: &[&str] = &["once", "GCC", "STDC", "clang", "message", "mark", "region", "endregion", "weak", "ident"];

/// One warning for all pragmas that would change the time; `None` where there are none.
pub(crate) fn not_modelled(pragmas: &[(String, Span)]) -> Option<Diagnostic> {
    let (first, span) = pragmas.first()?;
    let message = match pragmas.len() {
        1 => format!("`#pragma {first}` is not modelled"),
        n => format!("`#pragma {first}` and {} more are not modelled", n - 1),
    };
    let help = "the prediction is that of the program without pragmas: one thread per task";
    Some(Diagnostic::warning(&codes::PRAGMAS, message).label(*span, "the first one").help(help))
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

/// Appends the unit's pragmas; a header's are appended once.
pub(crate) fn collect(lines: &LineTable, pragmas: &mut Vec<(String, Span)>) {
    for (offset, line) in lines.text_lines() {
        let Some(text) = pragma(line).or_else(|| storage_order(line)) else { continue };
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
}
