//! Lines and execution together: how much of the time of either is hidden by the other.

use crate::source::processor::costs::Costs;
use chronos_base::units::Nanoseconds;
use chronos_ir::InstructionClass;
use chronos_machine::MemoryLevel;

/// Cycles that the accesses of a scope wait for lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// For lines from the second level: they come while the processor executes, as far as both leave room.
    pub second_level: f64,
    /// For what lines from farther levels cost beyond that.
    pub farther: f64,
    /// What of `second_level` is due to lines that drive each other out, where as many are on their way as a loop can ask for.
    pub driven_out: f64,
    /// The same of updates that follow each other as fast as a loop can make them, and their lines.
    pub hurried: f64,
    pub hurried_lines: f64,
    /// What of `far` is hidden by execution, in cycles, where that takes as long.
    pub hidden: f64,
    /// The level that costs most.
    pub level: usize,
}

/// Cycles that a loop executes where all is in the first level, and those of its loads among them.
#[derive(Clone, Copy, Debug)]
pub struct Execution {
    pub throughput: f64,
    pub loads: f64,
}

/// The share of the shorter of loads and lines from the second level that is hidden by the longer; `None` where it was
/// not measured. microbench/memory.c tells it by loops that have four loads for each number they write (stencil), in
/// older files by sums of two numbers in place of one of them (update). What the same loop takes with all in the first level is
/// no cost of lines, whatever it is bound by there; where that was not measured, it is taken to be bound by its loads.
pub(crate) fn measured_overlap(levels: &[MemoryLevel], costs: &Costs) -> Option<f64> {
    let [first, second, ..] = levels else { return None };
    let lines = between(first, second)?;
    let stencil = second.ns_per_line_stencil.map(|all| (4.0, all, first.ns_per_line_stencil));
    let update = || second.ns_per_line_update.map(|all| (2.0, all, first.ns_per_line_update));
    let (loads, all, near) = stencil.or_else(update)?;
    // So many loads for each line that comes and goes.
    let loads = loads * LINE / NUMBER * costs.busy(InstructionClass::Load, true).0 * costs.ns_per_cycle;
    let near = near.map_or(loads, |near| near.0.max(loads));
    let shorter = lines.min(loads);
    (shorter > 0.0).then(|| ((lines + near - all.0) / shorter).clamp(0.0, 1.0))
}

/// Nanoseconds for a line that is read and one that is written from the second level, beyond those of the first.
fn between(first: &MemoryLevel, second: &MemoryLevel) -> Option<f64> {
    let beyond = |of: fn(&MemoryLevel) -> Option<Nanoseconds>| {
        let (here, beyond) = (of(first)?.0, of(second)?.0);
        Some((beyond * beyond - here * here).max(0.0).sqrt())
    };
    let read = beyond(|level| level.ns_per_line_read)?;
    Some(read + beyond(|level| level.ns_per_line_write)?.max(read))
}

/// Bytes of the numbers that are written.
const NUMBER: f64 = 8.0;

/// Updates of lines that share sets: a load, an addition and a store, an iteration of which takes so long in a loop of nothing else,
/// and with so many cycles there are no longer more loads ahead of each store than drive its line out (a Zen 4, columns of 128
/// rows of 4 KiB, 5 to 101 instructions: 57 cycles with 1.1 of its own, 51 with 2.0, 33 with 2.2, 32 with 3.2, 30 with 6.5).
const HURRIED_CYCLES: f64 = 1.1;
const UNHURRIED_CYCLES: f64 = 2.2;

impl Traffic {
    /// Together with execution. Where it was measured what the first level does not do at once, give a line and take
    /// one, loads and lines hide that share of each other, and all else goes on beside them (the execution-cache-memory
    /// model of Stengel, Treibig, Hager and Wellein, 2015, has loads and lines one after the other). Else the quadratic
    /// mean of both (suite kernels `row_scale`, `outer_product` and `wide_update`).
    pub fn during(self, execution: Execution, overlap: Option<f64>) -> f64 {
        // ECM: the first level serves loads or takes a line, not both at once.
        let together = match overlap {
            Some(share) if self.second_level > 0.0 => {
                let hidden = share * execution.loads.min(self.second_level);
                execution.throughput.max(execution.loads + self.second_level - hidden)
            }
            _ => execution.throughput.hypot(self.second_level),
        };
        self.beyond(together)
    }

    /// Farther levels add up (`wide_five_points` and `wide_copy_add` on a Zen 5). Where that was measured, a share of the
    /// shorter of both is hidden (microbench/memory.c, beside: on a Granite Rapids all of it from the third level, a
    /// tenth from main memory).
    fn beyond(self, together: f64) -> f64 {
        // Only as much is hidden as there is execution to hide behind.
        let both = if self.farther > 0.0 { (together / self.farther).min(1.0) } else { 0.0 };
        together + self.farther - self.hidden * both
    }

    /// Where the iterations of a loop take so many cycles without it: the slower they come, the fewer lines are on their way at
    /// once, and drive each other out (a Zen 4, copies down columns of 1 KiB's pitch: 14.7 cycles for a pair of lines, 11 to 12 with
    /// 6 cycles between, 10 to 11 with 9, 7 with 16).
    pub fn paced(self, cycles: f64) -> Self {
        let mut gone = 0.0;
        if self.driven_out > 0.0 {
            gone += self.driven_out * (cycles / self.second_level).min(1.0);
        }
        if self.hurried > 0.0 {
            let apart = (cycles / self.hurried_lines - HURRIED_CYCLES) / (UNHURRIED_CYCLES - HURRIED_CYCLES);
            gone += self.hurried * apart.clamp(0.0, 1.0);
        }
        Self { second_level: self.second_level - gone, driven_out: 0.0, hurried: 0.0, ..self }
    }

    pub fn total(self) -> f64 {
        self.second_level + self.farther
    }

    pub fn scaled(self, factor: f64) -> Self {
        Self {
            second_level: self.second_level * factor,
            driven_out: self.driven_out * factor,
            hurried: self.hurried * factor,
            hurried_lines: self.hurried_lines * factor,
            farther: self.farther * factor,
            hidden: self.hidden * factor,
            ..self
        }
    }
}

pub const LINE: f64 = 64.0;
