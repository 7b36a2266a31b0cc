//! Values that no machine can have.

use super::codes;
use super::hardware::{MemoryLevel, PageFault};
use super::workstation::{Machine, SCHEMA};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Nanoseconds;
use chronos_ir::{DataModel, InstructionClass};

/// Findings about the file that `origin` names.
struct Checker<'a> {
    origin: &'a str,
    found: Vec<Diagnostic>,
}

impl Machine {
    /// What is impossible (errors) or improbable (warnings) in it; `origin` stands in messages.
    pub fn check(&self, origin: &str) -> Vec<Diagnostic> {
        let mut checker = Checker { origin, found: Vec::new() };
        checker.identity(self);
        checker.classes(self);
        checker.library(self);
        checker.memory(self);
        checker.pipeline(self);
        checker.residuals(self);
        checker.found
    }
}

impl Checker<'_> {
    fn identity(&mut self, machine: &Machine) {
        if machine.schema != SCHEMA {
            self.impossible("schema", &format!("\"{SCHEMA}\""), &format!("\"{}\"", machine.schema));
        }
        if machine.name.is_empty() {
            self.impossible("name", "a name", "an empty string");
        }
        if machine.cores == 0 {
            self.impossible("cores", "at least 1", "0");
        }
        if let Some(architecture) = machine.architecture.filter(|other| other.data_model() != machine.data_model) {
            let types = |model: DataModel| if model == DataModel::Ilp32 { "ILP32" } else { "LP64" };
            let expected =
                format!("{} with the architecture {}", types(architecture.data_model()), architecture.name());
            self.impossible("data_model", &expected, types(machine.data_model));
        }
        let clock = machine.ns_per_cycle.0;
        if clock <= 0.0 {
            self.impossible("ns_per_cycle", "a positive number of nanoseconds", &clock.to_string());
        } else if !(0.05..=1000.0).contains(&clock) {
            self.odd("ns_per_cycle", "0.05 to 1000 (20 GHz to 1 MHz)", &clock.to_string());
        }
    }

    fn classes(&mut self, machine: &Machine) {
        for class in InstructionClass::ALL {
            let priced = machine.classes.contains_key(&class);
            if !priced && class != InstructionClass::Library && class.default_cost().is_none() {
                self.impossible("classes", &format!("a cost for `{}`", class.name()), "none");
            }
        }
        for (class, cost) in &machine.classes {
            let field = |part: &str| format!("classes.{}.{part}", class.name());
            self.not_negative(&field("latency_cycles"), cost.latency_cycles.0);
            self.not_negative(&field("throughput_cycles"), cost.throughput_cycles.0);
            self.not_negative(&field("effective_cycles"), cost.effective_cycles.0);
            if cost.throughput_cycles.0 > cost.latency_cycles.0 * 1.2 + 0.5 {
                let expected = format!("at most the latency, {}", cost.latency_cycles.0);
                self.odd(&field("throughput_cycles"), &expected, &cost.throughput_cycles.0.to_string());
            }
            for (width, vector) in &cost.vector {
                self.not_negative(&field(&format!("vector.{width}.latency_cycles")), vector.latency_cycles.0);
                self.not_negative(&field(&format!("vector.{width}.throughput_cycles")), vector.throughput_cycles.0);
                if !width.parse::<u32>().is_ok_and(|bits| bits > 0 && bits % 8 == 0) {
                    self.impossible(&field("vector"), "a width in bits, such as \"256\"", &format!("\"{width}\""));
                }
            }
        }
    }

    fn library(&mut self, machine: &Machine) {
        for (name, cost) in &machine.library {
            self.not_negative(&format!("library.{name}.cycles"), cost.cycles.0);
            self.not_negative(&format!("library.{name}.cycles_per_byte"), cost.cycles_per_byte.0);
        }
        self.not_negative("library_default_cycles", machine.library_default_cycles.0);
        self.not_negative("mpi_local_cycles", machine.mpi_local_cycles.0);
    }

    fn memory(&mut self, machine: &Machine) {
        let mut inner = 0;
        for (position, level) in machine.memory.levels.iter().enumerate() {
            let field = |part: &str| format!("memory.levels[{position}].{part}");
            if level.line_bytes.0 == 0 {
                self.impossible(&field("line_bytes"), "a positive number of bytes", "0");
            }
            let size = level.size_bytes.map_or(u64::MAX, |size| size.0);
            if size <= inner {
                let expected = format!("more than {inner}, the level before");
                self.impossible(&field("size_bytes"), &expected, &size.to_string());
            }
            inner = size;
            for (part, cost) in costs(level) {
                self.not_negative(&field(part), cost.map_or(0.0, |ns| ns.0));
            }
            for (number, crowded) in level.crowded_lines.iter().enumerate() {
                let field = |part: &str| field(&format!("crowded_lines[{number}].{part}"));
                self.not_negative(&field("ns_write"), crowded.ns_write.0);
                self.not_negative(&field("ns_update"), crowded.ns_update.0);
                self.not_negative(&field("ns_update_slowly"), crowded.ns_update_slowly.map_or(0.0, |ns| ns.0));
                self.not_negative(&field("ns_read"), crowded.ns_read.map_or(0.0, |ns| ns.0));
                self.not_negative(&field("ns_mixed"), crowded.ns_mixed.map_or(0.0, |ns| ns.0));
                self.not_negative(&field("ns_mixed_slowly"), crowded.ns_mixed_slowly.map_or(0.0, |ns| ns.0));
                if !crowded.pitch_bytes.0.is_power_of_two() {
                    let expected = "a power of two";
                    self.impossible(&field("pitch_bytes"), expected, &crowded.pitch_bytes.0.to_string());
                }
            }
        }
        for (position, pair) in machine.memory.levels.windows(2).enumerate() {
            self.farther_is_slower(position + 1, &pair[0], &pair[1]);
        }
        self.not_negative("memory.page_fault_ns", machine.memory.page_fault_ns.map_or(0.0, |ns| ns.0));
        self.page_faults(&machine.memory.page_faults);
        let translation = machine.memory.translation.as_ref();
        self.not_negative("memory.translation.ns_per_miss", translation.map_or(0.0, |found| found.ns_per_miss.0));
    }

    fn page_faults(&mut self, faults: &[PageFault]) {
        let mut less = 0;
        for (position, fault) in faults.iter().enumerate() {
            let field = |part: &str| format!("memory.page_faults[{position}].{part}");
            if fault.bytes.0 <= less {
                self.impossible(&field("bytes"), &format!("more than {less}"), &fault.bytes.0.to_string());
            }
            less = fault.bytes.0;
            self.not_negative(&field("ns"), fault.ns.0);
        }
    }

    fn farther_is_slower(&mut self, position: usize, near: &MemoryLevel, far: &MemoryLevel) {
        for ((part, near), (_, far)) in costs(near).into_iter().zip(costs(far)) {
            let (Some(near), Some(far)) = (near, far) else { continue };
            if far.0 < near.0 * 0.8 {
                let expected = format!("at least that of the level before, {}", near.0);
                self.odd(&format!("memory.levels[{position}].{part}"), &expected, &far.0.to_string());
            }
        }
    }

    fn pipeline(&mut self, machine: &Machine) {
        let Some(pipeline) = &machine.pipeline else { return };
        if !(pipeline.width > 0.0 && pipeline.width.is_finite()) {
            self.impossible("pipeline.width", "a positive number of operations", &pipeline.width.to_string());
        } else if pipeline.width > 16.0 {
            self.odd("pipeline.width", "at most 16 operations per cycle", &pipeline.width.to_string());
        }
        if pipeline.window == 0 {
            self.impossible("pipeline.window", "at least 1", "0");
        }
        let always = [
            ("forward_fp_cycles", Some(pipeline.forward_fp_cycles)),
            ("forward_int_cycles", Some(pipeline.forward_int_cycles)),
            ("mispredict_cycles", Some(pipeline.mispredict_cycles)),
            ("bypass_cycles", pipeline.bypass_cycles),
            ("indexed_load_cycles", pipeline.indexed_load_cycles),
            ("fp_max_cycles", pipeline.fp_max_cycles),
            ("forward_moving_fp_cycles", pipeline.forward_moving_fp_cycles),
            ("forward_folded_int_cycles", pipeline.forward_folded_int_cycles),
            ("forward_update_int_cycles", pipeline.forward_update_int_cycles),
            ("select_cycles", pipeline.select_cycles),
            ("taken_branch_cycles", pipeline.taken_branch_cycles),
            ("reordered_load_cycles", pipeline.reordered_load_cycles),
            ("fused_cycles", pipeline.fused_cycles),
            ("forward_indexed_fp_cycles", pipeline.forward_indexed_fp_cycles),
            ("forward_indexed_int_cycles", pipeline.forward_indexed_int_cycles),
            ("store_other_line_cycles", pipeline.store_other_line_cycles),
            ("load_split_cycles", pipeline.load_split_cycles),
            ("store_split_cycles", pipeline.store_split_cycles),
        ];
        for (part, cycles) in always {
            self.not_negative(&format!("pipeline.{part}"), cycles.map_or(0.0, |cycles| cycles.0));
        }
        for (index, exit) in pipeline.exits.iter().enumerate() {
            self.not_negative(&format!("pipeline.exits[{index}].iterations"), exit.iterations);
            self.not_negative(&format!("pipeline.exits[{index}].cycles"), exit.cycles.0);
        }
        for (index, &iterations) in pipeline.forward_ahead.iter().enumerate() {
            self.not_negative(&format!("pipeline.forward_ahead[{index}]"), iterations);
        }
        if pipeline.mispredict_cycles.0 > 100.0 {
            self.odd("pipeline.mispredict_cycles", "at most 100", &pipeline.mispredict_cycles.0.to_string());
        }
    }

    fn residuals(&mut self, machine: &Machine) {
        let all = [("residuals", &machine.residuals), ("residuals_source", &machine.residuals_source)];
        for (field, residuals) in all {
            for (kind, found) in residuals.iter().flat_map(|residuals| &residuals.by_kind) {
                let part = |part: &str| format!("{field}.by_kind.{kind}.{part}");
                self.not_negative(&part("median_ratio"), found.median_ratio);
                if !(found.p90_factor >= 1.0 && found.p90_factor.is_finite()) {
                    self.impossible(&part("p90_factor"), "a factor of at least 1", &found.p90_factor.to_string());
                }
            }
        }
    }

    fn not_negative(&mut self, field: &str, value: f64) {
        if !(value >= 0.0 && value.is_finite()) {
            self.impossible(field, "a number not below 0", &value.to_string());
        }
    }

    fn impossible(&mut self, field: &str, expected: &str, found: &str) {
        let message = format!("{}: field `{field}`: expected {expected}, found {found}", self.origin);
        self.found.push(
            Diagnostic::error(&codes::IMPOSSIBLE_VALUE, message)
                .help(format!("correct `{field}` in the file, or calibrate anew with `chronos calibrate`")),
        );
    }

    fn odd(&mut self, field: &str, expected: &str, found: &str) {
        let message = format!("{}: field `{field}`: expected {expected}, found {found}", self.origin);
        self.found.push(
            Diagnostic::warning(&codes::ODD_VALUE, message).help("used as it stands; correct it if it is a slip"),
        );
    }
}

/// Times of a level, by field.
fn costs(level: &MemoryLevel) -> [(&'static str, Option<Nanoseconds>); 9] {
    [
        ("ns_per_line_read", level.ns_per_line_read),
        ("ns_per_line_write", level.ns_per_line_write),
        ("ns_per_line_strided", level.ns_per_line_strided),
        ("ns_per_line_beside", level.ns_per_line_beside),
        ("ns_per_line_update", level.ns_per_line_update),
        ("ns_per_line_stencil", level.ns_per_line_stencil),
        ("ns_per_line_crowded", level.ns_per_line_crowded),
        ("ns_per_line_random", level.ns_per_line_random),
        ("ns_latency", level.ns_latency),
    ]
}
