//! How deep a text is nested, before anything recurses over it.
//!
//! Parser, lowering and everything behind them follow the nesting of a program by calls of their own, on stacks of a size that is
//! given. So the text is looked at first: brackets that are open, and within each of them the operators and keywords since the
//! last `;` or `,`, none of which the tree can be deeper than. C11 (5.2.4.1) asks for 127 levels of blocks and 63 of
//! parentheses; clang takes 256 brackets by default.

use crate::source_text::tokens::{after_line, after_word, is_word};

/// Levels that are followed.
pub const MAX_NESTING: usize = 20_000;
/// Of calls, indices and braces within expressions, for each of which the parser looks at all that is inside several times.
pub const MAX_NESTING_IN_EXPRESSIONS: usize = 1_000;
/// Of types within `sizeof`: the parser takes twice as long for each `typeof`, and four times for each `struct`.
pub const MAX_TYPES_IN_SIZES: usize = 16;

/// What there is too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NestingExcess {
    Levels,
    InExpressions,
    TypesInSizes,
}

/// Where the text becomes deeper nested than is followed.
pub(crate) fn too_deep(text: &str) -> Option<(usize, NestingExcess)> {
    let bytes = text.as_bytes();
    let mut depth = Depth::default();
    let mut at = 0;
    while at < bytes.len() {
        let begin = at;
        at = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            quote @ (b'"' | b'\'') => behind_literal(bytes, at, quote),
            b'#' if is_first_of_line(bytes, at) => after_line(bytes, at),
            byte if is_word(byte) => {
                let end = after_word(bytes, begin);
                depth.word(&bytes[begin..end]);
                end
            }
            byte => {
                depth.symbol(byte);
                at + 1
            }
        };
        if let Some(excess) = depth.excess() {
            return Some((begin, excess));
        }
    }
    None
}

/// What is open at a place of the text.
#[derive(Default)]
struct Depth {
    /// Of each bracket, what was open in front of it.
    outside: Vec<Level>,
    /// All that `outside` holds, brackets included.
    sum: usize,
    /// Brackets that are open and belong to expressions.
    expressions: usize,
    /// Brackets of `sizeof` that are open.
    sizes: usize,
    /// Brackets of `typeof` and of members that are open.
    types: usize,
    here: Level,
}

/// What the parser takes a bracket for, or may try to.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Bracket {
    #[default]
    Plain,
    Expression,
    Size,
    Typeof,
    Members,
}

/// What stands in front.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Other,
    /// A name or a bracket that is closed: what follows in brackets is a call, an index or a declarator.
    Operand,
    Size,
    Typeof,
}

/// What is open since the last bracket.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Operators and keywords of the statement, declarator or expression.
    begun: usize,
    /// Links of a chain of `else if`.
    chain: usize,
    /// A statement has just ended: what is no `else` ends the chain.
    ended: bool,
    /// The bracket around it.
    bracket: Bracket,
    /// That bracket is none of braces: braces in it are a statement expression's.
    within: bool,
    last: Last,
    /// A value has begun: braces are those of an initialiser or of a literal.
    value: bool,
    /// The members of a type may follow.
    tagged: bool,
}

impl Depth {
    fn all(&self) -> usize {
        self.sum + self.here.begun + self.here.chain
    }

    fn excess(&self) -> Option<NestingExcess> {
        if self.all() > MAX_NESTING {
            Some(NestingExcess::Levels)
        } else if self.expressions > MAX_NESTING_IN_EXPRESSIONS {
            Some(NestingExcess::InExpressions)
        } else {
            (self.types.min(2 * self.sizes) > MAX_TYPES_IN_SIZES).then_some(NestingExcess::TypesInSizes)
        }
    }

    fn word(&mut self, word: &[u8]) {
        let level = &mut self.here;
        level.last = Last::Operand;
        match word {
            b"sizeof" => (level.last, level.begun) = (Last::Size, level.begun + 1),
            b"_Alignof" | b"__alignof__" | b"__alignof" => level.last = Last::Size,
            b"typeof" | b"__typeof__" | b"__typeof" => level.last = Last::Typeof,
            b"if" | b"for" | b"while" | b"switch" | b"do" => (level.last, level.begun) = (Last::Other, level.begun + 1),
            b"case" | b"default" => level.begun += 1,
            b"return" => (level.last, level.value) = (Last::Other, true),
            b"struct" | b"union" => level.tagged = true,
            b"else" => {
                level.last = Last::Other;
                level.chain += 1;
                level.ended = false;
                return;
            }
            _ => {}
        }
        self.go_on();
    }

    /// Something begins that is no `else`.
    fn go_on(&mut self) {
        if std::mem::take(&mut self.here.ended) {
            self.here.chain = 0;
        }
    }

    fn symbol(&mut self, byte: u8) {
        match byte {
            b'(' | b'[' | b'{' => {
                self.go_on();
                let bracket = self.bracket(byte);
                self.note(bracket, usize::wrapping_add);
                self.sum += self.here.begun + self.here.chain + 1;
                let inside = Level { bracket, within: byte != b'{', ..Level::default() };
                self.outside.push(std::mem::replace(&mut self.here, inside));
            }
            b')' | b']' | b'}' => self.close(byte),
            b';' => self.end(),
            b',' => {
                self.here.begun = 0;
                self.here.last = Last::Other;
            }
            byte if byte.is_ascii_punctuation() => {
                self.go_on();
                self.here.begun += 1;
                self.here.last = Last::Other;
                self.here.value |= byte == b'=';
            }
            _ => {}
        }
    }

    fn bracket(&self, byte: u8) -> Bracket {
        let here = &self.here;
        match (byte, here.last) {
            (b'{', _) if here.tagged => Bracket::Members,
            (b'{', _) if here.value || here.within || self.expressions > 0 => Bracket::Expression,
            (b'{', _) => Bracket::Plain,
            (_, Last::Size) => Bracket::Size,
            (_, Last::Typeof) => Bracket::Typeof,
            (_, Last::Operand) => Bracket::Expression,
            (_, Last::Other) => Bracket::Plain,
        }
    }

    fn note(&mut self, bracket: Bracket, change: fn(usize, usize) -> usize) {
        match bracket {
            Bracket::Plain => {}
            Bracket::Expression => self.expressions = change(self.expressions, 1),
            Bracket::Size => self.sizes = change(self.sizes, 1),
            Bracket::Typeof => {
                self.expressions = change(self.expressions, 1);
                self.types = change(self.types, 1);
            }
            Bracket::Members => self.types = change(self.types, 2),
        }
    }

    fn close(&mut self, byte: u8) {
        let Some(outside) = self.outside.pop() else { return };
        self.note(self.here.bracket, usize::wrapping_sub);
        self.sum -= outside.begun + outside.chain + 1;
        self.here = outside;
        match byte {
            b'}' => self.end(),
            // A call or an index is one level of what follows it: f(1)(2)[3].
            _ => {
                self.here.begun += 1;
                self.here.last = Last::Operand;
            }
        }
    }

    fn end(&mut self) {
        let Level { chain, bracket, within, .. } = self.here;
        self.here = Level { chain, ended: true, bracket, within, ..Level::default() };
    }
}

fn behind_literal(bytes: &[u8], begin: usize, quote: u8) -> usize {
    let mut at = begin + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    (at + 1).min(bytes.len())
}

fn is_first_of_line(bytes: &[u8], at: usize) -> bool {
    at == 0 || bytes[at - 1] == b'\n'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(before: &str, level: &str, after: &str) -> bool {
        too_deep(&(before.to_owned() + &level.repeat(MAX_NESTING + 1) + after)).is_some()
    }

    #[test]
    fn every_kind_of_nesting_is_seen() {
        let levels = [
            "{",
            "(",
            "[",
            "if(c)",
            "else if (c) f(); ",
            "for(;;)",
            "do ",
            "while (1)",
            "- ",
            "!",
            "1+",
            "c?1:",
            "*",
            "{c,",
        ];
        for level in levels {
            assert!(deep("int f(int c) {", level, ""), "{level}");
        }
    }

    fn excess(before: &str, level: &str, end: &str, depth: usize) -> Option<NestingExcess> {
        let text = format!("int f(int c) {{ {before}{}c{}; }}", level.repeat(depth), end.repeat(depth));
        too_deep(&text).map(|(_, excess)| excess)
    }

    #[test]
    fn what_the_parser_reads_several_times_has_its_own_limit() {
        let kinds = [("f(", ")"), ("a[", "]"), ("typeof(", ")"), ("(int){", "}"), ("({", ";})"), ("{", "}")];
        for (level, end) in kinds {
            assert_eq!(excess("c = ", level, end, MAX_NESTING_IN_EXPRESSIONS - 1), None, "{level}");
            assert_eq!(
                excess("c = ", level, end, MAX_NESTING_IN_EXPRESSIONS + 1),
                Some(NestingExcess::InExpressions),
                "{level}"
            );
        }
        for (level, end) in [("if (c) {", "}"), ("{", "}"), ("(", ")"), ("switch (c) {case 1: ", "}")] {
            assert_eq!(excess("", level, end, 2 * MAX_NESTING_IN_EXPRESSIONS), None, "{level}");
        }
    }

    #[test]
    fn types_within_sizes_are_few() {
        let kinds =
            [("sizeof(typeof(", "))", 16), ("_Alignof(__typeof__(", "))", 16), ("sizeof(struct{int x[", "];})", 8)];
        for (level, end, most) in kinds {
            assert_eq!(excess("c = ", level, end, most), None, "{level}");
            assert_eq!(excess("c = ", level, end, most + 1), Some(NestingExcess::TypesInSizes), "{level}");
        }
        assert_eq!(excess("c = ", "sizeof(", ")", 100), None);
        assert_eq!(excess("c = ", "typeof(", ")", 100), None);
    }

    #[test]
    fn long_is_not_deep() {
        let flat = [
            "c++;",
            "{}",
            "1,",
            "{1, 2},",
            "if (c) f(); ",
            "if (c) f(); else g(); ",
            "\"((((\" ",
            "'(' ",
            "int f(void) { return (1); }\n",
        ];
        for level in flat {
            assert!(!deep("", level, ""), "{level}");
        }
    }
}
