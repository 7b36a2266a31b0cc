//! `task-R.live`: the counters of a task that runs, as its memory has them (chronos-live/1).
//!
//! Two tables of the same length, whole pages each, of 64-bit numbers in the machine's order of bytes: counts by
//! trace point since the last MPI call, and totals up to it. The file goes when the task's trace is complete.

const NUMBER: usize = size_of::<u64>();

/// Counters that fill a page of memory.
const COUNTERS_OF_PAGE: usize = 512;

/// Counters in a table for so many trace points: whole pages.
pub fn table(points: usize) -> usize {
    points.max(1).div_ceil(COUNTERS_OF_PAGE) * COUNTERS_OF_PAGE
}

/// The file of a task that has not executed anything.
pub fn empty(points: usize) -> Vec<u8> {
    vec![0; 2 * table(points) * NUMBER]
}

/// Executions of each of so many trace points; nothing where the file is not whole.
pub fn totals(bytes: &[u8], points: usize) -> Vec<u64> {
    let (since, before) = bytes.split_at(bytes.len() / 2);
    let number = |table: &[u8], point: usize| {
        let bytes = table.get(point * NUMBER..(point + 1) * NUMBER)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    };
    let total = |point: usize| Some(number(since, point)?.saturating_add(number(before, point)?));
    (0..points).map(total).collect::<Option<_>>().unwrap_or_default()
}
