//! How much memory a job of very many tasks will take, before it begins.
//!
//! What a task takes is decided by its program: of an empty one 7 KB, of a ring 27 KB, of a Jacobi solver 88 KB
//! (testdata/programs, peak of the process over tasks, release, x86-64, 4,096 to 65,536 tasks). No constant is right for all of them, so the program is followed with
//! fewer tasks, twice, and the memory of the process is read after each: the line through both is the forecast. It is
//! too low where a task takes more the more others there are, and the noise of what is read is left out: what is refused would not
//! have fitted, and what is begun may still come to the limit. Must not know how memory is read.

use chronos_base::diag::Diagnostic;
use chronos_base::governor;
use chronos_predict::{Job, Target, predict};

/// Fewer tasks come to the limit, if at all, sooner than a forecast would be worth: they are a few minutes.
const MANY: usize = 1 << 17;

/// Numbers of tasks that are followed, far enough apart that noise is little beside what they differ by; together they take a
/// twelfth of the time of `MANY`.
const FEWER: [usize; 2] = [2048, 8192];

/// Bytes by which the peak of a process may differ between runs of one command: in five runs each of ring and jacobi with
/// 2,048 tasks it differed by up to 3 MB.
const NOISE: u64 = 4 << 20;

/// Refuses a job that will not fit into the memory that is allowed.
pub fn check(job: &Job, target: Target<'_>) -> Result<(), Diagnostic> {
    if job.tasks < MANY || !governor::can_read_memory() {
        return Ok(());
    }
    let peak = |tasks: usize| {
        predict(&Job { tasks, ..job.clone() }, Target { timeline: false, ..target });
        governor::peak_memory()
    };
    let [Some(first), Some(second)] = FEWER.map(peak) else { return Ok(()) };
    let line = Line::through(first, second);
    let allowed = governor::allowed_memory();
    let what = format!("{} tasks, as far as {} and {} tasks show,", job.tasks, FEWER[0], FEWER[1]);
    governor::needs_memory_for(&what, line.bytes(job.tasks), line.fitting(allowed))
}

/// Bytes over tasks.
#[derive(Clone, Copy, Debug)]
struct Line {
    bytes: u64,
    per_task: f64,
}

impl Line {
    /// Of the memory that was in use at most until the fewer, and then the more tasks had been followed.
    fn through(first: u64, second: u64) -> Self {
        let grown = second.saturating_sub(first).saturating_sub(NOISE);
        Self { bytes: second, per_task: grown as f64 / (FEWER[1] - FEWER[0]) as f64 }
    }

    fn bytes(self, tasks: usize) -> u64 {
        self.bytes.saturating_add((self.per_task * (tasks - FEWER[1]) as f64) as u64)
    }

    /// The most tasks that take no more, as a power of two.
    fn fitting(self, allowed: u64) -> usize {
        let fits = |tasks: &usize| self.bytes(*tasks) <= allowed;
        let powers = std::iter::successors(Some(FEWER[1]), |tasks| tasks.checked_mul(2));
        powers.take_while(|tasks| *tasks <= 1 << 30).take_while(fits).last().unwrap_or(FEWER[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// 88 MiB more for 6,144 tasks, of which 4 may be noise: 14 KiB each.
    #[test]
    fn memory_is_forecast_by_a_line_without_its_noise() {
        let line = Line::through(72 * MIB, 160 * MIB);
        assert_eq!(line.bytes(FEWER[1]), 160 * MIB);
        assert_eq!(line.bytes(FEWER[1] + 1024), 160 * MIB + 14 * MIB);
        assert_eq!(line.fitting(4096 * MIB), 262_144);
    }

    #[test]
    fn what_does_not_grow_fits_always() {
        let line = Line::through(67 * MIB, 70 * MIB);
        assert_eq!(line.bytes(1 << 20), 70 * MIB);
        assert_eq!(line.fitting(4096 * MIB), 1 << 30);
    }
}
