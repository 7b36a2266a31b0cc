//! Nodes with more tasks than processors: those of its tasks that compute share them fairly.
//!
//! The quantum is infinitely small (Eom and Hollingsworth, process LBF): each of k computing tasks gets min(1, P/k)
//! of a processor, one that waits gets nothing. Other programs of a node (`load_milli`) compute all the time. Because
//! all jobs of a node progress at one rate, a job ends when the node's progress reaches what it was at its begin plus
//! its work.
use crate::codes;
use crate::ids::NodeId;
use crate::options::{Placement, Share};
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::{Id, Table};
use chronos_base::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Progress is counted in parts of a picosecond, so that rates like 1/3 add up.
const FRACTION_BITS: u32 = 20;

/// A node whose tasks may have to share.
#[derive(Debug)]
pub(crate) struct SharedProcessors {
    share: Share,
    /// Jobs by the progress at which they end.
    jobs: BinaryHeap<Reverse<(u128, TaskId)>>,
    /// What a job that always computed would have got, up to `since`.
    progress: u128,
    since: Picoseconds,
    /// Rises with every change, so that an earlier end is void.
    pub epoch: u32,
}

impl SharedProcessors {
    fn new(share: Share) -> Self {
        Self { share, jobs: BinaryHeap::new(), progress: 0, since: Picoseconds::ZERO, epoch: 0 }
    }

    /// The part of a processor that each job has, as a fraction.
    fn rate(&self) -> (u128, u128) {
        // Ideal processor sharing: no job gets more than one processor, nor less than its equal part.
        let wanted = 1000 * self.jobs.len() as u128 + u128::from(self.share.load_milli);
        let there = 1000 * u128::from(self.share.processors);
        if wanted <= there { (1, 1) } else { (there, wanted) }
    }

    pub fn advance(&mut self, now: Picoseconds) {
        let (above, below) = self.rate();
        let passed = u128::from(now.0.saturating_sub(self.since.0)) << FRACTION_BITS;
        self.progress += passed * above / below;
        self.since = now;
    }

    pub fn begin(&mut self, task: TaskId, work: Picoseconds) {
        self.jobs.push(Reverse((self.progress + (u128::from(work.0) << FRACTION_BITS), task)));
    }

    /// When the first job ends, if nothing changes; never before its progress is there.
    pub(crate) fn next_end(&self) -> Option<Picoseconds> {
        let &Reverse((end, _)) = self.jobs.peek()?;
        let (above, below) = self.rate();
        // Rounded up, so that a job has its progress when its end comes.
        let left = ((end - self.progress) * below).div_ceil(above << FRACTION_BITS);
        Some(Picoseconds(self.since.0.saturating_add(u64::try_from(left).unwrap_or(u64::MAX))))
    }

    pub(crate) fn take_ended(&mut self) -> Option<TaskId> {
        let &Reverse((end, task)) = self.jobs.peek().filter(|Reverse((end, _))| *end <= self.progress)?;
        self.jobs.pop().map(|_| (end, task).1)
    }
}

/// One pool for each node whose tasks and load can want more processors than it has.
pub(crate) fn pools(
    nodes: &Table<TaskId, NodeId>,
    ports: usize,
    placement: &Placement,
) -> (Table<NodeId, Option<SharedProcessors>>, Option<Diagnostic>) {
    let of_all = placement.processors.filter(|&processors| processors > 0);
    let of_all = of_all.map(|processors| Share { processors, load_milli: 0 });
    let mut tasks = vec![0u64; ports];
    nodes.values().for_each(|&node| tasks[node.index()] += 1);
    let crowded = |node: usize| {
        let share = placement.shares.get(node).copied().or(of_all)?;
        let wanted = 1000 * tasks[node] + u64::from(share.load_milli);
        (tasks[node] > 0 && wanted > 1000 * u64::from(share.processors)).then_some(share)
    };
    let shares: Vec<Option<Share>> = (0..ports).map(crowded).collect();
    let most = shares.iter().zip(&tasks).filter_map(|(share, &tasks)| Some((tasks, (*share)?)));
    let notice =
        most.max_by_key(|&(tasks, share)| (tasks, share.load_milli)).map(|(tasks, share)| shared(tasks, share));
    // Where nobody shares there is nothing to look at for each task that computes.
    let pools =
        shares.iter().any(Option::is_some).then(|| shares.into_iter().map(|share| share.map(SharedProcessors::new)));
    (pools.map_or_else(Table::new, Iterator::collect), notice)
}

fn shared(tasks: u64, share: Share) -> Diagnostic {
    let others = if share.load_milli > 0 { " with other programs" } else { "" };
    let message = format!("up to {tasks} tasks share {} processors of a node{others}", share.processors);
    Diagnostic::note(&codes::SHARED_PROCESSORS, message)
        .help("those that compute get equal parts; one that waits for a message leaves its part to the others")
}
