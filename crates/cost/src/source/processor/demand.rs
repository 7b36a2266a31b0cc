//! What operations compete for: the resources of ResMII (Rau, MICRO 1994), each with the cycles that it is busy.

use chronos_ir::{InstructionClass, Unit};

/// What operations compete for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The front end.
    Issue,
    /// What executes the instructions of a class.
    Unit(Unit),
}

impl Resource {
    /// All resources, in the order of their cycles in a `Demand`.
    fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Issue).chain(Unit::ALL.into_iter().map(Self::Unit))
    }

    /// What executes a class, beside the front end.
    pub fn of(class: InstructionClass) -> Self {
        Self::Unit(class.unit())
    }

    fn index(self) -> usize {
        match self {
            Self::Issue => 0,
            Self::Unit(unit) => 1 + unit as usize,
        }
    }
}

/// Cycles of each resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand([f64; 1 + Unit::ALL.len()]);

impl Demand {
    /// Keeps a resource busy for so many cycles more.
    pub fn add(&mut self, resource: Resource, cycles: f64) {
        self.0[resource.index()] += cycles;
    }

    /// Adds another demand, `factor` times.
    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs * factor;
        }
    }

    /// Cycles of the front end.
    pub fn issue(&self) -> f64 {
        self.0[Resource::Issue.index()]
    }

    /// Cycles of the units that load.
    pub fn loads(&self) -> f64 {
        self.0[Resource::Unit(Unit::Load).index()]
    }

    /// What takes longest, and how many cycles.
    pub fn bound(&self) -> (Resource, f64) {
        let all = Resource::all().zip(self.0);
        all.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("there are resources")
    }
}
