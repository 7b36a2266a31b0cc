//! Reports as data, and their renderings as tables, JSON, CSV and pages.
//!
//! # Purpose
//!
//! A report is data first: [`model::Report`] (`chronos-report/1`), and beside it counts (`chronos-count/1`),
//! comparisons (`chronos-compare/1`), scaling (`chronos-scale/1`), what-if changes (`chronos-whatif/1`), validations
//! (`chronos-validation/1`) and object code (`chronos-code/1`). Each has a schema in `schemas/`, and renderings that read nothing else. Diagnostics are
//! rendered here as well (`diagnostics`). `docs/add-a-column.md` says how a figure gets into all of them.
//!
//! # How it works
//!
//! - `table`, `counts::table`, `compare::table`, `scaling::table`, `whatif::table` and `validation::table` are for
//!   people: aligned columns in the width of the terminal (`table::Grid`), the most important rows first, prose folded by
//!   `fold`.
//! - `classes` gives predictions of many tasks a row for each class of tasks that spend their time alike: tables make
//!   classes of what they show, everything else has those of `Report::in_classes`.
//! - `csv` and the modules of this name are for spreadsheets and scripts.
//! - `replayed` is the part that grows with the run (timeline, messages, critical path); it is bounded and says where
//!   it was cut.
//! - `html::render` makes a page of a report *as JSON*. So a saved report gives the same page as the run that wrote it,
//!   and the report must hold all that a page shows.
//!
//! ## Pages
//!
//! Scripts and styles in `html/js` and `html/css` are joined by `include_str!` into one function scope, in the order of
//! the lists in `html/mod.rs`. Common to all pages (`html::page`) are `dom`, `format`, `unpack`, `theme`, `table`,
//! `plot` and `canvas`. Of the others, `data` and `blocks` read the report, and `state` holds what is looked at: views
//! listen with `onChange`. The rest are a view each, which is made when it is first looked at. Data is packed into
//! columns (`html/pack.rs`, `unpack.js`).
//!
//! # Invariants
//!
//! - The crate does not know how results were computed.
//! - All times in data are seconds, in fields whose names end in `_s`.
//! - The parts of a task's time add up to its total; blocks add up to the time of all tasks, and classes to that of
//!   their block (`tests/report.rs`).
//! - A page is one file that opens from disk without a network. Text only ever goes in as text nodes, and nothing in
//!   the data can end the script that holds it.
//! - Tables go on in further lines rather than beyond the width; a path loses its begin, not its end.
//!
//! # Limits
//!
//! - Numbers in pages keep nine significant digits, in lists of numbers six.
//! - A page draws at most 4,000 stretches of the critical path; of more, one in every so many is kept, and it says how
//!   many there were.
//! - Counts above 2^53 are decimal strings in JSON.
//! - Expressions (`--symbolic`) are written, but not read back from saved reports.

#![forbid(unsafe_code)]

pub mod check;
pub mod classes;
pub mod code;
pub mod compare;
pub mod counts;
pub mod csv;
pub mod cube;
pub mod diagnostics;
pub mod efficiencies;
mod efficiency;
pub mod extra_p;
pub mod fold;
pub mod html;
pub mod model;
pub mod number;
pub mod replayed;
pub mod scaling;
pub mod symbolic;
pub mod table;
pub mod validation;
pub mod whatif;
mod words;

pub use model::Report;

/// A report as it is written to files: JSON in lines, with the end of one at the end.
pub fn json(report: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(report).map(|text| text + "\n").unwrap_or_default()
}

/// The same in one line.
pub fn json_in_one_line(report: &impl serde::Serialize) -> String {
    serde_json::to_string(report).map(|text| text + "\n").unwrap_or_default()
}
