//! omp.h: what a program that runs with one thread is told.

use super::Rows;
use crate::params::{INT, Param, Type};
use crate::row::{Class, Function};

const fn asks(name: &'static str) -> Function {
    Function::new(name, Class::System, Type::Int, &[]).keeps_errno()
}

const fn sets(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, Type::Void, params).keeps_errno()
}

const fn clock(name: &'static str) -> Function {
    Function::new(name, Class::Clock, Type::Double, &[]).unknowable().keeps_errno()
}

pub(super) const ROWS: &[Rows] = &[("omp.h", OPENMP)];

const OPENMP: &[Function] = &[
    asks("omp_get_thread_num"),
    asks("omp_get_num_threads"),
    asks("omp_get_max_threads"),
    asks("omp_get_num_procs"),
    sets("omp_set_num_threads", &[INT]),
    sets("omp_set_dynamic", &[INT]),
    clock("omp_get_wtime"),
    clock("omp_get_wtick"),
];
