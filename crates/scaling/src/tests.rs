//! Models against the figures of the paper, fits and laws against times that a formula made.

use super::band::Laws;
use super::class::{Collected, Hold};
use super::fit::{Family, fit, fit_all};
use super::isoefficiency::isoefficiency;
use super::model::Model;
use super::study::{By, Questions, Study, of_interest};
use super::{Parts, Point, Priors, Tasks, least_squares};
use chronos_base::units::Seconds;

fn flat(ratio: f64) -> Model {
    Model::Flat { begin: Seconds(1.0), work: Seconds(ratio), result: Seconds(1.0) }
}

fn hierarchical(ratio: f64) -> Model {
    Model::Hierarchical { begin: Seconds(1.0), work: Seconds(ratio), result: Seconds(1.0), levels: 2 }
}

fn state_space(ratio: f64) -> Model {
    Model::StateSpace { analysis: Seconds(ratio), transfer: Seconds(1.0) }
}

/// To four digits.
fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 5e-4 * wanted.abs(), "{found} instead of {wanted}");
}

/// The formulas of sections II and III as the paper prints them, for all points of its figures 1 to 3.
#[test]
fn the_models_are_those_of_the_figures() {
    for n in 2..=20 {
        let tasks = Tasks(f64::from(n));
        let n = f64::from(n);
        for ratio in (1..=10).map(|i| 10.0 * f64::from(i)) {
            near(flat(ratio).speedup(tasks), ratio / (ratio / n + n + 1.0));
            near(hierarchical(ratio).speedup(tasks), ratio / (ratio / n + 2.0 * n.sqrt() + 1.0));
        }
        for ratio in (1..=25).map(f64::from) {
            near(state_space(ratio).speedup(tasks), n * ratio / ratio.max(n - 1.0));
        }
    }
    near(flat(100.0).speedup(Tasks(10.0)), 4.762);
    near(hierarchical(100.0).speedup(Tasks(16.0)), 6.557);
    near(state_space(5.0).speedup(Tasks(8.0)), 5.714);
}

/// Section IV: 5.5 hours of computing for 80 seconds of data.
#[test]
fn independent_units_scale_with_the_processors() {
    let model = Model::Massive { send: Seconds(30.0), unit: Seconds(3600.0 * 5.5), report: Seconds(30.0) };
    near(model.speedup(Tasks(247.5)), 247.5 * 19800.0 / 19860.0);
    assert_eq!(model.best_tasks(), None);
}

#[test]
fn speedups_are_greatest_where_the_derivative_is_zero() {
    let tree = Model::Tree { begin: Seconds(0.0), work: Seconds(100.0), result: Seconds(1.0) };
    let deep = Model::Hierarchical { begin: Seconds(0.0), work: Seconds(100.0), result: Seconds(1.0), levels: 3 };
    let universal = Model::Universal { work: Seconds(9.0), contention: 0.05, coherency: 0.002 };
    for model in [flat(100.0), hierarchical(100.0), tree, deep, universal] {
        let best = model.best_tasks().expect("it has one").0;
        let speedup = |n: f64| model.speedup(Tasks(n));
        assert!(speedup(best) >= speedup(best * 1.01) && speedup(best) >= speedup(best * 0.99), "{model:?}");
    }
}

fn points(tasks: &[usize], time: impl Fn(f64) -> f64) -> Vec<Point> {
    let point = |&tasks: &usize| Point { tasks, total: Seconds(time(tasks as f64)), parts: None };
    tasks.iter().map(point).collect()
}

const POWERS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

#[test]
fn a_model_is_found_again_from_its_own_times() {
    for (model, family) in [
        (flat(50.0), Family::Flat),
        (hierarchical(50.0), Family::Hierarchical { levels: 2 }),
        (state_space(9.0), Family::StateSpace),
        (Model::Amdahl { serial: Seconds(1.0), parallel: Seconds(20.0) }, Family::Amdahl),
        (Model::Universal { work: Seconds(5.0), contention: 0.1, coherency: 0.01 }, Family::Universal),
    ] {
        let known = points(&POWERS, |n| model.time(Tasks(n)).0);
        let found = fit(family, Hold::Work, &known[1..]).expect("enough points");
        for ((name, wanted), (_, value)) in model.parameters().into_iter().zip(found.model.parameters()) {
            assert!((value - wanted).abs() <= 1e-6 * wanted.abs().max(1.0), "{name} of {model:?}: {value}");
        }
        let best = fit_all(&known, Hold::Work).first().map(|best| best.rms_percent);
        assert!(best.is_some_and(|rms| rms < 1e-6), "{model:?}");
    }
}

#[test]
fn no_point_and_one_task_fit_nothing() {
    assert!(fit_all(&[], Hold::Work).is_empty());
    assert!(fit_all(&points(&[1], |n| n), Hold::Work).is_empty());
    let families = |tasks: &[usize]| fit_all(&points(tasks, |n| 1.0 / n), Hold::Work).len();
    assert_eq!(families(&[4]), 0, "any model explains one point");
    assert_eq!(families(&[2, 4]), 2, "those of two parameters: Amdahl's and the state space");
    assert!(Study::new(Vec::new(), &Questions::default()).is_none());
    let alone = Study::new(points(&[1], |n| n), &Questions { to: 64, ..Questions::default() }).expect("a point");
    assert!(alone.laws.is_none() && alone.class.is_none() && alone.beyond.is_empty());
}

#[test]
fn laws_foretell_times_beyond_the_points() {
    let law = |n: f64| 3e-3 + 0.8 / n + 2e-4 * n.log2();
    let laws = Laws::new(&points(&POWERS, law), Tasks(65536.0), &Priors::new()).expect("a law");
    for tasks in [128, 1024, 65536] {
        let estimate = laws.at(tasks);
        let wanted = law(tasks as f64);
        assert!((estimate.time.0 / wanted - 1.0).abs() < 0.02, "{tasks}: {estimate:?}, {wanted}");
        assert!(
            estimate.low.0 <= wanted * 1.001 && wanted <= estimate.high.0 * 1.001,
            "{tasks}: {estimate:?}, {wanted}"
        );
    }
}

#[test]
fn times_without_a_law_are_not_extrapolated() {
    let jumps = |n: f64| if n > 20.0 { 5.0 } else { 1.0 + (n as u64 % 3) as f64 };
    assert!(Laws::new(&points(&POWERS, jumps), Tasks(1024.0), &Priors::new()).is_none());
    assert!(Laws::new(&points(&[1, 2, 4], |n| 1.0 / n), Tasks(1024.0), &Priors::new()).is_none(), "too few points");
}

fn with_compute(tasks: usize, compute: f64, collective: f64) -> Point {
    let parts = Parts { compute: Seconds(compute), collective: Seconds(collective), ..Parts::default() };
    Point { tasks, total: Seconds(compute + collective), parts: Some(parts) }
}

#[test]
fn computing_times_say_what_stays_the_same() {
    let fixed: Vec<Point> = POWERS.iter().map(|&n| with_compute(n, 8.0 / n as f64, 0.01)).collect();
    let grown: Vec<Point> = POWERS.iter().map(|&n| with_compute(n, 8.0, 0.01)).collect();
    assert_eq!((Hold::of(&fixed), Hold::of(&grown)), (Hold::Work, Hold::WorkPerTask));
    let study = Study::new(grown, &Questions::default()).expect("points");
    assert!((study.speedup(64, Seconds(8.01)) - 64.0).abs() < 1e-9, "as Gustafson has it");
}

#[test]
fn a_flat_collection_is_told_that_groups_would_be_better() {
    let study = Study::new(points(&POWERS, |n| flat(100.0).time(Tasks(n)).0), &Questions::default()).expect("points");
    let class = study.class.expect("a class");
    assert_eq!(class.name, "flat");
    assert!(class.remark.expect("a remark").contains("through 8 groups"));
}

#[test]
fn speedups_without_a_point_of_one_task_are_over_the_computing_times() {
    let study =
        Study::new(vec![with_compute(4, 2.0, 0.1), with_compute(8, 1.0, 0.1)], &Questions::default()).expect("points");
    assert_eq!(study.reference.time, Seconds(8.0));
}

#[test]
fn dependent_columns_have_no_solution() {
    assert_eq!(least_squares::solve(&[vec![1.0, 2.0], vec![2.0, 4.0]], &[1.0, 1.0]), None);
    assert_eq!(least_squares::solve(&[vec![1.0], vec![2.0]], &[1.0]), None);
    let found = least_squares::nonnegative(&[vec![1.0, 1.0, 1.0], vec![1.0, 2.0, 3.0]], &[3.0, 2.0, 1.0]).expect("one");
    assert_eq!(found[1], 0.0, "the slope would be negative");
}

/// Where more tasks use another algorithm, no curve through the points knows of it; what is known a priori does.
#[test]
fn what_is_known_a_priori_is_followed_beyond_the_points() {
    let collective = |n: f64| if n > 100.0 { 5e-3 * n.log2() } else { 0.1 / n };
    let point = |n: usize| with_compute(n, 8.0 / n as f64, collective(n as f64));
    let prior = |n: usize| (n, Parts { collective: Seconds(0.9 * collective(n as f64)), ..Parts::default() });
    let known: Vec<Point> = POWERS.iter().map(|&n| point(n)).collect();
    let mut questions = Questions { to: 1024, ..Questions::default() };
    let last = |questions: &Questions| {
        let study = Study::new(known.clone(), questions).expect("points");
        assert_eq!(study.by, Some(By::Laws));
        study.beyond.last().expect("asked for").time.0 / point(1024).total.0 - 1.0
    };
    assert!(last(&questions) < -0.5, "the curve falls on");
    questions.priors = of_interest(&known, &questions).into_iter().filter(|&n| n > 1).map(prior).collect();
    assert!(last(&questions).abs() < 1e-6);
}

#[test]
fn a_priori_times_that_are_missing_for_some_tasks_are_not_used() {
    let known: Vec<Point> = POWERS.iter().map(|&n| with_compute(n, 8.0 / n as f64, 1e-3)).collect();
    let prior = |&n: &usize| (n, Parts { collective: Seconds(1e-3), ..Parts::default() });
    let mut priors: Priors = POWERS.iter().map(prior).collect();
    priors.insert(1024, Parts::default());
    let laws = Laws::new(&known, Tasks(1024.0), &priors).expect("laws");
    assert!((laws.at(1024).time.0 - (8.0 / 1024.0 + 1e-3)).abs() < 1e-9, "{:?}", laws.at(1024));
}

/// Where tasks run out of rows, those who have none wait: no point shows it, and what is counted with more tasks does.
#[test]
fn a_part_that_only_begins_beyond_the_points_is_what_is_known_a_priori() {
    let known: Vec<Point> = POWERS.iter().map(|&n| with_compute(n, 8.0 / n as f64, 1e-3)).collect();
    let prior = |n: usize| {
        let idle = if n > 100 { 2e-2 } else { 0.0 };
        (
            n,
            Parts {
                compute: Seconds(8.0 / n as f64),
                collective: Seconds(1e-3),
                idle: Seconds(idle),
                ..Parts::default()
            },
        )
    };
    let priors: Priors = POWERS.iter().copied().chain([128, 1024]).filter(|&n| n > 1).map(prior).collect();
    let laws = Laws::new(&known, Tasks(1024.0), &priors).expect("laws");
    for tasks in [128, 1024] {
        let (found, wanted) = (laws.at(tasks).time.0, 8.0 / tasks as f64 + 1e-3 + 2e-2);
        assert!((found / wanted - 1.0).abs() < 1e-6, "{tasks}: {found} instead of {wanted}");
    }
}

#[test]
fn one_medium_is_extrapolated_by_its_model_where_parts_have_no_law() {
    let (model, tasks) = (state_space(40.0), [2, 4, 8, 16, 32, 64, 128, 256]);
    let times = |n: usize| model.time(Tasks(n as f64)).0;
    let point = |n: usize| with_compute(n, 40.0 / n as f64, times(n) - 40.0 / n as f64);
    let study = Study::new(tasks.map(point).to_vec(), &Questions { to: 512, ..Questions::default() }).expect("points");
    assert_eq!((study.by, study.laws.is_none()), (Some(By::Model), true));
    let last = study.beyond.last().expect("asked for");
    assert!((last.time.0 / times(512) - 1.0).abs() < 1e-9 && last.low <= last.time && last.time <= last.high);
}

#[test]
fn a_master_without_workers_does_not_say_what_stays_the_same() {
    let master = |n: usize| with_compute(n, if n == 1 { 1e-6 } else { 8.0 / n as f64 }, 0.01);
    assert_eq!(Hold::of(&POWERS.map(master)), Hold::Work);
}

#[test]
fn efficiencies_are_crossed_between_points_and_useful_machines_end() {
    let amdahl = |n: f64| 1.0 + 31.0 / n;
    let study = Study::new(points(&POWERS, amdahl), &Questions::default()).expect("points");
    // 32 / (N + 31) is one half with 33 tasks.
    let crossing = study.crossing(0.5).expect("it falls below").0;
    assert!((crossing / 33.0 - 1.0).abs() < 0.05, "{crossing}");
    assert_eq!((study.crossing(0.1), study.crossing(1.1)), (None, None));
    // 64 instead of 32 tasks: 1.97 / 1.48 as fast, so all points are of use; the model flat turns with 10 tasks.
    assert_eq!(study.largest_useful(), Some(64));
    let turning = Study::new(points(&POWERS, |n| flat(100.0).time(Tasks(n)).0), &Questions::default()).expect("points");
    assert_eq!(turning.largest_useful(), Some(8));
}

#[test]
fn the_work_that_keeps_an_efficiency_is_a_power_of_the_tasks() {
    let work = |n: f64| (Seconds(2e-3 * n.powf(1.5)), Tasks(n));
    let found = isoefficiency(&[work(4.0), work(10.0), work(90.0)]).expect("three amounts");
    assert!((found.exponent - 1.5).abs() < 1e-9 && (found.coefficient / 2e-3 - 1.0).abs() < 1e-9);
    assert_eq!(isoefficiency(&[work(4.0), work(10.0)]), None);
    assert_eq!(isoefficiency(&[work(4.0), work(4.0), work(4.0)]), None);
}

#[test]
fn groups_are_advised_where_calls_show_that_results_are_collected() {
    let remark = |collected: Collected, time: &dyn Fn(f64) -> f64| {
        let questions = Questions { collected, ..Questions::default() };
        Study::new(points(&POWERS, time), &questions).expect("points").class.expect("a class").remark
    };
    let divided = |n: f64| flat(100.0).time(Tasks(n)).0;
    let kept = |n: f64| 10.0 + 0.5 * n;
    let at = Collected::OneByOne { call: "MPI_Send pi.c:7".to_owned() };
    assert_eq!(remark(Collected::Otherwise, &divided), None);
    assert_eq!(remark(Collected::Unknown, &kept), None);
    let said = remark(at.clone(), &divided).expect("advice");
    assert!(said.contains("of MPI_Send pi.c:7 through 8 groups") && said.contains("instead of 4.76"), "{said}");
    assert!(remark(at, &kept).expect("advice").contains("with 64 tasks"));
}
