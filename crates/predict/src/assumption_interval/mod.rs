//! What assumed probabilities and numbers of iterations leave open of a total.
//!
//! Each assumption may be off as its kind says (`chronos_slicing::heuristics::Spread`), independently of the others. Cases are
//! drawn together, evenly over each assumption's distribution (Latin hypercube sampling, Technometrics 21, 1979)
//! and with a fixed seed. The total of a case is that of the critical path, or of a task that takes longer then, where the
//! time of each block is multiplied with the factors of the loops and branches around it. The cases at both ends of nine
//! tenths are then replayed. Assumptions are of orders of magnitude: they are joined with other errors in the logarithm.
//!
//! This part must not know what is assumed, nor why it may be off.

mod cases;
mod governed;
mod leaving;
mod lines;

use crate::evaluation::Job;
use crate::replays::{Kept, Remaining, Replays, unchanged};
use crate::target::Target;
use crate::{Evaluated, report_sections};
use cases::Cases;
use chronos_ir::BlockId;
use chronos_report::model::{Assumption, Prediction};
use chronos_slicing::heuristics::Assumed;
use governed::Governed;
use lines::Lines;

/// Widens the interval of a prediction's total by what is assumed of its branches and loops, and says by how much each
/// assumption alone does. Nothing changes where the prediction has no interval.
pub fn widen(prediction: &mut Prediction, job: &Job, target: Target<'_>, evaluated: &Evaluated) {
    let (Some(total), Some(interval)) = (prediction.total_s, prediction.interval_s) else { return };
    let known: Vec<&(BlockId, Assumed)> = evaluated.found.assumed.iter().filter(|(_, a)| a.spread.varies()).collect();
    if known.is_empty() || total <= 0.0 {
        return;
    }
    let replays = Replays::new(job, target, evaluated);
    let Some(open) = Open::new(job, &replays, &known, total) else { return };
    let told = open.worth_telling(total);
    for (at, (block, assumed)) in known.iter().enumerate() {
        let place = report_sections::placed(&job.program, *block);
        let is_it = |a: &&mut Assumption| (&a.file, a.line) == (&place.0, place.1) && a.text == assumed.text;
        let mut free = prediction.assumptions.iter_mut().filter(|assumption| assumption.range.is_none());
        if let Some(assumption) = free.find(is_it) {
            assumption.range = Some(open.cases.range(at));
            assumption.total_s = told.contains(&at).then(|| open.alone(at));
        }
    }
    let [low, high] = open.bounds(&replays);
    let assumed = [low.min(total), high.max(total)];
    let joined = |own: [f64; 2]| joined(total, own, assumed);
    prediction.assumed_interval_s = Some(assumed);
    prediction.computing_interval_s = prediction.computing_interval_s.map(joined);
    prediction.interval_s = Some(joined(interval));
}

/// Of one assumption alone every so many cases are looked at.
const STEP: usize = 10;
/// Of so many assumptions it is told what they alone make of the total, and only where they govern this share of it.
const MOST_TOLD: usize = 32;
const LEAST_SHARE: f64 = 1e-3;

/// What is open of a total.
struct Open {
    cases: Cases,
    governed: Governed,
    lines: Lines,
    /// The prediction over what the lines make of it, which is less where no critical path is known.
    scale: f64,
}

impl Open {
    /// `None` where the activity is not replayed to its end.
    fn new(job: &Job, replays: &Replays<'_>, known: &[&(BlockId, Assumed)], total: f64) -> Option<Self> {
        let replayed = replays.replay(&unchanged, &Kept::path());
        if !replayed.result.complete {
            return None;
        }
        let blocks: Vec<BlockId> = known.iter().map(|(block, _)| *block).collect();
        let leaving = leaving::leaving(job, known, &replayed);
        let governed = Governed::new(&job.program, &blocks, &leaving, &replayed.segments);
        let lines = Lines::new(replays, &replayed, &governed);
        let scale = total / lines.total(&|_| 1.0);
        Some(Self { cases: Cases::new(known), governed, lines, scale })
    }

    fn total(&self, factor: impl Fn(usize, governed::Way) -> f64) -> f64 {
        let factors: Vec<f64> =
            self.governed.sets().map(|set| set.iter().map(|&(at, way)| factor(at, way)).product()).collect();
        self.scale * self.lines.total(&|set| factors[set])
    }

    /// Assumptions that say how often something is executed that takes time, those of most time.
    fn worth_telling(&self, total: f64) -> Vec<usize> {
        let time = |at: usize| self.lines.longest(&|set| self.governed.depends(set, at));
        let mut found: Vec<(f64, usize)> = (0..self.cases.assumptions()).map(|at| (time(at), at)).collect();
        found.retain(|(seconds, _)| *seconds >= LEAST_SHARE * total);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().take(MOST_TOLD).map(|(_, at)| at).collect()
    }

    /// The total in nine of ten cases, where one assumption alone is off.
    fn alone(&self, at: usize) -> [f64; 2] {
        let case = |case| self.total(|other, way| if other == at { self.cases.alone(at, case, way) } else { 1.0 });
        let mut totals: Vec<f64> = (0..cases::NUMBER).step_by(STEP).map(case).collect();
        totals.sort_by(f64::total_cmp);
        cases::ENDS.map(|end| totals[end / STEP])
    }

    /// The total in nine of ten cases.
    fn bounds(&self, replays: &Replays<'_>) -> [f64; 2] {
        let mut totals: Vec<(f64, usize)> =
            (0..cases::NUMBER).map(|case| (self.total(|at, way| self.cases.together(at, case, way)), case)).collect();
        totals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let end = |end: usize| {
            let (seconds, case) = totals[end];
            // Another course of the program would be evaluated anew.
            if replays.activity().timing_dependent { seconds } else { self.replayed(replays, case).unwrap_or(seconds) }
        };
        let (low, high) = rayon::join(|| end(cases::ENDS[0]), || end(cases::ENDS[1]));
        [low, high]
    }

    fn replayed(&self, replays: &Replays<'_>, case: usize) -> Option<f64> {
        let remaining: &Remaining<'_> = &|_, entry, _| {
            let set = self.governed.set(entry.context, entry.block);
            set.iter().map(|&(at, way)| self.cases.together(at, case, way)).product()
        };
        replays.total(remaining).map(chronos_base::units::Picoseconds::as_seconds)
    }
}

/// Two intervals around a total that are independent of each other, in the logarithm.
fn joined(total: f64, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let off = |bound: f64| (bound.max(total * 1e-6) / total).ln();
    let both = |end: usize| off(a[end]).hypot(off(b[end]));
    [total * (-both(0)).exp(), total * both(1).exp()]
}

#[cfg(test)]
mod tests;
