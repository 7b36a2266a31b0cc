//! Lines that a loop nest moves between levels of memory: a layer condition over mean trip counts.
//!
//! The footprint of each loop of a nest is what one entry touches. Where a level holds the footprint of a loop, it
//! still holds at each entry what the entry before touched: the loop around it brings every line from beyond the
//! level once per entry of its own (suite kernels column_scale and transposed: columns use a line eight times).

use super::Source;
use super::affine::{Affine, IterationForm};
use super::counts::{Counts, trips};
use super::first_touch::PAGE;
use super::graph::{Access, Address, Root};
use super::scope::Scope;
use super::traffic::Traffic;
use crate::cost::Rows;
use crate::cost::reuse::Place;
use crate::machine::MemoryLevel;
use crate::program::VarId;
use crate::span::Span;
use crate::units::Nanoseconds;
use std::collections::BTreeMap;

/// A stride that is not known. What walks over memory like that is taken to stay among as many elements, or rows of them, as it
/// makes steps, as a permutation does (suite kernels gather and chase), where its object is not known to be smaller.
const UNKNOWN_STRIDE: i64 = i64::MAX;

/// The stride of what a pointer points to that is loaded anew in each iteration, as rows of a matrix: each lies somewhere
/// else.
const ELSEWHERE: i64 = i64::MAX - 1;

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
    root: Root,
    /// Bytes of the object, where they are known.
    object: f64,
    pointers: Pointers,
}

impl Stream {
    /// Each step goes to another line than the next one: what is fetched ahead of walks along lines does not help.
    fn jumps(&self) -> bool {
        self.strides.first().is_some_and(|stride| stride.unsigned_abs() >= LINE as u64)
    }
}

/// Pointers that are loaded on the way from the root of an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pointers {
    pub number: usize,
    /// Where the first of them lies, in bytes from the root, where that is one place during the whole nest: a field of a structure.
    pub field: Option<i64>,
}

/// Pages that one access of a scope walks over in all its executions.
pub fn pages(model: &Source, index: usize, counts: &Counts, access: &Access) -> f64 {
    let (nest, scopes) = nest(model, index, counts);
    let at = At::new(model, index, counts);
    let stream = at.stream(access, &scopes);
    match nest.len().checked_sub(1) {
        Some(outermost) => touched_pages(&stream, &nest, outermost),
        None => stream.bytes / PAGE,
    }
}

/// Cycles that the lines of so many pages take in one walk of an access over them, as far as [`traffic`] has them come from
/// beyond the second level and execution does not hide it.
pub fn one_walk(model: &Source, index: usize, counts: &Counts, access: &Access, pages: f64) -> f64 {
    let (nest, scopes) = nest(model, index, counts);
    let at = At::new(model, index, counts);
    let (stream, cases) = (at.stream(access, &scopes), cases(&streams(&at, &scopes), &nest));
    let levels = &model.levels;
    let once = first_lines(&stream, &nest).min(pages * PAGE / LINE);
    let farther = levels.iter().enumerate().take(levels.len().saturating_sub(1)).skip(1);
    let ns = |(level, here): (usize, &MemoryLevel)| {
        let store = Store::of_level(level, here.size_bytes?.0 as f64);
        let shown = 1.0 - hidden(levels, level + 1);
        Some(lines(&stream, &nest, &cases, store).min(once) * net(levels, level, &stream) * shown)
    };
    farther.filter_map(ns).sum::<f64>() / model.costs.ns_per_cycle
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

/// The rows of a length that nobody knows which a scope walks over, with a place of each.
pub fn open_rows(model: &Source, index: usize, counts: &Counts) -> BTreeMap<Rows, Span> {
    let (_, scopes) = nest(model, index, counts);
    let at = At::new(model, index, counts);
    let open = |access: &Access| Some((at.open_rows(&access.address, &scopes)?, access.span));
    at.scope.accesses.iter().rev().filter_map(open).collect()
}

/// What the accesses of a scope wait for, with each row of those `apart` in lines of its own.
pub fn traffic(model: &Source, index: usize, counts: &Counts, apart: Option<Rows>) -> Traffic {
    let (nest, scopes) = nest(model, index, counts);
    let streams = streams(&At { apart, ..At::new(model, index, counts) }, &scopes);
    let cases = cases(&streams, &nest);
    let mut traffic = Traffic::default();
    for (level, pair) in model.levels.windows(2).enumerate() {
        let Some(store) = pair[0].size_bytes.map(|size| Store::of_level(level, size.0 as f64)) else { continue };
        let lines = |(number, stream): (usize, &Stream)| -> f64 {
            let first = store.loses(counts.distance(place(index, number))) * first_lines(stream, &nest);
            lines(stream, &nest, &cases, store).max(first)
        };
        let times: Vec<(f64, bool)> = { streams.iter().enumerate() }
            .map(|at| (lines(at) * net(&model.levels, level, at.1) / model.costs.ns_per_cycle, at.1.jumps()))
            .collect();
        let cycles: f64 = times.iter().map(|time| time.0).sum();
        let along: f64 = times.iter().filter(|time| !time.1).map(|time| time.0).sum();
        if cycles > traffic.total() {
            traffic.level = level + 1;
        }
        *(if level == 0 { &mut traffic.near } else { &mut traffic.far }) += cycles;
        traffic.hidden += along * hidden(&model.levels, level + 1);
    }
    let walks = untranslated(model, &streams, &nest) / model.costs.ns_per_cycle;
    if walks > traffic.total() {
        traffic.level = TRANSLATION;
    }
    traffic.far += walks;
    traffic
}

/// How likely it is that entries of the loops of a nest take so many bytes.
type Cases = [(f64, Vec<f64>); 2];

fn cases(streams: &[Stream], nest: &[Level]) -> Cases {
    let footprints: Vec<Footprint> = (0..nest.len()).map(|depth| footprint(streams, nest, depth)).collect();
    let chance = footprints.iter().map(|found| found.chance).fold(1.0, f64::min);
    [
        (chance, footprints.iter().map(|found| found.together).collect()),
        (1.0 - chance, footprints.iter().map(|found| found.apart).collect()),
    ]
}

/// Lines of a stream that a level does not hold until they are used again.
fn lines(stream: &Stream, nest: &[Level], cases: &Cases, level: Store) -> f64 {
    cases.iter().map(|(chance, bytes)| chance * missed(stream, nest, bytes, level, LINE)).sum()
}

/// The share of the shorter of execution and lines from a level that is hidden by the longer; 0 where it was not measured.
fn hidden(levels: &[MemoryLevel], level: usize) -> f64 {
    let [Some(alone), Some(both), Some(line)] =
        [levels[0].ns_per_line_beside, levels[level].ns_per_line_beside, levels[level].ns_per_line_read]
    else {
        return 0.0;
    };
    let shorter = alone.0.min(line.0);
    if level < 2 || shorter <= 0.0 { 0.0 } else { ((alone.0 + line.0 - both.0) / shorter).clamp(0.0, 1.0) }
}

/// The level of what waits for pages to be found, not for their lines.
pub const TRANSLATION: usize = usize::MAX;

/// Nanoseconds for finding pages that are not known. In walks along lines, and to places that nothing is known of, the times
/// of lines have it in them.
fn untranslated(model: &Source, streams: &[Stream], nest: &[Level]) -> f64 {
    let Some(translation) = &model.translation else { return 0.0 };
    let together = |depth| streams.iter().map(|stream| pieces(stream, nest, depth, PAGE)).sum();
    let footprints: Vec<f64> = (0..nest.len()).map(together).collect();
    let jumps = |stream: &&Stream| {
        stream.strides.first().is_some_and(|&stride| stride != UNKNOWN_STRIDE && stride.unsigned_abs() >= LINE as u64)
    };
    let store = Store { room: translation.pages as f64, physical: false };
    let walks = |stream| missed(stream, nest, &footprints, store, PAGE);
    streams.iter().filter(jumps).map(walks).sum::<f64>() * translation.ns_per_miss.0
}

/// Pieces of `unit` bytes of a stream that do not stay in a store until they are used again, where entries of the loops take
/// `footprints` of it.
fn missed(stream: &Stream, nest: &[Level], footprints: &[f64], store: Store, unit: f64) -> f64 {
    // The next loop out is lost at least as often; around all of them nothing is used again.
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
struct Store {
    room: f64,
    /// Its sets are chosen by physical addresses, of which the system decides.
    physical: bool,
}

impl Store {
    fn of_level(level: usize, bytes: f64) -> Self {
        Self { room: bytes, physical: level > 0 }
    }

    /// The share of so much that is lost when it is used again.
    fn loses(self, amount: f64) -> f64 {
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
fn first_lines(stream: &Stream, nest: &[Level]) -> f64 {
    nest.len().checked_sub(1).map_or(0.0, |outermost| pieces(stream, nest, outermost, LINE))
}

fn place(scope: usize, stream: usize) -> Place {
    let number = |position| u32::try_from(position).unwrap_or(u32::MAX);
    Place { scope: number(scope), stream: number(stream) }
}

/// What the accesses of a scope walk over: the root of each stream, how many pointers lie between it and the memory, its place
/// and its bytes. Walks to unknown places are left out.
pub fn walks(model: &Source, index: usize, counts: &Counts) -> Vec<(Root, Pointers, Place, f64)> {
    let (nest, scopes) = nest(model, index, counts);
    let all = streams(&At::new(model, index, counts), &scopes);
    let known = all.iter().enumerate().filter(|(_, stream)| stream.strides.first() != Some(&UNKNOWN_STRIDE));
    let bytes = |stream: &Stream| first_lines(stream, &nest) * LINE;
    known.map(|(n, stream)| (stream.root.clone(), stream.pointers, place(index, n), bytes(stream))).collect()
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

pub const LINE: f64 = 64.0;

/// What a line from behind a level costs more than one that the level holds; from behind the first level, what makes
/// the measured time together with the loads themselves (see [`Traffic::during`]). Where
/// all lines of a walk fall into few sets of the first level, they wait for each other: one set of 64 takes the whole
/// latency per line, more sets their share (walks over columns of 2, 4, 8, 16, 32 and 64 lines' pitch take 2.0, 2.2,
/// 3.0, 3.9, 6.3 and 11.2 cycles per element from the second level of a Zen 5). Where that was measured, it is taken instead
/// of the latency (a Granite Rapids: 0.7 ns, latency 4.8 ns).
fn net(levels: &[MemoryLevel], level: usize, stream: &Stream) -> f64 {
    let jumps = stream.jumps();
    // The first level gives lines in any order alike (sums over columns of 750 to 1500 rows).
    let strided = |position: usize| levels[position].ns_per_line_strided.filter(|_| jumps && position > 0);
    let read = |position: usize| strided(position).or(levels[position].ns_per_line_read);
    let write = |position: usize| levels[position].ns_per_line_write.or(levels[position].ns_per_line_read);
    let beyond = |of: &dyn Fn(usize) -> Option<Nanoseconds>| {
        let (here, beyond) = (of(level).map_or(0.0, |ns| ns.0), of(level + 1).map_or(0.0, |ns| ns.0));
        if level > 0 { (beyond - here).max(0.0) } else { (beyond * beyond - here * here).max(0.0).sqrt() }
    };
    let written = if stream.stored { beyond(&write) } else { 0.0 };
    let line = beyond(&read).max(written);
    if level > 0 {
        return line.max(crowded_beyond(levels, level, stream));
    }
    let pitch = stream.strides.first().map_or(0, |stride| stride.unsigned_abs());
    let Some(share) = shared_sets(pitch).filter(|_| pitch < ELSEWHERE.unsigned_abs()) else { return line };
    let beside = |crowded: Nanoseconds| (crowded.0 - levels[1].ns_per_line_strided.map_or(0.0, |ns| ns.0)).max(0.0);
    let latency = |level: &MemoryLevel| level.ns_latency.map_or(0.0, |ns| ns.0);
    let waits = || (latency(&levels[1]) - latency(&levels[0])).max(0.0);
    line + share * levels[1].ns_per_line_crowded.map_or_else(waits, beside)
}

/// What a line of walks along begins of pages costs more where it was measured.
fn crowded_beyond(levels: &[MemoryLevel], level: usize, stream: &Stream) -> f64 {
    let pitch = stream.strides.first().map_or(0, |stride| stride.unsigned_abs());
    let pages = pitch < ELSEWHERE.unsigned_abs() && pitch > 0 && pitch.is_multiple_of(SET_BYTES);
    let measured = [level, level + 1].map(|level| levels[level].ns_per_line_crowded.filter(|_| pages));
    let [Some(here), Some(beyond)] = measured else { return 0.0 };
    (beyond.0 - here.0).max(0.0)
}

/// Pieces that come from beyond a level, over all entries of the nest; `reused`: the outermost loop whose footprint it
/// holds.
fn moved(stream: &Stream, nest: &[Level], reused: Option<usize>, unit: f64) -> f64 {
    // Not even one entry of the innermost loop fits: what it walks over is not there the next time.
    let around = reused.map_or(0, |depth| depth + 1);
    nest.get(around).map_or(0.0, |outer| pieces(stream, nest, around, unit) * outer.entries)
}

/// Different pieces of `unit` bytes that one entry of the loop at `depth` touches.
fn pieces(stream: &Stream, nest: &[Level], depth: usize, unit: f64) -> f64 {
    let (count, dense, _) = extent(stream, nest, depth, unit);
    count * (dense / unit).max(1.0)
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
fn streams(at: &At<'_>, nest: &[usize]) -> Vec<Stream> {
    let mut known = BTreeMap::new();
    let mut streams: Vec<Stream> = Vec::new();
    for access in &at.scope.accesses {
        let (root, mut walk, field) = at.walk(&access.address, nest);
        walk.last_mut().into_iter().for_each(|strides| at.set_apart(&access.address, nest, strides));
        let strides = walk.last().cloned().unwrap_or_default();
        let pointers = Pointers { number: walk.len() - 1, field };
        let place = *known.entry((root.clone(), walk, field)).or_insert(streams.len());
        let (bytes, stored) = (access.address.bytes as f64, access.store);
        match streams.get_mut(place) {
            Some(stream) => stream.stored |= stored,
            None => {
                let object = at.object(&root, pointers.number);
                streams.push(Stream { strides, bytes, stored, root, object, pointers });
            }
        }
    }
    streams
}

/// A scope whose accesses are looked at, as often as it was executed.
struct At<'a> {
    model: &'a Source,
    counts: &'a Counts,
    scope: &'a Scope,
    /// Rows that are not taken to lie one beside the other.
    apart: Option<Rows>,
}

impl<'a> At<'a> {
    fn new(model: &'a Source, index: usize, counts: &'a Counts) -> Self {
        Self { model, counts, scope: &model.scopes[index], apart: None }
    }

    /// An access alone.
    fn stream(&self, access: &Access, nest: &[usize]) -> Stream {
        let strides = nest.iter().map(|&scope| self.stride(&access.address, scope)).collect();
        let root = access.address.root.clone();
        let object = self.object(&root, 0);
        let (bytes, pointers) = (access.address.bytes as f64, Pointers::default());
        Stream { strides, bytes, stored: access.store, root, object, pointers }
    }

    /// Bytes of what lies behind a root and so many pointers.
    fn object(&self, root: &Root, pointers: usize) -> f64 {
        if pointers == 0 { self.model.sizes.of(root) } else { f64::INFINITY }
    }

    /// The object that an address is found from, and its strides; before them those of the pointers on the way. And the field that
    /// holds the first pointer, see [`Pointers`].
    fn walk(&self, address: &Address, nest: &[usize]) -> (Root, Vec<Vec<i64>>, Option<i64>) {
        let strides = nest.iter().map(|&scope| self.stride(address, scope)).collect();
        let pointer = if let Root::Value(node) = address.root { self.scope.pointers.get(&node) } else { None };
        let Some(pointer) = pointer else { return (address.root.clone(), vec![strides], None) };
        let (root, mut walk, mut field) = self.walk(pointer, nest);
        if let [strides] = &walk[..] {
            field = pointer.offset.as_constant().filter(|_| strides.iter().all(|&stride| stride == 0));
        }
        walk.push(strides);
        (root, walk, field)
    }

    /// Bytes by which an address of the scope advances with each iteration of the loop `around`.
    fn stride(&self, address: &Address, around: usize) -> i64 {
        self.known_stride(address, around).unwrap_or(UNKNOWN_STRIDE)
    }

    /// The length of rows that a loop goes along, where nobody knows it.
    fn unknown_row_length<'b>(&self, address: &'b Address, around: usize) -> Option<&'b Affine> {
        let steps = &self.model.scopes[around].steps;
        let change = |variable: VarId| Some(steps.get(&variable).copied().unwrap_or(0));
        address.offset.unknown_row_length(&change, &|variable| self.counts.value(self.model, variable))
    }

    fn open_rows(&self, address: &Address, nest: &[usize]) -> Option<Rows> {
        let length = nest.iter().find_map(|&scope| self.unknown_row_length(address, scope))?;
        let (root, walk, _) = self.walk(address, nest);
        let array = match root {
            Root::Object(variable) | Root::Pointer(variable) => Some(variable),
            Root::Value(_) => None,
        };
        Some(Rows { array, behind: walk.len() > 1, length: length.as_variable() })
    }

    /// Strides of an address, where its rows lie apart.
    fn set_apart(&self, address: &Address, nest: &[usize], strides: &mut [i64]) {
        if self.apart.is_some() && self.apart == self.open_rows(address, nest) {
            let open = |scope: usize| self.unknown_row_length(address, scope).is_some();
            strides.iter_mut().zip(nest).filter(|(_, scope)| open(**scope)).for_each(|(stride, _)| *stride = ELSEWHERE);
        }
    }

    fn known_stride(&self, address: &Address, around: usize) -> Option<i64> {
        let steps = &self.model.scopes[around].steps;
        let change = |variable: VarId| steps.get(&variable).copied().or(Some(0));
        let value = |variable: VarId| self.counts.value(self.model, variable);
        let base = match &address.root {
            Root::Object(_) => 0,
            Root::Pointer(variable) => change(*variable)?,
            Root::Value(node) => match self.known_stride(self.scope.pointers.get(node)?, around)? {
                0 => 0,
                _ => return Some(ELSEWHERE),
            },
        };
        address.offset.stride_at(&change, &value)?.checked_add(base)
    }
}
