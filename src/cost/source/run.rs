//! How one entry of a loop runs: on vectors and alone, in copies, with branches or without; and what that asks of the processor.
//!
//! It must not know chains, memory or mispredictions: only which instructions are executed, and how often.

use super::Source;
use super::copies::Turns;
use super::costs::Demand;
use super::counts::Counts;
use super::profile::Vectorise;
use super::scope::Scope;
use super::shares::Share;
use super::vectors::Legality;

/// How one entry of a loop runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Iterations side by side in a whole vector.
    pub lanes: u32,
    /// Whole and half vectors per entry.
    pub vectors: f64,
    /// Iterations per entry that are left for scalar code.
    pub singles: f64,
    /// Vectors, and single iterations, between two branches.
    pub copies: [f64; 2],
    /// No branch is left.
    pub straight: bool,
}

impl Run {
    pub fn turns(self) -> f64 {
        self.vectors / self.copies[0] + self.singles / self.copies[1]
    }

    pub fn demand(self, scope: &Scope, counts: &Counts, trip: f64) -> (Demand, f64) {
        let singles = self.singles / trip.max(1.0);
        let (mut sum, operations) = demand(scope, counts, |share| (&share.demand, singles));
        let mut add = |of: fn(&Share) -> &Demand, times: f64| {
            if times != 0.0 {
                sum.add_scaled(&demand(scope, counts, |share| (of(share), times)).0, 1.0);
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
pub fn demand(scope: &Scope, counts: &Counts, of: impl Fn(&Share) -> (&Demand, f64)) -> (Demand, f64) {
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
pub fn run(model: &Source, scope: &Scope, trip: f64, varies: bool) -> Run {
    let lanes = f64::from(scope.lanes);
    let whole = scope.known_trips && trip >= lanes && (trip / lanes).fract() == 0.0;
    let rules = model.profile.copies;
    let known = scope.known_trips.then_some(trip);
    let beside = scope.body.side_by_side(rules, model.costs.vector_bits, known);
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
    let half = (lanes / 2.0).floor();
    let halves = match () {
        () if half < 2.0 || !model.profile.half_vectors => 0.0,
        () if varies => 0.5,
        () => (rest / half).floor(),
    };
    let turns = if scope.known_trips { Turns::Known((trip / block).floor()) } else { Turns::Unknown };
    let copies = match rules {
        Some(rules) if scope.known_trips && scope.body.vanishes(rules, (trip / block).floor(), beside) => f64::INFINITY,
        _ => beside * scope.body.copies(rules, turns, beside),
    };
    let vectors = (trip - rest) / lanes + halves;
    let straight = rules.is_none() && small(model, scope, trip);
    Run { lanes: scope.lanes, vectors, singles: rest - halves * half, copies: [copies, 1.0], straight }
}

/// A loop without vectors.
fn singly(model: &Source, scope: &Scope, trip: f64) -> Run {
    let rules = model.profile.copies;
    let vanishes = |rules| !scope.known_trips || scope.body.vanishes(rules, trip, 1.0);
    let straight = small(model, scope, trip) && rules.is_none_or(vanishes);
    let turns = if scope.known_trips { Turns::Known(trip) } else { Turns::Unknown };
    let copies = if scope.innermost { scope.body.copies(rules, turns, 1.0) } else { 1.0 };
    Run { lanes: 1, vectors: 0.0, singles: trip, copies: [1.0, copies], straight }
}

/// Whether nothing but a straight line is left of a loop.
pub fn is_straight(model: &Source, scope: &Scope, trip: f64) -> bool {
    singly(model, scope, trip).straight
}

/// Whether a loop is unrolled completely, as far as its iterations are few enough.
fn small(model: &Source, scope: &Scope, trip: f64) -> bool {
    scope.innermost && scope.known_trips && trip <= f64::from(model.profile.unrolled_trips)
}
