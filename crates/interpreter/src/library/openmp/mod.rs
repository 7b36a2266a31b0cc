//! OpenMP: what threads are told of themselves, and the shares of worksharing constructs (`execute::threads`).

mod shares;

use super::{Call, Model};
use crate::execute::machine::Flow;
use crate::state::team::League;
use chronos_ir::openmp::{RuntimeSchedule, Schedule};
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
        "omp_set_dynamic" | "omp_set_default_device" => |_| Ok(Value::Int(0)),
        "omp_init_lock" | "omp_destroy_lock" | "omp_init_nest_lock" | "omp_destroy_nest_lock"
            | "omp_init_lock_with_hint" | "omp_init_nest_lock_with_hint" => |_| Ok(Value::Int(0)),
        "omp_set_lock" | "omp_set_nest_lock" => |c| locks(c, 1),
        "omp_unset_lock" | "omp_unset_nest_lock" => |c| locks(c, 0),
        "omp_test_lock" => test_lock,
        "omp_set_schedule" => set_schedule,
        "omp_get_max_active_levels" => |_| Ok(Value::Int(1)),
        "omp_get_supported_active_levels" => |_| Ok(Value::Int(i64::from(i32::MAX))),
        "omp_get_ancestor_thread_num" => ancestor,
        "omp_get_team_size" => team_size,
        // Nothing of a task is told, and cancelling is off unless OMP_CANCELLATION turns it on.
        "omp_in_final" | "omp_get_cancellation" | "omp_get_proc_bind" | "omp_get_max_task_priority" => |_| Ok(Value::Int(0)),
        "omp_get_num_devices" | "omp_get_device_num" | "omp_get_default_device" | "omp_get_initial_device" => {
            |_| Ok(Value::Int(0))
        },
        "omp_is_initial_device" => |_| Ok(Value::Int(1)),
        "omp_get_num_teams" => |c| Ok(Value::Int(c.machine.task.league.teams.max(1).into())),
        "omp_get_team_num" => |c| Ok(Value::Int(c.machine.task.league.team.into())),
        "__chronos_omp_team" => team,
        "omp_set_nested" => |c| {
            c.machine.task.nests = c.integer(0).is_none_or(|nested| nested != 0);
            Ok(Value::Int(0))
        },
        "omp_set_max_active_levels" => |c| {
            c.machine.task.nests = c.integer(0).is_none_or(|levels| levels > 1);
            Ok(Value::Int(0))
        },
        "__chronos_omp_single" => single,
        "__chronos_omp_master" => |c| Ok(Value::Int((c.machine.thread_of_team().0 == 0).into())),
        "__chronos_omp_section" => section,
        "__chronos_omp_critical" => |c| {
            let enters = c.integer(0).unwrap_or(0);
            locks(c, enters)
        },
        "__chronos_omp_atomic" | "__chronos_omp_ordered" => |_| Ok(Value::Int(0)),
        "__chronos_omp_tasks" => shares::tasks,
        "__chronos_omp_task" => |c| {
            add_pieces(c, 1);
            Ok(Value::Int(0))
        },
        "__chronos_omp_loop" => shares::worksharing_loop,
        "__chronos_omp_nest" => shares::nest,
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

/// Counts the critical sections and locks that the thread is in.
fn locks(call: &mut Call, enters: i64) -> Flow<Value> {
    let locked = &mut call.machine.task.thread.locked;
    *locked = if enters == 1 { *locked + 1 } else { locked.saturating_sub(1) };
    Ok(Value::Int(0))
}

fn test_lock(call: &mut Call) -> Flow<Value> {
    if call.machine.in_team() {
        call.approximate(
            "whether another thread holds the lock is decided in the run: it is taken to be free".to_owned(),
            "",
        );
    }
    locks(call, 1)?;
    Ok(Value::Int(1))
}

fn set_schedule(call: &mut Call) -> Flow<Value> {
    let schedule = call.integer(0).zip(call.integer(1));
    call.machine.task.schedule = schedule.and_then(|(kind, chunk)| {
        Some(RuntimeSchedule { kind: Schedule::of_library(kind, chunk)?, chunk: chunk.max(1) })
    });
    Ok(Value::Int(0))
}

/// Levels of regions that are open, those of one thread among them.
fn level(call: &Call) -> i64 {
    i64::from(call.machine.in_team()) + i64::from(call.machine.task.thread.inactive)
}

fn ancestor(call: &mut Call) -> Flow<Value> {
    let team = call.machine.task.team.as_ref().map_or(0, |team| team.current as i64);
    let deepest = level(call);
    Ok(match call.integer(0) {
        Some(level) if level < 0 || level > deepest => Value::Int(-1),
        Some(1) => Value::Int(team),
        Some(_) => Value::Int(0),
        None => call.machine.unknown(ReasonKind::NotEvaluated),
    })
}

fn team_size(call: &mut Call) -> Flow<Value> {
    let size = call.machine.task.team.as_ref().map_or(1, |team| team.size());
    let deepest = level(call);
    Ok(match call.integer(0) {
        Some(level) if level < 0 || level > deepest => Value::Int(-1),
        Some(1) => Value::Int(size.into()),
        Some(_) => Value::Int(1),
        None => call.machine.unknown(ReasonKind::NotEvaluated),
    })
}

/// The team of a league that runs from here on: its number, how many there are, and the most threads of its regions.
fn team(call: &mut Call) -> Flow<Value> {
    let number = |index: usize| call.integer(index).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    call.machine.task.league = League { team: number(0), teams: number(1), limit: number(2) };
    Ok(Value::Int(0))
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

/// The threads cannot be told apart where the bounds are unknown.
fn tell_unknown(call: &mut Call, unknown: bool) {
    if unknown {
        call.approximate(
            "the bounds of a loop that threads share are unknown, and so are the parts of the threads".to_owned(),
            "",
        );
    }
}
