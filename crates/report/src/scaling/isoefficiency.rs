//! Isoefficiency over the series of a report that differ in swept values alone.

use super::model::{IsoefficiencyData, IsoefficiencyPoint, Series};
use chronos_base::units::Seconds;
use chronos_scaling::Tasks;
use chronos_scaling::isoefficiency::isoefficiency;

/// Of all programs with at least two amounts of work, at each level of efficiency that two of them fall below. Where
/// each task keeps its work there is no amount that could be held against the tasks.
pub fn all(series: &[Series]) -> Vec<IsoefficiencyData> {
    let mut found = Vec::new();
    for (i, first) in series.iter().enumerate() {
        let is_same = |other: &Series| {
            (&other.program, &other.machine, &other.network) == (&first.program, &first.machine, &first.network)
        };
        if series[..i].iter().any(is_same) {
            continue;
        }
        let same: Vec<&Series> = series.iter().filter(|other| is_same(other) && other.hold == "work").collect();
        let levels = [0.8, 0.5].into_iter().map(|level| of_level(&same, level));
        found.extend(levels.filter(|data| data.points.len() > 1));
    }
    found
}

fn of_level(series: &[&Series], efficiency: f64) -> IsoefficiencyData {
    let point = |series: &&Series| {
        let crossing = series.efficiency_crossings.iter().find(|crossing| crossing.efficiency == efficiency)?;
        Some(IsoefficiencyPoint { series: series.name.clone(), work_s: series.reference_s, tasks: crossing.tasks })
    };
    let points: Vec<IsoefficiencyPoint> = series.iter().filter_map(point).collect();
    let known: Vec<(Seconds, Tasks)> = points.iter().map(|point| (point.work_s, Tasks(point.tasks))).collect();
    let fitted = isoefficiency(&known);
    let first = series.first();
    IsoefficiencyData {
        program: first.map_or_else(String::new, |series| series.program.clone()),
        machine: first.and_then(|series| series.machine.clone()),
        network: first.and_then(|series| series.network.clone()),
        efficiency,
        points,
        work_s: fitted.map(|fitted| format!("{:.6e}*N**{:.3}", fitted.coefficient, fitted.exponent)),
        exponent: fitted.map(|fitted| fitted.exponent),
        rms_percent: fitted.map(|fitted| fitted.rms_percent),
    }
}
