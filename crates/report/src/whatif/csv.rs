//! One row for each figure, so that all sections fit into one table.

use super::model::{Cause, ChangeRow, Efficiency, Ranked, Tolerance, Waiting, WhatIf, WhatIfReport};

const COLUMNS: [&str; 9] = ["program", "machine", "network", "tasks", "section", "item", "place", "measure", "value"];

/// All studies; what is unknown has no row.
///
/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn render(report: &WhatIfReport) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for study in &report.studies {
        for figure in figures(study) {
            writer.write_record(figure.cells(study))?;
        }
    }
    crate::csv::finished(writer)
}

/// A number and what it is of.
struct Figure {
    section: &'static str,
    item: String,
    place: String,
    measure: String,
    value: f64,
}

impl Figure {
    fn cells(self, study: &WhatIf) -> [String; 9] {
        let platform = &study.base.platform;
        let (machine, network) = (platform.machine.clone(), platform.network.clone());
        let begin = [study.program.join(" "), machine, network, study.base.tasks.to_string()];
        let [a, b, c, d] = begin;
        [a, b, c, d, self.section.to_owned(), self.item, self.place, self.measure, self.value.to_string()]
    }
}

fn figures(study: &WhatIf) -> Vec<Figure> {
    let base = Figure {
        section: "base",
        item: String::new(),
        place: String::new(),
        measure: "total_s".to_owned(),
        value: study.base.total_s,
    };
    let mut all = vec![base];
    all.extend(study.rows.iter().flat_map(of_change));
    all.extend(study.rank.iter().flatten().flat_map(of_ranked));
    all.extend(study.efficiency.iter().flat_map(of_efficiency));
    all.extend(study.tolerance.iter().flatten().flat_map(of_tolerance));
    all.extend(study.waiting.iter().flat_map(of_waiting));
    all
}

/// Those that are known.
fn known(
    section: &'static str,
    item: &str,
    place: &str,
    figures: impl IntoIterator<Item = (String, Option<f64>)>,
) -> Vec<Figure> {
    let figure = |(measure, value): (String, Option<f64>)| {
        Some(Figure { section, item: item.to_owned(), place: place.to_owned(), measure, value: value? })
    };
    figures.into_iter().filter_map(figure).collect()
}

fn of_change(row: &ChangeRow) -> Vec<Figure> {
    let figures = [
        ("total_s", row.total_s),
        ("factor", row.factor),
        ("saved_s", row.saved_s),
        ("saved_percent", row.saved_percent),
        ("saved_low_s", row.saved_interval_s.map(|interval| interval[0])),
        ("saved_high_s", row.saved_interval_s.map(|interval| interval[1])),
        ("without_path_share_s", row.without_path_share_s),
        ("figure_8_s", row.figure_8_s),
    ];
    let item = row.matching.map_or_else(|| row.change.clone(), |matching| format!("{} ({matching})", row.change));
    known("change", &item, "", figures.map(|(name, value)| (name.to_owned(), value)))
}

fn of_ranked(ranked: &Ranked) -> Vec<Figure> {
    let begin = [("path_s", Some(ranked.path_s)), ("zero_s", ranked.zero_s), ("knee_percent", ranked.knee_percent)];
    let saved = ranked.y.iter().flatten().map(|(percent, y)| (format!("y{percent}"), Some(*y)));
    let figures = begin.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(saved);
    known("rank", &format!("{} {}", ranked.kind, ranked.name), &place(ranked.file.as_deref(), ranked.line), figures)
}

fn place(file: Option<&str>, line: Option<u32>) -> String {
    file.map_or(String::new(), |file| line.map_or(file.to_owned(), |line| format!("{file}:{line}")))
}

fn of_efficiency(e: &Efficiency) -> Vec<Figure> {
    let figures = [
        ("load_balance", Some(e.load_balance)),
        ("serialisation", Some(e.serialisation)),
        ("transfer", Some(e.transfer)),
        ("communication", Some(e.communication)),
        ("parallel", Some(e.parallel)),
        ("computation_scaling", e.computation_scaling),
        ("global", e.global),
    ];
    known("efficiency", "", "", figures.map(|(name, value)| (name.to_owned(), value)))
}

fn of_tolerance(tolerance: &Tolerance) -> Vec<Figure> {
    let factors = tolerance.factors.iter().map(|(percent, factor)| (format!("factor_at_{percent}"), *factor));
    let figures = std::iter::once(("sensitivity".to_owned(), Some(tolerance.sensitivity))).chain(factors);
    known("tolerance", tolerance.part, "", figures)
}

fn of_waiting(waiting: &Waiting) -> Vec<Figure> {
    let all = known("waiting", "", "", [("idle_s".to_owned(), Some(waiting.idle_s))]);
    all.into_iter().chain(waiting.causes.iter().flat_map(of_cause)).collect()
}

fn of_cause(cause: &Cause) -> Vec<Figure> {
    let item = cause.name.as_ref().map_or(cause.kind.to_owned(), |name| format!("{} {name}", cause.kind));
    let place = place(cause.file.as_deref(), cause.line);
    let of = |item: &str, direct: f64, passed_on: f64| {
        known(
            "waiting",
            item,
            &place,
            [("direct_s", direct), ("passed_on_s", passed_on)].map(|(n, s)| (n.to_owned(), Some(s))),
        )
    };
    let mut all = of(&item, cause.direct_s, cause.passed_on_s);
    for task in &cause.tasks {
        all.extend(of(&format!("{item}, task {}", task.rank), task.direct_s, task.passed_on_s));
    }
    all
}
