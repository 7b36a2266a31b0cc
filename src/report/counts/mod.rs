//! Counts as data, and their renderings: JSON, and the annotated source.
//!
//! As with the report, this module must not know how counts were found.

pub mod model;
pub mod table;

pub use model::CountReport;
