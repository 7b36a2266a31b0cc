//! Lines that a loop nest moves between levels of memory: a layer condition over mean trip counts.
//!
//! The footprint of each loop of a nest is what one entry touches. Where a level holds the footprint of a loop, it
//! still holds at each entry what the entry before touched: the loop around it brings every line from beyond the
//! level once per entry of its own (suite kernels `column_scale` and transposed: columns use a line eight times).

use crate::source::memory::streams::{ELSEWHERE, Level, Stream, UNKNOWN_STRIDE};
use crate::source::objects::first_touch::PAGE;
use crate::source::objects::sizes::SET_BYTES;
use crate::source::processor::traffic::LINE;

/// Pieces of `unit` bytes of a stream that do not stay in a store until they are used again, where entries of the loops
/// take `footprints` of it.
pub fn missed(stream: &Stream, nest: &[Level], footprints: &[f64], store: Store, unit: f64) -> f64 {
    // The next loop out is lost at least as often; around all of them nothing is used again.
    // The layer condition: a loop whose footprint fits keeps its lines for the next entry.
    let losses = footprints.iter().map(|&footprint| store.loses(footprint)).chain([1.0]);
    let mut before = 0.0;
    let mut pieces = 0.0;
    for (depth, loss) in losses.enumerate() {
        let loss = f64::max(loss, before);
        pieces += (loss - before) * moved(stream, nest, depth.checked_sub(1), unit);
        before = loss;
    }
    pieces
}

/// What holds lines, or places of pages, until they are used again.
#[derive(Clone, Copy)]
pub struct Store {
    pub room: f64,
    /// Its sets are chosen by physical addresses, of which the system decides.
    pub(crate) physical: bool,
}

impl Store {
    pub(crate) fn of_level(level: usize, bytes: f64) -> Self {
        Self { room: bytes, physical: level > 0 }
    }

    /// The share of so much that is lost when it is used again.
    pub fn loses(self, amount: f64) -> f64 {
        // A virtually indexed first level fills its sets evenly, a physically indexed one by chance.
        let load = amount / self.room;
        if self.physical {
            return by_chance(load);
        }
        ((load - 1.0) / (ALL_LOST - 1.0)).clamp(0.0, 1.0)
    }
}

/// Lines that a set of a second or third level holds, as most processors have it.
const WAYS: f64 = 16.0;

/// The share of pages whose sets are asked to hold more than they can, where pages fall into them by chance (a Poisson
/// distribution, here as a normal one). Sums over 640 KB on a Granite Rapids with 2 MiB, other memory walked over in
/// between: of what comes from the third level, a tenth at 0.8 of the size in all, three quarters at 1.25, all at 1.75.
fn by_chance(load: f64) -> f64 {
    let mean = WAYS * load;
    if mean <= 0.0 { 0.0 } else { 1.0 / (1.0 + (-LOGISTIC * (mean - WAYS + 0.5) / mean.sqrt()).exp()) }
}

/// Makes the logistic function stand for the normal distribution.
const LOGISTIC: f64 = 1.702;

/// Lines that the whole nest walks over, each counted once.
pub(crate) fn first_lines(stream: &Stream, nest: &[Level]) -> f64 {
    nest.len().checked_sub(1).map_or(0.0, |outermost| pieces(stream, nest, outermost, LINE))
}

/// Bytes of a cache that one entry of a loop takes.
pub(crate) struct Footprint {
    /// Where all streams that keep to few sets keep to the same ones, and where they keep to different ones.
    pub together: f64,
    pub apart: f64,
    /// How likely the first is.
    pub chance: f64,
}

/// Two walks over columns share their sets only where their first lines do: of a pitch of 30 lines, every second pair
/// (pairs of columns of 260 rows: 1.2 cycles per pair of elements where an odd number of lines lies between them, 1.9
/// to 2.8 where an even one does).
fn footprint(streams: &[Stream], nest: &[Level], depth: usize) -> Footprint {
    let all: Vec<(&Stream, (f64, f64))> =
        streams.iter().map(|stream| (stream, occupied(stream, nest, depth))).collect();
    let together = all.iter().map(|(_, found)| found.0).sum();
    // Streams that keep to few sets compete with each other, not with the rest.
    let (all_crowded, free): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, found)| found.1 > 1.0);
    let groups = all_crowded.iter().map(|(_, found)| found.1).fold(1.0, f64::max);
    let crowded = by_sets(&all_crowded);
    let most = crowded.iter().map(|found| found.1).fold(0.0, f64::max);
    let in_one = (crowded.len() as f64 / groups).ceil();
    let apart = free.iter().map(|(_, found)| found.0).sum::<f64>() + most * in_one;
    let chance = if crowded.len() > 1 { groups.powi(1 - crowded.len() as i32) } else { 1.0 };
    Footprint { together, apart, chance }
}

/// One of the streams that use the same sets as one another, and the bytes that all of these take.
fn by_sets<'a>(crowded: &[(&'a Stream, (f64, f64))]) -> Vec<(&'a Stream, f64)> {
    let mut found: Vec<(&Stream, f64)> = Vec::new();
    for &(stream, (bytes, _)) in crowded {
        match found.iter_mut().find(|known| known.0.in_sets_of(stream)) {
            Some(known) => known.1 += bytes,
            None => found.push((stream, bytes)),
        }
    }
    found
}

/// Footprint of which a cache keeps nothing until the next time, as a multiple of its size: walks over columns (the
/// data at `occupied`) miss nothing at 1.0 and all at 1.25.
const ALL_LOST: f64 = 1.25;

/// Pieces that come from beyond a level, over all entries of the nest; `reused`: the outermost loop whose footprint it
/// holds.
fn moved(stream: &Stream, nest: &[Level], reused: Option<usize>, unit: f64) -> f64 {
    // Not even one entry of the innermost loop fits: what it walks over is not there the next time.
    let around = reused.map_or(0, |depth| depth + 1);
    nest.get(around).map_or(0.0, |outer| pieces(stream, nest, around, unit) * outer.entries)
}

/// Different pieces of `unit` bytes that one entry of the loop at `depth` touches.
pub fn pieces(stream: &Stream, nest: &[Level], depth: usize, unit: f64) -> f64 {
    let (count, dense, _) = extent(stream, nest, depth, unit);
    count * (dense / unit).max(1.0) * stream.touched(unit)
}

/// Bytes of a cache that one entry of the loop at `depth` takes, and of how many groups of sets they take one. Lines
/// whose distance is a multiple of a power of two share few sets: the others stay empty (walks over columns of 30
/// lines' pitch, 480 rows: 2.0 cycles per element against 1.0 where the pitch is 31 1/3 lines; of 32 lines' pitch: 6.5
/// cycles from 96 rows on).
fn occupied(stream: &Stream, nest: &[Level], depth: usize) -> (f64, f64) {
    let (count, dense, pitch) = extent(stream, nest, depth, LINE);
    // Lines at multiples of a large power of two take more of a cache than their bytes.
    let shared = shared_sets(pitch).map_or(LINE, |share| share * SET_BYTES as f64);
    let spread = if count > 1.0 { (shared / dense.max(LINE)).max(1.0) } else { 1.0 };
    (count * dense.max(LINE) * spread * stream.touched(LINE), spread)
}

/// The share of one set in the sets that lines at multiples of a pitch fall into; `None` where they take all.
pub(crate) fn shared_sets(pitch: u64) -> Option<f64> {
    let apart = num_integer::gcd(pitch, SET_BYTES);
    (pitch > 0 && pitch.is_multiple_of(LINE as u64) && apart > LINE as u64).then(|| apart as f64 / SET_BYTES as f64)
}

/// Pages that one entry of the loop at `depth` touches: a part of a page has others beside it.
pub(crate) fn touched_pages(stream: &Stream, nest: &[Level], depth: usize) -> f64 {
    let (count, dense, _) = extent(stream, nest, depth, PAGE);
    count * (dense / PAGE) * stream.touched(PAGE)
}

/// Pieces that one entry touches and that lie more than `unit` bytes apart, bytes of each, least distance between them.
fn extent(stream: &Stream, nest: &[Level], depth: usize, unit: f64) -> (f64, f64, u64) {
    let mut dense = stream.bytes;
    let mut count = 1.0;
    let mut pitch = 0;
    let mut loops: Vec<(u64, f64)> =
        stream.strides.iter().zip(nest).take(depth + 1).map(|(s, level)| (s.unsigned_abs(), level.trip)).collect();
    // From the smallest stride outwards, runs grow together until there are gaps.
    loops.sort_by_key(|&(stride, _)| stride);
    for (stride, trip) in loops.into_iter().filter(|&(stride, _)| stride != 0) {
        if stride == UNKNOWN_STRIDE.unsigned_abs() {
            // Rows of a length that nobody knows lie one beside the other; single elements are those of a permutation.
            let rows = if count * dense > stream.bytes { dense * trip.max(1.0) } else { stream.bytes * trip };
            dense = f64::max(dense, rows.min(stream.object));
            continue;
        }
        if stride == ELSEWHERE.unsigned_abs() {
            count = (count * trip).min(stream.object / dense.max(unit)).max(count);
            continue;
        }
        let bytes = stride;
        let stride = stride as f64;
        // Neighbouring runs touch: they are one.
        if stride <= dense.max(unit) {
            dense = f64::max(dense, stride * (trip - 1.0).max(0.0) + stream.bytes);
        } else {
            count *= trip.max(1.0);
            pitch = if pitch == 0 { bytes } else { pitch };
        }
    }
    (count, dense, pitch)
}

/// How likely it is that entries of the loops of a nest take so many bytes.
pub type Case = (f64, Vec<f64>);

/// Where all streams that keep to few sets keep to the same ones, and where those do that must.
pub type Cases = [Case; 2];

pub fn cases(streams: &[Stream], nest: &[Level]) -> Cases {
    let footprints: Vec<Footprint> = (0..nest.len()).map(|depth| footprint(streams, nest, depth)).collect();
    let chance = footprints.iter().map(|found| found.chance).fold(1.0, f64::min);
    [
        (chance, footprints.iter().map(|found| found.together).collect()),
        (1.0 - chance, footprints.iter().map(|found| found.apart).collect()),
    ]
}
