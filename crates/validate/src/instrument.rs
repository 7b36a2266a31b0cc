//! Clock readings in a copy of a source file.
//!
//! A declaration behind the opening brace of a function, on the same line, times it however it is left: lines keep
//! their numbers, and the compiler still optimises the function as a whole.

use chronos_base::span::FileId;
use chronos_ir::{FuncId, Program};
use std::fmt::Write as _;

/// What becomes of the functions that are to be timed.
#[derive(Debug, Default)]
pub struct Instrumented {
    /// The text of each file that is compiled, by its number.
    pub texts: Vec<(FileId, String)>,
    /// Functions whose begin was not found in these files.
    pub missed: Vec<FuncId>,
}

/// Copies of the `units` in which the functions `timed` have the number of their position.
pub fn instrument(program: &Program, units: &[FileId], timed: &[FuncId]) -> Instrumented {
    let mut done = Instrumented::default();
    let mut places: Vec<(FileId, usize, usize)> = Vec::new();
    for (number, &function) in timed.iter().enumerate() {
        let span = program.functions[function].span;
        let text = program.files.get(span.file).text.as_deref();
        let begin = text.filter(|_| units.contains(&span.file)).and_then(|text| {
            let begin = offset(text, span.line_start, span.column_start)?;
            let end = offset(text, span.line_end, span.column_end)?;
            body(text.get(..=end)?, begin, &program.functions[function].name)
        });
        match begin {
            Some(begin) => places.push((span.file, begin, number)),
            None => done.missed.push(function),
        }
    }
    for &unit in units {
        let text = program.files.get(unit).text.as_deref().unwrap_or_default();
        let here = places.iter().filter(|place| place.0 == unit).map(|&(_, at, number)| (at, number));
        done.texts.push((unit, with_clocks(&program.files.get(unit).name, text, here.collect())));
    }
    done
}

fn with_clocks(name: &str, text: &str, mut places: Vec<(usize, usize)>) -> String {
    places.sort_unstable();
    let mut copy = format!("#line 1 \"{}\"\n", name.replace('\\', "\\\\").replace('"', "\\\""));
    let mut copied = 0;
    for (at, number) in places {
        copy.push_str(&text[copied..=at]);
        let _ = write!(copy, " CHRONOS_TIMED({number})");
        copied = at + 1;
    }
    copy.push_str(&text[copied..]);
    copy
}

/// The byte at a line and column, both from 1.
fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let line_begin = match line.checked_sub(2) {
        None => 0,
        Some(before) => text.match_indices('\n').nth(before as usize)?.0 + 1,
    };
    let at = line_begin + (column as usize).checked_sub(1)?;
    (at < text.len()).then_some(at)
}

/// The opening brace of the body of the function whose definition begins at `at`; `None` where its name does not
/// stand there, as where a macro made the function.
fn body(text: &str, at: usize, name: &str) -> Option<usize> {
    let mut scanner = Scanner { bytes: text.as_bytes(), at };
    scanner.find_word(name)?;
    let mut depth = 0usize;
    while let Some((at, byte)) = scanner.next() {
        match byte {
            b'(' => depth += 1,
            // The name itself may stand in parentheses.
            b')' => depth = depth.saturating_sub(1),
            b'{' if depth == 0 => return Some(at),
            // A directive may choose between two heads of the function; a declaration has no body.
            b'#' | b'}' => return None,
            _ => {}
        }
    }
    None
}

/// Bytes of C that are neither comments nor literals.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    /// Goes behind the next identifier that is `name`, no further than a body.
    fn find_word(&mut self, name: &str) -> Option<()> {
        let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        let mut before = b' ';
        while let Some((at, byte)) = self.next() {
            let here = &self.bytes[at..];
            let ends = here.get(name.len()).is_none_or(|&byte| !is_word(byte));
            if !is_word(before) && here.starts_with(name.as_bytes()) && ends {
                self.at = at + name.len();
                return Some(());
            }
            if matches!(byte, b'#' | b';') {
                return None;
            }
            before = byte;
        }
        None
    }

    fn next(&mut self) -> Option<(usize, u8)> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            match (byte, self.bytes.get(self.at + 1)) {
                (b'/', Some(b'*')) => self.skip(2, |rest| rest.starts_with(b"*/"), 2),
                (b'/', Some(b'/')) => self.skip(2, |rest| rest.starts_with(b"\n"), 0),
                (b'"' | b'\'', _) => self.literal(byte),
                _ => {
                    self.at += 1;
                    return Some((self.at - 1, byte));
                }
            }
        }
    }

    fn skip(&mut self, begin: usize, ends: impl Fn(&[u8]) -> bool, end: usize) {
        self.at += begin;
        while self.at < self.bytes.len() && !ends(&self.bytes[self.at..]) {
            self.at += 1;
        }
        self.at += end;
    }

    fn literal(&mut self, quote: u8) {
        self.at += 1;
        while self.bytes.get(self.at).is_some_and(|&byte| byte != quote) {
            self.at += if self.bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: &str) -> Option<String> {
        let brace = body(text, 0, name)?;
        Some(with_clocks("a.c", text, vec![(brace, 7)]).split_once('\n')?.1.to_owned())
    }

    #[test]
    fn the_clock_is_read_behind_the_brace_of_the_body() {
        assert_eq!(check("int f(int a) { return a; }", "main"), None);
        assert_eq!(
            check("static int *(f)(int ff) {}", "f").as_deref(),
            Some("static int *(f)(int ff) { CHRONOS_TIMED(7)}")
        );
        assert_eq!(
            check("int f(int a) { return a; }", "f").as_deref(),
            Some("int f(int a) { CHRONOS_TIMED(7) return a; }")
        );
        assert_eq!(
            check("int g(a, b) /* { */ int a; // {\nint b;\n{\n}\n", "g").as_deref(),
            Some("int g(a, b) /* { */ int a; // {\nint b;\n{ CHRONOS_TIMED(7)\n}\n")
        );
        assert_eq!(
            check("int h(char c[sizeof \"\\\"{(\"], int d['{']) {}", "h").as_deref(),
            Some("int h(char c[sizeof \"\\\"{(\"], int d['{']) { CHRONOS_TIMED(7)}")
        );
    }

    #[test]
    fn a_head_behind_directives_is_left_alone() {
        assert_eq!(check("int f(\n#ifdef A\nint a)\n#else\nvoid)\n#endif\n{ }", "f"), None);
        assert_eq!(check("int f(void);", "f"), None);
    }

    #[test]
    fn places_are_lines_and_columns() {
        let text = "ab\ncd\n";
        let found: Vec<_> = [(1, 1), (1, 2), (2, 2), (3, 1)].map(|(line, column)| offset(text, line, column)).to_vec();
        assert_eq!(found, [Some(0), Some(1), Some(4), None]);
    }
}
