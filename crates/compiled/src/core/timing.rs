//! The time of a loop body: cycles per iteration, what they are spent on, and which part of the core limits them.

use super::describe::Core;
use super::lower::{LoweredLoop, Step};
use super::simulate::{Relaxed, Run, run};
use std::fmt;

/// What limits a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Bottleneck {
    /// Delivery and renaming of instructions.
    FrontEnd,
    /// Ports: those that are taken for most of the time.
    Ports(Vec<String>),
    /// The chain of instructions that wait for each other from iteration to iteration.
    LatencyChain,
    /// Buffers and schedulers: chains within iterations are longer than what fits.
    Buffers,
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FrontEnd => f.write_str("front end"),
            Self::Ports(ports) => write!(f, "ports {}", ports.join(", ")),
            Self::LatencyChain => f.write_str("latency chain"),
            Self::Buffers => f.write_str("buffers (reorder buffer, schedulers)"),
        }
    }
}

/// What an instruction of the loop costs.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionTime {
    /// The position in the path.
    pub position: usize,
    /// Slots of the front end.
    pub slots: u32,
    /// Ports of its operations, by name.
    pub ports: Vec<String>,
    /// Cycles by which it retires later than the instruction before, per iteration: their sum is the iteration's time.
    pub cycles: f64,
}

/// The time of a loop body, per iteration of the machine loop, with all data in the first-level cache and every branch
/// predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopTime {
    /// Cycles per iteration, at its place in the object.
    pub cycles: f64,
    /// The mean over the places in lines that a linker may give to it; those of `cycles` where nothing else was found.
    pub mean_cycles: f64,
    /// Iterations repeat exactly; else their mean was taken.
    pub periodic: bool,
    /// Cycles per iteration if only the front end limited.
    pub front_end: f64,
    /// Cycles per iteration if only ports limited.
    pub ports: f64,
    /// Cycles per iteration if only dependences limited.
    pub latency: f64,
    /// Which part limits.
    pub bottleneck: Bottleneck,
    /// Cycles per iteration that each port is taken, by name; only those that are.
    pub port_cycles: Vec<(String, f64)>,
    /// Each instruction of the path.
    pub instructions: Vec<InstructionTime>,
}

/// Simulates a loop body, and once more with all limits but one left out.
pub fn time(core: &Core, body: &LoweredLoop) -> LoopTime {
    let real = run(core, body, Relaxed::default());
    let only = |dependences, ports, front_end| {
        per_iteration(&run(core, body, Relaxed { dependences, ports, front_end, buffers: true }))
    };
    let front_end = only(true, true, false);
    let ports = only(true, false, true);
    let latency = only(false, true, true);
    let cycles = per_iteration(&real);
    let iterations = real.iterations.max(1) as f64;
    let named =
        core.ports.iter().cloned().zip(real.port_quarters.iter().map(|&quarters| quarters as f64 / 4.0 / iterations));
    let port_cycles: Vec<(String, f64)> = named.filter(|(_, cycles)| *cycles > 0.0).collect();
    LoopTime {
        cycles,
        mean_cycles: cycles,
        periodic: real.periodic,
        front_end,
        ports,
        latency,
        bottleneck: bottleneck(cycles, [front_end, ports, latency], &port_cycles),
        instructions: instructions(core, body, &real),
        port_cycles,
    }
}

fn per_iteration(run: &Run) -> f64 {
    run.cycles as f64 / run.iterations.max(1) as f64
}

/// The largest of the bounds; where the loop takes a tenth longer than all of them, they do not explain it.
fn bottleneck(cycles: f64, [front_end, ports, latency]: [f64; 3], port_cycles: &[(String, f64)]) -> Bottleneck {
    let most = front_end.max(ports).max(latency);
    if cycles > most * 1.1 {
        return Bottleneck::Buffers;
    }
    // Where bounds are equal, the chain is named first: it is what a change of the source can shorten.
    if latency >= most {
        return Bottleneck::LatencyChain;
    }
    if ports >= most {
        let busiest = port_cycles.iter().map(|(_, cycles)| *cycles).fold(0.0, f64::max);
        let busy = port_cycles.iter().filter(|(_, cycles)| *cycles >= busiest * 0.9);
        return Bottleneck::Ports(busy.map(|(name, _)| name.clone()).collect());
    }
    Bottleneck::FrontEnd
}

fn instructions(core: &Core, body: &LoweredLoop, real: &Run) -> Vec<InstructionTime> {
    let iterations = real.iterations.max(1) as f64;
    let later = real.retired_later.iter().map(|&cycles| cycles as f64 / iterations).chain(std::iter::repeat(0.0));
    body.instructions
        .iter()
        .zip(later)
        .map(|(instruction, cycles)| {
            let executed = instruction.operations.iter().filter(|_| instruction.step == Step::Execute);
            let mut ports: Vec<String> = executed
                .map(|operation| core.port_names(operation.cost.ports).join("|"))
                .filter(|names| !names.is_empty())
                .collect();
            ports.dedup();
            InstructionTime { position: instruction.position, slots: instruction.slots, ports, cycles }
        })
        .collect()
}
