//! Two machines side by side: every figure of both and their ratio.
//!
//! Costs are compared in nanoseconds, because cycles of two machines are of different length.

use super::workstation::{Architecture, Machine};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A figure that at least one of two machines has.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// As in the machine file, such as `classes.fp_add.latency`.
    pub field: String,
    /// `ns`, `bytes`, or empty for a number.
    pub unit: &'static str,
    /// The figure of the first machine.
    pub left: Option<f64>,
    /// The figure of the second machine.
    pub right: Option<f64>,
}

impl Difference {
    /// Right over left; `None` where one of them is missing or 0.
    pub fn ratio(&self) -> Option<f64> {
        let (left, right) = (self.left?, self.right?);
        (left > 0.0 && right > 0.0).then(|| right / left)
    }

    /// Whether the two are further apart than figures of one machine measured twice.
    pub fn matters(&self) -> bool {
        match (self.left, self.right) {
            (Some(left), Some(right)) => (left - right).abs() > SAME * left.abs().max(right.abs()),
            _ => true,
        }
    }
}

/// Relatively; less is the same.
const SAME: f64 = 0.01;

/// All figures of two machines, sorted by field.
pub fn differences(left: &Machine, right: &Machine) -> Vec<Difference> {
    let (left, right) = (figures(left), figures(right));
    let fields: BTreeSet<_> = left.keys().chain(right.keys()).collect();
    let value = |of: &Figures, field: &String| of.get(field).map(|&(value, _)| value);
    let unit = |field: &String| left.get(field).or(right.get(field)).map_or("", |&(_, unit)| unit);
    let difference = |field: &String| Difference {
        field: field.clone(),
        unit: unit(field),
        left: value(&left, field),
        right: value(&right, field),
    };
    fields.into_iter().map(difference).collect()
}

type Figures = BTreeMap<String, (f64, &'static str)>;

fn figures(machine: &Machine) -> Figures {
    let mut sheet = Sheet { cycle: machine.ns_per_cycle.0, figures: Figures::new() };
    sheet.time("ns_per_cycle", machine.ns_per_cycle.0);
    sheet.number("cores", f64::from(machine.cores));
    sheet.cycles("library_default", machine.library_default_cycles.0);
    sheet.cycles("mpi_local", machine.mpi_local_cycles.0);
    sheet.classes(machine);
    for (name, cost) in &machine.library {
        sheet.cycles(&format!("library.{name}"), cost.cycles.0);
        if cost.cycles_per_byte.0 > 0.0 {
            sheet.cycles(&format!("library.{name}.per_byte"), cost.cycles_per_byte.0);
        }
    }
    sheet.memory(machine);
    sheet.pipeline(machine);
    sheet.figures
}

struct Sheet {
    cycle: f64,
    figures: Figures,
}

impl Sheet {
    fn add(&mut self, field: &str, value: f64, unit: &'static str) {
        self.figures.insert(field.to_owned(), (value, unit));
    }

    fn number(&mut self, field: &str, value: f64) {
        self.add(field, value, "");
    }

    fn time(&mut self, field: &str, ns: f64) {
        self.add(field, ns, "ns");
    }

    fn cycles(&mut self, field: &str, cycles: f64) {
        self.time(field, cycles * self.cycle);
    }

    fn classes(&mut self, machine: &Machine) {
        for (class, cost) in &machine.classes {
            let field = |part: &str| format!("classes.{}.{part}", class.name());
            self.cycles(&field("latency"), cost.latency_cycles.0);
            self.cycles(&field("throughput"), cost.throughput_cycles.0);
            self.cycles(&field("effective"), cost.effective_cycles.0);
            for (bits, vector) in &cost.vector {
                self.cycles(&field(&format!("vector.{bits}.latency")), vector.latency_cycles.0);
                self.cycles(&field(&format!("vector.{bits}.throughput")), vector.throughput_cycles.0);
            }
        }
    }

    fn memory(&mut self, machine: &Machine) {
        for level in &machine.memory.levels {
            let field = |part: &str| format!("memory.{}.{part}", level.name);
            if let Some(size) = level.size_bytes {
                self.add(&field("size"), size.0 as f64, "bytes");
            }
            let costs = [
                ("read", level.ns_per_line_read),
                ("write", level.ns_per_line_write),
                ("strided", level.ns_per_line_strided),
                ("beside", level.ns_per_line_beside),
                ("update", level.ns_per_line_update),
                ("stencil", level.ns_per_line_stencil),
                ("crowded", level.ns_per_line_crowded),
                ("random", level.ns_per_line_random),
                ("latency", level.ns_latency),
            ];
            for (part, ns) in costs {
                if let Some(ns) = ns {
                    self.time(&field(part), ns.0);
                }
            }
            for crowded in &level.crowded_lines {
                let pitch = match crowded.lines {
                    Some(lines) => format!("{}.{lines}_lines", crowded.pitch_bytes.0),
                    None => crowded.pitch_bytes.0.to_string(),
                };
                self.time(&field(&format!("crowded_write.{pitch}")), crowded.ns_write.0);
                self.time(&field(&format!("crowded_update.{pitch}")), crowded.ns_update.0);
                let others = [
                    ("read", crowded.ns_read),
                    ("update_slowly", crowded.ns_update_slowly),
                    ("mixed", crowded.ns_mixed),
                    ("mixed_slowly", crowded.ns_mixed_slowly),
                ];
                for (part, ns) in others.into_iter().filter_map(|(part, ns)| Some((part, ns?))) {
                    self.time(&field(&format!("crowded_{part}.{pitch}")), ns.0);
                }
            }
        }
        if let Some(ns) = machine.memory.page_fault_ns {
            self.time("memory.page_fault", ns.0);
        }
        for fault in &machine.memory.page_faults {
            self.time(&format!("memory.page_fault.{}", fault.bytes.0), fault.ns.0);
        }
        if let Some(translation) = &machine.memory.translation {
            self.number("memory.translation.pages", translation.pages as f64);
            self.time("memory.translation.miss", translation.ns_per_miss.0);
        }
    }

    fn pipeline(&mut self, machine: &Machine) {
        let Some(pipeline) = &machine.pipeline else { return };
        self.number("pipeline.width", pipeline.width);
        self.number("pipeline.window", f64::from(pipeline.window));
        self.number("pipeline.predicted_trips", f64::from(pipeline.predicted_trips));
        self.cycles("pipeline.forward_fp", pipeline.forward_fp_cycles.0);
        self.cycles("pipeline.forward_int", pipeline.forward_int_cycles.0);
        self.cycles("pipeline.mispredict", pipeline.mispredict_cycles.0);
        let measured = [
            ("pipeline.select", pipeline.select_cycles),
            ("pipeline.fp_max", pipeline.fp_max_cycles),
            ("pipeline.forward_moving_fp", pipeline.forward_moving_fp_cycles),
            ("pipeline.forward_folded_int", pipeline.forward_folded_int_cycles),
            ("pipeline.forward_update_int", pipeline.forward_update_int_cycles),
            ("pipeline.indexed_load", pipeline.indexed_load_cycles),
            ("pipeline.taken_branch", pipeline.taken_branch_cycles),
            ("pipeline.reordered_load", pipeline.reordered_load_cycles),
        ];
        measured.into_iter().for_each(|(field, cycles)| cycles.iter().for_each(|cycles| self.cycles(field, cycles.0)));
    }
}

/// Lines for people: what differs (or everything), then how much does not.
pub fn table(left: &Machine, right: &Machine, everything: bool) -> String {
    let all = differences(left, right);
    let shown: Vec<&Difference> = all.iter().filter(|found| everything || found.matters()).collect();
    let mut out = String::new();
    let _ = writeln!(out, "{:<38} {:>12} {:>12} {:>8}", "figure", "left", "right", "ratio");
    for found in &shown {
        let ratio = found.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
        let field =
            if found.unit.is_empty() { found.field.clone() } else { format!("{} ({})", found.field, found.unit) };
        let _ = writeln!(out, "{field:<38} {:>12} {:>12} {ratio:>8}", value(found.left), value(found.right));
    }
    for (name, left, right) in words(left, right) {
        let _ = writeln!(out, "{name}: {left} | {right}");
    }
    let hidden = all.len() - shown.len();
    if hidden > 0 {
        let _ = writeln!(out, "{hidden} of {} figures agree within {} %", all.len(), SAME * 100.0);
    }
    out
}

fn value(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value == 0.0 || (0.001..1e7).contains(&value) => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Some(value) => format!("{value:.3e}"),
    }
}

/// What is no number and differs: name, left, right.
fn words(left: &Machine, right: &Machine) -> Vec<(&'static str, String, String)> {
    let rules = |machine: &Machine| serde_json::to_string(&machine.rules).unwrap_or_default();
    let compiler = |machine: &Machine| format!("{} {}", machine.compiler.version, machine.compiler.flags.join(" "));
    let architecture = |machine: &Machine| machine.architecture.map_or("", Architecture::name).to_owned();
    let library = |machine: &Machine| machine.c_library.map_or_else(String::new, |library| format!("{library:?}"));
    let all = [
        ("processor", left.processor.clone(), right.processor.clone()),
        ("compiler", compiler(left), compiler(right)),
        ("data_model", format!("{:?}", left.data_model), format!("{:?}", right.data_model)),
        ("architecture", architecture(left), architecture(right)),
        ("c_library", library(left), library(right)),
        ("rules", rules(left), rules(right)),
    ];
    all.into_iter().filter(|(_, left, right)| left != right).collect()
}
