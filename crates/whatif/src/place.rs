//! Other placements of tasks (process LBF: Eom and Hollingsworth, section 2).
//!
//! On a machine, each place is a node with one processor, as in the paper: tasks of one node share it fairly. On a
//! platform, places are its nodes with the processors that they have.

use crate::change::Placing;
use crate::codes;
use chronos_activity::{TaskId, Work};
use chronos_base::diag::Diagnostic;
use chronos_machine::platform::{Node, PlacementRule, Platform};
use chronos_predict::Target;
use chronos_predict::efficiency::given_time;
use chronos_predict::replays::{Remaining, Replayed, Replays};
use chronos_report::whatif::model::NodeLoad;
use std::collections::BTreeMap;

fn impossible(text: &str, what: &str, help: &str) -> Diagnostic {
    Diagnostic::error(&codes::NOT_APPLICABLE, format!("the change `{text}` {what}")).help(help)
}

/// The node of each task.
///
/// # Errors
/// It is not said for every task, or for more tasks than there are.
pub fn nodes(text: &str, placing: &Placing, tasks: usize) -> Result<Vec<u32>, Diagnostic> {
    let all = 0..u32::try_from(tasks).unwrap_or(u32::MAX);
    match placing {
        Placing::Nodes(nodes) if nodes.len() == tasks => Ok(nodes.clone()),
        Placing::Nodes(nodes) => {
            let example: Vec<String> = all.map(|task| (task / 2).to_string()).take(16).collect();
            let what = format!("places {} tasks, and there are {tasks}", nodes.len());
            Err(impossible(text, &what, &format!("give a node for each task, such as place={}", example.join(","))))
        }
        Placing::Blocks { tasks: placed, .. } if *placed != tasks => {
            let what = format!("places {placed} tasks, and there are {tasks}");
            let nodes = text.rsplit('/').next().unwrap_or("1");
            Err(impossible(text, &what, &format!("write place={tasks}/{nodes}, or predict with -n {placed}")))
        }
        Placing::Blocks { nodes, .. } => {
            let block = |task: u32| u64::from(task) * u64::from(*nodes) / tasks as u64;
            Ok(all.map(|task| block(task) as u32).collect())
        }
        Placing::Cyclic(nodes) | Placing::Best(nodes) => Ok(all.map(|task| task % nodes).collect()),
    }
}

/// Whether there are so many nodes.
///
/// # Errors
/// A platform has fewer.
pub(crate) fn check_nodes(text: &str, nodes: u32, target: Target<'_>) -> Result<(), Diagnostic> {
    match target.platform.map(|platform| platform.nodes.len()) {
        Some(have) if nodes as usize > have => {
            let what = format!("needs {nodes} nodes, and the platform has {have}");
            Err(impossible(text, &what, &format!("its nodes are 0 to {}", have - 1)))
        }
        _ => Ok(()),
    }
}

/// Tasks were followed with the sizes of types of the machines that they are on, and are not followed anew.
fn check_data_models(text: &str, nodes: &[u32], platform: &Platform) -> Result<(), Diagnostic> {
    let Ok(before) = platform.place(nodes.len()) else { return Ok(()) };
    let model = |node: u32| platform.machine(node).model();
    let moved = before.iter().zip(nodes).position(|(&before, &after)| model(before) != model(after));
    moved.map_or(Ok(()), |task| {
        let what = format!("puts task {task} on a machine of another data model, where it is another program");
        let help = "write this placement into the platform file and compare the predictions (chronos compare)";
        Err(impossible(text, &what, help))
    })
}

/// The system with tasks on these nodes.
///
/// # Errors
/// A node that the platform does not have, or one whose machine has another data model than the task's.
pub fn platform(text: &str, target: Target<'_>, nodes: Vec<u32>) -> Result<Platform, Diagnostic> {
    let count = nodes.iter().max().map_or(0, |&last| last.saturating_add(1));
    check_nodes(text, count, target)?;
    if let Some(platform) = target.platform {
        check_data_models(text, &nodes, platform)?;
        return Ok(Platform { placement: PlacementRule::Explicit(nodes), ..platform.clone() });
    }
    if count > 1 << 20 {
        return Err(impossible(
            text,
            &format!("names node {}", nodes.iter().max().unwrap_or(&0)),
            "nodes are numbered from 0",
        ));
    }
    let node = Node { machine: 0, processors: 1, load: 0.0, sockets: 1 };
    Ok(Platform {
        name: target.machine.name.clone(),
        machines: vec![target.machine.clone()],
        nodes: vec![node; count as usize],
        placement: PlacementRule::Explicit(nodes),
        network: None,
        links: None,
    })
}

/// What the tasks of a node do.
#[derive(Default)]
struct Load {
    tasks: Vec<usize>,
    busy_s: f64,
    ready_s: f64,
}

/// How busy the nodes that have tasks are; nothing where the activity is evaluated anew.
pub fn loads(
    nodes: &[u32],
    replays: &Replays<'_>,
    replayed: &Replayed<'_>,
    remaining: &Remaining<'_>,
) -> Vec<NodeLoad> {
    let mut busy: BTreeMap<u32, Load> = BTreeMap::new();
    for (rank, (&node, time)) in nodes.iter().zip(&replayed.result.tasks).enumerate() {
        let task = TaskId(rank as u32);
        let one =
            |&(id, times): &(_, u64)| replays.work_time(task, Work::Segment(id), remaining).as_seconds() * times as f64;
        let load = busy.entry(node).or_default();
        load.tasks.push(rank);
        load.ready_s += time.ready.as_seconds();
        load.busy_s += time.segments.iter().map(one).sum::<f64>();
        load.busy_s += given_time(replays.activity(), task).as_seconds();
    }
    let total = replayed.result.total.as_seconds();
    let share = |seconds: f64| if total > 0.0 { seconds / total } else { 0.0 };
    let load = |(node, load): (u32, Load)| NodeLoad {
        node,
        tasks: load.tasks,
        busy_share: share(load.busy_s),
        ready_s: load.ready_s,
    };
    busy.into_iter().map(load).collect()
}
