//! From GOAL text to what ranks do, block by block: `rank 3 { ... }`.
//!
//! Where a text comes from, what is around it in the file and who else reads there is the concern of `blocks` and
//! `read`.

use super::labels::Labels;
use super::text::{Fault, Read, Text, Word, key};
use chronos_activity::TaskId;
use chronos_activity::draft::Draft;
use chronos_activity::schedule::{ANY, Action, Edge, ScheduledOperation};
use std::sync::atomic::{AtomicBool, Ordering};

/// Most tasks of a schedule.
const MOST_RANKS: u64 = 1 << 24;

/// Which ranks were described; several threads may describe different ones.
#[derive(Default)]
pub(super) struct Described(Vec<AtomicBool>);

pub(super) struct Parser<'a, 's> {
    pub text: Text<'a>,
    described: &'s Described,
    pub draft: &'s mut Draft,
    labels: Labels<'a>,
    /// End of the blocks that were read.
    pub behind: usize,
}

const CALC: u64 = key(b"calc");
const SEND: u64 = key(b"send");
const RECV: u64 = key(b"recv");
const TAG: u64 = key(b"tag");
const CPU: u64 = key(b"cpu");
const NIC: u64 = key(b"nic");

impl Described {
    pub fn new(ranks: usize) -> Self {
        Self((0..ranks).map(|_| AtomicBool::new(false)).collect())
    }

    /// Number of ranks.
    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Whether nobody described this rank before.
    fn claim(&self, rank: TaskId) -> bool {
        !self.0[rank.0 as usize].swap(true, Ordering::Relaxed)
    }

    /// These ranks are not described after all.
    pub fn forget<'t>(&self, ranks: impl IntoIterator<Item = &'t TaskId>) {
        ranks.into_iter().for_each(|rank| self.0[rank.0 as usize].store(false, Ordering::Relaxed));
    }
}

/// The number of ranks, which stands first.
pub(super) fn header(text: &mut Text) -> Read<usize> {
    text.skip();
    text.keyword(b"num_ranks", "`num_ranks`")?;
    let at = text.at();
    let ranks = text.number("the number of ranks")?;
    if (1..=MOST_RANKS).contains(&ranks) {
        return Ok(ranks as usize);
    }
    Err(Fault { at, expected: "1 to 16777216 ranks" })
}

impl<'a, 's> Parser<'a, 's> {
    /// Goes on at a byte of a text.
    pub fn new(text: &'a [u8], at: usize, described: &'s Described, draft: &'s mut Draft) -> Self {
        Self { text: Text::new(text, at), described, draft, labels: Labels::default(), behind: at }
    }

    /// Reads a block; false where none is left that is whole. Where more text follows, a block that reaches the end, or
    /// has a fault, may have been cut.
    pub fn block(&mut self, is_last: bool) -> Read<bool> {
        self.text.skip();
        let begun = self.draft.tasks().len();
        let read = if self.text.is_at_end() { Ok(false) } else { self.rank().map(|()| true) };
        if !is_last && (read.is_err() || self.text.is_at_end()) {
            self.forget(begun);
            return Ok(false);
        }
        let is_block = read?;
        self.behind = self.text.at();
        Ok(is_block)
    }

    fn forget(&mut self, begun: usize) {
        if self.draft.tasks().len() > begun {
            self.described.forget(&self.draft.take_back());
        }
    }

    /// What one rank does.
    fn rank(&mut self) -> Read<()> {
        self.begin()?;
        self.labels.clear();
        while !self.text.accepts(b"}") {
            self.item()?;
        }
        self.draft.seal();
        Ok(())
    }

    /// What is before the operations.
    fn begin(&mut self) -> Read<()> {
        self.text.keyword(b"rank", "`rank N {`")?;
        let at = self.text.at();
        let rank = TaskId(self.below(self.described.len(), "the number of a rank")?);
        if !self.described.claim(rank) {
            return Err(Fault { at, expected: "a rank that was not described before" });
        }
        self.draft.begin(rank);
        self.text.keyword(b"{", "`{`")
    }

    /// An operation, with or without a label, or a dependence.
    fn item(&mut self) -> Read<()> {
        let at = self.text.at();
        let word = self.text.word();
        if self.text.accepts(b":") {
            return self.labelled(word, at);
        }
        match word.key {
            0 => Err(Fault { at, expected: "an operation, a dependence or `}`" }),
            CALC | SEND | RECV => self.operation(word, at),
            _ => self.dependence(word, at),
        }
    }

    fn labelled(&mut self, label: Word<'a>, at: usize) -> Read<()> {
        if label.key == 0 {
            return Err(Fault { at, expected: "an operation, a dependence or `}`" });
        }
        if !self.labels.insert(label, self.draft.length()) {
            return Err(Fault { at, expected: "a label that this rank has not used before" });
        }
        let at = self.text.at();
        let word = self.text.word();
        self.operation(word, at)
    }

    fn operation(&mut self, word: Word, at: usize) -> Read<()> {
        let action = match word.key {
            CALC => Action::Compute { ns: self.text.number("a duration in ns")? },
            SEND => {
                let bytes = self.text.bytes()?;
                self.text.keyword(b"to", "`to`")?;
                Action::Send { to: self.peer()?, tag: 0, bytes }
            }
            RECV => {
                let bytes = self.text.bytes()?;
                self.text.keyword(b"from", "`from`")?;
                let from = if self.text.accepts(b"-1") { ANY } else { self.peer()? };
                Action::Recv { from, tag: 0, bytes }
            }
            _ => return Err(Fault { at, expected: "`calc`, `send` or `recv`" }),
        };
        let (action, cpu) = self.options(action)?;
        self.draft.push(ScheduledOperation { action, cpu, linked: false });
        Ok(())
    }

    /// Tag, processor and network interface, in any order.
    fn options(&mut self, mut action: Action) -> Read<(Action, u16)> {
        let mut cpu = 0;
        loop {
            // Labels of what comes next are mostly `l` and a number, and need not be looked at twice.
            if !matches!(self.text.rest(), [b't' | b'c' | b'n', ..]) {
                return Ok((action, cpu));
            }
            let word = self.text.peek();
            match word.key {
                TAG => self.tag(word, &mut action)?,
                CPU => cpu = self.processor(word)?,
                NIC => {
                    self.text.pass(word);
                    self.text.number("the number of a network interface")?;
                }
                _ => return Ok((action, cpu)),
            }
        }
    }

    fn tag(&mut self, word: Word, action: &mut Action) -> Read<()> {
        self.text.pass(word);
        match action {
            Action::Recv { tag, .. } if self.text.accepts(b"-1") => *tag = ANY,
            Action::Recv { tag, .. } | Action::Send { tag, .. } => *tag = self.tag_number()?,
            Action::Compute { .. } => _ = self.tag_number()?,
        }
        Ok(())
    }

    #[inline(always)]
    fn tag_number(&mut self) -> Read<u32> {
        let at = self.text.at();
        let tag = self.text.number("a tag")?;
        u32::try_from(tag)
            .ok()
            .filter(|&tag| i32::try_from(tag).is_ok())
            .ok_or(Fault { at, expected: "a tag below 2^31" })
    }

    fn processor(&mut self, word: Word) -> Read<u16> {
        self.text.pass(word);
        let at = self.text.at();
        let number = self.text.number("the number of a processor")?;
        u16::try_from(number).map_err(|_| Fault { at, expected: "a processor below 65536" })
    }

    fn dependence(&mut self, label: Word<'a>, at: usize) -> Read<()> {
        let after = self.position(label, at)?;
        let verb = self.text.at();
        let begin = match self.text.word().bytes {
            b"requires" => false,
            b"irequires" => true,
            _ => return Err(Fault { at: verb, expected: "`requires` or `irequires`" }),
        };
        let at = self.text.at();
        let other = self.text.word();
        let before = self.position(other, at)?;
        self.draft.depend(Edge { before, after, begin });
        Ok(())
    }

    fn position(&mut self, label: Word<'a>, at: usize) -> Read<u32> {
        self.labels.get(label).ok_or(Fault { at, expected: "the label of an operation above" })
    }

    #[inline(always)]
    fn peer(&mut self) -> Read<u32> {
        self.below(self.described.len(), "a rank")
    }

    #[inline(always)]
    fn below(&mut self, ranks: u64, expected: &'static str) -> Read<u32> {
        let at = self.text.at();
        let rank = self.text.number(expected)?;
        if rank < ranks { Ok(rank as u32) } else { Err(Fault { at, expected: "a rank below num_ranks" }) }
    }
}
