//! time.h, sys/time.h, sys/times.h and sys/resource.h.

use super::Rows;
use crate::params::{ADDRESS, IN, INT, LONG, OUT, Param, SIZE, TEXT, Type, UNSIGNED, at_most};
use crate::row::{Class, Function, Purity, Sleep};

/// Reads a clock, or what the system counts.
const fn clock(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Clock, result, params).unknowable()
}

/// Makes a date of a time.
const fn date(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, Type::Pointer, params).unknowable()
}

pub(super) const ROWS: &[Rows] = &[
    ("time.h", TIME),
    (
        "sys/time.h",
        &[
            clock("gettimeofday", Type::Int, &[OUT, ADDRESS]),
            Function::new("setitimer", Class::System, Type::Int, &[INT, IN, OUT]),
        ],
    ),
    ("sys/times.h", &[clock("times", Type::Long, &[OUT])]),
    ("sys/resource.h", &[clock("getrusage", Type::Int, &[INT, OUT])]),
];

const TIME: &[Function] = &[
    clock("time", Type::Long, &[OUT]).keeps_errno(),
    clock("clock", Type::Long, &[]).keeps_errno(),
    clock("clock_gettime", Type::Int, &[INT, OUT]),
    clock("clock_getres", Type::Int, &[INT, OUT]),
    clock("timespec_get", Type::Int, &[OUT, INT]),
    Function::new("difftime", Class::Arithmetic, Type::Double, &[LONG, LONG]).purity(Purity::Arguments).keeps_errno(),
    date("localtime", &[IN]),
    date("gmtime", &[IN]),
    date("ctime", &[IN]),
    date("asctime", &[IN]),
    Function::new("mktime", Class::System, Type::Long, &[crate::params::UPDATED]).unknowable(),
    Function::new("timegm", Class::System, Type::Long, &[crate::params::UPDATED]).unknowable(),
    Function::new("timer_create", Class::System, Type::Int, &[INT, crate::params::UPDATED, OUT]),
    Function::new("timer_settime", Class::System, Type::Int, &[ADDRESS, INT, IN, OUT]),
    Function::new("strftime", Class::System, Type::Size, &[at_most(&[1]), SIZE, TEXT, IN]).unknowable(),
    Function::new("nanosleep", Class::System, Type::Int, &[IN, OUT]).sleeping(Sleep::Timespec),
    Function::new("localtime_r", Class::System, Type::Pointer, &[IN, OUT])
        .returning(crate::Returns::Argument(1))
        .unknowable()
        .unmodelled(),
];

pub(super) const SLEEPING: &[Function] = &[
    Function::new("sleep", Class::System, Type::Unsigned, &[UNSIGNED]).sleeping(Sleep::Times(1_000_000_000)),
    Function::new("usleep", Class::System, Type::Int, &[UNSIGNED]).sleeping(Sleep::Times(1_000)),
];
