//! Out-of-order cores: their description, and the simulation of loop bodies on them.
//!
//! The model has the parts that vendors' optimisation guides describe and that static analysers share: a front end that
//! delivers lines of instructions, a reorder buffer, schedulers, ports, latencies, loads and stores. Compare A. Abel and
//! J. Reineke, "uiCA: Accurate Throughput Prediction of Basic Blocks on Recent Intel Microarchitectures", ICS 2022, and
//! J. Laukemann et al., "Automated Instruction Stream Throughput Prediction for Intel and AMD Microarchitectures" (OSACA),
//! PMBS 2018.

mod crossing;
mod delivery;
mod describe;
mod loads;
mod lower;
mod simulate;
mod strings;
mod timing;

pub(crate) use delivery::placed_cycles;
pub use describe::{Core, Family, MeasuredCore, MicroOperation, PortSet, Source, embedded_names};
pub(crate) use lower::without_figures;
pub use lower::{LoweredInstruction, LoweredLoop, Operation, OperationKind, Passing, Step, lower};
pub(crate) use simulate::Relaxed;
pub use timing::{Bottleneck, InstructionTime, LoopTime, time};
