//! Leaves out what headers declare and nobody uses: most of a unit's text are prototypes of functions that it
//! does not call, and their trees would take most of the memory of a large program.
//!
//! Only what is certainly a prototype goes, so that no definition or type is ever lost; it is overwritten with
//! blanks, so that offsets stay what they were.

use super::pieces::token_end;
use std::collections::HashSet;
use std::ops::Range;

/// The text, as long as before, without the prototypes of functions that it names nowhere else.
pub(super) fn trim(text: String) -> String {
    let prototypes = prototypes(&text);
    let used = words_outside(&text, &prototypes);
    let mut trimmed = String::with_capacity(text.len());
    let mut copied = 0;
    for prototype in prototypes.iter().filter(|p| !used.contains(&text[p.name.clone()])) {
        trimmed.push_str(&text[copied..prototype.range.start]);
        trimmed.extend(std::iter::repeat_n(' ', prototype.range.len()));
        copied = prototype.range.end;
    }
    if copied == 0 {
        return text;
    }
    trimmed.push_str(&text[copied..]);
    trimmed
}

struct Prototype {
    /// Up to and with the semicolon.
    range: Range<usize>,
    name: Range<usize>,
}

fn words_outside<'a>(text: &'a str, prototypes: &[Prototype]) -> HashSet<&'a str> {
    let mut words = HashSet::new();
    let mut next = prototypes.iter().map(|p| p.range.clone()).peekable();
    let mut at = 0;
    while at < text.len() {
        if let Some(range) = next.next_if(|range| range.start <= at) {
            at = range.end;
            continue;
        }
        let end = token_end(text.as_bytes(), at);
        if is_word(text.as_bytes()[at]) {
            words.insert(&text[at..end]);
        }
        at = end;
    }
    words
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// What is being read at file scope.
struct Item {
    /// Of its first token.
    start: usize,
    /// The last word outside brackets.
    word: Range<usize>,
    /// Words outside brackets, before the parameters.
    words: usize,
    /// The word before the first parenthesis.
    name: Option<Range<usize>>,
    /// Something that no plain prototype has.
    other: bool,
}

impl Item {
    fn new(start: usize) -> Self {
        Self { start, word: 0..0, words: 0, name: None, other: false }
    }

    /// A word outside brackets.
    fn word(&mut self, text: &str, range: Range<usize>) {
        let word = &text[range.clone()];
        let label = matches!(word, "asm" | "__asm__" | "__asm");
        self.other |= word == "typedef" || word.starts_with("__attribute") || (self.name.is_some() && !label);
        self.word = range;
        self.words += usize::from(self.name.is_none());
    }

    /// A parenthesis outside brackets; what stands behind the parameters is an assembler name.
    fn open(&mut self) {
        if self.name.is_none() {
            self.name = Some(self.word.clone());
        }
    }

    /// At least a type stands before the name.
    fn prototype(self, end: usize) -> Option<Prototype> {
        let name = self.name.filter(|name| !self.other && self.words > 1 && !name.is_empty())?;
        Some(Prototype { range: self.start..end, name })
    }
}

fn prototypes(text: &str) -> Vec<Prototype> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut item: Option<Item> = None;
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        let end = token_end(bytes, at);
        if byte.is_ascii_whitespace() || byte == b'#' {
            at = end;
            continue;
        }
        let current = item.get_or_insert_with(|| Item::new(at));
        match byte {
            b'(' | b'[' | b'{' => {
                match byte {
                    b'(' if depth == 0 => current.open(),
                    b'(' => {}
                    _ => current.other |= depth == 0 || byte == b'{',
                }
                depth += 1;
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if byte == b'}' && depth == 0 && current.name.is_some() && ends_body(bytes, end) {
                    item = None;
                }
            }
            b';' if depth == 0 => found.extend(item.take().and_then(|item| item.prototype(end))),
            byte if depth == 0 && is_word(byte) => current.word(text, at..end),
            b'*' => {}
            _ if depth == 0 => current.other = true,
            _ => {}
        }
        at = end;
    }
    found
}

/// A brace behind parameters that neither a declarator nor a semicolon follows ends a function's body.
fn ends_body(bytes: &[u8], after: usize) -> bool {
    let next = bytes[after..].iter().find(|byte| !byte.is_ascii_whitespace());
    next.is_none_or(|&byte| !matches!(byte, b';' | b',' | b'*' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let trimmed = trim(text.to_owned());
        assert_eq!(trimmed.len(), text.len());
        assert_eq!(trimmed.split_whitespace().collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn prototypes_that_nobody_uses_go() {
        check("int f(int a); int g(void) { return f(1); }", "int f(int a); int g(void) { return f(1); }");
        check("extern double f (const double *a, int) ; int x;", "int x;");
        check("int f(int); int f(int); char *g(int f); int y;", "int y;");
        check("extern int f(void) __asm__(\"g\"); int y;", "int y;");
        check(
            "int a; struct s { int (*f)(int); }; int f(int); int b;",
            "int a; struct s { int (*f)(int); }; int f(int); int b;",
        );
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "typedef int f(int);",
            "int f(a) int a; { return a; }",
            "int f(int), g(int);",
            "void (*f(int))(int);",
            "int (*f)(int) = 0;",
            "MACRO(f);",
            "f(int);",
            "_Static_assert(1, \"\");",
            "struct s { int a; } f(int);",
            "struct s { int a; } const f(int);",
            "int é(int a) { return a; } int *p = (int[]){ 1 };",
            "static int a[3] = { 1, 2, (3) }; int c(int x) { int d(int); return 0; }",
            "int f(int)[3];",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn a_prototype_behind_a_body_is_seen() {
        check(
            "int f(void) { return 0; }\n# 3 \"x.h\"\nint g(int); int h;",
            "int f(void) { return 0; } # 3 \"x.h\" int h;",
        );
        check("struct s { int a; } x; int g(int); int h;", "struct s { int a; } x; int h;");
    }
}
