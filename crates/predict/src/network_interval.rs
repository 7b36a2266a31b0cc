//! What the figures of a network leave open of a total.
//!
//! The activity is replayed with all figures at their best and at their worst. How far these totals lie from the
//! prediction is independent of how far computing times are off, so squares add up. This part must not know what makes
//! figures uncertain: the network file says how far they may be off.

use super::replays::{Replays, unchanged};
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
    let (best, worst) =
        rayon::join(|| at_end(End::Best, job, target, evaluated), || at_end(End::Worst, job, target, evaluated));
    let (Some(best), Some(worst)) = (best, worst) else { return };
    let network = [best.min(worst).min(total), best.max(worst).max(total)];
    prediction.computing_interval_s = Some(computing);
    prediction.interval_s = Some(joined(total, computing, network));
}

/// The total with the network at one end of what it may be, in seconds; `None` where the network states no
/// uncertainty or a task does not end.
fn at_end(end: End, job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Option<f64> {
    let network = target.network.at_end(end)?;
    let target = Target { network: &network, timeline: false, ..target };
    Some(Replays::new(job, target, evaluated).total(&unchanged)?.as_seconds())
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
