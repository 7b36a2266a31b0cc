//! A prediction as a profile in the format of Cube 4, which Cube, Scalasca, Score-P's tools and Extra-P read.
//!
//! A `.cubex` file is an archive (tar): `anchor.xml` describes metrics, call paths and locations, and each metric has a
//! file of indices and one of values (Saviankou, Knobloch, Visser, Mohr: Cube v4: From Performance Report Explorer to
//! Performance Analysis Tool, ICCS 2015). This module must not know files.

mod anchor;
mod archive;
#[cfg(test)]
mod tests;

use super::model::{CallNode, Prediction};
use anchor::Anchor;
use archive::Archive;

/// Why a prediction is no profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProfile {
    /// It is incomplete, so that its times are not those of a run.
    Incomplete,
    /// It has no call paths.
    WithoutPaths,
}

/// A profile as the bytes of its file.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What is to be written.
    pub bytes: Vec<u8>,
    /// Each task has the mean of all: what each takes by itself was not kept.
    pub means: bool,
}

/// A metric: its name, its name for programs, its unit, what it is, and what a node has of it on a task.
struct Metric {
    name: &'static str,
    unique: &'static str,
    unit: &'static str,
    description: &'static str,
    of: fn(&Values) -> f64,
}

/// What a call path has on one task, callees excluded.
struct Values {
    calls: f64,
    own_s: f64,
    idle_s: f64,
}

/// The last one is a part of the one before.
const METRICS: [Metric; 3] = [
    Metric {
        name: "Visits",
        unique: "visits",
        unit: "occ",
        description: "How often the call path is executed",
        of: |values| values.calls,
    },
    Metric {
        name: "Time",
        unique: "time",
        unit: "sec",
        description: "Predicted time of the function's own computation, or of the MPI call with its waiting",
        of: |values| values.own_s,
    },
    Metric {
        name: "Waiting",
        unique: "mpi_waiting",
        unit: "sec",
        description: "The part of an MPI call until the partner that it waits for has arrived",
        of: |values| values.idle_s,
    },
];

/// The profile of a prediction: call paths by tasks.
///
/// # Errors
/// The prediction is incomplete or has no call paths.
pub fn render(prediction: &Prediction, title: &str) -> Result<Profile, NoProfile> {
    if prediction.total_s.is_none() {
        return Err(NoProfile::Incomplete);
    }
    if prediction.call_tree.is_empty() {
        return Err(NoProfile::WithoutPaths);
    }
    let tasks = prediction.tasks_count.max(1);
    let order = depth_first(&prediction.call_tree);
    let mut archive = Archive::default();
    archive.add("anchor.xml", Anchor { prediction, title, order: &order }.text().as_bytes());
    for (number, metric) in METRICS.iter().enumerate() {
        archive.add(&format!("{number}.index"), &index(order.len()));
        let nodes = order.iter().map(|place| &prediction.call_tree[place.node]);
        archive.add(&format!("{number}.data"), &data(nodes, tasks, metric));
    }
    let means = prediction.call_tree.iter().any(|node| node.of_tasks.len() != tasks);
    Ok(Profile { bytes: archive.finish(), means })
}

/// A call path where it stands in the file.
struct Place {
    /// Its position in the call tree of the prediction.
    node: usize,
    /// How many of its callers are still open: its depth.
    depth: usize,
}

/// Callers before their callees, each followed by all that it calls: the order in which Cube numbers exclusive values.
fn depth_first(tree: &[CallNode]) -> Vec<Place> {
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); tree.len()];
    let mut open: Vec<Place> = Vec::new();
    for (at, node) in tree.iter().enumerate().rev() {
        match node.parent.and_then(|parent| callees.get_mut(parent as usize)) {
            // From the last to the first, as they are taken from the end.
            Some(siblings) => siblings.push(at),
            None => open.push(Place { node: at, depth: 0 }),
        }
    }
    let mut order = Vec::with_capacity(tree.len());
    while let Some(place) = open.pop() {
        let depth = place.depth + 1;
        open.extend(callees[place.node].iter().map(|&node| Place { node, depth }));
        order.push(place);
    }
    order
}

/// All call paths have values.
fn index(nodes: usize) -> Vec<u8> {
    let mut bytes = b"CUBEX.INDEX".to_vec();
    // A one shows in which order bytes stand; then the version, and that numbers of call paths follow.
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend(0_i16.to_le_bytes());
    bytes.push(1);
    bytes.extend((nodes as i32).to_le_bytes());
    bytes.extend((0..nodes as i32).flat_map(i32::to_le_bytes));
    bytes
}

fn data<'a>(nodes: impl Iterator<Item = &'a CallNode>, tasks: usize, metric: &Metric) -> Vec<u8> {
    let mut bytes = b"CUBEX.DATA".to_vec();
    for node in nodes {
        bytes.extend((0..tasks).flat_map(|task| (metric.of)(&values(node, task, tasks)).to_le_bytes()));
    }
    bytes
}

fn values(node: &CallNode, task: usize, tasks: usize) -> Values {
    match node.of_tasks.get(task) {
        Some(one) if node.of_tasks.len() == tasks => {
            Values { calls: one.calls.as_f64().unwrap_or(0.0), own_s: one.own_s, idle_s: one.idle_s }
        }
        _ => {
            let own_s = if node.kind == "mpi" { node.inclusive_s } else { node.exclusive_s };
            Values { calls: node.calls.as_f64().unwrap_or(0.0) / tasks as f64, own_s, idle_s: node.idle_s }
        }
    }
}
