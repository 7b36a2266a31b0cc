//! What changes would save, for people: the changes, the ranking, efficiencies, tolerance.

use super::model::{
    Cause, ChangeRow, Efficiency, LateTask, NodeLoad, Ranked, Tolerance, Waiting, WhatIf, WhatIfReport,
};
use crate::classes::{FEW, Ranks};
use crate::efficiencies::EfficiencyRow;
use crate::fold::fold;
use crate::number::seconds;
use crate::table::Grid;
use std::fmt::Write as _;

/// Functions of the critical path that a row names.
const PATH_SHOWN: usize = 2;

/// Of more nodes than `FEW`, the busiest are shown.
const NODES_SHOWN: usize = 16;

/// Characters that the ranks of many tasks on a node may take.
const RANKS: usize = 40;

/// Late tasks that a cause names.
const LATE_SHOWN: usize = 2;

/// All studies, in so many columns, each table with so many rows at most.
pub fn render(report: &WhatIfReport, rows: usize, width: Option<usize>) -> String {
    let one = |study| View { study, rows, width }.render();
    let scaling = report.studies.len() > 1 && report.studies.iter().all(|study| study.efficiency.is_some());
    let overview = scaling.then(|| efficiencies(report, width));
    report.studies.iter().map(one).chain(overview).collect::<Vec<_>>().join("\n")
}

struct View<'a> {
    study: &'a WhatIf,
    rows: usize,
    width: Option<usize>,
}

impl View<'_> {
    fn render(&self) -> String {
        let study = self.study;
        let mut parts = vec![self.heading(), self.changes()];
        parts.extend(study.efficiency.as_ref().map(Self::efficiency));
        parts.extend(study.rank.as_ref().map(|rank| self.ranking(rank)));
        parts.extend(study.waiting.as_ref().map(|waiting| self.waiting(waiting)));
        parts.extend(study.tolerance.as_ref().map(|tolerance| self.tolerance(tolerance)));
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn heading(&self) -> String {
        let base = &self.study.base;
        let values = base.sweep.iter().map(|value| format!(", {} = {}", value.name, value.value)).collect::<String>();
        let again = match (base.recorded_matching, base.re_evaluated) {
            (true, true) => "; under each change with the matching of this run, and followed again",
            (true, false) => "; messages match under each change as in this run",
            (false, true) => "; followed again under each change",
            (false, false) => "",
        };
        let (machine, network) = (&base.platform.machine, &base.platform.network);
        let tasks = if base.tasks == 1 { "1 task".to_owned() } else { format!("{} tasks", base.tasks) };
        let program = self.study.program.join(" ");
        let text = format!(
            "{program}{values}: {} with {tasks} on {machine}, network {network}{again}\n",
            seconds(base.total_s)
        );
        fold(&text, self.width)
    }

    fn changes(&self) -> String {
        if self.study.rows.is_empty() {
            return String::new();
        }
        let intervals = self.study.rows.iter().any(|row| row.saved_interval_s.is_some());
        let mut header = vec!["Change", "Time", "Factor", "Saved"];
        header.extend(intervals.then_some("90 %"));
        header.extend(["Saved %", "Then the path is in"]);
        let mut grid = Grid::new(&header, &[0, header.len() - 1]).within(self.width);
        self.study.rows.iter().for_each(|row| grid.whole_row(change(row, intervals)));
        let placed = self.study.rows.iter().filter(|row| !row.placement.is_empty()).map(|row| self.placement(row));
        let notes = self.study.rows.iter().flat_map(|row| remarks(row).into_iter().map(move |note| (label(row), note)));
        let notes = notes.map(|(change, note)| fold(&format!("{change}: {note}.\n"), self.width));
        grid.render() + &notes.chain(placed).collect::<String>()
    }

    fn placement(&self, row: &ChangeRow) -> String {
        let mut grid = Grid::new(&["Node", "Busy", "Ready", "Tasks"], &[3]).within(self.width);
        let mut nodes: Vec<&NodeLoad> = row.placement.iter().collect();
        let all = nodes.len();
        if all > FEW {
            nodes.sort_by(|a, b| b.busy_share.total_cmp(&a.busy_share).then(a.node.cmp(&b.node)));
            nodes.truncate(NODES_SHOWN);
        }
        nodes.iter().for_each(|node| grid.row(load(node)));
        let cut = if all > FEW { format!(" (the busiest {NODES_SHOWN} of {all})") } else { String::new() };
        format!("\nNodes under {}{cut}\n{}", row.change, grid.render())
    }

    fn efficiency(e: &Efficiency) -> String {
        let mut text = "Efficiencies\n".to_owned();
        let mut line = |depth: usize, name: &str, value: f64, what: &str| {
            let name = format!("{}{name}", "  ".repeat(depth));
            let _ = writeln!(text, "  {name:<26}  {:>7}  {what}", percent(value));
        };
        if let (Some(global), Some(scaling)) = (e.global, e.computation_scaling) {
            line(0, "global", global, "parallel efficiency times computation scaling");
            line(1, "computation scaling", scaling, "computing time of the fewest tasks over that of these");
        }
        line(1, "parallel", e.parallel, "mean computing time over time");
        line(2, "load balance", e.load_balance, "mean over greatest computing time of a task");
        line(2, "communication", e.communication, "greatest computing time over time");
        line(3, "serialisation", e.serialisation, "what waiting leaves where messages take no time");
        line(3, "transfer", e.transfer, "what the time of messages leaves");
        text
    }

    fn ranking(&self, rank: &[Ranked]) -> String {
        if rank.is_empty() {
            return "Nothing on the critical path takes time.\n".to_owned();
        }
        let mut text = String::new();
        let kinds = [
            ("function", "Functions"),
            ("loop", "Loops"),
            ("task", "Tasks"),
            ("mpi_call", "MPI calls"),
            ("link", "Links"),
            ("topology_link", "Topology links"),
        ];
        for (kind, title) in kinds {
            let own: Vec<&Ranked> = rank.iter().filter(|ranked| ranked.kind == kind).collect();
            if own.is_empty() {
                continue;
            }
            let separator = if text.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{separator}{}", self.ranked(title, &own));
        }
        let note = "Saved at P %: of the total, where it takes P % less time. Knee: beyond it less than a tenth of what the first \
                    percent saved is saved.";
        text + &fold(&format!("{note}\n"), self.width)
    }

    fn ranked(&self, title: &str, own: &[&Ranked]) -> String {
        let replayed = own.iter().any(|ranked| ranked.y.is_some());
        let mut header = vec![title, "Place", "On the path", "Share"];
        let percents: Vec<u32> = own.iter().find_map(|r| r.y.as_ref()).iter().flat_map(|y| y.keys().copied()).collect();
        let columns: Vec<String> = percents.iter().map(|percent| format!("Saved at {percent} %")).collect();
        if replayed {
            header.extend(columns.iter().map(String::as_str));
            header.push("Knee");
        }
        let mut grid = Grid::new(&header, &[0, 1]).within(self.width);
        own.iter().take(self.rows).for_each(|ranked| grid.row(ranked_row(ranked, replayed)));
        let more = own.len().saturating_sub(self.rows);
        let rest = if more > 0 { format!("{more} more: --top ROWS\n") } else { String::new() };
        grid.render() + &rest
    }

    fn waiting(&self, waiting: &Waiting) -> String {
        let title = format!("Causes of waiting: {} of idle time, summed over the tasks", seconds(waiting.idle_s));
        if waiting.causes.is_empty() {
            return format!("{title}\n");
        }
        let mut grid = Grid::new(&["Cause", "Called at", "Direct", "Passed on", "Share", "By"], &[0, 1, 5]);
        grid = grid.within(self.width);
        waiting.causes.iter().take(self.rows).for_each(|cause| grid.row(cause_row(cause)));
        let more = waiting.causes.len().saturating_sub(self.rows);
        let rest = if more > 0 { format!("{more} more: --top ROWS\n") } else { String::new() };
        let note = "Direct: others waited for a task that was late because of it. Passed on: they waited for one that had \
                    itself waited because of it.";
        format!("{title}\n{}{rest}{}", grid.render(), fold(&format!("{note}\n"), self.width))
    }

    fn tolerance(&self, all: &[Tolerance]) -> String {
        let mut grid = Grid::new(&["Part", "Sensitivity", "1 %", "2 %", "5 %", "Changes of the path"], &[0]);
        grid = grid.within(self.width);
        all.iter().for_each(|part| grid.row(tolerance_row(part)));
        let mut text =
            format!("Tolerance: how many times as long a part may take before the total grows by\n{}", grid.render());
        for part in all {
            if let Some(Some(at)) = part.latency_s.as_ref().and_then(|latency| latency.get(&5)) {
                let line = format!("The latency may grow to {} before the program loses 5 %.\n", seconds(*at));
                text += &fold(&line, self.width);
            }
        }
        text
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `intervals`: with that of what is saved.
fn change(row: &ChangeRow, intervals: bool) -> Vec<String> {
    let of = |value: Option<f64>, show: &dyn Fn(f64) -> String| value.map_or("-".to_owned(), show);
    let path = row.path.iter().filter(|part| part.share >= 0.0005).take(PATH_SHOWN);
    let path: Vec<String> =
        path.map(|part| format!("{} on task {} ({})", part.function, part.rank, percent(part.share))).collect();
    let between = |[low, high]: [f64; 2]| format!("{} to {}", seconds(low), seconds(high));
    let mut cells = vec![
        label(row),
        of(row.total_s, &seconds),
        of(row.factor, &|factor| format!("{factor:.3}")),
        of(row.saved_s, &seconds),
    ];
    cells.extend(intervals.then(|| row.saved_interval_s.map_or("-".to_owned(), between)));
    cells.push(of(row.saved_percent, &|percent| format!("{percent:.1} %")));
    cells.push(path.join(", "));
    cells
}

/// The change; with how messages match, where that depends on the order of arrival.
fn label(row: &ChangeRow) -> String {
    match row.matching {
        Some("recorded") => format!("{} (recorded matching)", row.change),
        Some(other) => format!("{} ({other})", row.change),
        None => row.change.clone(),
    }
}

/// Notes, and the figures that stand beside the time.
fn remarks(row: &ChangeRow) -> Vec<String> {
    let path = row.without_path_share_s.map(|s| format!("{} if the critical path could not move", seconds(s)));
    let figure = row.figure_8_s.map(|s| format!("{} by the algorithm of Eom and Hollingsworth (figure 8)", seconds(s)));
    path.into_iter().chain(figure).chain(row.notes.iter().cloned()).collect()
}

fn load(node: &NodeLoad) -> Vec<String> {
    let tasks = if node.tasks.len() > FEW { short(&node.tasks) } else { single(&node.tasks) };
    vec![node.node.to_string(), percent(node.busy_share), seconds(node.ready_s), tasks]
}

fn single(tasks: &[usize]) -> String {
    tasks.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn short(tasks: &[usize]) -> String {
    let ranks: Vec<u32> = tasks.iter().map(|&rank| rank as u32).collect();
    format!("{} ({})", Ranks::new(&ranks).shortened(RANKS), tasks.len())
}

fn ranked_row(ranked: &Ranked, replayed: bool) -> Vec<String> {
    let place = match (&ranked.file, ranked.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => String::new(),
    };
    let mut row = vec![ranked.name.clone(), place, seconds(ranked.path_s), percent(ranked.path_share)];
    if replayed {
        row.extend(ranked.y.iter().flatten().map(|(_, &y)| percent(y)));
        row.push(ranked.knee_percent.map_or("-".to_owned(), |knee| format!("{knee:.0} %")));
    }
    row
}

fn cause_row(cause: &Cause) -> Vec<String> {
    let name = match (cause.kind, &cause.name) {
        ("message", _) => "message between them".to_owned(),
        ("ready", _) => "waiting for a processor".to_owned(),
        ("no_task", Some(name)) => format!("{name} (for no task)"),
        (_, Some(name)) => name.clone(),
        (kind, None) => kind.to_owned(),
    };
    let place = cause.file.as_ref().zip(cause.line).map_or(String::new(), |(file, line)| format!("{file}:{line}"));
    let whole = cause.direct_s + cause.passed_on_s;
    let by = |task: &LateTask| format!("task {} ({})", task.rank, percent((task.direct_s + task.passed_on_s) / whole));
    let mut tasks: Vec<String> = cause.tasks.iter().take(LATE_SHOWN).map(by).collect();
    let more = (cause.tasks.len() + cause.more_tasks.unwrap_or(0)).saturating_sub(LATE_SHOWN);
    tasks.extend((more > 0).then(|| format!("{more} more")));
    vec![name, place, seconds(cause.direct_s), seconds(cause.passed_on_s), percent(cause.share), tasks.join(", ")]
}

fn tolerance_row(part: &Tolerance) -> Vec<String> {
    let factor = |percent: u32| match part.factors.get(&percent) {
        Some(Some(factor)) => format!("{factor:.3}"),
        _ => format!("> {}", part.most_factor),
    };
    let changes: Vec<String> = part.breakpoints.iter().take(4).map(|at| format!("{at:.3}")).collect();
    let cut = if part.breakpoints.len() > 4 { ", ..." } else { "" };
    let changes = if changes.is_empty() { "-".to_owned() } else { format!("{}{cut}", changes.join(", ")) };
    vec![part.part.to_owned(), format!("{:.3}", part.sensitivity), factor(1), factor(2), factor(5), changes]
}

/// Of several studies side by side.
fn efficiencies(report: &WhatIfReport, width: Option<usize>) -> String {
    let row = |study: &WhatIf| {
        let (tasks, total_s) = (study.base.tasks, study.base.total_s);
        Some(EfficiencyRow { case: Vec::new(), tasks, total_s, efficiency: study.efficiency.clone()? })
    };
    let rows: Vec<EfficiencyRow> = report.studies.iter().filter_map(row).collect();
    crate::efficiencies::table(&[], &rows, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_tasks_of_a_node_are_told_in_short() {
        let node = |tasks: std::ops::Range<usize>| NodeLoad {
            node: 3,
            busy_share: 0.5,
            ready_s: 0.0,
            tasks: tasks.step_by(2).collect(),
        };
        assert_eq!(load(&node(0..6)), ["3", "50.0 %", "0", "0 2 4"]);
        assert_eq!(load(&node(0..200))[3], "0-198:2 (100)");
    }
}
