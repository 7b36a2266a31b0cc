//! How the processor hides latencies, from the timings of microbench/pipeline.c.

use super::assemble::rounded;
use super::output::{Measurements, median};
use crate::diag::Diagnostic;
use crate::machine::{Pipeline, SplitCost};
use crate::units::Cycles;
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
        waiting: Some(times.window("chain", 1.0, times.cycles("chains.throughput.fp_mul")?)?),
        forward_fp_cycles: forward_fp("pipeline.forward_fp")?,
        forward_int_cycles: forward_int("pipeline.forward_int")?,
        forward_indexed_fp_cycles: Some(forward_fp("pipeline.forward_indexed_fp")?),
        forward_indexed_int_cycles: Some(forward_int("pipeline.forward_indexed_int")?),
        mispredict_cycles: cycles_of(mispredict),
        predicted_trips: predicted_trips(&times.entries(), mispredict),
        fused_cycles: times.optional("chains.latency.fused"),
        store_other_line_cycles: times.optional("pipeline.store_other_line"),
        load_split_cycles: times.optional("pipeline.load_split"),
        store_split_cycles: times.optional("pipeline.store_split"),
        vector_split: widths.iter().filter_map(|bits| Some((bits.to_string(), times.split(*bits)?))).collect(),
    })
}

/// Nothing begins more operations per cycle: a timing that says so is none.
const MOST_WIDTH: f64 = 32.0;

fn cycles_of(cycles: f64) -> Cycles {
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

    /// Cycles of one entry of loops, by number of iterations.
    fn entries(&self) -> BTreeMap<u32, f64> {
        let all = self.measurements.0.iter();
        let trips = all.filter_map(|(name, found)| {
            let trips = name.strip_prefix("pipeline.trip_")?.parse().ok()?;
            Some((trips, found.ns() / self.ns_per_cycle))
        });
        trips.collect()
    }
}

/// The longest loop up to which no entry costs half a mispredicted branch more than its iterations; these
/// are known from the two longest loops, which are alike in what their ends cost.
pub fn predicted_trips(entries: &BTreeMap<u32, f64>, mispredict: f64) -> u32 {
    let mut longest = entries.iter().rev();
    let (Some((n, long)), Some((m, short))) = (longest.next(), longest.next()) else { return 0 };
    let iteration = (long - short) / f64::from(n - m);
    let surplus = |trips: u32, cycles: f64| cycles - f64::from(trips) * iteration;
    let first = entries.iter().next().map_or(0.0, |(trips, cycles)| surplus(*trips, *cycles));
    let predicted = entries.iter().take_while(|(trips, cycles)| surplus(**trips, **cycles) - first < mispredict / 2.0);
    predicted.last().map_or(0, |(trips, _)| *trips)
}
