//! What this workstation and its compiler are, as far as the system says; empty where it does not.

use chronos_base::children;
use chronos_base::units::Bytes;
use chronos_machine::MemoryLevel;
use chronos_machine::choice::Processor;
use std::fs::read_to_string;

/// Processor, operating system, compiler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Name of the processor.
    pub cpu: String,
    /// Name of the operating system.
    pub os: String,
    /// The first line that the compiler prints for `--version`.
    pub compiler_version: String,
    /// Processors that this process may use.
    pub cores: u32,
    /// Data and unified caches, nearest first, then memory.
    pub levels: Vec<MemoryLevel>,
    /// Load of the system in the last minute.
    pub load: Option<f64>,
}

/// Looks at this workstation and asks the compiler for its version.
pub fn inspect(compiler: &str) -> Host {
    Host {
        cpu: Processor::here().name,
        os: os(),
        compiler_version: children::first_line(compiler, "--version"),
        cores: std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
        levels: levels(),
        load: load(),
    }
}

fn os() -> String {
    let release = read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).map(|name| name.trim_matches('"'));
    let kernel = children::first_line("uname", "-sr");
    name.map_or_else(|| kernel.clone(), |name| format!("{name}, {kernel}"))
}

fn levels() -> Vec<MemoryLevel> {
    let caches = (0..8).filter_map(cache);
    let mut levels: Vec<MemoryLevel> = caches.collect();
    let line_bytes = levels.last().map_or(Bytes(64), |level| level.line_bytes);
    if !levels.is_empty() {
        levels.push(MemoryLevel::untimed("memory", None, line_bytes));
    }
    levels
}

fn cache(index: u32) -> Option<MemoryLevel> {
    let read = |file: &str| read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}")).ok();
    if read("type")?.trim() == "Instruction" {
        return None;
    }
    let line_bytes = Bytes(read("coherency_line_size")?.trim().parse().ok()?);
    let size_bytes = Some(Bytes(size(read("size")?.trim())?));
    let shared_by_cores = read("shared_cpu_list").map(|list| processors(&list).len()).filter(|&cores| cores > 0);
    let shared_by_cores = shared_by_cores.and_then(|cores| u32::try_from(cores).ok());
    let name = format!("L{}", read("level")?.trim());
    Some(MemoryLevel { shared_by_cores, ..MemoryLevel::untimed(&name, size_bytes, line_bytes) })
}

/// Processors of a list such as `0-3,8`; what cannot be read is left out.
fn processors(list: &str) -> Vec<u32> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.trim().parse::<u32>().ok()?..=last.trim().parse::<u32>().ok()?)
    });
    ranges.flatten().take(MOST_PROCESSORS).collect()
}

/// More are not asked for.
const MOST_PROCESSORS: usize = 4096;

/// Processors that this process may use; 0 alone where the system does not say.
pub fn allowed_processors() -> Vec<u32> {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or_default();
    let found = processors(list);
    if found.is_empty() { vec![0] } else { found }
}

/// Bytes of main memory that are free for use; `None` where the system does not say.
pub(crate) fn available_memory() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Load of the last minute: processes that run or wait to; `None` where the system does not say.
fn load() -> Option<f64> {
    read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// `48K`, `2M`, in bytes.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "" => 1,
        "K" => 1024,
        "M" => 1024 * 1024,
        "G" => 1024 * 1024 * 1024,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Today in UTC, `YYYY-MM-DD`; empty where the clock stands before 1970.
pub fn today() -> String {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since_1970.map_or_else(|_| String::new(), |time| date(time.as_secs() / 86_400))
}

/// The Gregorian date of a day counted from 1970-01-01.
fn date(mut days: u64) -> String {
    let mut year = 1970;
    while days >= 365 + leap(year) {
        days -= 365 + leap(year);
        year += 1;
    }
    let lengths = [31, 28 + leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    format!("{year:04}-{:02}-{:02}", month + 1, days + 1)
}

/// 1 in a leap year, else 0.
fn leap(year: u64) -> u64 {
    u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)))
}

#[cfg(test)]
mod tests {
    use super::{date, processors, size};

    #[test]
    fn days_become_dates() {
        assert_eq!(
            ["1970-01-01", "2000-02-29", "2000-12-31", "2100-03-01"],
            [0, 11_016, 11_322, 47_541].map(date).each_ref().map(|d| &**d)
        );
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(processors("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(processors("x,5-"), [0; 0]);
    }

    #[test]
    fn cache_sizes_are_read() {
        assert_eq!(["48K", "2M", "512", "3X", ""].map(size), [Some(49_152), Some(2_097_152), Some(512), None, None]);
    }
}
