//! Rewrites, within their line, the extensions that the parser does not take.
//!
//! Lines stay where they are; columns are found again by token, so they may shift.

use super::implicit_int::{after_blanks, missing_type};
use super::packing::Packing;
use crate::source_text::tokens::{after_line, after_literal, after_word, is_word};

/// The name that stands for the omitted operand of `a ?: b`, which reads `a ? SAME_AS_CONDITION : b`.
pub const SAME_AS_CONDITION: &str = "__chronos_same_as_condition";

/// A typedef name that stands for the type of the initialiser.
pub const AUTO_TYPE: &str = "__auto_type";

/// What happens to `__attribute__`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attributes {
    /// Those that change layout, or say what is called or meant, stay.
    Layout,
    None,
}

/// Attributes that are looked at: of layout, of functions that the runtime calls, of what a name stands for, of what is a
/// doubt.
const KEPT: &[&str] = &[
    "packed",
    "aligned",
    "vector_size",
    "mode",
    "constructor",
    "destructor",
    "cleanup",
    "weak",
    "alias",
    "scalar_storage_order",
];

/// Parts of the names of sections whose functions the runtime calls.
const RUNTIME_SECTIONS: &[&str] = &["init_array", "fini_array"];

/// Those of them that change sizes and offsets.
pub(crate) const LAYOUT: &[&str] = &["packed", "aligned", "vector_size", "mode"];

/// Types that begin a declaration, which C23 lets follow a label.
const TYPE_WORDS: &[&str] =
    &["int", "double", "float", "char", "long", "short", "unsigned", "signed", "const", "struct", "static"];

/// The text for the parser: one line more, in front, with `declarations` on it.
pub(crate) fn neutralise(text: &str, attributes: Attributes, declarations: &str) -> String {
    let (mut out, _) = neutralise_with_copies(text, attributes);
    if !declarations.is_empty() {
        out.insert_str(0, declarations);
    }
    out
}

/// A stretch that was taken over as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    /// Where it begins in the result.
    pub to: usize,
    /// Where it begins in the original.
    pub from: usize,
}

/// [`neutralise`], with what was taken over, ascending.
pub(crate) fn neutralise_with_copies(text: &str, attributes: Attributes) -> (String, Vec<Copy>) {
    let mut out = String::with_capacity(text.len() + 64);
    out.push_str("typedef int ");
    out.push_str(AUTO_TYPE);
    out.push_str(";\n");
    let (moved, copies) = (Vec::new(), Vec::new());
    let packing = Packing::default();
    let place = Place::default();
    let mut rewriter = Rewriter { text, at: 0, copied: 0, out, attributes, moved, packing, copies, place };
    rewriter.run();
    (rewriter.out, rewriter.copies)
}

/// Where among brackets and declarations the rewriter is.
struct Place {
    braces: usize,
    parentheses: usize,
    /// A declaration or a statement begins here.
    begins: bool,
}

impl Default for Place {
    fn default() -> Self {
        Self { braces: 0, parentheses: 0, begins: true }
    }
}

impl Place {
    /// A byte that is no blank and begins no directive.
    fn see(&mut self, byte: u8) {
        match byte {
            b'{' => self.braces += 1,
            b'}' => self.braces = self.braces.saturating_sub(1),
            b'(' => self.parentheses += 1,
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            _ => {}
        }
        self.begins = matches!(byte, b'{' | b'}' | b';');
    }
}

struct Rewriter<'a> {
    text: &'a str,
    at: usize,
    /// Up to here the text is in `out`.
    copied: usize,
    out: String,
    attributes: Attributes,
    /// Attributes to insert, by the offset that they go to.
    moved: Vec<(usize, String)>,
    packing: Packing,
    copies: Vec<Copy>,
    place: Place,
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'#' => self.directive(),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    self.declaration();
                    self.place.begins = false;
                    self.word();
                }
                _ => {
                    self.place.see(byte);
                    self.punctuation(byte);
                }
            }
        }
        self.flush(self.text.len());
    }

    /// What is neither a word nor a blank nor a directive.
    fn punctuation(&mut self, byte: u8) {
        let bytes = self.text.as_bytes();
        match byte {
            b'"' | b'\'' => self.at = after_literal(bytes, self.at),
            b'?' => self.conditional(),
            b':' => self.label(),
            b'}' if !self.moved.is_empty() => self.brace(),
            b'[' if bytes.get(self.at + 1) == Some(&b'[') => self.standard_attribute(),
            b'0'..=b'9' => self.at = after_word(bytes, self.at),
            _ => self.at += 1,
        }
    }

    /// A declaration that begins here and has no type gets `int`.
    fn declaration(&mut self) {
        if !self.place.begins || self.place.parentheses > 0 {
            return;
        }
        if let Some(name) = missing_type(self.text, self.at, self.place.braces == 0) {
            let start = self.at;
            self.insert(name, "int ");
            // What stands in front of the name is words alone.
            self.at = start.max(name);
        }
    }

    fn directive(&mut self) {
        let end = after_line(self.text.as_bytes(), self.at);
        self.packing.directive(&self.text[self.at..end]);
        self.at = end;
    }

    /// Copies what stands before `end`.
    fn flush(&mut self, end: usize) {
        self.copies.push(Copy { to: self.out.len(), from: self.copied });
        self.out.push_str(&self.text[self.copied..end]);
        self.copied = end;
    }

    /// Leaves `self.at..end` out, its line ends (and markers between them) apart.
    fn skip_to(&mut self, end: usize) {
        self.flush(self.at);
        self.out.push(' ');
        for (index, line) in self.text[self.at..end].split('\n').enumerate() {
            if index > 0 {
                self.out.push('\n');
            }
            if index > 0 && line.starts_with('#') {
                self.out.push_str(line);
            }
        }
        self.copied = end;
        self.at = end;
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.flush(at);
        self.out.push_str(text);
        self.at = at;
    }

    /// Another text for `self.at..end`.
    fn replace(&mut self, end: usize, text: &str) {
        self.insert(self.at, text);
        self.copied = end;
        self.at = end;
    }

    /// `a ?: b`
    fn conditional(&mut self) {
        self.at += 1;
        if self.text.as_bytes().get(self.after_blanks(self.at)) == Some(&b':') {
            self.insert(self.at, &format!(" {SAME_AS_CONDITION} "));
            self.at = self.after_blanks(self.at) + 1;
        }
    }

    /// A label at the end of a block or before a declaration gets the statement that C11 wants.
    fn label(&mut self) {
        self.at += 1;
        let next = self.after_blanks(self.at);
        let rest = &self.text[next..];
        let word = &rest[..after_word(rest.as_bytes(), 0)];
        if rest.starts_with('}') || TYPE_WORDS.contains(&word) {
            self.insert(self.at, ";");
        }
    }

    /// `[[fallthrough]]`
    fn standard_attribute(&mut self) {
        match self.text[self.at..].find("]]") {
            Some(length) => self.skip_to(self.at + length + 2),
            None => self.at += 2,
        }
    }

    fn word(&mut self) {
        let end = after_word(self.text.as_bytes(), self.at);
        // Most words begin otherwise.
        if !matches!(self.text.as_bytes()[self.at], b'_' | b'a' | b'e' | b's' | b'u') {
            self.at = end;
            return;
        }
        match &self.text[self.at..end] {
            "__attribute__" | "__attribute" => self.attribute(end),
            "asm" | "__asm__" | "__asm" => self.assembly(end),
            "struct" | "union" | "enum" => self.tag(end),
            "__int128" | "__int128_t" => self.replace(end, "long long long"),
            "__uint128_t" => self.replace(end, "unsigned long long long"),
            "__float128" => self.replace(end, "_Float128"),
            _ => self.at = end,
        }
    }

    fn attribute(&mut self, after_name: usize) {
        match self.attribute_end(after_name) {
            Some((end, true)) => self.at = end,
            Some((end, false)) => self.skip_to(end),
            None => self.at = after_name,
        }
    }

    /// Where the attribute ends, and whether it is one to keep.
    fn attribute_end(&self, after_name: usize) -> Option<(usize, bool)> {
        let open = self.after_blanks(after_name);
        let end = after_bracket(self.text.as_bytes(), open, [b'(', b')'])?;
        let inside = &self.text[open..end];
        let matters = inside.as_bytes().split(|&byte| !is_word(byte)).any(is_kept);
        Some((end, matters && self.attributes == Attributes::Layout))
    }

    /// `struct __attribute__((packed)) S { ... }`: the parser takes the attribute behind the brace alone.
    fn tag(&mut self, after_keyword: usize) {
        self.at = after_keyword;
        let mut attributes = String::new();
        loop {
            let start = self.after_blanks(self.at);
            let after_name = after_word(self.text.as_bytes(), start);
            let is_attribute = matches!(&self.text[start..after_name], "__attribute__" | "__attribute");
            let Some((end, kept)) = self.attribute_end(after_name).filter(|_| is_attribute) else { break };
            if kept {
                attributes.push(' ');
                attributes.extend(self.text[start..end].lines().filter(|line| !line.starts_with('#')));
            }
            self.at = start;
            self.skip_to(end);
        }
        // A struct that ends behind a pragma may be packed.
        if !attributes.is_empty() || self.packing.is_used() {
            let name = self.after_blanks(self.at);
            let open = self.after_blanks(after_word(self.text.as_bytes(), name));
            let close = after_bracket(self.text.as_bytes(), open, [b'{', b'}']);
            self.moved.extend(close.map(|close| (close, attributes)));
        }
    }

    fn brace(&mut self) {
        self.at += 1;
        if let Some(index) = self.moved.iter().position(|(at, _)| *at == self.at) {
            let (at, attributes) = self.moved.swap_remove(index);
            self.insert(at, &(attributes + &self.packing.attribute()));
        }
    }

    /// `asm volatile goto (...)`: qualifiers that the parser does not know go, and so do jump targets.
    fn assembly(&mut self, after_name: usize) {
        self.at = after_name;
        loop {
            self.at = self.after_blanks(self.at);
            let end = after_word(self.text.as_bytes(), self.at);
            match &self.text[self.at..end] {
                "goto" | "inline" | "__inline" | "__inline__" => self.skip_to(end),
                "volatile" | "__volatile__" | "__volatile" => self.at = end,
                _ => break,
            }
        }
        let bytes = self.text.as_bytes();
        let Some(end) = after_bracket(bytes, self.at, [b'(', b')']) else { return };
        if let Some(targets) = nth_colon(bytes, self.at + 1, end - 1, 4) {
            self.at = targets;
            self.skip_to(end - 1);
        }
        self.at = end;
    }

    /// Behind blanks, line ends and markers.
    fn after_blanks(&self, from: usize) -> usize {
        after_blanks(self.text.as_bytes(), from)
    }
}

/// Whether a word of an attribute lets it stay.
fn is_kept(word: &[u8]) -> bool {
    let begin = word.iter().take_while(|&&byte| byte == b'_').count();
    let end = word.len() - word[begin..].iter().rev().take_while(|&&byte| byte == b'_').count();
    let plain = &word[begin..end];
    let names = |section: &str| plain.windows(section.len()).any(|part| part == section.as_bytes());
    KEPT.iter().any(|kept| kept.as_bytes() == plain) || RUNTIME_SECTIONS.iter().any(|section| names(section))
}

/// Where the colon that begins section `n` of an assembly statement stands.
fn nth_colon(bytes: &[u8], from: usize, end: usize, n: usize) -> Option<usize> {
    let (mut at, mut depth, mut seen) = (from, 0usize, 0);
    while at < end {
        match bytes[at] {
            b'"' | b'\'' => {
                at = after_literal(bytes, at);
                continue;
            }
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => seen += 1,
            _ => {}
        }
        if seen == n {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Behind the bracket that closes the one at `open`; `None` where there is none.
pub(crate) fn after_bracket(bytes: &[u8], open: usize, pair: [u8; 2]) -> Option<usize> {
    if bytes.get(open) != Some(&pair[0]) {
        return None;
    }
    let (mut at, mut depth) = (open, 0usize);
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\'') {
            at = after_literal(bytes, at);
            continue;
        }
        depth = if byte == pair[0] { depth + 1 } else { depth - usize::from(byte == pair[1]) };
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::parsing) fn check(text: &str, expected: &str) {
        let out = neutralise(text, Attributes::Layout, "");
        assert_eq!(out.split_once('\n').map(|(_, rest)| rest), Some(expected));
    }

    #[test]
    fn extensions_are_rewritten_within_their_line() {
        check("int f(void) __attribute__((noreturn, format(printf, 1, 2)));", "int f(void)  ;");
        check("struct s {} __attribute__((packed));", "struct s {} __attribute__((packed));");
        check(
            "struct __attribute__((packed)) __attribute((x)) s { struct { int b; } a; } v;",
            "struct     s { struct { int b; } a; } __attribute__((packed)) v;",
        );
        check("struct __attribute__((packed)) s v;", "struct   s v;");
        check("x = a ?: b;", "x = a ? __chronos_same_as_condition : b;");
        check("x = a ? b : c;", "x = a ? b : c;");
        check("case 1: [[fallthrough]]; default: }", "case 1:  ; default:; }");
        check("out: int x = 1;", "out:; int x = 1;");
        check("struct { int a : 3; };", "struct { int a : 3; };");
        check("asm volatile goto (\"x\" : : \"r\"(a) : : out);", "asm volatile   (\"x\" : : \"r\"(a) :  );");
        check("c = '\\''; s = \"?:\\\"\";", "c = '\\''; s = \"?:\\\"\";");
    }

    #[test]
    fn line_ends_and_markers_inside_stay() {
        check("__attribute__((a,\n# 3 \"x\"\nb)) int", " \n# 3 \"x\"\n int");
    }
}
