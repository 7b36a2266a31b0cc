//! How often a loop runs together with the one inside it on vectors, and how often alone. What it may do so is in
//! outer.rs, what it costs in price.rs.

use super::Source;
use super::counts::{Counts, trips};
use super::run::is_straight;

/// How a loop runs whose iterations stand side by side and run the loop inside it together.
#[derive(Clone, Copy, Debug)]
pub struct Lockstep {
    /// Iterations side by side.
    pub lanes: u32,
    /// The loop inside was unrolled before.
    pub unrolled: bool,
    /// Iterations per entry.
    pub trip: f64,
    /// Whole and half vectors.
    pub vectors: f64,
    /// Iterations that are left.
    pub singles: f64,
}

/// Of a loop that does so, or of the one inside it.
pub fn of(model: &Source, index: usize, counts: &Counts) -> Option<Lockstep> {
    let inner = if model.scopes[index].together.is_some() { index } else { model.scopes[index].inside? };
    let scope = &model.scopes[inner];
    let together = scope.together.as_ref()?;
    let (_, inside, begins) = trips(model, inner, counts)?;
    let unrolled = model.profile.unrolls_first && is_straight(model, &together.unrolled, inside / begins.max(1.0));
    if !unrolled && (together.checked || !model.profile.outer_vectors) {
        return None;
    }
    let (_, iterations, entries) = trips(model, scope.parent?, counts)?;
    let (trip, whole) = (iterations / entries.max(1.0), f64::from(together.lanes));
    let half = (whole / 2.0).floor();
    let rest = trip % whole;
    let halves = if half < 2.0 || !model.profile.half_vectors { 0.0 } else { (rest / half).floor() };
    let (vectors, singles) = ((trip - rest) / whole + halves, rest - halves * half);
    (trip >= whole).then_some(Lockstep { lanes: together.lanes, unrolled, trip, vectors, singles })
}
