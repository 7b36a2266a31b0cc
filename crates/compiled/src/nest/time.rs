//! The time of regions: ways are simulated, loops inside written out at both ends.

use super::mixture;
use super::plan::{Execution, RegionPlan, Situation, Visit, plan};
use super::ways::Step;
use crate::core::{Core, Relaxed, lower, placed_cycles, without_figures};
use crate::entry_values::EntryValues;
use crate::graph::MachineBlockId;
use crate::induction::Unknown;
use crate::instruction::Instruction;
use crate::loops::LoopId;
use chronos_base::hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The time of one execution of a region.
#[derive(Clone, Debug)]
pub struct RegionTime {
    /// Cycles, those of the loops inside included.
    pub cycles: f64,
    /// The same where no instruction waited for the result of another one.
    pub busy: f64,
    /// Cycles of each loop inside, all its iterations together.
    pub inside: BTreeMap<LoopId, f64>,
    /// Those of `busy`.
    pub busy_inside: BTreeMap<LoopId, f64>,
    /// What the cycles are to be multiplied with at the fastest and at the slowest place in lines that a linker may give to it.
    pub places: [f64; 2],
    /// Several ways are taken: a conditional jump of the source is left.
    pub chooses: bool,
    /// Iterations that no way brings.
    pub missed: f64,
}

impl RegionTime {
    /// Cycles without those of the loops inside.
    pub fn own(&self) -> f64 {
        (self.cycles - self.inside.values().sum::<f64>()).max(0.0)
    }

    /// Cycles without those of the loops inside, where no instruction waited for the result of another one.
    pub fn own_busy(&self) -> f64 {
        (self.busy - self.busy_inside.values().sum::<f64>()).max(0.0)
    }
}

/// Times of paths of a function on one core, by positions of their instructions; all that price the function share them.
#[derive(Clone, Debug, Default)]
pub struct SimulatedPaths(Arc<Mutex<KnownPaths>>);

type KnownPaths = FxHashMap<Vec<u32>, Result<Cycles, Unknown>>;

impl SimulatedPaths {
    /// The time of a path, found once. Two that ask at the same time both simulate, and find the same.
    fn get(&self, path: &[u32], simulate: impl FnOnce() -> Result<Cycles, Unknown>) -> Result<Cycles, Unknown> {
        if let Some(known) = self.known().get(path) {
            return known.clone();
        }
        let found = simulate();
        self.known().insert(path.to_vec(), found.clone());
        found
    }

    fn known(&self) -> MutexGuard<'_, KnownPaths> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cycles of a path, as it is and where no instruction waits for the result of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cycles {
    real: f64,
    busy: f64,
    /// At the fastest and at the slowest place that a linker may give to it.
    ends: [f64; 2],
}

/// The instructions of a way.
struct Written {
    /// Positions of its instructions.
    path: Vec<u32>,
    /// Cycles of the iterations of loops that are not on the path.
    left: Cycles,
    /// Cycles of all iterations of the loops on it.
    inside: BTreeMap<LoopId, Cycles>,
}

/// The times of a function's regions in one situation.
pub struct NestTimes<'a> {
    core: &'a Core,
    situation: Situation<'a>,
    simulated: &'a SimulatedPaths,
    regions: RefCell<BTreeMap<Option<LoopId>, Result<RegionTime, Unknown>>>,
    plans: RefCell<BTreeMap<Option<LoopId>, Rc<RegionPlan>>>,
}

/// Instructions of a loop that are written out: a reorder buffer holds no more, so that what comes before and behind
/// overlaps with nothing farther away.
const WRITTEN_OUT: usize = 640;
/// Instructions of a way that is simulated.
const LONGEST: usize = 20_000;

impl<'a> NestTimes<'a> {
    /// Nothing is simulated yet.
    pub fn new(core: &'a Core, situation: Situation<'a>, simulated: &'a SimulatedPaths) -> Self {
        Self { core, situation, simulated, regions: RefCell::default(), plans: RefCell::default() }
    }

    /// The time of one iteration of a machine loop, or of one call of the function (`None`).
    ///
    /// # Errors
    /// An instruction has no figures, or no way leads through the region.
    pub fn region(&self, id: Option<LoopId>) -> Result<RegionTime, Unknown> {
        if let Some(known) = self.regions.borrow().get(&id) {
            return known.clone();
        }
        let found = self.timed(id);
        self.regions.borrow_mut().insert(id, found.clone());
        found
    }

    /// Instructions of one iteration of a machine loop, or of one call of the function, that is without loops inside.
    pub fn instructions(&self, id: Option<LoopId>) -> Option<usize> {
        let blocks = &self.situation.code.graph.blocks;
        let of_step = |step: &Step| match *step {
            Step::Block(block) => Some(blocks[block].instructions.len()),
            Step::Loop(..) => None,
        };
        let plan = self.plan(id);
        let ways = plan.executions.iter().map(|execution| execution.steps.iter().map(of_step).sum::<Option<usize>>());
        ways.collect::<Option<Vec<usize>>>()?.into_iter().max()
    }

    /// Instructions that the core holds at once.
    pub fn window(&self) -> usize {
        self.core.reorder_buffer as usize
    }

    /// How often the loops inside a region run in one execution of it.
    pub fn visits(&self, id: Option<LoopId>) -> BTreeMap<LoopId, Visit> {
        self.plan(id).visits(self.situation.matches)
    }

    /// Iterations of source loops that stand in the blocks of a region, in one execution of it.
    pub fn written_out(&self, id: Option<LoopId>) -> BTreeMap<usize, f64> {
        self.plan(id).written_out()
    }

    fn plan(&self, id: Option<LoopId>) -> Rc<RegionPlan> {
        let known = self.plans.borrow().get(&id).cloned();
        known.unwrap_or_else(|| {
            let made = Rc::new(plan(&self.situation, id));
            self.plans.borrow_mut().insert(id, made.clone());
            made
        })
    }

    fn timed(&self, id: Option<LoopId>) -> Result<RegionTime, Unknown> {
        let plan = self.plan(id);
        if plan.executions.is_empty() {
            return Err(Unknown("no way through it runs what the counts of the source say".to_owned()));
        }
        let (mut all, mut inside) = (Cycles::default(), BTreeMap::<LoopId, Cycles>::new());
        let mut paths = Vec::new();
        for execution in &plan.executions {
            let written = self.written(execution)?;
            all.add(written.left, execution.weight);
            written.inside.into_iter().for_each(|(id, each)| inside.entry(id).or_default().add(each, execution.weight));
            paths.push((written.path, execution.weight));
        }
        all.add(self.taken_in_turn(id, &paths)?, 1.0);
        Ok(RegionTime {
            cycles: all.real,
            busy: all.busy,
            inside: shares(inside.iter().map(|(id, cycles)| (*id, cycles.real)).collect(), all.real),
            busy_inside: shares(inside.iter().map(|(id, cycles)| (*id, cycles.busy)).collect(), all.busy),
            places: all.ends.map(|end| if all.real > 0.0 { end / all.real } else { 1.0 }),
            chooses: plan.executions.len() > 1,
            missed: plan.missed,
        })
    }

    /// The instructions of a way, loops on it written out at both ends.
    fn written(&self, execution: &Execution) -> Result<Written, Unknown> {
        let (mut path, mut left, mut inside) = (Vec::new(), Cycles::default(), BTreeMap::new());
        for step in &execution.steps {
            match *step {
                Step::Block(block) => self.append(block, &mut path),
                Step::Loop(id, leaves) => {
                    let trips = execution.trips.get(&id).copied().unwrap_or(1.0);
                    let time = self.region(Some(id))?;
                    let each =
                        Cycles { real: time.cycles, busy: time.busy, ends: time.places.map(|by| by * time.cycles) };
                    let written = self.write_out(id, trips, &mut path);
                    self.leave(id, leaves, &mut path);
                    left.add(each, (trips - written).max(0.0));
                    let mut all_trips = Cycles::default();
                    all_trips.add(each, trips);
                    inside.insert(id, all_trips);
                }
            }
        }
        Ok(Written { path, left, inside })
    }

    /// The time of one execution that is each of these paths as often as it weighs. Where data chooses between them, iterations
    /// follow each other in a random order: a rare path overlaps with the others, and not with itself.
    fn taken_in_turn(&self, id: Option<LoopId>, paths: &[(Vec<u32>, f64)]) -> Result<Cycles, Unknown> {
        let mut alone = Cycles::default();
        let mut each = Vec::new();
        for (path, weight) in paths {
            let cycles = self.simulated(path)?;
            alone.add(cycles, *weight);
            each.push(cycles);
        }
        let lengths: Vec<(usize, f64)> = paths.iter().map(|(path, weight)| (path.len(), *weight)).collect();
        let order = if self.is_chosen_by_data(id) { mixture::order(&lengths) } else { Vec::new() };
        if order.is_empty() {
            return Ok(alone);
        }
        let path: Vec<u32> = order.iter().flat_map(|&at| &paths[at].0).copied().collect();
        let mut as_often = Cycles::default();
        order.iter().for_each(|&at| as_often.add(each[at], 1.0));
        Ok(self.simulated(&path)?.scaled(alone, as_often))
    }

    /// Calls of a function (no loop) set its registers anew, which a path of several of them would not.
    fn is_chosen_by_data(&self, id: Option<LoopId>) -> bool {
        let source = id.and_then(|id| self.situation.matches.get(&id)?.as_ref().ok()).map(|found| found.source);
        source.is_some_and(|source| self.situation.profile.chosen_by_data(source))
    }

    fn append(&self, block: MachineBlockId, path: &mut Vec<u32>) {
        let positions = self.situation.code.graph.blocks[block].instructions.clone();
        path.extend(positions.filter_map(|at| u32::try_from(at).ok()));
    }

    /// Appends iterations of a loop; how many.
    fn write_out(&self, id: LoopId, trips: f64, path: &mut Vec<u32>) -> f64 {
        let plan = self.plan(Some(id));
        let [only] = &plan.executions[..] else { return 0.0 };
        let mut iteration = Vec::new();
        for step in &only.steps {
            let Step::Block(block) = *step else { return 0.0 };
            self.append(block, &mut iteration);
        }
        let most = (WRITTEN_OUT / iteration.len().max(1)).max(2) as f64;
        let written = trips.floor().clamp(1.0, most);
        // Not negative, and small.
        (0..written as usize).for_each(|_| path.extend(&iteration));
        written
    }

    /// What is executed of a condition once more than of the iterations, where the loop is left in front of them. Of a loop that is left
    /// farther on, the last iteration is one of the source's.
    fn leave(&self, id: LoopId, leaves: MachineBlockId, path: &mut Vec<u32>) {
        let natural = &self.situation.code.forest.loops[id];
        if natural.latches.contains(&leaves) {
            return;
        }
        let until = self.way_inside(id, natural.header, |block| block == leaves);
        let rest = self.way_inside(id, leaves, |block| natural.latches.contains(&block));
        let blocks = &self.situation.code.graph.blocks;
        let length = |way: &[MachineBlockId]| way.iter().map(|&block| blocks[block].instructions.len()).sum::<usize>();
        if length(&until) <= length(rest.get(1..).unwrap_or_default()) {
            until.into_iter().for_each(|block| self.append(block, path));
        }
    }

    /// The fewest blocks of a loop from one of them to one that `ends` tells, both included, without going through the header again.
    fn way_inside(
        &self,
        id: LoopId,
        from: MachineBlockId,
        ends: impl Fn(MachineBlockId) -> bool,
    ) -> Vec<MachineBlockId> {
        let natural = &self.situation.code.forest.loops[id];
        let (mut before, mut open) = (BTreeMap::new(), VecDeque::from([from]));
        let mut end = None;
        while let Some(block) = open.pop_front().filter(|_| end.is_none()) {
            end = Some(block).filter(|&block| ends(block));
            for &next in &self.situation.code.graph.blocks[block].successors {
                if natural.blocks.contains(&next)
                    && next != natural.header
                    && next != from
                    && !before.contains_key(&next)
                {
                    before.insert(next, block);
                    open.push_back(next);
                }
            }
        }
        let mut way: Vec<MachineBlockId> = std::iter::successors(end, |block| before.get(block).copied()).collect();
        way.reverse();
        way
    }

    fn simulated(&self, path: &[u32]) -> Result<Cycles, Unknown> {
        self.simulated.get(path, || self.simulate(path))
    }

    /// What is known of registers where a path begins.
    fn entry(&self, path: &[u32]) -> &EntryValues {
        let code = self.situation.code;
        let begins = |header: MachineBlockId| {
            path.first().is_some_and(|&at| code.graph.blocks[header].instructions.start == at as usize)
        };
        let found = code.forest.loops.iter().find(|(_, natural)| begins(natural.header));
        // Else a path is one through the whole function.
        found.map_or(&code.kept_arguments, |(id, _)| &code.entries[id])
    }

    fn simulate(&self, path: &[u32]) -> Result<Cycles, Unknown> {
        let entry = self.entry(path);
        let instructions = &self.situation.code.function.instructions;
        let path: Vec<&Instruction> = path.iter().filter_map(|&at| instructions.get(at as usize)).collect();
        if path.is_empty() {
            return Ok(Cycles::default());
        }
        if path.len() > LONGEST {
            return Err(Unknown(format!("its way has more than {LONGEST} instructions")));
        }
        let lowered = lower(self.core, &path, entry);
        let lowered = lowered.map_err(|at| Unknown(without_figures(self.core, path[at])))?;
        let placement = self.situation.code.function.placement;
        let placed = |relaxed| placed_cycles(self.core, &path, &lowered, placement, relaxed);
        let real = placed(Relaxed::default());
        let busy = placed(Relaxed { dependences: true, ..Relaxed::default() }).mean;
        Ok(Cycles { real: real.mean, busy: busy.min(real.mean), ends: real.ends })
    }
}

impl Cycles {
    /// These for paths in other shares, by what both take where each path follows itself.
    fn scaled(self, to: Self, from: Self) -> Self {
        let by = |own: f64, to: f64, from: f64| if from > 0.0 { own * to / from } else { 0.0 };
        let end = |at: usize| by(self.ends[at], to.ends[at], from.ends[at]);
        Self {
            real: by(self.real, to.real, from.real),
            busy: by(self.busy, to.busy, from.busy),
            ends: [end(0), end(1)],
        }
    }

    fn add(&mut self, other: Self, times: f64) {
        self.real += other.real * times;
        self.busy += other.busy * times;
        self.ends.iter_mut().zip(other.ends).for_each(|(own, other)| *own += other * times);
    }
}

/// Entries of loops that overlap take less than the loops alone: their parts of what all take together.
fn shares(mut inside: BTreeMap<LoopId, f64>, all: f64) -> BTreeMap<LoopId, f64> {
    let loops: f64 = inside.values().sum();
    if loops > all {
        inside.values_mut().for_each(|cycles| *cycles *= all / loops);
    }
    inside
}
