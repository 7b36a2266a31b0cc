//! Ports of the nodes of tasks.

use crate::engine::Engine;
use crate::network::ports::{MessagePath, Port};
use chronos_activity::Feed;
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    pub fn port_mut(&mut self, task: u32) -> &mut Port {
        &mut self.ports[self.nodes[task as usize] as usize]
    }

    /// Whether the order of the messages that leave the node of a task at a time depends on more than the task itself.
    #[inline]
    pub fn shares_port(&self, id: u32, at: Picoseconds) -> bool {
        match self.message_path {
            MessagePath::Links => false,
            MessagePath::Common => true,
            MessagePath::Ports => self.ports[self.nodes[id as usize] as usize].is_shared(at),
        }
    }
}
