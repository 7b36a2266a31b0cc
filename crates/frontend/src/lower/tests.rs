//! Snippets through the parser and the lowering; every program is verified.

use super::{LowerInput, Settings, lower};
use chronos_base::diag::Diagnostic;
use chronos_base::span::{FileId, SourceFiles, Span};
use chronos_ir::{DataModel, Program, print, verify};
use std::fmt::Write;
use std::sync::Arc;

mod blocks;
mod data;
mod expressions;
mod free;
mod linking;
mod odd;

fn parse(text: &str) -> lang_c::ast::TranslationUnit {
    match lang_c::driver::parse_preprocessed(&lang_c::driver::Config::with_gcc(), text.to_owned()) {
        Ok(parsed) => parsed.unit,
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..offset.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1;
    (line as u32, column as u32)
}

fn lower_texts(texts: &[&str], model: DataModel, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    let mut files = SourceFiles::default();
    let units: Vec<_> = texts.iter().map(|text| parse(text)).collect();
    let spans: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let file = files.intern(&format!("{}.c", (b'a' + index as u8) as char), || Some((*text).to_owned()));
            move |span: lang_c::span::Span| {
                let (line_start, column_start) = position(text, span.start);
                let (line_end, column_end) = position(text, span.end.saturating_sub(1));
                Span { file, line_start, column_start, line_end, column_end }
            }
        })
        .collect();
    let inputs: Vec<_> = units
        .iter()
        .zip(&spans)
        .enumerate()
        .map(|(index, (ast, span))| LowerInput { ast, span, file: FileId(index as u32), is_system: &|_| false })
        .collect();
    let (mut program, diagnostics) = lower(&inputs, model, settings);
    program.files = Arc::new(files);
    assert_eq!(verify::verify(&program), Vec::<String>::new(), "{}", print::program(&program));
    (program, diagnostics)
}

fn report(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().fold(String::new(), |mut text, d| {
        let line = d.labels.first().map_or(0, |label| label.span.line_start);
        let _ = writeln!(text, "{}:{line}: {}", d.code.id, d.message);
        text
    })
}

/// The textual form of the program, behind what was reported.
fn check(text: &str) -> String {
    let (program, diagnostics) = lower_texts(&[text], DataModel::Lp64, &Settings::default());
    report(&diagnostics) + &print::program(&program)
}
