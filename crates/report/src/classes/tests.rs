use super::*;
use crate::model::{Platform, Wtime};

fn task(rank: usize, compute_s: f64, idle_s: f64) -> Task {
    let [send_s, recv_s, collective_s, ready_s] = [0.0; 4];
    Task {
        rank,
        machine: "m".to_owned(),
        compute_s,
        idle_s,
        total_s: compute_s + idle_s,
        send_s,
        recv_s,
        collective_s,
        ready_s,
        ..Task::mean(&[])
    }
}

fn prediction(tasks: Vec<Task>) -> Prediction {
    let platform = Platform { machine: "m".to_owned(), network: "n".to_owned() };
    let count = tasks.len();
    Prediction { tasks, ..Prediction::unknown(platform, count, "given") }
}

/// The ranks of each row.
fn ranks(tasks: &[Task]) -> Vec<String> {
    let own = |task: &Task| task.class.as_ref().map_or(task.rank.to_string(), |class| class.ranks.to_string());
    tasks.iter().map(own).collect()
}

#[test]
fn the_ends_of_a_row_of_tasks_are_told_from_those_inside() {
    let inside = |rank: usize| rank > 0 && rank < 99;
    let mut p = prediction((0..100).map(|rank| task(rank, if inside(rank) { 2.0 } else { 1.0 }, 1.0)).collect());
    assert!(in_classes(&mut p));
    assert_eq!(ranks(&p.tasks), ["0,99", "1-98"]);
    assert_eq!(p.tasks[1].class.as_ref().map(|class| (class.count, class.spread_s)), Some((98, 0.0)));
    assert_eq!((p.tasks[1].compute_s, Task::mean(&p.tasks).total_s), (2.0, (2.0 * 2.0 + 98.0 * 3.0) / 100.0));
    assert!(!in_classes(&mut p), "classes are not joined again");
    let rows = crate::csv::rows_of(&p).expect("CSV");
    let of_tasks: Vec<&str> = rows.lines().filter(|line| line.contains(",task,")).collect();
    assert_eq!(of_tasks, ["m,n,100,task,\"0,99\",,,2,2,1,0,0,0,1,,,0", "m,n,100,task,1-98,,,98,3,2,0,0,0,1,,,0"]);
}

#[test]
fn few_tasks_have_a_row_each() {
    let mut p = prediction((0..FEW).map(|rank| task(rank, 1.0, 1.0)).collect());
    assert!(!in_classes(&mut p) && representatives(&p).is_empty());
    assert_eq!(p.tasks.len(), FEW);
}

/// 1000 tasks that wait ever longer: neighbours are joined, and the row says by how much they differ.
#[test]
fn where_all_tasks_differ_those_that_differ_least_are_joined() {
    let mut p = prediction((0..1000).map(|rank| task(rank, 1.0, rank as f64)).collect());
    assert_eq!(representatives(&p).len(), FEW);
    assert!(in_classes(&mut p));
    assert_eq!((p.tasks.len(), p.tasks.iter().map(Task::count).sum::<usize>()), (FEW, 1000));
    let spread = p.tasks.iter().filter_map(|task| Some(task.class.as_ref()?.spread_s)).fold(0.0, f64::max);
    assert_eq!(spread, 15.0);
    assert_eq!(ranks(&p.tasks)[..2], ["0-15", "16-31"]);
}

/// Differences beyond the last digit that is shown make no rows of their own.
#[test]
fn tasks_that_look_the_same_have_one_row() {
    let p = prediction((0..70).map(|rank| task(rank, 1.0, rank as f64 * 1e-6)).collect());
    let rows = rows_of(&p, 16, 1e-3);
    assert_eq!(ranks(&rows), ["0-69"]);
    assert_eq!(rows[0].class.as_ref().map(|class| class.spread_s), Some(0.0));
}

#[test]
fn clock_differences_at_one_place_are_joined() {
    let clock = |rank: usize| Wtime {
        rank,
        class: None,
        from: "a.c:1".to_owned(),
        to: "a.c:2".to_owned(),
        times: 1,
        total_s: if rank == 7 { 2.0 } else { 1.0 },
        min_s: 1.0,
        max_s: 1.0,
    };
    let wtime = (0..80).map(clock).collect();
    let mut p = Prediction { wtime, ..prediction((0..80).map(|rank| task(rank, 1.0, 0.0)).collect()) };
    assert!(in_classes(&mut p));
    let found: Vec<_> =
        p.wtime.iter().map(|one| (one.rank, one.total_s, one.class.as_ref().map(|class| class.count))).collect();
    assert_eq!(found, [(0, 1.0, Some(79)), (7, 2.0, None)]);
}
