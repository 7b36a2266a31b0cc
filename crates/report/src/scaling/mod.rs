//! How a program scales, as data (`chronos-scale/1`) and for people. All times are in seconds.

mod analytic;
mod csv;
mod figure;
mod html;
mod isoefficiency;
pub mod model;
mod table;
#[cfg(test)]
mod tests;

pub use analytic::{AnalyticData, AnalyticPoint};
pub use csv::render as csv;
pub use figure::{Figure, csv as figure_csv, table as figure_table};
pub use html::{of_figure as figure_html, render as html};
pub use model::ScalingReport;
pub use table::render as table;
