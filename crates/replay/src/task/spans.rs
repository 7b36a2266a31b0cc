//! What one task did when, as long as there is room for it.

use crate::memory::keyed_totals::KeyedTotals;
use crate::result::{Doing, Part, Peer, ReplayResult, Stretch, TimeSpan, WindowTime};
use chronos_activity::{Arrival, Event, Operation, SegmentId, Site};
use chronos_base::units::Picoseconds;

#[derive(Debug)]
pub(crate) struct SpanRecorder {
    list: Vec<TimeSpan>,
    room: usize,
    /// There was more than fits.
    pub is_full: bool,
    /// What the call that the task is in is about.
    pub peer: Peer,
    pub windows: Option<WindowRecorder>,
    /// All that it does, without gaps.
    pub history: Option<Vec<Stretch>>,
    /// What the task computes.
    pub segment: Option<SegmentId>,
    /// The call that it is in, where it does not compute.
    pub call: Option<Site>,
}

/// What a task does inside some stretches of its time.
#[derive(Debug)]
pub(crate) struct WindowRecorder {
    /// In order, apart from one another.
    stretches: Vec<(Picoseconds, Picoseconds)>,
    /// Those before it are over.
    next: usize,
    segments: KeyedTotals<SegmentId, Picoseconds>,
    sites: KeyedTotals<Site, Picoseconds>,
    ready: Picoseconds,
}

impl WindowRecorder {
    pub fn new(stretches: Vec<(Picoseconds, Picoseconds)>) -> Self {
        let (segments, sites) = (KeyedTotals::default(), KeyedTotals::default());
        Self { stretches, next: 0, segments, sites, ready: Picoseconds::ZERO }
    }

    /// Time only goes on, so a stretch that ends before `begin` is never asked for again.
    fn add(&mut self, begin: Picoseconds, end: Picoseconds, doing: Doing) {
        while self.stretches.get(self.next).is_some_and(|stretch| stretch.1 <= begin) {
            self.next += 1;
        }
        let touched = self.stretches[self.next..].iter().take_while(|stretch| stretch.0 < end);
        let inside: u64 = touched.map(|stretch| stretch.1.min(end).0 - stretch.0.max(begin).0).sum();
        match doing {
            _ if inside == 0 => {}
            Doing::Call(site) => *self.sites.entry(site) += Picoseconds(inside),
            Doing::Segment(segment) => *self.segments.entry(segment) += Picoseconds(inside),
            Doing::Ready => self.ready += Picoseconds(inside),
            Doing::Unknown => {}
        }
    }

    pub(crate) fn into_time(self) -> WindowTime {
        let mut time = WindowTime {
            segments: self.segments.iter().copied().collect(),
            sites: self.sites.iter().copied().collect(),
            ready: self.ready,
        };
        time.segments.sort_unstable();
        time.sites.sort_unstable();
        time
    }
}

impl Peer {
    /// What a call says of its message; a receive learns more when it is complete.
    pub fn of(event: &Event) -> Self {
        match &event.operation {
            Operation::Send { to, tag, bytes, .. } => Self { task: Some(*to), tag: Some(*tag), bytes: Some(*bytes) },
            Operation::Recv { from, tag, .. } | Operation::Probe { from, tag, .. } => {
                Self { task: *from, tag: *tag, bytes: None }
            }
            _ => Self::default(),
        }
    }

    /// What a span tells of the message that it is about, once the message has arrived.
    pub fn arrived(arrival: &Arrival) -> Self {
        Self { task: Some(arrival.message.sender), tag: Some(arrival.tag), bytes: Some(arrival.bytes) }
    }
}

impl SpanRecorder {
    pub fn new(room: usize) -> Self {
        let (peer, list) = (Peer::default(), Vec::new());
        Self { list, room, is_full: false, peer, windows: None, history: None, segment: None, call: None }
    }

    /// What the time that passes in a call, or outside of all, is spent on.
    fn doing(&self, site: Option<Site>) -> Doing {
        match (site.or(self.call.filter(|_| self.segment.is_none())), self.segment) {
            (Some(site), _) => Doing::Call(site),
            (None, Some(segment)) => Doing::Segment(segment),
            (None, None) => Doing::Unknown,
        }
    }

    /// Joins the span before it where nothing but time is new.
    pub fn add(&mut self, part: Part, begin: Picoseconds, end: Picoseconds, site: Option<Site>) {
        let doing = if part == Part::Ready { Doing::Ready } else { self.doing(site) };
        if let Some(windows) = &mut self.windows {
            windows.add(begin, end, doing);
        }
        // Idle time is in the waits, with whom it is for.
        if let Some(history) = self.history.as_mut().filter(|_| part != Part::Idle) {
            extend(history, Stretch { begin, end, doing });
        }
        if begin == end || self.is_full || self.room == 0 {
            return;
        }
        let peer = if matches!(part, Part::Compute | Part::Ready) { Peer::default() } else { self.peer };
        let is_full = self.list.len() == self.room;
        match self.list.last_mut() {
            Some(last) if (last.part, last.site, last.peer, last.end) == (part, site, peer, begin) => {
                last.end = end;
            }
            _ if is_full => self.is_full = true,
            _ => self.list.push(TimeSpan { part, begin, end, site, peer }),
        }
    }

    /// Takes back what lies beyond a time.
    pub fn cut(&mut self, time: Picoseconds) {
        self.list.retain(|span| span.begin < time);
        if let Some(last) = self.list.last_mut() {
            last.end = last.end.min(time);
        }
    }

    pub(crate) fn into_list(self) -> Vec<TimeSpan> {
        self.list
    }
}

/// Adds a stretch, joined with the one before it where nothing but time is new.
fn extend(history: &mut Vec<Stretch>, stretch: Stretch) {
    match history.last_mut() {
        _ if stretch.begin == stretch.end => {}
        Some(last) if (last.end, last.doing) == (stretch.begin, stretch.doing) => last.end = stretch.end,
        _ => history.push(stretch),
    }
}

/// Spans that a task needs at least for its timeline to say anything.
const WORTH_WHILE: usize = 64;

/// How many of the tasks, from the first on, get how much of the room each.
pub(crate) fn shares_of(room: usize, tasks: usize) -> (usize, usize) {
    let shown = (room / WORTH_WHILE).clamp(1, tasks.max(1)).min(tasks);
    (shown, (room / shown.max(1)).max(1))
}

/// Whether the spans that fit into a room are, of each task, the first of those that fit into a larger one.
pub fn holds_timeline(larger: usize, room: usize, tasks: usize) -> bool {
    let ((shown, each), (more_shown, each_of_more)) = (shares_of(room, tasks), shares_of(larger, tasks));
    more_shown >= shown && each_of_more >= each
}

/// Leaves of a timeline what would have fit into a smaller room; gives all of it.
pub fn shorten_timeline(result: &mut ReplayResult, room: usize, tasks: usize) -> Vec<Vec<TimeSpan>> {
    let (shown, each) = shares_of(room, tasks);
    let first = |spans: &Vec<TimeSpan>| spans[..spans.len().min(each)].to_vec();
    let short = result.timeline.iter().take(shown).map(first).collect();
    std::mem::replace(&mut result.timeline, short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_begins_with_what_fits_into_a_smaller_room() {
        let timeline = |room: usize| {
            let (shown, each) = shares_of(room, 3);
            let mut tasks: Vec<SpanRecorder> = (0..shown).map(|_| SpanRecorder::new(each)).collect();
            for (number, spans) in (1..).zip(&mut tasks) {
                for at in 0..200 * number {
                    let part = [Part::Compute, Part::Send][at as usize / 2 % 2];
                    spans.add(part, Picoseconds(at), Picoseconds(at + 1), None);
                }
            }
            tasks.into_iter().map(SpanRecorder::into_list).collect::<Vec<_>>()
        };
        for room in [1, 64, 128, 200, 1000] {
            let mut result = ReplayResult { timeline: timeline(5000), ..ReplayResult::default() };
            assert!(holds_timeline(5000, room, 3));
            let all = shorten_timeline(&mut result, room, 3);
            assert_eq!((result.timeline, all), (timeline(room), timeline(5000)));
        }
        assert!(!holds_timeline(20_000, 500, 100_000));
    }

    #[test]
    fn spans_join_end_and_are_cut() {
        let mut spans = SpanRecorder::new(2);
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
