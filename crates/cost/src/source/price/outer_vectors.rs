//! How often a loop runs together with the one inside it on vectors, and how often alone. What it may do so is in
//! `vectorize/outer_loop.rs`, what it costs in `price/loop_time.rs`.

use crate::source::model::Source;
use crate::source::price::iteration_plan::unrolls_completely;
use crate::source::profile::counts::{ExecutionCounts, trips};

/// How a loop runs whose iterations fill the lanes of a vector and run the loop inside it vectorized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OuterVectorRun {
    /// Iterations in one vector.
    pub lanes: u32,
    /// The loop inside was unrolled before.
    pub unrolled: bool,
    /// Iterations per entry.
    pub trip: f64,
    /// Whole and half vectors.
    pub vectors: f64,
    /// Iterations that are left.
    pub(crate) singles: f64,
}

/// Of a loop that does so, or of the one inside it.
pub(crate) fn outer_vector_run(model: &Source, index: usize, counts: &ExecutionCounts) -> Option<OuterVectorRun> {
    let inner =
        if model.scopes[index].outer_vectorized.is_some() { index } else { model.scopes[index].vectorized_inner? };
    let scope = &model.scopes[inner];
    let vectorized = scope.outer_vectorized.as_ref()?;
    let (_, inside, begins) = trips(model, inner, counts)?;
    let unrolled =
        model.profile.unrolls_first && unrolls_completely(model, &vectorized.unrolled, inside / begins.max(1.0));
    if !unrolled && (vectorized.checked || !model.profile.outer_vectors) {
        return None;
    }
    let (_, iterations, entries) = trips(model, scope.parent?, counts)?;
    let (trip, whole) = (iterations / entries.max(1.0), f64::from(vectorized.lanes));
    // The epilogue runs on vectors of half the width.
    let half = (whole / 2.0).floor();
    let rest = trip % whole;
    let halves = if half < 2.0 || !model.profile.half_vectors { 0.0 } else { (rest / half).floor() };
    let (vectors, singles) = ((trip - rest) / whole + halves, rest - halves * half);
    (trip >= whole).then_some(OuterVectorRun { lanes: vectorized.lanes, unrolled, trip, vectors, singles })
}
