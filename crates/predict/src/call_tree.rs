//! The tree of calls: what each calling context takes, and what blocks take with everything inside them.

use crate::aggregate::Aggregate;
use crate::evaluation::Job;
use crate::functions::entry_counter;
use chronos_activity::{ContextId, Count, Site};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Nanoseconds;
use chronos_ir::{CounterId, FuncId, Program};
use chronos_replay::{SiteTime, TaskTime};
use chronos_report::model::{Block, CallNode, NodeOfTask};
use std::collections::BTreeMap;

/// So many nodes are told, those with the most time.
const NODES: usize = 4000;

/// Times of contexts and of MPI calls in them, summed over the tasks.
pub(crate) struct CallTree {
    /// Computation; callees and MPI excluded.
    own: BTreeMap<ContextId, Nanoseconds>,
    /// With callees and MPI.
    whole: BTreeMap<ContextId, Nanoseconds>,
    sites: BTreeMap<Site, SiteTime>,
}

impl CallTree {
    pub fn new(job: &Job, aggregate: &Aggregate<'_>) -> Self {
        let nothing = || aggregate.segments.contexts().map(|(id, _)| (id, Nanoseconds::default())).collect();
        let mut tree = Self { own: nothing(), whole: nothing(), sites: BTreeMap::new() };
        for (&context, &time) in aggregate.contexts.iter().flatten() {
            tree.add(context, time);
        }
        for (site, spent) in aggregate.result.tasks.iter().flat_map(|task| &task.sites) {
            tree.add_site(job, *site, *spent);
        }
        tree.add_callees(aggregate);
        tree
    }

    fn add(&mut self, context: ContextId, time: Nanoseconds) {
        *self.own.entry(context).or_default() += time;
        *self.whole.entry(context).or_default() += time;
    }

    fn add_site(&mut self, job: &Job, site: Site, spent: SiteTime) {
        if job.program.blocks.get(site.block).is_some() {
            *self.whole.entry(site.context).or_default() += Nanoseconds(spent.time.as_nanoseconds());
            let sum = self.sites.entry(site).or_default();
            sum.calls += spent.calls;
            sum.time += spent.time;
            sum.idle += spent.idle;
        }
    }

    /// A context is entered into the table after the one that it was called from.
    fn add_callees(&mut self, aggregate: &Aggregate<'_>) {
        let contexts: Vec<ContextId> = self.whole.keys().rev().copied().collect();
        for context in contexts {
            if let Some(parent) = aggregate.segments.context(context).parent {
                let time = self.whole[&context];
                *self.whole.entry(parent).or_default() += time;
            }
        }
    }

    /// Gives blocks the time of what stands inside them and of the functions that they call. What a recursive call
    /// takes is in the call that came from elsewhere.
    pub(crate) fn add_inclusive(&self, blocks: &mut [Block], aggregate: &Aggregate<'_>) {
        for (&context, time) in &self.whole {
            let call = aggregate.segments.context(context).call;
            if let Some(block) = call.and_then(|call| blocks.get_mut(call.index())) {
                block.inclusive_s += time.0 / 1e9;
            }
        }
        for inner in (0..blocks.len()).rev() {
            blocks[inner].inclusive_s += blocks[inner].time_s;
            let (time, parent) = (blocks[inner].inclusive_s, blocks[inner].parent);
            if let Some(outer) = parent.and_then(|parent| blocks.get_mut(parent as usize)) {
                outer.inclusive_s += time;
            }
        }
    }

    /// Parents stand before their children.
    pub fn nodes(&self, job: &Job, aggregate: &Aggregate<'_>) -> Vec<CallNode> {
        let calls = calls(&job.program, aggregate);
        let mut found: Vec<(Origin, Nanoseconds)> = Vec::new();
        let executed = self.whole.iter().filter(|(context, time)| time.0 > 0.0 || calls.contains_key(context));
        found.extend(executed.map(|(&context, &time)| (Origin::Function(context), time)));
        found.extend(self.sites.iter().map(|(&site, spent)| (Origin::Mpi(site), nanoseconds(spent))));
        found.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        found.truncate(NODES);
        found.sort_by_key(|&(origin, _)| origin);
        let mut numbers: FxHashMap<ContextId, u32> = FxHashMap::default();
        let mut nodes: Vec<CallNode> = Vec::new();
        let of_tasks = OfTasks::new(job, aggregate, found.len());
        for (origin, time) in found {
            let Some(parent) = origin.parent(aggregate, &numbers) else { continue };
            if let Origin::Function(context) = origin {
                numbers.insert(context, nodes.len() as u32);
            }
            let node = self.node(origin, parent, time, job, aggregate, &calls);
            nodes.push(CallNode { of_tasks: of_tasks.of(origin), ..node });
        }
        nodes
    }

    fn node(
        &self,
        origin: Origin,
        parent: Option<u32>,
        time: Nanoseconds,
        job: &Job,
        aggregate: &Aggregate<'_>,
        calls: &FxHashMap<ContextId, Count>,
    ) -> CallNode {
        let mean = |time: Nanoseconds| time.0 / 1e9 / job.tasks.max(1) as f64;
        match origin {
            Origin::Function(id) => {
                let context = aggregate.segments.context(id);
                CallNode {
                    parent,
                    name: job.program.functions[context.function].name.to_string(),
                    kind: "function",
                    block: context.call.map(|call| call.0),
                    calls: calls.get(&id).copied().unwrap_or(Count::ZERO),
                    inclusive_s: mean(time),
                    exclusive_s: mean(self.own[&id]),
                    idle_s: 0.0,
                    of_tasks: Vec::new(),
                }
            }
            Origin::Mpi(site) => CallNode {
                parent,
                name: super::report_sections::mpi_name(&job.program, site.block),
                kind: "mpi",
                block: Some(site.block.0),
                calls: Count::exact(self.sites[&site].calls.into()),
                inclusive_s: mean(time),
                exclusive_s: mean(time),
                idle_s: self.sites[&site].idle.as_seconds() / job.tasks.max(1) as f64,
                of_tasks: Vec::new(),
            },
        }
    }
}

/// What a node stands for; functions before the MPI calls in them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Function(ContextId),
    Mpi(Site),
}

impl Origin {
    /// `None` where the caller was left out.
    fn parent(self, aggregate: &Aggregate<'_>, numbers: &FxHashMap<ContextId, u32>) -> Option<Option<u32>> {
        let caller = match self {
            Self::Function(context) => aggregate.segments.context(context).parent,
            Self::Mpi(site) => Some(site.context),
        };
        match caller {
            None => Some(None),
            Some(caller) => numbers.get(&caller).map(|&number| Some(number)),
        }
    }
}

fn nanoseconds(spent: &SiteTime) -> Nanoseconds {
    Nanoseconds(spent.time.as_nanoseconds())
}

/// How often the function of each context was entered in it, by all tasks.
fn calls(program: &Program, aggregate: &Aggregate<'_>) -> FxHashMap<ContextId, Count> {
    let counters = entries(program, aggregate);
    let mut sums = FxHashMap::default();
    aggregate.result.tasks.iter().for_each(|task| add_calls(&mut sums, task, aggregate, &counters));
    sums
}

/// By context: what counts how often its function is entered.
fn entries(program: &Program, aggregate: &Aggregate<'_>) -> FxHashMap<ContextId, CounterId> {
    let first = |function: FuncId| entry_counter(program, function);
    aggregate.segments.contexts().filter_map(|(id, context)| Some((id, first(context.function)?))).collect()
}

fn add_calls(
    sums: &mut FxHashMap<ContextId, Count>,
    task: &TaskTime,
    aggregate: &Aggregate<'_>,
    counters: &FxHashMap<ContextId, CounterId>,
) {
    for &(segment, times) in &task.segments {
        for &(context, counter, count) in &aggregate.segments.get(segment).counts {
            if counters.get(&context) == Some(&counter) {
                *sums.entry(context).or_insert(Count::ZERO) += count.times(Count::exact(times.into()));
            }
        }
    }
}

/// Values that are kept of tasks by themselves, at most: nodes times tasks.
const VALUES_OF_TASKS: usize = 1 << 19;

/// What each task has of call paths; nothing where that would be very many values.
struct OfTasks<'a> {
    own: &'a [FxHashMap<ContextId, Nanoseconds>],
    calls: Vec<FxHashMap<ContextId, Count>>,
    sites: Vec<FxHashMap<Site, SiteTime>>,
}

impl<'a> OfTasks<'a> {
    fn new(job: &Job, aggregate: &'a Aggregate<'_>, nodes: usize) -> Self {
        let tasks = &aggregate.result.tasks;
        if nodes.saturating_mul(tasks.len()) > VALUES_OF_TASKS {
            return Self { own: &[], calls: Vec::new(), sites: Vec::new() };
        }
        let counters = entries(&job.program, aggregate);
        let calls = |task: &TaskTime| {
            let mut sums = FxHashMap::default();
            add_calls(&mut sums, task, aggregate, &counters);
            sums
        };
        let sites = |task: &TaskTime| {
            let mut sums: FxHashMap<Site, SiteTime> = FxHashMap::default();
            for &(site, spent) in &task.sites {
                let sum = sums.entry(site).or_default();
                sum.calls += spent.calls;
                sum.time += spent.time;
                sum.idle += spent.idle;
            }
            sums
        };
        let own = &aggregate.contexts;
        Self { own, calls: tasks.iter().map(calls).collect(), sites: tasks.iter().map(sites).collect() }
    }

    fn of(&self, origin: Origin) -> Vec<NodeOfTask> {
        match origin {
            Origin::Function(context) => self
                .own
                .iter()
                .zip(&self.calls)
                .map(|(own, calls)| {
                    let own_s = own.get(&context).map_or(0.0, |time| time.0 / 1e9);
                    NodeOfTask { calls: calls.get(&context).copied().unwrap_or(Count::ZERO), own_s, idle_s: 0.0 }
                })
                .collect(),
            Origin::Mpi(site) => self
                .sites
                .iter()
                .map(|sites| {
                    let spent = sites.get(&site).copied().unwrap_or_default();
                    let calls = Count::exact(spent.calls.into());
                    NodeOfTask { calls, own_s: spent.time.as_seconds(), idle_s: spent.idle.as_seconds() }
                })
                .collect(),
        }
    }
}
