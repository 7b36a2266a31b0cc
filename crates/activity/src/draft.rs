//! What some tasks of a schedule do, one task after the other, before it is appended to the schedule.
//!
//! Several threads can describe tasks of one schedule this way. A draft has room for the tasks it describes alone,
//! however many the schedule has.

use super::TaskId;
use super::schedule::{Edge, Schedule, ScheduledOperation};

/// Operations and dependences of some tasks of a schedule.
#[derive(Debug, Default)]
pub struct Draft {
    /// Which tasks of the schedule those of `described` are.
    tasks: Vec<TaskId>,
    described: Schedule,
}

impl Draft {
    /// From here on this task is described.
    pub fn begin(&mut self, task: TaskId) {
        self.tasks.push(task);
        self.described.add();
    }

    /// Of `described`.
    fn last(&self) -> TaskId {
        TaskId(self.described.len() as u32 - 1)
    }

    /// Begun so far.
    pub fn tasks(&self) -> &[TaskId] {
        &self.tasks
    }

    /// Operations of the last task so far.
    pub fn length(&self) -> u32 {
        self.described.length(self.last())
    }

    /// Appends an operation to the last task.
    pub fn push(&mut self, operation: ScheduledOperation) {
        self.described.push(self.last(), operation);
    }

    /// As that of a schedule.
    pub fn depend(&mut self, edge: Edge) {
        self.described.depend(self.last(), edge);
    }

    /// The last task is complete.
    pub fn seal(&mut self) {
        self.described.seal(self.last());
    }

    /// Takes back the last task.
    pub fn take_back(&mut self) -> Option<TaskId> {
        let task = self.tasks.pop()?;
        self.described.take_back();
        Some(task)
    }

    /// No tasks, in the same room.
    pub fn clear(&mut self) {
        self.tasks.clear();
        self.described.clear();
    }

    /// Its tasks are sealed, and do nothing in the schedule yet; the draft is empty then.
    pub fn move_to(&mut self, schedule: &mut Schedule) {
        schedule.append(&self.tasks, &mut self.described);
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Action;

    /// Sizes of which some do not fit an operation.
    fn operations(task: u32) -> impl Iterator<Item = ScheduledOperation> {
        let bytes = move |index| u64::from(task + index) << (10 * index);
        let send = move |index| Action::Send { to: 1, tag: 0, bytes: bytes(index) };
        (0..4 + task % 3).map(move |index| ScheduledOperation { action: send(index), cpu: 0, linked: false })
    }

    fn edges(task: u32) -> [Edge; 2] {
        [Edge { before: 0, after: 1, begin: false }, Edge { before: 0, after: task % 3 + 1, begin: true }]
    }

    fn directly(tasks: &[u32]) -> Schedule {
        let mut schedule = Schedule::new(8);
        for &task in tasks {
            operations(task).for_each(|operation| _ = schedule.push(TaskId(task), operation));
            edges(task).into_iter().for_each(|edge| schedule.depend(TaskId(task), edge));
            schedule.seal(TaskId(task));
        }
        schedule
    }

    fn describe(draft: &mut Draft, task: u32) {
        draft.begin(TaskId(task));
        operations(task).for_each(|operation| draft.push(operation));
        edges(task).into_iter().for_each(|edge| draft.depend(edge));
        draft.seal();
    }

    #[test]
    fn drafts_give_what_would_have_been_described_in_the_schedule_itself() {
        let (mut schedule, mut drafts) = (Schedule::new(8), [Draft::default(), Draft::default()]);
        for (tasks, all) in [[6, 1, 2], [3, 7, 0]].iter().zip(&mut drafts) {
            tasks.iter().for_each(|&task| describe(all, task));
        }
        describe(&mut drafts[0], 5);
        drafts[0].begin(TaskId(4));
        assert_eq!(drafts[0].take_back(), Some(TaskId(4)));
        assert_eq!(drafts[0].take_back(), Some(TaskId(5)));
        drafts.iter_mut().for_each(|draft| draft.move_to(&mut schedule));
        assert_eq!(schedule, directly(&[6, 1, 2, 3, 7, 0]));
        assert!(drafts[0].tasks().is_empty() && drafts[0].take_back().is_none());
    }
}
