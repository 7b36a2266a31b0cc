//! What this workstation and its compiler are, as far as the system says; empty where it does not.

use crate::machine::MemoryLevel;
use crate::units::Bytes;
use std::fs::read_to_string;
use std::process::Command;

/// Processor, operating system, compiler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    pub cpu: String,
    pub os: String,
    pub compiler_version: String,
    pub cores: u32,
    /// Data and unified caches, nearest first, then memory.
    pub levels: Vec<MemoryLevel>,
}

pub fn inspect(compiler: &str) -> Host {
    Host {
        cpu: cpu(),
        os: os(),
        compiler_version: first_line(compiler, "--version"),
        cores: std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
        levels: levels(),
    }
}

/// Model name with vendor, family and model: virtual machines often hide the name.
fn cpu() -> String {
    let text = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |key: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let Some(name) = field("model name") else { return first_line("uname", "-m") };
    match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family} model {model})"),
        _ => name,
    }
}

fn os() -> String {
    let release = read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).map(|name| name.trim_matches('"'));
    let kernel = first_line("uname", "-sr");
    name.map_or_else(|| kernel.clone(), |name| format!("{name}, {kernel}"))
}

fn first_line(command: &str, argument: &str) -> String {
    let output = Command::new(command).arg(argument).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_owned()
}

fn levels() -> Vec<MemoryLevel> {
    let caches = (0..8).filter_map(cache);
    let mut levels: Vec<MemoryLevel> = caches.collect();
    let line_bytes = levels.last().map_or(Bytes(64), |level| level.line_bytes);
    if !levels.is_empty() {
        levels.push(MemoryLevel { name: "memory".to_owned(), size_bytes: None, ..blank(line_bytes) });
    }
    levels
}

fn blank(line_bytes: Bytes) -> MemoryLevel {
    MemoryLevel {
        name: String::new(),
        size_bytes: None,
        line_bytes,
        ns_per_line_read: None,
        ns_per_line_write: None,
        ns_per_line_strided: None,
        ns_latency: None,
        shared_by_cores: None,
    }
}

fn cache(index: u32) -> Option<MemoryLevel> {
    let read = |file: &str| read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}")).ok();
    if read("type")?.trim() == "Instruction" {
        return None;
    }
    let line_bytes = Bytes(read("coherency_line_size")?.trim().parse().ok()?);
    let size_bytes = Some(Bytes(size(read("size")?.trim())?));
    Some(MemoryLevel { name: format!("L{}", read("level")?.trim()), size_bytes, ..blank(line_bytes) })
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
    use super::{date, size};

    #[test]
    fn days_become_dates() {
        assert_eq!(
            ["1970-01-01", "2000-02-29", "2000-12-31", "2100-03-01"],
            [0, 11_016, 11_322, 47_541].map(date).each_ref().map(|d| &**d)
        );
    }

    #[test]
    fn cache_sizes_are_read() {
        assert_eq!(["48K", "2M", "512", "3X", ""].map(size), [Some(49_152), Some(2_097_152), Some(512), None, None]);
    }
}
