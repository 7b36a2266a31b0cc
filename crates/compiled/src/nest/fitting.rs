//! Weights of ways that agree with what is known of parts of them.
//!
//! Where a jump tests a condition of which no instruction tells how often it holds, the probability of a way is a guess. How often
//! blocks and loops behind it run is known all the same: weights are scaled to these shares in turn, which leaves what
//! else was known of them as it is (iterative proportional fitting; W. E. Deming and F. F. Stephan, 1940).

/// How much of all weight lies on some of the ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// Which ways.
    pub ways: Vec<bool>,
    /// Their weight, of 1.
    pub of_all: f64,
}

/// Shares that contradict each other end nowhere: each had its turn so often.
const TURNS: usize = 20;
/// What is less is nothing.
const NOTHING: f64 = 1e-9;

/// Scales weights, which are 1 together, to the shares. One that all of the weight is of, or nothing, tells nothing of them.
pub fn fit(weights: &mut [f64], shares: &[Share]) {
    for _ in 0..if shares.len() > 1 { TURNS } else { 1 } {
        for share in shares {
            let own = weights.iter().zip(&share.ways).filter(|(_, own)| **own);
            let now: f64 = own.map(|(weight, _)| weight).sum();
            if !(NOTHING..=1.0 - NOTHING).contains(&now) {
                continue;
            }
            let [on, off] = [share.of_all / now, (1.0 - share.of_all) / (1.0 - now)];
            weights.iter_mut().zip(&share.ways).for_each(|(weight, own)| *weight *= if *own { on } else { off });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Share, fit};

    fn check(weights: &[f64], shares: &[(&[bool], f64)]) -> String {
        let mut weights = weights.to_vec();
        let shares: Vec<_> = shares.iter().map(|&(ways, of_all)| Share { ways: ways.to_vec(), of_all }).collect();
        fit(&mut weights, &shares);
        format!("{weights:.3?}")
    }

    #[test]
    fn what_no_share_tells_stays_in_proportion() {
        assert_eq!(check(&[0.5, 0.3, 0.2], &[(&[true, false, false], 0.2)]), "[0.200, 0.480, 0.320]");
    }

    #[test]
    fn two_shares_are_fitted_in_turn() {
        // A way to neither of two loops, one to the first, and one to both.
        assert_eq!(
            check(&[0.25, 0.35, 0.4], &[(&[false, true, true], 0.6), (&[false, false, true], 0.1)]),
            "[0.400, 0.500, 0.100]"
        );
    }

    #[test]
    fn nothing_and_all_tell_nothing() {
        assert_eq!(
            check(&[0.5, 0.5], &[(&[true, false], 0.0), (&[true, false], 0.5), (&[true, true], 0.3)]),
            "[0.000, 1.000]"
        );
    }
}
