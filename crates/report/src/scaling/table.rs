//! How a program scales, for people: points, models, the class, what lies beyond.

use super::model::{CallData, Extrapolated, IsoefficiencyData, ModelData, PointData, ScalingReport, Series};
use crate::fold::fold;
use crate::number::{Scale, seconds};
use crate::table::Grid;
use chronos_base::units::Seconds;
use chronos_scaling::Parts;
use std::fmt::Write as _;

/// All series, in so many columns.
pub fn render(report: &ScalingReport, width: Option<usize>) -> String {
    let one = |series| View { series, width }.render();
    let mut parts: Vec<String> = report.series.iter().map(one).collect();
    parts.extend(report.isoefficiency.iter().map(|data| isoefficiency(data, width)));
    parts.join("\n")
}

/// The work that keeps an efficiency.
fn isoefficiency(data: &IsoefficiencyData, width: Option<usize>) -> String {
    let place = data.machine.as_ref().map_or(String::new(), |machine| format!(" on {machine}"));
    let percent = 100.0 * data.efficiency;
    let mut grid = Grid::new(&["Series", "Work on one task", "Tasks"], &[0]).within(width);
    for point in &data.points {
        grid.row(vec![point.series.clone(), seconds(point.work_s.0), format!("{:.1}", point.tasks)]);
    }
    let law = match (&data.work_s, data.exponent) {
        (Some(work), Some(exponent)) => format!(
            "To keep {percent:.0} %, N tasks need work of {work} s: with twice the tasks {:.2} times as much.\n",
            2_f64.powf(exponent)
        ),
        _ => "Three amounts of work that fall below this efficiency are needed for a law.\n".to_owned(),
    };
    let title = format!("Isoefficiency of {}{place}: tasks up to which {percent:.0} % are kept\n", data.program);
    fold(&title, width) + &grid.render() + &fold(&law, width)
}

struct View<'a> {
    series: &'a Series,
    width: Option<usize>,
}

impl View<'_> {
    fn render(&self) -> String {
        let parts = [
            self.heading(),
            self.points(),
            self.class(),
            self.models(),
            self.calls(),
            self.laws(),
            self.beyond(),
            self.verified(),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn heading(&self) -> String {
        let s = self.series;
        let place = match (&s.machine, &s.network) {
            (Some(machine), Some(network)) => format!(" on {machine}, network {network}"),
            _ => String::new(),
        };
        let held = match s.hold {
            "work" => "the work stays the same with more tasks",
            _ => "each task keeps its work, so that all work grows with the tasks",
        };
        fold(&format!("{}{place}: {held}; speedups are over {}\n", s.name, s.reference), self.width)
    }

    fn points(&self) -> String {
        let points = &self.series.points;
        let scale = Scale::of(points.iter().map(|p| p.total_s.0).fold(0.0, f64::max));
        let with_parts = points.iter().all(|point| point.parts.is_some());
        let names = ["Compute", "Messages", "Collective", "Idle", "End"];
        let mut header = vec!["Tasks", "Total", "Speedup", "Efficiency"];
        if with_parts {
            header.extend(names);
        }
        let mut grid = Grid::new(&header, &[]).within(self.width);
        points.iter().for_each(|point| grid.row(point_row(point, scale)));
        let title = if with_parts { ", with its parts as means over the tasks" } else { "" };
        format!("Time by the number of tasks, in {}{title}\n{}", scale.unit, grid.render())
    }

    fn class(&self) -> String {
        let Some(class) = &self.series.class else { return String::new() };
        let mut text = fold(&format!("It scales as the model `{}`: {}.\n", class.name, class.why), self.width);
        if let Some(remark) = &class.remark {
            text += &fold(&format!("What would help: {remark}.\n"), self.width);
        }
        if let (Some(tasks), Some(speedup)) = (self.series.best_tasks, self.series.best_speedup) {
            text += &fold(
                &format!("The greatest speedup is {speedup:.2}, with {}{}\n", tasks_text(tasks), self.half()),
                self.width,
            );
        }
        text += &fold(&self.useful(), self.width);
        text
    }

    /// The largest machine that is of use.
    fn useful(&self) -> String {
        let last = self.series.extrapolated.last().map(|e| e.tasks);
        let last = last.or(self.series.points.last().map(|point| point.tasks));
        match self.series.largest_useful_tasks {
            Some(n) if Some(n) == last => {
                format!(
                    "Twice the tasks always gain a tenth of speedup or more up to {}, as far as was looked.\n",
                    tasks_text(n)
                )
            }
            Some(n) => {
                format!("The largest useful machine has {}: twice as many gain less than a tenth.\n", tasks_text(n))
            }
            None => String::new(),
        }
    }

    /// Where the efficiency crosses one half, between the points.
    fn crossing(&self) -> String {
        let crossing = self.series.efficiency_crossings.iter().find(|crossing| crossing.efficiency == 0.5);
        crossing.map_or(String::new(), |crossing| format!(" (it falls below with {:.1})", crossing.tasks))
    }

    fn half(&self) -> String {
        match (self.series.half_efficient_tasks, self.series.falls_below_half) {
            (Some(n), true) => {
                format!("; the efficiency is at least 50 % up to {}{}.", tasks_text(n), self.crossing())
            }
            (Some(n), false) => {
                format!("; the efficiency is at least 50 % up to {}, as far as was looked.", tasks_text(n))
            }
            (None, _) => "; the efficiency is below 50 % everywhere.".to_owned(),
        }
    }

    fn models(&self) -> String {
        if self.series.models.is_empty() {
            return "No model can be fitted: points with at least two numbers of tasks above 1 are needed.\n"
                .to_owned();
        }
        let header = ["Model", "Time", "Error", "Held out", "Parameters", "Best N", "Speedup"];
        let mut grid = Grid::new(&header, &[0, 1, 4]).within(self.width);
        self.series.models.iter().for_each(|model| grid.whole_row(model_row(model)));
        let note = "Error: root mean square at the points. Held out: greatest error at the two largest points of a fit to the others.";
        format!("Models\n{}{}\n", grid.render(), fold(note, self.width))
    }

    fn calls(&self) -> String {
        if self.series.calls.is_empty() {
            return String::new();
        }
        let header = ["Call", "Place", "Per task", "Bytes", "Members"];
        let mut grid = Grid::new(&header, &[0, 1, 2, 3, 4]).within(self.width);
        self.series.calls.iter().for_each(|call| grid.whole_row(call_row(call)));
        let note = "Members: of the communicator. What calls cost with N tasks, and what is computed between them, is a_priori(N) below where counts tell it.";
        format!("Calls with N tasks, as means over the tasks\n{}{}\n", grid.render(), fold(note, self.width))
    }

    fn laws(&self) -> String {
        let mut text = String::new();
        for law in &self.series.laws {
            let _ = writeln!(text, "  {:<10}  {}", law.part, law.python);
        }
        if text.is_empty() { text } else { format!("Laws of the parts, in s\n{text}") }
    }

    fn beyond(&self) -> String {
        if self.series.extrapolated_by.is_none() {
            let why = "Not extrapolated: no law of few terms foretells the two largest points from the others. More and larger \
                       numbers of tasks (-n) may show one.\n";
            return fold(why, self.width);
        }
        if self.series.extrapolated.is_empty() {
            return String::new();
        }
        let mut grid = Grid::new(&["Tasks", "Total", "Band", "Speedup", "Efficiency"], &[]).within(self.width);
        self.series.extrapolated.iter().for_each(|e| grid.row(beyond_row(e)));
        let largest = self.series.points.last().map_or(0, |point| point.tasks);
        format!("Beyond {largest} tasks, by {}\n{}", self.followed(), grid.render())
    }

    fn followed(&self) -> String {
        match (self.series.extrapolated_by, self.series.models.first()) {
            (Some("model"), Some(model)) => {
                format!("the model {}, because no laws of the parts foretell the points", model.name)
            }
            _ => "the laws of the parts".to_owned(),
        }
    }

    fn verified(&self) -> String {
        if self.series.verified.is_empty() {
            return String::new();
        }
        let mut grid = Grid::new(&["Tasks", "Replayed", "Extrapolated", "Band", "Error"], &[]).within(self.width);
        for v in &self.series.verified {
            let outside = if v.holds { "" } else { ", outside the band" };
            let error = format!("{:+.1} %{outside}", (v.error_percent * 10.0).round() / 10.0 + 0.0);
            grid.row(vec![v.tasks.to_string(), seconds(v.replay_s.0), seconds(v.law_s.0), band(v.band_s), error]);
        }
        format!("Verified by replay\n{}", grid.render())
    }
}

fn point_row(point: &PointData, scale: Scale) -> Vec<String> {
    let mut row = vec![point.tasks.to_string(), scale.show(point.total_s.0)];
    row.extend([format!("{:.3}", point.speedup), format!("{:.1} %", 100.0 * point.efficiency)]);
    if let Some(parts) = &point.parts {
        row.extend(Parts::NAMES.map(|name| parts.get(name).map_or(String::new(), |part| scale.show(part.0))));
    }
    row
}

fn model_row(model: &ModelData) -> Vec<String> {
    let parameter = |(name, value): (&&str, &f64)| match model.name {
        "universal" if *name != "T1" => format!("{name} = {value:.3e}"),
        _ => format!("{name} = {}", seconds(*value)),
    };
    let parameters: Vec<String> = model.parameters.iter().map(parameter).collect();
    let ratio = model.ratio.map(|ratio| format!("r = {}", significant(ratio)));
    vec![
        model.name.to_owned(),
        model.formula.clone(),
        format!("{:.2} %", model.rms_percent),
        model.holdout_percent.map_or("-".to_owned(), |percent| format!("{percent:.1} %")),
        parameters.into_iter().chain(ratio).collect::<Vec<_>>().join(", "),
        model.best_tasks.map_or("-".to_owned(), |n| format!("{n:.1}")),
        model.best_speedup.map_or("-".to_owned(), |speedup| format!("{speedup:.2}")),
    ]
}

fn call_row(call: &CallData) -> Vec<String> {
    [&call.call, &call.place, &call.per_task, &call.bytes, &call.members].map(|text| text.replace("1*N", "N")).to_vec()
}

fn beyond_row(e: &Extrapolated) -> Vec<String> {
    vec![
        e.tasks.to_string(),
        seconds(e.total_s.0),
        band(e.band_s),
        format!("{:.2}", e.speedup),
        format!("{:.2} %", 100.0 * e.efficiency),
    ]
}

fn band([low, high]: [Seconds; 2]) -> String {
    format!("{} to {}", seconds(low.0), seconds(high.0))
}

fn tasks_text(n: usize) -> String {
    format!("{n} task{}", if n == 1 { "" } else { "s" })
}

/// Four digits.
fn significant(x: f64) -> String {
    let digits = (3.0 - x.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{x:.digits$}")
}
