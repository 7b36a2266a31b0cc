//! Compilers that machine files name.

use chronos_base::diag::Diagnostic;
use chronos_frontend::{Trust, codes};

/// The words of a compiler's command, where they may be run. A machine file may come from anywhere: it does not decide what
/// is run here.
///
/// # Errors
/// What the command is that is not trusted.
pub fn trusted(words: Vec<String>, machine: &str, trust: &Trust) -> Result<Vec<String>, Diagnostic> {
    let Some(what) = trust.refuses(&words) else { return Ok(words) };
    let message = format!("the machine `{machine}` is of {what}");
    let help =
        "name the compiler yourself (--cc \"gcc -O2\"), or add --trust if you trust whoever made the machine file";
    Err(Diagnostic::error(&codes::UNTRUSTED, message).help(help))
}
