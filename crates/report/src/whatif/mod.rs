//! What changes of a program or a system would save, as data (`chronos-whatif/1`) and for people.

mod csv;
pub mod model;
mod table;

pub use csv::render as csv;
pub use model::WhatIfReport;
pub use table::render as table;
