//! How well tasks use their time, as reports and studies of changes tell it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The efficiencies of the POP centre of excellence: what part of the tasks' time is spent computing, and why not more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Efficiency {
    /// Mean over greatest computing time of the tasks.
    pub load_balance: f64,
    /// Greatest computing time over the time on an ideal network: what waiting in chains leaves.
    pub serialisation: f64,
    /// Time on an ideal network over time: what the transfer of messages leaves.
    pub transfer: f64,
    /// Serialisation times transfer.
    pub communication: f64,
    /// Load balance times communication: mean computing time over time.
    pub parallel: f64,
    /// Computing time of the least number of tasks over that of this one; null where there is one number of tasks.
    pub computation_scaling: Option<f64>,
    /// Parallel efficiency times computation scaling; null where there is one number of tasks.
    pub global: Option<f64>,
    /// Time on a network whose messages take no time.
    pub ideal_network_s: f64,
    /// Computing time of a task, on average over the tasks.
    pub mean_compute_s: f64,
    /// Computing time of the task that computes longest.
    pub greatest_compute_s: f64,
}
