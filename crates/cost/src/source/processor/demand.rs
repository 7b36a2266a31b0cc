//! What operations compete for: the resources of ResMII (Rau, MICRO 1994), each with the cycles that it is busy.

use chronos_ir::{InstructionClass, Unit};

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
    /// All resources, in the order of their cycles in a `Demand`.
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
        match class.unit() {
            Unit::Integer => Self::Integer,
            Unit::IntegerProduct => Self::IntegerProduct,
            Unit::IntegerQuotient => Self::IntegerQuotient,
            Unit::FloatSum => Self::FloatSum,
            Unit::FloatProduct => Self::FloatProduct,
            Unit::FloatQuotient => Self::FloatQuotient,
            Unit::Convert => Self::Convert,
            Unit::Load => Self::Load,
            Unit::Store => Self::Store,
        }
    }
}

/// Cycles of each resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand([f64; Resource::ALL.len()]);

impl Demand {
    /// Keeps a resource busy for so many cycles more.
    pub fn add(&mut self, resource: Resource, cycles: f64) {
        self.0[resource as usize] += cycles;
    }

    /// Adds another demand, `factor` times.
    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs * factor;
        }
    }

    /// Cycles of the front end.
    pub fn issue(&self) -> f64 {
        self.0[Resource::Issue as usize]
    }

    /// Cycles of the units that load.
    pub fn loads(&self) -> f64 {
        self.0[Resource::Load as usize]
    }

    /// What takes longest, and how many cycles.
    pub fn bound(&self) -> (Resource, f64) {
        let all = Resource::ALL.into_iter().zip(self.0);
        all.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("there are resources")
    }
}
