//! Calls counted, their expressions, and their times beside predictions of the same program.

use super::*;
use crate::{ModelOptions, OtherPrograms, predict};
use chronos_frontend::{self as source, SourceOptions};
use chronos_interpreter::Inputs;
use chronos_machine::Machine;
use chronos_machine::network::Network;
use chronos_slicing::Assumptions;
use std::path::Path;
use std::sync::Arc;

fn job(file: &str, tasks: usize, arguments: &[&str]) -> Job {
    let files = vec![Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("testdata").join(file)];
    let (program, _, diagnostics) = source::program(&SourceOptions { files, ..SourceOptions::default() });
    Job {
        program: Arc::new(program.unwrap_or_else(|| panic!("{diagnostics:?}"))),
        other_programs: OtherPrograms::default(),
        tasks,
        spawned: 0,
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        inputs: Inputs::default(),
        assumptions: Assumptions::default(),
        tasks_per_node: 1,
        correctness: false,
        object_code: crate::object_code::ObjectCodes::default(),
    }
}

fn on<R>(network: &Network, look: impl FnOnce(Target<'_>) -> R) -> R {
    let (machine, options) = (Machine::load("pentium2-350").expect("shipped"), ModelOptions::default());
    look(Target { machine: &machine, platform: None, network, options: &options, calibration: None, timeline: false })
}

fn shipped() -> Network {
    Network::load("ethernet-1000").expect("shipped")
}

/// What a program communicates with each of these numbers of tasks.
fn profiles(file: &str, arguments: &[&str], tasks: &[usize]) -> Vec<CommunicationProfile> {
    let network = shipped();
    let one = |&n: &usize| {
        let outcome = on(&network, |target| predict(&job(file, n, arguments), target));
        CommunicationProfile::of(outcome.activity.expect("it is complete").activity())
    };
    tasks.iter().map(one).collect()
}

fn text(law: &chronos_scaling::law::Law) -> String {
    law.python(&|x| format!("{x:.3}"))
}

#[test]
fn calls_and_bytes_are_expressions_of_the_number_of_tasks() {
    let a_priori = APriori::new(&profiles("programs/cg.c", &["64", "2"], &[2, 4, 8, 16, 32]));
    let found: Vec<(String, String, String)> =
        a_priori.calls().iter().map(|call| (text(&call.per_task), text(&call.bytes), text(&call.members))).collect();
    let of = |per_task: &str, bytes: &str| (per_task.to_owned(), bytes.to_owned(), "1.000*N".to_owned());
    // Two iterations with three dot products at one place, and one gathering of 64 * 64 numbers; then MPI_Finalize, which makes nothing.
    assert_eq!(found, [of("5.000", "8.000"), of("2.000", "32768.000*1/N"), of("1.000", "0")]);
}

#[test]
fn messages_to_one_task_are_seen() {
    let to_one = |file: &str| {
        let laws = APriori::new(&profiles(file, &[], &[2, 4, 8, 16]));
        laws.calls().iter().filter(|call| call.is_message()).map(|call| call.to_one).fold(0.0, f64::max)
    };
    assert_eq!(to_one("scaling/flat.c"), 1.0);
    assert!(to_one("programs/nbody.c") < 0.1);
}

#[test]
fn fewer_than_four_numbers_of_tasks_give_no_expression() {
    let a_priori = APriori::new(&profiles("programs/pi_reduce.c", &["10"], &[1, 2, 4, 8]));
    assert!(a_priori.calls().is_empty());
    let network = shipped();
    assert!(on(&network, |target| a_priori.priors(&job("programs/pi_reduce.c", 2, &[]), target, [16])).0.is_empty());
}

/// Of a program whose tasks all compute alike, collective operations take what they take by themselves: also with more
/// tasks than the expressions are from.
#[test]
fn collective_operations_take_what_a_prediction_says() {
    let (file, arguments) = ("programs/pi_reduce.c", ["10"]);
    let a_priori = APriori::new(&profiles(file, &arguments, &[2, 4, 8, 16]));
    let network = shipped();
    for tasks in [8, 64, 200] {
        let (job, outcome) = on(&network, |target| {
            let job = job(file, tasks, &arguments);
            let outcome = predict(&job, target);
            (job, outcome)
        });
        let (priors, _) = on(&network, |target| a_priori.priors(&job, target, [tasks]));
        let tasks_predicted = &outcome.prediction.tasks;
        let mean = tasks_predicted.iter().map(|task| task.collective_s).sum::<f64>() / tasks as f64;
        let found = priors[&tasks].collective.0;
        assert!((found / mean - 1.0).abs() < 0.05, "{tasks}: {found} instead of {mean}");
    }
}

/// A ring of all tasks has as many rounds as members: with many it is extended from few.
#[test]
fn operations_with_a_message_for_each_pair_are_extended() {
    let a_priori = APriori::new(&profiles("programs/cg.c", &["1024", "1"], &[2, 4, 8, 16]));
    let network = shipped();
    let collective = |tasks: usize| {
        on(&network, |target| a_priori.priors(&job("programs/cg.c", 2, &[]), target, [tasks]).0[&tasks].collective.0)
    };
    // 256 members are replayed, 384 are not.
    let (before, after) = (collective(256), collective(384));
    assert!(after > before && after < 1.6 * before, "{before}, {after}");
}

/// Tasks followed alone beside all of them evaluated together. What is printed has no length where others send it.
#[test]
fn tasks_that_are_followed_alone_compute_what_all_do() {
    let network = shipped();
    for (file, arguments, tasks, within) in [
        ("programs/jacobi.c", &["256", "20"][..], 16, 1e-3),
        ("programs/jacobi.c", &["300", "20"], 100, 0.02),
        ("programs/cg.c", &["64", "2"], 8, 1e-3),
        // Half of the tasks have no rows.
        ("programs/cg.c", &["64", "2"], 128, 0.02),
        ("programs/pi_reduce.c", &["10"], 100, 0.02),
        ("programs/transpose.c", &["256", "1"], 32, 1e-3),
    ] {
        let job = job(file, tasks, arguments);
        let (counted, predicted) = on(&network, |target| {
            (counted::CountedTasks::new(&job, target).expect("it can be followed"), predict(&job, target).prediction)
        });
        let mean = predicted.tasks.iter().map(|task| task.compute_s).sum::<f64>() / tasks as f64;
        let off = counted.compute.0 / mean - 1.0;
        assert!(off.abs() <= within, "{file} with {tasks}: {} instead of {mean}", counted.compute.0);
    }
}

#[test]
fn tasks_that_depend_on_others_are_not_followed_alone() {
    for (file, arguments) in [
        // Who asks first gets the next piece; a grid of tasks is a communicator; what is sent depends on keys of others.
        ("programs/selfsched.c", &[][..]),
        ("programs/heat2d.c", &["64", "2"]),
        ("programs/intsort.c", &[]),
    ] {
        assert!(alone::FollowedTasks::new(&job(file, 8, arguments)).is_none(), "{file}");
    }
}

/// Of 64 rows a 65th task has none; the operations take what a prediction says nevertheless.
#[test]
fn tasks_beyond_the_rows_are_told_and_their_empty_blocks_replayed() {
    let (file, arguments, network) = ("programs/cg.c", ["64", "1"], shipped());
    let a_priori = APriori::new(&profiles(file, &arguments, &[2, 4, 8, 16]));
    let job = |tasks| job(file, tasks, &arguments);
    let (priors, told) = on(&network, |target| a_priori.priors(&job(2), target, [16, 32, 128]));
    let wanted = "there is not enough work for more than 64 tasks: of 128 tasks 50 % have none";
    assert_eq!(told.iter().map(|told| &*told.message).collect::<Vec<_>>(), [wanted]);
    let predicted = on(&network, |target| predict(&job(128), target)).prediction;
    let mean =
        |part: &dyn Fn(&chronos_report::model::Task) -> f64| predicted.tasks.iter().map(part).sum::<f64>() / 128.0;
    let (found, wanted) = (priors[&128], mean(&|task| task.collective_s + task.idle_s));
    let found = found.collective.0 + found.idle.0;
    assert!((found / wanted - 1.0).abs() < 0.1, "{found} instead of {wanted}");
}

/// 96 rows are two for each of 48 tasks; of 64 tasks half have two, and the others wait for as long as a row takes.
#[test]
fn who_computes_less_waits_for_who_computes_longest() {
    let network = shipped();
    let counted = |tasks: usize| {
        let job = job("programs/jacobi.c", tasks, &["96", "20"]);
        on(&network, |target| counted::CountedTasks::new(&job, target).expect("it can be followed"))
    };
    assert_eq!(counted(48).behind.0, 0.0, "two rows each");
    let uneven = counted(64);
    // Rows per task: 1.5 on average, 2 at most.
    let behind = uneven.behind.0 / uneven.compute.0;
    assert!((0.2..0.4).contains(&behind), "{behind}");
}
