//! Efficiencies of parallel programs, as the POP centre of excellence defines them (POP standard metrics for parallel
//! performance analysis, Rosas, Gimenez, Labarta 2014).
//!
//! With C the computing times of the tasks and T the total: load balance = mean C / max C, communication = max C / T,
//! parallel = their product. Communication is the product of serialisation = max C / T' and transfer = T' / T, where T' is
//! the total on a network whose messages take no time.

use crate::Evaluated;
use crate::evaluation::Job;
use crate::replays::{Kept, Replays, unchanged};
use crate::target::Target;
use chronos_activity::{Activity, Step, TaskId, Work};
use chronos_base::units::Picoseconds;
use chronos_replay::ReplayResult;
use chronos_report::whatif::model::Efficiency;

/// Of what was evaluated; `None` where a task does not end, or nothing takes time. Computation scaling needs other
/// numbers of tasks.
pub fn efficiency(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Option<Efficiency> {
    let replays = Replays::new(job, target, evaluated);
    let result = replays.replay(&unchanged, &Kept::default()).result;
    let network = target.network.ideal();
    let ideal = Replays::new(job, Target { network: &network, ..target }, evaluated).total(&unchanged)?;
    of_times(&computing(&replays, &result), ideal, result.complete.then_some(result.total)?)
}

/// Seconds that each task computes, alone on its processor; calls and waiting for a shared processor are left out.
pub fn computing(replays: &Replays<'_>, result: &ReplayResult) -> Vec<f64> {
    // What is evaluated anew has no prices that could be added up.
    if replays.activity().timing_dependent {
        return result.tasks.iter().map(|task| task.compute.as_seconds()).collect();
    }
    let of_task = |(task, time): (TaskId, &chronos_replay::TaskTime)| {
        let segments = time.segments.iter();
        let priced = segments.map(|&(id, n)| replays.time(task, id, &unchanged).as_seconds() * n as f64).sum::<f64>();
        priced + given_time(replays.activity(), task).as_seconds()
    };
    (0..).map(TaskId).zip(&result.tasks).map(of_task).collect()
}

/// How long a task computes whose times are given, as those of a recorded run are.
pub fn given_time(activity: &Activity, task: TaskId) -> Picoseconds {
    activity.tasks.get(task.0 as usize).map_or(Picoseconds::ZERO, |steps| durations(steps))
}

fn durations(steps: &[Step]) -> Picoseconds {
    let one = |step: &Step| match step {
        Step::Work(Work::Time(time)) => *time,
        Step::Repeat(repeat) => durations(&repeat.steps).saturating_mul(repeat.times),
        _ => Picoseconds::ZERO,
    };
    steps.iter().map(one).fold(Picoseconds::ZERO, |sum, time| sum + time)
}

fn of_times(computing: &[f64], ideal: Picoseconds, total: Picoseconds) -> Option<Efficiency> {
    let greatest = computing.iter().copied().fold(0.0, f64::max);
    let mean = computing.iter().sum::<f64>() / computing.len().max(1) as f64;
    let (ideal, total) = (ideal.as_seconds(), total.as_seconds());
    let known = greatest > 0.0 && ideal > 0.0 && total > 0.0;
    known.then(|| Efficiency {
        load_balance: mean / greatest,
        serialisation: greatest / ideal,
        transfer: ideal / total,
        communication: greatest / total,
        parallel: mean / total,
        computation_scaling: None,
        global: None,
        ideal_network_s: ideal,
        mean_compute_s: mean,
        greatest_compute_s: greatest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks that compute 1 and 3 s of 6 s, 4 s of which remain without the time of messages.
    #[test]
    fn efficiencies_are_products_of_their_parts() {
        let second = 1_000_000_000_000;
        let found = of_times(&[1.0, 3.0], Picoseconds(4 * second), Picoseconds(6 * second)).unwrap();
        assert_eq!((found.load_balance, found.serialisation, found.communication), (2.0 / 3.0, 0.75, 0.5));
        assert!((found.load_balance * found.serialisation * found.transfer - found.parallel).abs() < 1e-15);
        assert!((found.parallel - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(of_times(&[0.0], Picoseconds(1), Picoseconds(1)), None);
    }
}
