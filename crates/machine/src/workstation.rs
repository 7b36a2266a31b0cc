//! The schema `chronos-machine/1`: a workstation with its operating system, compiler and flags.
//!
//! A machine knows what an instruction class costs, not which operations of a program are of it.

use super::hardware::{Memory, Pipeline, ThreadCosts};
use super::measured::{Residuals, Sample};
use super::text;
use chronos_base::units::{Cycles, Nanoseconds};
use chronos_ir::{CLibrary, DataModel, InstructionClass};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the field `schema` of a machine file holds.
pub const SCHEMA: &str = "chronos-machine/1";

/// A workstation: processor, operating system, compiler with its flags. Costs stand in processor cycles,
/// memory beyond the first cache level in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Always `chronos-machine/1`.
    pub schema: String,
    /// By which `--machine` and reports name it.
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// Sizes of `long` and of pointers.
    pub data_model: DataModel,
    /// The instruction set, by which plain `char`, `long double` and predefined macros go; x86 of the data model's size
    /// where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub architecture: Option<Architecture>,
    /// The C library that programs are linked with, by which random numbers go; glibc where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c_library: Option<CLibrary>,
    /// Processor model, as its vendor names it.
    pub processor: String,
    /// Cores that share the memory below.
    pub cores: u32,
    /// Effective duration of one cycle under load, in nanoseconds.
    pub ns_per_cycle: Nanoseconds,
    /// What translates the predicted program.
    pub compiler: Compiler,
    /// Cost of each instruction class but `library`.
    pub classes: BTreeMap<InstructionClass, ClassCost>,
    /// Cost of library functions, by C name, the call included.
    pub library: BTreeMap<String, LibraryCost>,
    /// Cycles of a library function that `library` does not name.
    pub library_default_cycles: Cycles,
    /// Cycles of an MPI call that does not communicate (`MPI_Comm_rank`, `MPI_Wtime`, ...).
    pub mpi_local_cycles: Cycles,
    /// Memory beyond what the classes `load` and `store` hold (first-level cache, warm).
    #[serde(default)]
    pub memory: Memory,
    /// What threads of OpenMP cost beside their work; typical figures of GCC's runtime where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<ThreadCosts>,
    /// How the processor hides latencies; typical figures of an out-of-order processor where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Pipeline>,
    /// What the compiler does with these flags, as far as cost models ask.
    #[serde(default)]
    pub rules: Rules,
    /// Where the figures come from.
    pub provenance: Provenance,
    /// What was measured, compact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// How well the cost model `instruction-sum` explains the calibration suite with these figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residuals: Option<Residuals>,
    /// The same of the cost model `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residuals_source: Option<Residuals>,
}

/// The instruction set of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Architecture {
    /// x86 with 64 bits (AMD64).
    #[serde(rename = "x86-64")]
    X86_64,
    /// x86 with 32 bits (IA-32).
    #[serde(rename = "x86")]
    X86,
    /// Arm with 64 bits (Armv8-A and later).
    #[serde(rename = "aarch64")]
    Aarch64,
}

impl Architecture {
    /// As machine files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86-64",
            Self::X86 => "x86",
            Self::Aarch64 => "aarch64",
        }
    }

    /// What `data_model` says on machines of it.
    pub(crate) fn data_model(self) -> DataModel {
        if self == Self::X86 { DataModel::Ilp32 } else { DataModel::Lp64 }
    }
}

impl Machine {
    /// The types of C on this machine: those of its data model and its architecture.
    pub fn model(&self) -> DataModel {
        if self.architecture == Some(Architecture::Aarch64) { DataModel::Aarch64 } else { self.data_model }
    }
}

/// A compiler and how it is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compiler {
    /// Its command, without flags.
    pub command: String,
    /// First line of what it says of its version.
    pub version: String,
    /// Flags, in order.
    pub flags: Vec<String>,
}

/// What one operation of an instruction class costs, in cycles of this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassCost {
    /// From operands to result, in a chain of dependent operations that stay in registers, in cycles.
    pub latency_cycles: Cycles,
    /// Cycles per operation of many independent ones (reciprocal throughput).
    pub throughput_cycles: Cycles,
    /// What one occurrence in the source adds to the time of ordinary code as this compiler translates it
    /// with these flags, in cycles: the figure of the `instruction-sum` model. May be 0 (a local that
    /// lives in a register), and may lie outside `throughput_cycles..latency_cycles`.
    pub effective_cycles: Cycles,
    /// Cycles per vector instruction, by vector width in bits (`"128"`, `"256"`, `"512"`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vector: BTreeMap<String, VectorCost>,
}

/// What one vector instruction costs, in cycles for the whole vector.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorCost {
    /// From operands to result, in cycles.
    pub latency_cycles: Cycles,
    /// Cycles per vector instruction of many independent ones.
    pub throughput_cycles: Cycles,
}

/// What a library function costs, in cycles: `cycles + cycles_per_byte * bytes handled`. Of `qsort` and `bsearch` the bytes are those
/// that their comparisons count for (8 for one that goes as the one before, 32 for another one).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LibraryCost {
    /// Per call, in cycles, the call itself included.
    pub cycles: Cycles,
    /// Per byte handled (memset, memcpy, strlen, printf, ...), in cycles.
    #[serde(default)]
    pub cycles_per_byte: Cycles,
}

/// What the compiler does with these flags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Name of the profile: `gcc-O0`, `gcc-O2`, ...
    #[serde(default)]
    pub profile: String,
    /// Scalars whose address is not taken live in registers.
    #[serde(default)]
    pub locals_in_registers: bool,
    /// Index arithmetic is folded into addressing modes or strength-reduced.
    #[serde(default)]
    pub index_arithmetic_folded: bool,
    /// Multiplications by induction variables become additions.
    #[serde(default)]
    pub strength_reduction: bool,
    /// An accumulator in memory is kept in a register where no other store may alias it.
    #[serde(default)]
    pub scalar_replacement: bool,
    /// Loops are vectorised where that is legal.
    #[serde(default)]
    pub vectorise: bool,
    /// Vector width that the compiler prefers, in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector_bits: Option<u32>,
    /// Widest vectors that the target has, in bits, where the compiler prefers narrower ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widest_bits: Option<u32>,
    /// A product and a sum become one fused operation.
    #[serde(default)]
    pub contract_fma: bool,
    /// So they do where the sum is an accumulator, which then waits as long as for a product; what the profile says
    /// where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuses_sums: Option<bool>,
    /// Floating-point sums may be reordered.
    #[serde(default)]
    pub reassociate: bool,
    /// Arithmetic may take an operand from memory: such a load is no operation of its own.
    #[serde(default)]
    pub folds_loads: bool,
    /// Without optimisation: the front end begins the instructions that gcc makes of each expression for x86-64, which are
    /// counted one by one; else each class of operations adds its effective cost.
    #[serde(default)]
    pub counts_instructions: bool,
}

/// How figures came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProvenanceKind {
    /// By `chronos calibrate`, on the machine itself.
    Measured,
    /// From published figures.
    Estimate,
    /// From another machine file.
    Derived,
}

/// Where a machine file comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Whether the numbers were measured, published or estimated.
    pub kind: ProvenanceKind,
    /// Processor as the operating system names it.
    #[serde(default)]
    pub cpu: String,
    /// Operating system and version.
    #[serde(default)]
    pub os: String,
    /// Version line of the compiler that built what was measured.
    #[serde(default)]
    pub compiler: String,
    /// Day of the measurement or estimate, `YYYY-MM-DD`.
    #[serde(default)]
    pub date: String,
    /// Version of chronos that wrote the file.
    #[serde(default)]
    pub tool_version: String,
    /// Field by field, what published figures it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// What else is worth knowing of the numbers, in sentences; empty where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Machine {
    /// The effective cost of one operation, in nanoseconds; 0 for `Library`, which is priced by name.
    pub fn class_time(&self, class: InstructionClass) -> Nanoseconds {
        self.classes.get(&class).map_or(Nanoseconds::default(), |cost| self.time(cost.effective_cycles))
    }

    /// The cost of one call of a library function without its per-byte part, and the cost of one byte.
    pub fn library_time(&self, function: &str) -> (Nanoseconds, Nanoseconds) {
        match self.library.get(function) {
            Some(cost) => (self.time(cost.cycles), self.time(cost.cycles_per_byte)),
            None => (self.time(self.library_default_cycles), Nanoseconds::default()),
        }
    }

    /// The time of an MPI call that moves no message.
    pub fn mpi_local_time(&self) -> Nanoseconds {
        self.time(self.mpi_local_cycles)
    }

    fn time(&self, cycles: Cycles) -> Nanoseconds {
        self.ns_per_cycle * cycles.0
    }

    /// As the text of a machine file, without a newline at the end.
    pub fn to_json(&self) -> String {
        let pretty = serde_json::to_string_pretty(self).expect("a machine has string keys and finite numbers only");
        text::folded(&pretty)
    }
}
