//! What changes of a program or a system would save, as data (`chronos-whatif/1`), for people, and as a page.

mod csv;
pub mod model;
mod table;
mod words;

pub use csv::render as csv;
pub use model::WhatIfReport;
pub use table::render as table;

/// The page: one file that opens from disk.
///
/// # Errors
/// Only those of the JSON writer, which writes to memory.
pub fn html(report: &WhatIfReport) -> serde_json::Result<String> {
    Ok(crate::html::whatif(&serde_json::to_value(report)?))
}
