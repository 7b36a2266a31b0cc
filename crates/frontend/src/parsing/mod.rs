//! From preprocessed text to syntax trees.
//!
//! The parser is a library. What it does not know is replaced by something of the same shape, what it need not see is left
//! out, long texts are parsed in pieces, and texts that nest too deeply are refused. This room gives no meaning to names.

mod escapes;
pub(crate) mod implicit_int;
mod letters;
pub(crate) mod nesting;
pub(crate) mod neutralise;
pub(crate) mod openmp;
pub(crate) mod packing;
pub(crate) mod parse;
pub(crate) mod parser;
pub(crate) mod pieces;
pub(crate) mod pragmas;
pub(crate) mod trim;

/// The same text for a compiler, in escape sequences and letters that the parser takes.
pub(crate) fn spelled_plainly(text: &str) -> String {
    letters::plain(&escapes::plain(text)).into_owned()
}
