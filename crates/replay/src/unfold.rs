//! From a recorded activity to a schedule: repeats unrolled, collective operations as the messages they are made of.
//!
//! A schedule has no order of arrival, so calls whose outcome depends on it (Waitany, Test, Cancel, Probe) cannot be
//! written.

use crate::codes;
use crate::collective::plan::{AlgorithmChoice, Plan};
use chronos_activity::schedule::{ANY, Action, Edge, Schedule, ScheduledOperation};
use chronos_activity::{Activity, Collective, CommId, Operation, RequestId, Step, TaskId, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use chronos_machine::network::Network;
use std::collections::VecDeque;
use std::sync::Arc;

/// Most operations of a schedule that is written.
const MOST: u64 = 50_000_000;

/// The schedule of an activity whose computing steps are priced; the network decides the algorithms of collective
/// operations.
///
/// # Errors
/// A call that a schedule cannot express, or too many operations.
pub fn unfold(
    activity: &Activity,
    network: &Network,
    pricing: &mut dyn FnMut(TaskId, Work) -> Picoseconds,
) -> Result<Schedule, Diagnostic> {
    let mut schedule = Schedule::new(activity.tasks.len());
    let mut inner = Vec::new();
    for (task, steps) in activity.tasks.iter().enumerate() {
        let mut unfolding = Unfolding {
            activity,
            network,
            pricing: &mut *pricing,
            schedule: &mut schedule,
            task: TaskId(task as u32),
            last: None,
            requests: FxHashMap::default(),
            joined: FxHashMap::default(),
            rest: Picoseconds::ZERO,
            inner: &mut inner,
        };
        unfolding.steps(steps)?;
        schedule.seal(TaskId(task as u32));
    }
    fill_in_sizes(&mut schedule, &inner);
    Ok(schedule)
}

struct Unfolding<'a> {
    activity: &'a Activity,
    network: &'a Network,
    pricing: &'a mut dyn FnMut(TaskId, Work) -> Picoseconds,
    schedule: &'a mut Schedule,
    task: TaskId,
    /// What the next operation of the program waits for.
    last: Option<u32>,
    requests: FxHashMap<RequestId, u32>,
    /// Collective operations so far, by communicator.
    joined: FxHashMap<CommId, u32>,
    /// Time below a nanosecond that was not written yet.
    rest: Picoseconds,
    /// Receives inside collective operations.
    inner: &'a mut Vec<(TaskId, u32)>,
}

impl Unfolding<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), Diagnostic> {
        for step in steps {
            match step {
                Step::Work(work) => self.work(*work, 1),
                Step::Event(event) => self.operation(&event.operation)?,
                Step::Repeat(repeat) => match repeat.steps.as_slice() {
                    [Step::Work(work)] => self.work(*work, repeat.times),
                    steps => (0..repeat.times).try_for_each(|_| self.steps(steps))?,
                },
                Step::LoopEnter | Step::LoopIteration | Step::LoopExit | Step::Spin(_) | Step::End | Step::Stuck => {}
            }
        }
        match self.schedule.operations() > MOST {
            true => Err(impossible(format!("it has more than {MOST} operations"))),
            false => Ok(()),
        }
    }

    fn work(&mut self, work: Work, times: u64) {
        let time = (self.pricing)(self.task, work).saturating_mul(times);
        self.compute(time);
    }

    fn compute(&mut self, time: Picoseconds) {
        let time = self.rest + time;
        self.rest = Picoseconds(time.0 % 1000);
        if time.0 >= 1000 {
            self.last = Some(self.begin(Action::Compute { ns: time.0 / 1000 }, self.last));
        }
    }

    fn begin(&mut self, action: Action, after: Option<u32>) -> u32 {
        let operation = ScheduledOperation { action, cpu: 0, linked: false };
        let index = self.schedule.push(self.task, operation);
        if let Some(before) = after {
            self.schedule.depend(self.task, Edge { before, after: index, begin: false });
        }
        index
    }

    /// An operation that begins when all of these have ended.
    fn join(&mut self, mut all: Vec<u32>) -> Option<u32> {
        all.sort_unstable();
        all.dedup();
        if all.len() < 2 {
            return all.pop();
        }
        let join = self.begin(Action::Compute { ns: 0 }, None);
        for before in all {
            self.schedule.depend(self.task, Edge { before, after: join, begin: false });
        }
        Some(join)
    }

    fn operation(&mut self, operation: &Operation) -> Result<(), Diagnostic> {
        match operation {
            Operation::Send { to, tag, comm, bytes, request, .. } => {
                let action = Action::Send { to: to.0, tag: user_tag(*comm, *tag), bytes: bytes.0 };
                self.message(action, *request);
            }
            Operation::Recv { from, tag, comm, bytes, request } => {
                if tag.is_none() && *comm != CommId(0) {
                    return Err(impossible(
                        "a receive of any tag in a communicator other than MPI_COMM_WORLD".to_owned(),
                    ));
                }
                let (from, tag) = (from.map_or(ANY, |task| task.0), tag.map_or(ANY, |tag| user_tag(*comm, tag)));
                self.message(Action::Recv { from, tag, bytes: bytes.0 }, *request);
            }
            Operation::WaitAll { requests } => self.wait(requests),
            Operation::WaitAny { requests } if requests.len() == 1 => self.wait(requests),
            Operation::Collective(collective) => self.collective(collective),
            Operation::Local { .. } | Operation::ReadClock { .. } => {
                self.compute(Picoseconds::from_nanoseconds(self.network.call_ns));
            }
            Operation::Start => self.compute(Picoseconds::from_nanoseconds(self.network.spawn_ns.unwrap_or(0.0))),
            Operation::Elapsed { .. } => {}
            Operation::WaitAny { .. }
            | Operation::TestAll { .. }
            | Operation::TestAny { .. }
            | Operation::Cancel { .. }
            | Operation::Probe { .. } => {
                return Err(impossible("a call depends on what has arrived (Waitany, Test, Probe)".to_owned()));
            }
            Operation::Storage { bytes, .. } => {
                let (latency, transfer) = self.network.storage.map_or_else(Default::default, |s| s.times(bytes.0));
                self.compute(latency + transfer);
            }
            Operation::Access { .. } | Operation::Lock { .. } | Operation::Unlock { .. } => {
                return Err(impossible("the program accesses windows (one-sided communication)".to_owned()));
            }
            Operation::Abort { .. } => return Err(impossible("the program calls MPI_Abort".to_owned())),
        }
        Ok(())
    }

    fn message(&mut self, action: Action, request: Option<RequestId>) {
        let index = self.begin(action, self.last);
        match request {
            Some(request) => {
                self.requests.insert(request, index);
            }
            None => self.last = Some(index),
        }
    }

    fn wait(&mut self, requests: &[RequestId]) {
        let ended = requests.iter().filter_map(|request| self.requests.remove(request));
        let all: Vec<u32> = ended.chain(self.last).collect();
        self.last = self.join(all);
    }

    fn collective(&mut self, collective: &Collective) {
        let group = self.group(collective.comm);
        let position = |task: TaskId| group.iter().position(|&member| member == task).map(|rank| rank as u32);
        let Some(rank) = position(self.task) else { return };
        let number = self.joined.entry(collective.comm).or_default();
        *number += 1;
        let tag = inner_tag(collective.comm, *number);
        let size = group.len() as u32;
        let decision = AlgorithmChoice::of(self.network, collective, size);
        let root = collective.root.and_then(position).unwrap_or(0);
        let plan = Plan::new(collective, decision, rank, size, root);
        let end = self.rounds(&plan, &group, tag);
        match (collective.request, end) {
            (Some(request), Some(end)) => {
                self.requests.insert(request, end);
            }
            (Some(_), None) => {}
            (None, end) => self.last = end,
        }
    }

    /// What the last of the rounds waits for.
    fn rounds(&mut self, plan: &Plan, group: &[TaskId], tag: u32) -> Option<u32> {
        let mut last = self.last;
        let mut open = Vec::new();
        for round in (0..).map_while(|index| plan.round(index)) {
            if let Some(from) = round.recv {
                let index = self.begin(Action::Recv { from: group[from as usize].0, tag, bytes: 0 }, last);
                self.inner.push((self.task, index));
                open.push(index);
            }
            if let Some((to, bytes)) = round.send {
                open.push(self.begin(Action::Send { to: group[to as usize].0, tag, bytes }, last));
            }
            if round.wait {
                open.extend(last);
                last = self.join(std::mem::take(&mut open));
            }
            let reduction = self.network.reduction_ns_per_byte * round.reduce as f64;
            if reduction >= 1.0 {
                last = Some(self.begin(Action::Compute { ns: reduction as u64 }, last));
            }
        }
        open.extend(last);
        self.join(open)
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        match self.activity.groups.get(&comm) {
            Some(group) => Arc::clone(group),
            None => (0..self.activity.tasks.len() as u32).map(TaskId).collect(),
        }
    }
}

/// Schedules have no communicators: those of the program, and messages inside collective operations, have tags of
/// their own.
fn user_tag(comm: CommId, tag: i32) -> u32 {
    const OF_TAG: u32 = 15;
    match comm.0 {
        0 => (tag as u32) & 0x3fff_ffff,
        comm => 1 << 29 | (comm.wrapping_mul(0x9e37) << OF_TAG | (tag as u32 & ((1 << OF_TAG) - 1))) & 0x1fff_ffff,
    }
}

fn inner_tag(comm: CommId, number: u32) -> u32 {
    1 << 30 | (comm.0.wrapping_mul(0x9e37) << 16 ^ number) & 0x3fff_ffff
}

/// Receives inside collective operations get the sizes of the messages that are for them.
fn fill_in_sizes(schedule: &mut Schedule, inner: &[(TaskId, u32)]) {
    let mut sizes: FxHashMap<(u32, u32, u32), VecDeque<u64>> = FxHashMap::default();
    for task in 0..schedule.len() as u32 {
        for index in 0..schedule.length(TaskId(task)) {
            if let Action::Send { to, tag, bytes } = schedule.operation(TaskId(task), index).action
                && tag & 1 << 30 != 0
            {
                sizes.entry((task, to, tag)).or_default().push_back(bytes);
            }
        }
    }
    for &(task, index) in inner {
        if let Action::Recv { from, tag, .. } = schedule.operation(task, index).action
            && let Some(bytes) = sizes.get_mut(&(from, task.0, tag)).and_then(VecDeque::pop_front)
        {
            schedule.replace(task, index, Action::Recv { from, tag, bytes });
        }
    }
}

fn impossible(why: String) -> Diagnostic {
    Diagnostic::error(&codes::NO_SCHEDULE, format!("the activity cannot be written as a schedule: {why}"))
        .help("write a timeline instead (--trace-out chrome=FILE), or predict with fewer tasks or iterations")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{round_network, script::activity};
    use chronos_tool_formats::goal;

    fn written(text: &str) -> String {
        let mut pricing = |_, work| if let Work::Time(time) = work { time } else { Picoseconds::ZERO };
        match unfold(&activity(text), &round_network(), &mut pricing) {
            Ok(schedule) => goal::render(&schedule),
            Err(error) => error.message,
        }
    }

    #[test]
    fn calls_become_operations_that_wait_for_one_another() {
        insta::assert_snapshot!(written("0: loop 2 [ calc 5; isend 1 8 req=1; irecv 1 9 req=2; wait 1 2 ]\n1: "), @r"
        num_ranks 2

        rank 0 {
        l1: calc 5
        l2: send 8b to 1 tag 0
        l2 requires l1
        l3: recv 9b from 1 tag 0
        l4: calc 0
        l4 requires l3
        l5: calc 5
        l5 requires l4
        l6: send 8b to 1 tag 0
        l6 requires l5
        l7: recv 9b from 1 tag 0
        l8: calc 0
        l8 requires l7
        l3 requires l1
        l4 requires l1
        l4 requires l2
        l7 requires l5
        l8 requires l5
        l8 requires l6
        }

        rank 1 {
        }
        ");
    }

    #[test]
    fn collective_operations_become_messages() {
        insta::assert_snapshot!(written("0: bcast 0 64\n1: bcast 0 64\n2: bcast 0 64"), @r"
        num_ranks 3

        rank 0 {
        l1: send 64b to 2 tag 1073741825
        l2: send 64b to 1 tag 1073741825
        l2 requires l1
        l3: calc 0
        l3 requires l2
        l3 requires l1
        }

        rank 1 {
        l1: recv 64b from 0 tag 1073741825
        }

        rank 2 {
        l1: recv 64b from 0 tag 1073741825
        }
        ");
    }

    #[test]
    fn what_depends_on_arrival_cannot_be_written() {
        insta::assert_snapshot!(written("0: irecv 1 8 req=0; irecv 1 8 req=1; waitany 0 1\n1: "),
            @"the activity cannot be written as a schedule: a call depends on what has arrived (Waitany, Test, Probe)");
    }
}
