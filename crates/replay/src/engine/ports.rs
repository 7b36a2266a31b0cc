//! Ports of the nodes of tasks.

use super::Engine;
use crate::network::ports::{MessagePath, Port};
use chronos_activity::{Feed, TaskId};
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    pub(crate) fn port_mut(&mut self, task: TaskId) -> &mut Port {
        &mut self.ports[self.nodes[task]]
    }

    /// Whether the order of the messages that leave the node of a task at a time depends on more than the task itself.
    #[inline]
    pub(crate) fn shares_port(&self, id: TaskId, at: Picoseconds) -> bool {
        match self.message_path {
            MessagePath::Links => false,
            MessagePath::Common => true,
            MessagePath::Ports => self.ports[self.nodes[id]].is_shared(at),
        }
    }
}
