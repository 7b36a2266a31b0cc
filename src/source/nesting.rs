//! How deep a text is nested, before anything recurses over it.
//!
//! Parser, lowering and everything behind them follow the nesting of a program by calls of their own, on stacks of a size that is
//! given. So the text is looked at first: brackets that are open, and within each of them the operators and keywords since the
//! last `;` or `,`, none of which the tree can be deeper than. C11 (5.2.4.1) asks for 127 levels of blocks and 63 of
//! parentheses; clang takes 256 brackets by default.

/// Levels that are followed.
pub(super) const MOST: usize = 20_000;

/// Where the text becomes deeper nested than is followed.
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = Depth::default();
    let mut at = 0;
    while at < bytes.len() {
        let begin = at;
        at = match bytes[at] {
            quote @ (b'"' | b'\'') => behind_literal(bytes, at, quote),
            b'#' if is_first_of_line(bytes, at) => behind_line(bytes, at),
            byte if is_word(byte) => {
                let end = begin + bytes[begin..].iter().take_while(|&&byte| is_word(byte)).count();
                depth.word(&text[begin..end]);
                end
            }
            byte => {
                depth.symbol(byte);
                at + 1
            }
        };
        if depth.all() > MOST {
            return Some(begin);
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
    here: Level,
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
}

impl Depth {
    fn all(&self) -> usize {
        self.sum + self.here.begun + self.here.chain
    }

    fn word(&mut self, word: &str) {
        let level = &mut self.here;
        match word {
            "else" => {
                level.chain += 1;
                level.ended = false;
                return;
            }
            "if" | "for" | "while" | "do" | "switch" | "case" | "default" | "sizeof" => level.begun += 1,
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
                self.sum += self.here.begun + self.here.chain + 1;
                self.outside.push(std::mem::take(&mut self.here));
            }
            b')' | b']' | b'}' => self.close(byte),
            b';' => self.end(),
            b',' => self.here.begun = 0,
            byte if byte.is_ascii_punctuation() => {
                self.go_on();
                self.here.begun += 1;
            }
            _ => {}
        }
    }

    fn close(&mut self, byte: u8) {
        let Some(outside) = self.outside.pop() else { return };
        self.sum -= outside.begun + outside.chain + 1;
        self.here = outside;
        match byte {
            b'}' => self.end(),
            // A call or an index is one level of what follows it: f(1)(2)[3].
            _ => self.here.begun += 1,
        }
    }

    fn end(&mut self) {
        self.here.begun = 0;
        self.here.ended = true;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
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

fn behind_line(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(before: &str, level: &str, after: &str) -> bool {
        too_deep(&(before.to_owned() + &level.repeat(MOST + 1) + after)).is_some()
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
