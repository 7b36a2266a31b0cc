//! From the state at the end to the result.

use super::simulation::{Simulation, Status};
use crate::network::traffic::TrafficMatrix;
use crate::result::{ElapsedTime, Finish, ReplayResult, TaskTime};
use chronos_base::units::Picoseconds;

impl Simulation<'_> {
    /// `None` where something is left over that is to be told.
    pub(super) fn outcome(mut self) -> Option<ReplayResult> {
        let ended = self.tasks.iter().all(|task| task.status == Status::Ended && task.now < Picoseconds(u64::MAX));
        if self.failed || !ended || !self.inbox.is_empty() {
            return None;
        }
        let ends: Vec<Picoseconds> = self.tasks.iter().map(|task| task.now).collect();
        let dependences = std::mem::take(&mut self.dependences);
        let critical_path = if self.keeps_path { dependences.critical_path(&ends) } else { Vec::new() };
        let tasks = (0..self.tasks.len() as u32).map(|id| self.summary(id)).collect();
        let cursors = self.tasks.iter().map(|task| task.traffic).collect();
        Some(ReplayResult {
            tasks,
            total: ends.into_iter().max().unwrap_or_default(),
            complete: true,
            other_sizes: self.other_sizes,
            matrix: TrafficMatrix::new(self.traffic, cursors),
            critical_path,
            steps: self.courses.steps(),
            diagnostics: self.diagnostics,
            ..ReplayResult::default()
        })
    }

    fn summary(&mut self, id: u32) -> TaskTime {
        let task = &self.tasks[id as usize];
        let course = &self.courses.courses[task.course as usize];
        let times = &self.sites[task.sites as usize..][..course.sites.len()];
        let mut sites: Vec<_> = course.sites.iter().copied().zip(times.iter().copied()).collect();
        sites.retain(|(_, time)| time.calls > 0);
        sites.sort_unstable_by_key(|&(site, _)| site);
        let clocks = self.clocks.remove(&id).unwrap_or_default();
        let mut elapsed: Vec<ElapsedTime> = clocks.elapsed.into_values().collect();
        elapsed.sort_unstable_by_key(|elapsed| (elapsed.from, elapsed.to));
        TaskTime {
            sites,
            segments: course.segments.clone(),
            elapsed,
            finish: Finish::Ended,
            ..TaskTime::of_parts(task.now, &task.parts, task.causes)
        }
    }
}
