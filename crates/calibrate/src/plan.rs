//! Which programs a calibration builds and runs, and for how long.

use super::build::{Built, Macros, Workshop};
use super::host;
use chronos_base::diag::Diagnostic;
use chronos_machine::MemoryLevel;
use std::time::Duration;

/// A microbenchmark program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: String,
    pub source: &'static str,
    /// Behind the user's flags.
    pub flags: Vec<String>,
}

/// How much time a calibration may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Effort {
    /// Seconds: shows that everything works; the figures mean little.
    Trial,
    /// A quarter of a minute: rough figures for the processor at hand, for those who only want a first answer.
    Brief,
    /// Two minutes at most.
    Quick,
    /// Ten minutes at most.
    #[default]
    Full,
}

impl Effort {
    /// Milliseconds per result and round.
    pub fn milliseconds(self) -> f64 {
        match self {
            Self::Trial => 0.2,
            Self::Brief => 4.0,
            Self::Quick => 25.0,
            Self::Full => 60.0,
        }
    }

    /// Rounds of every program, whatever they say; then of what is still uncertain, up to the second number.
    pub fn rounds(self) -> (usize, usize) {
        match self {
            Self::Trial => (1, 1),
            Self::Brief => (3, 4),
            Self::Quick => (3, 6),
            Self::Full => (5, 20),
        }
    }

    /// Whether it walks over memory far beyond the caches, which takes long whatever the time per result.
    fn walks_far(self) -> bool {
        matches!(self, Self::Quick | Self::Full)
    }

    /// No round begins later.
    pub fn limit(self) -> Duration {
        match self {
            Self::Trial => Duration::from_secs(10),
            Self::Brief => Duration::from_secs(6),
            Self::Quick => Duration::from_secs(80),
            Self::Full => Duration::from_mins(8),
        }
    }
}

/// Measured in registers: at least this level, whatever the user's flags.
const OPTIMISED: &str = "-O1";

/// All programs for a target, those that the others depend on first.
pub fn programs(macros: &Macros, levels: &[MemoryLevel], effort: Effort) -> Vec<Program> {
    let optimised = |name: &str, source, more: &[String]| Program {
        name: name.to_owned(),
        source,
        flags: std::iter::once(OPTIMISED.to_owned()).chain(more.iter().cloned()).collect(),
    };
    let plain = |name: &str, source| Program { name: name.to_owned(), source, flags: Vec::new() };
    let vectors = include_str!("../microbench/vectors.c");
    let mut all = vec![
        optimised("clock", include_str!("../microbench/clock.c"), &[]),
        optimised("chains", include_str!("../microbench/chains.c"), &[]),
        optimised("pipeline", include_str!("../microbench/pipeline.c"), &[]),
        optimised("memory", include_str!("../microbench/memory.c"), &regions(levels, effort)),
        plain("suite", include_str!("../microbench/suite.c")),
        plain("irregular", include_str!("../microbench/irregular.c")),
        plain("nests", include_str!("../microbench/nests.c")),
        plain("unseen", include_str!("../microbench/unseen.c")),
        plain("library", include_str!("../microbench/library.c")),
    ];
    all.extend(
        macros.vector_widths().map(|bits| optimised(&format!("vectors{bits}"), vectors, &[format!("-DBITS={bits}")])),
    );
    all
}

/// What two threads cost: a program that not every compiler builds.
///
/// # Errors
/// The compiler does not know OpenMP, or has no runtime for it.
pub fn threads(workshop: &Workshop<'_>) -> Result<Built, Diagnostic> {
    let flags = [OPTIMISED, "-fopenmp"].map(str::to_owned);
    workshop.build("threads", include_str!("../microbench/threads.c"), &flags)
}

/// Main memory is measured on this many times the last cache ...
const BEYOND_CACHES: u64 = 8;
/// ... but no more than this share of what is free ...
const SHARE_OF_MEMORY: u64 = 8;
/// ... and no more than this.
const MOST_BYTES: u64 = 512 << 20;
const LEAST_BYTES: u64 = 64 << 10;

/// Flags that say on how many bytes each level is measured; none where the levels are not known.
fn regions(levels: &[MemoryLevel], effort: Effort) -> Vec<String> {
    let Some((_, caches)) = levels.split_last() else { return Vec::new() };
    let mut regions = Vec::new();
    let mut inner = 0;
    for cache in caches {
        let size = cache.size_bytes.map_or(0, |size| size.0);
        // Well inside the level, and well beyond the one before; of a large one, which many processors share, what one uses.
        let used = if inner == 0 { size / 4 } else { (size / 4).min(inner * 16) };
        regions.push(used.max(inner * 2).min(size / 2).max(inner));
        inner = size;
    }
    let free = host::available_memory().map_or(MOST_BYTES, |free| free / SHARE_OF_MEMORY);
    let most = if effort.walks_far() { inner * BEYOND_CACHES } else { inner * 2 };
    regions.push(most.min(free).clamp(LEAST_BYTES, MOST_BYTES));
    let sizes: Vec<String> = regions.iter().map(u64::to_string).collect();
    let line = levels.first().map_or(64, |level| level.line_bytes.0);
    let mut flags = vec![format!("-DREGIONS={}", sizes.join(",")), format!("-DLINE_BYTES={line}")];
    flags.extend(columns(caches));
    flags.extend(reach(caches, free).filter(|_| effort.walks_far()));
    flags
}

/// The flag for walks that a last cache which others share may keep, or not: from what it keeps for certain, by
/// doubling.
fn reach(caches: &[MemoryLevel], free: u64) -> Option<String> {
    let [.., before, last] = caches else { return None };
    let (inner, size) = (before.size_bytes?.0, last.size_bytes?.0);
    let most = MOST_REACH.min(free).min(size.saturating_mul(2));
    let sizes = std::iter::successors(Some(inner.saturating_mul(4)), |size| size.checked_mul(2));
    let sizes: Vec<String> = sizes.take_while(|&size| size <= most && size > 0).map(|size| size.to_string()).collect();
    (sizes.len() > 1).then(|| format!("-DREACH={}", sizes.join(",")))
}

/// More than a program may hope to have of a cache.
const MOST_REACH: u64 = 256 << 20;

/// A page's pitch: its lines fall into one set of a first level, into few of the others.
const PAGE_BYTES: u64 = 4096;
/// Lines that are walked over where pages count: the second level holds them.
const PAGES: std::ops::RangeInclusive<u64> = 2048..=16384;

/// Flags for walks over columns: rows that a level holds though they share sets, and the level before does not.
fn columns(caches: &[MemoryLevel]) -> Vec<String> {
    let size = |level: usize| caches.get(level).and_then(|cache| cache.size_bytes).map(|size| size.0);
    let (Some(first), Some(second)) = (size(0), size(1)) else { return Vec::new() };
    let crowd = [first / PAGE_BYTES * 8, if caches.len() > 2 { second / PAGE_BYTES * 2 } else { 0 }];
    let pages = (second / 2 / 64).clamp(*PAGES.start(), *PAGES.end());
    vec![format!("-DPAGES={pages}"), format!("-DCROWDED=0,{},{}", crowd[0].min(second / PAGE_BYTES / 2), crowd[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_base::units::Bytes;

    #[test]
    fn every_level_is_measured_well_inside_it() {
        let level = |name: &str, size: Option<u64>| MemoryLevel::untimed(name, size.map(Bytes), Bytes(64));
        let levels = [
            level("L1", Some(48 << 10)),
            level("L2", Some(1 << 20)),
            level("L3", Some(4 << 20)),
            level("memory", None),
        ];
        let flags = regions(&levels, Effort::Trial);
        assert_eq!(flags[0], format!("-DREGIONS={},{},{},{}", 12 << 10, 256 << 10, 2 << 20, 8 << 20));
        assert_eq!(flags[1..], ["-DLINE_BYTES=64", "-DPAGES=8192", "-DCROWDED=0,96,512"]);
        assert!(regions(&[], Effort::Full).is_empty());
        assert_eq!(reach(&levels[..3], 1 << 30), Some(format!("-DREACH={},{}", 4 << 20, 8 << 20)));
        assert_eq!(reach(&levels[..3], 1 << 22), None);
        assert_eq!(reach(&levels[..1], 1 << 30), None);
    }
}
