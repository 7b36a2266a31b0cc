//! OpenMP: what threads are told of themselves, and the shares of worksharing constructs (`execute::threads`).

use super::{Call, Model};
use crate::execute::machine::Flow;
use crate::state::team::Share;
use chronos_values::{ReasonKind, Value};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "omp_get_thread_num" => |c| {
            if c.machine.task.thread.share.dynamic {
                c.approximate("which thread executes an iteration of a dynamic schedule is decided in the run".to_owned(), "");
            }
            Ok(Value::Int(c.machine.thread_of_team().0.into()))
        },
        "omp_get_num_threads" => |c| Ok(Value::Int(c.machine.thread_of_team().1.into())),
        "omp_get_max_threads" => |c| {
            tell_off(c);
            Ok(Value::Int(c.machine.usual_threads().into()))
        },
        "omp_get_num_procs" | "omp_get_thread_limit" => |c| {
            tell_off(c);
            c.approximate("a node is taken to have as many processors for a task as that has threads".to_owned(), "");
            Ok(Value::Int(c.machine.usual_threads().into()))
        },
        "omp_in_parallel" | "omp_get_active_level" => |c| {
            let active = c.machine.in_team() && c.machine.task.thread.inactive == 0;
            Ok(Value::Int(active.into()))
        },
        "omp_get_level" => |c| {
            let active = i64::from(c.machine.in_team());
            Ok(Value::Int(active + i64::from(c.machine.task.thread.inactive)))
        },
        "omp_set_num_threads" => |c| {
            let wanted = c.integer(0);
            if wanted.is_none() {
                c.approximate("the number of threads that is asked for is unknown, and taken to be the usual one".to_owned(), "");
            }
            c.machine.task.wanted_threads = wanted.and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0);
            Ok(Value::Int(0))
        },
        "omp_get_dynamic" | "omp_get_nested" => |_| Ok(Value::Int(0)),
        "omp_set_dynamic" | "omp_init_lock" | "omp_destroy_lock" | "omp_set_lock" | "omp_unset_lock" => |_| Ok(Value::Int(0)),
        "omp_set_nested" | "omp_set_max_active_levels" => |c| {
            if c.integer(0).is_none_or(|levels| levels > 1) {
                c.approximate("a parallel region in another one is taken to have one thread".to_owned(), "");
            }
            Ok(Value::Int(0))
        },
        "__chronos_omp_single" => single,
        "__chronos_omp_master" => |c| Ok(Value::Int((c.machine.thread_of_team().0 == 0).into())),
        "__chronos_omp_section" => section,
        "__chronos_omp_critical" | "__chronos_omp_atomic" | "__chronos_omp_ordered" => |_| Ok(Value::Int(0)),
        "__chronos_omp_task" => |c| {
            add_pieces(c, 1);
            Ok(Value::Int(0))
        },
        "__chronos_omp_loop" => worksharing_loop,
        "__chronos_omp_nest" => nest,
        "__chronos_omp_range" => |c| {
            let part = c.integer(0).and_then(|part| usize::try_from(part).ok());
            let range = c.machine.task.thread.share.range;
            match range.zip(part).and_then(|(range, part)| range.get(part).copied()) {
                Some(value) => Ok(Value::Int(value)),
                None => Ok(c.machine.unknown(ReasonKind::NotEvaluated)),
            }
        },
        "__chronos_omp_last" => |c| Ok(Value::Int(c.machine.task.thread.share.last.into())),
    }
}

/// Without -fopenmp the program is linked with something else than the runtime of OpenMP, which nobody knows.
fn tell_off(call: &mut Call) {
    if call.machine.code.program.openmp.is_none() {
        call.approximate("OpenMP is taken to have one thread".to_owned(), "--threads T lets its directives hold");
    }
}

/// The first thread that comes to the construct executes it.
fn single(call: &mut Call) -> Flow<Value> {
    let task = &mut *call.machine.task;
    let Some(team) = task.team.as_mut().filter(|_| task.thread.inactive == 0) else { return Ok(Value::Int(1)) };
    task.thread.singles += 1;
    let first = task.thread.singles > team.singles;
    team.singles = team.singles.max(task.thread.singles);
    Ok(Value::Int(first.into()))
}

fn section(call: &mut Call) -> Flow<Value> {
    let (thread, threads) = call.machine.thread_of_team();
    let index = call.integer(0).unwrap_or(0);
    Ok(Value::Int((index % i64::from(threads) == i64::from(thread)).into()))
}

/// Work that no thread is bound to.
fn add_pieces(call: &mut Call, pieces: i64) {
    let inactive = call.machine.task.thread.inactive > 0;
    if let Some(team) = call.machine.task.team.as_mut().filter(|_| !inactive) {
        team.pieces = team.pieces.saturating_add(u64::try_from(pieces).unwrap_or(0));
    }
}

/// Kinds of schedules, as the front end numbers them.
const STATIC_CHUNKS: i64 = 1;
const DYNAMIC: i64 = 2;
const GUIDED: i64 = 3;
const ORDERED: i64 = 4;

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
fn stretch_of(kind: i64, iterations: i64, (thread, threads): (u32, u32)) -> (i64, i64) {
    match kind {
        ORDERED => (0, if thread == 0 { iterations } else { 0 }),
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

fn worksharing_loop(call: &mut Call) -> Flow<Value> {
    let place = call.machine.thread_of_team();
    let share = numbers::<6>(call, 0).and_then(|[kind, chunk, first, bound, step, relation]| {
        let counter = Counter::new([first, bound, step, relation])?;
        Some((kind, chunk.max(1), counter))
    });
    let share = share.map(|(kind, chunk, counter)| {
        let iterations = counter.iterations;
        let dynamic = matches!(kind, DYNAMIC | GUIDED | ORDERED);
        if dynamic && place.0 == 0 {
            let pieces = if kind == DYNAMIC { (iterations + chunk - 1) / chunk } else { iterations };
            add_pieces(call, pieces);
        }
        let range = if matches!(kind, STATIC_CHUNKS | DYNAMIC) {
            chunks(counter, chunk, place)
        } else {
            let (begin, end) = stretch_of(kind, iterations, place);
            ([counter.at(begin), counter.at(end), 0, 0, 0, 0, 0], end == iterations && end > begin)
        };
        Share { range: Some(range.0), last: range.1, dynamic: dynamic && place.1 > 1 }
    });
    tell_unknown(call, share.is_none());
    call.machine.task.thread.share = share.unwrap_or_default();
    Ok(Value::Int(0))
}

/// Every so many iterations a chunk is the thread's, as a static schedule deals them; a dynamic one may do the same.
fn chunks(counter: Counter, chunk: i64, (thread, threads): (u32, u32)) -> ([i64; 7], bool) {
    let width = chunk.saturating_mul(counter.step);
    let begin = counter.at(chunk.saturating_mul(thread.into()));
    let count = (counter.iterations + chunk - 1) / chunk;
    let last = count > 0 && (count - 1) % i64::from(threads) == i64::from(thread);
    let stride = width.saturating_mul(threads.into());
    ([begin, counter.at(counter.iterations), width, stride, 0, 0, 0], last)
}

/// Two loops whose iterations are shared out in one order.
fn nest(call: &mut Call) -> Flow<Value> {
    let place = call.machine.thread_of_team();
    let share = numbers::<9>(call, 0).and_then(|[kind, a, b, c, d, e, f, g, h]| {
        let (outer, inner) = (Counter::new([a, b, c, d])?, Counter::new([e, f, g, h])?);
        Some((kind, outer, inner, outer.iterations.checked_mul(inner.iterations)?))
    });
    let share = share.map(|(kind, outer, inner, iterations)| {
        let dynamic = matches!(kind, DYNAMIC | GUIDED | ORDERED);
        if dynamic && place.0 == 0 {
            add_pieces(call, iterations);
        }
        let (begin, end) = stretch_of(kind, iterations, place);
        let columns = inner.iterations.max(1);
        let whole = inner.at(inner.iterations);
        let range = if begin == end {
            [outer.at(0), outer.at(0), whole, 0, outer.at(0), inner.at(0), whole]
        } else {
            let (first, last) = (begin / columns, (end - 1) / columns);
            let inside = (end - 1) % columns + 1;
            let from = inner.at(begin % columns);
            [outer.at(first), outer.at(last + 1), whole, 0, outer.at(last), from, inner.at(inside)]
        };
        Share { range: Some(range), last: end == iterations && end > begin, dynamic: dynamic && place.1 > 1 }
    });
    tell_unknown(call, share.is_none());
    call.machine.task.thread.share = share.unwrap_or_default();
    Ok(Value::Int(0))
}

/// The threads cannot be told apart where the bounds are unknown.
fn tell_unknown(call: &mut Call, unknown: bool) {
    if unknown {
        call.approximate(
            "the bounds of a loop that threads share are unknown, and so are the parts of the threads".to_owned(),
            "",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Counter, chunks, stretch};

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
        assert_eq!(chunks(counter, 3, (1, 2)), ([3, 10, 3, 6, 0, 0, 0], true));
        assert!(!chunks(counter, 3, (0, 2)).1);
    }
}
