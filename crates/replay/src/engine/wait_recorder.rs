//! The log of waits while it grows: who waited for whom, and when tasks met.

use crate::collective::CollectiveFrame;
use crate::matching::operation::Completion;
use crate::result::{Late, Wait, WaitingLog};
use chronos_activity::{CommId, Site, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;

/// Members of a collective operation that came so far, and how many have left.
#[derive(Debug, Default)]
struct Members {
    came: Vec<(TaskId, Picoseconds)>,
    left: usize,
}

/// The log while it grows.
#[derive(Debug, Default)]
pub(crate) struct WaitRecorder {
    pub log: WaitingLog,
    /// Collective operations under way.
    open: FxHashMap<(CommId, u32), Members>,
}

impl WaitRecorder {
    pub fn new(tasks: usize) -> Self {
        let log = WaitingLog { collectives: vec![FxHashMap::default(); tasks], ..WaitingLog::default() };
        Self { log, open: FxHashMap::default() }
    }

    /// What a task waited for from `since` on: completions in the order in which they are dealt with.
    pub fn note(&mut self, task: TaskId, since: Picoseconds, site: Option<Site>, completions: &[Completion]) {
        let (mut begin, mut at) = (since, since);
        for completion in completions {
            let other = (completion.from != task).then_some(completion.from);
            let came = completion.partner.min(completion.at);
            let idle = if completion.at > at { came - at } else { Picoseconds::ZERO };
            self.push(task, begin, idle, site, other.map(|task| Late { task, came }));
            begin += idle;
            at = at.max(completion.at) + completion.overhead;
            // What came while the task did something else has let it be late from then on.
            if let Some(other) = other {
                self.meet((task, completion.at), (other, completion.left));
            }
        }
    }

    /// The same for a round of a collective operation, whose waits are for the member that came last of all that the round
    /// depends on.
    pub fn note_round(&mut self, frame: &CollectiveFrame, site: Option<Site>) {
        let (mut begin, mut at) = (frame.entered + frame.idle, frame.clock);
        for completion in &frame.completions {
            let came = completion.partner.min(completion.at);
            let idle = if completion.at > at { came - at } else { Picoseconds::ZERO };
            if idle > Picoseconds::ZERO {
                let late = self.member_at(frame, completion.partner).unwrap_or(completion.from);
                self.push(frame.task, begin, idle, site, Some(Late { task: late, came }));
            }
            begin += idle;
            at = at.max(completion.at) + completion.overhead;
        }
    }

    pub fn push(
        &mut self,
        task: TaskId,
        begin: Picoseconds,
        idle: Picoseconds,
        site: Option<Site>,
        late: Option<Late>,
    ) {
        if idle > Picoseconds::ZERO {
            self.log.waits.push(Wait { task, begin, end: begin + idle, site, late });
        }
    }

    fn meet(&mut self, one: (TaskId, Picoseconds), other: (TaskId, Picoseconds)) {
        let (low, high) = if one.0 < other.0 { (one, other) } else { (other, one) };
        self.log.meetings.entry((low.0, high.0)).or_default().push((low.1, high.1));
    }

    /// A member comes to a collective operation.
    pub fn note_member(&mut self, frame: &CollectiveFrame) {
        self.open.entry((frame.comm, frame.number)).or_default().came.push((frame.task, frame.entered));
    }

    /// The member that came at this time.
    fn member_at(&self, frame: &CollectiveFrame, time: Picoseconds) -> Option<TaskId> {
        let members = self.open.get(&(frame.comm, frame.number))?;
        members.came.iter().find(|member| member.1 == time).map(|member| member.0)
    }

    /// A member is through: the one that it depended on and that came last.
    pub fn note_end(&mut self, frame: &CollectiveFrame) -> Option<TaskId> {
        let late = self.member_at(frame, frame.partner);
        if frame.op.is_none() {
            let left = self.log.collectives[frame.task.0 as usize].entry(frame.comm).or_default();
            left.push((frame.number, frame.clock));
        }
        let key = (frame.comm, frame.number);
        if let Some(members) = self.open.get_mut(&key) {
            members.left += 1;
            if members.left == frame.group.len() {
                self.open.remove(&key);
            }
        }
        late
    }
}
