//! How much worse a part may become before the program takes 1, 2 or 5 % longer (LLAMP: Shen and others, SC 2024).
//!
//! The total is the longest of many paths, and each path is linear in the time of a part. So the total is piecewise
//! linear and convex, and where both ends of a stretch lie on one line, what is between them is known exactly. Nothing
//! but full replays is used: the bound of a growth is where secants of the stretch that holds it meet the total.

use crate::codes;
use crate::study::Study;
use chronos_base::diag::Diagnostic;
use chronos_machine::scale::Factor;
use chronos_predict::Target;
use chronos_predict::replays::{Replays, unchanged};
use chronos_report::whatif::model::Tolerance;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What becomes worse: parts of the network as `--scale` names them, and computing.
pub const PARTS: [&str; 4] = ["network.latency", "network.bandwidth", "network.overhead", "compute"];

/// Growth of the total, in percent.
const PERCENTS: [u32; 3] = [1, 2, 5];

/// No factor beyond is looked at.
const MOST_FACTOR: f64 = 1024.0;

/// Times differ by less where they are on one line: each message is rounded to a picosecond.
const SAME: f64 = 1e-9;

/// Stretches are halved so often at most in search of breakpoints.
const DEPTH: u32 = 8;

/// Of all parts; nothing where the order of arrival decides what the program does, because then the total is no convex
/// function of anything.
pub fn tolerance(study: &Study<'_>) -> Vec<Tolerance> {
    let parts = PARTS.iter().filter(|_| !study.base.activity().timing_dependent);
    parts.map(|part| Curve { study, part, known: BTreeMap::new() }.tolerance()).collect()
}

/// Says that there is no tolerance of a program that depends on the order of arrival.
pub fn without_order() -> Diagnostic {
    let message = "the tolerance is left out: the order of messages decides what the program does";
    Diagnostic::warning(&codes::DEPENDS_ON_ARRIVAL, message)
        .help("ask with single values, --scale network.latency=0.5 say, where the program is followed again")
}

/// The total by the factor by which a part takes longer.
struct Curve<'s, 'a> {
    study: &'s Study<'a>,
    part: &'static str,
    /// By the bits of the factor, which order positive numbers.
    known: BTreeMap<u64, f64>,
}

impl Curve<'_, '_> {
    fn tolerance(mut self) -> Tolerance {
        let base = self.study.total;
        let factors: BTreeMap<u32, Option<f64>> = PERCENTS
            .into_iter()
            .map(|percent| (percent, self.bound(base * (1.0 + f64::from(percent) / 100.0))))
            .collect();
        let step = 1e-3;
        let growth = (self.total(1.0 + step) - base) / step;
        let mut breakpoints = Vec::new();
        if let Some(Some(end)) = factors.get(&5) {
            self.breakpoints(1.0, *end, DEPTH, &mut breakpoints);
        }
        let latency = self.study.target.network.between_nodes.latency_ns.at(0).as_seconds();
        let latency_s = || factors.iter().map(|(&percent, factor)| (percent, factor.map(|x| x * latency))).collect();
        Tolerance {
            part: self.part,
            sensitivity: if base > 0.0 { growth / base } else { 0.0 },
            latency_s: (self.part == "network.latency").then(latency_s),
            factors,
            most_factor: MOST_FACTOR,
            breakpoints,
        }
    }

    fn total(&mut self, factor: f64) -> f64 {
        if let Some(&known) = self.known.get(&factor.to_bits()) {
            return known;
        }
        let study = self.study;
        let found = if self.part == "compute" {
            study.base.total(&|_, _, _| factor)
        } else {
            let worse = Factor { key: self.part.to_owned(), factor: 1.0 / factor };
            study.target.network.scaled(&[worse]).ok().and_then(|network| {
                let target = Target { network: &network, ..study.target };
                Replays::of(study.job, target, Cow::Borrowed(study.base.activity())).total(&unchanged)
            })
        };
        // The base ends, and what only takes longer ends as well.
        let seconds = found.map_or(f64::INFINITY, |total| total.as_seconds());
        self.known.insert(factor.to_bits(), seconds);
        seconds
    }

    /// The greatest factor with which the total is at most `limit`; `None` where it is beyond [`MOST_FACTOR`].
    fn bound(&mut self, limit: f64) -> Option<f64> {
        let (mut below, mut above) = (1.0, 2.0);
        while self.total(above) <= limit {
            if above >= MOST_FACTOR {
                return None;
            }
            (below, above) = (above, above * 2.0);
        }
        for _ in 0..100 {
            let (low, high) = (self.total(below), self.total(above));
            // The secant of a convex curve lies above it, so the curve is below the limit where the secant meets it.
            let secant = below + (above - below) * (limit - low) / (high - low);
            let found = self.total(secant);
            if limit - found <= SAME * limit || above - below <= SAME * above {
                return Some(secant);
            }
            below = secant;
            let middle = f64::midpoint(below, above);
            if self.total(middle) <= limit {
                below = middle;
            } else {
                above = middle;
            }
        }
        Some(below)
    }

    /// Where the slope of a stretch changes: lines through both ends of its first and last part meet there, or it is
    /// divided.
    fn breakpoints(&mut self, from: f64, to: f64, depth: u32, found: &mut Vec<f64>) {
        let step = (to - from) / 64.0;
        let (first, last) = (self.total(from), self.total(to));
        let begin = (self.total(from + step) - first) / step;
        let end = (last - self.total(to - step)) / step;
        let is_line = (last - first - begin * (to - from)).abs() <= 1e3 * SAME * first;
        if is_line || depth == 0 {
            return;
        }
        let meeting = (last - first + begin * from - end * to) / (begin - end);
        let inside = meeting.is_finite() && meeting > from + step && meeting < to - step;
        if inside && (self.total(meeting) - first - begin * (meeting - from)).abs() <= 1e2 * SAME * first {
            return found.push(meeting);
        }
        let middle = if inside { meeting } else { f64::midpoint(from, to) };
        self.breakpoints(from, middle, depth - 1, found);
        self.breakpoints(middle, to, depth - 1, found);
    }
}
