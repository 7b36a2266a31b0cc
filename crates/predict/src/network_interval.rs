//! What the figures of a network leave open of a total.
//!
//! The activity is replayed with all figures at their best and at their worst. How far these totals lie from the
//! prediction is independent of how far computing times are off, so squares add up. This part must not know what makes
//! figures uncertain: the network file says how far they may be off.

use super::replays::Replays;
use super::{Evaluated, Job, Target};
use chronos_base::diag::{Code, Diagnostic};
use chronos_machine::network::End;
use chronos_report::model::Prediction;

/// C0983: the interval is of computing alone.
pub static COMPUTING_ALONE: Code = Code {
    id: "C0983",
    title: "the interval is of computing alone",
    explanation: "What the program does depends on the order in which messages arrive, so that each further timing means to follow \
        it anew. Where the tasks do more than 100 million operations one by one, that is not done twice more for a better and a worse \
        network, and neither is a program run again (chronos run): the interval of the total then holds what computing times leave \
        open, and not what the network does. Predict with a faster and a slower network (--scale of a network file) to see what they make of it.",
};

/// All codes of this part.
pub static ALL: &[&Code] = &[&COMPUTING_ALONE];

/// Operations of all tasks up to which a program that depends on the order of arrival is followed anew for the interval.
const MOST_ANEW: u64 = 100_000_000;

/// Widens the interval of a prediction's total by what its network leaves open. Nothing changes where the prediction
/// has no interval, and where the network does not say how uncertain it is: then the interval is of computing alone. So it is,
/// with a note, where that would take too long, and where the program `ran`: following it without a run may have no end.
pub fn widen(
    prediction: &mut Prediction,
    job: &Job,
    target: Target<'_>,
    evaluated: &Evaluated,
    ran: bool,
) -> Option<Diagnostic> {
    let (total, computing) = prediction.total_s.zip(prediction.interval_s)?;
    if job.tasks < 2 {
        return None;
    }
    let ends = target.network.at_end(End::Best).zip(target.network.at_end(End::Worst))?;
    if evaluated.activity.timing_dependent && (ran || evaluated.found.operations > MOST_ANEW) {
        let text = "the interval of the total is of computing times alone: the program depends on the order of arrival, \
                    and is not followed anew on other networks";
        return Some(Diagnostic::note(&COMPUTING_ALONE, text));
    }
    let replays = Replays::new(job, target, evaluated);
    let (best, worst) = rayon::join(|| replays.total_over(ends.0), || replays.total_over(ends.1));
    let (best, worst) = best.zip(worst)?;
    let (best, worst) = (best.as_seconds(), worst.as_seconds());
    let network = [best.min(worst).min(total), best.max(worst).max(total)];
    prediction.computing_interval_s = Some(computing);
    prediction.interval_s = Some(joined(total, computing, network));
    None
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
