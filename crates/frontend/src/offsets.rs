//! Preprocessed text with trees and a program whose places are offsets into it, for whoever rewrites
//! sources (crate `chronos_instrument`).
//!
//! The text is what the compiler's preprocessor made of a file, but for letters and escape sequences that the parser does not
//! take; the parser gets its own version of it, and offsets are carried back. This module must not know what is rewritten.

use crate::lower::input::{LowerInput, Settings};
use crate::lower::lower;
use crate::parsing::neutralise::{Attributes, Copy, neutralise_with_copies};
use crate::parsing::parser::{on_threads, parse_text};
use crate::parsing::spelled_plainly;
use crate::source_text::file_names::FileNames;
use crate::source_text::line_table::LineTable;
use crate::source_text::markers::Marker;
use crate::{Failure, Preprocessed, SourceOptions, codes, preprocess};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::{FileId, SourceFiles, Span};
use chronos_ir::{DataModel, Program};
use lang_c::ast::TranslationUnit;
use std::ops::Range;
use std::path::PathBuf;

/// A unit that can be rewritten.
#[derive(Debug)]
pub struct OffsetUnit {
    /// The file of the unit.
    pub path: PathBuf,
    /// As the preprocessor left it, MPI's constants as names, in characters and escape sequences that the parser takes;
    /// they mean the same to a compiler.
    pub text: String,
    /// The syntax tree of the text as the parser got it; `offset` leads from its spans to `text`.
    pub ast: TranslationUnit,
    /// Stretches of the text by file, in order; they cover all of it but the markers.
    pub file_lines: Vec<FileLines>,
    copies: Vec<Copy>,
    lines: LineTable,
}

/// Lines of text of one file that follow one another there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLines {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// As the compiler names it.
    pub file: String,
    /// Of the first line.
    pub line: u32,
    /// The user wrote the file.
    pub user: bool,
}

impl OffsetUnit {
    fn new(path: PathBuf, text: String, files: &mut SourceFiles, names: &FileNames) -> Option<Self> {
        let parsed = [Attributes::Layout, Attributes::None].into_iter().find_map(|attributes| {
            let (neutral, copies) = neutralise_with_copies(&text, attributes);
            Some((on_large_stack(&neutral)?, neutral, copies))
        });
        let (ast, neutral, copies) = parsed?;
        let lines = LineTable::new(&neutral, files, names);
        let file_lines = file_lines(&text, names);
        Some(Self { path, text, ast, file_lines, copies, lines })
    }

    /// Where in [`Self::text`] stands what the parser saw at an offset.
    pub fn offset(&self, parsed: usize) -> usize {
        let after = self.copies.partition_point(|copy| copy.to <= parsed).max(1);
        let copy = self.copies.get(after - 1).copied().unwrap_or(Copy { to: 0, from: 0 });
        let until = self.copies.get(after).map_or(self.text.len(), |next| next.from);
        (copy.from + parsed.saturating_sub(copy.to)).min(until)
    }

    /// The same for the end of a range, blanks and markers at its end left out.
    pub fn end(&self, start: usize, parsed: usize) -> usize {
        let (start, mut end) = (self.offset(start), self.offset(parsed.saturating_sub(1)) + 1);
        while end > start {
            let line_start = self.text[..end].rfind('\n').map_or(0, |at| at + 1);
            let line = self.text.get(line_start..end).unwrap_or_default();
            let marker = line.starts_with('#');
            if !marker && !line.ends_with(|c: char| c.is_ascii_whitespace()) && !line.is_empty() {
                break;
            }
            end = if marker { line_start.saturating_sub(1) } else { end - 1 };
        }
        end.max(start)
    }

    pub(crate) fn span(&self, unit: usize, span: lang_c::span::Span) -> Span {
        let number = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        let system = usize::from(!self.lines.is_user(span));
        let file = FileId(number(2 * unit + system));
        let (start, end) = if span.is_none() { (0, 0) } else { (span.start, span.end) };
        Span { file, line_start: number(start), column_start: 1, line_end: number(end), column_end: 1 }
    }
}

/// Which unit a place of [`program`] lies in; `None` for what system headers define.
pub fn unit_of(span: Span) -> Option<usize> {
    span.file.0.is_multiple_of(2).then_some(span.file.0 as usize / 2)
}

/// All units, and the data model that the compiler's flags or the options say.
///
/// # Errors
/// Exactly where a diagnostic is an error.
pub fn read(options: &SourceOptions) -> Result<(Vec<OffsetUnit>, DataModel), Box<Failure>> {
    let options = SourceOptions { constants_as_names: true, ..options.clone() };
    let preprocessed: Preprocessed = preprocess(&options)?;
    let names = preprocessed.names();
    let mut files = SourceFiles::default();
    let mut units = Vec::new();
    for (path, text) in preprocessed.preprocessed_sources() {
        match OffsetUnit::new(path.to_path_buf(), spelled_plainly(text), &mut files, names) {
            Some(unit) => units.push(unit),
            None => return Err(Box::new(Failure { files, diagnostics: vec![unparsed(path)] })),
        }
    }
    Ok((units, preprocessed.model()))
}

fn unparsed(path: &std::path::Path) -> Diagnostic {
    let message = format!("{} cannot be parsed with MPI's constants as names", path.display());
    Diagnostic::error(&codes::UNSUPPORTED_SYNTAX, message).help("`chronos check` tells what is not understood")
}

/// The program of the units: its blocks are those of [`crate::program`], its lines are offsets into what the
/// parser saw ([`OffsetUnit::offset`]), its files are told by [`unit_of`].
pub fn program(units: &[OffsetUnit], model: DataModel, options: &SourceOptions) -> Program {
    let spans: Vec<_> =
        units.iter().enumerate().map(|(index, unit)| move |span: lang_c::span::Span| unit.span(index, span)).collect();
    let is_system = |file: FileId| file.0 % 2 == 1;
    let inputs: Vec<LowerInput<'_>> = units
        .iter()
        .zip(&spans)
        .enumerate()
        .map(|(index, (unit, span))| LowerInput {
            ast: &unit.ast,
            span,
            file: FileId(u32::try_from(2 * index).unwrap_or(u32::MAX)),
            is_system: &is_system,
        })
        .collect();
    let settings = Settings { set: options.settings.clone(), ..Settings::default() };
    lower(&inputs, model, &settings).0
}

fn on_large_stack(text: &str) -> Option<TranslationUnit> {
    on_threads(1, 1, &|_| parse_text(text.to_owned()).ok()).pop()?.1
}

/// A file is a system header if it is one where it first appears.
fn file_lines(text: &str, names: &FileNames) -> Vec<FileLines> {
    let mut system: FxHashMap<String, bool> = FxHashMap::default();
    let mut file_lines: Vec<FileLines> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        let marker = line.starts_with('#').then(|| Marker::parse(line)).flatten();
        if let Some(marker) = marker {
            let shown = names.shown(&marker.file);
            let foreign = *system.entry(marker.file).or_insert(marker.system || shown.starts_with('<'));
            file_lines.push(FileLines { range: next..next, file: shown, line: marker.line, user: !foreign });
        } else if let Some(last) = file_lines.last_mut() {
            last.range.end = next;
        }
        at = next;
    }
    file_lines
}
