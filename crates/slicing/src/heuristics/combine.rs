//! Joining what several heuristics say of one branch.

/// The probability that a condition is true, from several independent ones for it: the rule of Dempster and
/// Shafer for two outcomes, as Wu and Larus use it. One half where there are none.
pub fn combined(evidence: impl Iterator<Item = f64>) -> f64 {
    evidence.fold(0.5, |p, q| {
        let (both, neither) = (p * q, (1.0 - p) * (1.0 - q));
        if both + neither > 0.0 { both / (both + neither) } else { 0.5 }
    })
}

#[cfg(test)]
mod tests {
    use super::combined;

    #[test]
    fn one_half_says_nothing_and_opposites_cancel() {
        assert_eq!(combined([].into_iter()), 0.5);
        assert!((combined([0.84].into_iter()) - 0.84).abs() < 1e-12);
        assert!((combined([0.84, 0.16].into_iter()) - 0.5).abs() < 1e-12);
        // The example of Wu and Larus, section 3: 88 % and 78 % give 96 %.
        assert!((combined([0.88, 0.78].into_iter()) - 0.963).abs() < 1e-3);
    }
}
