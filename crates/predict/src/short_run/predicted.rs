//! Predicted times by stretch: what tasks compute from one call to the next, split over the parts of the program.

use crate::Evaluated;
use crate::calibration::parts::Parts;
use crate::evaluation::Job;
use crate::pricing::Prices;
use crate::reuse::mpi_name;
use crate::target::Target;
use chronos_activity::{SegmentId, Segments, Site, Step, TaskId, Work};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, Program};
use chronos_record::stretches::{CallName, Ends};
use std::collections::{BTreeMap, BTreeSet};

/// Nanoseconds by number of the part.
pub type Times = BTreeMap<usize, f64>;

/// A stretch of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Executions {
    /// Its first execution.
    pub first: Times,
    /// All others together.
    pub rest: Times,
}

/// The calls that tasks execute, by name.
pub fn calls(program: &Program, evaluated: &Evaluated) -> BTreeSet<CallName> {
    let mut found = BTreeSet::new();
    evaluated.activity.tasks.iter().for_each(|steps| add_calls(steps, &mut found));
    found.into_iter().filter_map(|block| call_name(program, block)).collect()
}

fn add_calls(steps: &[Step], found: &mut BTreeSet<BlockId>) {
    for step in steps {
        match step {
            Step::Event(event) => found.extend(event.site.map(|site| site.block)),
            Step::Repeat(repeat) => add_calls(&repeat.steps, found),
            _ => {}
        }
    }
}

fn call_name(program: &Program, block: BlockId) -> Option<CallName> {
    let span = program.blocks.get(block)?.span;
    Some(CallName::new(mpi_name(program, block)?, &program.files.get(span.file).name, span.line_start))
}

/// The stretches of each task between these calls, as they are predicted on the target.
pub fn stretches(
    job: &Job,
    target: Target<'_>,
    evaluated: &Evaluated,
    parts: &Parts,
    known: &BTreeSet<CallName>,
) -> Vec<BTreeMap<Ends, Executions>> {
    let activity = &evaluated.activity;
    let mut prices = Prices::of_activity(job, target, activity);
    let names: Vec<&CallName> = known.iter().collect();
    let mut walk = Walk {
        program: &job.program,
        segments: &activity.segments,
        prices: &mut prices,
        parts,
        known,
        names: FxHashMap::default(),
        priced: FxHashMap::default(),
        task: TaskId(0),
        from: None,
        open: Times::new(),
        sums: BTreeMap::new(),
    };
    let named = |number: Option<usize>| number.map(|number| names[number].clone());
    let tasks = activity.tasks.iter().enumerate().map(|(task, steps)| {
        let sums = walk.task(task, steps);
        sums.into_iter().map(|((from, to), times)| ((named(from), named(to)), times)).collect()
    });
    tasks.collect()
}

/// Calls by their position among those that are known.
type Numbers = (Option<usize>, Option<usize>);

struct Walk<'w, 'a> {
    program: &'w Program,
    segments: &'w Segments,
    prices: &'w mut Prices<'a>,
    parts: &'w Parts,
    known: &'w BTreeSet<CallName>,
    names: FxHashMap<BlockId, Option<usize>>,
    /// By kind of machine and segment.
    priced: FxHashMap<(usize, SegmentId), Times>,
    task: TaskId,
    from: Option<usize>,
    open: Times,
    sums: BTreeMap<Numbers, Executions>,
}

impl Walk<'_, '_> {
    fn task(&mut self, task: usize, steps: &[Step]) -> BTreeMap<Numbers, Executions> {
        self.task = TaskId(task as u32);
        self.from = None;
        self.steps(steps, 1.0);
        self.close(None, 1.0);
        std::mem::take(&mut self.sums)
    }

    fn steps(&mut self, steps: &[Step], times: f64) {
        for step in steps {
            match step {
                Step::Work(work) => self.work(*work),
                Step::Event(event) => {
                    if let Some(to) = event.site.and_then(|site| self.number(site)) {
                        self.close(Some(to), times);
                    }
                }
                Step::Repeat(repeat) => self.repeat(&repeat.steps, repeat.times, times),
                _ => {}
            }
        }
    }

    fn repeat(&mut self, steps: &[Step], rounds: u64, times: f64) {
        if steps.iter().any(|step| self.ends_stretch(step)) {
            // What leads into the first round is another stretch than what leads from one to the next.
            self.steps(steps, times);
            if rounds > 1 {
                self.steps(steps, times * (rounds - 1) as f64);
            }
            return;
        }
        let before = std::mem::take(&mut self.open);
        self.steps(steps, times);
        let round = std::mem::replace(&mut self.open, before);
        round.into_iter().for_each(|(part, time)| *self.open.entry(part).or_default() += time * rounds as f64);
    }

    fn ends_stretch(&mut self, step: &Step) -> bool {
        match step {
            Step::Event(event) => event.site.and_then(|site| self.number(site)).is_some(),
            Step::Repeat(repeat) => repeat.steps.iter().any(|step| self.ends_stretch(step)),
            _ => false,
        }
    }

    fn number(&mut self, site: Site) -> Option<usize> {
        let (program, known) = (self.program, self.known);
        let position = || known.iter().position(|name| Some(name) == call_name(program, site.block).as_ref());
        *self.names.entry(site.block).or_insert_with(position)
    }

    fn work(&mut self, work: Work) {
        let Work::Segment(id) = work else { return };
        let key = (self.prices.kind(self.task), id);
        if !self.priced.contains_key(&key) {
            self.prices.time(self.task, work, self.segments);
            let mut times = Times::new();
            for entry in self.prices.parts(self.task, id).into_iter().flat_map(|priced| &priced.entries) {
                if let Some(part) = self.parts.of(entry.block) {
                    *times.entry(part).or_default() += entry.time.0;
                }
            }
            self.priced.insert(key, times);
        }
        let times = self.priced.get(&key).into_iter().flatten();
        times.for_each(|(&part, &time)| *self.open.entry(part).or_default() += time);
    }

    fn close(&mut self, to: Option<usize>, times: f64) {
        if self.from == to && self.open.is_empty() {
            // Another event of the same call.
            return;
        }
        let key = (self.from, to);
        let is_first = !self.sums.contains_key(&key);
        let sum = self.sums.entry(key).or_default();
        for (part, time) in std::mem::take(&mut self.open) {
            if is_first {
                sum.first.insert(part, time);
            }
            let more = if is_first { times - 1.0 } else { times };
            *sum.rest.entry(part).or_default() += time * more;
        }
        self.from = to;
    }
}
