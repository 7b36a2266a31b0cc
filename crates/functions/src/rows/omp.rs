//! omp.h, and the calls that the front end writes in place of directives of OpenMP (`chronos_ir::openmp`).

use super::Rows;
use crate::params::{ADDRESS, INT, LONG, Param, Type};
use crate::row::{Class, Function};

const fn asks(name: &'static str) -> Function {
    Function::new(name, Class::System, Type::Int, &[]).keeps_errno()
}

const fn asks_of(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, Type::Int, params).keeps_errno()
}

const fn sets(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, Type::Void, params).keeps_errno()
}

const fn clock(name: &'static str) -> Function {
    Function::new(name, Class::Clock, Type::Double, &[]).unknowable().keeps_errno()
}

const fn marks(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Arithmetic, result, params).keeps_errno()
}

/// Where a thread of POSIX stops: what the call does is part of how threads are followed.
const fn stops(name: &'static str, params: &'static [Param]) -> Function {
    marks(name, Type::Int, params).unmodelled()
}

pub(super) const ROWS: &[Rows] = &[("omp.h", OPENMP), ("", DIRECTIVES), ("", POSIX)];

const POSIX: &[Function] = &[
    marks("__chronos_thread_fork", Type::Long, &[ADDRESS]).unmodelled(),
    marks("__chronos_thread_end", Type::Void, &[]).unmodelled(),
    marks("__chronos_thread_number", Type::Long, &[]).unmodelled(),
    stops("__chronos_thread_join", &[LONG]),
    stops("__chronos_thread_mutex_lock", &[ADDRESS]),
    stops("__chronos_thread_mutex_unlock", &[ADDRESS]),
    stops("__chronos_thread_mutex_trylock", &[ADDRESS]),
    stops("__chronos_thread_cond_wait", &[ADDRESS, ADDRESS]),
    stops("__chronos_thread_cond_timedwait", &[ADDRESS, ADDRESS]),
    stops("__chronos_thread_cond_signal", &[ADDRESS]),
    stops("__chronos_thread_cond_broadcast", &[ADDRESS]),
    stops("__chronos_thread_barrier_init", &[ADDRESS, INT]),
    stops("__chronos_thread_barrier_wait", &[ADDRESS]),
    stops("__chronos_thread_sem_init", &[ADDRESS, INT]),
    stops("__chronos_thread_sem_wait", &[ADDRESS]),
    stops("__chronos_thread_sem_trywait", &[ADDRESS]),
    stops("__chronos_thread_sem_post", &[ADDRESS]),
    stops("__chronos_thread_yield", &[]),
];

const DIRECTIVES: &[Function] = &[
    marks("__chronos_omp_fork", Type::Void, &[INT, INT, INT]).unmodelled(),
    marks("__chronos_omp_join", Type::Void, &[]).unmodelled(),
    marks("__chronos_omp_barrier", Type::Void, &[]).unmodelled(),
    marks("__chronos_omp_flush", Type::Void, &[]).unmodelled(),
    marks("__chronos_omp_single", Type::Int, &[]),
    marks("__chronos_omp_master", Type::Int, &[]),
    marks("__chronos_omp_section", Type::Int, &[INT, INT]),
    marks("__chronos_omp_critical", Type::Void, &[INT]),
    marks("__chronos_omp_atomic", Type::Void, &[]),
    marks("__chronos_omp_ordered", Type::Void, &[INT]),
    marks("__chronos_omp_task", Type::Void, &[]),
    marks("__chronos_omp_tasks", Type::Void, &[LONG, LONG, LONG, LONG, LONG, INT]),
    marks("__chronos_omp_team", Type::Void, &[INT, INT, INT]),
    marks("__chronos_omp_loop", Type::Void, &[INT, LONG, LONG, LONG, LONG, INT]),
    marks("__chronos_omp_nest", Type::Void, &[INT, INT]),
    marks("__chronos_omp_range", Type::Long, &[INT]),
    marks("__chronos_omp_last", Type::Int, &[]),
];

const OPENMP: &[Function] = &[
    asks("omp_get_thread_num"),
    asks("omp_get_num_threads"),
    asks("omp_get_max_threads"),
    asks("omp_get_num_procs"),
    sets("omp_set_num_threads", &[INT]),
    sets("omp_set_dynamic", &[INT]),
    asks("omp_get_dynamic"),
    sets("omp_set_nested", &[INT]),
    asks("omp_get_nested"),
    sets("omp_set_max_active_levels", &[INT]),
    asks("omp_in_parallel"),
    asks("omp_get_level"),
    asks("omp_get_active_level"),
    asks("omp_get_thread_limit"),
    sets("omp_init_lock", &[ADDRESS]),
    sets("omp_destroy_lock", &[ADDRESS]),
    sets("omp_set_lock", &[ADDRESS]),
    sets("omp_unset_lock", &[ADDRESS]),
    asks_of("omp_test_lock", &[ADDRESS]),
    sets("omp_init_lock_with_hint", &[ADDRESS, INT]),
    sets("omp_init_nest_lock", &[ADDRESS]),
    sets("omp_init_nest_lock_with_hint", &[ADDRESS, INT]),
    sets("omp_destroy_nest_lock", &[ADDRESS]),
    sets("omp_set_nest_lock", &[ADDRESS]),
    sets("omp_unset_nest_lock", &[ADDRESS]),
    sets("omp_set_schedule", &[INT, INT]),
    asks("omp_get_max_active_levels"),
    asks("omp_get_supported_active_levels"),
    asks_of("omp_get_ancestor_thread_num", &[INT]),
    asks_of("omp_get_team_size", &[INT]),
    asks("omp_in_final"),
    asks("omp_get_cancellation"),
    asks("omp_get_proc_bind"),
    asks("omp_get_max_task_priority"),
    asks("omp_get_num_teams"),
    asks("omp_get_team_num"),
    asks("omp_get_num_devices"),
    asks("omp_get_device_num"),
    asks("omp_get_default_device"),
    asks("omp_get_initial_device"),
    asks("omp_is_initial_device"),
    sets("omp_set_default_device", &[INT]),
    clock("omp_get_wtime"),
    clock("omp_get_wtick"),
];
