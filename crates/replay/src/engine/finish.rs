//! From the state at the end to the result.

use super::Engine;
use crate::codes;
use crate::network::traffic::TrafficMatrix;
use crate::result::{Finish, PathPart, ReplayResult, TaskTime, TimeSpan, WindowTime};
use crate::task::state::Task;
use chronos_activity::{Feed, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    pub fn finish(mut self) -> ReplayResult {
        // What was under way is not needed any more, and the result takes its place.
        (self.ops, self.messages, self.queue) = Default::default();
        let complete = self.is_complete();
        for (task, cursors) in self.tasks.values_mut().zip(self.cursors.values()) {
            task.count_open_repeats(cursors);
        }
        let critical_path = self.critical_path();
        let windows = self.windows();
        let waiting = self.take_waiting();
        let timeline = self.timeline();
        let matrix = self.matrix();
        let tasks: Vec<_> = self.tasks.ids().map(|id| self.summary(id)).collect();
        ReplayResult {
            total: tasks.iter().map(|task| task.end).max().unwrap_or_default(),
            complete,
            other_sizes: self.other_sizes,
            abort: self.abort,
            matrix,
            messages: std::mem::take(&mut self.log),
            critical_path,
            timeline,
            windows,
            waiting,
            activity: None,
            steps: self.steps,
            skipped: self.steady.skipped,
            diagnostics: self.diagnostics,
            tasks,
        }
    }

    /// Every task ended, or was ended by `MPI_Abort`: a real run ends there, too, whatever the code.
    fn is_complete(&self) -> bool {
        let is_end = self.abort.is_some();
        let ended = |id| match self.finish_of(id) {
            Finish::Ended => true,
            finish => is_end && finish == Finish::Aborted,
        };
        (is_end || !self.stopped) && self.tasks.ids().all(ended)
    }

    fn windows(&mut self) -> Vec<WindowTime> {
        let taken = |task: &mut Task| task.spans_mut().and_then(|spans| spans.windows.take());
        self.tasks.values_mut().filter_map(|task| Some(taken(task)?.into_time())).collect()
    }

    fn timeline(&mut self) -> Vec<Vec<TimeSpan>> {
        let full = self.tasks.values().filter(|task| task.spans().is_some_and(|spans| spans.is_full)).count();
        if full > 0 && self.options.timeline > 0 {
            let (_, room) = self.timeline_shares();
            let message = format!("the timeline ends early: {full} tasks did more than {room} different things");
            let help = "times and tables are complete; replay fewer tasks or iterations to see all of it";
            self.diagnostics.push(Diagnostic::warning(&codes::TIMELINE_FULL, message).help(help));
        }
        self.tasks.values_mut().filter_map(|task| Some(task.take_spans()?.into_list())).collect()
    }

    fn matrix(&mut self) -> TrafficMatrix {
        TrafficMatrix::new(
            std::mem::take(&mut self.sent_traffic),
            self.tasks.values().map(|task| task.sent_traffic).collect(),
        )
    }

    fn summary(&mut self, id: TaskId) -> TaskTime {
        let finish = self.finish_of(id);
        let task = &mut self.tasks[id];
        let mut elapsed: Vec<_> = task.elapsed_in_order().into_iter().map(|elapsed| *elapsed).collect();
        elapsed.shrink_to_fit();
        let mut sites: Vec<_> = self.sites.iter(task.sites).map(|(site, time)| (*site, *time)).collect();
        sites.sort_unstable_by_key(|&(site, _)| site);
        sites.shrink_to_fit();
        TaskTime {
            ready: task.extras().map_or(Picoseconds::ZERO, |extras| extras.ready),
            sites,
            elapsed,
            finish,
            segments: task.take_segments(),
            ..TaskTime::of_parts(task.now, &task.parts, task.causes)
        }
    }

    fn critical_path(&mut self) -> Vec<PathPart> {
        if !self.options.critical_path {
            return Vec::new();
        }
        let ends: Vec<Picoseconds> = self.tasks.values().map(|task| task.now).collect();
        std::mem::take(&mut self.dependences).critical_path(&ends)
    }
}
