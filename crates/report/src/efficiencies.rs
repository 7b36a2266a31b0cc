//! Efficiencies of several predictions side by side, and how computation scales between them (POP standard metrics).

use crate::compare::Entry;
use crate::efficiency::Efficiency;
use crate::model::{Prediction, SweepValue};
use crate::number::seconds;
use crate::table::Grid;

/// One prediction with its efficiencies.
#[derive(Clone, Debug)]
pub struct EfficiencyRow {
    /// Program, machine, network and swept values: rows that agree in them differ in the number of tasks alone.
    pub case: Vec<String>,
    /// The number of tasks.
    pub tasks: usize,
    /// Time until the last task ends, in seconds.
    pub total_s: f64,
    /// Its efficiencies.
    pub efficiency: Efficiency,
}

/// Adds computation scaling and global efficiency to cases with several numbers of tasks: computing time of the fewest
/// tasks over that of each, summed over the tasks, or per task where each keeps its work (`weak`).
pub fn add_scaling(rows: &mut [EfficiencyRow], weak: bool) {
    let computing = |row: &EfficiencyRow| row.efficiency.mean_compute_s * if weak { 1.0 } else { row.tasks as f64 };
    let scaling = |row: &EfficiencyRow| {
        let alike = || rows.iter().filter(|other| other.case == row.case);
        let fewest = alike().min_by_key(|other| other.tasks)?;
        let several = alike().any(|other| other.tasks != fewest.tasks);
        (several && computing(row) > 0.0).then(|| computing(fewest) / computing(row))
    };
    let scalings: Vec<Option<f64>> = rows.iter().map(scaling).collect();
    for (row, scaling) in rows.iter_mut().zip(scalings) {
        row.efficiency.computation_scaling = scaling;
        row.efficiency.global = scaling.map(|scaling| scaling * row.efficiency.parallel);
    }
}

/// A row for each prediction; parts of the case that all rows share have no column.
pub fn table(names: &[&str], rows: &[EfficiencyRow], width: Option<usize>) -> String {
    let differs = |&column: &usize| rows.iter().any(|row| row.case.get(column) != rows[0].case.get(column));
    let shown: Vec<usize> = (0..names.len()).filter(differs).collect();
    let mut header: Vec<&str> = shown.iter().map(|&column| names[column]).collect();
    header.extend(["Tasks", "Time", "Load balance", "Serialisation", "Transfer", "Parallel"]);
    header.extend(["Computation scaling", "Global"]);
    let mut grid = Grid::new(&header, &(0..shown.len()).collect::<Vec<_>>()).within(width);
    for row in rows {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let optional = |value: Option<f64>| value.map_or("-".to_owned(), percent);
        let e = &row.efficiency;
        let case = shown.iter().map(|&column| row.case.get(column).cloned().unwrap_or_default());
        let shares = [e.load_balance, e.serialisation, e.transfer, e.parallel].map(percent);
        let end = [optional(e.computation_scaling), optional(e.global)];
        let begin = [row.tasks.to_string(), seconds(row.total_s)];
        grid.row(case.chain(begin).chain(shares).chain(end).collect());
    }
    format!("Efficiencies by the number of tasks\n{}", grid.render())
}

fn case(program: &str, machine: &str, network: &str, sweep: &[SweepValue]) -> Vec<String> {
    let swept = sweep.iter().map(|value| value.value.clone());
    [program, machine, network].map(str::to_owned).into_iter().chain(swept).collect()
}

fn names(sweep: &[SweepValue]) -> Vec<&str> {
    ["Program", "Machine", "Network"].into_iter().chain(sweep.iter().map(|value| &*value.name)).collect()
}

/// Adds to predictions of one program how computation scales between them.
pub fn scale_predictions(predictions: &mut [Prediction]) {
    let mut rows: Vec<EfficiencyRow> = predictions.iter().filter_map(of_prediction).collect();
    add_scaling(&mut rows, false);
    let known = predictions.iter_mut().filter(|prediction| of_prediction(prediction).is_some());
    known.zip(rows).for_each(|(prediction, row)| prediction.efficiency = Some(row.efficiency));
}

fn of_prediction(p: &Prediction) -> Option<EfficiencyRow> {
    let case = case("", &p.platform.machine, &p.platform.network, &p.sweep);
    Some(EfficiencyRow { case, tasks: p.tasks_count, total_s: p.total_s?, efficiency: p.efficiency.clone()? })
}

/// Efficiencies of predictions; empty where they are not known.
pub fn of_predictions(predictions: &[Prediction], width: Option<usize>) -> String {
    let rows: Vec<EfficiencyRow> = predictions.iter().filter_map(of_prediction).collect();
    let sweep = predictions.first().map_or(&[][..], |prediction| &prediction.sweep);
    if rows.is_empty() { String::new() } else { table(&names(sweep), &rows, width) }
}

/// Adds to entries of a comparison how computation scales between those of one program.
pub(crate) fn scale_entries(entries: &mut [Entry]) {
    let mut rows: Vec<EfficiencyRow> = entries.iter().filter_map(of_entry).collect();
    add_scaling(&mut rows, false);
    let known = entries.iter_mut().filter(|entry| of_entry(entry).is_some());
    known.zip(rows).for_each(|(entry, row)| entry.efficiencies = Some(row.efficiency));
}

fn of_entry(e: &Entry) -> Option<EfficiencyRow> {
    let case = case(&e.program, &e.machine, &e.network, &e.sweep);
    Some(EfficiencyRow { case, tasks: e.tasks_count, total_s: e.total_s?, efficiency: e.efficiencies.clone()? })
}

/// Efficiencies of a comparison; empty where they are not known.
pub fn of_entries(entries: &[Entry], width: Option<usize>) -> String {
    let rows: Vec<EfficiencyRow> = entries.iter().filter_map(of_entry).collect();
    let sweep = entries.first().map_or(&[][..], |entry| &entry.sweep);
    if rows.is_empty() { String::new() } else { table(&names(sweep), &rows, width) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(machine: &str, tasks: usize, compute: f64) -> EfficiencyRow {
        let efficiency = Efficiency {
            load_balance: 1.0,
            serialisation: 1.0,
            transfer: 0.5,
            communication: 0.5,
            parallel: 0.5,
            computation_scaling: None,
            global: None,
            ideal_network_s: compute,
            mean_compute_s: compute,
            greatest_compute_s: compute,
        };
        EfficiencyRow { case: vec![machine.to_owned()], tasks, total_s: 2.0 * compute, efficiency }
    }

    /// 2 tasks that compute 4 s each and 4 that compute 2.5 s: 8 s over 10 s.
    #[test]
    fn computation_scales_by_its_sum_over_the_tasks() {
        let mut rows = [row("a", 4, 2.5), row("a", 2, 4.0), row("b", 2, 1.0)];
        add_scaling(&mut rows, false);
        let found = rows.each_ref().map(|row| (row.efficiency.computation_scaling, row.efficiency.global));
        assert_eq!(found, [(Some(0.8), Some(0.4)), (Some(1.0), Some(0.5)), (None, None)]);
        add_scaling(&mut rows, true);
        assert_eq!(rows[0].efficiency.computation_scaling, Some(1.6));
        insta::assert_snapshot!(table(&["Machine"], &rows, None), @r"
        Efficiencies by the number of tasks
        Machine  Tasks     Time  Load balance  Serialisation  Transfer  Parallel  Computation scaling  Global
        a            4  5.000 s       100.0 %        100.0 %    50.0 %    50.0 %              160.0 %  80.0 %
        a            2  8.000 s       100.0 %        100.0 %    50.0 %    50.0 %              100.0 %  50.0 %
        b            2  2.000 s       100.0 %        100.0 %    50.0 %    50.0 %                    -       -
        ");
    }
}
