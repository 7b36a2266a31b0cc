//! Efficiencies of parallel programs, as the POP centre of excellence defines them (POP standard metrics for parallel
//! performance analysis, Rosas, Gimenez, Labarta 2014).
//!
//! With C the computing times of the tasks and T the total: load balance = mean C / max C, communication = max C / T,
//! parallel = their product. Communication is the product of serialisation = max C / T' and transfer = T' / T, where T' is
//! the total on a network whose messages take no time
//! (of many tasks a picosecond between nodes: [`chronos_machine::network::Network::nearly_ideal`]).

use crate::Evaluated;
use crate::evaluation::Job;
use crate::replays::{Kept, Replays, unchanged};
use crate::target::Target;
use chronos_activity::executed::executed_segments;
use chronos_activity::{Activity, SegmentId, Step, TaskId, Work};
use chronos_base::units::Picoseconds;
use chronos_report::whatif::model::Efficiency;

/// From so many tasks on, messages of the ideal network take the least time there is.
const MANY_TASKS: usize = 256;

/// Of what was evaluated, as [`efficiency_of`] has it.
pub fn efficiency(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Option<Efficiency> {
    let total = Replays::new(job, target, evaluated).total(&unchanged)?;
    efficiency_of(job, target, evaluated, total.as_seconds())
}

/// Of what was evaluated, whose last task ends after `total` seconds; `None` where a task does not end on the ideal network, or nothing
/// takes time. Computation scaling needs other numbers of tasks.
pub fn efficiency_of(job: &Job, target: Target<'_>, evaluated: &Evaluated, total: f64) -> Option<Efficiency> {
    // Few tasks are replayed soon enough on the ideal network itself.
    let many = evaluated.activity.tasks.len() >= MANY_TASKS;
    let network = if many { target.network.nearly_ideal() } else { target.network.ideal() };
    let ideal = Replays::new(job, Target { network: &network, ..target }, evaluated).total(&unchanged)?;
    of_times(&computing(&Replays::new(job, target, evaluated)), ideal.as_seconds(), total)
}

/// Seconds that each task computes, alone on its processor; calls and waiting for a shared processor are left out.
fn computing(replays: &Replays<'_>) -> Vec<f64> {
    let activity = replays.activity();
    // What an order of arrival decides has no steps and no prices that could be added up.
    if activity.timing_dependent {
        let result = replays.replay(&unchanged, &Kept::default()).result;
        return result.tasks.iter().map(|task| task.compute.as_seconds()).collect();
    }
    (0..).map(TaskId).zip(&activity.tasks).map(|(task, steps)| of_steps(replays, task, steps)).collect()
}

fn of_steps(replays: &Replays<'_>, task: TaskId, steps: &[Step]) -> f64 {
    let time = |(&id, &count): (&SegmentId, &u64)| replays.time(task, id, &unchanged).as_seconds() * count as f64;
    executed_segments(steps).iter().map(time).sum::<f64>() + durations(steps).as_seconds()
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

fn of_times(computing: &[f64], ideal: f64, total: f64) -> Option<Efficiency> {
    let greatest = computing.iter().copied().fold(0.0, f64::max);
    let mean = computing.iter().sum::<f64>() / computing.len().max(1) as f64;
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
        let found = of_times(&[1.0, 3.0], 4.0, 6.0).unwrap();
        assert_eq!((found.load_balance, found.serialisation, found.communication), (2.0 / 3.0, 0.75, 0.5));
        assert!((found.load_balance * found.serialisation * found.transfer - found.parallel).abs() < 1e-15);
        assert!((found.parallel - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(of_times(&[0.0], 1e-12, 1e-12), None);
    }
}
