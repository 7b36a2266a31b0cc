//! Names with letters beyond ASCII, which preprocessors write as `\u00f4` or `\U000000f4` and the parser does not take.

use crate::source_text::tokens::token_end;
use std::borrow::Cow;

/// The same text, as long as before, with an underscore for each backslash that stands in a name.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") && !text.contains("\\U") {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let begins = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'u' | b'U'));
        if begins {
            out.push_str(&text[copied..at]);
            out.push('_');
            copied = at + 1;
        }
        at = if begins { at + 1 } else { token_end(bytes, at) };
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn letters_in_names_are_spelled_out() {
        let text = "int piv\\U000000f4 = '\\u00e9', \\u00e9t\\u00e9;\nchar *s = \"\\u00e9\\\"\\u00e9\";\n# 1 \"\\u\"\n";
        let expected =
            "int piv_U000000f4 = '\\u00e9', _u00e9t_u00e9;\nchar *s = \"\\u00e9\\\"\\u00e9\";\n# 1 \"\\u\"\n";
        assert_eq!(plain(text), expected);
        assert!(matches!(plain("int a;"), std::borrow::Cow::Borrowed(_)));
    }
}
