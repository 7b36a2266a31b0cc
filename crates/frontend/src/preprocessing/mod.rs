//! From a source file to preprocessed text: the user's C compiler, our headers, macros that are overridden or left free.
//!
//! This room does not parse C. It knows the text of directives, and what files are called in places.

pub(crate) mod definitions;
pub(crate) mod free_macros;
pub mod headers;
pub(crate) mod macros;
pub(crate) mod messages;
pub(crate) mod preprocessor;
pub(crate) mod targets;
