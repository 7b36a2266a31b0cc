//! How far a prediction may lie from the truth: from the residuals of the calibration suite, those of kernels that are
//! like the code most of all.
//!
//! A loop is like a kernel that the same thing bounds, that iterates about as often per entry, and that runs on vectors
//! if it does. The likenesses are weights; where no kernel is like the loop, all count the same and few effective
//! residuals make the interval wide.

pub use chronos_machine::CodeKind;
use chronos_machine::{KernelShape, Residuals};

/// What errors depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// What bounds the loop.
    pub kind: CodeKind,
    /// Logarithm to base 2 of the iterations per entry, rounded.
    pub(crate) doublings: u8,
    /// Whether it runs on vectors.
    pub vectorised: bool,
}

impl Shape {
    /// Of a loop with so many iterations per entry; more than one lane is a vector.
    pub fn of_loop(kind: CodeKind, trips: f64, lanes: u32) -> Self {
        Self { kind, doublings: doublings(trips), vectorised: lanes > 1 }
    }

    /// Of code outside loops.
    pub fn outside() -> Self {
        Self { kind: CodeKind::Mixed, doublings: MOST_DOUBLINGS, vectorised: false }
    }

    fn of_kernel(shape: &KernelShape) -> Self {
        Self { kind: shape.kind, doublings: doublings(shape.trips), vectorised: shape.vectorised }
    }
}

/// Loops of more iterations are alike in that: what they do once no longer counts.
const MOST_DOUBLINGS: u8 = 9;

fn doublings(trips: f64) -> u8 {
    trips.max(1.0).log2().round().min(f64::from(MOST_DOUBLINGS)) as u8
}

// By leaving out each kernel in turn and predicting its interval from the others, at the four levels: those with which
// kernels of each kind, not only all together, are covered in nine of ten cases (0.89 to 0.92; others around these do so too).
/// What another kind takes off the logarithm of a weight.
const OTHER_KIND: f64 = 4.0;
/// Standard deviation of likeness in doublings.
const DOUBLINGS: f64 = 3.0;
/// Most kernels of the suite are known to whoever makes the rules: of those that are not (microbench/unseen.c), left
/// out in turn, 85 % lie within what the residuals say, and 90 % within this many times that.
const UNSEEN: f64 = 1.25;
/// What vectors against scalars take off.
const OTHER_WIDTH: f64 = 1.0;
/// The least weight.
const UNLIKE: f64 = 0.01;

fn weight(a: Shape, b: Shape) -> f64 {
    let apart = f64::from(a.doublings.abs_diff(b.doublings)) / DOUBLINGS;
    let kind = if a.kind == b.kind { 0.0 } else { OTHER_KIND };
    let width = if a.vectorised == b.vectorised { 0.0 } else { OTHER_WIDTH };
    (-(kind + width + apart * apart / 2.0)).exp().max(UNLIKE)
}

/// The factors on a predicted time between which 90 % of measured ones lie, for code of this shape: at most 1 and at
/// least 1. They are weighted quantiles of the suite's errors, drawn away from their median as a prediction interval
/// from so many residuals is against one from many (Student's t against the normal quantile, and the error of the
/// centre). Without residuals by kernel: the suite's 90th percentile either way.
pub fn factors(residuals: &Residuals, shape: Shape) -> (f64, f64) {
    let mut errors: Vec<(f64, f64)> = Vec::new();
    for (name, error) in residuals.by_kernel.iter().filter(|(_, error)| **error > -1.0) {
        let weight = residuals.shapes.get(name).map_or(1.0, |known| weight(shape, Shape::of_kernel(known)));
        errors.push((-error.ln_1p(), weight));
    }
    if errors.is_empty() {
        let factor = 1.0 + residuals.p90_relative;
        return (1.0 / factor, factor);
    }
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let sum: f64 = errors.iter().map(|error| error.1).sum();
    let squares: f64 = errors.iter().map(|error| error.1 * error.1).sum();
    let median = quantile(&errors, 0.5 * sum);
    let bound = |share: f64| median + (quantile(&errors, share * sum) - median) * widening(sum * sum / squares);
    ((UNSEEN * bound(0.05).min(0.0)).exp(), (UNSEEN * bound(0.95).max(0.0)).exp())
}

/// The first of sorted values that, with those before it, has at least this weight.
fn quantile(sorted: &[(f64, f64)], wanted: f64) -> f64 {
    let mut weight = 0.0;
    let reached = sorted.iter().find(|value| {
        weight += value.1;
        weight >= wanted
    });
    reached.or(sorted.last()).map_or(0.0, |value| value.0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Kernels of two kinds: measured / predicted of those of the first spread by `a` either way, of the second by `b`.
    fn residuals(a: f64, b: f64) -> Residuals {
        let mut found = Residuals {
            kernels: 80,
            median_relative: 0.1,
            p90_relative: 0.5,
            max_relative: 0.9,
            by_kernel: BTreeMap::new(),
            by_kind: BTreeMap::new(),
            shapes: BTreeMap::new(),
        };
        for (kind, spread) in [(CodeKind::Latency, a), (CodeKind::Irregular, b)] {
            for n in 0..40 {
                let name = format!("{kind:?}{n}");
                let share = f64::from(n) / 39.0 * 2.0 - 1.0;
                found.by_kernel.insert(name.clone(), (spread * share).exp() - 1.0);
                found.shapes.insert(name, KernelShape { kind, trips: 500.0, vectorised: false });
            }
        }
        found
    }

    fn check(residuals: &Residuals, kind: CodeKind, trips: f64) -> String {
        let (below, above) = factors(residuals, Shape::of_loop(kind, trips, 1));
        format!("{below:.2} {above:.2}")
    }

    #[test]
    fn kernels_that_are_alike_count_most() {
        let found = residuals(0.05, 1.0);
        // The others' share is a fiftieth of the whole.
        insta::assert_snapshot!(check(&found, CodeKind::Latency, 500.0), @"0.94 1.06");
        insta::assert_snapshot!(check(&found, CodeKind::Irregular, 500.0), @"0.31 3.20");
        // Nothing in the suite is like that.
        insta::assert_snapshot!(check(&found, CodeKind::Memory, 2.0), @"0.36 2.75");
    }

    #[test]
    fn errors_in_one_direction_widen_that_side() {
        let mut found = residuals(0.2, 0.2);
        found.by_kernel.values_mut().for_each(|error| *error = error.abs());
        let (below, above) = factors(&found, Shape::of_loop(CodeKind::Latency, 500.0, 1));
        // All were predicted too slow.
        assert!(below < 0.85 && above < 1.03, "{below} {above}");
    }

    #[test]
    fn without_kernels_the_suite_as_a_whole_counts() {
        let mut found = residuals(0.1, 0.1);
        found.by_kernel.clear();
        assert_eq!(factors(&found, Shape::outside()), (1.0 / 1.5, 1.5));
    }

    #[test]
    fn few_residuals_widen() {
        // Student's t at 95 %: 2.132 with 4 degrees of freedom, 1.833 with 9.
        assert!((widening(5.0) / (2.132 / 1.645 * 1.2f64.sqrt()) - 1.0).abs() < 0.01);
        assert!((widening(10.0) / (1.833 / 1.645 * 1.1f64.sqrt()) - 1.0).abs() < 0.01);
    }
}
