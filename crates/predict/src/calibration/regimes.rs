//! What a loop runs into: vectors of so many lanes, and a level of memory.
//!
//! A ratio that was measured under one regime says little about another: what was wrong with a loop in the first cache is not
//! what is wrong with it in memory.

use super::parts::Part;
use chronos_cost::{CodeKind, LoopTime};
use chronos_report::model::LoopBound;

/// How a loop ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Regime {
    lanes: u32,
    /// The level of memory that bounds it.
    level: Option<String>,
    /// The share of its time in which lines move between levels of memory, from 0 to 1.
    moving: f64,
    /// Iterations per entry.
    trips: f64,
}

/// Shares of time that are further apart are those of other working sets.
const OTHER_SHARE: f64 = 0.15;

impl Regime {
    fn new(lanes: u32, kind: CodeKind, bound: &str, [memory, time]: [f64; 2], [iterations, entries]: [f64; 2]) -> Self {
        let moving = if time > 0.0 { (memory / time).min(1.0) } else { 0.0 };
        let level = (kind == CodeKind::Memory).then(|| bound.to_owned());
        Self { lanes, level, moving, trips: (iterations / entries.max(1.0)).max(1.0) }
    }

    /// Of one loop in one segment.
    pub fn of_time(time: &LoopTime) -> Self {
        let times = [time.memory.0, time.time.0];
        Self::new(time.lanes, time.kind, &time.bound, times, [time.iterations, time.entries])
    }

    /// Of all executions of a loop.
    pub fn of_bound(bound: &LoopBound) -> Self {
        let times = [bound.memory_s, bound.time_s];
        Self::new(bound.lanes, bound.kind, &bound.bound, times, [bound.iterations, bound.entries])
    }

    /// How often its number of iterations was doubled or halved.
    pub fn doublings(&self, short: &Self) -> f64 {
        (self.trips / short.trips).log2().abs()
    }

    /// Why a ratio that was measured under the other one may not hold here; `None` where it does.
    pub fn differs(&self, short: &Self) -> Option<String> {
        if self.lanes != short.lanes {
            return Some(format!("it runs on vectors of {} there and of {} here", short.lanes, self.lanes));
        }
        let name = |level: &Option<String>| level.clone().unwrap_or_else(|| "the processor".to_owned());
        if self.level != short.level {
            return Some(format!("{} bounds it there and {} here", name(&short.level), name(&self.level)));
        }
        let percent = |share: f64| 100.0 * share;
        ((self.moving - short.moving).abs() > OTHER_SHARE).then(|| {
            let (there, here) = (percent(short.moving), percent(self.moving));
            format!("lines move between caches and memory in {there:.0} % of its time there and {here:.0} % here")
        })
    }
}

/// A loop by its name.
pub fn name(bound: &LoopBound) -> Part {
    Part { function: bound.function.clone(), file: bound.file.clone(), line: bound.line_start }
}
