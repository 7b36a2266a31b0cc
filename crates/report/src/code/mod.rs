//! What a compiler made of a function: instructions beside their lines, loops with cycles per iteration.

pub mod model;
mod text;

pub use model::CodeReport;
pub use text::text;
