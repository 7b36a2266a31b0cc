//! From a piece of GOAL text to the schedule, parts of it on several threads.
//!
//! A part ends before a line that begins with `rank`. That such a line begins a block can be said of a part only once
//! it is read: it may stand in a comment. So a part counts if all before it do, and it has no fault and ends between
//! blocks; what is behind the last that counts is read again, in one go. Then schedules and faults are the same for
//! all parts.

use super::parse::{Described, Parser, header};
use super::text::{Read, Text};
use chronos_activity::draft::Draft;
use chronos_activity::schedule::Schedule;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::ops::Range;

/// Bytes of a part, so that what it describes stays in the cache of a processor.
const PART: usize = 1 << 17;

/// What was read so far.
pub(super) struct Blocks {
    schedule: Schedule,
    /// None before the number of ranks is known.
    described: Option<Described>,
    /// Those of the parts, to be used again.
    drafts: Vec<Draft>,
    /// What is to be appended to the schedule while the next parts are read.
    ready: Vec<Draft>,
    /// Bytes of a part; no bound once a part did not count, which others would hardly do then.
    part: usize,
}

impl Default for Blocks {
    fn default() -> Self {
        Self::of_parts(PART)
    }
}

impl Blocks {
    pub fn of_parts(part: usize) -> Self {
        Self { schedule: Schedule::default(), described: None, drafts: Vec::new(), ready: Vec::new(), part }
    }

    /// What all blocks describe.
    pub fn schedule(mut self) -> Schedule {
        append(&mut self.schedule, &mut self.ready);
        self.schedule
    }

    /// Reads the blocks that are whole in this piece; how many bytes they take.
    pub fn read(&mut self, text: &[u8], is_last: bool) -> Read<usize> {
        let described = self.described.take();
        let (described, begin) = match described {
            Some(described) => (described, 0),
            None => match self.header(text, is_last)? {
                None => return Ok(0),
                Some(found) => found,
            },
        };
        let end = self.ranks(text, begin, is_last, &described);
        self.described = Some(described);
        end
    }

    /// Where the number of ranks may be cut, it is left for later.
    fn header(&mut self, text: &[u8], is_last: bool) -> Read<Option<(Described, usize)>> {
        let mut text = Text::new(text, 0);
        let found = header(&mut text);
        if !is_last && (found.is_err() || text.is_at_end()) {
            return Ok(None);
        }
        let ranks = found?;
        self.schedule = Schedule::new(ranks);
        Ok(Some((Described::new(ranks), text.at())))
    }

    fn ranks(&mut self, text: &[u8], begin: usize, is_last: bool, described: &Described) -> Read<usize> {
        let parts = parts(text, begin, self.part);
        if parts.len() == 1 {
            return self.in_one_go(text, begin, is_last, described);
        }
        let ends = self.at_once(text, &parts, is_last, described);
        let right = ends.iter().map_while(|&end| end).collect::<Vec<_>>();
        self.take(right.len(), described);
        let end = right.last().copied().unwrap_or(begin);
        if right.len() == parts.len() {
            return Ok(end);
        }
        self.part = usize::MAX;
        self.in_one_go(text, end, is_last, described)
    }

    fn in_one_go(&mut self, text: &[u8], begin: usize, is_last: bool, described: &Described) -> Read<usize> {
        append(&mut self.schedule, &mut self.ready);
        let mut draft = Draft::default();
        let mut parser = Parser::new(text, begin, described, &mut draft);
        while parser.block(is_last)? {
            parser.draft.move_to(&mut self.schedule);
        }
        Ok(parser.behind)
    }

    /// Reads each part to its draft, and appends those of the parts before; where each ends, if it counts.
    fn at_once(
        &mut self,
        text: &[u8],
        parts: &[Range<usize>],
        is_last: bool,
        described: &Described,
    ) -> Vec<Option<usize>> {
        let Self { schedule, drafts, ready, .. } = self;
        drafts.resize_with(parts.len().max(drafts.len()), Draft::default);
        let all = drafts[..parts.len()].par_iter_mut().zip(parts.par_iter());
        let read = |(draft, part): (&mut Draft, &Range<usize>)| {
            let may_be_cut = part.end == text.len() && !is_last;
            alone(Parser::new(&text[..part.end], part.start, described, draft), !may_be_cut, part.end == text.len())
        };
        rayon::join(|| append(schedule, ready), || all.with_max_len(1).map(read).collect()).1
    }

    /// What so many parts describe counts, and that of others is forgotten.
    fn take(&mut self, right: usize, described: &Described) {
        std::mem::swap(&mut self.drafts, &mut self.ready);
        for draft in &mut self.ready[right..] {
            described.forget(draft.tasks());
            draft.clear();
        }
    }
}

/// Appends what drafts describe; they are empty then.
fn append(schedule: &mut Schedule, drafts: &mut [Draft]) {
    drafts.iter_mut().for_each(|draft| draft.move_to(schedule));
}

/// Where a part ends, if it has no fault; one that others follow must not end in a comment.
fn alone(mut parser: Parser, is_whole: bool, is_last: bool) -> Option<usize> {
    while parser.block(is_whole).ok()? {}
    (is_last || !parser.text.is_open).then_some(parser.behind)
}

/// Parts of at least so many bytes.
fn parts(text: &[u8], mut begin: usize, size: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    while let Some(end) = begin.checked_add(size).and_then(|from| line_of_rank(text, from)) {
        parts.push(begin..end);
        begin = end;
    }
    parts.push(begin..text.len());
    parts
}

/// Where the next line begins that looks like the begin of a block.
fn line_of_rank(text: &[u8], mut from: usize) -> Option<usize> {
    loop {
        from += text.get(from..)?.iter().position(|&byte| byte == b'\n')? + 1;
        if text[from..].starts_with(b"rank ") {
            return Some(from);
        }
    }
}
