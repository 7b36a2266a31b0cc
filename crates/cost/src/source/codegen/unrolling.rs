//! Copies of an iteration between two branches of a loop: vectors side by side and unrolling.
//!
//! Copies share the step of the counter, its comparison and the branch. How many there are follows from the size of an
//! iteration by the rules of the compiler's profile. It must not know what the iterations cost.

use crate::source::address::place::ValueNumber;
use crate::source::compiler::profile::UnrollRules;
use crate::source::dataflow::graph::{Graph, NodeFlags};
use chronos_ir::{InstructionClass, Unit};

/// An iteration, as compilers measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopBody {
    /// Operations without the step, the comparison and the branch; of floating-point ones each counts twice.
    pub size: f64,
    /// The same with divisions at what they take.
    pub work: f64,
    pub stores: f64,
    /// Calls, branches that are taken, or an end that data decides: copies share nothing, or there are none.
    pub stays: bool,
}

/// What the copies share: step, comparison and branch.
const SHARED: f64 = 3.0;
/// Of them, what even the last copy keeps: comparison and branch.
const KEPT: f64 = 2.0;
/// A division counts as so much work.
const DIVISION: f64 = 20.0;

impl LoopBody {
    /// Of a loop; `left`: what is left of its iteration, `shared`: steps and comparison.
    pub fn new(graph: &Graph, left: &[ValueNumber], shared: &NodeFlags) -> Self {
        use InstructionClass as C;
        let mut body = Self { stays: graph.calls || graph.clobbers || !graph.choices.is_empty(), ..Self::default() };
        for &id in left.iter().filter(|&&id| !shared[id] && !graph.nodes[id].invariant) {
            let Some(class) = graph.nodes[id].class else { continue };
            let (size, work) = match class.unit() {
                Unit::FloatSum | Unit::FloatProduct => (2.0, 2.0),
                Unit::FloatQuotient => (2.0, DIVISION),
                Unit::IntegerQuotient => (1.0, DIVISION),
                _ => (1.0, 1.0),
            };
            body.size += size;
            body.work += work;
            body.stores += if class == C::Store { 1.0 } else { 0.0 };
        }
        body
    }

    /// Vectors of so many bits side by side, where `trip` iterations are known.
    pub(crate) fn interleave_factor(&self, rules: Option<UnrollRules>, bits: u32, trip: Option<f64>) -> f64 {
        let Some(rules) = rules else { return 1.0 };
        // LLVM does not interleave loops of few known iterations (TinyTripCountInterleaveThreshold).
        let tiny = trip.is_some_and(|trip| trip < f64::from(rules.tiny_trips));
        let most = f64::from(rules.vectors[usize::from(bits > 128)]);
        let small = f64::from(rules.small);
        if tiny {
            1.0
        } else if self.stores == 0.0 {
            // Sums: each vector gets its own.
            most
        } else if self.work >= small {
            // In a large body the loop overhead is small already.
            1.0
        } else {
            (small / self.work.max(1.0)).log2().floor().exp2().min(most).max((most / self.stores).floor())
        }
    }

    /// Whether so many iterations, `beside` of them at a time, become a straight line.
    pub(crate) fn fits_unrolled(&self, rules: UnrollRules, iterations: f64, beside: f64) -> bool {
        self.of(beside, iterations) <= f64::from(rules.whole_size)
    }

    /// Copies of `beside` iterations each in a loop of so many turns.
    pub(crate) fn unroll_factor(&self, rules: Option<UnrollRules>, turns: BackEdges, beside: f64) -> f64 {
        let Some(rules) = rules.filter(|_| !self.stays) else { return 1.0 };
        // Code size bounds the copies.
        let fits = |copies: f64| self.of(beside, copies) <= f64::from(rules.size);
        let powers = || (0..=rules.most.max(1).ilog2()).rev().map(|power| f64::from(1u32 << power));
        // A factor that divides the trip count leaves no remainder loop.
        if let BackEdges::Known(turns) = turns {
            let divisors = (2..=rules.size).rev().map(f64::from).filter(|&copies| turns % copies == 0.0);
            if let Some(copies) = { divisors }.find(|&copies| fits(copies)) {
                return copies;
            }
        }
        { powers() }.find(|&copies| fits(copies)).unwrap_or(1.0)
    }

    /// The size of so many copies.
    fn of(&self, beside: f64, copies: f64) -> f64 {
        (self.size * beside + SHARED - KEPT) * copies + KEPT
    }
}

/// How often a loop's branch is passed, before copies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BackEdges {
    Known(f64),
    Unknown,
}

/// Nodes that copies of an iteration share: its condition, and steps of inductions that nothing else needs.
pub(crate) fn shared_by_copies(graph: &Graph, live: &NodeFlags) -> NodeFlags {
    let mut shared = graph.no_flags();
    let Some(condition) = graph.condition else { return shared };
    // The exit test of the copies is one, where nothing else needs the condition.
    let compares = graph.nodes[condition].opcode.is_operation();
    shared[condition] = compares && graph.roots.iter().filter(|&&root| root == condition).count() == 1;
    for end in graph.steps.keys().filter_map(|variable| graph.carried.get(variable)) {
        let users = graph.nodes.iter().filter(|(id, node)| live[*id] && node.operands.contains(end));
        shared[*end] = { users }.all(|(id, _)| id == condition);
    }
    shared
}
