//! Lines that a loop nest moves between levels of memory: a layer condition over mean trip counts.
//!
//! The footprint of each loop of a nest is what one entry touches. Where a level holds the footprint of a loop, it
//! still holds at each entry what the entry before touched: the loop around it brings every line from beyond the
//! level once per entry of its own (suite kernels column_scale and transposed: columns use a line eight times).

use super::affine::Atom;
use super::first_touch::PAGE;
use super::graph::{Access, Root};
use super::price::{Counts, trips};
use super::{Source, scope};
use crate::machine::MemoryLevel;
use crate::units::Nanoseconds;
use std::collections::BTreeMap;

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
    /// Some of them store: their lines are written back as well.
    stored: bool,
}

/// Cycles that the accesses of a scope wait for lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// For lines from the second level: they come while the processor executes, as far as both leave room.
    pub near: f64,
    /// For what lines from farther levels cost beyond that.
    pub far: f64,
    /// The level that costs most.
    pub level: usize,
}

impl Traffic {
    /// Together with `throughput` cycles of execution (suite kernels row_scale, outer_product and wide_update: the
    /// quadratic mean of both; wide_five_points and wide_copy_add: farther levels add up).
    pub fn with(self, throughput: f64) -> f64 {
        throughput.hypot(self.near) + self.far
    }

    pub fn total(self) -> f64 {
        self.near + self.far
    }

    pub fn scaled(self, factor: f64) -> Self {
        Self { near: self.near * factor, far: self.far * factor, ..self }
    }
}

/// Pages that one access of a scope walks over in all its executions.
pub fn pages(model: &Source, index: usize, counts: &Counts, access: &Access) -> f64 {
    let (nest, scopes) = nest(model, index, counts);
    let strides = scopes.iter().map(|&scope| stride_of(model, access, scope)).collect();
    let stream = Stream { strides, bytes: access.address.bytes as f64, stored: access.store };
    match nest.len().checked_sub(1) {
        Some(outermost) => touched_pages(&stream, &nest, outermost),
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

/// What the accesses of a scope wait for.
pub fn traffic(model: &Source, index: usize, counts: &Counts) -> Traffic {
    let (nest, scopes) = nest(model, index, counts);
    let streams = streams(model, index, &scopes);
    let footprints: Vec<Footprint> = (0..nest.len()).map(|depth| footprint(&streams, &nest, depth)).collect();
    let chance = footprints.iter().map(|found| found.chance).fold(1.0, f64::min);
    let cases = [
        (chance, footprints.iter().map(|found| found.together).collect::<Vec<_>>()),
        (1.0 - chance, footprints.iter().map(|found| found.apart).collect()),
    ];
    let mut traffic = Traffic::default();
    for (level, pair) in model.levels.windows(2).enumerate() {
        let Some(size) = pair[0].size_bytes.map(|size| size.0 as f64) else { continue };
        let lines = |stream: &Stream| -> f64 {
            cases.iter().map(|(chance, bytes)| chance * missed(stream, &nest, bytes, size)).sum()
        };
        let ns: f64 = streams.iter().map(|stream| lines(stream) * net(&model.levels, level, stream)).sum();
        let cycles = ns / model.costs.ns_per_cycle;
        if cycles > traffic.total() {
            traffic.level = level + 1;
        }
        *(if level == 0 { &mut traffic.near } else { &mut traffic.far }) += cycles;
    }
    traffic
}

/// Lines of a stream that a level of so many bytes does not hold, where entries of the loops take `footprints`.
fn missed(stream: &Stream, nest: &[Level], footprints: &[f64], size: f64) -> f64 {
    let reused = footprints.iter().rposition(|&bytes| bytes <= size);
    // Slightly too large a footprint is not lost as a whole.
    let beyond = footprints.get(reused.map_or(0, |depth| depth + 1)).copied();
    let lost = beyond.map_or(0.0, |bytes| ((bytes / size - 1.0) / (ALL_LOST - 1.0)).clamp(0.0, 1.0));
    let outer = Some(reused.map_or(0, |depth| depth + 1));
    lost * moved(stream, nest, reused) + (1.0 - lost) * moved(stream, nest, outer)
}

/// Bytes of a cache that one entry of a loop takes.
struct Footprint {
    /// Where all streams that keep to few sets keep to the same ones, and where they keep to different ones.
    together: f64,
    apart: f64,
    /// How likely the first is.
    chance: f64,
}

/// Two walks over columns share their sets only where their first lines do: of a pitch of 30 lines, every second pair
/// (pairs of columns of 260 rows: 1.2 cycles per pair of elements where an odd number of lines lies between them, 1.9 to
/// 2.8 where an even one does).
fn footprint(streams: &[Stream], nest: &[Level], depth: usize) -> Footprint {
    let all: Vec<(f64, f64)> = streams.iter().map(|stream| occupied(stream, nest, depth)).collect();
    let together = all.iter().map(|found| found.0).sum();
    let (crowded, free): (Vec<_>, Vec<_>) = all.into_iter().partition(|found| found.1 > 1.0);
    let groups = crowded.iter().map(|found| found.1).fold(1.0, f64::max);
    let most = crowded.iter().map(|found| found.0).fold(0.0, f64::max);
    let in_one = (crowded.len() as f64 / groups).ceil();
    let apart = free.iter().map(|found| found.0).sum::<f64>() + most * in_one;
    let chance = if crowded.len() > 1 { groups.powi(1 - crowded.len() as i32) } else { 1.0 };
    Footprint { together, apart, chance }
}

/// Footprint of which a cache keeps nothing until the next time, as a multiple of its size: walks over columns (the
/// data at `occupied`) miss nothing at 1.0 and all at 1.25.
const ALL_LOST: f64 = 1.25;

const LINE: f64 = 64.0;

/// What a line from behind a level costs more than one that the level holds; from behind the first level, what makes
/// the measured time together with the loads themselves (see [`Traffic::with`]). Where
/// all lines of a walk fall into few sets of the first level, they wait for each other: one set of 64 takes the whole
/// latency per line, more sets their share (walks over columns of 2, 4, 8, 16, 32 and 64 lines' pitch take 2.0, 2.2,
/// 3.0, 3.9, 6.3 and 11.2 cycles per element from the second level of a Zen 5).
fn net(levels: &[MemoryLevel], level: usize, stream: &Stream) -> f64 {
    let strided = stream.strides.first().is_some_and(|stride| stride.unsigned_abs() >= LINE as u64);
    let read = |level: &MemoryLevel| level.ns_per_line_strided.filter(|_| strided).or(level.ns_per_line_read);
    let beyond = |of: &dyn Fn(&MemoryLevel) -> Option<Nanoseconds>| {
        let ns = |level: &MemoryLevel| of(level).map_or(0.0, |ns| ns.0);
        let (here, beyond) = (ns(&levels[level]), ns(&levels[level + 1]));
        if level > 0 { (beyond - here).max(0.0) } else { (beyond * beyond - here * here).max(0.0).sqrt() }
    };
    let written = if stream.stored { beyond(&|level| level.ns_per_line_write.or(level.ns_per_line_read)) } else { 0.0 };
    let line = beyond(&read).max(written);
    if level > 0 {
        return line;
    }
    let latency = |level: &MemoryLevel| level.ns_latency.map_or(0.0, |ns| ns.0);
    let pitch = stream.strides.first().map_or(0, |stride| stride.unsigned_abs());
    let crowded = shared_sets(pitch).filter(|_| pitch != UNKNOWN_STRIDE.unsigned_abs());
    let wait = crowded.map_or(0.0, |share| share * (latency(&levels[1]) - latency(&levels[0])).max(0.0));
    line + wait
}

/// Lines that come from beyond a level, over all entries of the nest; `reused`: the outermost loop whose footprint it
/// holds.
fn moved(stream: &Stream, nest: &[Level], reused: Option<usize>) -> f64 {
    // Not even one entry of the innermost loop fits: what it walks over is not there the next time.
    let around = reused.map_or(0, |depth| depth + 1);
    nest.get(around).map_or(0.0, |outer| lines(stream, nest, around) * outer.entries)
}

/// Different lines that one entry of the loop at `depth` touches.
fn lines(stream: &Stream, nest: &[Level], depth: usize) -> f64 {
    let (count, dense, _) = extent(stream, nest, depth, LINE);
    count * (dense / LINE).max(1.0)
}

/// Bytes of a cache that one entry of the loop at `depth` takes, and of how many groups of sets they take one. Lines whose distance is a multiple of a power of two
/// share few sets: the others stay empty (walks over columns of 30 lines' pitch, 480 rows: 2.0 cycles per element
/// against 1.0 where the pitch is 31 1/3 lines; of 32 lines' pitch: 6.5 cycles from 96 rows on).
fn occupied(stream: &Stream, nest: &[Level], depth: usize) -> (f64, f64) {
    let (count, dense, pitch) = extent(stream, nest, depth, LINE);
    let shared = shared_sets(pitch).map_or(LINE, |share| share * SET_BYTES as f64);
    let spread = if count > 1.0 { (shared / dense.max(LINE)).max(1.0) } else { 1.0 };
    (count * dense.max(LINE) * spread, spread)
}

/// The share of one set in the sets that lines at multiples of a pitch fall into; `None` where they take all.
fn shared_sets(pitch: u64) -> Option<f64> {
    let apart = num_integer::gcd(pitch, SET_BYTES);
    (pitch > 0 && pitch.is_multiple_of(LINE as u64) && apart > LINE as u64).then(|| apart as f64 / SET_BYTES as f64)
}

/// Bytes after which first-level caches begin again with their first set: addresses within a page choose it.
const SET_BYTES: u64 = 4096;

/// Pages that one entry of the loop at `depth` touches: a part of a page has others beside it.
fn touched_pages(stream: &Stream, nest: &[Level], depth: usize) -> f64 {
    let (count, dense, _) = extent(stream, nest, depth, PAGE);
    count * (dense / PAGE)
}

/// Pieces that one entry touches and that lie more than `unit` bytes apart, bytes of each, least distance between them.
fn extent(stream: &Stream, nest: &[Level], depth: usize, unit: f64) -> (f64, f64, u64) {
    let mut dense = stream.bytes;
    let mut count = 1.0;
    let mut pitch = 0;
    let mut loops: Vec<(u64, f64)> =
        stream.strides.iter().zip(nest).take(depth + 1).map(|(s, level)| (s.unsigned_abs(), level.trip)).collect();
    loops.sort_by_key(|&(stride, _)| stride);
    for (stride, trip) in loops.into_iter().filter(|&(stride, _)| stride != 0) {
        if stride == UNKNOWN_STRIDE.unsigned_abs() {
            dense = f64::max(dense, stream.bytes * trip);
            continue;
        }
        let bytes = stride;
        let stride = stride as f64;
        if stride <= dense.max(unit) {
            dense = f64::max(dense, stride * (trip - 1.0).max(0.0) + stream.bytes);
        } else {
            count *= trip.max(1.0);
            pitch = if pitch == 0 { bytes } else { pitch };
        }
    }
    (count, dense, pitch)
}

/// Neighbours at fixed distances count once.
fn streams(model: &Source, index: usize, nest: &[usize]) -> Vec<Stream> {
    let mut known = BTreeMap::new();
    let mut streams: Vec<Stream> = Vec::new();
    for access in &model.scopes[index].accesses {
        let strides: Vec<i64> = nest.iter().map(|&scope| stride_of(model, access, scope)).collect();
        let at = *known.entry((access.address.root.clone(), strides.clone())).or_insert(streams.len());
        match streams.get_mut(at) {
            Some(stream) => stream.stored |= access.store,
            None => streams.push(Stream { strides, bytes: access.address.bytes as f64, stored: access.store }),
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
