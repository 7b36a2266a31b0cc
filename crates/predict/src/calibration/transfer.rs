//! How much of a ratio holds where a loop does not run as it did in the short run.
//!
//! Two things are known of a loop: what the cost model says, whose errors are mostly small and sometimes large, and measured /
//! predicted of the short run, which is off by what changes with the size: trips of loops overlap less, other levels of memory
//! answer. Errors of the cost model are taken as Student's t with two degrees of freedom, those of the ratio as normal, both of
//! logarithms; the factor is the mean of what both leave (robust Bayesian shrinkage: Dawid, Posterior expectations for large
//! observations, Biometrika 1973). So a ratio of 2 is believed, one of 1.1 for a loop of eight times as many iterations by half.

use super::Calibration;
use super::parts::{Part, Parts};
use super::regimes::Regime;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_cost::LoopTime;
use chronos_ir::{BlockId, BlockKind, Program};

/// The scale of the cost model's errors: their median is 0.82 of it, which was 6.8 % for 102 functions that nobody fitted
/// when this was chosen (7.4 % in docs/accuracy.md, with gcc -O2).
const MODEL: f64 = 0.083;
/// Two runs of the same.
const AGAIN: f64 = 0.02;
/// What each doubling of a loop's iterations adds: kernels of `PolyBench`, SMALL against MEDIUM.
pub(super) const DOUBLING: f64 = 0.08;
/// What another level of memory or vector length adds.
const OTHER_REGIME: f64 = 0.15;

/// Ratios further from 1 are as far.
const GREATEST: f64 = 20.0;
/// Points at which densities are added up.
const POINTS: i32 = 400;

/// What predicted times of a program are multiplied by.
#[derive(Clone, Debug)]
pub(crate) struct Factors {
    /// The ratio of the part that a block is in.
    ratios: Vec<f64>,
    /// The innermost loop around a block, itself where it is one.
    loops: Vec<Option<BlockId>>,
    /// How loops ran in the short run.
    regimes: FxHashMap<BlockId, Regime>,
}

impl Factors {
    /// Of a program.
    pub fn new(calibration: &Calibration, program: &Program) -> Self {
        let parts = Parts::new(program);
        let of_part: Vec<f64> =
            parts.names.iter().map(|part| calibration.ratios.get(part).map_or(1.0, |found| found.ratio)).collect();
        let ratios = program.blocks.ids().map(|block| parts.of(block).map_or(1.0, |part| of_part[part])).collect();
        let mut loops: Vec<Option<BlockId>> = Vec::with_capacity(program.blocks.len());
        let mut regimes = FxHashMap::default();
        for (id, block) in program.blocks.iter() {
            let is_loop = matches!(block.kind, BlockKind::Loop(_));
            let around = || block.parent.and_then(|parent| loops[parent.index()]);
            loops.push(if is_loop { Some(id) } else { around() });
            if let Some(regime) = calibration.regimes.get(&Part::of_loop(program, id)).filter(|_| is_loop) {
                regimes.insert(id, regime.clone());
            }
        }
        Self { ratios, loops, regimes }
    }

    /// Where loops run like this.
    pub fn where_loops_run(&self, loops: &[LoopTime]) -> FactorsHere<'_> {
        let mut here: FxHashMap<BlockId, (f64, f64)> = FxHashMap::default();
        for found in loops {
            let factor = self.factor(found.header, self.off(found));
            // Of several contexts the one that takes most.
            let known = here.entry(found.header).or_insert((found.time.0, factor));
            if found.time.0 > known.0 {
                *known = (found.time.0, factor);
            }
        }
        FactorsHere { all: self, here }
    }

    fn factor(&self, block: BlockId, off: f64) -> f64 {
        self.ratios.get(block.index()).map_or(1.0, |&ratio| believed(ratio, off))
    }

    /// The standard deviation of what the ratio of a loop is off.
    fn off(&self, found: &LoopTime) -> f64 {
        let here = Regime::of_time(found);
        let Some(short) = self.regimes.get(&found.header) else { return AGAIN.hypot(OTHER_REGIME) };
        let other = if here.differs(short).is_some() { OTHER_REGIME } else { 0.0 };
        AGAIN.hypot(DOUBLING * here.doublings(short)).hypot(other)
    }
}

/// What the times of a segment are multiplied by.
#[derive(Debug)]
pub(crate) struct FactorsHere<'f> {
    all: &'f Factors,
    here: FxHashMap<BlockId, (f64, f64)>,
}

impl FactorsHere<'_> {
    /// Of a block.
    pub fn of(&self, block: BlockId) -> f64 {
        let header = self.all.loops.get(block.index()).copied().flatten();
        let known = header.and_then(|header| self.here.get(&header));
        known.map_or_else(|| self.all.factor(block, AGAIN), |found| found.1)
    }
}

/// What is left of a ratio that is off by so much.
fn believed(ratio: f64, off: f64) -> f64 {
    let measured = ratio.clamp(1.0 / GREATEST, GREATEST).ln();
    let (from, to) = (measured.min(0.0) - 4.0 * off, measured.max(0.0) + 4.0 * off);
    let (mut mean, mut sum) = (0.0, 0.0);
    for point in 0..=POINTS {
        let error = from + (to - from) * f64::from(point) / f64::from(POINTS);
        let model = (1.0 + (error / MODEL).powi(2) / 2.0).powf(-1.5);
        let density = model * (-((measured - error) / off).powi(2) / 2.0).exp();
        mean += density * error;
        sum += density;
    }
    (mean / sum).exp()
}

#[cfg(test)]
mod tests {
    use super::believed;

    #[test]
    fn small_ratios_are_doubted_more_than_great_ones() {
        let far = 0.25;
        let kept = |ratio: f64, off| believed(ratio, off).ln() / ratio.ln();
        assert!(kept(1.1, 0.02) > 0.9 && kept(2.0, 0.02) > 0.99);
        assert!(kept(1.1, far) < 0.3 && kept(4.0, far) > 0.8);
        assert!((believed(1.0, far) - 1.0).abs() < 1e-9);
        assert!(believed(0.0, 0.02) < 0.06);
    }
}
