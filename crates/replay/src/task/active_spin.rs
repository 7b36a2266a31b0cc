//! The spin that a task is in: polls that are repeated without any change.

use chronos_activity::{Operation, Spin, Step};
use chronos_base::units::Picoseconds;
use std::sync::Arc;

/// The time that a loop which looks at memory takes for an iteration at least.
const LEAST_LOOK: Picoseconds = Picoseconds(1_000);

/// A spin that a task is in.
#[derive(Clone, Debug)]
pub(crate) struct ActiveSpin {
    pub spin: Arc<Spin>,
    pub period: Picoseconds,
    /// When an access arrives that ends it.
    pub accessed: Option<Picoseconds>,
}

impl ActiveSpin {
    /// When it ends by itself: never, where nothing in it does so, even where its periods take no time.
    pub fn end(&self, begin: Picoseconds) -> Picoseconds {
        match self.spin.most {
            u64::MAX => Picoseconds::MAX,
            most => begin + self.pace().saturating_mul(most),
        }
    }

    /// It polls by loads of memory alone.
    pub fn only_looks(&self) -> bool {
        self.polls().next().is_none()
    }

    /// The time from one period to the next: a look takes some on any machine, also where nothing is known of its times.
    pub fn pace(&self) -> Picoseconds {
        if self.only_looks() { self.period.max(LEAST_LOOK) } else { self.period }
    }

    /// Periods that begin before a time.
    pub fn periods_until(&self, begin: Picoseconds, time: Picoseconds) -> u64 {
        let left = time.0.saturating_sub(begin.0);
        left.div_ceil(self.pace().0).min(self.spin.most)
    }

    pub fn polls(&self) -> impl Iterator<Item = &Operation> {
        let operations = self.spin.steps.iter().filter_map(|step| match step {
            Step::Event(event) => Some(&event.operation),
            _ => None,
        });
        operations.filter(|operation| operation.is_poll())
    }
}
