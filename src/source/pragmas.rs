//! `#pragma` lines of the user's files: what they ask for is not modelled and is reported once.

use super::lines::LineTable;
use crate::span::Span;

/// Pragmas that only address compilers' warnings and code layout hints.
const HARMLESS: &[&str] = &["once", "GCC", "STDC", "clang", "message", "mark", "region", "endregion", "weak", "ident"];

/// Appends the unit's pragmas; a header's are appended once.
pub(super) fn collect(lines: &LineTable, pragmas: &mut Vec<(String, Span)>) {
    for (offset, line) in lines.text_lines() {
        let Some(text) = line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("pragma"))
        else {
            continue;
        };
        let text = text.trim();
        let harmless = text.split_whitespace().next().is_none_or(|word| HARMLESS.contains(&word));
        if harmless || !lines.is_user(lang_c::span::Span::span(offset, offset + 1)) {
            continue;
        }
        let pragma = (text.to_owned(), lines.span_at(offset));
        if !pragmas.contains(&pragma) {
            pragmas.push(pragma);
        }
    }
}
