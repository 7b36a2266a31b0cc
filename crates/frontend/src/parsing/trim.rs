//! Leaves out what headers declare and nobody uses: most of a unit's text are prototypes of functions that it
//! does not call, and their trees would take most of the memory of a large program.
//!
//! Only what is certainly a prototype goes, and definitions that are `extern __inline`: those make no code of their own
//! (GCC manual, `gnu_inline`), and headers with vendor intrinsics have thousands of them, with extensions that the parser
//! does not take. So no definition or type that matters is ever lost. Lines stay where they are, or get a marker that says
//! where they were.

use crate::source_text::tokens::{is_word, next_structural, token_end};
use chronos_base::hash::FxHashSet;
use std::borrow::Cow;
use std::ops::Range;

/// Blank lines that are not worth a marker in their place.
const FEW_LINES: u32 = 8;

/// The text without the prototypes of functions that it names nowhere else.
pub(crate) fn trim(text: &str) -> String {
    squeeze(&without_prototypes(text))
}

fn without_prototypes(text: &str) -> Cow<'_, str> {
    let prototypes = prototypes(text);
    if prototypes.is_empty() {
        return Cow::Borrowed(text);
    }
    let used = used_names(text, &prototypes);
    let mut trimmed = String::with_capacity(text.len());
    let mut copied = 0;
    for prototype in prototypes.iter().filter(|p| !used.contains(&text[p.name.clone()])) {
        trimmed.push_str(&text[copied..prototype.range.start]);
        for line in text[prototype.range.clone()].split_inclusive('\n').skip_while(|line| !line.ends_with('\n')) {
            trimmed.push_str(if line.starts_with('#') { line } else { line.trim_matches(|c| c != '\n') });
        }
        copied = prototype.range.end;
    }
    trimmed.push_str(&text[copied..]);
    Cow::Owned(trimmed)
}

/// Replaces many blank lines by a marker, and leaves out what lines are indented by: the parser looks at each blank several
/// times, and columns are found again by token.
fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len() / 2);
    let (mut file, mut line, mut blank) = ("", 1_u32, 0_u32);
    for whole in text.split_inclusive('\n') {
        let Some(indent) = indent(whole) else {
            blank += 1;
            continue;
        };
        let marker = whole.starts_with('#').then(|| marker(whole)).flatten();
        match blank {
            // A marker says itself where the text behind it was.
            _ if marker.is_some() => {}
            FEW_LINES.. if !file.is_empty() => out.push_str(&format!("# {} {file}\n", line + blank)),
            _ => out.extend(std::iter::repeat_n('\n', blank as usize)),
        }
        line += blank + 1;
        blank = 0;
        if let Some((number, name)) = marker {
            (line, file) = (number, name);
        }
        out.push_str(&whole[indent..]);
    }
    out
}

/// Bytes in front of what stands on the line, but of directives, which the parser knows by where they begin. `None` where nothing
/// stands on it.
fn indent(line: &str) -> Option<usize> {
    let indent = line.bytes().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n'))?;
    match line.as_bytes()[indent] {
        b'#' => Some(0),
        byte if byte.is_ascii_graphic() => Some(indent),
        _ => (!line.trim().is_empty()).then_some(0),
    }
}

/// Number and file with flags of a `# 12 "file.c" 1 3`; flags matter where a file first appears.
fn marker(line: &str) -> Option<(u32, &str)> {
    let (number, file) = line.strip_prefix("# ")?.split_once(' ')?;
    Some((number.parse().ok()?, file.trim_end()))
}

struct Prototype {
    /// Up to and with the semicolon, or the body.
    range: Range<usize>,
    name: Range<usize>,
    has_body: bool,
}

/// Names of what may go that stand outside of it, or in the bodies that those need.
fn used_names<'a>(text: &'a str, prototypes: &[Prototype]) -> FxHashSet<&'a str> {
    let names: FxHashSet<&str> = prototypes.iter().map(|p| &text[p.name.clone()]).collect();
    let mut used = FxHashSet::default();
    find_outside(text, prototypes, &names, &mut used);
    let mut bodies: Vec<&Prototype> = prototypes.iter().filter(|p| p.has_body).collect();
    loop {
        let (needed, rest): (Vec<_>, Vec<_>) = bodies.into_iter().partition(|p| used.contains(&text[p.name.clone()]));
        if needed.is_empty() {
            return used;
        }
        needed.iter().for_each(|p| find_outside(&text[p.range.clone()], &[], &names, &mut used));
        bodies = rest;
    }
}

/// Enters which of `names` stand outside of `prototypes`.
fn find_outside<'a>(text: &'a str, prototypes: &[Prototype], names: &FxHashSet<&str>, found: &mut FxHashSet<&'a str>) {
    let mut next = prototypes.iter().map(|p| p.range.clone()).peekable();
    let mut at = 0;
    while at < text.len() {
        if let Some(range) = next.next_if(|range| range.start <= at) {
            at = range.end;
            continue;
        }
        let end = token_end(text.as_bytes(), at);
        if begins_word(text.as_bytes()[at]) && names.contains(&text[at..end]) {
            found.insert(&text[at..end]);
        }
        at = end;
    }
}

fn begins_word(byte: u8) -> bool {
    is_word(byte) && !byte.is_ascii_digit()
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
    /// Its first words, as far as they are `extern __inline`.
    inline: u8,
}

impl Item {
    fn new(start: usize) -> Self {
        Self { start, word: 0..0, words: 0, name: None, other: false, inline: 0 }
    }

    /// A word outside brackets.
    fn word(&mut self, text: &str, range: Range<usize>) {
        let word = &text.as_bytes()[range.clone()];
        let mut label = false;
        match word {
            b"asm" | b"__asm__" | b"__asm" => label = true,
            b"extern" => self.inline += u8::from(self.inline == 0),
            b"__inline" | b"__inline__" => self.inline += u8::from(self.inline == 1 && self.words == 1),
            b"typedef" => self.other = true,
            _ => self.other |= word.starts_with(b"__attribute"),
        }
        self.other |= self.name.is_some() && !label;
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
        Some(Prototype { range: self.start..end, name, has_body: false })
    }

    /// A definition that makes no code.
    fn inline_definition(self, end: usize) -> Option<Prototype> {
        let name = self.name.filter(|name| self.inline == 2 && !name.is_empty())?;
        Some(Prototype { range: self.start..end, name, has_body: true })
    }
}

fn prototypes(text: &str) -> Vec<Prototype> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut item: Option<Item> = None;
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        at = if depth > 0 { next_structural(bytes, at) } else { at };
        let Some(&byte) = bytes.get(at) else { return found };
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
                    found.extend(item.take().and_then(|item| item.inline_definition(end)));
                }
            }
            b';' if depth == 0 => found.extend(item.take().and_then(|item| item.prototype(end))),
            byte if depth == 0 && begins_word(byte) => current.word(text, at..end),
            b'*' => {}
            _ if depth == 0 => current.other = true,
            _ => {}
        }
        at = end;
    }
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
        let trimmed = without_prototypes(text);
        assert_eq!(trimmed.lines().count(), text.lines().count());
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
    fn inline_definitions_that_nobody_needs_go() {
        let text = "extern __inline V a(int x) { return (V)(W){ x }; } extern __inline int b(void) { return c(); }\n\
                    extern __inline int c(void) { return 1; } int main(void) { return b(); }";
        let expected = "extern __inline int b(void) { return c(); } extern __inline int c(void) { return 1; } \
                        int main(void) { return b(); }";
        check(text, expected);
        check(
            "inline int f(void) { return 1; } static inline int g(void) { return 1; }",
            "inline int f(void) { return 1; } static inline int g(void) { return 1; }",
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
    fn any_other_mention_keeps_a_prototype() {
        for text in [
            "int f(int); int (*p)(int) = f;",
            "int f(int); int f(a) int a; { return a; }",
            "int f(int); int g(void) { return (f)(1) + sizeof f; }",
            "int f(int); int f(int); struct s { int f; } x;",
            "int f(int) __asm__(\"g\"); int *p = &(int){ f(1) };",
            "int f(int); static inline int g(void) { return f(2); }",
        ] {
            check(text, text);
        }
        check(
            "int f(int); char *s = \"f\", c = 'f';\n#pragma f\nint f_, ff;",
            "char *s = \"f\", c = 'f'; #pragma f int f_, ff;",
        );
    }

    #[test]
    fn lines_lose_their_indent_but_directives() {
        let text = "  int a;\n\t \tint b =\n      3;\n  #pragma x\n# 7 \"b.h\"\n \t\n \u{b}int c;\n \u{e9};\n \"  s\";";
        let expected = "int a;\nint b =\n3;\n  #pragma x\n# 7 \"b.h\"\n\n \u{b}int c;\n \u{e9};\n\"  s\";";
        assert_eq!(squeeze(text), expected);
        assert_eq!(squeeze(" \u{b}\n\u{a0}\nint a;"), "\n\nint a;");
    }

    #[test]
    fn a_prototype_behind_a_body_is_seen() {
        check(
            "int f(void) { return 0; }\n# 3 \"x.h\"\nint g(int); int h;",
            "int f(void) { return 0; } # 3 \"x.h\" int h;",
        );
        check("struct s { int a; } x; int g(int); int h;", "struct s { int a; } x; int h;");
    }

    #[test]
    fn blank_lines_become_a_marker() {
        let text = format!(
            "# 1 \"a.h\" 1 3\nint a;{}int b;\n\n\nint c;{}# 2 \"b.h\"\nint d;\n",
            "\n".repeat(20),
            "\n".repeat(20)
        );
        let expected = "# 1 \"a.h\" 1 3\nint a;\n# 21 \"a.h\" 1 3\nint b;\n\n\nint c;\n# 2 \"b.h\"\nint d;\n";
        assert_eq!(squeeze(&text), expected);
    }
}
