//! How much the work must grow with the tasks so that the efficiency stays (Grama, Gupta, Kumar, IEEE Parallel &
//! Distributed Technology 1(3), 1993).

use super::{Tasks, least_squares};
use chronos_base::units::Seconds;

/// `work = coefficient * N^exponent` keeps the efficiency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isoefficiency {
    /// Of the work in seconds on one task.
    pub coefficient: f64,
    /// 1 where work in proportion to the tasks is enough; less is better.
    pub exponent: f64,
    /// Root of the mean square of the relative errors of the work, in percent.
    pub rms_percent: f64,
}

/// From amounts of work, each with the number of tasks up to which the efficiency holds; `None` with fewer than three, or
/// where all have the same number of tasks.
pub fn isoefficiency(points: &[(Seconds, Tasks)]) -> Option<Isoefficiency> {
    let points: Vec<(f64, f64)> =
        points.iter().filter(|(w, n)| w.0 > 0.0 && n.0 > 0.0).map(|(w, n)| (w.0, n.0)).collect();
    let columns = [vec![1.0; points.len()], points.iter().map(|(_, n)| n.ln()).collect()];
    let logs: Vec<f64> = points.iter().map(|(work, _)| work.ln()).collect();
    let found = least_squares::solve(&columns, &logs).filter(|_| points.len() >= 3)?;
    let (coefficient, exponent) = (found[0].exp(), found[1]);
    let error = |&(work, n): &(f64, f64)| (coefficient * n.powf(exponent) / work - 1.0).powi(2);
    let mean = points.iter().map(error).sum::<f64>() / points.len() as f64;
    Some(Isoefficiency { coefficient, exponent, rms_percent: 100.0 * mean.sqrt() })
}
