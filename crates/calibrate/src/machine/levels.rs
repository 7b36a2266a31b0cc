//! Time per line of each level of memory, from the timings of microbench/memory.c.

use crate::output::rounded;
use crate::output::{Measurement, Measurements};
use chronos_base::units::{Bytes, Nanoseconds};
use chronos_machine::{CrowdedLines, Memory, MemoryLevel, PageFault, SharedCost, Translation};

/// Copies that run together: `shared2.read.3` is region 3 read by two tasks.
pub(crate) fn shared_prefix(tasks: u32) -> String {
    format!("shared{tasks}")
}

/// The levels with what was measured of each; the page faults.
pub fn memory(levels: &[MemoryLevel], measurements: &Measurements) -> Memory {
    let mut levels: Vec<_> =
        levels.iter().enumerate().map(|(region, level)| timed(level, region, measurements)).collect();
    let last = levels.iter_mut().rfind(|level| level.size_bytes.is_some());
    if let (Some(last), Some(reach)) = (last, reach(measurements)) {
        last.size_bytes = last.size_bytes.map(|size| size.min(reach));
    }
    Memory {
        levels,
        page_fault_ns: time(measurements, "memory.page_fault"),
        page_faults: page_faults(measurements),
        translation: translation(measurements),
    }
}

/// Bytes that are halfway between being kept by the last cache from one walk to the next and coming from behind it,
/// where walks show that: a cache that many processors share, or a virtual machine has a part of, is not as large as
/// the system says.
fn reach(measurements: &Measurements) -> Option<Bytes> {
    let walks = by_number(measurements, "memory.reach.");
    let (first, last) = (walks.first()?.1, walks.last()?.1);
    let middle = f64::midpoint(first, last);
    let beyond = walks.iter().position(|walk| walk.1 > middle).filter(|_| last > STEP * first)?;
    let [(below, fast), (above, slow)] = [walks[beyond.checked_sub(1)?], walks[beyond]];
    let part = (middle - fast) / (slow - fast);
    Some(Bytes((below as f64 * (above as f64 / below as f64).powf(part)).round() as u64))
}

/// Results whose names end in a number, by that number.
fn by_number(measurements: &Measurements, prefix: &str) -> Vec<(u64, f64)> {
    let of = |(name, found): (&String, &Measurement)| {
        Some((name.strip_prefix(prefix)?.parse::<u64>().ok()?, found.typical_ns()))
    };
    let mut found: Vec<(u64, f64)> = measurements.0.iter().filter_map(of).collect();
    found.sort_by_key(|walk| walk.0);
    found
}

/// First touches of regions of several sizes; none where only the smallest was measured.
fn page_faults(measurements: &Measurements) -> Vec<PageFault> {
    let larger = by_number(measurements, "memory.page_fault.").into_iter();
    let larger: Vec<PageFault> =
        larger.map(|(bytes, ns)| PageFault { bytes: Bytes(bytes), ns: Nanoseconds(rounded(ns)) }).collect();
    let smallest = time(measurements, "memory.page_fault").filter(|_| !larger.is_empty());
    smallest.map(|ns| PageFault { bytes: SMALLEST, ns }).into_iter().chain(larger).collect()
}

/// What microbench/memory.c touches where a name says nothing of bytes.
const SMALLEST: Bytes = Bytes(1 << 20);

/// Of two numbers of pages next to each other, the first is known and the second is not, so that one step explains the
/// times best; `None` where there is none.
fn translation(measurements: &Measurements) -> Option<Translation> {
    let walks = by_number(measurements, "memory.pages.");
    let times: Vec<f64> = walks.iter().map(|walk| walk.1).collect();
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let off = |times: &[f64]| times.iter().map(|time| (time - mean(times)).powi(2)).sum::<f64>();
    let error = |split: &usize| off(&times[..*split]) + off(&times[*split..]);
    let split = (1..times.len()).min_by(|a, b| error(a).total_cmp(&error(b)))?;
    let (known, unknown) = (mean(&times[..split]), mean(&times[split..]));
    let step = unknown > STEP * known;
    step.then(|| Translation { pages: walks[split - 1].0, ns_per_miss: Nanoseconds(rounded(unknown - known)) })
}

/// Where more pages take no longer than this times fewer, all were known, or none.
const STEP: f64 = 1.5;

fn time(measurements: &Measurements, name: &str) -> Option<Nanoseconds> {
    measurements.get(name).map(|ns| Nanoseconds(rounded(ns)))
}

fn timed(level: &MemoryLevel, region: usize, measurements: &Measurements) -> MemoryLevel {
    let of = |kind: &str| time(measurements, &format!("memory.{kind}.{region}"));
    MemoryLevel {
        ns_per_line_read: of("read"),
        ns_per_line_write: of("write"),
        ns_per_line_strided: of("strided"),
        ns_per_line_beside: of("beside"),
        ns_per_line_update: of("update"),
        ns_per_line_stencil: of("stencil"),
        ns_per_line_crowded: of("crowded"),
        crowded_lines: if region == SECOND { crowded_lines(measurements) } else { Vec::new() },
        ns_per_line_random: of("random"),
        ns_latency: of("latency"),
        shared: shared(region, measurements),
        ..level.clone()
    }
}

/// The level whose lines crowd sets of the one before.
const SECOND: usize = 1;

/// Lines of the shorter walks, which microbench/memory.c calls few.
const FEW: u32 = 32;

fn crowded_lines(measurements: &Measurements) -> Vec<CrowdedLines> {
    let mut all = crowded_by(measurements, "memory.crowded_few", Some(FEW));
    all.extend(crowded_by(measurements, "memory.crowded", None));
    all.sort_by_key(|found| (found.pitch_bytes, found.walk()));
    all
}

fn crowded_by(measurements: &Measurements, kind: &str, lines: Option<u32>) -> Vec<CrowdedLines> {
    let of = |(pitch, write): (u64, f64)| {
        let of_kind = |part: &str| time(measurements, &format!("{kind}_{part}.{pitch}"));
        // A pair of lines is copied. Which of them stay varies from run to run: the least time is that of a lucky one.
        let copied = |how: &str| {
            let pair = measurements.0.get(&format!("{kind}_copy{how}.{pitch}"))?;
            Some(Nanoseconds(rounded(pair.typical_ns() / 2.0)))
        };
        let ns_write = Nanoseconds(rounded(write));
        Some(CrowdedLines {
            pitch_bytes: Bytes(pitch),
            lines,
            ns_write,
            ns_update: of_kind("update")?,
            ns_update_slowly: of_kind("update_slowly"),
            ns_read: of_kind("read"),
            ns_mixed: copied(""),
            ns_mixed_slowly: copied("_slowly"),
        })
    };
    by_number(measurements, &format!("{kind}_write.")).into_iter().filter_map(of).collect()
}

fn shared(region: usize, measurements: &Measurements) -> Vec<SharedCost> {
    let mut tasks: Vec<u32> = measurements.0.keys().filter_map(|name| tasks_of(name)).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let cost = |tasks: u32| {
        let of = |kind: &str| {
            let found = measurements.0.get(&format!("{}.{kind}.{region}", shared_prefix(tasks)))?;
            Some(Nanoseconds(rounded(found.typical_ns())))
        };
        Some(SharedCost {
            tasks,
            ns_per_line_read: of("read")?,
            ns_per_line_write: of("write")?,
            ns_per_line_strided: of("strided")?,
        })
    };
    tasks.into_iter().filter_map(cost).collect()
}

fn tasks_of(name: &str) -> Option<u32> {
    name.strip_prefix("shared")?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walks(times: &[(u64, f64)]) -> Measurements {
        measured(times.iter().map(|&(pages, ns)| (format!("memory.pages.{pages}"), ns)).collect())
    }

    fn measured(times: Vec<(String, f64)>) -> Measurements {
        let of = |(name, ns): (String, f64)| {
            (
                name,
                Measurement {
                    rounds_ns: vec![ns],
                    median_ns: ns,
                    repetitions: 1,
                    tokens: Vec::new(),
                    cycles_ns: Vec::new(),
                },
            )
        };
        Measurements(times.into_iter().map(of).collect())
    }

    #[test]
    fn first_touches_come_by_bytes_where_more_than_one_size_was_measured() {
        let times = [("", 700.0), (".4194304", 850.0), (".16777216", 1100.0)];
        let all = times.map(|(size, ns)| (format!("memory.page_fault{size}"), ns));
        let fault = |bytes: u64, ns: f64| PageFault { bytes: Bytes(bytes), ns: Nanoseconds(ns) };
        let expected = [fault(1 << 20, 700.0), fault(4 << 20, 850.0), fault(16 << 20, 1100.0)];
        assert_eq!(page_faults(&measured(all.to_vec())), expected);
        assert_eq!(page_faults(&measured(all[..1].to_vec())), []);
    }

    #[test]
    fn stores_that_share_sets_come_by_pitch() {
        let times = [
            ("write.1024", 5.0),
            ("update.1024", 4.5),
            ("write.2048", 7.0),
            ("write.4096", 8.5),
            ("update.4096", 11.5),
            ("read.4096", 3.0),
            ("copy.4096", 11.0),
            ("copy_slowly.4096", 10.0),
            ("update_slowly.4096", 9.0),
            ("few_write.4096", 2.0),
            ("few_update.4096", 6.0),
        ];
        let found = crowded_lines(&measured(times.map(|(kind, ns)| (format!("memory.crowded_{kind}"), ns)).to_vec()));
        let of = |pitch: u64, write: f64, update: f64| CrowdedLines {
            pitch_bytes: Bytes(pitch),
            lines: None,
            ns_write: Nanoseconds(write),
            ns_update: Nanoseconds(update),
            ns_update_slowly: (pitch == 4096).then_some(Nanoseconds(9.0)),
            ns_read: (pitch == 4096).then_some(Nanoseconds(3.0)),
            ns_mixed: (pitch == 4096).then_some(Nanoseconds(5.5)),
            ns_mixed_slowly: (pitch == 4096).then_some(Nanoseconds(5.0)),
        };
        // What was measured in one way alone is left out.
        let few = CrowdedLines {
            lines: Some(32),
            ns_update_slowly: None,
            ns_read: None,
            ns_mixed: None,
            ns_mixed_slowly: None,
            ..of(4096, 2.0, 6.0)
        };
        assert_eq!(found, [of(1024, 5.0, 4.5), few, of(4096, 8.5, 11.5)]);
    }

    #[test]
    fn walks_show_what_a_shared_cache_keeps() {
        let all = |times: &[(u64, f64)]| {
            measured(times.iter().map(|&(mib, ns)| (format!("memory.reach.{}", mib << 20), ns)).collect())
        };
        assert_eq!(reach(&all(&[(8, 3.0), (16, 3.0), (32, 3.0), (64, 7.0), (128, 7.0)])), Some(Bytes(47_453_133)));
        assert_eq!(reach(&all(&[(8, 3.0), (16, 3.0), (32, 3.2)])), None);
        assert_eq!(reach(&all(&[(8, 3.0)])), None);
        assert_eq!(reach(&all(&[])), None);
    }

    #[test]
    fn one_step_says_how_many_pages_are_known() {
        let found =
            translation(&walks(&[(1024, 0.5), (1536, 0.5), (2048, 1.1), (3072, 5.3), (4096, 5.3), (6144, 5.3)]));
        assert_eq!(found, Some(Translation { pages: 2048, ns_per_miss: Nanoseconds(4.6) }));
    }

    #[test]
    fn without_a_step_nothing_is_said() {
        assert_eq!(translation(&walks(&[(1024, 5.0), (2048, 5.1), (4096, 5.3)])), None);
        assert_eq!(translation(&walks(&[(1024, 5.0)])), None);
        assert_eq!(translation(&walks(&[])), None);
    }
}
