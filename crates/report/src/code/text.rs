//! The listing for people.

use super::model::{CodeReport, InstructionCode, LoopCode, LoopWay};
use std::fmt::Write as _;
use std::path::Path;

/// Loops with their times, then the instructions below the lines of `source`, which is the text of `file`.
pub fn text(report: &CodeReport, file: &Path, source: &str) -> String {
    let CodeReport { function, compiler, core, core_description, .. } = report;
    let doubt = if report.core_measured { "" } else { ", whose figures were not compared with a processor" };
    let mut out = format!("{function} by {compiler}, on the core {core} ({core_description}{doubt})\n");
    out.push_str("cycles with data in the first-level cache and branches predicted\n\n");
    out.extend(report.loops.iter().map(loop_text));
    out.push_str("  cycles  instruction                                        ports\n");
    let source =
        SourceText { name: file.file_name().map(|name| name.to_string_lossy()), lines: source.lines().collect() };
    let mut before = None;
    for instruction in &report.instructions {
        if instruction.line != before {
            source.line(&mut out, instruction);
            before = instruction.line;
        }
        instruction_text(&mut out, instruction);
    }
    out
}

/// The file whose function is shown.
struct SourceText<'a> {
    name: Option<std::borrow::Cow<'a, str>>,
    lines: Vec<&'a str>,
}

impl SourceText<'_> {
    /// The number of an instruction's line, and its text where the line is of this file.
    fn line(&self, out: &mut String, instruction: &InstructionCode) {
        let is_own = |file: &str| self.name.as_deref().is_some_and(|name| file.ends_with(name));
        let line = instruction.line.filter(|_| instruction.file.as_deref().is_some_and(is_own));
        let quoted =
            line.and_then(|line| self.lines.get((line as usize).checked_sub(1)?)).map_or("", |text| text.trim());
        let number = instruction.line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        let _ = writeln!(out, "{}", format!("{number}: {quoted}").trim_end());
    }
}

fn instruction_text(out: &mut String, instruction: &InstructionCode) {
    let _ = match (instruction.cycles, &instruction.ports) {
        (Some(cycles), Some(ports)) => writeln!(out, "  {cycles:6.2}  {:50} {ports}", instruction.text),
        _ => writeln!(out, "          {}", instruction.text),
    };
}

fn loop_text(l: &LoopCode) -> String {
    let line = l.line.map_or_else(|| "unknown".to_owned(), |line| line.to_string());
    let mut out = format!("{}loop of line {line}", "  ".repeat(l.depth as usize - 1));
    if let Some(elements) = l.estimated_elements_per_iteration {
        let _ = write!(out, ", {elements} elements per iteration by an estimate from its accesses");
    }
    if let Some(reason) = &l.elements_unknown {
        let _ = write!(out, ", elements per iteration unknown: {reason}");
    }
    if let Some(lanes) = l.lanes.filter(|lanes| *lanes > 1) {
        let _ = write!(out, ", {lanes} lanes");
    }
    out.push('\n');
    let indent = "  ".repeat(l.depth as usize);
    for way in &l.ways {
        let _ = writeln!(out, "{indent}{}", way_text(way));
    }
    out
}

fn way_text(way: &LoopWay) -> String {
    let (Some(cycles), Some(bounds)) = (way.cycles, &way.bounds) else {
        return format!("cycles unknown: {}", way.reason.as_deref().unwrap_or_default());
    };
    let mean = if bounds.periodic { "" } else { " on average" };
    let placed = match (bounds.mean_cycles - cycles).abs() > 0.01 * cycles {
        true => format!(", {:.2} in the mean of the places that a linker may give to it", bounds.mean_cycles),
        false => String::new(),
    };
    format!(
        "{cycles:.2} cycles per iteration{mean}{placed}, limited by {} (front end {:.2}, ports {:.2}, latency chain {:.2})",
        bounds.bottleneck, bounds.front_end_cycles, bounds.port_cycles, bounds.latency_cycles
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::model::WayBounds;

    fn report() -> CodeReport {
        let bounds = WayBounds {
            mean_cycles: 2.0,
            periodic: false,
            front_end_cycles: 0.5,
            port_cycles: 1.0,
            latency_cycles: 2.0,
            bottleneck: "latency chain".to_owned(),
        };
        let inner = LoopCode {
            line: Some(2),
            depth: 2,
            inlined: Vec::new(),
            lanes: Some(4),
            estimated_elements_per_iteration: Some(8),
            elements_unknown: None,
            ways: vec![LoopWay { cycles: Some(2.0), reason: None, bounds: Some(bounds) }],
        };
        let outer = LoopCode {
            line: None,
            depth: 1,
            lanes: None,
            estimated_elements_per_iteration: None,
            elements_unknown: Some("no access moves".to_owned()),
            ways: vec![LoopWay::unknown("it contains loops")],
            ..inner.clone()
        };
        let instruction = |text: &str, file: &str, line, cycles: Option<f64>| InstructionCode {
            text: text.to_owned(),
            line,
            file: Some(file.to_owned()),
            cycles,
            ports: cycles.map(|_| "P0|P1".to_owned()),
        };
        CodeReport {
            schema: CodeReport::SCHEMA,
            function: "f".to_owned(),
            compiler: "cc -O2".to_owned(),
            core: "c".to_owned(),
            core_description: "some processor".to_owned(),
            core_measured: false,
            loops: vec![outer, inner],
            instructions: vec![
                instruction("addsd xmm0,[rdi]", "./dot.c", Some(2), Some(2.0)),
                instruction("ret", "other.h", Some(1), None),
                instruction("nop", "dot.c", Some(99), None),
                instruction("nop", "dot.c", None, None),
            ],
        }
    }

    /// A line beyond the text, a line of another file and no line at all quote nothing.
    #[test]
    fn instructions_stand_below_their_lines() {
        let lines = "double f(void)\n  s += a[i];\n";
        insta::assert_snapshot!(text(&report(), Path::new("src/dot.c"), lines), @r"
        f by cc -O2, on the core c (some processor, whose figures were not compared with a processor)
        cycles with data in the first-level cache and branches predicted

        loop of line unknown, elements per iteration unknown: no access moves
          cycles unknown: it contains loops
          loop of line 2, 8 elements per iteration by an estimate from its accesses, 4 lanes
            2.00 cycles per iteration on average, limited by latency chain (front end 0.50, ports 1.00, latency chain 2.00)
          cycles  instruction                                        ports
        2: s += a[i];
            2.00  addsd xmm0,[rdi]                                   P0|P1
        1:
                  ret
        99:
                  nop
        ?:
                  nop
        ");
    }

    #[test]
    fn the_parts_of_an_unknown_time_are_left_out() {
        let ways = serde_json::to_value(&report().loops).expect("JSON");
        assert_eq!(ways[0]["ways"][0], serde_json::json!({ "cycles": null, "reason": "it contains loops" }));
        assert_eq!(ways[1]["ways"][0]["bottleneck"], "latency chain");
        assert_eq!(ways[1]["ways"][0]["reason"], serde_json::Value::Null);
    }
}
