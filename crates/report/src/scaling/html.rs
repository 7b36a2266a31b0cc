//! How a program scales as one page that needs nothing else: curves, with the tables of the text below them.

use super::figure::Figure;
use super::model::{ScalingReport, Series};
use super::{figure, table};
use crate::compare::plot::{self, Chart, Line, Point, escaped};
use crate::number::seconds;
use chronos_base::units::Seconds;
use chronos_scaling::{Parts, Tasks};

const STYLE: &str = include_str!("../compare/compare.css");

/// The page of predicted or given times.
pub fn render(report: &ScalingReport) -> String {
    let names: Vec<&str> = report.series.iter().map(|series| &*series.name).collect();
    let title = match names[..] {
        [name] => format!("How {name} scales"),
        _ => format!("How {} programs scale", names.len()),
    };
    let series = report.series.iter().enumerate().map(|(i, series)| section(series, i));
    page(&title, &(series.collect::<String>() + &tables(&table(report, None))))
}

/// The page of models by their parameters.
pub fn of_figure(figure: &Figure) -> String {
    let Some(first) = figure.models.first() else { return String::new() };
    let title = format!("Speedup by the model {}: T(N) = {}", first.name(), first.formula());
    let line = |(i, model): (usize, &chronos_scaling::model::Model)| {
        let name = model.ratio().map_or_else(|| model.name().to_owned(), |ratio| format!("r = {ratio}"));
        let point = |&tasks: &usize| {
            let speedup = model.speedup(Tasks(tasks as f64));
            Point { x: tasks as f64, y: speedup, interval: None, tip: format!("{name}, N = {tasks}: {speedup:.3}") }
        };
        Line { points: figure.tasks.iter().map(point).collect(), name: name.clone(), colour: i, dash: i / 8 }
    };
    let lines = figure.models.iter().enumerate().map(line).collect();
    let chart = drawn("speedup-0", &title, "speedup", lines, true, &|y| format!("{y}"));
    page(&title, &(format!("<div class=\"charts\">\n{chart}</div>\n") + &tables(&figure::table(figure, None))))
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{body}</main>\n</body>\n</html>\n",
        escaped(title)
    )
}

/// All that the curves show, for those who read the page otherwise.
fn tables(text: &str) -> String {
    format!("<h2>Tables</h2>\n<div class=\"scroll\" tabindex=\"0\"><pre>{}</pre></div>\n", escaped(text))
}

fn section(series: &Series, number: usize) -> String {
    let class = series.class.as_ref().map_or(String::new(), |class| {
        let remark = class.remark.as_ref().map_or(String::new(), |remark| format!(" What would help: {remark}."));
        format!("<p>It scales as the model <b>{}</b>: {}.{}</p>\n", class.name, escaped(&class.why), escaped(&remark))
    });
    let charts = [time(series, number), speedup(series, number), parts(series, number)].concat();
    format!("<h2>{}</h2>\n{class}<div class=\"charts\">\n{charts}</div>\n", escaped(&series.name))
}

fn time(series: &Series, number: usize) -> String {
    let value = |_: usize, total: Seconds| total.0;
    let lines = curves(series, &value, &|s| seconds(s));
    drawn(&format!("time-{number}"), &format!("Time of {}", series.name), "time", lines, false, &seconds)
}

fn speedup(series: &Series, number: usize) -> String {
    let work = |tasks: usize| if series.hold == "work" { 1.0 } else { tasks as f64 };
    let value = |tasks: usize, total: Seconds| series.reference_s.0 * work(tasks) / total.0;
    let lines = curves(series, &value, &|s| format!("{s:.2}"));
    let title = format!("Speedup of {}", series.name);
    drawn(&format!("speedup-{number}"), &title, "speedup", lines, true, &|y| format!("{y}"))
}

/// Points, laws with their band, verified points and the best model.
fn curves(series: &Series, value: &dyn Fn(usize, Seconds) -> f64, text: &dyn Fn(f64) -> String) -> Vec<Line> {
    let point = |what: &str, tasks: usize, total: Seconds, band: Option<[Seconds; 2]>| {
        let y = value(tasks, total);
        let interval = band.map(|[low, high]| {
            let (a, b) = (value(tasks, low), value(tasks, high));
            [a.min(b), a.max(b)]
        });
        Point { x: tasks as f64, y, interval, tip: format!("{what}, N = {tasks}: {}", text(y)) }
    };
    let known = series.points.iter().map(|p| point("point", p.tasks, p.total_s, None)).collect();
    let last = series.points.last().map(|p| point("point", p.tasks, p.total_s, Some([p.total_s; 2])));
    let beyond = series.extrapolated.iter().map(|e| point("extrapolated", e.tasks, e.total_s, Some(e.band_s)));
    let beyond: Vec<Point> = last.into_iter().chain(beyond).collect();
    let verified = series.verified.iter().map(|v| point("replayed", v.tasks, v.replay_s, None)).collect();
    let mut lines = vec![Line { name: "points".to_owned(), colour: 0, dash: 0, points: known }];
    if beyond.len() > 1 {
        lines.push(Line { name: "extrapolated, with its band".to_owned(), colour: 1, dash: 1, points: beyond });
    }
    lines.push(Line { name: "verified by replay".to_owned(), colour: 2, dash: 2, points: verified });
    lines.extend(model(series, value, text));
    lines.retain(|line| !line.points.is_empty());
    lines
}

/// The model that explains the points best, as far as was looked.
fn model(series: &Series, value: &dyn Fn(usize, Seconds) -> f64, text: &dyn Fn(f64) -> String) -> Option<Line> {
    let (data, model) = (series.models.first()?, series.best_model.as_ref()?);
    let known = series.points.iter().map(|p| p.tasks);
    let tasks = known.chain(series.extrapolated.iter().map(|e| e.tasks)).filter(|&n| n > 1);
    let point = |tasks: usize| {
        let y = value(tasks, model.time(Tasks(tasks as f64)));
        Point { x: tasks as f64, y, interval: None, tip: format!("{}, N = {tasks}: {}", data.name, text(y)) }
    };
    let points = tasks.map(point).filter(|point| point.y > 0.0 && point.y.is_finite()).collect();
    Some(Line { name: format!("model {}", data.name), colour: 3, dash: 3, points })
}

/// The parts of the time at the points.
fn parts(series: &Series, number: usize) -> String {
    let line = |(i, name): (usize, &'static str)| {
        let point = |p: &super::model::PointData| {
            let part = p.parts.as_ref()?.get(name)?.0;
            let tip = format!("{name}, N = {}: {}", p.tasks, seconds(part));
            (part > 0.0).then_some(Point { x: p.tasks as f64, y: part, interval: None, tip })
        };
        Line { name: name.to_owned(), colour: i, dash: i % 4, points: series.points.iter().filter_map(point).collect() }
    };
    let lines: Vec<Line> =
        Parts::NAMES.into_iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect();
    let title = format!("Parts of the time of {}, means over the tasks", series.name);
    drawn(&format!("parts-{number}"), &title, "time", lines, false, &seconds)
}

fn drawn(id: &str, title: &str, y_name: &str, lines: Vec<Line>, ideal: bool, y_text: &dyn Fn(f64) -> String) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = lines.iter().map(|line| &*line.name).collect();
    let description = format!("{title}; lines: {}. The tables below have all values.", names.join(", "));
    let item = |line: &Line| format!("<li>{}{}</li>\n", plot::sample(line), escaped(&line.name));
    let legend: String = lines.iter().map(item).collect();
    let chart = Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        description,
        x_name: "number of tasks".to_owned(),
        y_name: y_name.to_owned(),
        lines,
        ideal,
        y_text,
    };
    let (svg, caption) = (plot::render(&chart), escaped(title));
    format!("<figure>\n<figcaption>{caption}</figcaption>\n{svg}<ul class=\"legend\">\n{legend}</ul>\n</figure>\n")
}
