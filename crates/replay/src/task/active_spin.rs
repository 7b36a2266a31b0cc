//! The spin that a task is in: polls that are repeated without any change.

use chronos_activity::{Operation, Spin, Step};
use chronos_base::units::Picoseconds;
use std::sync::Arc;

/// A spin that a task is in.
#[derive(Clone, Debug)]
pub(crate) struct ActiveSpin {
    pub spin: Arc<Spin>,
    pub period: Picoseconds,
}

impl ActiveSpin {
    pub fn polls(&self) -> impl Iterator<Item = &Operation> {
        let operations = self.spin.steps.iter().filter_map(|step| match step {
            Step::Event(event) => Some(&event.operation),
            _ => None,
        });
        operations.filter(|operation| operation.is_poll())
    }
}
