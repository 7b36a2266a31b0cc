//! Prospective machines: a machine with some parts k times better.
//!
//! `KEY=k` divides latency and reciprocal throughput alike; of a machine that does not exist, nothing tells them
//! apart. Lists of keys: [`keys`].

use super::codes;
use super::hardware::{MemoryLevel, Pipeline};
use super::workstation::{ClassCost, Machine, ProvenanceKind};
use chronos_base::diag::Diagnostic;
use chronos_base::spelling::nearest;
use chronos_base::units::{Bytes, Cycles, Nanoseconds};
use chronos_ir::InstructionClass;

/// One part and how many times better it becomes.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Factor {
    /// Which part: see [`keys`].
    pub key: String,
    /// How many times better it becomes; positive.
    pub factor: f64,
}

impl std::str::FromStr for Factor {
    type Err = String;

    /// `KEY=k` with a positive number k.
    fn from_str(text: &str) -> Result<Self, String> {
        let (key, factor) = text.split_once('=').ok_or("expected KEY=FACTOR, such as fp=4")?;
        match factor.parse::<f64>() {
            Ok(factor) if factor > 0.0 && factor.is_finite() => Ok(Self { key: key.to_owned(), factor }),
            _ => Err(format!("`{factor}` is no positive number: 2 means twice as good, 0.5 half as good")),
        }
    }
}

impl std::fmt::Display for Factor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.key, self.factor)
    }
}

/// Keys that are neither classes nor parts of memory.
const PARTS: [&str; 10] =
    ["clock", "int", "fp", "forwarding", "library", "mispredict", "mpi", "page_fault", "width", "window"];
/// What can be better of a level of memory.
const MEMORY_PARTS: [&str; 3] = ["bandwidth", "latency", "size"];

/// Keys that a machine has, sorted: parts, classes, `cache.`, `memory.` and levels by name with what of them.
pub fn keys(machine: &Machine) -> Vec<String> {
    let mut keys: Vec<String> = PARTS.iter().map(|part| (*part).to_owned()).collect();
    keys.extend(machine.memory.translation.as_ref().map(|_| "translation".to_owned()));
    keys.extend(machine.classes.keys().map(|class| class.name().to_owned()));
    let levels = machine.memory.levels.iter().map(|level| &*level.name);
    for level in levels.chain(["cache", "memory"]) {
        keys.extend(MEMORY_PARTS.iter().map(|part| format!("{level}.{part}")));
    }
    keys.sort();
    keys.dedup();
    keys.retain(|key| key != "memory.size");
    keys
}

impl Machine {
    /// A machine named `name` that is this one with some parts better; where it comes from stays in its provenance.
    ///
    /// # Errors
    /// A key that this machine does not have.
    pub fn scaled(&self, name: &str, factors: &[Factor]) -> Result<Self, Diagnostic> {
        let mut machine = self.clone();
        for factor in factors {
            if !keys(self).contains(&factor.key) {
                return Err(unknown_key(self, &factor.key));
            }
            apply(&mut machine, &factor.key, factor.factor);
        }
        let list = factors.iter().map(Factor::to_string).collect::<Vec<_>>().join(" ");
        name.clone_into(&mut machine.name);
        machine.description = format!("{} with {list}", self.description);
        machine.provenance.kind = ProvenanceKind::Derived;
        env!("CARGO_PKG_VERSION").clone_into(&mut machine.provenance.tool_version);
        let residuals = if machine.residuals.is_some() { "; residuals are those of that machine" } else { "" };
        machine.provenance.notes.push(format!("scaled from `{}`: {list}{residuals}", self.name));
        machine.samples.clear();
        Ok(machine)
    }
}

fn unknown_key(machine: &Machine, key: &str) -> Diagnostic {
    let keys = keys(machine);
    let suggestion = nearest(key, keys.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`? "));
    let network = key.starts_with("network").then_some("networks have files of their own, `chronos network list`; ");
    let help = format!("{}{}keys: {}", suggestion.unwrap_or_default(), network.unwrap_or_default(), keys.join(", "));
    Diagnostic::error(&codes::UNKNOWN_KEY, format!("`{}` has no `{key}` to scale", machine.name)).help(help)
}

fn apply(machine: &mut Machine, key: &str, k: f64) {
    if let Some((level, part)) = key.split_once('.') {
        let levels = machine.memory.levels.iter_mut();
        levels.filter(|found| is_meant(found, level)).for_each(|found| better_level(found, part, k));
        return;
    }
    match key {
        "clock" => machine.ns_per_cycle.0 /= k,
        "library" => {
            machine.library.values_mut().for_each(|cost| {
                cost.cycles.0 /= k;
                cost.cycles_per_byte.0 /= k;
            });
            machine.library_default_cycles.0 /= k;
        }
        "mpi" => machine.mpi_local_cycles.0 /= k,
        "page_fault" => {
            let by_bytes = machine.memory.page_faults.iter_mut().map(|fault| &mut fault.ns);
            machine.memory.page_fault_ns.iter_mut().chain(by_bytes).for_each(|ns| ns.0 /= k);
        }
        "translation" => machine.memory.translation.iter_mut().for_each(|found| found.ns_per_miss.0 /= k),
        "width" | "window" | "mispredict" | "forwarding" => {
            better_pipeline(machine.pipeline.get_or_insert_default(), key, k);
        }
        _ => {
            let classes = machine.classes.iter_mut().filter(|(class, _)| belongs(**class, key));
            classes.for_each(|(_, cost)| better_class(cost, k));
            if let (Some(pipeline), "int" | "int_add") = (&mut machine.pipeline, key) {
                better_pipeline(pipeline, key, k);
            }
        }
    }
}

/// Whether a key of instructions means a class: `fp_div` and `int_div` mean both widths.
fn belongs(class: InstructionClass, key: &str) -> bool {
    let name = class.name();
    let wide = name.strip_suffix("32").or(name.strip_suffix("64")).unwrap_or(name);
    match key {
        "fp" => name.starts_with("fp_"),
        "int" => name.starts_with("int_") || class == InstructionClass::Address,
        _ => key == name || key == wide,
    }
}

/// All of its cycles `k` times less.
pub(super) fn better_class(cost: &mut ClassCost, k: f64) {
    let ClassCost { latency_cycles, throughput_cycles, effective_cycles, vector } = cost;
    for Cycles(cycles) in [latency_cycles, throughput_cycles, effective_cycles] {
        *cycles /= k;
    }
    for vector in vector.values_mut() {
        vector.latency_cycles.0 /= k;
        vector.throughput_cycles.0 /= k;
    }
}

fn better_pipeline(pipeline: &mut Pipeline, key: &str, k: f64) {
    let more = |count: u32| (f64::from(count) * k).round().max(1.0) as u32;
    match key {
        "width" => pipeline.width *= k,
        "window" => {
            pipeline.window = more(pipeline.window);
            pipeline.waiting = pipeline.waiting.map(more);
        }
        "mispredict" => {
            let reordered = pipeline.reordered_load_cycles.iter_mut();
            let exits = pipeline.exits.iter_mut().map(|exit| &mut exit.cycles);
            reordered.chain([&mut pipeline.mispredict_cycles]).chain(exits).for_each(|cycles| cycles.0 /= k);
        }
        "int" | "int_add" => pipeline.select_cycles.iter_mut().for_each(|cycles| cycles.0 /= k),
        _ => {
            let always = [&mut pipeline.forward_fp_cycles, &mut pipeline.forward_int_cycles];
            let indexed = [
                &mut pipeline.forward_indexed_fp_cycles,
                &mut pipeline.forward_indexed_int_cycles,
                &mut pipeline.forward_moving_fp_cycles,
                &mut pipeline.forward_folded_int_cycles,
                &mut pipeline.forward_update_int_cycles,
            ];
            always.into_iter().chain(indexed.into_iter().flatten()).for_each(|cycles| cycles.0 /= k);
        }
    }
}

/// `memory` means what has no size, `cache` what has one.
fn is_meant(level: &MemoryLevel, name: &str) -> bool {
    match name {
        "memory" => level.size_bytes.is_none(),
        "cache" => level.size_bytes.is_some(),
        _ => level.name == name,
    }
}

fn better_level(level: &mut MemoryLevel, part: &str, k: f64) {
    let mut faster = |ns: &mut Nanoseconds| ns.0 /= k;
    match part {
        "latency" => level.ns_latency.iter_mut().for_each(faster),
        "size" => {
            if let Some(Bytes(size)) = &mut level.size_bytes {
                *size = (*size as f64 * k).round().max(1.0) as u64;
            }
        }
        _ => {
            let read = level.ns_per_line_read.iter_mut().chain(&mut level.ns_per_line_write);
            let read = read
                .chain(&mut level.ns_per_line_strided)
                .chain(&mut level.ns_per_line_crowded)
                .chain(&mut level.ns_per_line_beside)
                .chain(&mut level.ns_per_line_update)
                .chain(&mut level.ns_per_line_stencil);
            read.chain(&mut level.ns_per_line_random).for_each(&mut faster);
            for crowded in &mut level.crowded_lines {
                faster(&mut crowded.ns_write);
                faster(&mut crowded.ns_update);
                let mixed = crowded.ns_mixed.iter_mut().chain(&mut crowded.ns_mixed_slowly);
                mixed.chain(&mut crowded.ns_read).chain(&mut crowded.ns_update_slowly).for_each(&mut faster);
            }
            for shared in &mut level.shared {
                faster(&mut shared.ns_per_line_read);
                faster(&mut shared.ns_per_line_write);
                faster(&mut shared.ns_per_line_strided);
            }
        }
    }
}
