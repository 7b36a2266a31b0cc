//! Where a program is predicted: machines, network, and how tasks share nodes.

use crate::calibration::Calibration;
use crate::evaluation::Job;
use crate::object_code::MachineCode;
use chronos_cost::{ModelName, Source};
use chronos_machine::network::Network;
use chronos_machine::platform::{Node, Platform};
use chronos_machine::{Machine, Residuals};
use chronos_replay::{Placement, Share};
use serde::{Deserialize, Serialize};

/// Where it is predicted.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The first kind of machine where there are several.
    pub machine: &'a Machine,
    /// Nodes of several kinds; `None`: as many nodes of `machine` as tasks need.
    pub platform: Option<&'a Platform>,
    /// The network between the nodes.
    pub network: &'a Network,
    /// Which model is used, and how tasks share nodes.
    pub options: &'a ModelOptions,
    /// What a short run tells of the program's times; `None`: nothing but the machine does.
    pub calibration: Option<&'a Calibration>,
    /// Keep what each task did when, and the messages.
    pub timeline: bool,
}

/// How times are predicted, wherever that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelOptions {
    /// Tasks that share a node.
    pub tasks_per_node: u32,
    /// `None`: object code where the job has it, else the best model that the machine has the figures of.
    pub cost_model: Option<ModelName>,
    /// Count iterations that repeat with the same timing instead of replaying them.
    pub jump_ahead: bool,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self { tasks_per_node: 1, cost_model: None, jump_ahead: true }
    }
}

impl<'a> Target<'a> {
    /// The model that is asked for, else the best one that a machine has the figures of.
    pub(crate) fn cost_model(&self, job: &Job, machine: &Machine) -> ModelName {
        let best = || match job.object_code.of(machine) {
            Some(MachineCode { code: Some(_), .. }) => ModelName::Compiled,
            _ => self.without_object_code(machine),
        };
        self.options.cost_model.unwrap_or_else(best)
    }

    fn without_object_code(&self, machine: &Machine) -> ModelName {
        let best = || if Source::suits(machine) { ModelName::Source } else { ModelName::InstructionSum };
        self.options.cost_model.unwrap_or_else(best)
    }

    /// What intervals are made from; `None` where the machine has none for its model, or there may be several machines.
    pub(crate) fn residuals(&self) -> Option<&'a Residuals> {
        let of_model = match self.without_object_code(self.machine) {
            ModelName::InstructionSum => self.machine.residuals.as_ref(),
            // Of object code no residuals were measured: it is taken to be as far off as the model from the source.
            ModelName::Source | ModelName::Compiled => self.machine.residuals_source.as_ref(),
        };
        of_model.filter(|_| self.platform.is_none())
    }
}

/// The node of each task.
pub fn nodes(job: &Job, target: Target<'_>) -> Vec<u32> {
    let spread =
        || (0..job.tasks).map(|task| u32::try_from(task).unwrap_or(u32::MAX) / target.options.tasks_per_node).collect();
    target.platform.and_then(|platform| platform.place(job.tasks).ok()).unwrap_or_else(spread)
}

pub(crate) fn placement(job: &Job, target: Target<'_>) -> Placement {
    let share = |node: &Node| Share { processors: node.processors, load_milli: (node.load * 1000.0).round() as u32 };
    let shares = target.platform.map_or_else(Vec::new, |platform| platform.nodes.iter().map(share).collect());
    let nodes = nodes(job, target);
    let sockets = target.platform.map_or_else(Vec::new, |platform| platform.sockets(&nodes));
    Placement { nodes, processors: None, shares, sockets }
}
