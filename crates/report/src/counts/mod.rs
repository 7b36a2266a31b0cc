//! Counts as data, and their renderings: JSON, CSV, and the annotated source.
//!
//! As with the report, this module must not know how counts were found.

pub mod csv;
pub mod model;
pub mod sweep;
pub mod table;

pub use model::{CountReport, CountSweep};
