//! Time of the lines that a loop nest moves between levels of memory.

use crate::UnknownRows;
use crate::reuse::Place;
use crate::source::address::place::Root;
use crate::source::dataflow::graph::Access;
use crate::source::memory::footprint::{
    Case, Cases, Store, cases, first_lines, missed, pieces, shared_sets, touched_pages,
};
use crate::source::memory::streams::{ELSEWHERE, Level, ScopeAccesses, Stream, UNKNOWN_STRIDE, nest, streams};
use crate::source::model::Source;
use crate::source::objects::first_touch::PAGE;
use crate::source::objects::names::PointerPath;
use crate::source::objects::sizes::SET_BYTES;
use crate::source::processor::traffic::{LINE, Traffic};
use crate::source::profile::counts::ExecutionCounts;
use chronos_base::span::Span;
use chronos_base::units::Nanoseconds;
use chronos_machine::{CrowdedLines, MemoryLevel};
use std::collections::BTreeMap;

/// Pages that one access of a scope walks over in all its executions.
pub(crate) fn walked_pages(model: &Source, index: usize, counts: &ExecutionCounts, access: &Access) -> f64 {
    let (nest, scopes) = nest(model, index, counts);
    let at = ScopeAccesses::new(model, index, counts);
    let stream = at.stream(access, &scopes);
    match nest.len().checked_sub(1) {
        Some(outermost) => touched_pages(&stream, &nest, outermost),
        None => stream.bytes / PAGE,
    }
}

/// Cycles that the lines of so many pages take in one walk of an access over them, as far as [`memory_traffic`] has them come
/// from beyond the second level and execution does not hide it.
pub(crate) fn walk_cycles(model: &Source, index: usize, counts: &ExecutionCounts, access: &Access, pages: f64) -> f64 {
    let (nest, scopes) = nest(model, index, counts);
    let at = ScopeAccesses::new(model, index, counts);
    let (stream, cases) = (at.stream(access, &scopes), cases(&streams(&at, &scopes), &nest));
    let levels = &model.levels;
    let once = first_lines(&stream, &nest).min(pages * PAGE / LINE);
    let farther = levels.iter().enumerate().take(levels.len().saturating_sub(1)).skip(1);
    let ns = |(level, here): (usize, &MemoryLevel)| {
        // What would come from beyond the second level is saved: the system has just cleared the page.
        let store = Store::of_level(level, here.size_bytes?.0 as f64);
        let shown = 1.0 - hidden(levels, level + 1);
        Some(lines(&stream, &nest, &cases, store).min(once) * net(levels, level, &stream, &nest).ns * shown)
    };
    farther.filter_map(ns).sum::<f64>() / model.costs.ns_per_cycle
}

/// The rows of a length that nobody knows which a scope walks over, with a place of each.
pub(crate) fn rows_of_unknown_length(
    model: &Source,
    index: usize,
    counts: &ExecutionCounts,
) -> BTreeMap<UnknownRows, Span> {
    let (_, scopes) = nest(model, index, counts);
    let at = ScopeAccesses::new(model, index, counts);
    let open = |access: &Access| Some((at.unknown_rows(&access.address, &scopes)?, access.span));
    at.scope.accesses.iter().rev().filter_map(open).collect()
}

/// What the accesses of a scope wait for, with each row of those `apart` in lines of its own.
pub(crate) fn memory_traffic(
    model: &Source,
    index: usize,
    counts: &ExecutionCounts,
    apart: Option<UnknownRows>,
) -> Traffic {
    let (nest, scopes) = nest(model, index, counts);
    let streams = streams(&ScopeAccesses { apart, ..ScopeAccesses::new(model, index, counts) }, &scopes);
    let cases = cases(&streams, &nest);
    let mut traffic = Traffic::default();
    for (level, pair) in model.levels.windows(2).enumerate() {
        let Some(store) = pair[0].size_bytes.map(|size| Store::of_level(level, size.0 as f64)) else { continue };
        let ns = |(number, stream): (usize, &Stream)| -> Line {
            // What other code has driven out in between is missed once more.
            let first = store.loses(counts.distance(place(index, number))) * first_lines(stream, &nest);
            let alone = net(&model.levels, level, stream, &nest);
            let each =
                [true, false].map(|together| beside(&model.levels, level, &streams, &nest, number, together, alone));
            let all = { cases.iter().zip(each) }
                .map(|(case, line)| line.times(in_case(stream, &nest, case, store)))
                .fold(Line::default(), Line::plus);
            if all.ns < first * alone.ns { alone.times(first) } else { all }
        };
        let per_cycle = 1.0 / model.costs.ns_per_cycle;
        let times: Vec<(Line, bool)> =
            { streams.iter().enumerate() }.map(|at| (ns(at).in_unit(per_cycle), at.1.jumps())).collect();
        let cycles: f64 = times.iter().map(|time| time.0.ns).sum();
        let along: f64 = times.iter().filter(|time| !time.1).map(|time| time.0.ns).sum();
        traffic.driven_out += times.iter().map(|time| time.0.driven_out).sum::<f64>();
        traffic.hurried += times.iter().map(|time| time.0.hurried).sum::<f64>();
        traffic.hurried_lines += times.iter().map(|time| time.0.hurried_lines).sum::<f64>();
        // The level that costs most is the one that is told.
        if cycles > traffic.total() {
            traffic.level = level + 1;
        }
        *(if level == 0 { &mut traffic.second_level } else { &mut traffic.farther }) += cycles;
        traffic.hidden += along * hidden(&model.levels, level + 1);
    }
    let walks = untranslated(model, &streams, &nest) / model.costs.ns_per_cycle;
    if walks > traffic.total() {
        traffic.level = TRANSLATION;
    }
    traffic.farther += walks;
    traffic
}

/// Lines of a stream that a level does not hold until they are used again.
fn lines(stream: &Stream, nest: &[Level], cases: &Cases, level: Store) -> f64 {
    cases.iter().map(|case| in_case(stream, nest, case, level)).sum()
}

fn in_case(stream: &Stream, nest: &[Level], case: &Case, level: Store) -> f64 {
    case.0 * missed(stream, nest, &case.1, level, LINE)
}

/// What lines cost: all of it, and what of that is due to lines that drive each other out.
#[derive(Clone, Copy, Default)]
struct Line {
    ns: f64,
    driven_out: f64,
    /// Due to updates that follow each other as fast as a loop can make them.
    hurried: f64,
    /// Lines of those.
    hurried_lines: f64,
}

impl Line {
    fn alone(ns: f64) -> Self {
        Self { ns, ..Self::default() }
    }

    fn times(self, lines: f64) -> Self {
        Self { hurried_lines: self.hurried_lines * lines, ..self.in_unit(lines) }
    }

    fn in_unit(self, factor: f64) -> Self {
        let Self { ns, driven_out, hurried, hurried_lines } = self;
        Self { ns: ns * factor, driven_out: driven_out * factor, hurried: hurried * factor, hurried_lines }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            ns: self.ns + other.ns,
            driven_out: self.driven_out + other.driven_out,
            hurried: self.hurried + other.hurried,
            hurried_lines: self.hurried_lines + other.hurried_lines,
        }
    }
}

/// What a line of a stream costs where others in the same sets of the first level are loaded and stored to in turn: loads
/// drive out the lines that stores have asked for, before and after they are written (a Zen 4, pitches of 0.5, 1, 2 and 4
/// KiB: 2.0, 2.9, 7.2 and 10 cycles a load, 2.2, 4.1, 6.7 and 16.7 a store, but 8.2, 14.5, 27 and 40 for one of each).
/// `together`: all that keep to few sets keep to the same ones.
fn beside(
    levels: &[MemoryLevel],
    level: usize,
    streams: &[Stream],
    nest: &[Level],
    number: usize,
    together: bool,
    alone: Line,
) -> Line {
    let stream = &streams[number];
    let found = crowded(levels, stream, nest).filter(|_| level == 0);
    let Some((lines, mixed)) = found.and_then(|lines| Some((lines, lines.ns_mixed?))) else { return alone };
    let mut others = streams.iter().enumerate().filter(|&(other, _)| other != number).map(|(_, other)| other);
    let of_same_sets =
        |other: &Stream| crowded(levels, other, nest).is_some() && (together || other.in_sets_of(stream));
    if !others.any(|other| (stream.stored || other.stored) && of_same_sets(other)) {
        return alone;
    }
    // A load that gets its number from a store before it asks for the line as well.
    let accesses = f64::from(u8::from(stream.loaded) + u8::from(stream.stored));
    let ns = alone.ns.max(mixed.0 * accesses);
    let slowly = lines.ns_mixed_slowly.map_or(ns, |slowly| alone.ns.max(slowly.0 * accesses));
    Line { driven_out: (ns - slowly).max(0.0), ..Line::alone(ns) }
}

/// The share of the shorter of execution and lines from a level that is hidden by the longer; 0 where it was not
/// measured.
fn hidden(levels: &[MemoryLevel], level: usize) -> f64 {
    let [Some(alone), Some(both), Some(line)] =
        [levels[0].ns_per_line_beside, levels[level].ns_per_line_beside, levels[level].ns_per_line_read]
    else {
        return 0.0;
    };
    // Hidden is what both together take less than one after the other.
    let shorter = alone.0.min(line.0);
    if level < 2 || shorter <= 0.0 { 0.0 } else { ((alone.0 + line.0 - both.0) / shorter).clamp(0.0, 1.0) }
}

/// The level of what waits for pages to be found, not for their lines.
pub(crate) const TRANSLATION: usize = usize::MAX;

/// Nanoseconds for finding pages that are not known. In walks along lines, and to places that nothing is known of, the
/// times of lines have it in them.
fn untranslated(model: &Source, streams: &[Stream], nest: &[Level]) -> f64 {
    let Some(translation) = &model.translation else { return 0.0 };
    let together = |depth| streams.iter().map(|stream| pieces(stream, nest, depth, PAGE)).sum();
    let footprints: Vec<f64> = (0..nest.len()).map(together).collect();
    // Walks along lines touch a new page only every 64 lines: the measured line time has it in it.
    let jumps = |stream: &&Stream| {
        stream.strides.first().is_some_and(|&stride| stride != UNKNOWN_STRIDE && stride.unsigned_abs() >= LINE as u64)
    };
    let store = Store { room: translation.pages as f64, physical: false };
    let walks = |stream| missed(stream, nest, &footprints, store, PAGE);
    streams.iter().filter(jumps).map(walks).sum::<f64>() * translation.ns_per_miss.0
}

pub fn place(scope: usize, stream: usize) -> Place {
    let number = |position| u32::try_from(position).unwrap_or(u32::MAX);
    Place { scope: number(scope), stream: number(stream) }
}

/// What the accesses of a scope walk over: the root of each stream, how many pointers lie between it and the memory,
/// its place and its bytes. Walks to unknown places are left out.
pub(crate) fn walked_memory(
    model: &Source,
    index: usize,
    counts: &ExecutionCounts,
) -> Vec<(Root, PointerPath, Place, f64)> {
    let (nest, scopes) = nest(model, index, counts);
    let all = streams(&ScopeAccesses::new(model, index, counts), &scopes);
    let known = all.iter().enumerate().filter(|(_, stream)| stream.strides.first() != Some(&UNKNOWN_STRIDE));
    let bytes = |stream: &Stream| first_lines(stream, &nest) * LINE;
    known.map(|(n, stream)| (stream.root.clone(), stream.pointers, place(index, n), bytes(stream))).collect()
}

/// What a line from behind a level costs more than one that the level holds; from behind the first level, what makes
/// the measured time together with the loads themselves (see [`Traffic::during`]). Where all lines of a walk fall into
/// few sets of the first level, they wait for each other: one set of 64 takes the whole latency per line, more sets
/// their share (walks over columns of 2, 4, 8, 16, 32 and 64 lines' pitch take 2.0, 2.2, 3.0, 3.9, 6.3 and 11.2 cycles
/// per element from the second level of a Zen 5). Where that was measured, it is taken instead of the latency (a
/// Granite Rapids: 0.7 ns, latency 4.8 ns).
fn net(levels: &[MemoryLevel], level: usize, stream: &Stream, nest: &[Level]) -> Line {
    let jumps = stream.jumps();
    // The first level gives lines in any order alike (sums over columns of 750 to 1500 rows).
    let strided = |position: usize| levels[position].ns_per_line_strided.filter(|_| jumps && position > 0);
    let read = |position: usize| strided(position).or(levels[position].ns_per_line_read);
    let write = |position: usize| levels[position].ns_per_line_write.or(levels[position].ns_per_line_read);
    let beyond = |of: &dyn Fn(usize) -> Option<Nanoseconds>| {
        let (here, beyond) = (of(level).map_or(0.0, |ns| ns.0), of(level + 1).map_or(0.0, |ns| ns.0));
        if level > 0 { (beyond - here).max(0.0) } else { (beyond * beyond - here * here).max(0.0).sqrt() }
    };
    // Write-allocate: a store reads its line and writes it back.
    let written = if stream.stored { beyond(&write) } else { 0.0 };
    let line = beyond(&read).max(written);
    let known = crowded(levels, stream, nest);
    let stores = known.as_ref().filter(|_| stream.stored);
    let stores = stores.map(|found| if stream.loaded { found.ns_update } else { found.ns_write }.0);
    if level > 0 {
        // Stores to crowded sets wait for one another, and lines from farther away come meanwhile (4096 rows of 4 KiB: 8.7 ns
        // each, as 128 of them).
        return Line::alone((line.max(crowded_beyond(levels, level, stream)) - stores.unwrap_or(0.0)).max(0.0));
    }
    if let Some(stores) = stores {
        let near = levels[0].ns_per_line_write.map_or(0.0, |ns| ns.0);
        let slowly = known.and_then(|found| found.ns_update_slowly).filter(|_| stream.loaded);
        let hurried = slowly.map_or(0.0, |slowly| (stores - near - line.max(slowly.0 - near)).max(0.0));
        return Line { hurried, hurried_lines: 1.0, ..Line::alone(line.max(stores - near)) };
    }
    if let Some(read) = known.and_then(|found| found.ns_read) {
        return Line::alone(line.max(read.0));
    }
    // Conflict misses: a pitch of a power of two uses few sets.
    let pitch = stream.strides.first().map_or(0, |stride| stride.unsigned_abs());
    let Some(share) = shared_sets(pitch).filter(|_| pitch < ELSEWHERE.unsigned_abs()) else {
        return Line::alone(line);
    };
    let beside = |crowded: Nanoseconds| (crowded.0 - levels[1].ns_per_line_strided.map_or(0.0, |ns| ns.0)).max(0.0);
    let latency = |level: &MemoryLevel| level.ns_latency.map_or(0.0, |ns| ns.0);
    let waits = || (latency(&levels[1]) - latency(&levels[0])).max(0.0);
    Line::alone(line + share * levels[1].ns_per_line_crowded.map_or_else(waits, beside))
}

/// What lines of a walk take that crowd sets of the first level, where that was measured: lines that stores ask for while they
/// wait in their queue drive each other out again before they are written (Zen 5, pitches of 1, 2 and 4 KiB: 5.2, 7.1 and
/// 8.5 ns a store, 0.5 where all sets are used). Of few lines, as columns of a tile have, some stay in their set (Zen 4, 4 KiB: 32
/// lines take 6.7 cycles a load, 9.4 a store, 35 both; 128 lines 10.2, 17 and 57).
fn crowded(levels: &[MemoryLevel], stream: &Stream, nest: &[Level]) -> Option<CrowdedLines> {
    let pitch = stream.strides.first()?.unsigned_abs();
    let of_pitch = |crowded: &&CrowdedLines| crowded.pitch_bytes.0 == num_integer::gcd(pitch, SET_BYTES);
    let walked = nest.first().map_or(f64::INFINITY, |level| level.trip);
    let mut known: Vec<&CrowdedLines> = levels.get(1)?.crowded_lines.iter().filter(of_pitch).collect();
    known.sort_by_key(|crowded| crowded.walk());
    let last = known.last().filter(|_| pitch > 0 && pitch < ELSEWHERE.unsigned_abs())?;
    let longer = known.iter().position(|crowded| f64::from(crowded.walk()) >= walked);
    Some(match longer {
        None => **last,
        Some(0) => *known[0],
        Some(at) => {
            let [short, long] = [at - 1, at].map(|at| f64::from(known[at].walk()));
            known[at - 1].toward(known[at], (walked / short).ln() / (long / short).ln())
        }
    })
}

/// What a line of walks along begins of pages costs more where it was measured.
fn crowded_beyond(levels: &[MemoryLevel], level: usize, stream: &Stream) -> f64 {
    let pitch = stream.strides.first().map_or(0, |stride| stride.unsigned_abs());
    let pages = pitch < ELSEWHERE.unsigned_abs() && pitch > 0 && pitch.is_multiple_of(SET_BYTES);
    let measured = [level, level + 1].map(|level| levels[level].ns_per_line_crowded.filter(|_| pages));
    let [Some(here), Some(beyond)] = measured else { return 0.0 };
    (beyond.0 - here.0).max(0.0)
}
