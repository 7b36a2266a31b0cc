//! What the model asks of a machine: cycles per class, and how the pipeline hides them.

use crate::machine::{Machine, Pipeline};
use crate::program::{InstructionClass, ScalarType};
use std::collections::BTreeMap;

/// Latency and reciprocal throughput of the classes of one machine, in cycles.
#[derive(Clone, Debug)]
pub struct Costs {
    classes: BTreeMap<InstructionClass, (f64, f64)>,
    pub pipeline: Pipeline,
    pub ns_per_cycle: f64,
    /// Cycles per operation of any class: the front end's width.
    pub issue: f64,
    pub vector_bits: u32,
    pub contract_fma: bool,
    pub reassociate: bool,
    /// Cycles per call of library functions.
    pub library: BTreeMap<String, f64>,
}

impl Costs {
    pub fn new(machine: &Machine) -> Self {
        let classes: BTreeMap<_, _> = machine
            .classes
            .iter()
            .map(|(class, cost)| (*class, (cost.latency_cycles.0, cost.throughput_cycles.0)))
            .collect();
        let pipeline = machine.pipeline.clone().unwrap_or_default();
        Self {
            issue: 1.0 / pipeline.width,
            classes,
            pipeline,
            ns_per_cycle: machine.ns_per_cycle.0,
            vector_bits: machine.rules.vector_bits.unwrap_or(128),
            contract_fma: machine.rules.contract_fma,
            reassociate: machine.rules.reassociate,
            library: machine.library.iter().map(|(name, cost)| (name.clone(), cost.cycles.0)).collect(),
        }
    }

    pub fn latency(&self, class: InstructionClass) -> f64 {
        self.classes.get(&class).map_or(0.0, |&(latency, _)| latency)
    }

    pub fn throughput(&self, class: InstructionClass) -> f64 {
        self.classes.get(&class).map_or(0.0, |&(_, throughput)| throughput)
    }

    /// From the store of a value to its use behind the load that brings it back.
    pub fn forwarding(&self, ty: ScalarType) -> f64 {
        if ty.is_float() { self.pipeline.forward_fp_cycles.0 } else { self.pipeline.forward_int_cycles.0 }
    }
}

/// What operations compete for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    Issue,
    Integer,
    IntegerProduct,
    IntegerQuotient,
    FloatSum,
    FloatProduct,
    FloatQuotient,
    Convert,
    Load,
    Store,
}

impl Resource {
    pub const ALL: [Self; 10] = [
        Self::Issue,
        Self::Integer,
        Self::IntegerProduct,
        Self::IntegerQuotient,
        Self::FloatSum,
        Self::FloatProduct,
        Self::FloatQuotient,
        Self::Convert,
        Self::Load,
        Self::Store,
    ];

    /// What executes a class, beside the front end.
    pub fn of(class: InstructionClass) -> Self {
        use InstructionClass as C;
        match class {
            C::IntMul => Self::IntegerProduct,
            C::IntDiv | C::IntDiv64 => Self::IntegerQuotient,
            C::FpAdd | C::FpAdd32 => Self::FloatSum,
            C::FpMul | C::FpMul32 => Self::FloatProduct,
            C::FpDiv | C::FpDiv32 | C::FpSqrt => Self::FloatQuotient,
            C::FpConvert => Self::Convert,
            C::Load | C::LocalLoad => Self::Load,
            C::Store | C::LocalStore | C::CopyWord => Self::Store,
            C::IntAdd | C::IntConvert | C::Address | C::Branch | C::Call | C::Library => Self::Integer,
        }
    }
}

/// Cycles of each resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand([f64; Resource::ALL.len()]);

impl Demand {
    pub fn add(&mut self, resource: Resource, cycles: f64) {
        self.0[resource as usize] += cycles;
    }

    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs * factor;
        }
    }

    /// What takes longest, and how many cycles.
    pub fn bound(&self) -> (Resource, f64) {
        let all = Resource::ALL.into_iter().zip(self.0);
        all.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("there are resources")
    }
}
