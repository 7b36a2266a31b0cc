//! Readings of clocks in a period: those that are renewed in it go on with it, those from before it stay what they are.

use super::state::Task;
use chronos_base::units::Picoseconds;
use chronos_ir::BlockId;

/// What a task has read of its clock.
#[derive(Debug, Default)]
pub(crate) struct ReadClocks {
    /// The last reading of each call, in the order of the calls.
    readings: Vec<(BlockId, Picoseconds)>,
    /// How often the time between two of them was told.
    differences: Vec<(BlockId, BlockId, u64)>,
}

impl ReadClocks {
    pub fn of(task: &Task) -> Self {
        let Some(clocks) = task.extras().map(|extras| &extras.clocks).filter(|_| !task.is_over()) else {
            return Self::default();
        };
        let mut readings: Vec<_> = clocks.readings.iter().map(|(&call, &at)| (call, at)).collect();
        let told = clocks.elapsed.values().map(|elapsed| (elapsed.from, elapsed.to, elapsed.times));
        let mut differences: Vec<_> = told.collect();
        readings.sort_unstable();
        differences.sort_unstable();
        Self { readings, differences }
    }

    /// Whether each reading was renewed in a period of this length, or is from before it and no time since then was told:
    /// that would be another one in each of the next periods.
    pub fn go_on_as(&self, now: &Self, period: Picoseconds) -> bool {
        let same = self.readings.len() == now.readings.len() && self.differences.len() == now.differences.len();
        let is_known = |(before, after): (&(BlockId, Picoseconds), &(BlockId, Picoseconds))| {
            before.0 == after.0 && (before.1 == after.1 || before.1 + period == after.1)
        };
        let is_told = |(before, after): (&(BlockId, BlockId, u64), &(BlockId, BlockId, u64))| {
            let renewed = || self.is_renewed(now, after.0) && self.is_renewed(now, after.1);
            (before.0, before.1) == (after.0, after.1) && (before.2 == after.2 || renewed())
        };
        same && self.readings.iter().zip(&now.readings).all(is_known)
            && self.differences.iter().zip(&now.differences).all(is_told)
    }

    fn is_renewed(&self, now: &Self, call: BlockId) -> bool {
        let reading = |clocks: &Self| {
            let found = clocks.readings.binary_search_by_key(&call, |reading| reading.0).ok();
            found.map(|at| clocks.readings[at].1)
        };
        reading(self) != reading(now)
    }

    /// Lets the readings that the last period renewed be later.
    pub fn shift(&self, before: &Self, task: &mut Task, by: Picoseconds) {
        for (&(call, now), &(_, earlier)) in self.readings.iter().zip(&before.readings) {
            if now != earlier {
                task.extras_mut().clocks.readings.insert(call, now + by);
            }
        }
    }
}
