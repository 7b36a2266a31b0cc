//! Rows of a length that nobody knows: where the price of a loop rests on how they lie, and how that is told.

use crate::source::memory::lines::rows_of_unknown_length;
use crate::source::model::Source;
use crate::source::price::loop_time::scope_time_with;
use crate::source::profile::counts::ExecutionCounts;
use crate::{UnknownRows, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::{Program, VarId};
use std::collections::BTreeMap;

/// Rows decide the price of a segment that takes longer by more than this share where they lie apart.
pub(crate) const DECISIVE: f64 = 0.01;

/// The rows in a scope that are taken to lie one beside the other, with the cycles that the scope takes longer where
/// each of them lies in lines of its own.
pub(crate) fn assumed_rows(model: &Source, index: usize, counts: &ExecutionCounts) -> Vec<(UnknownRows, Span, f64)> {
    if !model.known_values.is_wanted() {
        return Vec::new();
    }
    let time = |apart| scope_time_with(model, index, counts, apart).total;
    let longer = |(rows, at)| (rows, at, time(Some(rows)) - time(None));
    rows_of_unknown_length(model, index, counts).into_iter().map(longer).collect()
}

/// A note for each array and length, with one place on each line.
pub fn diagnostics<'a>(program: &Program, rows: impl Iterator<Item = &'a (UnknownRows, Span)>) -> Vec<Diagnostic> {
    let mut notes: BTreeMap<UnknownRows, BTreeMap<_, Span>> = BTreeMap::new();
    for &(rows, at) in rows {
        notes.entry(rows).or_default().entry((at.file, at.line_start)).or_insert(at);
    }
    let label = |note: Diagnostic, at| note.label(at, "what lines from memory cost here depends on it");
    let note_with_places =
        |(rows, places): (UnknownRows, BTreeMap<_, Span>)| places.into_values().fold(note(program, rows), label);
    notes.into_iter().map(note_with_places).collect()
}

fn note(program: &Program, rows: UnknownRows) -> Diagnostic {
    let name = |variable: VarId| format!("`{}`", program.variables[variable].name);
    let way = if rows.behind { "behind" } else { "of" };
    let array = rows.array.map_or(String::new(), |array| format!(" {way} {}", name(array)));
    let length = rows.length.map_or(String::new(), |length| format!(" {}", name(length)));
    let message = format!("rows{array} are taken to lie one beside the other: their length{length} is not known");
    let length = rows.length.map_or("their length".to_owned(), name);
    let help = format!(
        "put a constant or a macro in place of {length} where the rows are used; -D or --set gives a macro its value"
    );
    Diagnostic::note(&codes::UNKNOWN_ROWS, message).help(help)
}
