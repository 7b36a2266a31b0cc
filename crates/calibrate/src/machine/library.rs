//! The table of library functions, in cycles, from the timings of microbench/library.c.

use crate::output::Measurements;
use chronos_base::diag::Diagnostic;
use chronos_base::units::Cycles;
use chronos_functions::{self as functions, Function, comparisons};
use chronos_machine::LibraryCost;
use std::collections::BTreeMap;

/// Bytes that the variants `short` and `long` handle.
const SHORT_BYTES: f64 = 64.0;
const LONG_BYTES: f64 = 4096.0;

/// Cycles of the program's own comparison of two numbers, its return included, which are counted in its blocks.
const COMPARATOR_CYCLES: f64 = 4.0;

/// Costs by function name.
///
/// # Errors
/// A timing that others are relative to is missing.
pub fn table(measurements: &Measurements, ns_per_cycle: f64) -> Result<BTreeMap<String, LibraryCost>, Diagnostic> {
    let times = Times { measurements, ns_per_cycle };
    let mut table = times.single_calls()?;
    table.extend(times.by_bytes()?);
    times.split_pairs(&mut table)?;
    table.extend(times.comparing());
    let others: Vec<(String, LibraryCost)> =
        functions::all().filter_map(|function| Some((function.name.to_owned(), of_kin(&table, function)?))).collect();
    table.extend(others);
    Ok(table)
}

/// The cost of a function that was not timed: that of the one which it takes the way of.
fn of_kin(table: &BTreeMap<String, LibraryCost>, function: &Function) -> Option<LibraryCost> {
    let measured = |name: &str| table.get(name).copied();
    measured(function.name).is_none().then(|| functions::priced_like(function.name).find_map(measured)).flatten()
}

struct Times<'a> {
    measurements: &'a Measurements,
    ns_per_cycle: f64,
}

impl Times<'_> {
    fn cycles(&self, name: &str) -> Result<f64, Diagnostic> {
        Ok(self.measurements.ns(&format!("library.{name}"))? / self.ns_per_cycle)
    }

    fn with_prefix(&self, prefix: &str) -> impl Iterator<Item = (String, f64)> {
        let prefix = format!("library.{prefix}.");
        let found = self.measurements.0.iter();
        found.filter_map(move |(name, m)| Some((name.strip_prefix(&prefix)?.to_owned(), m.ns() / self.ns_per_cycle)))
    }

    /// Functions timed alone: in a loop whose own time is the baseline, or long enough to do without.
    fn single_calls(&self) -> Result<BTreeMap<String, LibraryCost>, Diagnostic> {
        let baseline = self.cycles("call.baseline")?;
        let in_loop = self.with_prefix("call").map(|(name, cycles)| (name, cycles - baseline));
        let alone = self.with_prefix("round");
        let composite = ["baseline", "malloc_free", "free_twice", "fopen"];
        let single = in_loop.chain(alone).filter(|(name, _)| !composite.contains(&name.as_str()));
        Ok(single.map(|(name, cycles)| (name, cost(cycles, 0.0))).collect())
    }

    /// Functions timed with few and with many bytes.
    fn by_bytes(&self) -> Result<BTreeMap<String, LibraryCost>, Diagnostic> {
        let mut table = BTreeMap::new();
        for (name, short) in self.with_prefix("short") {
            let long = self.cycles(&format!("long.{name}"))?;
            let per_byte = ((long - short) / (LONG_BYTES - SHORT_BYTES)).max(0.0);
            table.insert(name, cost(short - per_byte * SHORT_BYTES, per_byte));
        }
        Ok(table)
    }

    /// Functions that call a comparison of the program's; none where they were not timed.
    fn comparing(&self) -> Vec<(String, LibraryCost)> {
        let cycles = |name: &str| self.cycles(&format!("compare.{name}")).ok();
        let (Some(random), Some(two)) = (cycles("qsort"), cycles("qsort_two")) else { return Vec::new() };
        let per_byte = ((random - COMPARATOR_CYCLES) / comparisons::RANDOM_BYTES as f64).max(0.0);
        let call = (two - COMPARATOR_CYCLES - comparisons::FORESEEN_BYTES as f64 * per_byte).max(0.0);
        let search = cost(0.0, per_byte);
        vec![("qsort".to_owned(), cost(call, per_byte)), ("bsearch".to_owned(), search)]
    }

    /// What can only be timed together: allocation with release, opening with closing, comparing with the copy.
    fn split_pairs(&self, table: &mut BTreeMap<String, LibraryCost>) -> Result<(), Diagnostic> {
        let allocation = self.cycles("call.malloc_free")?;
        let release = allocation / 2.0;
        let reallocation = self.cycles("call.free_twice")? - allocation;
        let opening = self.cycles("round.fopen")? / 2.0;
        let alone = [("malloc", release), ("free", release), ("realloc", reallocation)];
        for (name, cycles) in alone.into_iter().chain([("fopen", opening), ("fclose", opening)]) {
            table.insert(name.to_owned(), cost(cycles, 0.0));
        }
        let copy = table.get("strcpy").copied();
        for (name, other) in [("calloc", cost(release, 0.0)), ("strdup", cost(release, 0.0))] {
            subtract(table, name, other);
        }
        if let Some(copy) = copy {
            subtract(table, "strcmp", copy);
        }
        Ok(())
    }
}

fn subtract(table: &mut BTreeMap<String, LibraryCost>, name: &str, other: LibraryCost) {
    if let Some(known) = table.get_mut(name) {
        *known = cost(known.cycles.0 - other.cycles.0, known.cycles_per_byte.0 - other.cycles_per_byte.0);
    }
}

fn cost(cycles: f64, per_byte: f64) -> LibraryCost {
    LibraryCost {
        cycles: Cycles(crate::output::rounded(cycles)),
        cycles_per_byte: Cycles(crate::output::rounded(per_byte)),
    }
}
