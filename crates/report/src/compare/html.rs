//! The comparison as one page that needs nothing else: plots, tables, and what follows from them in words.
//!
//! Everything that a plot shows stands in a table as well, for those who read the page otherwise.

use super::contest::Contest;
use super::functions::{self, Case, signed};
use super::model::{Comparison, Entry};
use super::plot::{self, Chart, Line, Point, escaped};
use super::values_text;
use crate::model::SweepValue;
use crate::number::seconds;
use std::fmt::Write as _;

const STYLE: &str = include_str!("compare.css");

/// The whole page.
pub fn render(comparison: &Comparison) -> String {
    let contest = Contest::new(comparison);
    let page = Page { comparison, contest: &contest };
    let title = page.title();
    let body = [
        page.programs(),
        Page::list("Where another one becomes faster", comparison.crossovers.iter().map(|c| c.text.clone())),
        Page::list("How far it scales", comparison.scaling.iter().map(|s| s.text.clone())),
        page.charts(),
        page.tables(),
        page.functions(),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{1}</main>\n</body>\n</html>\n",
        escaped(&title),
        body.concat()
    )
}

struct Page<'a> {
    comparison: &'a Comparison,
    contest: &'a Contest<'a>,
}

/// Along which numbers a chart goes.
struct Series<'a> {
    /// `n` or a swept name.
    axis: &'a str,
    network: &'a str,
    /// What stays the same, in words.
    fixed: String,
    /// Entries by value of the axis.
    entries: Vec<(f64, &'a Entry)>,
}

/// What a figure is called, and whether it has the line of ideal speedup.
struct FigureNames {
    kind: &'static str,
    title: &'static str,
    y_name: &'static str,
    with_ideal: bool,
}

impl Page<'_> {
    fn title(&self) -> String {
        let names: Vec<&str> = self.contest.contenders.clone();
        match names.len() {
            0..=4 => format!("Comparison of {}", names.join(", ")),
            several => {
                format!("Comparison of {several} {}", if self.contest.of_machines { "machines" } else { "programs" })
            }
        }
    }

    fn programs(&self) -> String {
        let mut text = String::from("<ul>\n");
        for program in &self.comparison.programs {
            let what = program.report.clone().unwrap_or_else(|| program.files.join(" "));
            let arguments = match program.arguments.is_empty() {
                true => String::new(),
                false => format!(", arguments {}", program.arguments.join(" ")),
            };
            let line = format!("<b>{}</b>: {}{}", escaped(&program.name), escaped(&what), escaped(&arguments));
            let _ = writeln!(text, "<li>{line}</li>");
        }
        text + "</ul>\n<p class=\"soft\">Predicted by chronos. Bands are 90 % intervals; two predictions whose intervals have \
                something in common are not separated.</p>\n"
    }

    fn list(title: &str, lines: impl Iterator<Item = String>) -> String {
        let lines: String = lines.map(|line| format!("<li>{}</li>\n", escaped(&line))).collect();
        if lines.is_empty() { lines } else { format!("<h2>{title}</h2>\n<ul>\n{lines}</ul>\n") }
    }

    /// Of saved reports: what became slower, and what faster, with a bar of its part in the greatest difference.
    fn functions(&self) -> String {
        let cases = functions::cases(self.comparison, self.contest);
        let text: String = cases.iter().map(|case| self.functions_of(case)).collect();
        if text.is_empty() { text } else { format!("<h2>Functions that differ most</h2>\n{text}") }
    }

    fn functions_of(&self, case: &Case<'_>) -> String {
        let names: String = self.contest.contenders.iter().map(|who| format!("<th>{}</th>", escaped(who))).collect();
        let most = case.rows.iter().map(|row| row.longer_s.abs()).fold(f64::MIN_POSITIVE, f64::max);
        let mut text = format!(
            "<p>Without callees, mean over tasks, {}.</p>\n<div class=\"scroll\"><table>\n<tr><th class=\"words\">Function</th><th class=\"words\">Where</th>{names}\
             <th>Longer by</th><th></th></tr>\n",
            escaped(&case.text(self.contest))
        );
        for row in &case.rows {
            let time = |time: &Option<f64>| format!("<td>{}</td>", time.map_or("-".to_owned(), seconds));
            let times: String = row.times.iter().map(time).collect();
            let (kind, width) =
                (if row.longer_s > 0.0 { "longer" } else { "shorter" }, 100.0 * row.longer_s.abs() / most);
            let _ = writeln!(
                text,
                "<tr><td class=\"words\">{}</td><td class=\"words\">{}</td>{times}<td>{}</td><td class=\"words\"><span class=\"bar {kind}\" style=\"width:{width:.0}px\"></span></td></tr>",
                escaped(&row.function.name),
                escaped(&row.function.file),
                signed(row.longer_s)
            );
        }
        text + "</table></div>\n"
    }

    fn charts(&self) -> String {
        let mut text = String::new();
        for (i, series) in self.series().iter().enumerate() {
            text.push_str(&self.time_chart(series, i));
            if series.axis == "n" {
                text.push_str(&self.speedup_chart(series, i));
            }
        }
        if text.is_empty() { text } else { format!("<h2>Plots</h2>\n<div class=\"charts\">\n{text}</div>\n") }
    }

    /// Everything that can be drawn: over the number of tasks, and over each swept number.
    fn series(&self) -> Vec<Series<'_>> {
        let mut networks: Vec<&str> = self.contest.places.iter().map(|place| place.1).collect();
        networks.sort_unstable();
        networks.dedup();
        let mut all = Vec::new();
        for network in networks {
            if self.contest.tasks.len() > 1 {
                let of = |sweep: &[SweepValue]| {
                    let entries = self.contest.entries.iter().filter(|e| e.network == network && e.sweep == sweep);
                    entries.map(|e| (e.tasks_count as f64, e)).collect()
                };
                let series = |sweep: &&[SweepValue]| Series {
                    axis: "n",
                    network,
                    fixed: values_text(sweep),
                    entries: of(sweep),
                };
                all.extend(self.contest.sweeps.iter().map(series));
            }
            let names = self.contest.sweeps.first().map_or(0, |sweep| sweep.len());
            (0..names).for_each(|axis| all.extend(self.swept(network, axis)));
        }
        all
    }

    fn swept<'s>(&'s self, network: &'s str, axis: usize) -> Vec<Series<'s>> {
        let mut all: Vec<Series<'s>> = Vec::new();
        for entry in self.contest.entries.iter().filter(|e| e.network == network) {
            let Some(value) = entry.sweep.get(axis) else { continue };
            let Ok(number) = value.value.parse::<f64>() else { return Vec::new() };
            let others: Vec<SweepValue> = entry.sweep.iter().filter(|other| *other != value).cloned().collect();
            let tasks = if self.contest.tasks.len() > 1 { format!("n = {}", entry.tasks_count) } else { String::new() };
            let parts = [tasks, values_text(&others)];
            let fixed = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            match all.iter_mut().find(|series| series.fixed == fixed) {
                Some(series) => series.entries.push((number, entry)),
                None => all.push(Series { axis: &value.name, network, fixed, entries: vec![(number, entry)] }),
            }
        }
        all.retain(|series| series.entries.iter().any(|(number, _)| *number != series.entries[0].0));
        all
    }

    fn time_chart(&self, series: &Series<'_>, number: usize) -> String {
        let point = |x: f64, e: &Entry| {
            let interval = e.interval_s.map_or(String::new(), |[a, b]| format!(" ({} to {})", seconds(a), seconds(b)));
            let tip =
                format!("{} on {}, {} = {x}: {}{interval}", e.program, e.machine, series.axis, seconds(e.total_s?));
            Some(Point { x, y: e.total_s?, interval: e.interval_s, tip })
        };
        let names = FigureNames { kind: "time", title: "Time", y_name: "time", with_ideal: false };
        self.figure(series, number, &names, &point, &seconds)
    }

    fn speedup_chart(&self, series: &Series<'_>, number: usize) -> String {
        let point = |x: f64, e: &Entry| {
            let tip = format!("{} on {}, {} = {x}: speedup {:.2}", e.program, e.machine, series.axis, e.speedup?);
            Some(Point { x, y: e.speedup?, interval: None, tip })
        };
        let from_one = self.comparison.scaling.iter().all(|scaling| scaling.reference_tasks == 1);
        let text = |y: f64| format!("{y}");
        let names = FigureNames { kind: "speedup", title: "Speedup", y_name: "speedup", with_ideal: from_one };
        self.figure(series, number, &names, &point, &text)
    }

    fn figure(
        &self,
        series: &Series<'_>,
        number: usize,
        names: &FigureNames,
        point: &dyn Fn(f64, &Entry) -> Option<Point>,
        y_text: &dyn Fn(f64) -> String,
    ) -> String {
        let FigureNames { kind, title, y_name, with_ideal: ideal } = *names;
        let lines = self.lines(series, point);
        if lines.is_empty() {
            return String::new();
        }
        let axis = if series.axis == "n" { "number of tasks" } else { series.axis };
        let fixed = if series.fixed.is_empty() { String::new() } else { format!(", {}", series.fixed) };
        let title = format!("{title} over {axis}{fixed}, network {}", series.network);
        let chart = Chart {
            id: format!("{kind}-{number}"),
            description: description(&lines, y_text),
            title: title.clone(),
            x_name: axis.to_owned(),
            y_name: y_name.to_owned(),
            lines,
            ideal,
            y_text,
        };
        let item = |line: &Line| format!("<li>{}{}</li>\n", plot::sample(line), escaped(&line.name));
        let legend: String = chart.lines.iter().map(item).collect();
        let svg = plot::render(&chart);
        let caption = escaped(&title);
        format!("<figure>\n<figcaption>{caption}</figcaption>\n{svg}<ul class=\"legend\">\n{legend}</ul>\n</figure>\n")
    }

    /// One line for each program and machine.
    fn lines(&self, series: &Series<'_>, point: &dyn Fn(f64, &Entry) -> Option<Point>) -> Vec<Line> {
        let programs: Vec<&str> = self.comparison.programs.iter().map(|program| &*program.name).collect();
        let mut machines: Vec<&str> = Vec::new();
        let mut lines: Vec<Line> = Vec::new();
        for (x, entry) in &series.entries {
            let dash = machines.iter().position(|machine| *machine == entry.machine).unwrap_or_else(|| {
                machines.push(&entry.machine);
                machines.len() - 1
            });
            let Some(point) = point(*x, entry) else { continue };
            let colour = programs.iter().position(|program| *program == entry.program).unwrap_or(0);
            // Of a single program machines are told by colour.
            let colour = if self.contest.of_machines { dash } else { colour };
            let name = format!("{} on {}", entry.program, entry.machine);
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push(point),
                None => lines.push(Line { name, colour, dash, points: vec![point] }),
            }
        }
        lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
        lines
    }

    fn tables(&self) -> String {
        let mut text = String::from("<h2>Tables</h2>\n");
        for &place in &self.contest.places {
            text.push_str(&self.table(place));
        }
        text
    }

    fn table(&self, place: (&str, &str)) -> String {
        let contest = self.contest;
        let caption = format!("Time, speedup and efficiency {}", contest.place_text(place, None, &[]));
        let mut text = format!(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">\n<table>\n<caption>{0}</caption>\n<thead><tr>",
            escaped(&caption)
        );
        for value in contest.sweeps.first().into_iter().flat_map(|sweep| sweep.iter()) {
            let _ = write!(text, "<th scope=\"col\">{}</th>", escaped(&value.name));
        }
        text.push_str("<th scope=\"col\">Tasks</th>");
        for name in &contest.contenders {
            let _ = write!(text, "<th scope=\"col\">{0}</th><th scope=\"col\">Speedup</th>", escaped(name));
        }
        text.push_str("<th scope=\"col\" class=\"words\">First</th></tr></thead>\n<tbody>\n");
        for sweep in &contest.sweeps {
            for &tasks in &contest.tasks {
                text.push_str(&self.row(place, sweep, tasks));
            }
        }
        text + "</tbody>\n</table>\n</div>\n"
    }

    fn row(&self, place: (&str, &str), sweep: &[SweepValue], tasks: usize) -> String {
        let contest = self.contest;
        let entries: Vec<Option<&Entry>> =
            contest.contenders.iter().map(|who| contest.entry(who, place, sweep, tasks)).collect();
        if entries.iter().all(Option::is_none) {
            return String::new();
        }
        let mut row = String::from("<tr>");
        for value in sweep {
            let _ = write!(row, "<td>{}</td>", escaped(&value.value));
        }
        let _ = write!(row, "<th scope=\"row\">{tasks}</th>");
        let best = entries.iter().flatten().filter_map(|e| e.total_s).fold(f64::INFINITY, f64::min);
        for entry in &entries {
            row.push_str(&cells(*entry, best));
        }
        let standings = self.comparison.standings.iter().filter(|s| s.tasks_count == tasks && s.sweep == sweep);
        let here = |s: &&super::model::Standing| {
            s.network == place.1 && (contest.of_machines || s.machine.as_deref() == Some(place.0))
        };
        let text = standings.into_iter().find(here).map_or(String::new(), |standing| escaped(&standing.text));
        row + &format!("<td class=\"words\">{text}</td></tr>\n")
    }
}

/// The interval below a time; the part of it that tells entries on one network apart is behind a pointer over it.
fn interval_text(entry: &Entry) -> String {
    let text = |[low, high]: [f64; 2]| format!("{} to {}", seconds(low), seconds(high));
    let Some(whole) = entry.interval_s else { return String::new() };
    let part = |name: &str, bounds: Option<[f64; 2]>| bounds.map(|bounds| format!("{name}: {}", text(bounds)));
    let parts = [
        part("computing times and assumptions alone", entry.computing_interval_s),
        part("assumptions alone", entry.assumed_interval_s),
    ];
    let parts = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let title = if parts.is_empty() { parts } else { format!(" title=\"{parts}\"") };
    format!("<br><span class=\"interval\"{title}>{}</span>", text(whole))
}

fn cells(entry: Option<&Entry>, best: f64) -> String {
    let Some(entry) = entry else { return "<td>-</td><td>-</td>".to_owned() };
    let class = if entry.total_s == Some(best) { " class=\"first\"" } else { "" };
    let time = entry.total_s.map_or_else(|| format!("&gt; {}", seconds(entry.known_s)), seconds);
    let speedup = match (entry.speedup, entry.efficiency) {
        (Some(speedup), Some(efficiency)) => format!("{speedup:.2} ({:.0} %)", 100.0 * efficiency),
        _ => "-".to_owned(),
    };
    format!("<td{class}>{time}{}</td><td>{speedup}</td>", interval_text(entry))
}

/// First and last point of each line in words.
fn description(lines: &[Line], y_text: &dyn Fn(f64) -> String) -> String {
    let one = |line: &Line| {
        let (Some(first), Some(last)) = (line.points.first(), line.points.last()) else { return String::new() };
        format!("{}: {} at {}, {} at {}.", line.name, y_text(first.y), first.x, y_text(last.y), last.x)
    };
    lines.iter().map(one).collect::<Vec<_>>().join(" ")
}
