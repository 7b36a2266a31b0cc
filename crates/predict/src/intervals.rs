//! 90 % intervals: how far the suite's kernels of a kind were off, carried over to a program's loops.
//!
//! The error of a loop is the same wherever it is executed; errors of different loops are taken to be independent, so
//! their squares add up. Where a loop lies in lines of instructions is as open, unless a linker has told it: it may take what it
//! takes at the fastest or the slowest place. Errors of a calibrated prediction (`crate::calibration`) are those of its short run; parts that were
//! measured together are wrong together, so they are added up as they are. Counts are taken to be exact here and networks to be as described: `assumption_interval` and `network_interval` widen what is found here.

use crate::aggregate::Aggregate;
use crate::calibration::Calibration;
use crate::calibration::errors::CalibratedErrors;
use crate::calibration::parts::Parts;
use crate::evaluation::Job;
use crate::pricing::Prices;
use crate::target::Target;
use chronos_activity::{ContextId, SegmentId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_cost::{LoopTime, Shape, intervals};
use chronos_ir::{BlockId, FuncId};
use chronos_machine::Residuals;
use chronos_report::model::Block;
use std::collections::BTreeMap;

/// Time of computation, in seconds per task in the mean, by loop and shape.
pub struct Intervals {
    residuals: Option<Residuals>,
    calibrated: Option<CalibratedErrors>,
    parts: Vec<(ContextId, Option<BlockId>, Shape, f64)>,
    /// By loop: its least and greatest time at the places that a linker may give to it, over their mean.
    places: BTreeMap<BlockId, [f64; 2]>,
}

impl Intervals {
    pub fn new(job: &Job, aggregate: &Aggregate<'_>, prices: &Prices<'_>, target: Target<'_>) -> Self {
        let calibrated = target.calibration.map(CalibratedErrors::new);
        let mut intervals =
            Self { residuals: target.residuals().cloned(), calibrated, parts: Vec::new(), places: BTreeMap::new() };
        if !intervals.are_known() {
            return intervals;
        }
        let calibration = target.calibration.map(|calibration| (calibration, Parts::new(&job.program)));
        // A task of each kind of machine stands for all of them.
        let mut executed: BTreeMap<(usize, SegmentId), (TaskId, u64)> = BTreeMap::new();
        for (task, time) in aggregate.result.tasks.iter().enumerate() {
            let task = TaskId::new(task);
            for &(segment, times) in &time.segments {
                executed.entry((prices.kind(task), segment)).or_insert((task, 0)).1 += times;
            }
        }
        for ((_, segment), (task, times)) in executed {
            intervals.add(task, segment, times as f64 / job.tasks.max(1) as f64 / 1e9, aggregate, prices);
            if let Some(calibration) = &calibration {
                intervals.calibrate(prices.loops(prices.kind(task), segment, aggregate.segments), job, calibration);
            }
        }
        intervals
    }

    fn are_known(&self) -> bool {
        self.residuals.is_some() || self.calibrated.is_some()
    }

    fn calibrate(&mut self, loops: Vec<LoopTime>, job: &Job, (calibration, parts): &(&Calibration, Parts)) {
        let Some(calibrated) = &mut self.calibrated else { return };
        for found in loops {
            calibrated.add(&found, shape_of(&found), &job.program, parts, calibration, self.residuals.as_ref());
        }
    }

    fn add(&mut self, task: TaskId, segment: SegmentId, seconds: f64, aggregate: &Aggregate<'_>, prices: &Prices<'_>) {
        let mut rest: BTreeMap<ContextId, f64> = BTreeMap::new();
        for entry in prices.parts(task, segment).iter().flat_map(|priced| &priced.entries) {
            *rest.entry(entry.context).or_default() += entry.time.0 * seconds;
        }
        for found in prices.loops(prices.kind(task), segment, aggregate.segments) {
            self.parts.push((found.context, Some(found.header), shape_of(&found), found.time.0 * seconds));
            self.note_places(&found);
            *rest.entry(found.context).or_default() -= found.time.0 * seconds;
        }
        self.parts.extend(rest.into_iter().map(|(context, time)| (context, None, Shape::outside(), time.max(0.0))));
    }

    /// Of several contexts, where it matters most.
    fn note_places(&mut self, found: &LoopTime) {
        if found.places[1] > found.places[0] {
            let known = self.places.entry(found.header).or_insert(found.places);
            *known = [known[0].min(found.places[0]), known[1].max(found.places[1])];
        }
    }

    /// Around a time that holds what `function` and its callees compute; `None` without residuals.
    pub fn around(&self, seconds: f64, function: FuncId, aggregate: &Aggregate<'_>) -> Option<[f64; 2]> {
        if !self.are_known() {
            return None;
        }
        let mut inside: FxHashMap<ContextId, bool> = FxHashMap::default();
        let mut errors = Errors::new();
        for &(context, header, shape, time) in &self.parts {
            let on_path = || aggregate.segments.path(context).any(|(_, on_path)| on_path.function == function);
            if *inside.entry(context).or_insert_with(on_path) {
                *errors.entry((header, shape)).or_default() += time;
            }
        }
        Some(self.bounds(seconds, &errors))
    }

    /// Gives blocks the interval of what they take with what is inside them, summed over the tasks.
    pub(crate) fn add_to_blocks(&self, blocks: &mut [Block], tasks: usize, aggregate: &Aggregate<'_>) {
        if !self.are_known() {
            return;
        }
        let mut errors: Vec<Errors> = vec![Errors::new(); blocks.len()];
        for own in 0..blocks.len() {
            let computed = blocks[own].time_s - blocks[own].classes.get("mpi").copied().unwrap_or(0.0);
            let header = outwards(blocks, own).find(|&at| blocks[at].kind == "loop").map(|at| BlockId(at as u32));
            let shape = header.and_then(|header| self.shape(header)).unwrap_or(Shape::outside());
            outwards(blocks, own).for_each(|at| *errors[at].entry((header, shape)).or_default() += computed);
        }
        for &(context, header, shape, seconds) in &self.parts {
            for call in aggregate.segments.path(context).filter_map(|(_, on_path)| on_path.call) {
                for at in outwards(blocks, call.index()) {
                    *errors[at].entry((header, shape)).or_default() += seconds * tasks as f64;
                }
            }
        }
        for (block, errors) in blocks.iter_mut().zip(&errors).filter(|(block, _)| block.inclusive_s > 0.0) {
            block.interval_s = Some(self.bounds(block.inclusive_s, errors));
        }
    }

    fn bounds(&self, seconds: f64, errors: &Errors) -> [f64; 2] {
        let (mut below, mut above) = (Sum::default(), Sum::default());
        for (&(header, shape), &time) in errors {
            let (least, most) = self.factors(header, shape);
            let [nearest, farthest] = header.and_then(|header| self.places.get(&header)).copied().unwrap_or([1.0; 2]);
            below.add(time * (1.0 - least).hypot(1.0 - nearest));
            above.add(time * (most - 1.0).hypot(farthest - 1.0));
        }
        let together = self.calibrated.is_some();
        [(seconds - below.get(together)).max(0.0), seconds + above.get(together)]
    }

    fn factors(&self, header: Option<BlockId>, shape: Shape) -> (f64, f64) {
        match (&self.calibrated, &self.residuals) {
            (Some(calibrated), _) => calibrated.factors(header),
            (None, Some(residuals)) => intervals::factors(residuals, shape),
            (None, None) => (1.0, 1.0),
        }
    }

    /// That of the execution with the most time.
    fn shape(&self, header: BlockId) -> Option<Shape> {
        let of_header = self.parts.iter().filter(|part| part.1 == Some(header));
        of_header.max_by(|a, b| a.3.total_cmp(&b.3)).map(|part| part.2)
    }
}

/// Time by loop and shape: errors of one entry are the same, those of different ones independent.
type Errors = BTreeMap<(Option<BlockId>, Shape), f64>;

fn shape_of(found: &LoopTime) -> Shape {
    Shape::of_loop(found.kind, found.iterations / found.entries.max(1.0), found.lanes)
}

/// Errors of several parts.
#[derive(Default)]
struct Sum {
    all: f64,
    squares: f64,
}

impl Sum {
    fn add(&mut self, error: f64) {
        self.all += error;
        self.squares += error * error;
    }

    /// `together`: all in the same direction; else independent of each other.
    fn get(&self, together: bool) -> f64 {
        if together { self.all } else { self.squares.sqrt() }
    }
}

/// A block and the loops and branches around it.
fn outwards(blocks: &[Block], from: usize) -> impl Iterator<Item = usize> {
    let parent = |at: &usize| blocks.get(*at).and_then(|block| block.parent).map(|parent| parent as usize);
    std::iter::successors(Some(from).filter(|&at| at < blocks.len()), parent)
}
