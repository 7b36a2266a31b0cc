//! The schema `chronos-core/1`: what the simulation knows of a core.

use super::strings::StringInstructions;
use crate::codes;
use crate::instruction::InstructionSet;
use chronos_base::diag::{Diagnostic, system_cause};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Shipped descriptions by name.
static EMBEDDED: &[(&str, &str)] = &[
    ("cortex-a72", include_str!("../../cores/cortex-a72.json")),
    ("golden-cove", include_str!("../../cores/golden-cove.json")),
    ("neoverse-n1", include_str!("../../cores/neoverse-n1.json")),
    ("redwood-cove", include_str!("../../cores/redwood-cove.json")),
    ("skylake", include_str!("../../cores/skylake.json")),
    ("zen4", include_str!("../../cores/zen4.json")),
    ("zen5", include_str!("../../cores/zen5.json")),
];

/// What the field `schema` of a file holds.
const SCHEMA: &str = "chronos-core/1";

/// Names of the shipped descriptions.
pub fn embedded_names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|(name, _)| *name)
}

/// A set of ports, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PortSet(pub u64);

/// One operation of an instruction in a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicroOperation {
    /// Ports that can execute it; none where it needs no port.
    pub ports: PortSet,
    /// Cycles from its operands to its result.
    pub latency: u32,
    /// Quarters of cycles for which it keeps its port from others: dividers are no pipelines, and their rates are
    /// fractions.
    pub(crate) busy_quarters: u32,
}

/// What instructions of a family cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Its operations; the last one has the result and waits for the others.
    pub operations: Vec<MicroOperation>,
    /// Cycles from one instruction of the family to the next, where results are forwarded sooner within it.
    pub(crate) to_same: Option<u32>,
    /// Cycles that flags come later than other operands could.
    pub(crate) flags_extra: u32,
    /// Slots of the front end and the reorder buffer; as many as operations where it is absent.
    pub slots: Option<u32>,
    /// Loads of an instruction that gathers elements.
    pub loads: u32,
}

/// Where figures come from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Title, number and revision.
    pub(crate) document: String,
    /// Section or table, and what was taken from it.
    pub(crate) used_for: String,
}

/// Delivery of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontEnd {
    /// Operations that are renamed per cycle.
    pub width: u32,
    /// Bytes of a line of decoded operations; a taken jump begins another one.
    pub line_bytes: u64,
    /// Operations in an entry of the cache of decoded operations.
    pub(crate) entry_operations: u32,
    /// Entries of one line that are read together.
    pub(crate) entries_per_cycle: u32,
    /// Cycles for each further group of entries of the same line.
    pub(crate) further_entries_cycles: u32,
    /// A further entry begins where it is needed between two jumps, not at each border of lines.
    #[serde(default)]
    pub(crate) entries_cross_lines: bool,
    /// Operations that wait between delivery and renaming.
    pub queue: u32,
    /// Loops repeat out of the queue between delivery and renaming: lines of decoded operations do not matter.
    #[serde(default)]
    pub(crate) loop_buffer: bool,
    /// Instructions that fuse with a conditional jump behind them.
    pub fusing: Fusing,
    /// Copies of registers that are only renamed.
    pub(crate) eliminates_moves: bool,
    /// Small constants are added while renaming.
    #[serde(default)]
    pub(crate) adds_constants: bool,
    /// An operation with an indexed memory operand is split before renaming, where it has more than two sources.
    #[serde(default)]
    pub(crate) splits_indexed: bool,
}

/// What fuses with conditional jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusing {
    /// Nothing.
    None,
    /// `cmp` and `test`.
    Compare,
    /// These, and `add`, `sub`, `inc`, `dec`, `and`.
    Arithmetic,
    /// These, and `or`, `xor`.
    AllArithmetic,
}

/// Loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryUnit {
    /// Cycles from address to integer.
    pub load_cycles: u32,
    /// Cycles from address to vector.
    pub(crate) load_vector_cycles: u32,
    /// Cycles that an indexed address takes longer.
    #[serde(default)]
    pub(crate) indexed_extra_cycles: u32,
    /// Cycles that an index times 2, 4 or 8 takes longer.
    #[serde(default)]
    pub(crate) scaled_extra_cycles: u32,
    /// Cycles that an address of a base, an index and a constant takes longer; an index that is multiplied as well costs no more.
    #[serde(default)]
    pub(crate) three_part_extra_cycles: u32,
    /// Cycles that a load takes longer which extends the sign.
    #[serde(default)]
    pub(crate) sign_extra_cycles: u32,
    /// Cycles that a load of a vector takes its port where it crosses a border of lines; absent: twice what others take.
    pub(crate) crossing_load_cycles: Option<f64>,
    /// The same of vectors of 16 bytes, where it differs.
    pub(crate) crossing_narrow_load_cycles: Option<f64>,
    /// The same of stores of vectors that are no whole lines.
    pub(crate) crossing_store_cycles: Option<f64>,
    /// Loads in flight.
    pub(crate) load_queue: u32,
    /// Stores in flight, until they are in the cache.
    pub(crate) store_queue: u32,
    /// Bytes that a store hands over at once; wider ones keep their ports for as many cycles. Absent: any store does.
    pub(crate) store_bytes: Option<u16>,
    /// Stores that go to the cache per cycle.
    pub(crate) commits_per_cycle: u32,
    /// Bytes up to which that holds; wider ones go one per cycle.
    pub(crate) commit_bytes: u16,
    /// Cycles from the stored integer to that of a load which reads it back.
    pub(crate) forward_cycles: u32,
    /// The same where the load's address has an index, if that is not renamed as a base with a constant is.
    pub(crate) forward_indexed_cycles: Option<u32>,
    /// The same where one instruction reads, computes and stores, if that is not renamed.
    pub(crate) forward_update_cycles: Option<u32>,
    /// The same where the load extends what it reads, or computes with it at once, if only copies are renamed.
    pub(crate) forward_other_cycles: Option<u32>,
    /// The same of vectors.
    pub(crate) forward_vector_cycles: u32,
    /// Cycles that a load waits after the stores which hold parts of what it reads have left.
    pub(crate) blocked_cycles: u32,
}

/// What microbenchmarks say of a core, whatever its name.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCore {
    /// Operations that begin per cycle.
    pub width: f64,
    /// Operations in flight.
    pub window: f64,
    /// Cycles from address to integer.
    pub load_cycles: f64,
    /// Latencies of families of instructions, in chains of their own.
    pub latencies: Vec<(&'static str, f64)>,
}

/// Families that some cores execute in another way than the general family beside them.
const GENERAL_FAMILIES: &[(&str, &str)] = &[
    ("conditional_move_of_flags", "conditional_move"),
    ("branch_of_result", "branch"),
    ("blend_constant", "vector_logic"),
    ("broadcast", "shuffle_across"),
    ("compare_into_mask", "fp_compare"),
    ("vector_compare_into_mask", "vector_compare"),
    ("insert_lane", "shuffle_across"),
    ("extract_lane", "shuffle_across"),
    ("gather_many", "gather"),
    ("int_shifted_little", "int_shifted"),
    ("int_logic_shifted", "int_shifted"),
    ("fp_add_packed", "fp_add"),
    ("fp_mul_packed", "fp_mul"),
    ("fp_fma_packed", "fp_fma"),
    ("fp_max_packed", "fp_max"),
    ("fp_compare_packed", "fp_compare"),
    ("fp_sign_packed", "fp_sign"),
    ("fp_round_packed", "fp_round"),
    ("fp_convert_packed", "fp_convert"),
];

/// Two cores have no more in common where a figure differs by more.
const SAME_FIGURE: f64 = 0.2;

impl MemoryUnit {
    /// Cycles from a stored integer to that of a load which reads it back. Golden Cove and Redwood Cove rename a place
    /// that is named by a base and a constant (0 cycles: `mov %rax,(%rsi); mov (%rsi),%rax`), but neither one with an
    /// index (5.4) nor an addition to memory (7.2 with the addition). Zen 4 renames additions to memory and places with an index, but of
    /// other loads only copies (`mov`): `movzbl`, `add (%rsi),%rax` and the like take 6 cycles, `movslq` 7.
    pub(crate) fn read_back_cycles(&self, load: ReadBack) -> u32 {
        let slower = match load {
            ReadBack::Update => self.forward_update_cycles,
            ReadBack::Other => self.forward_other_cycles,
            ReadBack::Copy { indexed: true } => self.forward_indexed_cycles,
            ReadBack::Copy { indexed: false } => None,
        };
        slower.unwrap_or(self.forward_cycles)
    }
}

/// What an instruction does with an integer that it reads back from an earlier store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadBack {
    /// It copies all of it into a register; whether its address has an index.
    Copy { indexed: bool },
    /// It computes and stores the result in the same place.
    Update,
    /// It extends it, or computes with it.
    Other,
}

impl MeasuredCore {
    /// By how much the figures differ from those of a description, in logarithms; `None` where it is another core.
    fn distance(&self, core: &Core) -> Option<f64> {
        let figures = [
            (self.width, f64::from(core.front_end.width)),
            (self.window, f64::from(core.reorder_buffer)),
            (self.load_cycles, f64::from(core.memory.load_cycles)),
        ];
        let latencies =
            self.latencies.iter().map(|&(name, measured)| (measured, core.chain_latency(name).unwrap_or(0.0)));
        figures.into_iter().chain(latencies).try_fold(0.0, |sum, (measured, described)| {
            let apart = (measured / described).ln().abs();
            (apart < SAME_FIGURE).then_some(sum + apart)
        })
    }
}

/// A scheduler: operations wait in it for their operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduler {
    /// For messages.
    pub name: String,
    /// Operations that can wait.
    pub entries: u32,
    /// Ports it feeds.
    pub ports: PortSet,
    /// Operations that begin in two cycles of those that have waited in it for operands; `None` where nothing but ports limits
    /// them. Data of stores that are no vectors wait as operations of integers do.
    pub woken_per_two_cycles: Option<u32>,
    /// Its operations get their port when they are renamed, by queues of the ports: those of the same cycle go to different
    /// ports first, and queues that differ by fewer operations than this count as equally long.
    pub(crate) binding_step: Option<u32>,
}

/// A core.
#[derive(Clone, Debug, PartialEq)]
pub struct Core {
    /// By which --core names it.
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// Parts of processors' names that have it.
    pub processors: Vec<String>,
    /// Where figures come from, or can be looked up.
    pub sources: Vec<Source>,
    /// Whether times by these figures were compared with a processor of this kind.
    pub measured: bool,
    /// The instructions that it executes.
    pub instruction_set: InstructionSet,
    /// Delivery of operations.
    pub front_end: FrontEnd,
    /// Operations between renaming and retirement.
    pub(crate) reorder_buffer: u32,
    /// Operations that retire per cycle.
    pub(crate) retire_width: u32,
    /// Bytes of the widest vector that operations work on at once; wider ones keep their port twice as long.
    pub(crate) vector_bytes: u16,
    /// Operations get their port when they are renamed, not when they begin.
    pub(crate) binds_ports_early: bool,
    /// Names of ports; their position is their bit.
    pub ports: Vec<String>,
    /// Its schedulers.
    pub schedulers: Vec<Scheduler>,
    /// Loads and stores.
    pub memory: MemoryUnit,
    /// Instructions that store or copy blocks; absent: not known.
    pub(crate) strings: Option<StringInstructions>,
    families: BTreeMap<String, Family>,
    wide_families: BTreeMap<String, Family>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CoreFile {
    schema: String,
    name: String,
    description: String,
    processors: Vec<String>,
    sources: Vec<Source>,
    measured: bool,
    #[serde(default)]
    instruction_set: InstructionSet,
    front_end: FrontEnd,
    reorder_buffer: u32,
    retire_width: u32,
    vector_bytes: u16,
    binds_ports_early: bool,
    ports: Vec<String>,
    schedulers: Vec<SchedulerFile>,
    port_groups: BTreeMap<String, Vec<String>>,
    memory: MemoryUnit,
    strings: Option<StringInstructions>,
    families: BTreeMap<String, FamilyFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SchedulerFile {
    name: String,
    entries: u32,
    ports: Vec<String>,
    woken_per_two_cycles: Option<u32>,
    binding_step: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyFile {
    operations: Vec<OperationFile>,
    to_same: Option<u32>,
    #[serde(default)]
    flags_extra: u32,
    slots: Option<u32>,
    #[serde(default)]
    loads: u32,
    /// Of vectors wider than `wide_from` bytes.
    wide: Option<Box<FamilyFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationFile {
    ports: String,
    latency: u32,
    /// Cycles of the port; 1 where it is absent.
    busy: Option<f64>,
}

impl Core {
    /// The shipped description of this name, or the one in a file.
    ///
    /// # Errors
    /// Unknown name, unreadable file, a field that is missing or names something that is not there.
    pub fn load(name_or_path: &str) -> Result<Self, Diagnostic> {
        if let Some((name, text)) = EMBEDDED.iter().find(|(name, _)| *name == name_or_path) {
            return Self::parse(name, text);
        }
        let is_path = name_or_path.contains('/') || name_or_path.ends_with(".json");
        if !is_path {
            let message = format!("there is no core description `{name_or_path}`");
            return Err(Diagnostic::error(&codes::NO_CORE, message).help(known()));
        }
        let text = std::fs::read_to_string(name_or_path).map_err(|error| {
            let message = format!("cannot read the core description `{name_or_path}`: {}", system_cause(&error));
            Diagnostic::error(&codes::BAD_CORE, message).help(known())
        })?;
        Self::parse(name_or_path, &text)
    }

    /// The shipped description of a processor, by its name as machine files have it.
    pub fn of_processor(processor: &str) -> Option<Self> {
        let cores = embedded_names().filter_map(|name| Self::load(name).ok());
        cores.into_iter().find(|core| core.processors.iter().any(|part| processor.contains(part.as_str())))
    }

    /// The shipped description whose figures are those that were measured of a processor, where its name is none that is
    /// known: virtual machines often show another model than the one they run on.
    pub fn like(measured: &MeasuredCore, set: InstructionSet) -> Option<Self> {
        let cores = embedded_names().filter_map(|name| Self::load(name).ok());
        let cores = cores.filter(|core| core.instruction_set == set);
        let near = cores.filter_map(|core| Some((measured.distance(&core)?, core)));
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, core)| core)
    }

    /// A shipped description of an instruction set, for code of other processors than the one at hand.
    pub fn of_instruction_set(set: InstructionSet) -> Option<Self> {
        // The widest: the one that programs of this instruction set are run for on clusters.
        let cores = embedded_names().filter_map(|name| Self::load(name).ok());
        cores.filter(|core| core.instruction_set == set).max_by_key(|core| core.front_end.width)
    }

    /// The description that `text` holds.
    ///
    /// # Errors
    /// As [`Core::load`].
    pub fn parse(origin: &str, text: &str) -> Result<Self, Diagnostic> {
        let bad = |what: String| {
            Diagnostic::error(&codes::BAD_CORE, format!("{origin}: {what}"))
                .help("docs/explain-code.md describes the fields; the shipped files in cores/ are examples")
        };
        let file: CoreFile = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        if file.schema != SCHEMA {
            return Err(bad(format!("field `schema`: expected `{SCHEMA}`, found `{}`", file.schema)));
        }
        file.core().map_err(bad)
    }

    /// Whether it executes what a compiler makes.
    ///
    /// # Errors
    /// The code is of another instruction set.
    pub fn executes(&self, set: InstructionSet, command: &[String]) -> Result<(), Diagnostic> {
        if self.instruction_set == set {
            return Ok(());
        }
        let (own, compiler) = (self.instruction_set.name(), command.join(" "));
        let message =
            format!("`{compiler}` makes code for {}, and the core `{}` executes {own}", set.name(), self.name);
        let help = match self.instruction_set {
            InstructionSet::X86 => "name a compiler for x86-64 with --cc, or another machine or core",
            InstructionSet::Aarch64 => "name a compiler for aarch64, such as --cc \"aarch64-linux-gnu-gcc -O2\"",
        };
        Err(Diagnostic::error(&codes::OTHER_INSTRUCTION_SET, message).help(help))
    }

    /// What instructions of a family cost with vectors of so many bytes; `None` where it is not known. A family that few
    /// cores tell apart (`GENERAL_FAMILIES`) costs what its general one does, where a core says nothing else.
    pub fn family(&self, name: &str, vector_bytes: u16) -> Option<&Family> {
        let of = |name: &str| {
            let wide = self.wide_families.get(name).filter(|_| vector_bytes > 32);
            wide.or_else(|| self.families.get(name))
        };
        let general = || GENERAL_FAMILIES.iter().find(|(special, _)| *special == name);
        of(name).or_else(|| of(general()?.1))
    }

    /// Cycles of an instruction of a family that waits for another one of it.
    fn chain_latency(&self, name: &str) -> Option<f64> {
        let family = self.family(name, 16)?;
        let all: u32 = family.operations.iter().map(|operation| operation.latency).sum();
        Some(f64::from(family.to_same.unwrap_or(all)))
    }

    /// Whether it makes a difference where in lines of decoded operations loops lie.
    pub fn places_matter(&self) -> bool {
        !self.front_end.loop_buffer
    }

    /// Names of the ports of a set.
    pub(crate) fn port_names(&self, set: PortSet) -> Vec<&str> {
        let bits = self.ports.iter().enumerate().filter(|(bit, _)| set.0 >> bit & 1 == 1);
        bits.map(|(_, name)| name.as_str()).collect()
    }
}

fn known() -> String {
    format!(
        "shipped cores: {}; a path contains a slash or ends in .json",
        embedded_names().collect::<Vec<_>>().join(", ")
    )
}

impl CoreFile {
    fn core(self) -> Result<Core, String> {
        if self.ports.len() > 64 {
            return Err("field `ports`: at most 64 are possible".to_owned());
        }
        let positive = [self.front_end.width, self.reorder_buffer, self.retire_width, self.front_end.entry_operations];
        let positive = positive.into_iter().chain([self.front_end.entries_per_cycle, self.front_end.queue]);
        if positive
            .chain(self.schedulers.iter().flat_map(|s| [s.entries, s.woken_per_two_cycles.map_or(1, |it| it / 2)]))
            .any(|figure| figure == 0)
        {
            return Err("widths, buffers and queues hold at least 1".to_owned());
        }
        if self.front_end.line_bytes == 0 || self.memory.commits_per_cycle == 0 {
            return Err("`line_bytes` and `commits_per_cycle` are at least 1".to_owned());
        }
        let set = |names: &[String]| ports_of(&self.ports, names);
        let schedulers = self.schedulers.iter().map(|scheduler| {
            let ports = set(&scheduler.ports)?;
            Ok(Scheduler {
                name: scheduler.name.clone(),
                entries: scheduler.entries,
                ports,
                woken_per_two_cycles: scheduler.woken_per_two_cycles,
                binding_step: scheduler.binding_step,
            })
        });
        let schedulers = schedulers.collect::<Result<Vec<_>, String>>()?;
        let fed = schedulers.iter().fold(0, |all, scheduler| all | scheduler.ports.0);
        let groups = self.port_groups.iter().map(|(name, ports)| Ok((name.as_str(), set(ports)?)));
        let groups = groups.collect::<Result<BTreeMap<_, _>, String>>()?;
        if let Some((name, _)) = groups.iter().find(|(_, ports)| ports.0 & !fed != 0) {
            return Err(format!("port group `{name}`: no scheduler feeds its ports"));
        }
        let (mut families, mut wide_families) = (BTreeMap::new(), BTreeMap::new());
        for (name, family) in &self.families {
            families.insert(name.clone(), family.family(name, &groups)?);
            if let Some(wide) = &family.wide {
                wide_families.insert(name.clone(), wide.family(name, &groups)?);
            }
        }
        for needed in ["load", "load_vector", "store_address", "store_data", "store_data_vector"] {
            if !families.contains_key(needed) {
                return Err(format!("field `families`: `{needed}` is missing"));
            }
        }
        Ok(Core {
            name: self.name,
            description: self.description,
            processors: self.processors,
            sources: self.sources,
            measured: self.measured,
            instruction_set: self.instruction_set,
            front_end: self.front_end,
            reorder_buffer: self.reorder_buffer,
            retire_width: self.retire_width,
            vector_bytes: self.vector_bytes,
            binds_ports_early: self.binds_ports_early,
            ports: self.ports,
            schedulers,
            memory: self.memory,
            strings: self.strings,
            families,
            wide_families,
        })
    }
}

fn ports_of(all: &[String], names: &[String]) -> Result<PortSet, String> {
    let bit = |name: &String| all.iter().position(|known| known == name).ok_or(format!("there is no port `{name}`"));
    names.iter().try_fold(PortSet::default(), |set, name| Ok(PortSet(set.0 | 1 << bit(name)?)))
}

impl FamilyFile {
    fn family(&self, name: &str, groups: &BTreeMap<&str, PortSet>) -> Result<Family, String> {
        let operations = self.operations.iter().map(|operation| {
            let ports = groups.get(operation.ports.as_str());
            let ports = ports.ok_or(format!("family `{name}`: there is no port group `{}`", operation.ports))?;
            let busy = operation.busy.unwrap_or(1.0);
            if !(0.25..=1000.0).contains(&busy) {
                return Err(format!("family `{name}`: `busy` is between 0.25 and 1000"));
            }
            // In range: checked above.
            let busy_quarters = (busy * 4.0).round() as u32;
            Ok(MicroOperation { ports: *ports, latency: operation.latency, busy_quarters })
        });
        let operations = operations.collect::<Result<Vec<_>, String>>()?;
        let (to_same, flags_extra, slots, loads) = (self.to_same, self.flags_extra, self.slots, self.loads);
        Ok(Family { operations, to_same, flags_extra, slots, loads })
    }
}
