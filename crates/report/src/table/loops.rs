//! What bounds the loops of one function, for people.

use super::Names;
use super::grid::Grid;
use crate::fold::fold;
use crate::model::{LoopBound, Prediction};
use crate::number::{Scale, seconds};
use std::fmt::Write as _;

/// The loops of `function`, in the order of the source: a table, then a sentence for each.
pub fn render(p: &Prediction, function: &str, names: &Names, width: Option<usize>) -> String {
    let loops: Vec<&LoopBound> = p.loops.iter().filter(|bound| bound.function == function).collect();
    if loops.is_empty() {
        let why = match p.loops.is_empty() && !["source", "compiled"].contains(&p.cost_model.as_str()) {
            true => format!("the cost model {} knows no bounds", p.cost_model),
            false => "none was entered".to_owned(),
        };
        return format!("Loops of {function}: {why}\n");
    }
    let scale = Scale::of(loops.iter().map(|bound| bound.time_s).fold(0.0, f64::max));
    let header = ["Loop", "Entries", "Iterations", "Time", "Latency", "Throughput", "Memory", "Lanes", "Bound by"];
    let mut grid = Grid::new(&header, &[0, 8]).within(width);
    loops.iter().for_each(|bound| grid.row(row(bound, scale, names)));
    let title = fold(&format!("Loops of {function}, without the loops inside each, in {}\n", scale.unit), width);
    let mut why = String::new();
    for bound in loops {
        let place = names.place(&bound.file, bound.line_start);
        let _ = writeln!(why, "{place}: {} in all: {}", seconds(bound.time_s), bound.why);
    }
    format!("{title}{}\n{}", grid.render(), fold(&why, width))
}

fn row(bound: &LoopBound, scale: Scale, names: &Names) -> Vec<String> {
    let place = names.lines_of(&bound.file, bound.line_start, bound.line_end);
    let times = [bound.time_s, bound.chain_s, bound.throughput_s, bound.memory_s].map(|time| scale.show(time));
    let counts = [bound.entries, bound.iterations].map(|count| format!("{count:.0}"));
    let indented = "  ".repeat(bound.depth as usize) + &place;
    let cells = std::iter::once(indented).chain(counts).chain(times);
    cells.chain([bound.lanes.to_string(), bound.bound.clone()]).collect()
}
