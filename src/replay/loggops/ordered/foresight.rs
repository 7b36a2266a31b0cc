//! Brings near what comes next: tasks and messages first, and what tasks lead to when these are there.

use super::Simulation;
use crate::activity::TaskId;
use crate::fetch::fetch;
use crate::replay::loggops::happening::{Happening, Kind};

/// Happenings that are looked at at once.
const BATCH: usize = 8;

impl Simulation<'_> {
    /// Looks at what comes next, once for several happenings. It changes nothing.
    #[inline]
    pub(super) fn foresee(&self) {
        let coming = self.queue.coming();
        if coming.is_empty() || !coming.len().is_multiple_of(BATCH) {
            return;
        }
        let (before, next) = coming.split_at(coming.len() - BATCH);
        before.iter().rev().take(BATCH).for_each(|happening| self.fetch_task(happening));
        next.iter().for_each(|happening| self.fetch_parts(happening));
    }

    fn fetch_task(&self, happening: &Happening) {
        self.hosts[happening.host as usize].fetch();
        self.schedule.fetch_task(TaskId(happening.host));
        match happening.kind() {
            Kind::Take => fetch(&self.messages[happening.what]),
            Kind::Several => fetch(&self.several[happening.what]),
            Kind::Send | Kind::Recv | Kind::Compute => {}
        }
    }

    fn fetch_parts(&self, happening: &Happening) {
        let host = &self.hosts[happening.host as usize];
        let operation = match happening.kind() {
            Kind::Send | Kind::Recv | Kind::Compute => happening.what,
            Kind::Several => self.several[happening.what].first,
            Kind::Take => host.frontier.base(),
        };
        self.schedule.fetch(host.begin + operation as usize);
        host.fetch_lines(&self.waiting);
        host.frontier.fetch(self.place(happening.host));
    }
}
