//! Shares of worksharing constructs: which iterations of a loop, or of nested ones, a thread or a team executes.

use super::super::Call;
use super::{add_pieces, tell_unknown};
use crate::execute::machine::Flow;
use crate::state::team::{Range, Share};
use chronos_ir::openmp::{RuntimeSchedule, Schedule};
use chronos_values::Value;

/// The most loops that are shared out together.
const DEEPEST: usize = 5;

/// A loop with one counter.
#[derive(Clone, Copy)]
struct Counter {
    first: i64,
    step: i64,
    iterations: i64,
}

impl Counter {
    /// From first value, bound, step and relation (`<`, `<=`, `>`, `>=`, `!=`).
    fn new(values: [i64; 4]) -> Option<Self> {
        let [first, bound, step, relation] = values;
        let distance = match relation {
            0 => bound.checked_sub(first)?,
            1 => bound.checked_sub(first)?.checked_add(1)?,
            2 => first.checked_sub(bound)?,
            3 => first.checked_sub(bound)?.checked_add(1)?,
            _ if step > 0 => bound.checked_sub(first)?,
            _ => first.checked_sub(bound)?,
        };
        let size = i64::try_from(step.unsigned_abs()).ok().filter(|&size| size > 0)?;
        let iterations = if distance > 0 { (distance - 1) / size + 1 } else { 0 };
        Some(Self { first, step, iterations })
    }

    /// The counter in an iteration.
    fn at(self, iteration: i64) -> i64 {
        self.first.wrapping_add(iteration.wrapping_mul(self.step))
    }
}

/// The iterations of a thread where each has one stretch, as the runtime of GCC shares them out: the first threads have one
/// more where they cannot be equal.
fn stretch(iterations: i64, thread: i64, threads: i64) -> (i64, i64) {
    let (each, more) = (iterations / threads, iterations % threads);
    let begin = thread * each + thread.min(more);
    (begin, begin + each + i64::from(thread < more))
}

/// The stretch of a thread by the kind of the schedule; one thread executes an ordered loop, in its order.
fn stretch_of(kind: Schedule, iterations: i64, (thread, threads): (u32, u32)) -> (i64, i64) {
    match kind {
        Schedule::Ordered => (0, if thread == 0 { iterations } else { 0 }),
        _ => stretch(iterations, thread.into(), threads.into()),
    }
}

fn numbers<const N: usize>(call: &Call, from: usize) -> Option<[i64; N]> {
    let mut values = [0; N];
    for (index, value) in values.iter_mut().enumerate() {
        *value = call.integer(from + index)?;
    }
    Some(values)
}

/// The kind and the chunk that a loop has, where it leaves them to the runtime. Without `OMP_SCHEDULE` the runtime of GCC takes
/// dynamic chunks of one (libgomp manual, `OMP_SCHEDULE`).
fn settled(call: &Call, kind: Schedule, chunk: i64) -> (Schedule, i64) {
    if kind != Schedule::Runtime {
        return (kind, chunk.max(1));
    }
    let given = call.machine.code.program.openmp.as_ref().and_then(|openmp| openmp.schedule);
    let usual = RuntimeSchedule { kind: Schedule::Dynamic, chunk: 1 };
    let schedule = call.machine.task.schedule.or(given).unwrap_or(usual);
    (schedule.kind, schedule.chunk)
}

/// Whether nobody knows which thread executes an iteration.
fn is_dynamic(kind: Schedule) -> bool {
    matches!(kind, Schedule::Dynamic | Schedule::Guided | Schedule::Ordered)
}

/// Who shares: threads of a team, or teams of a league; the number of this one and how many there are.
fn sharers(call: &Call, kind: Schedule) -> (u32, u32) {
    let league = call.machine.task.league;
    if kind == Schedule::Teams { (league.team, league.teams.max(1)) } else { call.machine.thread_of_team() }
}

/// Chunked loops ask for begin, end, width and stride in any case: one stretch is one chunk.
fn as_chunk(counter: Counter, (begin, end): (i64, i64)) -> Range {
    let width = (end - begin).max(1).saturating_mul(counter.step);
    range(&[counter.at(begin), counter.at(end), width, width])
}

fn range(numbers: &[i64]) -> Range {
    let mut range = Range::default();
    range.iter_mut().zip(numbers).for_each(|(to, from)| *to = *from);
    range
}

pub(super) fn worksharing_loop(call: &mut Call) -> Flow<Value> {
    let share = numbers::<6>(call, 0).and_then(|[kind, chunk, first, bound, step, relation]| {
        let counter = Counter::new([first, bound, step, relation])?;
        Some((settled(call, Schedule::of_number(kind)?, chunk), counter))
    });
    let share = share.map(|((kind, chunk), counter)| {
        let place = sharers(call, kind);
        let iterations = counter.iterations;
        let dynamic = is_dynamic(kind);
        if dynamic && place.0 == 0 {
            let pieces = if kind == Schedule::Dynamic { (iterations + chunk - 1) / chunk } else { iterations };
            add_pieces(call, pieces);
        }
        let range = if matches!(kind, Schedule::StaticChunks | Schedule::Dynamic) {
            chunks(counter, chunk, place)
        } else {
            let (begin, end) = stretch_of(kind, iterations, place);
            (as_chunk(counter, (begin, end)), end == iterations && end > begin)
        };
        Share { range: Some(range.0), last: range.1, dynamic: dynamic && place.1 > 1 }
    });
    tell_unknown(call, share.is_none());
    call.machine.task.thread.share = share.unwrap_or_default();
    Ok(Value::Int(0))
}

/// Every so many iterations a chunk is the thread's, as a static schedule deals them; a dynamic one may do the same.
fn chunks(counter: Counter, chunk: i64, (thread, threads): (u32, u32)) -> (Range, bool) {
    let width = chunk.saturating_mul(counter.step);
    let begin = counter.at(chunk.saturating_mul(thread.into()));
    let count = (counter.iterations + chunk - 1) / chunk;
    let last = count > 0 && (count - 1) % i64::from(threads) == i64::from(thread);
    let stride = width.saturating_mul(threads.into());
    (range(&[begin, counter.at(counter.iterations), width, stride]), last)
}

/// Loops whose iterations are shared out in one order.
pub(super) fn nest(call: &mut Call) -> Flow<Value> {
    let share = nested_counters(call).and_then(|(kind, counters)| {
        let iterations = counters.iter().try_fold(1i64, |product, counter| product.checked_mul(counter.iterations))?;
        Some((kind, counters, iterations))
    });
    let share = share.map(|(kind, counters, iterations)| {
        let place = sharers(call, kind);
        let dynamic = is_dynamic(kind);
        if dynamic && place.0 == 0 {
            add_pieces(call, iterations);
        }
        let (begin, end) = stretch_of(kind, iterations, place);
        let range = corner_counters(&counters, begin, end);
        Share { range: Some(range), last: end == iterations && end > begin, dynamic: dynamic && place.1 > 1 }
    });
    tell_unknown(call, share.is_none());
    call.machine.task.thread.share = share.unwrap_or_default();
    Ok(Value::Int(0))
}

/// The kind of the schedule and the counters of nested loops, the outermost first.
fn nested_counters(call: &Call) -> Option<(Schedule, Vec<Counter>)> {
    let [kind, depth] = numbers::<2>(call, 0)?;
    let depth = usize::try_from(depth).ok().filter(|&depth| depth <= DEEPEST)?;
    let counters = (0..depth).map(|level| Counter::new(numbers::<4>(call, 2 + 4 * level)?));
    // Nests are dealt out in stretches: of chunks in turn it is not told who has which.
    let kind = match settled(call, Schedule::of_number(kind)?, 1).0 {
        Schedule::StaticChunks => Schedule::Dynamic,
        kind => kind,
    };
    Some((kind, counters.collect::<Option<_>>()?))
}

/// For each loop its counter in the first and in the last iteration of a stretch, and where it ends in whole rows.
fn corner_counters(counters: &[Counter], begin: i64, end: i64) -> Range {
    let mut numbers = Range::default();
    let (mut first, mut last) = (begin, end - 1);
    for (level, counter) in counters.iter().enumerate().rev() {
        let size = counter.iterations.max(1);
        let (own_first, own_last) = if level > 0 { (first % size, last.rem_euclid(size)) } else { (first, last) };
        (first, last) = (first / size, last.div_euclid(size));
        let whole = counter.at(counter.iterations);
        let corner = if begin < end { [counter.at(own_first), counter.at(own_last), whole] } else { empty(*counter) };
        numbers[3 * level..3 * level + 3].copy_from_slice(&corner);
    }
    numbers
}

/// No iteration: the one behind the last is the first one.
fn empty(counter: Counter) -> [i64; 3] {
    [counter.at(0), counter.at(-1), counter.at(counter.iterations)]
}

/// Tasks of a loop: so many, or of so many iterations each, or as many as threads (libgomp, `GOMP_taskloop`).
pub(super) fn tasks(call: &mut Call) -> Flow<Value> {
    let found = numbers::<6>(call, 0).and_then(|[tasks, size, first, bound, step, relation]| {
        let iterations = Counter::new([first, bound, step, relation])?.iterations;
        let usual = i64::from(call.machine.thread_of_team().1);
        let tasks = if size > 0 {
            iterations / size
        } else if tasks > 0 {
            tasks
        } else {
            usual
        };
        Some(tasks.clamp(1, iterations.max(1)))
    });
    add_pieces(call, found.unwrap_or(1));
    Ok(Value::Int(0))
}

#[cfg(test)]
mod tests {
    use super::{Counter, chunks, corner_counters, range, stretch};

    #[test]
    fn every_iteration_has_one_thread() {
        for (iterations, threads) in [(0, 3), (1, 4), (10, 4), (12, 4), (13, 4)] {
            let all: Vec<_> = (0..threads).map(|thread| stretch(iterations, thread, threads)).collect();
            assert_eq!((all[0].0, all[all.len() - 1].1), (0, iterations));
            assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0));
        }
        assert_eq!(stretch(10, 1, 4), (3, 6));
    }

    #[test]
    fn loops_are_counted() {
        let count = |first, bound, step, relation| Counter::new([first, bound, step, relation]).map(|c| c.iterations);
        assert_eq!(count(0, 10, 3, 0), Some(4));
        assert_eq!(count(0, 9, 3, 1), Some(4));
        assert_eq!(count(9, 0, -2, 3), Some(5));
        assert_eq!(count(5, 5, 1, 4), Some(0));
        assert_eq!(count(7, 5, 1, 0), Some(0));
        assert_eq!(count(0, 5, 0, 0), None);
    }

    #[test]
    fn chunks_are_dealt_in_turn() {
        let counter = Counter::new([0, 10, 1, 0]).expect("known");
        assert_eq!(chunks(counter, 3, (1, 2)), (range(&[3, 10, 3, 6]), true));
        assert!(!chunks(counter, 3, (0, 2)).1);
    }

    #[test]
    fn stretches_of_nested_loops_have_corners() {
        let counters = [(2, 1), (3, 2), (4, 1)].map(|(n, step)| Counter { first: 10, step, iterations: n });
        // Iterations 5 to 18 of 24: from (0, 1, 1) to (1, 1, 2).
        let expected = range(&[10, 11, 12, 12, 12, 16, 11, 12, 14]);
        assert_eq!(corner_counters(&counters, 5, 19), expected);
        let [begin, last, ..] = corner_counters(&counters, 7, 7);
        assert_eq!(last + 1, begin);
    }
}
