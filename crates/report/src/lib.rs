//! The report as data, and its renderings.
//!
//! This module must not know how results were computed: it turns a [`model::Report`] into text.

#![forbid(unsafe_code)]

pub mod check;
pub mod compare;
pub mod counts;
pub mod csv;
pub mod diagnostics;
pub mod fold;
pub mod html;
pub mod model;
pub mod number;
pub mod replayed;
pub mod scaling;
pub mod symbolic;
pub mod table;
pub mod validation;

pub use model::Report;
