//! What was overwritten since a point that may be gone back to: by assumed branches, loops that are
//! folded and loops whose trips are unknown.
//!
//! Of each place the oldest entry alone decides, so a log need not grow with the time that passes: places
//! noted lately are not noted again, and a large log is cleared of repetitions before it grows.

use crate::state::location::Location;
use chronos_base::hash::{FxBuildHasher, FxHashSet};
use chronos_values::storage::Content;
use chronos_values::{ObjectId, Value};
use std::sync::Arc;

/// What was overwritten.
#[derive(Clone, Debug)]
pub enum LogEntry {
    Scalar(Location, Value),
    Object(ObjectId, Arc<Content>),
}

/// Places remembered as noted in the innermost log, at first and at most; powers of two.
const FEWEST: usize = 1 << 4;
const RECENT: usize = 1 << 12;
/// Entries from which on a full log is cleared of repetitions.
const LARGE: usize = 1 << 14;

/// All logs of a task, the innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logs {
    logs: Vec<Log>,
    /// Places noted, with the era of the log they were noted in. Empty until the first note; it grows with what is
    /// noted, because most tasks note little and there may be very many tasks.
    recent: Vec<(u64, Location)>,
    /// Notes since it grew.
    noted: u32,
    /// Changes whenever another log becomes the innermost one.
    era: u64,
}

#[derive(Clone, Debug, Default)]
struct Log {
    /// The era that it began.
    id: u64,
    /// How many objects had been allocated when it began, where what it notes may not happen.
    uncertain: Option<u64>,
    entries: Vec<LogEntry>,
    /// Objects that were noted as a whole.
    objects: FxHashSet<ObjectId>,
}

impl Log {
    /// Adds younger entries.
    fn extend(&mut self, entries: Vec<LogEntry>) {
        self.entries.reserve(if self.entries.is_empty() { entries.len() } else { 0 });
        entries.into_iter().for_each(|entry| self.add(entry));
    }

    /// Of an object the oldest content alone decides.
    fn add(&mut self, entry: LogEntry) {
        match &entry {
            LogEntry::Object(object, _) if !self.objects.insert(*object) => return,
            _ => {}
        }
        clear_if_full(&mut self.entries);
        self.entries.push(entry);
    }
}

impl Logs {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    pub fn len(&self) -> usize {
        self.logs.len()
    }

    /// Which log stands there, outermost first: no two have the same number.
    pub(crate) fn id(&self, position: usize) -> Option<u64> {
        self.logs.get(position).map(|log| log.id)
    }

    /// Begins a log of what happens.
    pub fn push(&mut self) {
        self.era += 1;
        self.logs.push(Log { id: self.era, ..Log::default() });
    }

    /// Begins a log of what may not happen, or will be undone, after so many allocations.
    pub fn push_uncertain(&mut self, allocated: u64) {
        self.push();
        if let Some(log) = self.logs.last_mut() {
            log.uncertain = Some(allocated);
        }
    }

    /// How many objects had been allocated when what may not happen began; nothing where all happens.
    pub fn uncertain_since(&self) -> Option<u64> {
        self.logs.iter().find_map(|log| log.uncertain)
    }

    /// Ends the innermost log.
    pub fn pop(&mut self) -> Vec<LogEntry> {
        self.era += 1;
        self.logs.pop().unwrap_or_default().entries
    }

    /// Adds entries that are younger than all of the innermost log; nothing where there is none.
    pub fn extend(&mut self, entries: Vec<LogEntry>) {
        if let Some(log) = self.logs.last_mut() {
            log.extend(entries);
        }
    }

    /// Notes what stood at a place, where there is a log that does not know yet.
    #[inline]
    pub fn note(&mut self, location: Location, old: Value) {
        if !self.logs.is_empty() {
            self.note_anew(location, old);
        }
    }

    fn note_anew(&mut self, location: Location, old: Value) {
        if self.is_recent(location) {
            return;
        }
        if let Some(log) = self.logs.last_mut() {
            log.add(LogEntry::Scalar(location, old));
        }
    }

    /// Whether a place was noted lately; from now on it was.
    fn is_recent(&mut self, location: Location) -> bool {
        if self.noted as usize >= self.recent.len() && self.recent.len() < RECENT {
            self.remember_more();
        }
        let places = self.recent.len();
        let slot = &mut self.recent[slot(location) % places];
        if *slot == (self.era, location) {
            return true;
        }
        *slot = (self.era, location);
        self.noted = self.noted.saturating_add(1);
        false
    }

    #[cold]
    fn remember_more(&mut self) {
        let places = (2 * self.recent.len()).max(FEWEST);
        let before = std::mem::replace(&mut self.recent, vec![(0, Location::Global(0)); places]);
        for place in before {
            self.recent[slot(place.1) % places] = place;
        }
        self.noted = 0;
    }

    /// Notes the content of an object, which the log shares with it until it is written.
    pub(crate) fn note_object(&mut self, object: ObjectId, content: &mut Content) {
        if let Some(log) = self.logs.last_mut().filter(|log| !log.objects.contains(&object)) {
            log.add(LogEntry::Object(object, Arc::new(content.share())));
        }
    }
}

fn slot(location: Location) -> usize {
    let number = match location {
        Location::Register(at) => u64::from(at),
        Location::Global(at) => u64::from(at).wrapping_mul(0x9e37_79b9),
        Location::Memory(object, offset, _) => (offset >> 2) ^ u64::from(object.0).wrapping_mul(0x85eb_ca6b),
    };
    (number ^ number >> 12) as usize
}

/// Before a large log would move to twice its room, repetitions are dropped.
fn clear_if_full(log: &mut Vec<LogEntry>) {
    if log.len() < log.capacity() || log.len() < LARGE {
        return;
    }
    let mut seen = FxHashSet::with_capacity_and_hasher(log.len(), FxBuildHasher);
    log.retain(|entry| match entry {
        LogEntry::Scalar(location, _) => seen.insert(*location),
        LogEntry::Object(..) => true,
    });
    if log.len() > log.capacity() / 2 {
        log.reserve(log.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_ir::{DataModel, ScalarType};
    use chronos_values::storage::Fill;

    fn oldest(entries: &[LogEntry]) -> Vec<(Location, Value)> {
        let mut seen = FxHashSet::default();
        let scalars = entries.iter().filter_map(|entry| match entry {
            LogEntry::Scalar(location, old) if seen.insert(*location) => Some((*location, *old)),
            _ => None,
        });
        scalars.collect()
    }

    #[test]
    fn a_log_grows_with_the_places_and_not_with_the_time() {
        let mut logs = Logs::default();
        logs.push();
        for n in 0..1_000_000_i64 {
            let at = (n * 31 % 20_000) as u64;
            logs.note(Location::Memory(ObjectId(1), 8 * at, ScalarType::F64), Value::Int(n));
        }
        let log = logs.pop();
        assert!(log.len() <= 80_000, "{} entries", log.len());
        let oldest = oldest(&log);
        assert_eq!(oldest.len(), 20_000);
        assert!(oldest.iter().all(|(_, old)| matches!(old, Value::Int(0..20_000))));
    }

    #[test]
    fn an_inner_log_notes_what_the_outer_one_knows() {
        let mut logs = Logs::default();
        logs.push();
        logs.note(Location::Register(3), Value::Int(1));
        logs.push();
        logs.note(Location::Register(3), Value::Int(2));
        logs.note(Location::Register(3), Value::Int(3));
        assert_eq!(oldest(&logs.pop()), [(Location::Register(3), Value::Int(2))]);
        assert_eq!(oldest(&logs.pop()), [(Location::Register(3), Value::Int(1))]);
    }

    #[test]
    fn an_object_is_noted_once_in_each_log() {
        let mut content = Content::new(Fill::Zero);
        let write = |content: &mut Content, n| content.write(8, ScalarType::F64, Value::Float(n), 64, DataModel::Lp64);
        let mut logs = Logs::default();
        logs.push();
        for n in 0..1000 {
            logs.note_object(ObjectId(1), &mut content);
            write(&mut content, f64::from(n));
        }
        logs.push();
        logs.note_object(ObjectId(1), &mut content);
        let inner = logs.pop();
        logs.extend(inner);
        let log = logs.pop();
        let [LogEntry::Object(ObjectId(1), oldest)] = &log[..] else { panic!("{} entries", log.len()) };
        assert_eq!(oldest.read(8, ScalarType::F64, DataModel::Lp64), Some(Value::Float(0.0)));
    }

    #[test]
    fn without_a_log_nothing_is_noted() {
        let mut logs = Logs::default();
        logs.note(Location::Register(3), Value::Int(1));
        assert!(logs.is_empty() && logs.pop().is_empty());
    }
}
