//! The honest list: every block whose count is not exact, by what makes it so.

use crate::counts::model::{BlockCounts, Cause, CountReport};
use crate::model::source_name;
use std::fmt::Write as _;

/// Nothing where all counts are exact.
pub fn list(report: &CountReport) -> String {
    let mut text = String::new();
    for cause in &report.inexact {
        one(report, cause, &mut text);
    }
    if text.is_empty() { text } else { format!("Not exact\n{text}\n") }
}

fn one(report: &CountReport, cause: &Cause, text: &mut String) {
    let place = match (&cause.file, cause.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        _ => String::new(),
    };
    let _ = writeln!(text, "  {place}{}", cause.reason);
    for origin in &cause.origins {
        let _ = writeln!(text, "    from {}:{}: {}", origin.file, origin.line, origin.text);
    }
    if let Some(remedy) = &cause.remedy {
        let _ = writeln!(text, "    remedy: {remedy}");
    }
    let blocks: Vec<&BlockCounts> = cause.blocks.iter().filter_map(|&id| report.blocks.get(id as usize)).collect();
    let word = if blocks.len() == 1 { "block" } else { "blocks" };
    let _ = writeln!(text, "    {} {word} {}: {}", blocks.len(), source_name(cause.source), places(&blocks));
}

/// `12-14 (a.c:7-9), 20 (b.c:3)`: blocks that follow one another together.
fn places(blocks: &[&BlockCounts]) -> String {
    let mut runs: Vec<Vec<&BlockCounts>> = Vec::new();
    for &block in blocks {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| last.id + 1 == block.id && last.file == block.file) => {
                run.push(block);
            }
            _ => runs.push(vec![block]),
        }
    }
    let show = |run: &Vec<&BlockCounts>| {
        let (first, last) = (run[0], run[run.len() - 1]);
        let begin = run.iter().map(|block| block.line_start).min().unwrap_or(first.line_start);
        let end = run.iter().map(|block| block.line_end).max().unwrap_or(last.line_end);
        let ids = if run.len() == 1 { first.id.to_string() } else { format!("{}-{}", first.id, last.id) };
        let lines = if begin == end { begin.to_string() } else { format!("{begin}-{end}") };
        format!("{ids} ({}:{lines})", first.file)
    };
    runs.iter().map(show).collect::<Vec<_>>().join(", ")
}
