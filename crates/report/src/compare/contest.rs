//! Who competes with whom: programs on each machine; of a single program, machines.

use super::model::{Comparison, Entry, Rank, Standing};
use super::{separated, values_text};
use crate::model::SweepValue;

/// Entries with what competes and what is given.
pub(crate) struct Contest<'a> {
    pub entries: &'a [Entry],
    /// Of a single program, its machines compete.
    pub(crate) of_machines: bool,
    /// Names of what competes, in the order given.
    pub(crate) contenders: Vec<&'a str>,
    /// Where it competes: machines with networks, or the program.
    pub places: Vec<(&'a str, &'a str)>,
    /// Combinations of swept values.
    pub sweeps: Vec<&'a [SweepValue]>,
    /// Ascending.
    pub tasks: Vec<usize>,
}

/// Differences that only rounding makes.
const SAME: f64 = 1e-9;

/// Each once, in the order of the first.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in all {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

impl<'a> Contest<'a> {
    pub fn new(comparison: &'a Comparison) -> Self {
        let entries = &comparison.entries[..];
        let of_machines = comparison.programs.len() == 1;
        let contender = |e: &'a Entry| if of_machines { &*e.machine } else { &*e.program };
        let place = |e: &'a Entry| (if of_machines { &*e.program } else { &*e.machine }, &*e.network);
        let mut tasks = distinct(entries.iter().map(|e| e.tasks_count));
        tasks.sort_unstable();
        Self {
            entries,
            of_machines,
            contenders: distinct(entries.iter().map(contender)),
            places: distinct(entries.iter().map(place)),
            sweeps: distinct(entries.iter().map(|e| &e.sweep[..])),
            tasks,
        }
    }

    /// The entry of a contender.
    pub fn entry(&self, who: &str, place: (&str, &str), sweep: &[SweepValue], tasks: usize) -> Option<&'a Entry> {
        let names = |e: &'a Entry| match self.of_machines {
            true => (&*e.machine, &*e.program),
            false => (&*e.program, &*e.machine),
        };
        let (place, network) = place;
        let is_it = |e: &&Entry| e.network == network && e.tasks_count == tasks && e.sweep == sweep;
        self.entries.iter().filter(is_it).find(|e| names(e) == (who, place))
    }

    /// All standings in which several compete, by place, values and tasks.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        let mut all = Vec::new();
        for &place in &self.places {
            for sweep in &self.sweeps {
                all.extend(self.tasks.iter().filter_map(|&tasks| self.standing(place, sweep, tasks)));
            }
        }
        all
    }

    fn standing(&self, place: (&str, &str), sweep: &[SweepValue], tasks: usize) -> Option<Standing> {
        let all = self.contenders.iter().filter_map(|who| Some((*who, self.entry(who, place, sweep, tasks)?)));
        let mut known: Vec<(&str, &Entry, f64)> = all.filter_map(|(who, e)| Some((who, e, e.total_s?))).collect();
        known.sort_by(|a, b| a.2.total_cmp(&b.2));
        let [first, second, ..] = known[..] else { return None };
        let separated = separated(first.1, second.1);
        let rank = |(_, e, total): &(&str, &Entry, f64)| Rank {
            program: e.program.clone(),
            machine: e.machine.clone(),
            total_s: *total,
            times_first: if first.2 > 0.0 { total / first.2 } else { 1.0 },
        };
        Some(Standing {
            machine: (!self.of_machines).then(|| place.0.to_owned()),
            network: place.1.to_owned(),
            sweep: sweep.to_vec(),
            tasks_count: tasks,
            ranking: known.iter().map(rank).collect(),
            separated,
            text: standing_text((first.0, first.2), (second.0, second.2), separated),
        })
    }

    /// `on m1 with N = 100`, as far as there are several.
    pub(crate) fn place_text(&self, place: (&str, &str), tasks: Option<usize>, sweep: &[SweepValue]) -> String {
        let mut text = format!("{} {}", if self.of_machines { "for" } else { "on" }, place.0);
        if distinct(self.places.iter().map(|place| place.1)).len() > 1 {
            text += &format!(" over {}", place.1);
        }
        let tasks = tasks.map(|tasks| format!("{tasks} task{}", if tasks == 1 { "" } else { "s" }));
        let with: Vec<String> = tasks.into_iter().chain((!sweep.is_empty()).then(|| values_text(sweep))).collect();
        if with.is_empty() { text } else { format!("{text} with {}", with.join(", ")) }
    }
}

/// Whether two times are the same but for rounding.
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

fn standing_text(first: (&str, f64), second: (&str, f64), separated: Option<bool>) -> String {
    let times = if first.1 > 0.0 { second.1 / first.1 } else { 1.0 };
    match separated {
        _ if same(first.1, second.1) => format!("{} and {} alike", first.0, second.0),
        Some(false) => format!("{} before {}, not separated ({times:.2} x)", first.0, second.0),
        _ => format!("{}, {times:.2} x as fast as {}", first.0, second.0),
    }
}
