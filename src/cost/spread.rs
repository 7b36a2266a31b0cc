//! How far a prediction may lie from the truth, for code of a kind: from the residuals of the calibration suite.

use crate::machine::Residuals;

/// What bounds a piece of code, as far as errors differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeKind {
    /// Iterations wait for each other.
    Latency,
    /// The processor executes no more per cycle.
    Throughput,
    /// Divisions and square roots.
    Division,
    /// Lines of memory.
    Memory,
    /// Branches that data decides, indices and trip counts that it gives.
    Irregular,
    /// Everything else: calls, code outside loops, code that is not optimised.
    Mixed,
}

impl CodeKind {
    /// The kinds of the suite's kernels that are alike; all of them for the last.
    fn alike(self) -> &'static [&'static str] {
        match self {
            Self::Latency => &["recurrence", "reduction"],
            Self::Throughput => &["stream", "stencil"],
            Self::Division => &["division"],
            Self::Memory => &["stream", "copy"],
            Self::Irregular => &["branch", "irregular"],
            Self::Mixed => &[],
        }
    }
}

/// A kind with fewer kernels says nothing of its tail.
const LEAST_KERNELS: u32 = 5;

/// The factor within which 90 % of the suite's times of this kind are predicted, either way; at least 1.
pub fn factor(residuals: &Residuals, kind: CodeKind) -> f64 {
    let of = |name: &&str| residuals.by_kind.get(*name).filter(|found| found.kernels >= LEAST_KERNELS);
    let known = kind.alike().iter().filter_map(of).map(|found| found.p90_factor).reduce(f64::max);
    known.unwrap_or_else(|| overall(residuals)).max(1.0)
}

fn overall(residuals: &Residuals) -> f64 {
    let ratios = residuals.by_kernel.values().map(|error| 1.0 + error).filter(|&ratio| ratio > 0.0);
    let mut factors: Vec<f64> = ratios.map(|ratio| ratio.max(1.0 / ratio)).collect();
    factors.sort_by(f64::total_cmp);
    let at = (0.9 * factors.len().saturating_sub(1) as f64).ceil() as usize;
    factors.get(at).copied().unwrap_or(1.0 + residuals.p90_relative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::KindResiduals;
    use std::collections::BTreeMap;

    #[test]
    fn kinds_with_enough_kernels_have_their_own_factor() {
        let kind = |kernels, p90_factor| KindResiduals { kernels, median_ratio: 1.0, p90_factor };
        let by_kind = [("recurrence", kind(3, 1.01)), ("reduction", kind(7, 1.2)), ("division", kind(2, 1.1))];
        let residuals = Residuals {
            kernels: 12,
            median_relative: 0.1,
            p90_relative: 0.5,
            max_relative: 0.9,
            by_kernel: BTreeMap::new(),
            by_kind: by_kind.into_iter().map(|(name, found)| (name.to_owned(), found)).collect(),
        };
        assert_eq!(factor(&residuals, CodeKind::Latency), 1.2);
        assert_eq!(factor(&residuals, CodeKind::Division), 1.5);
        assert_eq!(factor(&residuals, CodeKind::Mixed), 1.5);
        // Half and twice are as far.
        let by_kernel = [("a", 0.0), ("b", -0.5)].map(|(name, error)| (name.to_owned(), error)).into();
        assert_eq!(factor(&Residuals { by_kernel, ..residuals }, CodeKind::Mixed), 2.0);
    }
}
