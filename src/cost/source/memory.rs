//! Lines that a loop nest moves between levels of memory: a layer condition over mean trip counts.
//!
//! The footprint of each loop of a nest is what one entry touches. Inside the outermost loop whose
//! footprint a level holds, every line comes from beyond it once.

use super::affine::Atom;
use super::first_touch::PAGE;
use super::graph::{Access, Root};
use super::price::{Counts, trips};
use super::{Source, scope};
use crate::machine::MemoryLevel;
use std::collections::BTreeSet;

/// A stride that is not known. What walks over memory like that is taken to stay among as many elements as it makes
/// steps, as a permutation does (suite kernels gather and chase).
const UNKNOWN_STRIDE: i64 = i64::MAX;

/// One loop around the accesses: the innermost first.
struct Level {
    trip: f64,
    entries: f64,
}

/// Accesses that walk through memory together.
struct Stream {
    /// Bytes per iteration of each loop, the innermost first.
    strides: Vec<i64>,
    bytes: f64,
}

/// Pages that one access of a scope walks over in all its executions.
pub fn pages(model: &Source, index: usize, counts: &Counts, access: &Access) -> f64 {
    let (nest, scopes) = nest(model, index, counts);
    let strides = scopes.iter().map(|&scope| stride_of(model, access, scope)).collect();
    let stream = Stream { strides, bytes: access.address.bytes as f64 };
    match nest.len().checked_sub(1) {
        Some(outermost) => units(&stream, &nest, outermost, PAGE),
        None => stream.bytes / PAGE,
    }
}

/// The loops around a scope that were entered, the innermost first, with their scopes.
fn nest(model: &Source, index: usize, counts: &Counts) -> (Vec<Level>, Vec<usize>) {
    let around = std::iter::successors(Some(index), |&scope| model.scopes[scope].parent);
    let known = around.filter_map(|scope| {
        let (_, iterations, entries) = trips(model, scope, counts)?;
        Some((Level { trip: iterations / entries.max(1.0), entries: entries.max(1.0) }, scope))
    });
    known.unzip()
}

/// Cycles that the accesses of a scope wait for lines, and the level that costs most.
pub fn cycles(model: &Source, index: usize, counts: &Counts) -> (usize, f64) {
    let (nest, scopes) = nest(model, index, counts);
    let streams = streams(model, index, &scopes);
    let footprints: Vec<f64> =
        (0..nest.len()).map(|depth| streams.iter().map(|stream| lines(stream, &nest, depth) * LINE).sum()).collect();
    let costs = model.levels.windows(2).enumerate().filter_map(|(level, pair)| {
        let size = pair[0].size_bytes?.0 as f64;
        let reused = footprints.iter().rposition(|&bytes| bytes <= size);
        let all = reused == Some(nest.len().checked_sub(1)?);
        let ns: f64 =
            streams.iter().map(|stream| moved(stream, &nest, reused) * net(&model.levels, level, stream)).sum();
        (!all).then_some((level + 1, ns / model.costs.ns_per_cycle))
    });
    costs.fold((0, 0.0), |(worst, sum), (level, cycles)| (if cycles > sum { level } else { worst }, sum + cycles))
}

const LINE: f64 = 64.0;

/// What a line from behind a level costs more than one that the level holds.
fn net(levels: &[MemoryLevel], level: usize, stream: &Stream) -> f64 {
    let of = |level: &MemoryLevel| {
        let strided = stream.strides.first().is_some_and(|stride| stride.unsigned_abs() >= LINE as u64);
        let ns = level.ns_per_line_strided.filter(|_| strided).or(level.ns_per_line_read);
        ns.map_or(0.0, |ns| ns.0)
    };
    (of(&levels[level + 1]) - of(&levels[level])).max(0.0)
}

/// Lines that come from beyond a level, over all entries of the nest.
fn moved(stream: &Stream, nest: &[Level], reused: Option<usize>) -> f64 {
    match reused {
        Some(depth) => lines(stream, nest, depth) * nest[depth].entries,
        // Not even one entry of the innermost loop fits: what it walks over is not there the next time.
        None => nest.first().map_or(0.0, |inner| lines(stream, nest, 0) * inner.entries),
    }
}

/// Different lines that one entry of the loop at `depth` touches.
fn lines(stream: &Stream, nest: &[Level], depth: usize) -> f64 {
    units(stream, nest, depth, LINE)
}

/// The same of units of `unit` bytes.
fn units(stream: &Stream, nest: &[Level], depth: usize, unit: f64) -> f64 {
    let mut dense = stream.bytes;
    let mut count = 1.0;
    let mut loops: Vec<(u64, f64)> =
        stream.strides.iter().zip(nest).take(depth + 1).map(|(s, level)| (s.unsigned_abs(), level.trip)).collect();
    loops.sort_by_key(|&(stride, _)| stride);
    for (stride, trip) in loops.into_iter().filter(|&(stride, _)| stride != 0) {
        if stride == UNKNOWN_STRIDE.unsigned_abs() {
            dense = f64::max(dense, stream.bytes * trip);
            continue;
        }
        let stride = stride as f64;
        if stride <= dense.max(unit) {
            dense = f64::max(dense, stride * (trip - 1.0).max(0.0) + stream.bytes);
        } else {
            count *= trip.max(1.0);
        }
    }
    // A part of a line is a line; a part of a page has others beside it.
    count * if unit == LINE { (dense / unit).max(1.0) } else { dense / unit }
}

/// Neighbours at fixed distances count once.
fn streams(model: &Source, index: usize, nest: &[usize]) -> Vec<Stream> {
    let mut seen = BTreeSet::new();
    let mut streams = Vec::new();
    for access in &model.scopes[index].accesses {
        let strides: Vec<i64> = nest.iter().map(|&scope| stride_of(model, access, scope)).collect();
        if seen.insert((access.address.root.clone(), strides.clone())) {
            streams.push(Stream { strides, bytes: access.address.bytes as f64 });
        }
    }
    streams
}

fn stride_of(model: &Source, access: &Access, scope: usize) -> i64 {
    let scope = &model.scopes[scope];
    let change = |variable| Some(scope.steps.get(&variable).copied().unwrap_or(0));
    let irregular = matches!(access.address.root, Root::Value(_))
        || access.address.offset.terms.keys().any(|atom| matches!(atom, Atom::Node(_)));
    if irregular { UNKNOWN_STRIDE } else { scope::stride(access, &change).unwrap_or(UNKNOWN_STRIDE) }
}
