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

/// What all kinds together say weighs as much as this number of a kind's own kernels: few residuals say little of
/// the tail.
const PRIOR_KERNELS: f64 = 4.0;

/// The factor within which 90 % of times of this kind are predicted, either way; at least 1. The logarithms of the
/// kinds' 90th percentiles are pooled with that of all kernels, then widened as a prediction interval from so many
/// residuals is against one from many (Student's t against the normal quantile, and the error of the centre).
pub fn factor(residuals: &Residuals, kind: CodeKind) -> f64 {
    let all = overall(residuals).max(1.0).ln();
    let known = kind.alike().iter().filter_map(|name| residuals.by_kind.get(*name));
    let (mut kernels, mut sum) = (0.0, 0.0);
    for found in known {
        kernels += f64::from(found.kernels);
        sum += f64::from(found.kernels) * found.p90_factor.max(1.0).ln();
    }
    let total = f64::from(residuals.kernels).max(kernels);
    let prior = if kernels > 0.0 { PRIOR_KERNELS } else { total.max(1.0) };
    let pooled = (sum + prior * all) / (kernels + prior);
    (pooled * widening(kernels + prior)).exp()
}

/// Student's t at 95 % with `n - 1` degrees of freedom over the normal quantile, times what the uncertain centre adds.
/// The t quantile by its expansion in 1 / degrees of freedom (Abramowitz and Stegun 26.7.5).
fn widening(n: f64) -> f64 {
    const Z: f64 = 1.6449;
    let freedom = (n - 1.0).max(1.0);
    let t = Z
        + (Z.powi(3) + Z) / (4.0 * freedom)
        + (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * freedom * freedom);
    t / Z * (1.0 + 1.0 / n.max(1.0)).sqrt()
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

    fn residuals(by_kind: &[(&str, u32, f64)]) -> Residuals {
        let kind = |&(name, kernels, p90_factor): &(&str, u32, f64)| {
            (name.to_owned(), KindResiduals { kernels, median_ratio: 1.0, p90_factor })
        };
        Residuals {
            kernels: 40,
            median_relative: 0.1,
            p90_relative: 0.5,
            max_relative: 0.9,
            by_kernel: BTreeMap::new(),
            by_kind: by_kind.iter().map(kind).collect(),
        }
    }

    #[test]
    fn kinds_lie_between_their_own_residuals_and_all() {
        let few = factor(&residuals(&[("division", 2, 1.05)]), CodeKind::Division);
        let many = factor(&residuals(&[("division", 60, 1.05)]), CodeKind::Division);
        assert!(1.05 < many && many < few && few < 1.8, "{many} {few}");
        assert!(many < 1.1, "{many}");
    }

    #[test]
    fn what_no_kind_is_like_has_the_spread_of_all() {
        let found = factor(&residuals(&[("division", 20, 1.05)]), CodeKind::Mixed);
        assert!((1.5..1.6).contains(&found), "{found}");
        // Half and twice are as far.
        let by_kernel = [("a", 0.0), ("b", -0.5)].map(|(name, error)| (name.to_owned(), error)).into();
        let halved = Residuals { by_kernel, ..residuals(&[]) };
        assert!((factor(&halved, CodeKind::Mixed) / (2f64.ln() * widening(40.0)).exp() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn few_residuals_widen() {
        // Student's t at 95 %: 2.132 with 4 degrees of freedom, 1.833 with 9.
        assert!((widening(5.0) / (2.132 / 1.645 * 1.2f64.sqrt()) - 1.0).abs() < 0.01);
        assert!((widening(10.0) / (1.833 / 1.645 * 1.1f64.sqrt()) - 1.0).abs() < 0.01);
    }
}
