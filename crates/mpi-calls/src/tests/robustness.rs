//! Whatever a program passes, a call is followed or refused; nothing panics.

use super::driver::*;
use crate::handlers;
use chronos_functions as functions;
use chronos_values::{ObjectId, Pointer, Value};
use proptest::prelude::*;

fn argument() -> impl Strategy<Value = Arg> {
    let far = Value::Pointer(Pointer { object: ObjectId(0), offset: 1 << 60 });
    prop_oneof![
        4 => prop::sample::select(vec![-101, -1, 0, 1, 2, 3, 8, 43]).prop_map(int),
        1 => prop::sample::select(vec![i64::MIN, -32766, -103, -102, 1 << 31, 1 << 40, i64::MAX]).prop_map(int),
        4 => prop::sample::select(vec![0i64, 100, 132, 164, 5000, -(1 << 60)]).prop_map(at),
        1 => Just(Arg::Value(far)),
        1 => Just(Arg::Value(Value::Float(0.5))),
        1 => Just(Arg::Unknown),
    ]
}

fn calls() -> impl Strategy<Value = Vec<(&'static str, Vec<Arg>)>> {
    let names: Vec<&str> = handlers::names().collect();
    let call = (prop::sample::select(names), prop::collection::vec(argument(), 12));
    prop::collection::vec(call, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_arguments(calls in calls()) {
        let mut job = TestJob::new(2);
        job.set_all(100, &[0, 1, 2, 8, 43, -1, 1, 1, 2, 3, 1, 0, i64::from(i32::MAX), 4, 1, 1]);
        for (name, args) in calls {
            job.all(name, &args);
            job.run_partly();
            job.retry();
        }
    }
}

#[test]
fn names_are_their_own() {
    let mut names: Vec<&str> = handlers::entries().collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
    assert!(all > 160, "{all}");
}

#[test]
fn every_model_has_a_row_and_every_row_that_says_so_a_model() {
    let rows = || functions::all().filter(|row| row.header == "mpi.h");
    let without: Vec<&str> =
        handlers::entries().filter(|name| !functions::exact(name).is_some_and(|row| row.modelled)).collect();
    assert!(without.is_empty(), "models without a row in src/functions/mpi: {without:?}");
    let wrong: Vec<&str> =
        rows().filter(|row| handlers::supported(row.name) != row.modelled).map(|row| row.name).collect();
    assert!(wrong.is_empty(), "rows of which `modelled` is wrong: {wrong:?}");
}
