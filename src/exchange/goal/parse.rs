//! From a piece of GOAL text to operations.
//!
//! One pass over the bytes without a token list: files have hundreds of megabytes. Where a piece comes from, and what is
//! around it in the file, is the concern of `read`.

use crate::activity::TaskId;
use crate::activity::schedule::{ANY, Action, Edge, Schedule, ScheduledOperation};
use crate::hash::FastMap;

/// Most tasks of a schedule.
const MOST_RANKS: u64 = 1 << 24;

/// What is wrong, and where in the piece.
pub(super) struct Fault {
    pub at: usize,
    pub expected: &'static str,
}

pub(super) type Read<T> = Result<T, Fault>;

/// What was read so far.
#[derive(Default)]
pub(super) struct Blocks {
    pub schedule: Schedule,
    /// By rank, whether it was described; empty before the number of ranks is known.
    seen: Vec<bool>,
}

pub(super) struct Parser<'a, 's> {
    text: &'a [u8],
    at: usize,
    schedule: &'s mut Schedule,
    seen: &'s mut Vec<bool>,
    labels: Labels<'a>,
}

/// Positions of the operations of a task by label: `l1`, `l2`, ... are looked up by number.
#[derive(Default)]
struct Labels<'a> {
    numbered: Vec<u32>,
    named: FastMap<&'a [u8], u32>,
    /// What was told or asked for last: dependences mostly stand behind their operation, or share what they wait for.
    recent: [Option<(&'a [u8], u32)>; 2],
}

/// By byte, whether it may stand in a word.
const IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// No operation has the label.
const FREE: u32 = u32::MAX;

impl<'a> Labels<'a> {
    fn clear(&mut self) {
        self.numbered.clear();
        self.named.clear();
        self.recent = Default::default();
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
            None => {
                self.recent[0] = Some((label, position));
                self.named.insert(label, position).is_none()
            }
        }
    }

    fn get(&mut self, label: &'a [u8]) -> Option<u32> {
        let numbered = self.number(label, self.numbered.len()).and_then(|number| self.numbered.get(number).copied());
        if let Some(position) = numbered.filter(|&position| position != FREE) {
            return Some(position);
        }
        if let Some(&(_, position)) = self.recent.iter().flatten().find(|(recent, _)| *recent == label) {
            return Some(position);
        }
        let position = *self.named.get(label)?;
        self.recent[1] = Some((label, position));
        Some(position)
    }
}

impl<'a, 's> Parser<'a, 's> {
    pub fn new(text: &'a [u8], blocks: &'s mut Blocks) -> Self {
        let Blocks { schedule, seen } = blocks;
        Self { text, at: 0, schedule, seen, labels: Labels::default() }
    }

    /// Reads the blocks that are whole in this piece; how many bytes they take. Where more text follows, a block that
    /// reaches the end, or has a fault, may have been cut.
    pub fn blocks(&mut self, is_last: bool) -> Read<usize> {
        let mut behind = 0;
        loop {
            self.skip();
            if self.at >= self.text.len() && (!is_last || !self.seen.is_empty()) {
                return Ok(if is_last { self.at } else { behind });
            }
            let is_header = self.seen.is_empty();
            let (rank, found) = self.block();
            if !is_last && (found.is_err() || self.at >= self.text.len()) {
                self.forget(rank, is_header);
                return Ok(behind);
            }
            found?;
            behind = self.at;
        }
    }

    /// The number of ranks, or what one of them does; with the rank that was begun.
    fn block(&mut self) -> (Option<TaskId>, Read<()>) {
        if self.seen.is_empty() {
            return (None, self.header());
        }
        match self.begin() {
            Err(fault) => (None, Err(fault)),
            Ok(task) => (Some(task), self.operations(task)),
        }
    }

    fn forget(&mut self, rank: Option<TaskId>, is_header: bool) {
        if is_header {
            self.seen.clear();
        }
        if let Some(rank) = rank {
            self.schedule.clear(rank);
            self.seen[rank.0 as usize] = false;
        }
    }

    fn header(&mut self) -> Read<()> {
        self.keyword(b"num_ranks", "`num_ranks`")?;
        let at = self.at;
        let ranks = self.number("the number of ranks")?;
        if !(1..=MOST_RANKS).contains(&ranks) {
            return Err(Fault { at, expected: "1 to 16777216 ranks" });
        }
        *self.schedule = Schedule::new(ranks as usize);
        *self.seen = vec![false; ranks as usize];
        Ok(())
    }

    /// Of a rank, what is before its operations.
    fn begin(&mut self) -> Read<TaskId> {
        self.keyword(b"rank", "`rank N {`")?;
        let at = self.at;
        let rank = self.number("the number of a rank")?;
        match self.seen.get(rank as usize) {
            None => return Err(Fault { at, expected: "a rank below num_ranks" }),
            Some(true) => return Err(Fault { at, expected: "a rank that was not described before" }),
            Some(false) => {}
        }
        self.keyword(b"{", "`{`")?;
        Ok(TaskId(rank as u32))
    }

    fn operations(&mut self, task: TaskId) -> Read<()> {
        self.seen[task.0 as usize] = true;
        self.labels.clear();
        while !self.accepts(b'}') {
            self.item(task)?;
        }
        self.schedule.seal(task);
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
                let position = self.schedule.length(task);
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
            // Labels of what comes next are mostly `l` and a number, and need not be looked at twice.
            if !matches!(self.text.get(begin), Some(b't' | b'c' | b'n')) {
                return Ok((action, cpu));
            }
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

    fn labelled(&mut self, label: &'a [u8], at: usize) -> Read<u32> {
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
        let below = peer < self.schedule.len() as u64;
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
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| !IN_WORD[usize::from(byte)]).unwrap_or(rest.len());
        self.at += length;
        self.skip();
        &rest[..length]
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

/// The text behind blanks and comments at its begin.
pub(super) fn behind_blanks(text: &[u8]) -> &[u8] {
    let mut blocks = Blocks::default();
    let mut parser = Parser::new(text, &mut blocks);
    parser.skip();
    &text[parser.at..]
}
