//! Costs of library functions by name.
//!
//! A machine file has the functions that were measured, or that it was written with. What it lacks takes the cost of the
//! function that it takes the way of, which the table of functions says (`priced_as`): a file from before a function got
//! its row prices it as one from today. Only what has no such kin costs the default.

use chronos_base::units::Nanoseconds;
use chronos_functions::{self as functions, Class};
use chronos_ir::openmp::{BARRIER, FORK, START};
use chronos_machine::Machine;
use std::collections::BTreeMap;

/// The entry of a table of costs by name that prices a call of `name`.
pub(crate) fn entry<'t, T>(table: &'t BTreeMap<String, T>, name: &str) -> Option<&'t T> {
    functions::priced_like(name).find_map(|name| table.get(name))
}

/// Whether the machine prices a call of `name`.
pub(crate) fn is_priced(machine: &Machine, name: &str) -> bool {
    // What asks the runtime of OpenMP reads a few words of the thread: a call of the default cost.
    let asks = || functions::lookup(name).is_some_and(|row| row.header == "omp.h");
    entry(&machine.library, name).is_some()
        || functions::sleeps(name).is_some()
        || chronos_ir::openmp::is_directive(name)
        || asks()
}

/// Whether calls of `name` take longer the more bytes or operations they are for.
pub fn grows_with_its_work(machine: &Machine, name: &str) -> bool {
    time(machine, name).1.0 > 0.0
}

/// The cost of one call without its per-byte part, and the cost of one byte.
pub(crate) fn time(machine: &Machine, name: &str) -> (Nanoseconds, Nanoseconds) {
    if let Some(&(_, ns)) = OF_THREADS.iter().find(|(step, _)| *step == name) {
        return (Nanoseconds(ns), Nanoseconds(0.0));
    }
    // The code that a compiler makes of a directive is inline; what threads wait for is priced where they come together.
    if chronos_ir::openmp::is_directive(name) {
        return (Nanoseconds(0.0), Nanoseconds(0.0));
    }
    // It says itself how long it waits.
    if let Some(sleep) = functions::sleeps(name) {
        return (machine.library_time(name).0, Nanoseconds(sleep.unit_ns().into()));
    }
    let priced = functions::priced_like(name).find(|name| machine.library.contains_key(*name));
    match priced {
        None if sorts(name) => (machine.ns_per_cycle * SORTING_CALL_CYCLES, machine.ns_per_cycle * SORTING_BYTE_CYCLES),
        _ => machine.library_time(priced.unwrap_or(name)),
    }
}

/// What calls of threads take the one that calls, in nanoseconds (Linux on a virtual Zen 4).
///
/// Starting a thread of POSIX takes 6.5 us for each of one to four, and joining it 10 us for its end and for waking up the one that
/// waits (least of 200 times). The runtime of GCC 12 wakes the others by a system call at the end of a barrier and of a region, also
/// where there are none: 240 and 313 ns with one thread (20,000 times).
const OF_THREADS: [(&str, f64); 4] =
    [(START, 6_500.0), ("__chronos_thread_join", 10_000.0), (BARRIER, BARRIER_ALONE_NS), (FORK, REGION_ALONE_NS)];

/// What a thread of OpenMP takes for a barrier, and for begin and end of a region, where it waits for no other one.
pub const BARRIER_ALONE_NS: f64 = 240.0;
/// See [`BARRIER_ALONE_NS`].
pub const REGION_ALONE_NS: f64 = 313.0;

/// Whether a function sorts or searches with a comparison of the program's.
pub(crate) fn sorts(name: &str) -> bool {
    functions::lookup(name).is_some_and(|row| row.class == Class::Sorting)
}

/// What `qsort` takes where a machine file from before it was measured says nothing: a Zen 4 takes 31 cycles for a call, and 22
/// beside the program's own comparison for each of elements in random order, which counts for 20 bytes.
const SORTING_CALL_CYCLES: f64 = 31.0;
const SORTING_BYTE_CYCLES: f64 = 1.1;

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_functions::Variant;
    use chronos_machine::{ProvenanceKind, embedded_names};

    #[test]
    fn a_function_without_a_cost_takes_that_of_its_kin() {
        let mut machine = Machine::load("pentium2-350").expect("embedded");
        let of = |machine: &Machine, name: &str| time(machine, name).0;
        assert_eq!(of(&machine, "__builtin_sqrt"), of(&machine, "sqrt"));
        machine.library.remove("sqrtf");
        assert_eq!(of(&machine, "sqrtf"), of(&machine, "sqrt"));
        assert!(is_priced(&machine, "sqrtf") && !is_priced(&machine, "of_nobody"));
        assert_eq!(of(&machine, "of_nobody"), machine.library_time("of_nobody").0);
    }

    #[test]
    fn sorting_grows_with_comparisons_on_machines_that_do_not_say_it() {
        let mut machine = Machine::load("epyc-zen4-gcc12-O2").expect("embedded");
        let own = time(&machine, "qsort");
        machine.library.remove("qsort");
        assert!(!is_priced(&machine, "qsort"), "who prices by another processor's figures says so");
        let (call, byte) = time(&machine, "qsort");
        assert!((call.0 / own.0.0 - 1.0).abs() < 0.1 && (byte.0 / own.1.0 - 1.0).abs() < 0.1);
    }

    /// Whoever gives a row a kin means a function that calibration measures, itself or by its own kin.
    #[test]
    fn every_row_with_kin_is_priced_on_measured_machines() {
        let machines = embedded_names().map(|name| Machine::load(name).expect("embedded"));
        let measured = machines.filter(|machine| machine.provenance.kind == ProvenanceKind::Measured);
        let mut seen = 0;
        for machine in measured {
            let with_kin = functions::all().filter(|row| row.variant == Variant::None && row.priced_as.is_some());
            let lacks = with_kin.filter(|row| !is_priced(&machine, row.name));
            let lacks: Vec<&str> = lacks.map(|row| row.name).collect();
            assert!(lacks.is_empty(), "{}: {lacks:?}", machine.name);
            seen += 1;
        }
        assert!(seen > 0);
    }
}
