//! What is told of rows of a length that nobody knows.

use super::columns::{COLUMNS, segment, simple};
use super::{Source, program};
use crate::source::unknown_rows::diagnostics;
use crate::{CostModel, Reuse};
use std::fmt::Write;

/// The notes on two sweeps over ten columns of `index`, behind a loop that runs so often up to `pitch`.
fn check(index: &str, pitch: u64) -> String {
    let program = program(&format!(
        "struct matrix {{ int pitch; double *data; }}; double s;
         void f(double *x, double *y, int rows, int n, int pitch, struct matrix *m) {{
         for (int i = 0; i < pitch; i++) s += i; for (int k = 0; k < 2; k++)
         for (int j = 0; j < n; j++) for (int i = 0; i < rows; i++) s += {index}; }}"
    ));
    let model = Source::new(&program, &simple());
    let columns = COLUMNS.map(|(position, n, entries)| (position + 1, n, entries));
    model.price(&segment(&model, &[(0, pitch, u64::from(pitch > 0))]), &Reuse::default());
    let priced = model.price(&segment(&model, &columns), &Reuse::default());
    diagnostics(&program, priced.rows.iter()).iter().fold(String::new(), |mut text, note| {
        let help = note.help.as_deref().unwrap_or_default();
        writeln!(text, "{} ({}): {help}", note.message, note.labels.len()).expect("string");
        text
    })
}

#[test]
fn an_unknown_length_is_told_where_it_decides() {
    insta::assert_snapshot!(check("x[i * pitch + j]", 0), @"rows of `x` are taken to lie one beside the other: their length `pitch` is not known (1): put a constant or a macro in place of `pitch` where the rows are used; -D or --set gives a macro its value");
    insta::assert_snapshot!(check("x[i * (pitch + 2) + j] * x[(i + 1) * (pitch + 2) + j]", 0), @"rows of `x` are taken to lie one beside the other: their length `pitch` is not known (1): put a constant or a macro in place of `pitch` where the rows are used; -D or --set gives a macro its value");
    insta::assert_snapshot!(check("m->data[i * m->pitch + j]", 0), @"rows behind `m` are taken to lie one beside the other: their length is not known (1): put a constant or a macro in place of their length where the rows are used; -D or --set gives a macro its value");
}

#[test]
fn a_known_length_is_not_told() {
    assert_eq!(check("x[i * 101 + j]", 0), "");
    assert_eq!(check("x[i * n + j]", 0), "");
    assert_eq!(check("x[i * pitch + j]", 101), "");
}

#[test]
fn walks_along_rows_do_not_rest_on_it() {
    assert_eq!(check("x[j * pitch + i]", 0), "");
    insta::assert_snapshot!(check("x[i * pitch + j] * y[j * pitch + i]", 0), @"rows of `x` are taken to lie one beside the other: their length `pitch` is not known (1): put a constant or a macro in place of `pitch` where the rows are used; -D or --set gives a macro its value");
}

#[test]
fn what_data_chooses_has_no_length() {
    assert_eq!(check("x[(int)y[i] * 101 + j]", 0), "");
}
