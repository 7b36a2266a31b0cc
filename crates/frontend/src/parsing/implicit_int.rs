//! Declarations without a type, which C had before C99 and gcc still takes with a warning: their type is `int`.
//!
//! Only what can be nothing else is found: a word and parameters in front of a body at file scope, and storage classes or
//! qualifiers in front of a word that an initialiser, a comma or the end of the declaration follows.

use super::neutralise::after_bracket;
use crate::source_text::tokens::{after_line, after_word};

/// Words that begin a type, and so are none of a declarator.
const KEYWORDS: &[&str] = &[
    "int",
    "char",
    "short",
    "long",
    "float",
    "double",
    "void",
    "signed",
    "unsigned",
    "struct",
    "union",
    "enum",
    "typedef",
    "_Bool",
    "_Complex",
    "_Atomic",
    "_Noreturn",
    "_Thread_local",
    "__thread",
    "_Alignas",
    "typeof",
    "__typeof__",
    "__typeof",
    "__extension__",
    "__attribute__",
    "__attribute",
    "__restrict",
    "restrict",
    "_Static_assert",
    "asm",
    "__asm__",
    "__asm",
    "inline",
    "if",
    "while",
    "for",
    "switch",
    "do",
    "else",
    "return",
    "goto",
    "case",
    "default",
    "sizeof",
    "break",
    "continue",
    "__auto_type",
    "__int128",
    "__float128",
];

/// Where `int` is to be put for the declaration that begins at `start`; `outside` says that it stands at file scope.
pub(crate) fn missing_type(text: &str, start: usize, outside: bool) -> Option<usize> {
    let (mut at, mut modified) = (start, false);
    loop {
        let end = after_word(text.as_bytes(), at);
        if !is_modifier(&text.as_bytes()[at..end]) {
            break;
        }
        modified = true;
        at = after_blanks(text.as_bytes(), end);
    }
    let end = after_word(text.as_bytes(), at);
    if !modified && !outside {
        return None;
    }
    let next = after_blanks(text.as_bytes(), end);
    let function = outside && text.as_bytes().get(next) == Some(&b'(');
    let variable = modified
        && match text.as_bytes().get(next)? {
            b'=' => text.as_bytes().get(next + 1) != Some(&b'='),
            byte => matches!(byte, b';' | b',' | b'['),
        };
    if !function && !variable {
        return None;
    }
    let name = &text[at..end];
    let begins = name.as_bytes().first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    (begins && !KEYWORDS.contains(&name) && (variable || defines_function(text, next))).then_some(at)
}

/// Whether the word may stand in front of a declaration without a type.
fn is_modifier(word: &[u8]) -> bool {
    matches!(word, b"static" | b"extern" | b"register" | b"auto" | b"const" | b"volatile" | b"inline" | b"__inline")
}

/// Whether parameters at `open` belong to the definition of a function.
fn defines_function(text: &str, open: usize) -> bool {
    let Some(close) = after_bracket(text.as_bytes(), open, [b'(', b')']) else { return false };
    let next = after_blanks(text.as_bytes(), close);
    let word = &text[next..after_word(text.as_bytes(), next)];
    // Parameters of old definitions are declared behind the bracket.
    text.as_bytes().get(next) == Some(&b'{') || (KEYWORDS.contains(&word) && !word.starts_with("__a") && word != "asm")
}

/// Behind blanks, line ends and markers.
pub(crate) fn after_blanks(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'#' if at > 0 && bytes[at - 1] == b'\n' => at = after_line(bytes, at),
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::parsing::neutralise::tests::check;

    #[test]
    fn declarations_without_a_type_get_int() {
        check("main() { return 0; }", "int main() { return 0; }");
        check("int x;\n# 3 \"a.c\"\nmain(c, v) char **v; { }", "int x;\n# 3 \"a.c\"\nint main(c, v) char **v; { }");
        check(
            "static f(int a) { register i; static n = 3, m; }",
            "static int f(int a) { register int i; static int n = 3, m; }",
        );
        check("const size = 4; int a;", "const int size = 4; int a;");
    }

    #[test]
    fn other_declarations_stay() {
        for text in [
            "T f(void) { if (f(1)) { g(2); } FOREACH(x) { y; } }",
            "MACRO(f); int g(const T, T (*)(int));",
            "typedef struct S const S_t; static T *p; extern T x, y; const T z = 1;",
            "static const struct s *f(T a) { return (const T)a; }",
            "struct s { const T a; volatile T b[3]; };",
            "void f(void) { for (register T i = 0; i < 3; i++) { } x = y; const T a[2]; }",
        ] {
            check(text, text);
        }
    }
}
