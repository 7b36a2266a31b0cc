//! What loop nests walk over, by the name of the memory: objects that two segments use are the same where arguments and
//! allocations lead to the same variable.
//!
//! It must not know the order of segments, nor what lies between them.

use crate::reuse::Place;
use crate::source::address::place::Root;
use crate::source::memory::lines::walked_memory;
use crate::source::model::Source;
use crate::source::objects::names::PointerPath;
use crate::source::profile::counts::{ExecutionCounts, trips};
use crate::source::profile::row_lengths::learn_row_lengths;
use crate::{Object, Use};
use chronos_activity::{ContextId, Segment, Segments};
use chronos_base::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// What each nest of a segment walks over; nests in the order of contexts, which is that of first execution, and of the
/// text.
pub fn uses(model: &Source, segment: &Segment, contexts: &Segments) -> Vec<Vec<Use>> {
    model.sizes.learn(segment);
    let mut nests = BTreeMap::new();
    let mut rest = if model.profile.optimises { &segment.counts[..] } else { &[] };
    while let Some(&(context, ..)) = rest.first() {
        let (here, later) = rest.split_at(rest.partition_point(|entry| entry.0 == context));
        let scopes = here.iter().filter_map(|(_, counter, _)| model.scope_of[counter.0 as usize]).collect();
        of_context(model, context, contexts, &ExecutionCounts::of_context(segment, context), &scopes, &mut nests);
        rest = later;
    }
    nests.into_values().map(|nest| nest.into_values().collect()).collect()
}

/// By nest, the memory that it walks over, each with the place that walks over most of it.
type Nests = BTreeMap<(ContextId, usize), BTreeMap<Object, Use>>;

fn of_context(
    model: &Source,
    context: ContextId,
    contexts: &Segments,
    counts: &ExecutionCounts,
    scopes: &BTreeSet<u32>,
    nests: &mut Nests,
) {
    learn_row_lengths(model, context, counts, scopes);
    for index in scopes.iter().map(|&scope| scope as usize) {
        for (root, pointers, place, bytes) in walked(model, index, counts) {
            let Some(object) = model.objects.behind(&root, pointers, context, contexts) else { continue };
            let one = Use { context, place, object, bytes: Bytes(bytes as u64) };
            let nest = nests.entry((context, outermost(model, index))).or_default();
            let most = nest.entry(object).or_insert(one);
            if most.bytes < one.bytes {
                *most = one;
            }
        }
    }
}

fn walked(model: &Source, index: usize, counts: &ExecutionCounts) -> Vec<(Root, PointerPath, Place, f64)> {
    let ran = trips(model, index, counts).is_some_and(|(_, iterations, _)| iterations > 0.0);
    if ran { walked_memory(model, index, counts) } else { Vec::new() }
}

fn outermost(model: &Source, index: usize) -> usize {
    let around = std::iter::successors(Some(index), |&scope| model.scopes[scope].parent);
    around.filter(|&scope| model.scopes[scope].header.is_some()).last().unwrap_or(index)
}
