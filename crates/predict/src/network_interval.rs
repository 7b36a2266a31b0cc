//! What the figures of a network leave open of a total.
//!
//! The activity is replayed with all figures at their best and at their worst. How far these totals lie from the
//! prediction is independent of how far computing times are off, so squares add up. This part must not know what makes
//! figures uncertain: the network file says how far they may be off.

use super::replays::Replays;
use super::{Evaluated, Job, Target};
use chronos_machine::network::End;
use chronos_report::model::Prediction;

/// Widens the interval of a prediction's total by what its network leaves open. Nothing changes where the prediction
/// has no interval, and where the network does not say how uncertain it is: then the interval is of computing alone.
pub fn widen(prediction: &mut Prediction, job: &Job, target: Target<'_>, evaluated: &Evaluated) {
    let (Some(total), Some(computing)) = (prediction.total_s, prediction.interval_s) else { return };
    if job.tasks < 2 {
        return;
    }
    let Some(ends) = target.network.at_end(End::Best).zip(target.network.at_end(End::Worst)) else { return };
    let replays = Replays::new(job, target, evaluated);
    let (best, worst) = rayon::join(|| replays.total_over(ends.0), || replays.total_over(ends.1));
    let (Some(best), Some(worst)) = (best, worst) else { return };
    let (best, worst) = (best.as_seconds(), worst.as_seconds());
    let network = [best.min(worst).min(total), best.max(worst).max(total)];
    prediction.computing_interval_s = Some(computing);
    prediction.interval_s = Some(joined(total, computing, network));
}

/// Two intervals around a total that are independent of each other.
fn joined(total: f64, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let below = (total - a[0]).hypot(total - b[0]);
    let above = (a[1] - total).hypot(b[1] - total);
    [(total - below).max(0.0), total + above]
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn independent_errors_add_up_by_squares() {
        assert_eq!(joined(10.0, [7.0, 13.0], [6.0, 14.0]), [5.0, 15.0]);
        assert_eq!(joined(10.0, [10.0, 10.0], [9.0, 12.0]), [9.0, 12.0]);
        assert_eq!(joined(1.0, [0.1, 2.0], [0.1, 1.0])[0], 0.0);
    }
}
