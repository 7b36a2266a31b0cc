//! What each place gains with every period of a spin, while a period is followed to learn how far that goes on.

use crate::state::location::Location;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Operations of a period that are followed so.
const LONGEST: u64 = 1 << 20;

/// Places that are linear functions of the number of periods to come.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    gains: BTreeMap<Location, i64>,
    /// Periods to come in which all conditions have the results that they have now, and all types hold what they have to.
    pub(crate) room: u64,
    left: u64,
    /// Something depends on such a place in another way.
    failed: Cell<bool>,
}

impl Linear {
    pub(crate) fn new(gains: impl IntoIterator<Item = (Location, i64)>) -> Self {
        Self { gains: gains.into_iter().collect(), room: u64::MAX, left: LONGEST, failed: Cell::new(false) }
    }

    pub(crate) fn gain(&self, place: Location) -> i64 {
        self.gains.get(&place).copied().unwrap_or(0)
    }

    pub(crate) fn gains(&self) -> impl Iterator<Item = (Location, i64)> + '_ {
        self.gains.iter().map(|(&place, &gain)| (place, gain))
    }

    /// What stands there now gains so much.
    pub(crate) fn put(&mut self, place: Location, gain: i64) {
        if gain == 0 {
            self.gains.remove(&place);
        } else {
            self.gains.insert(place, gain);
        }
    }

    /// Registers from here on are gone.
    pub(crate) fn truncate(&mut self, registers: u32) {
        self.gains.retain(|place, _| !matches!(place, Location::Register(at) if *at >= registers));
    }

    pub(crate) fn fail(&self) {
        self.failed.set(true);
    }

    /// Somebody reads a place who cannot say what follows from it.
    pub(crate) fn see(&self, place: Location) {
        if self.gains.contains_key(&place) {
            self.fail();
        }
    }

    /// Another operation; whether there may be more.
    pub(crate) fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0 && !self.failed.get()
    }
}
