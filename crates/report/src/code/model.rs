//! `chronos-code/1`. Cycles hold for data in the first-level cache and predicted branches.

use schemars::JsonSchema;
use serde::Serialize;

/// A function of the object code.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CodeReport {
    /// `chronos-code/1`.
    pub schema: &'static str,
    /// Its name.
    pub function: String,
    /// The command of the compiler with its flags.
    pub compiler: String,
    /// The name of the core that loops are simulated on.
    pub core: String,
    /// The processors that have this core.
    pub core_description: String,
    /// Whether figures of the core were measured on such a processor; else they were compared with none.
    pub core_measured: bool,
    /// Loops, outer ones before inner ones.
    pub loops: Vec<LoopCode>,
    /// Instructions in the order of their addresses.
    pub instructions: Vec<InstructionCode>,
}

impl CodeReport {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-code/1";
}

/// A loop of the object code.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoopCode {
    /// The source line of the jump back to the loop's begin; null where debugging information names none.
    pub line: Option<u32>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Functions that were inlined around it, the outermost first.
    pub inlined: Vec<String>,
    /// Elements in a vector of the loop, 1 where it has scalars alone; null where no instruction tells it.
    pub lanes: Option<u32>,
    /// Iterations of the source's loop in one of the object code's, by an estimate from steps and widths of its accesses;
    /// null where it is unknown.
    pub estimated_elements_per_iteration: Option<u64>,
    /// Why the number of elements is unknown; null where it is known.
    pub elements_unknown: Option<String>,
    /// One for each way through the body, or one with a reason where the loop is not timed.
    pub ways: Vec<LoopWay>,
}

/// A way through the body of a loop, from its begin to the jump back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoopWay {
    /// Cycles per iteration of the object code's loop; null where they are unknown.
    pub cycles: Option<f64>,
    /// Why cycles are unknown; absent where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the cycles come from; absent where they are unknown.
    #[serde(flatten)]
    pub bounds: Option<WayBounds>,
}

impl LoopWay {
    /// A way whose time has a reason not to be known.
    pub fn unknown(reason: &str) -> Self {
        Self { cycles: None, reason: Some(reason.to_owned()), bounds: None }
    }
}

/// Cycles per iteration if only one part of the core limited.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WayBounds {
    /// Cycles per iteration in the mean of the places in lines that a linker may give to the loop.
    pub mean_cycles: f64,
    /// All iterations take the same time; else `cycles` is a mean.
    pub periodic: bool,
    /// With the front end alone.
    pub front_end_cycles: f64,
    /// With the ports alone.
    pub port_cycles: f64,
    /// With dependences alone.
    pub latency_cycles: f64,
    /// What limits, in words.
    pub bottleneck: String,
}

/// An instruction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InstructionCode {
    /// As a disassembler writes it.
    pub text: String,
    /// The source line that it comes from; null where debugging information names none.
    pub line: Option<u32>,
    /// The source file of the line.
    pub file: Option<String>,
    /// Cycles by which it retires later than the instruction before, per iteration; null outside loops that are timed in one
    /// way.
    pub cycles: Option<f64>,
    /// Ports that can execute its operations; null where `cycles` is.
    pub ports: Option<String>,
}
