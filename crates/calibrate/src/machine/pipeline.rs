//! How the processor hides latencies, from the timings of microbench/pipeline.c.

use super::exits::{Entries, exits};
use crate::output::rounded;
use crate::output::{Measurements, median};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Cycles;
use chronos_machine::{ElementsCost, Machine, Pipeline, SplitCost};
use std::collections::BTreeMap;

/// Lengths of the chains that begin anew, in products.
const CHAINS: [u32; 4] = [64, 128, 256, 512];
/// Operations per product where other ones stand between them.
const MIXED_OPERATIONS: f64 = 4.0;
/// Chains that overlap by less say nothing: timings are not that exact.
const LEAST_OVERLAP: f64 = 1.05;
/// Nor do chains that execute nearly as fast as independent products.
const ABOVE_THROUGHPUT: f64 = 1.2;

/// # Errors
/// A result is missing from the measurements.
pub fn pipeline(measurements: &Measurements, ns_per_cycle: f64, widths: &[u32]) -> Result<Pipeline, Diagnostic> {
    let times = Times { measurements, ns_per_cycle };
    let width = 1.0 / times.cycles("pipeline.width")?.max(MOST_WIDTH.recip());
    let addition = times.cycles("chains.latency.fp_add")?;
    let forward_fp = |name: &str| Ok::<_, Diagnostic>(cycles_of(times.cycles(name)? - addition));
    let forward_int = |name: &str| Ok::<_, Diagnostic>(cycles_of(times.cycles(name)? - 1.0));
    let mispredict = times.mispredict()?;
    Ok(Pipeline {
        width: rounded(width),
        window: times.window("mixed", MIXED_OPERATIONS, MIXED_OPERATIONS / width)?,
        bypass_cycles: times.bypass(addition)?,
        select_cycles: times.beyond("pipeline.compare_select", times.cycles("chains.latency.int_add")?),
        taken_branch_cycles: times.beyond("pipeline.short_loop", SHORT_LOOP_OPERATIONS / width),
        reordered_load_cycles: times.beyond("pipeline.load_behind_store", times.get("pipeline.load_beside_stores")),
        waiting: Some(times.window("chain", 1.0, times.cycles("chains.throughput.fp_mul")?)?),
        forward_fp_cycles: forward_fp("pipeline.forward_fp")?,
        forward_int_cycles: forward_int("pipeline.forward_int")?,
        forward_indexed_fp_cycles: Some(forward_fp("pipeline.forward_indexed_fp")?),
        forward_indexed_int_cycles: Some(forward_int("pipeline.forward_indexed_int")?),
        mispredict_cycles: cycles_of(mispredict),
        predicted_trips: predicted_trips(&times.entries(), mispredict),
        forward_moving_fp_cycles: times.beyond("pipeline.forward_moving_fp", addition),
        forward_folded_int_cycles: times.beyond("pipeline.forward_folded_int", 1.0),
        forward_update_int_cycles: times.beyond("pipeline.forward_update_int", 1.0),
        fp_max_cycles: times.optional("chains.latency.fp_max"),
        exits: exits(&times.entries(), &times.by_length(TRIANGLE)),
        forward_ahead: times.forward_ahead(),
        indexed_load_cycles: times.beyond("chains.latency.load_indexed", times.get("chains.latency.load")),
        fused_cycles: times.optional("chains.latency.fused"),
        store_other_line_cycles: times.optional("pipeline.store_other_line"),
        load_split_cycles: times.optional("pipeline.load_split"),
        store_split_cycles: times.optional("pipeline.store_split"),
        vector_split: widths.iter().filter_map(|bits| Some((bits.to_string(), times.split(*bits)?))).collect(),
        vector_elements: times.elements("elements", widths),
        vector_gather: times.elements("gather", widths),
        ordered_sum_cycles: times.by_width("ordered_sum", widths),
    })
}

/// Operations per iteration of the loop `short_loop`: a load, two sums, a store, a step and a branch.
const SHORT_LOOP_OPERATIONS: f64 = 6.0;

/// Iterations of each sum of `forward_sum`.
const FORWARDED: f64 = 40.0;

/// Nothing begins more operations per cycle: a timing that says so is none.
const MOST_WIDTH: f64 = 32.0;

pub(crate) fn cycles_of(cycles: f64) -> Cycles {
    Cycles(rounded(cycles))
}

struct Times<'a> {
    measurements: &'a Measurements,
    ns_per_cycle: f64,
}

impl Times<'_> {
    fn cycles(&self, name: &str) -> Result<f64, Diagnostic> {
        Ok(self.measurements.ns(name)? / self.ns_per_cycle)
    }

    fn optional(&self, name: &str) -> Option<Cycles> {
        Some(cycles_of(self.measurements.get(name)? / self.ns_per_cycle))
    }

    fn get(&self, name: &str) -> f64 {
        self.measurements.get(name).map_or(f64::INFINITY, |ns| ns / self.ns_per_cycle)
    }

    /// What a timing takes longer than so many cycles; nothing where it was not taken.
    fn beyond(&self, name: &str, cycles: f64) -> Option<Cycles> {
        let all = self.measurements.get(name)? / self.ns_per_cycle;
        cycles.is_finite().then(|| cycles_of((all - cycles).max(0.0)))
    }

    /// What a product and a sum in turn take longer than both.
    fn bypass(&self, addition: f64) -> Result<Option<Cycles>, Diagnostic> {
        let Some(both) = self.measurements.get("pipeline.mul_add") else { return Ok(None) };
        let alone = self.cycles("chains.latency.fp_mul")? + addition;
        Ok(Some(cycles_of((both / self.ns_per_cycle - alone).max(0.0))))
    }

    fn split(&self, bits: u32) -> Option<SplitCost> {
        let load_cycles = self.optional(&format!("vectors{bits}.split.load"))?;
        let store_cycles = self.optional(&format!("vectors{bits}.split.store"))?;
        Some(SplitCost { load_cycles, store_cycles })
    }

    fn elements(&self, kind: &str, widths: &[u32]) -> BTreeMap<String, ElementsCost> {
        let stores = self.by_width(&format!("{kind}.store"), widths);
        let cost = |(bits, load_cycles): (String, Cycles)| {
            let store_cycles = stores.get(&bits).copied();
            (bits, ElementsCost { load_cycles, store_cycles })
        };
        self.by_width(&format!("{kind}.load"), widths).into_iter().map(cost).collect()
    }

    /// Cycles of a result of microbench/vectors.c, by the width of vectors.
    fn by_width(&self, name: &str, widths: &[u32]) -> BTreeMap<String, Cycles> {
        let of = |bits: &u32| Some((bits.to_string(), self.optional(&format!("vectors{bits}.{name}"))?));
        widths.iter().filter_map(of).collect()
    }

    /// A branch on random bits against one on zeros: it is wrong every second time.
    fn mispredict(&self) -> Result<f64, Diagnostic> {
        let random = self.cycles("pipeline.branch_random")?;
        Ok(2.0 * (random - self.cycles("pipeline.branch_steady")?).max(0.0))
    }

    /// Operations that are under way at once: while a chain of n operations runs alone, the window already
    /// holds the begin of the next one, so n operations take the share n / (n + window) of the chain's time.
    fn window(&self, kind: &str, operations: f64, busy: f64) -> Result<u32, Diagnostic> {
        let latency = self.cycles("chains.latency.fp_mul")?;
        let mut found = Vec::new();
        for length in CHAINS {
            let link = self.cycles(&format!("pipeline.{kind}_{length}"))?;
            if link > busy * ABOVE_THROUGHPUT && link * LEAST_OVERLAP < latency {
                found.push(f64::from(length) * operations * (latency / link - 1.0));
            }
        }
        // Chains that do not overlap: operations begin in order, one group after the other.
        Ok(median(found).round().max(1.0) as u32)
    }

    /// Iterations that begin ahead of a sum in memory, by loads per iteration: of `n` iterations, `n / (n + ahead)`
    /// are waited for.
    fn forward_ahead(&self) -> Vec<f64> {
        let link = self.get("pipeline.forward_fp");
        let times = (1..).map_while(|loads| self.measurements.get(&format!("pipeline.forward_sum_{loads}")));
        times.map(|ns| rounded(FORWARDED * (link * self.ns_per_cycle / ns - 1.0).max(0.0))).collect()
    }

    /// Cycles of one entry of loops, by number of iterations.
    fn entries(&self) -> Entries {
        self.by_length(TRIP)
    }

    /// Cycles of the results whose names begin with these letters, by the length behind them.
    fn by_length(&self, prefix: &str) -> Entries {
        let all = self.measurements.0.iter();
        all.filter_map(|(name, found)| Some((length_of(name, prefix)?, found.ns() / self.ns_per_cycle))).collect()
    }
}

/// Loops that have so many iterations each time.
const TRIP: &str = "pipeline.trip_";
/// Loops of which each has an iteration more than the one before, per loop.
const TRIANGLE: &str = "pipeline.triangle_";

/// Makes anew, from the samples that a machine file keeps, what later versions of chronos read otherwise from them.
pub fn refit(machine: &mut Machine) {
    let Some(pipeline) = &mut machine.pipeline else { return };
    let by_length = |prefix: &str| -> Entries {
        let cycles = |ns: f64| ns / machine.ns_per_cycle.0;
        let samples = machine.samples.iter();
        samples.filter_map(|sample| Some((length_of(&sample.name, prefix)?, cycles(sample.ns().0)))).collect()
    };
    let entries = by_length(TRIP);
    if entries.is_empty() {
        return;
    }
    pipeline.predicted_trips = predicted_trips(&entries, pipeline.mispredict_cycles.0);
    let found = exits(&entries, &by_length(TRIANGLE));
    if !found.is_empty() {
        pipeline.exits = found;
    }
}

fn length_of(name: &str, prefix: &str) -> Option<u32> {
    name.strip_prefix(prefix)?.parse().ok()
}

/// The longest loop whose end is predicted. An entry of `n` iterations takes `a + b n` cycles, and a misprediction
/// more where it is longer: of all lengths, the one that leaves the least error. Errors are relative, as noise is,
/// and not squared: some timings are far off. Of equally good ones it is the longest. 0 where even the shortest loop
/// costs a misprediction, or none was measured.
pub fn predicted_trips(entries: &BTreeMap<u32, f64>, mispredict: f64) -> u32 {
    let lengths = entries.keys().rev().copied().chain([0]);
    let error = |longest: u32| {
        let surprise = |trips: u32| if trips > longest { mispredict } else { 0.0 };
        let rest: Vec<(f64, f64, f64)> = entries
            .iter()
            .map(|(&trips, &cycles)| (f64::from(trips), cycles - surprise(trips), 1.0 / cycles))
            .collect();
        let (once, each) = line(&rest);
        if once < -mispredict / 2.0 {
            // An entry that takes much less than nothing: the mispredictions were not there.
            return f64::INFINITY;
        }
        rest.iter().map(|&(trips, cycles, weight)| (weight * (cycles - once - each * trips)).abs()).sum::<f64>()
    };
    lengths.min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap_or(0)
}

/// The line through points `(x, y, weight)` with the least weighted squares: its value at 0 and its slope.
fn line(points: &[(f64, f64, f64)]) -> (f64, f64) {
    let sum = |of: fn(f64, f64) -> f64| points.iter().map(|&(x, y, weight)| weight * weight * of(x, y)).sum::<f64>();
    let (all, x, y, xx, xy) = (sum(|_, _| 1.0), sum(|x, _| x), sum(|_, y| y), sum(|x, _| x * x), sum(|x, y| x * y));
    let determinant = all * xx - x * x;
    if determinant.abs() <= f64::EPSILON * all * xx {
        return (0.0, y / x);
    }
    let slope = (all * xy - x * y) / determinant;
    ((y - slope * x) / all, slope)
}
