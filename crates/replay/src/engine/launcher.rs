//! What a launcher does when a task ends without `MPI_Finalize`: it ends all others.
//!
//! `MPI_Finalize` is collective over `MPI_COMM_WORLD`. So where one member has ended and another one waits for something that
//! never comes, the one that ended has not called it. `mpirun` of Open MPI and `mpiexec` of MPICH take such a task as
//! failed, whatever its exit status, and kill the job. Programs that print their usage text in one task and leave do so.

use super::Engine;
use crate::codes;
use crate::task::state::Status;
use chronos_activity::{CommId, Feed, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    /// Whether the launcher ends the tasks that wait, because another one left before them; then they end here.
    pub(crate) fn is_ended_by_launcher(&mut self, blocked: &[TaskId]) -> bool {
        let Some((left, at)) = self.first_to_leave(blocked) else { return false };
        self.report_leaving(left, blocked);
        self.abort = Some(0);
        for &id in blocked {
            let task = &mut self.tasks[id];
            task.end_at(at.max(task.now));
            task.status = Status::Ready;
        }
        true
    }

    /// The member of `MPI_COMM_WORLD` that ended first, where one that waits is a member, too. Schedules have no `MPI_Finalize`,
    /// and their operations no place in a source.
    fn first_to_leave(&self, blocked: &[TaskId]) -> Option<(TaskId, Picoseconds)> {
        let stands_in_source = |id: TaskId| self.tasks[id].site.get().and_then(self.options.locate).is_some();
        if !blocked.iter().all(|&id| stands_in_source(id)) {
            return None;
        }
        let world = self.feed.group(CommId(0));
        if !blocked.iter().all(|id| world.contains(id)) {
            return None;
        }
        let ended = world.iter().filter(|&&id| self.tasks[id].status == Status::Ended);
        ended.map(|&id| (id, self.tasks[id].now)).min_by_key(|&(id, at)| (at, id))
    }

    fn report_leaving(&mut self, left: TaskId, blocked: &[TaskId]) {
        let Some(&first) = blocked.first() else { return };
        let text = format!(
            "task {} ends without MPI_Finalize while {}: the launcher ends all tasks",
            left.0,
            self.describe(first)
        );
        let fault = Diagnostic::warning(&codes::ENDED_BY_LAUNCHER, text).help(
            "where that is not meant, often arguments or input are missing (the program's arguments stand after `--`); \
             else let all tasks know that they shall end, or call MPI_Abort",
        );
        let fault = self.at_site(fault, self.tasks[first].site.get(), "waits here until it is ended");
        self.diagnostics.push(fault);
    }
}
