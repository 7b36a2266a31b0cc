//! From GOAL text to a schedule.
//!
//! One pass over the bytes without a token list: files have hundreds of megabytes.

use crate::activity::TaskId;
use crate::activity::schedule::{ANY, Action, Edge, Schedule, ScheduledOperation};
use crate::diag::Diagnostic;
use crate::exchange::codes;
use std::collections::HashMap;

/// Most tasks of a schedule.
const MOST_RANKS: u64 = 1 << 24;

/// Reads a schedule; `name` stands in messages.
///
/// # Errors
/// The first place that does not follow the format, by line and column, with what was expected there.
pub fn parse(name: &str, text: &str) -> Result<Schedule, Diagnostic> {
    let mut parser = Parser { text: text.as_bytes(), at: 0, schedule: Schedule::default(), labels: Labels::default() };
    match parser.file() {
        Ok(()) => Ok(parser.schedule),
        Err(fault) => Err(fault.diagnostic(name, text.as_bytes())),
    }
}

/// What is wrong, and where.
struct Fault {
    at: usize,
    expected: &'static str,
}

impl Fault {
    fn diagnostic(&self, name: &str, text: &[u8]) -> Diagnostic {
        let before = &text[..self.at.min(text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        let found = found(&text[before.len()..]);
        let message = format!("{name}:{line}:{column}: expected {}, found {found}", self.expected);
        Diagnostic::error(&codes::MALFORMED, message).help(
            "a GOAL schedule reads: num_ranks 2  rank 0 { l1: calc 100  l2: send 8b to 1 tag 0  l2 requires l1 }  ...",
        )
    }
}

/// What stands there, cut short.
fn found(rest: &[u8]) -> String {
    const SHOWN: usize = 24;
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match line {
        [] if rest.is_empty() => "the end of the file".to_owned(),
        [] => "the end of the line".to_owned(),
        _ => format!("`{}`", String::from_utf8_lossy(&line[..line.len().min(SHOWN)])),
    }
}

type Read<T> = Result<T, Fault>;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    schedule: Schedule,
    labels: Labels<'a>,
}

/// Positions of the operations of a task by label: `l1`, `l2`, ... are looked up by number.
#[derive(Default)]
struct Labels<'a> {
    numbered: Vec<u32>,
    named: HashMap<&'a [u8], u32>,
}

/// No operation has the label.
const FREE: u32 = u32::MAX;

impl<'a> Labels<'a> {
    fn clear(&mut self) {
        self.numbered.clear();
        self.named.clear();
    }

    /// The number of `l12`, where the table need not become much larger than the task for it.
    fn number(&self, label: &[u8], operations: usize) -> Option<usize> {
        let digits = label.strip_prefix(b"l").filter(|digits| (1..=9).contains(&digits.len()) && digits[0] != b'0')?;
        let value = digits
            .iter()
            .try_fold(0usize, |value, byte| byte.is_ascii_digit().then(|| value * 10 + usize::from(byte - b'0')))?;
        (value <= 2 * operations + 1024).then_some(value)
    }

    /// Whether the label is new.
    fn insert(&mut self, label: &'a [u8], position: u32) -> bool {
        match self.number(label, position as usize) {
            Some(number) => {
                if self.numbered.len() <= number {
                    self.numbered.resize(number + 1, FREE);
                }
                std::mem::replace(&mut self.numbered[number], position) == FREE
            }
            None => self.named.insert(label, position).is_none(),
        }
    }

    fn get(&self, label: &[u8]) -> Option<u32> {
        let numbered = self.number(label, self.numbered.len()).and_then(|number| self.numbered.get(number).copied());
        numbered.filter(|&position| position != FREE).or_else(|| self.named.get(label).copied())
    }
}

impl<'a> Parser<'a> {
    fn file(&mut self) -> Read<()> {
        self.skip();
        self.keyword(b"num_ranks", "`num_ranks`")?;
        let at = self.at;
        let ranks = self.number("the number of ranks")?;
        if !(1..=MOST_RANKS).contains(&ranks) {
            return Err(Fault { at, expected: "1 to 16777216 ranks" });
        }
        self.schedule = Schedule::new(ranks as usize);
        let mut seen = vec![false; ranks as usize];
        while !self.is_end() {
            self.rank(&mut seen)?;
        }
        Ok(())
    }

    fn is_end(&mut self) -> bool {
        self.skip();
        self.at >= self.text.len()
    }

    fn rank(&mut self, seen: &mut [bool]) -> Read<()> {
        self.keyword(b"rank", "`rank N {`")?;
        let at = self.at;
        let rank = self.number("the number of a rank")?;
        match seen.get_mut(rank as usize) {
            None => return Err(Fault { at, expected: "a rank below num_ranks" }),
            Some(true) => return Err(Fault { at, expected: "a rank that was not described before" }),
            Some(seen) => *seen = true,
        }
        self.keyword(b"{", "`{`")?;
        self.labels.clear();
        while !self.accepts(b'}') {
            self.item(TaskId(rank as u32))?;
        }
        self.schedule.complete(TaskId(rank as u32));
        Ok(())
    }

    /// An operation, with or without a label, or a dependence.
    fn item(&mut self, task: TaskId) -> Read<()> {
        const EXPECTED: &str = "an operation, a dependence or `}`";
        let at = self.at;
        let word = self.word();
        match word {
            b"" => Err(Fault { at, expected: EXPECTED }),
            _ if self.accepts(b':') => {
                let position = self.schedule.tasks[task.0 as usize].len() as u32;
                if !self.labels.insert(word, position) {
                    return Err(Fault { at, expected: "a label that this rank has not used before" });
                }
                let at = self.at;
                let word = self.word();
                self.operation(task, word, at)
            }
            b"calc" | b"send" | b"recv" => self.operation(task, word, at),
            label => self.dependence(task, label, at),
        }
    }

    fn operation(&mut self, task: TaskId, word: &[u8], at: usize) -> Read<()> {
        let action = match word {
            b"calc" => Action::Compute { ns: self.number("a duration in ns")? },
            b"send" => {
                let bytes = self.bytes()?;
                self.keyword(b"to", "`to`")?;
                Action::Send { to: self.peer()?, tag: 0, bytes }
            }
            b"recv" => {
                let bytes = self.bytes()?;
                self.keyword(b"from", "`from`")?;
                let from = if self.accepts_any() { ANY } else { self.peer()? };
                Action::Recv { from, tag: 0, bytes }
            }
            _ => return Err(Fault { at, expected: "`calc`, `send` or `recv`" }),
        };
        let (action, cpu) = self.options(action)?;
        self.schedule.push(task, ScheduledOperation { action, cpu, linked: false });
        Ok(())
    }

    /// Tag, processor and network interface, in any order.
    fn options(&mut self, mut action: Action) -> Read<(Action, u16)> {
        let mut cpu = 0;
        loop {
            let begin = self.at;
            match self.word() {
                b"tag" => {
                    let receives = matches!(action, Action::Recv { .. });
                    let value = if receives && self.accepts_any() { ANY } else { self.tag()? };
                    if let Action::Send { tag, .. } | Action::Recv { tag, .. } = &mut action {
                        *tag = value;
                    }
                }
                b"cpu" => {
                    let at = self.at;
                    let number = self.number("the number of a processor")?;
                    cpu = u16::try_from(number).map_err(|_| Fault { at, expected: "a processor below 65536" })?;
                }
                b"nic" => {
                    self.number("the number of a network interface")?;
                }
                _ => {
                    self.at = begin;
                    return Ok((action, cpu));
                }
            }
        }
    }

    fn dependence(&mut self, task: TaskId, label: &'a [u8], at: usize) -> Read<()> {
        let after = self.labelled(label, at)?;
        let verb = self.at;
        let begin = match self.word() {
            b"requires" => false,
            b"irequires" => true,
            _ => return Err(Fault { at: verb, expected: "`requires` or `irequires`" }),
        };
        let at = self.at;
        let other = self.word();
        let before = self.labelled(other, at)?;
        self.schedule.depend(task, Edge { before, after, begin });
        Ok(())
    }

    fn labelled(&self, label: &[u8], at: usize) -> Read<u32> {
        self.labels.get(label).ok_or(Fault { at, expected: "the label of an operation above" })
    }

    fn bytes(&mut self) -> Read<u64> {
        let bytes = self.digits("a size, for instance 8b")?;
        if self.text.get(self.at) == Some(&b'b') {
            self.at += 1;
        }
        self.skip();
        Ok(bytes)
    }

    fn peer(&mut self) -> Read<u32> {
        let at = self.at;
        let peer = self.number("a rank")?;
        let below = peer < self.schedule.tasks.len() as u64;
        if below { Ok(peer as u32) } else { Err(Fault { at, expected: "a rank below num_ranks" }) }
    }

    fn tag(&mut self) -> Read<u32> {
        let at = self.at;
        let tag = self.number("a tag")?;
        u32::try_from(tag).ok().filter(|&tag| tag <= i32::MAX as u32).ok_or(Fault { at, expected: "a tag below 2^31" })
    }

    fn accepts_any(&mut self) -> bool {
        let found = self.text[self.at..].starts_with(b"-1");
        if found {
            self.at += 2;
            self.skip();
        }
        found
    }

    fn accepts(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte);
        if found {
            self.at += 1;
            self.skip();
        }
        found
    }

    fn keyword(&mut self, word: &[u8], expected: &'static str) -> Read<()> {
        if !self.text[self.at..].starts_with(word) {
            return Err(Fault { at: self.at, expected });
        }
        self.at += word.len();
        self.skip();
        Ok(())
    }

    /// Letters, digits and underscores, and the blanks behind them.
    fn word(&mut self) -> &'a [u8] {
        let begin = self.at;
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        while self.text.get(self.at).is_some_and(is_word) {
            self.at += 1;
        }
        let word = &self.text[begin..self.at];
        self.skip();
        word
    }

    fn number(&mut self, expected: &'static str) -> Read<u64> {
        let number = self.digits(expected)?;
        self.skip();
        Ok(number)
    }

    fn digits(&mut self, expected: &'static str) -> Read<u64> {
        let begin = self.at;
        let mut value = 0u64;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            let more = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0')));
            value = more.ok_or(Fault { at: begin, expected: "a number below 2^64" })?;
            self.at += 1;
        }
        if self.at == begin { Err(Fault { at: begin, expected }) } else { Ok(value) }
    }

    /// Blanks and comments.
    fn skip(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.text[self.at..].starts_with(b"//") => self.skip_behind(b"\n"),
                b'/' if self.text[self.at..].starts_with(b"/*") => self.skip_behind(b"*/"),
                _ => return,
            }
        }
    }

    fn skip_behind(&mut self, end: &[u8]) {
        let rest = &self.text[self.at + 2..];
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.text.len(), |position| self.at + 2 + position + end.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: &str = "num_ranks 2 /* two\n ranks */\nrank 0 {\nl1: calc 100\nl2: send 8b to 1 tag 3\nl2 requires l1\n}\n\
                        // the other\nrank 1 {\nfirst: recv 8b from -1 tag -1 cpu 0 nic 1\nrecv 4b from 0 }\n";

    fn fault(text: &str) -> String {
        parse("a.goal", text).unwrap_err().message
    }

    #[test]
    fn operations_labels_and_dependences_are_read() {
        let schedule = parse("a.goal", PAIR).unwrap();
        let operation = |task, index| schedule.operation(TaskId(task), index);
        assert_eq!(operation(0, 0).action, Action::Compute { ns: 100 });
        let send = Action::Send { to: 1, tag: 3, bytes: 8 };
        assert_eq!(operation(0, 1), ScheduledOperation { action: send, cpu: 0, linked: true });
        assert_eq!(operation(1, 0).action, Action::Recv { from: ANY, tag: ANY, bytes: 8 });
        assert_eq!(operation(1, 1).action, Action::Recv { from: 0, tag: 0, bytes: 4 });
        assert!(schedule.tasks[0].is_sequential() && !schedule.tasks[1].is_sequential());
    }

    #[test]
    fn a_fault_names_its_place_and_what_was_expected() {
        insta::assert_snapshot!(fault("rank 0 {}"), @"a.goal:1:1: expected `num_ranks`, found `rank 0 {}`");
        insta::assert_snapshot!(fault("num_ranks 1\nrank 1 {}"), @"a.goal:2:6: expected a rank below num_ranks, found `1 {}`");
        insta::assert_snapshot!(fault("num_ranks 1\nrank 0 {\nl1: calc x }"), @"a.goal:3:10: expected a duration in ns, found `x }`");
        insta::assert_snapshot!(fault("num_ranks 1\nrank 0 {\nl1 requires l2 }"),
            @"a.goal:3:1: expected the label of an operation above, found `l1 requires l2 }`");
        insta::assert_snapshot!(fault("num_ranks 1 rank 0 {"),
            @"a.goal:1:21: expected an operation, a dependence or `}`, found the end of the file");
        insta::assert_snapshot!(fault("num_ranks 2 rank 0 { send 8b to 2 }"),
            @"a.goal:1:33: expected a rank below num_ranks, found `2 }`");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(num_ranks [0-9]{1,2} ?rank 0 \\{)?[-a-z0-9 :{}/*\n]{0,60}|.{0,40}") {
            let _ = parse("a.goal", &text);
        }
    }
}
