//! What the ends of loops cost, from the timings of the loops of microbench/pipeline.c that only count.
//!
//! An entry takes something once, something for each iteration, and the rest is its end. Processors that take two
//! branches in a cycle do so only where they have learnt both, so that the iterations of short loops take less than those
//! of long ones (AMD Zen 5: 0.5 cycles up to 64 iterations, 1 cycle above). With one rate for all lengths, the difference
//! would be taken for a price of the ends of short loops: 26 cycles for each entry of four iterations there.

use super::pipeline::cycles_of;
use chronos_machine::ExitCost;
use std::collections::BTreeMap;

/// Cycles of one entry of a loop, by its number of iterations.
pub(crate) type Entries = BTreeMap<u32, f64>;

/// Of longer loops the end is lost in the noise of the iterations.
const LONGEST: u32 = 512;
/// The lengths from which the rate of long loops is read.
const LONG: (u32, u32) = (1024, 2048);
/// Up to this length the ends of loops are predicted wherever anything is.
const SHORT: u32 = 16;

/// What entries take without their ends.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Iterations {
    once: f64,
    /// Cycles of each iteration of an entry of at most `longest_short` iterations.
    short: f64,
    longest_short: u32,
    /// The same, of longer ones.
    long: f64,
}

impl Iterations {
    /// `None` where the lengths that tell the rates were not measured.
    fn of(steady: &Entries) -> Option<Self> {
        let long = (steady.get(&LONG.1)? - steady.get(&LONG.0)?) / f64::from(LONG.1 - LONG.0);
        let ((&first, &begin), (&last, &end)) = (steady.first_key_value()?, steady.range(..=SHORT).next_back()?);
        if last <= first {
            return None;
        }
        let short = ((end - begin) / f64::from(last - first)).clamp(0.0, long);
        let beyond = |rate: f64, (&length, &cycles): (&u32, &f64)| cycles - rate * f64::from(length);
        let once = steady.range(..=SHORT).map(|entry| beyond(short, entry)).fold(f64::INFINITY, f64::min).max(0.0);
        // In the middle between both rates nothing else lies: a misprediction only adds.
        let is_short = |entry: (&u32, &f64)| beyond(f64::midpoint(short, long), entry) < once;
        let longest_short =
            steady.iter().filter(|&entry| is_short(entry)).map(|(&length, _)| length).max().unwrap_or(0);
        Some(Self { once, short, longest_short, long })
    }

    fn entry(self, length: u32) -> f64 {
        let rate = if length <= self.longest_short { self.short } else { self.long };
        self.once + rate * f64::from(length)
    }
}

/// What the ends of loops cost that are entered with the same number of iterations each time (`steady`), and of those whose
/// entries have 0, 1, ... up to `length - 1` iterations (`triangles`, mean of these by `length`). Empty where either was
/// not measured.
pub(crate) fn exits(steady: &Entries, triangles: &Entries) -> Vec<ExitCost> {
    let Some(iterations) = Iterations::of(steady).filter(|_| !triangles.is_empty()) else { return Vec::new() };
    let exit = |mean: f64, varying: bool, cycles: f64| ExitCost {
        iterations: mean,
        varying,
        cycles: cycles_of(cycles.max(0.0)),
    };
    let alike = steady
        .range(..=LONGEST)
        .map(|(&length, &cycles)| exit(f64::from(length), false, cycles - iterations.entry(length)));
    let varying = triangles.iter().map(|(&length, &cycles)| {
        let rows = (0..length).map(|row| iterations.entry(row)).sum::<f64>() / f64::from(length);
        exit(f64::from(length - 1) / 2.0, true, cycles - rows)
    });
    alike.chain(varying).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(of: impl Fn(u32) -> f64) -> Entries {
        let lengths = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048];
        lengths.into_iter().map(|length| (length, of(length))).collect()
    }

    /// Cycles of the end of an entry of so many iterations.
    fn found(exits: &[ExitCost], iterations: f64, varying: bool) -> f64 {
        let exit = exits.iter().find(|exit| exit.iterations == iterations && exit.varying == varying);
        exit.map_or(f64::NAN, |exit| exit.cycles.0)
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 0.01
    }

    #[test]
    fn one_rate_and_ends_that_are_missed_from_24_iterations_on() {
        let steady = entries(|length| 2.0 + f64::from(length) + if length >= 24 { 20.0 } else { 0.0 });
        let triangles = BTreeMap::from([(64, 2.0 + 31.5 + 9.0)]);
        let exits = exits(&steady, &triangles);
        assert!(close(found(&exits, 16.0, false), 0.0), "{exits:?}");
        assert!(close(found(&exits, 24.0, false), 20.0), "{exits:?}");
        assert!(close(found(&exits, 31.5, true), 9.0), "{exits:?}");
    }

    /// The timings of a Zen 5: ends of short loops cost nothing although their iterations take half as long.
    #[test]
    fn short_loops_may_have_another_rate() {
        let miss = |length: u32| if length > 128 { 21.0 } else { 0.0 };
        let rate = |length: u32| if length <= 64 { 0.5 } else { 1.0 };
        let entry = |length: u32| 1.0 + rate(length) * f64::from(length) + miss(length);
        let row =
            |length: u32| (0..length).map(|row| 1.0 + rate(row) * f64::from(row)).sum::<f64>() / f64::from(length);
        let exits = exits(&entries(entry), &BTreeMap::from([(16, row(16)), (128, row(128) + 16.0)]));
        for length in [4.0, 16.0, 64.0, 96.0, 128.0] {
            assert!(close(found(&exits, length, false), 0.0), "{length}: {exits:?}");
        }
        assert!(close(found(&exits, 256.0, false), 21.0), "{exits:?}");
        assert!(close(found(&exits, 7.5, true), 0.0), "{exits:?}");
        assert!(close(found(&exits, 63.5, true), 16.0), "{exits:?}");
    }

    #[test]
    fn nothing_is_said_of_what_was_not_measured() {
        assert!(exits(&entries(|_| 1.0), &Entries::new()).is_empty());
        assert!(exits(&Entries::new(), &BTreeMap::from([(16, 4.0)])).is_empty());
    }
}
