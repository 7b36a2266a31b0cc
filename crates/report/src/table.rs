//! The report for people: aligned tables of text, the most important rows first.

mod grid;
mod interval;
mod loops;
mod overview;
mod symbolic;
mod tasks;

use super::fold::fold;
use super::model::{Block, DiagnosticData, Prediction, RecordedRun, Report, Task};
use super::number::{Scale, count, seconds, share};
pub use grid::Grid;
pub use overview::{Overview, OverviewRow};
use std::fmt::Write as _;
use symbolic::SymbolicView;

/// How much of a report is shown.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Rows of tasks: of more, the slowest are listed; where they are many, classes of them.
    pub tasks: usize,
    /// Every task has a row, however many they are.
    pub per_task: bool,
    /// Rows of the other tables.
    pub rows: usize,
    /// Rows with a smaller part of the whole are left out.
    pub least_share: f64,
    /// The function whose loops are explained.
    pub explain: Option<String>,
    /// Of more predictions than this only the overview is shown.
    pub predictions: usize,
    /// Columns of the terminal; `None`: as many as it takes.
    pub width: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tasks: 16, per_task: false, rows: 10, least_share: 0.0005, explain: None, predictions: 4, width: None }
    }
}

impl Limits {
    /// So many rows, however small they are.
    pub fn top(rows: usize) -> Self {
        let tasks = rows.max(Self::default().tasks);
        Self { tasks, rows, least_share: 0.0, predictions: usize::MAX, ..Self::default() }
    }

    fn is_worth(&self, part: f64, whole: f64) -> bool {
        part > 0.0 && part >= self.least_share * whole
    }
}

/// All predictions of a report: side by side, then one by one.
pub fn render(report: &Report, limits: &Limits) -> String {
    let details = details(report, limits);
    let overview = overview(report, limits);
    if overview.is_empty() { details.trim_start_matches('\n').to_owned() } else { overview + &details }
}

/// The predictions one by one; of many, how to see them. Begins with an empty line.
pub fn details(report: &Report, limits: &Limits) -> String {
    if report.predictions.len() > limits.predictions && limits.explain.is_none() {
        let hint = "Details of each: --top ROWS; all that is known: --format json";
        return format!("\n{}\n", fold(hint, limits.width));
    }
    let names = Names::new(&report.program.files);
    let one = |p| format!("\n{}", View { report, p, limits, names: &names }.render());
    report.predictions.iter().map(one).collect()
}

/// Several predictions side by side.
fn overview(report: &Report, limits: &Limits) -> String {
    if report.predictions.len() < 2 || report.predictions.iter().any(|p| p.symbolic.is_some()) {
        return String::new();
    }
    let row = |p: &Prediction| OverviewRow {
        machine: p.platform.machine.clone(),
        sweep: p.sweep.clone(),
        tasks: p.tasks_count,
    };
    let overview = Overview::new(&report.predictions.iter().map(row).collect::<Vec<_>>(), limits.width);
    std::iter::once(overview.header()).chain(report.predictions.iter().map(|p| overview.row(p))).collect()
}

/// File names as the tables show them: without the folder that all of them share.
struct Names {
    shared: String,
}

impl Names {
    fn new(files: &[String]) -> Self {
        let folder = |file: &String| file.rfind('/').map_or(String::new(), |slash| file[..=slash].to_owned());
        let mut folders = files.iter().map(folder);
        let first = folders.next().unwrap_or_default();
        let same = folders.all(|folder| folder == first);
        Self { shared: if same { first } else { String::new() } }
    }

    fn file<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(&self.shared).unwrap_or(name)
    }

    fn place(&self, file: &str, line: u32) -> String {
        format!("{}:{line}", self.file(file))
    }

    fn lines(&self, b: &Block) -> String {
        self.lines_of(&b.file, b.line_start, b.line_end)
    }

    fn lines_of(&self, file: &str, first: u32, last: u32) -> String {
        match last {
            last if last > first => format!("{}-{last}", self.place(file, first)),
            _ => self.place(file, first),
        }
    }
}

/// One prediction, to be shown.
struct View<'a> {
    report: &'a Report,
    p: &'a Prediction,
    limits: &'a Limits,
    names: &'a Names,
}

impl View<'_> {
    fn render(&self) -> String {
        if let Some(times) = &self.p.symbolic {
            let view = SymbolicView { p: self.p, times, limits: self.limits, names: self.names };
            return format!("{}\n{}", self.title(), view.render());
        }
        let parts = [
            self.heading(),
            self.sensitivity(),
            self.missing(),
            self.tasks(),
            self.functions(),
            self.explained(),
            self.blocks(),
            self.calls(),
            self.clocks(),
            self.assumptions(),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn grid(&self, header: &[&str], left: &[usize]) -> Grid {
        Grid::new(header, left).within(self.limits.width)
    }

    /// What would change if the network were worse.
    fn sensitivity(&self) -> String {
        if self.p.sensitivity.is_empty() {
            return String::new();
        }
        let mut grid = self.grid(&["1 % worse", "Longer by", "in %"], &[0]);
        for s in &self.p.sensitivity {
            grid.row(vec![s.part.clone(), seconds(s.seconds), format!("{:.3}", s.percent)]);
        }
        let slope = self.p.sensitivity.iter().find_map(|s| s.ms_per_us);
        let slope = slope.map_or_else(String::new, |ms| format!("Each microsecond of latency costs {ms:.6} ms.\n"));
        format!("Sensitivity\n{}{slope}", grid.render())
    }

    fn explained(&self) -> String {
        let function = self.limits.explain.as_deref();
        function.map_or(String::new(), |function| loops::render(self.p, function, self.names, self.limits.width))
    }

    /// What is predicted, and where.
    fn title(&self) -> String {
        let p = self.p;
        let program = self.report.program.title();
        let plural = if p.tasks_count == 1 { "task" } else { "tasks" };
        let mut text = format!("{program}: {} {plural} on {}", p.tasks_count, p.platform.machine);
        if p.tasks_count > 1 {
            let _ = write!(text, ", network {}", p.platform.network);
        }
        // What the compiler at hand makes is not what another one makes.
        if p.object_code.as_ref().is_some_and(|code| code.share > 0.0) {
            text.push_str(", from object code");
        }
        fold(&text, self.limits.width)
    }

    fn heading(&self) -> String {
        let p = self.p;
        let text = self.title();
        let time = match (p.total_s, p.interval_s) {
            (Some(total), Some([low, high])) => {
                // Who sees an interval must know where it leaves the network out.
                let exact = p.tasks_count > 1 && p.computing_interval_s.is_none();
                let without = if exact { ", network taken as exact" } else { "" };
                format!("Predicted time: {} (90 %{without}: {} to {})", seconds(total), seconds(low), seconds(high))
            }
            (Some(total), None) => format!("Predicted time: {}", seconds(total)),
            (None, _) => format!("Incomplete: {} of the time are known", seconds(p.known_s)),
        };
        let recorded = p.recorded.as_ref().map(|run| fold(&of_run(run), self.limits.width) + "\n");
        let width =
            interval::notes(p, self.names).iter().map(|line| fold(line, self.limits.width) + "\n").collect::<String>();
        format!("{text}\n{}\n{width}{}", fold(&time, self.limits.width), recorded.unwrap_or_default())
    }

    /// What an incomplete prediction lacks, and the remedy.
    fn missing(&self) -> String {
        if self.p.total_s.is_some() {
            return String::new();
        }
        let ends = [chronos_trace::codes::PARTIAL.id, chronos_replay::codes::ABORTED.id];
        let is_cause = |d: &&DiagnosticData| d.severity == "error" || ends.contains(&d.code.as_str());
        let errors = self.report.diagnostics.iter().filter(is_cause);
        let mut text = String::from("Why it is incomplete, and what to do\n");
        errors.for_each(|error| self.gap(error, &mut text));
        fold(&text, self.limits.width)
    }

    fn gap(&self, error: &DiagnosticData, text: &mut String) {
        let place = error.labels.first().map_or(String::new(), |l| self.names.place(&l.file, l.line) + ": ");
        let _ = writeln!(text, "  {place}{}", error.message);
        if let Some(help) = &error.help {
            let _ = writeln!(text, "    {help}");
        }
    }

    fn functions(&self) -> String {
        let all = &self.p.functions;
        let whole: f64 = all.iter().map(|f| f.exclusive_s).sum();
        let worth = all.iter().filter(|f| self.limits.is_worth(f.inclusive_s, whole));
        let scale = Scale::of(all.iter().map(|f| f.inclusive_s).fold(0.0, f64::max));
        let mut grid = self.grid(&["Function", "Where", "Calls (sum)", "With callees", "Itself", "Share"], &[0, 1]);
        for f in worth.take(self.limits.rows) {
            grid.row(vec![
                f.title(),
                self.names.place(&f.file, f.line),
                count(f.calls),
                scale.show(f.inclusive_s),
                scale.show(f.exclusive_s),
                share(f.exclusive_s, whole),
            ]);
        }
        grid.titled(&format!("Functions, mean over tasks, in {}", scale.unit), all.len())
    }

    fn blocks(&self) -> String {
        let whole: f64 = self.p.blocks.iter().map(|b| b.time_s).sum();
        let mut all: Vec<&Block> = self.p.blocks.iter().filter(|b| b.time_s > 0.0).collect();
        all.sort_by(|a, b| b.time_s.total_cmp(&a.time_s).then(a.id.cmp(&b.id)));
        let scale = Scale::of(all.first().map_or(0.0, |b| b.time_s));
        let mut grid = self.grid(&["Block", "Where", "Kind", "Count", "Time", "Share", "Made of"], &[1, 2, 6]);
        let worth = all.iter().filter(|b| self.limits.is_worth(b.time_s, whole));
        for b in worth.take(self.limits.rows) {
            grid.row(vec![
                b.id.to_string(),
                self.names.lines(b),
                b.kind.to_owned(),
                count(b.count),
                scale.show(b.time_s),
                share(b.time_s, whole),
                classes(b),
            ]);
        }
        grid.titled(&format!("Costliest blocks, sum over tasks, in {}", scale.unit), all.len())
    }

    fn calls(&self) -> String {
        let whole = Task::sum(&self.p.tasks, |t| t.total_s);
        let scale = Scale::of(self.p.calls.first().map_or(0.0, |call| call.time_s));
        let mut grid = self.grid(&["MPI call", "Where", "Calls", "Time", "of it idle", "Share"], &[0, 1]);
        let in_calls: f64 = self.p.calls.iter().map(|call| call.time_s).sum();
        let worth = self.p.calls.iter().filter(|call| self.limits.is_worth(call.time_s, in_calls));
        for call in worth.take(self.limits.rows) {
            grid.row(vec![
                call.function.clone(),
                self.names.place(&call.file, call.line),
                count(call.calls),
                scale.show(call.time_s),
                scale.show(call.idle_s),
                share(call.time_s, whole),
            ]);
        }
        grid.titled(&format!("MPI calls, sum over tasks, in {}", scale.unit), self.p.calls.len())
    }

    fn clocks(&self) -> String {
        let mut grid = self.grid(&["Task", "From", "To", "Times", "Sum", "Least", "Most"], &[1, 2]);
        for w in self.p.wtime.iter().filter(|w| w.rank == 0 || self.p.tasks_count <= 4) {
            let place = |place: &str| self.names.file(place).to_owned();
            let times = [w.total_s, w.min_s, w.max_s].map(seconds);
            let cells = [w.rank.to_string(), place(&w.from), place(&w.to), w.times.to_string()];
            grid.row(cells.into_iter().chain(times).collect());
        }
        grid.titled("What the program's own clock differences would be (MPI_Wtime, clock)", self.p.wtime.len())
    }

    fn assumptions(&self) -> String {
        let mut text = String::new();
        for a in &self.p.assumptions {
            let _ = writeln!(text, "  {}: {}; {}", self.names.place(&a.file, a.line), a.text, a.remedy);
        }
        if text.is_empty() {
            return text;
        }
        fold(&format!("Assumptions, and the option that replaces each\n{text}"), self.limits.width)
    }
}

/// What is known of a recorded run beside its prediction.
fn of_run(run: &RecordedRun) -> String {
    let matched = if run.matched_anew { "; wildcards matched anew" } else { "" };
    let share = match run.os_share {
        0.0 => String::new(),
        share => format!("; the system takes {:.1} % of the processors", 100.0 * share),
    };
    let path = run.longest_path_s.map(|length| format!("\nLongest path on the idle network: {}", seconds(length)));
    let (wall, cpu) = (seconds(run.wall_s), seconds(run.processor_s));
    format!(
        "Recorded run: {wall} passed, {cpu} of processor time in all tasks{share}{matched}{}",
        path.unwrap_or_default()
    )
}

/// The largest parts of a block's time; nothing where all of it is MPI, as its kind says already.
fn classes(b: &Block) -> String {
    let mut parts: Vec<(&str, f64)> = b.classes.iter().map(|(name, &time)| (name.as_str(), time)).collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shown = parts.iter().filter(|(name, time)| *time >= 0.03 * b.time_s && *name != b.kind).take(3);
    let texts: Vec<String> = shown.map(|(name, time)| format!("{name} {:.0} %", 100.0 * time / b.time_s)).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests;
