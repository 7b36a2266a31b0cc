//! Where preprocessed text came from: files, lines and columns of the user.
//!
//! Markers of the preprocessor say which lines follow. This room knows neither C nor the compiler that wrote the markers.

pub(crate) mod alignment;
pub(crate) mod file_names;
pub(crate) mod file_text;
pub(crate) mod line_table;
pub(crate) mod markers;
pub(crate) mod quoting;
pub(crate) mod tokens;
