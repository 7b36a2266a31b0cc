//! Segments: from executions of points to counts of the program's counters.

use super::{CallBytes, Contexts};
use crate::Trace;
use crate::task::{Symbol, TaskTrace};
use chronos_activity::{Count, CountSource, CountValue, Segment, SegmentId, Segments, Step, Work};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockKind, Callee, CounterId, Program};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Executions by point.
type Points = BTreeMap<u32, u128>;

/// What was executed since the last event.
#[derive(Default)]
pub struct Pending(Points);

impl Pending {
    pub fn add(&mut self, points: &Points, times: u64) {
        add(&mut self.0, points, times);
    }
}

fn add(sum: &mut Points, points: &Points, times: u64) {
    for (&point, &count) in points {
        let entry = sum.entry(point).or_insert(0);
        *entry = entry.saturating_add(count.saturating_mul(times.into()));
    }
}

/// The segments of a task.
pub(crate) struct SegmentTable<'a> {
    trace: &'a Trace,
    task: &'a TaskTrace,
    program: &'a Program,
    contexts: &'a Contexts,
    bytes: &'a CallBytes,
    segments: &'a mut Segments,
    known: FxHashMap<Points, Option<SegmentId>>,
    rules: FxHashMap<u32, Rc<Points>>,
}

impl<'a> SegmentTable<'a> {
    pub fn new(
        trace: &'a Trace,
        task: &'a TaskTrace,
        program: &'a Program,
        contexts: &'a Contexts,
        bytes: &'a CallBytes,
        segments: &'a mut Segments,
    ) -> Self {
        Self {
            trace,
            task,
            program,
            contexts,
            bytes,
            segments,
            known: FxHashMap::default(),
            rules: FxHashMap::default(),
        }
    }

    /// The points of what holds no event.
    pub fn points(&mut self, symbol: Symbol) -> Rc<Points> {
        match symbol {
            Symbol::Point(point) => Rc::new(Points::from([(point, 1)])),
            Symbol::Segment(id) => {
                let counts = self.task.segments.get(&id).into_iter().flatten();
                Rc::new(counts.map(|&(point, count)| (point, count.into())).collect())
            }
            Symbol::Event(_) => Rc::default(),
            Symbol::Rule(id) => self.rule(id),
        }
    }

    fn rule(&mut self, id: u32) -> Rc<Points> {
        if let Some(known) = self.rules.get(&id) {
            return known.clone();
        }
        let task = self.task;
        let mut sum = Points::new();
        for item in task.rules.get(&id).into_iter().flatten() {
            add(&mut sum, &self.points(item.symbol), item.times);
        }
        let sum = Rc::new(sum);
        self.rules.insert(id, sum.clone());
        sum
    }

    /// Computing; `None` where nothing was executed.
    pub fn step(&mut self, pending: Pending) -> Option<Step> {
        if pending.0.is_empty() {
            return None;
        }
        let id = match self.known.get(&pending.0) {
            Some(&id) => id,
            None => {
                let id = self.segment(&pending.0);
                self.known.insert(pending.0, id);
                id
            }
        };
        id.map(|id| Step::Work(Work::Segment(id)))
    }

    fn segment(&mut self, points: &Points) -> Option<SegmentId> {
        let mut totals = vec![0; self.task.points as usize];
        for (&point, &count) in points {
            totals[point as usize] = count;
        }
        let executed = self.trace.evaluated(&totals);
        let mut counts: Vec<_> = executed
            .iter()
            .filter(|&(_, &count)| count > 0)
            .map(|(&counter, &count)| {
                let function = self.program.blocks[self.program.block_of(counter)].function;
                let count = Count { value: CountValue::Exact(count), source: CountSource::Trace };
                (self.contexts.of(function), counter, count)
            })
            .collect();
        counts.sort_by_key(|&(context, counter, _)| (context, counter));
        let told = self.trace.map.bytes(&|point| totals.get(point as usize).copied().unwrap_or(0));
        let volumes = counts.iter().filter_map(|&(context, counter, count)| {
            let block = self.library_call(counter)?;
            let evaluated = || Some(self.bytes.get(&block)? * count.as_f64()?);
            Some((context, block, told.get(&block).copied().or_else(evaluated)?))
        });
        let mut volumes: Vec<_> = volumes.collect();
        volumes.sort_by_key(|&(context, block, _)| (context, block));
        (!counts.is_empty()).then(|| self.segments.intern(Segment { counts, volumes, ..Segment::default() }))
    }

    fn library_call(&self, counter: CounterId) -> Option<chronos_ir::BlockId> {
        let id = self.program.block_of(counter);
        match &self.program.blocks[id].kind {
            BlockKind::Call(call) if matches!(call.callee, Callee::Library(_)) => Some(id),
            _ => None,
        }
    }
}
