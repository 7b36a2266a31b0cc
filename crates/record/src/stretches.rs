//! Processor time by stretch: what tasks computed from one call to the next, added up over the executions of both.
//!
//! Others know stretches of the same program by the same names, so that measured and predicted times can be compared. A call
//! that they do not know ends no stretch. This module must not know what is compared.

use crate::folder::Record;
use crate::places::unknown;
use crate::task::{CodePlace, TaskRecord};
use chronos_base::hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A call by what a record and a program both know of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallName {
    /// The MPI function, without the P of the profiling interface.
    pub function: String,
    /// The file without its folders: a program may be compiled elsewhere than it is read.
    pub file: String,
    /// The line of the call.
    pub line: u32,
}

impl CallName {
    /// Of a call of this function at a place.
    pub fn new(function: &str, file: &str, line: u32) -> Self {
        let function = function.strip_prefix('P').unwrap_or(function).to_owned();
        Self { function, file: file.rsplit('/').next().unwrap_or_default().to_owned(), line }
    }
}

/// From a call to a call; `None` is the begin or the end of the program.
pub type Ends = (Option<CallName>, Option<CallName>);

/// What a task computed in a stretch: the first execution finds caches cold and memory unmapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// The first one.
    pub first: Measured,
    /// All others.
    pub rest: Measured,
}

/// What a task computed in executions of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// How often it was executed.
    pub executions: u64,
    /// Stretches between recorded calls that these consist of: each holds a reading of the clock.
    pub readings: u64,
    /// Processor time.
    pub cpu_ns: u64,
}

/// The calls that a record knows by file and line.
pub fn calls(record: &Record) -> BTreeSet<CallName> {
    let names = names(record);
    names.into_values().filter(|name| name.line > 0).collect()
}

fn names(record: &Record) -> FxHashMap<&CodePlace, CallName> {
    let named: FxHashMap<_, _> =
        record.info.places.iter().map(|place| ((&*place.module, place.offset), &place.source)).collect();
    let name = |place: &CodePlace| {
        let source = named.get(&(&*place.module, place.offset)).map_or_else(|| unknown(place), |&s| s.clone());
        CallName::new(&place.function, &source.file, source.line)
    };
    record.code_places().into_iter().map(|place| (place, name(place))).collect()
}

/// The most that a reading of the clock takes on any machine of today; a program may have no shorter stretch to tell it by.
const MOST_OF_READING_NS: u64 = 400;

/// What a reading of the clock takes: the shortest stretch between two calls that follow each other.
pub fn reading(record: &Record) -> u64 {
    let all = record.tasks.iter().flat_map(|task| &task.calls).map(|call| call.before.cpu_ns);
    all.min().unwrap_or(0).min(MOST_OF_READING_NS)
}

/// The stretches of each task between these calls.
pub fn stretches(record: &Record, known: &BTreeSet<CallName>) -> Vec<BTreeMap<Ends, Executions>> {
    let names = names(record);
    record.tasks.iter().map(|task| of_task(task, &names, known)).collect()
}

fn of_task(
    task: &TaskRecord,
    names: &FxHashMap<&CodePlace, CallName>,
    known: &BTreeSet<CallName>,
) -> BTreeMap<Ends, Executions> {
    let ends: BTreeMap<u32, &CallName> = task
        .places
        .iter()
        .filter_map(|(&id, place)| Some((id, names.get(place).filter(|name| known.contains(*name))?)))
        .collect();
    let mut sums: BTreeMap<(Option<&CallName>, Option<&CallName>), Executions> = BTreeMap::new();
    let (mut from, mut open) = (None, Measured::default());
    for call in &task.calls {
        let is_begin = task.places.get(&call.place).is_some_and(|place| is_init(&place.function));
        // What is before MPI_Init holds what the system does to start the program.
        if !is_begin {
            open.add(call.before.cpu_ns);
        }
        if let Some(&to) = ends.get(&call.place) {
            sums.entry((from, Some(to))).or_default().take(&mut open);
            from = Some(to);
        }
    }
    if let Some(end) = task.end {
        open.add(end.cpu_ns);
        sums.entry((from, None)).or_default().take(&mut open);
    }
    sums.into_iter().map(|((from, to), sum)| ((from.cloned(), to.cloned()), sum)).collect()
}

/// A factor for each stretch between recorded calls: that of the stretch between known calls that it is a part of.
pub fn factors(record: &Record, known: &BTreeSet<CallName>, factor: &dyn Fn(usize, &Ends) -> f64) -> Vec<Vec<f64>> {
    let names = names(record);
    let of_task = |(number, task): (usize, &TaskRecord)| {
        let (mut from, mut found) = (None, Vec::with_capacity(task.calls.len() + 1));
        for (position, call) in task.calls.iter().enumerate() {
            let place = task.places.get(&call.place).and_then(|place| names.get(place));
            if let Some(to) = place.filter(|name| known.contains(*name)) {
                let ends = (from, Some(to.clone()));
                found.resize(position + 1, factor(number, &ends));
                from = ends.1;
            }
        }
        found.resize(task.calls.len() + 1, factor(number, &(from, None)));
        found
    };
    record.tasks.iter().enumerate().map(of_task).collect()
}

fn is_init(function: &str) -> bool {
    matches!(function, "MPI_Init" | "MPI_Init_thread" | "PMPI_Init" | "PMPI_Init_thread")
}

impl Executions {
    fn take(&mut self, open: &mut Measured) {
        if self.first.executions == 0 { self.first.take(open) } else { self.rest.take(open) }
    }
}

impl Measured {
    fn add(&mut self, cpu_ns: u64) {
        self.readings += 1;
        self.cpu_ns = self.cpu_ns.saturating_add(cpu_ns);
    }

    /// Processor time in nanoseconds without readings of the clock, where each takes so long.
    pub fn without(&self, reading: u64) -> f64 {
        self.cpu_ns.saturating_sub(self.readings.saturating_mul(reading)) as f64
    }

    fn take(&mut self, open: &mut Self) {
        self.executions += 1;
        self.readings += open.readings;
        self.cpu_ns = self.cpu_ns.saturating_add(open.cpu_ns);
        *open = Self::default();
    }
}
