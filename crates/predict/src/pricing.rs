//! Times of segments on one machine, each priced once.

use crate::cache_factors::CacheFactors;
use crate::calibration::transfer::Factors;
use crate::evaluation::Job;
use crate::reuse;
use crate::target::Target;
use crate::teams::{self, TeamSetting};
use chronos_activity::{Activity, SegmentId, Segments, Step, TaskId, Team, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::governor::{self, Phase};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::{Nanoseconds, Picoseconds};
use chronos_cost::source::unknown_rows;
use chronos_cost::{CostModel, Coverage, EntryCost, InstructionSum, LoopTime, ModelName, Priced, Reuse, Source};
use chronos_ir::{BlockId, Program};
use chronos_machine::Machine;
use chronos_replay::ReplayResult;
use std::sync::Arc;

/// The cost models of all kinds of machine, with what they have priced so far.
pub struct Prices<'a> {
    kinds: Vec<Kind<'a>>,
    /// Kind of each task; empty where there is one kind.
    of_task: Vec<u32>,
    diagnostics: Vec<Diagnostic>,
}

/// One kind of machine.
struct Kind<'a> {
    /// As machines of this kind run it.
    program: &'a Program,
    model: Box<dyn CostModel + 'a>,
    /// As one of several threads of a task sees the machine, by their number.
    of_threads: FxHashMap<u32, Box<dyn CostModel + 'a>>,
    job: &'a Job,
    machine: &'a Machine,
    name: ModelName,
    /// Tasks that use the memory of a node.
    sharing: u32,
    priced: Vec<Option<(Picoseconds, Priced)>>,
    /// What the times of blocks are multiplied by; none: nothing.
    factors: Option<Arc<Factors>>,
    /// What segments find in the caches.
    reuse: FxHashMap<SegmentId, Reuse>,
    /// In place of that, how much longer blocks take in the mean; none: nothing.
    caches: FxHashMap<BlockId, f64>,
}

impl<'a> Prices<'a> {
    /// Prices on a target, as if all memory was found in the caches.
    pub fn new(job: &'a Job, target: Target<'a>) -> Self {
        let _phase = governor::enter(Phase::Pricing, None);
        let mut prices = Self { kinds: Vec::new(), of_task: Vec::new(), diagnostics: Vec::new() };
        match target.platform {
            None => prices.add(
                job,
                target.machine,
                target.cost_model(job, target.machine),
                most_on_a_node(&crate::target::nodes(job, target)),
            ),
            Some(platform) => {
                let nodes = crate::target::nodes(job, target);
                let kind = |node: u32| platform.nodes[node as usize].machine;
                for (number, machine) in platform.machines.iter().enumerate() {
                    let own: Vec<u32> = nodes.iter().copied().filter(|&node| kind(node) == number).collect();
                    prices.add(job, machine, target.cost_model(job, machine), most_on_a_node(&own));
                }
                prices.of_task = nodes.iter().map(|&node| kind(node) as u32).collect();
            }
        }
        if let Some(calibration) = target.calibration {
            prices
                .kinds
                .iter_mut()
                .for_each(|kind| kind.factors = Some(Factors::new(calibration, kind.program).into()));
        }
        prices
    }

    /// `sharing`: tasks that use the memory of a node.
    fn add(&mut self, job: &'a Job, machine: &'a Machine, model: ModelName, sharing: u32) {
        let program = job.program_for(machine.model());
        let (built, diagnostics) = cost_model(job, machine, model, sharing);
        self.diagnostics.extend(diagnostics);
        self.diagnostics.extend(teams::diagnostics(program, machine, sharing));
        self.kinds.push(Kind {
            program,
            model: built,
            of_threads: FxHashMap::default(),
            job,
            machine,
            name: model,
            sharing,
            priced: Vec::new(),
            factors: None,
            reuse: FxHashMap::default(),
            caches: FxHashMap::default(),
        });
    }

    /// As `new`, where it is known what blocks of a like activity find in the caches.
    pub(crate) fn with_caches(job: &'a Job, target: Target<'a>, caches: &CacheFactors) -> Self {
        let mut prices = Self::new(job, target);
        prices.kinds.iter_mut().zip(&caches.0).for_each(|(kind, caches)| kind.caches.clone_from(caches));
        prices
    }

    /// How much longer blocks take for what they find in the caches while tasks execute this activity.
    pub(crate) fn cache_factors(
        job: &'a Job,
        target: Target<'a>,
        activity: &Activity,
        result: &ReplayResult,
    ) -> CacheFactors {
        let of_blocks = |mut prices: Self| {
            let mut times = vec![FxHashMap::<BlockId, f64>::default(); prices.kinds.len()];
            for (task, executed) in (0..).map(TaskId).zip(&result.tasks) {
                for &(id, count) in &executed.segments {
                    prices.time(task, Work::Segment(id), &activity.segments);
                    for entry in prices.parts(task, id).into_iter().flat_map(|priced| &priced.entries) {
                        *times[prices.kind(task)].entry(entry.block).or_default() += entry.time.0 * count as f64;
                    }
                }
            }
            times
        };
        let in_caches = of_blocks(Self::new(job, target));
        let with_reuse = of_blocks(Self::of_activity(job, target, activity));
        let factors = in_caches.into_iter().zip(with_reuse).map(|(before, after)| {
            let known = after.into_iter().filter(|(block, _)| before.get(block).is_some_and(|&time| time > 0.0));
            known.map(|(block, time)| (block, time / before[&block])).collect()
        });
        CacheFactors(factors.collect())
    }

    /// As `new`, where all that tasks execute was priced once.
    pub(crate) fn of_all(job: &'a Job, target: Target<'a>, activity: &Activity) -> Self {
        let mut prices = Self::new(job, target);
        for (task, steps) in (0..).map(TaskId).zip(&activity.tasks) {
            prices.price_steps(task, steps, &activity.segments);
        }
        prices
    }

    fn price_steps(&mut self, task: TaskId, steps: &[Step], segments: &Segments) {
        for step in steps {
            match step {
                Step::Work(work) => _ = self.time(task, *work, segments),
                Step::Repeat(repeat) => self.price_steps(task, &repeat.steps, segments),
                _ => {}
            }
        }
    }

    /// As `new`, where it is known what is executed between two executions of a segment.
    pub(crate) fn of_activity(job: &'a Job, target: Target<'a>, activity: &Activity) -> Self {
        let mut prices = Self::new(job, target);
        for number in 0..prices.kinds.len() {
            let tasks = (0..job.tasks).map(TaskId::new).filter(|&task| prices.kind(task) == number);
            let kind = &prices.kinds[number];
            let reuse = reuse::distances(&*kind.model, kind.program, activity, tasks);
            prices.kinds[number].reuse = reuse;
        }
        prices
    }

    /// The times of blocks, over all tasks, as the source alone gives them.
    pub(crate) fn by_source(&self, segments: &Segments, result: &ReplayResult) -> FxHashMap<BlockId, Nanoseconds> {
        let mut prices = Self { kinds: Vec::new(), of_task: self.of_task.clone(), diagnostics: Vec::new() };
        for kind in &self.kinds {
            prices.add(kind.job, kind.machine, ModelName::Source, kind.sharing);
            if let Some(added) = prices.kinds.last_mut() {
                added.reuse.clone_from(&kind.reuse);
                added.factors.clone_from(&kind.factors);
            }
        }
        let mut times: FxHashMap<BlockId, Nanoseconds> = FxHashMap::default();
        for (task, executed) in result.tasks.iter().enumerate() {
            for &(id, count) in &executed.segments {
                prices.time(TaskId::new(task), Work::Segment(id), segments);
                let entries = prices.parts(TaskId::new(task), id).into_iter().flat_map(|priced| &priced.entries);
                entries.for_each(|entry| *times.entry(entry.block).or_default() += entry.time * count as f64);
            }
        }
        times
    }

    /// Whether others price a segment otherwise.
    pub fn differ(&mut self, other: &mut Self, segments: &Segments) -> bool {
        let mut kinds = self.kinds.iter_mut().zip(&mut other.kinds);
        kinds
            .any(|(one, other)| segments.iter().any(|(id, _)| one.segment(id, segments) != other.segment(id, segments)))
    }

    /// Whether it is not known how often something is executed that was priced.
    pub(crate) fn leave_unknown(&self) -> bool {
        let mut priced = self.kinds.iter().flat_map(|kind| kind.priced.iter().flatten());
        priced.any(|(_, priced)| !priced.unknown.is_empty())
    }

    /// As `--cost-model` names them, one for all kinds of machine or one behind the other.
    pub(crate) fn model_names(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for name in self.kinds.iter().map(|kind| kind.model.name()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    /// What the machines do not say of the program, and what was assumed of it up to here.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let priced = self.kinds.iter().flat_map(|kind| kind.priced.iter().flatten());
        let rows = unknown_rows::diagnostics(self.kinds[0].program, priced.flat_map(|(_, priced)| &priced.rows));
        [&self.diagnostics[..], &rows].concat()
    }

    /// Whether a block was priced from object code, or why not; `None` where no model knows object code.
    pub(crate) fn coverage(&self, block: BlockId) -> Option<Coverage> {
        let found = self.kinds.iter().filter_map(|kind| kind.model.coverage(block));
        found.min_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// The time of one execution.
    pub fn time(&mut self, task: TaskId, work: Work, segments: &Segments) -> Picoseconds {
        let kind = self.kind(task);
        match work {
            Work::Time(time) => time,
            Work::Segment(id) => self.kinds[kind].segment(id, segments),
        }
    }

    /// The kind of machine that a task runs on.
    pub fn kind(&self, task: TaskId) -> usize {
        self.of_task.get(task.index()).map_or(0, |&kind| kind as usize)
    }

    /// What bounds the loops of one execution of a segment, on machines of one kind.
    pub fn loops(&self, kind: usize, id: SegmentId, segments: &Segments) -> Vec<LoopTime> {
        let kind = &self.kinds[kind];
        let mut loops = kind.model.loops(segments.get(id), kind.reuse.get(&id).unwrap_or(&Reuse::default()));
        let longer = |block| kind.caches.get(&block).copied().unwrap_or(1.0);
        loops.iter_mut().for_each(|found| scale_loop(found, longer(found.header)));
        if let Some(factors) = &kind.factors {
            let factors = factors.where_loops_run(&loops);
            loops.iter_mut().for_each(|found| scale_loop(found, factors.of(found.header)));
        }
        loops
    }

    /// The prices of these segments on each kind of machine that tasks run on, and the kind of each task (none: one kind).
    pub(crate) fn into_table(mut self, segments: &Segments) -> (Vec<Vec<Priced>>, Vec<u32>) {
        let priced = |kind: &mut Kind<'_>| {
            segments.iter().for_each(|(id, _)| _ = kind.segment(id, segments));
            std::mem::take(&mut kind.priced).into_iter().flatten().map(|(_, priced)| priced).collect()
        };
        (self.kinds.iter_mut().map(priced).collect(), self.of_task)
    }

    /// The parts of a segment that was priced.
    pub fn parts(&self, task: TaskId, id: SegmentId) -> Option<&Priced> {
        self.kinds[self.kind(task)].priced.get(id.index())?.as_ref().map(|(_, priced)| priced)
    }
}

/// A cost model of a machine as one sees it of so many who use the memory of a node.
fn cost_model<'a>(
    job: &'a Job,
    machine: &'a Machine,
    model: ModelName,
    sharing: u32,
) -> (Box<dyn CostModel + 'a>, Vec<Diagnostic>) {
    let program = job.program_for(machine.model());
    // Why there is none is told with the model that takes its place.
    let own = job.object_code.of(machine).filter(|own| model == ModelName::Compiled || own.code.is_none());
    let machine = &Machine { memory: machine.memory.shared_by(sharing), ..machine.clone() };
    if model == ModelName::InstructionSum {
        let model = InstructionSum::new(program, machine);
        let diagnostics = model.diagnostics(program, machine);
        return (Box::new(model), diagnostics);
    }
    let mut diagnostics: Vec<Diagnostic> = own.iter().flat_map(|found| found.diagnostics.clone()).collect();
    let model = match own.and_then(|found| found.code.as_ref()) {
        Some(code) => Source::with_object_code(program, machine, code),
        None => Source::new(program, machine),
    };
    diagnostics.extend(model.diagnostics(program, machine));
    (Box::new(model), diagnostics)
}

/// The most tasks that any node has.
fn most_on_a_node(nodes: &[u32]) -> u32 {
    let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
    nodes.iter().for_each(|&node| *counts.entry(node).or_default() += 1);
    counts.into_values().max().unwrap_or(1)
}

impl Kind<'_> {
    fn segment(&mut self, id: SegmentId, segments: &Segments) -> Picoseconds {
        let index = id.index();
        if self.priced.len() <= index {
            self.priced.resize_with(index + 1, || None);
        }
        if let Some((time, _)) = &self.priced[index] {
            return *time;
        }
        let segment = segments.get(id);
        let mut priced = match &segment.team {
            Some(team) => self.team(team, id),
            None => self.model.price(segment, self.reuse.get(&id).unwrap_or(&Reuse::default())),
        };
        if !self.caches.is_empty() {
            let factor = |block| self.caches.get(&block).copied().unwrap_or(1.0);
            priced.entries.iter_mut().for_each(|entry| scale_entry(entry, factor(entry.block)));
        }
        if let Some(factors) = &self.factors {
            let loops = self.model.loops(segment, self.reuse.get(&id).unwrap_or(&Reuse::default()));
            let factors = factors.where_loops_run(&loops);
            priced.entries.iter_mut().for_each(|entry| scale_entry(entry, factors.of(entry.block)));
        }
        let time = Picoseconds::from_nanoseconds(priced.total().0);
        self.priced[index] = Some((time, priced));
        time
    }

    /// The price of what the threads of a region execute.
    fn team(&mut self, team: &Team, id: SegmentId) -> Priced {
        let cores = f64::from(self.machine.cores.max(1));
        let setting = TeamSetting {
            program: self.program,
            costs: self.machine.threads.unwrap_or_default(),
            processors: cores / f64::from(self.sharing.max(1)),
        };
        let reuse = self.reuse.get(&id).cloned().unwrap_or_default();
        let (job, machine, name, sharing) = (self.job, self.machine, self.name, self.sharing);
        let models = &mut self.of_threads;
        teams::price(team, &setting, &mut |part, threads| {
            let model = || cost_model(job, machine, name, sharing.saturating_mul(threads)).0;
            models.entry(threads).or_insert_with(model).price(part, &reuse)
        })
    }
}

fn scale_entry(entry: &mut EntryCost, factor: f64) {
    entry.time = entry.time * factor;
    entry.classes.iter_mut().for_each(|(_, time)| *time = *time * factor);
}

fn scale_loop(found: &mut LoopTime, factor: f64) {
    for time in [&mut found.time, &mut found.recurrence, &mut found.throughput, &mut found.memory] {
        *time = *time * factor;
    }
}
