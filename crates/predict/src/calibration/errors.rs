//! How far calibrated times may be off: the spread that the short run showed, or the cost model's own errors where it showed none.

use super::Calibration;
use super::parts::{Part, Parts};
use super::regimes::Regime;
use super::transfer::DOUBLING;
use chronos_base::hash::FxHashMap;
use chronos_cost::{LoopTime, Shape, intervals};
use chronos_ir::{BlockId, Program};
use chronos_machine::Residuals;

/// From the standard deviation of normal errors to the half width of a 90 % interval.
const NINETY: f64 = 1.645;
/// The least half width: what two runs of the same are apart on a machine that is shared.
const LEAST: f64 = 0.10;
/// The factors between which calibrated times lie.
#[derive(Clone, Debug)]
pub(crate) struct CalibratedErrors {
    of_loop: FxHashMap<BlockId, (f64, f64)>,
    /// Of code outside loops.
    outside: (f64, f64),
}

impl CalibratedErrors {
    /// Nothing but the spread of the whole run.
    pub fn new(calibration: &Calibration) -> Self {
        Self { of_loop: FxHashMap::default(), outside: within(calibration.spread, 0.0) }
    }

    /// Counts an execution of a loop; without residuals of the cost model nothing is known of one that the short run does not tell of.
    pub fn add(
        &mut self,
        found: &LoopTime,
        shape: Shape,
        program: &Program,
        parts: &Parts,
        calibration: &Calibration,
        residuals: Option<&Residuals>,
    ) {
        let ratio = parts.of(found.header).and_then(|part| calibration.ratios.get(&parts.names[part]));
        let short = calibration.regimes.get(&Part::of_loop(program, found.header));
        let here = Regime::of_time(found);
        let holds = short.is_some_and(|short| here.differs(short).is_none());
        let doublings = short.map_or(0.0, |short| here.doublings(short));
        let spread = ratio.map_or((1.0, 1.0), |ratio| within(ratio.spread, doublings));
        let (least, most) = match residuals.filter(|_| !holds || ratio.is_none()) {
            Some(residuals) => wider(intervals::factors(residuals, shape), spread),
            None => spread,
        };
        let known = self.of_loop.entry(found.header).or_insert((least, most));
        *known = wider(*known, (least, most));
    }

    /// Of a loop, or of code outside loops.
    pub fn factors(&self, header: Option<BlockId>) -> (f64, f64) {
        header.and_then(|header| self.of_loop.get(&header)).copied().unwrap_or(self.outside)
    }
}

fn within(spread: f64, doublings: f64) -> (f64, f64) {
    let width = 1.0 + (NINETY * spread).max(LEAST) + NINETY * DOUBLING * doublings;
    (1.0 / width, width)
}

fn wider(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}
