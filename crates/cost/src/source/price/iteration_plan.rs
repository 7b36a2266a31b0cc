//! How one entry of a loop runs: on vectors and alone, in copies, with branches or without; and what that asks of the
//! processor.
//!
//! It must not know recurrences, memory or mispredictions: only which instructions are executed, and how often.

use crate::source::codegen::block_demand::BlockDemand;
use crate::source::codegen::unrolling::BackEdges;
use crate::source::compiler::profile::Vectorise;
use crate::source::loops::scope::Scope;
use crate::source::model::Source;
use crate::source::processor::demand::Demand;
use crate::source::profile::counts::ExecutionCounts;
use crate::source::vectorize::legality::Legality;

/// How one entry of a loop runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct IterationPlan {
    /// Iterations in a whole vector.
    pub lanes: u32,
    /// Whole and half vectors per entry.
    pub vectors: f64,
    /// Iterations per entry that are left for scalar code.
    pub(crate) singles: f64,
    /// Vectors, and single iterations, between two branches.
    pub copies: [f64; 2],
    /// No branch is left.
    pub straight: bool,
}

impl IterationPlan {
    pub fn turns(self) -> f64 {
        self.vectors / self.copies[0] + self.singles / self.copies[1]
    }

    pub fn demand(self, scope: &Scope, counts: &ExecutionCounts, trip: f64) -> (Demand, f64) {
        let singles = self.singles / trip.max(1.0);
        let (mut sum, operations) = total_demand(scope, counts, |share| (&share.demand, singles));
        let mut add = |of: fn(&BlockDemand) -> &Demand, times: f64| {
            if times != 0.0 {
                sum.add_scaled(&total_demand(scope, counts, |share| (of(share), times)).0, 1.0);
            }
        };
        let vectors = self.vectors / trip.max(1.0);
        add(|share| &share.vector_demand, vectors);
        add(|share| &share.shared[0], singles * (1.0 / self.copies[1] - 1.0));
        add(|share| &share.shared[1], vectors * (1.0 / self.copies[0] - 1.0));
        (sum, operations)
    }
}

/// What all executions ask for, by the share of each block that `of` picks, and the number of operations.
pub(crate) fn total_demand(
    scope: &Scope,
    counts: &ExecutionCounts,
    of: impl Fn(&BlockDemand) -> (&Demand, f64),
) -> (Demand, f64) {
    let mut demand = Demand::default();
    let mut operations = 0.0;
    for (_, counter, share) in &scope.blocks {
        let (one, factor) = of(share);
        demand.add_scaled(one, counts.of(*counter) * factor);
        operations += share.operations * counts.of(*counter);
    }
    (demand, operations)
}

/// Whether a loop runs on vectors: whole ones, one of half the width where enough iterations are left, single ones.
pub(crate) fn iteration_plan(model: &Source, scope: &Scope, trip: f64, varies: bool) -> IterationPlan {
    let lanes = f64::from(scope.lanes);
    // The very cheap cost model of -O2 wants no remainder and no check (GCC: -fvect-cost-model=very-cheap).
    let whole = scope.known_trips && trip >= lanes && (trip / lanes).fract() == 0.0;
    let rules = model.profile.copies;
    let known = scope.known_trips.then_some(trip);
    let beside = scope.body.interleave_factor(rules, model.costs.vector_bits, known);
    let vectorised = match (model.profile.vectorise, scope.legality) {
        (Vectorise::Never, _) | (_, Legality::No(_)) => false,
        (Vectorise::Whole, legality) => legality == Legality::Yes && whole,
        (Vectorise::Checked, _) => trip >= lanes * beside,
    };
    if !vectorised {
        return singly(model, scope, trip);
    }
    // Where the number of iterations differs from entry to entry, all remainders are as frequent.
    let block = lanes * beside;
    let rest = if varies { (block - 1.0) / 2.0 } else { trip % block };
    // GCC vectorises the epilogue with half the width (--param vect-epilogues-nomask).
    let half = (lanes / 2.0).floor();
    let halves = if half < 2.0 || !model.profile.half_vectors {
        0.0
    } else if varies {
        0.5
    } else {
        (rest / half).floor()
    };
    let turns = if scope.known_trips { BackEdges::Known((trip / block).floor()) } else { BackEdges::Unknown };
    let copies = match rules {
        Some(rules) if scope.known_trips && scope.body.fits_unrolled(rules, (trip / block).floor(), beside) => {
            f64::INFINITY
        }
        _ => beside * scope.body.unroll_factor(rules, turns, beside),
    };
    let vectors = (trip - rest) / lanes + halves;
    let straight = rules.is_none() && small(model, scope, trip);
    IterationPlan { lanes: scope.lanes, vectors, singles: rest - halves * half, copies: [copies, 1.0], straight }
}

/// A loop without vectors.
fn singly(model: &Source, scope: &Scope, trip: f64) -> IterationPlan {
    let rules = model.profile.copies;
    let fits_unrolled = |rules| !scope.known_trips || scope.body.fits_unrolled(rules, trip, 1.0);
    let straight = small(model, scope, trip) && rules.is_none_or(fits_unrolled);
    let turns = if scope.known_trips { BackEdges::Known(trip) } else { BackEdges::Unknown };
    let copies = if scope.innermost { scope.body.unroll_factor(rules, turns, 1.0) } else { 1.0 };
    IterationPlan { lanes: 1, vectors: 0.0, singles: trip, copies: [1.0, copies], straight }
}

/// Whether nothing but a straight line is left of a loop.
pub(crate) fn unrolls_completely(model: &Source, scope: &Scope, trip: f64) -> bool {
    singly(model, scope, trip).straight
}

/// Whether a loop is unrolled completely, as far as its iterations are few enough.
fn small(model: &Source, scope: &Scope, trip: f64) -> bool {
    scope.innermost && scope.known_trips && trip <= f64::from(model.profile.unrolled_trips)
}
