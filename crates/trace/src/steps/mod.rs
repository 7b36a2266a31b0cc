//! What the tasks of a run did, as an activity: segments of counts and MPI calls with what they asked for, in the order
//! of the trace.
//!
//! A trace has no calling contexts. Each function stands in one: the path of those calls to it, from `main`, that
//! were executed most. This module must not know times, nor what static evaluation says.

mod calls;
mod contexts;
mod counts;

use super::task::{Ending, Item, Symbol, TaskTrace};
use super::{Trace, TracedCounts};
pub use calls::{operation, operations};
use chronos_activity::{Activity, CommId, Event, Repeat, Segments, Site, Step, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, Callee, Program};
pub use contexts::Contexts;
use counts::{Pending, SegmentTable};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes that one execution of a library call handles, by its block, where something else knows them.
pub type CallBytes = FxHashMap<BlockId, f64>;

/// The activity of a run of which every counter of the program was traced.
///
/// # Errors
/// A call whose arguments the trace has not.
pub fn activity(trace: &Trace, program: &Program, bytes: &CallBytes) -> Result<Activity, Box<Diagnostic>> {
    let mut segments = Segments::default();
    let contexts = Contexts::new(program, &totals(trace), &mut segments);
    let mut groups = Groups::default();
    let mut tasks = Vec::new();
    for task in &trace.tasks {
        let comms = groups.of_task(&task.groups);
        let mut table = SegmentTable::new(trace, task, program, &contexts, bytes, &mut segments);
        let events = task.events.iter().map(|(&id, call)| {
            let site = site(program, &contexts, call.site);
            let operations = calls::operations(call, program, task.tasks, &comms)?;
            let event = |operation| Step::Event(Arc::new(Event { operation, site }));
            Ok((id, operations.map(event)))
        });
        let events = events.collect::<Result<BTreeMap<_, _>, Box<Diagnostic>>>()?;
        let mut walk = Walk {
            task,
            events: &events,
            table: &mut table,
            has_event: FxHashMap::default(),
            pending: Pending::default(),
        };
        let mut steps = walk.all(&task.items);
        walk.flush(&mut steps);
        if task.ending != Ending::Complete {
            steps.push(Step::Stuck);
        }
        tasks.push(steps);
    }
    Ok(Activity { tasks, segments, groups: groups.members, timing_dependent: false })
}

fn totals(trace: &Trace) -> TracedCounts {
    let mut sums = TracedCounts::new();
    for counts in trace.counts() {
        for (counter, count) in counts {
            let sum = sums.entry(counter).or_insert(0);
            *sum = count.saturating_add(*sum);
        }
    }
    sums
}

/// The call that an event names.
fn site(program: &Program, contexts: &Contexts, site: u32) -> Option<Site> {
    let block = program.blocks.get(BlockId(site))?;
    let calls_mpi = matches!(&block.kind, BlockKind::Call(call) if matches!(call.callee, Callee::Mpi(_)));
    calls_mpi.then(|| Site { context: contexts.of(block.function), block: BlockId(site) })
}

/// Communicators of all tasks: those with the same members are made by all of these in the same order.
#[derive(Debug, Default)]
pub struct Groups {
    known: FxHashMap<(Vec<u32>, usize), CommId>,
    members: FxHashMap<CommId, Arc<[TaskId]>>,
}

impl Groups {
    /// By the numbers that they have on the task.
    pub fn of_task(&mut self, groups: &BTreeMap<u32, Vec<u32>>) -> BTreeMap<i64, CommId> {
        let mut made: FxHashMap<&Vec<u32>, usize> = FxHashMap::default();
        let mut comms = BTreeMap::from([(0, CommId(0))]);
        for (&number, members) in groups {
            let nth = made.entry(members).or_insert(0);
            let next = CommId(u32::try_from(self.known.len() + 1).unwrap_or(u32::MAX));
            let id = *self.known.entry((members.clone(), *nth)).or_insert(next);
            *nth += 1;
            self.members.entry(id).or_insert_with(|| members.iter().map(|&rank| TaskId(rank)).collect());
            comms.insert(i64::from(number), id);
        }
        comms
    }

    /// The members of each.
    pub fn into_members(self) -> FxHashMap<CommId, Arc<[TaskId]>> {
        self.members
    }
}

/// A walk over the items of a task.
struct Walk<'a, 'b> {
    task: &'a TaskTrace,
    events: &'a BTreeMap<u32, Option<Step>>,
    table: &'a mut SegmentTable<'b>,
    /// By rule.
    has_event: FxHashMap<u32, bool>,
    /// Points since the last event.
    pending: Pending,
}

impl Walk<'_, '_> {
    fn all(&mut self, items: &[Item]) -> Vec<Step> {
        let mut steps = Vec::new();
        items.iter().for_each(|item| self.item(item, &mut steps));
        steps
    }

    fn item(&mut self, item: &Item, steps: &mut Vec<Step>) {
        if !self.holds_event(item.symbol) {
            self.pending.add(&self.table.points(item.symbol), item.times);
            return;
        }
        // A repetition begins within a segment: the first time that goes on from what came before it, from then on
        // from its own end.
        self.once(item.symbol, steps);
        let mut repeated = Vec::new();
        if item.times > 1 {
            self.once(item.symbol, &mut repeated);
        }
        match repeated.is_empty() {
            true => {}
            false => steps.push(Step::Repeat(Arc::new(Repeat { steps: repeated, times: item.times - 1 }))),
        }
    }

    fn once(&mut self, symbol: Symbol, steps: &mut Vec<Step>) {
        let task = self.task;
        match symbol {
            Symbol::Event(id) => {
                if let Some(Some(event)) = self.events.get(&id) {
                    self.flush(steps);
                    steps.push(event.clone());
                }
            }
            Symbol::Rule(id) => {
                let body = task.rules.get(&id).map_or(&[][..], Vec::as_slice);
                let body = self.all(body);
                steps.extend(body);
            }
            Symbol::Point(_) | Symbol::Segment(_) => {}
        }
    }

    fn flush(&mut self, steps: &mut Vec<Step>) {
        if let Some(work) = self.table.step(std::mem::take(&mut self.pending)) {
            steps.push(work);
        }
    }

    /// Whether an event with an operation is part of it.
    fn holds_event(&mut self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Point(_) | Symbol::Segment(_) => false,
            Symbol::Event(id) => self.events.get(&id).is_some_and(Option::is_some),
            Symbol::Rule(id) => {
                if let Some(&known) = self.has_event.get(&id) {
                    return known;
                }
                let task = self.task;
                let body = task.rules.get(&id).map_or(&[][..], Vec::as_slice);
                let holds = body.iter().any(|item| self.holds_event(item.symbol));
                self.has_event.insert(id, holds);
                holds
            }
        }
    }
}

#[cfg(test)]
mod tests;
