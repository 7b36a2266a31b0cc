//! Macros of the sources, and what replaces their values.

use chronos_base::span::Span;

/// A `--set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The macro or constant.
    pub name: String,
    /// The text that replaces its value.
    pub value: String,
    /// A macro of the source was overridden. Where false, it must name a constant
    /// (else [`unused_setting`](crate::parameters::unused_setting) is the diagnostic to return).
    pub(crate) is_macro: bool,
}

/// An object-like macro that the user's files define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroDefinition {
    /// The name of the macro.
    pub name: String,
    /// Its replacement as written, comments excluded.
    pub body: String,
    /// Where it is defined.
    pub span: Span,
}
