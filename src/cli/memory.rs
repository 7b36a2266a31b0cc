//! What the kernel says about memory: what is left, what the process takes, and what it may take.

use std::path::Path;

/// Three quarters of what the machine, or the container, has left.
pub fn default_memory() -> Option<u64> {
    let available = field("/proc/meminfo", "MemAvailable:").map(|kib| kib << 10);
    available.into_iter().chain(control_groups()).min().map(|bytes| bytes / 4 * 3)
}

/// What `ulimit -v` says, where it says something.
pub fn address_space() -> Option<u64> {
    field("/proc/self/limits", "Max address space")
}

/// The most bytes that the process had in memory so far.
pub fn peak() -> Option<u64> {
    field("/proc/self/status", "VmHWM:").map(|kib| kib << 10)
}

/// Bytes of address space, and those in memory.
pub fn pages() -> (u64, u64) {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut numbers = text.split_whitespace().map(|number| number.parse::<u64>().unwrap_or(0) * PAGE);
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// What each control group around the process has left: its limit holds for all processes in it.
fn control_groups() -> Vec<u64> {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    groups(&own).iter().filter_map(|folder| left(Path::new(folder))).collect()
}

/// Folders of the groups that /proc/self/cgroup names, and of those around them: of version 2 (`0::/a/b`), and of the
/// controller of memory of version 1 (`4:memory:/a`).
fn groups(own: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            names if names.split(',').any(|name| name == "memory") => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        let around = Path::new(path).ancestors().map(|group| format!("{root}{}", group.display()));
        folders.extend(around.map(|folder| folder.trim_end_matches('/').to_owned()));
    }
    folders
}

/// Bytes that a group may still take; `None` where it has no limit.
fn left(folder: &Path) -> Option<u64> {
    let number = |file: &str| std::fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
    let of = |limit: &str, usage: &str| Some(number(limit)?.saturating_sub(number(usage).unwrap_or(0)));
    of("memory.max", "memory.current").or_else(|| of("memory.limit_in_bytes", "memory.usage_in_bytes"))
}

/// The first number behind a name in a file of the kernel.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_all_groups_around_the_process_hold() {
        assert_eq!(groups("0::/"), ["/sys/fs/cgroup"]);
        assert_eq!(groups("0::/a/b\n"), ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]);
        let first_version = groups("5:cpu,memory:/job\n3:pids:/job\nnonsense");
        assert_eq!(first_version, ["/sys/fs/cgroup/memory/job", "/sys/fs/cgroup/memory"]);
    }

    #[test]
    fn what_a_group_takes_is_not_left() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(left(folder.path()), None);
        for (name, text) in [("memory.max", "max\n"), ("memory.current", "300\n")] {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        assert_eq!(left(folder.path()), None);
        std::fs::write(folder.path().join("memory.max"), "1000\n").expect("written");
        assert_eq!(left(folder.path()), Some(700));
    }
}
