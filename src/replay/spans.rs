//! What one task did when, as long as there is room for it.

use super::result::{Part, TimeSpan};
use crate::activity::Site;
use crate::units::Picoseconds;

#[derive(Debug)]
pub(super) struct Spans {
    list: Vec<TimeSpan>,
    room: usize,
    /// There was more than fits.
    pub is_full: bool,
}

impl Spans {
    pub fn new(room: usize) -> Self {
        Self { list: Vec::new(), room, is_full: false }
    }

    /// Joins the span before it where nothing but time is new.
    pub fn add(&mut self, part: Part, begin: Picoseconds, end: Picoseconds, site: Option<Site>) {
        if begin == end || self.is_full {
            return;
        }
        let is_full = self.list.len() == self.room;
        match self.list.last_mut() {
            Some(last) if last.part == part && last.site == site && last.end == begin => last.end = end,
            _ if is_full => self.is_full = true,
            _ => self.list.push(TimeSpan { part, begin, end, site }),
        }
    }

    /// Takes back what lies beyond a time.
    pub fn cut(&mut self, time: Picoseconds) {
        self.list.retain(|span| span.begin < time);
        if let Some(last) = self.list.last_mut() {
            last.end = last.end.min(time);
        }
    }

    pub fn into_list(self) -> Vec<TimeSpan> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_join_end_and_are_cut() {
        let mut spans = Spans::new(2);
        let at = Picoseconds;
        spans.add(Part::Compute, at(0), at(5), None);
        spans.add(Part::Compute, at(5), at(7), None);
        spans.add(Part::Send, at(7), at(7), None);
        spans.add(Part::Send, at(7), at(9), None);
        spans.add(Part::Recv, at(9), at(11), None);
        assert!(spans.is_full);
        spans.cut(at(8));
        let ends: Vec<_> = spans.into_list().iter().map(|span| (span.part, span.end.0)).collect();
        assert_eq!(ends, [(Part::Compute, 7), (Part::Send, 8)]);
    }
}
