//! The time of one loop: the greatest of recurrence, throughput and memory, as the roofline and ECM models have it.

use crate::UnknownRows;
use crate::source::codegen::block_demand::BlockDemand;
use crate::source::compiled::CompiledScope;
use crate::source::loops::scope::Scope;
use crate::source::memory::lines::memory_traffic;
use crate::source::model::Source;
use crate::source::price::iteration_plan::{iteration_plan, total_demand};
use crate::source::price::mispredictions::{exits, mispredictions, mispredictions_of, varies};
use crate::source::price::outer_vectors::outer_vector_run;
use crate::source::processor::demand::{Demand, Resource};
use crate::source::processor::traffic::{Execution, Traffic};
use crate::source::profile::counts::{ExecutionCounts, trips};
use chronos_ir::{BlockId, CounterId, InstructionClass, Unit};

/// Cycles that preparing a vector loop takes, per entry.
const VECTOR_SET_UP: f64 = 2.0;

/// Cycles that a sum in closed form takes: products and shifts of the number of iterations.
const CLOSED_FORM: f64 = 6.0;

/// Which term of a loop's time wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Each iteration waits for the one before.
    Recurrence,
    /// The processor executes no more per cycle.
    Throughput(Resource),
    /// Lines come from this level of memory.
    Memory(usize),
    /// Branches that data decides are mispredicted.
    Misprediction,
    /// An element that its stores sweep over is loaded too early, once per entry.
    LoadReplay,
    /// Variables live in memory and each operation counts: no optimisation.
    Sum,
}

/// A loop's time, told apart; cycles in total over all iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScopeTime {
    pub bound: Bound,
    pub recurrence: f64,
    pub throughput: f64,
    pub memory: f64,
    /// What mispredicted branches cost, beyond the others.
    pub misprediction: f64,
    pub total: f64,
    /// What the total is to be multiplied with at the fastest and at the slowest place in lines of instructions.
    pub places: [f64; 2],
    /// Iterations in one vector; 1 for scalar code.
    pub lanes: u32,
}

impl ScopeTime {
    /// Scalar code that one resource bounds.
    fn bound_by(resource: Resource, throughput: f64) -> Self {
        Self {
            bound: Bound::Throughput(resource),
            recurrence: 0.0,
            throughput,
            memory: 0.0,
            misprediction: 0.0,
            total: throughput,
            places: [1.0; 2],
            lanes: 1,
        }
    }

    fn scaled(self, factor: f64) -> Self {
        let times = [self.recurrence, self.throughput, self.memory, self.misprediction, self.total]
            .map(|cycles| cycles * factor);
        let [recurrence, throughput, memory, misprediction, total] = times;
        Self { recurrence, throughput, memory, misprediction, total, ..self }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            recurrence: self.recurrence + other.recurrence,
            throughput: self.throughput + other.throughput,
            memory: self.memory + other.memory,
            misprediction: self.misprediction + other.misprediction,
            total: self.total + other.total,
            ..self
        }
    }
}

/// Counters whose units the sum of instructions prices.
pub fn summed(model: &Source, scope: &Scope) -> Vec<(BlockId, CounterId)> {
    let mut counters: Vec<_> = scope.blocks.iter().map(|(block, counter, _)| (*block, *counter)).collect();
    if let Some(header) = scope.header {
        counters.extend(model.loop_counters(header).map(|counter| (header, counter)));
    }
    counters
}

/// The time of a scope with these counts, without the loops inside it.
pub(crate) fn scope_time(model: &Source, index: usize, counts: &ExecutionCounts) -> ScopeTime {
    scope_time_with(model, index, counts, None)
}

/// The time of a scope, with each row of those `apart` in lines of its own.
pub(crate) fn scope_time_with(
    model: &Source,
    index: usize,
    counts: &ExecutionCounts,
    apart: Option<UnknownRows>,
) -> ScopeTime {
    let guessed =
        if model.profile.optimises { optimised(model, index, counts, apart) } else { plain(model, index, counts) };
    match counts.compiled(index) {
        Some(execution) => from_object_code(model, index, counts, apart, (execution, guessed)),
        None => guessed,
    }
}

/// The time of a scope whose instructions are known: lines of memory beside their execution, mispredictions behind. What
/// bounds it is named as the model from the source sees it.
fn from_object_code(
    model: &Source,
    index: usize,
    counts: &ExecutionCounts,
    apart: Option<UnknownRows>,
    (execution, guessed): (CompiledScope, ScopeTime),
) -> ScopeTime {
    let scope = &model.scopes[index];
    // Without optimisation, accesses of locals hide those of data: lines cost nothing there.
    let traffic =
        if model.profile.optimises { memory_traffic(model, index, counts, apart) } else { Traffic::default() };
    // Entries that run together on vectors of the loop around use the lines that lie side by side once.
    let together = if execution.turns > 0.0 { execution.together / execution.turns } else { 1.0 };
    let traffic = traffic.scaled(1.0 / together.max(1.0)).paced(execution.cycles.max(execution.busy));
    let entries = trips(model, index, counts).map_or(0.0, |(_, _, entries)| entries);
    let loads: f64 = scope.blocks.iter().map(|(_, counter, share)| share.loads * counts.of(*counter)).sum();
    let loads = (loads * model.costs.busy(InstructionClass::Load, true).0).min(execution.busy);
    // Lines come while instructions wait for each other, as far as both leave room.
    let lines = traffic.during(Execution { throughput: execution.busy, loads }, model.overlap);
    let busy = lines.max(execution.cycles);
    let exits = if execution.turns > 0.0 {
        exits(model, index, execution.turns / entries.max(1.0), varies(model, index)) * entries
    } else {
        0.0
    };
    let (_, misses) = mispredictions_of(model, index, counts, execution.chooses);
    let misprediction = misses + exits;
    let memory = traffic.total();
    let bound = if misprediction > busy {
        Bound::Misprediction
    } else if lines > execution.cycles && memory > execution.busy {
        Bound::Memory(traffic.level)
    } else {
        guessed.bound
    };
    ScopeTime {
        bound,
        recurrence: execution.cycles,
        throughput: execution.busy,
        memory,
        misprediction,
        total: busy + misprediction,
        places: execution.places.map(|cycles| relative(lines.max(cycles) + misprediction, busy + misprediction)),
        lanes: execution.elements.max(1),
    }
}

fn relative(cycles: f64, to: f64) -> f64 {
    if to > 0.0 { cycles / to } else { 1.0 }
}

/// Without optimisation: all operations, or the round trips of variables through memory.
fn plain(model: &Source, index: usize, counts: &ExecutionCounts) -> ScopeTime {
    let scope = &model.scopes[index];
    // Which of the two models holds was decided by calibration.
    let throughput = match &model.plain {
        Some(demands) => begun(model, scope, counts, demands),
        None => added_up(model, scope, counts),
    };
    let iterations = trips(model, index, counts).map_or(0.0, |(_, iterations, _)| iterations);
    let recurrence = if scope.innermost { scope.recurrence.cycles * iterations } else { 0.0 };
    let (_, misprediction) = mispredictions(model, index, counts);
    let bound = if misprediction > recurrence.max(throughput) {
        Bound::Misprediction
    } else if recurrence > throughput {
        Bound::Recurrence
    } else {
        Bound::Sum
    };
    ScopeTime {
        bound,
        recurrence,
        throughput,
        memory: 0.0,
        misprediction,
        total: recurrence.max(throughput) + misprediction,
        places: [1.0; 2],
        lanes: 1,
    }
}

/// Cycles that the sum of all operations takes.
fn added_up(model: &Source, scope: &Scope, counts: &ExecutionCounts) -> f64 {
    let time = |(_, counter)| model.sum.unit(counter).iter().map(|(_, time)| time.0).sum::<f64>() * counts.of(counter);
    summed(model, scope).into_iter().map(time).sum::<f64>() / model.costs.ns_per_cycle
}

/// Cycles until the front end has begun all instructions, or the busiest unit has executed them.
fn begun(model: &Source, scope: &Scope, counts: &ExecutionCounts, demands: &[Demand]) -> f64 {
    let mut all = Demand::default();
    for (_, counter) in summed(model, scope) {
        all.add_scaled(&demands[counter.0 as usize], counts.of(counter));
    }
    all.bound().1
}

/// While functions of the library run, whose time is counted for itself, recurrences and the units that bound a loop go
/// on: only what the front end begins comes one after the other (kernels `drawn_remainders`, `quotients_of_logs`,
/// `random_walk` and `fixed_point`; up to four divisions beside a call of exp, drand48 or malloc cost nothing on a Zen 3).
fn optimised(model: &Source, index: usize, counts: &ExecutionCounts, apart: Option<UnknownRows>) -> ScopeTime {
    let time = alone(model, index, counts, apart);
    let beside = library(model, index, counts);
    if beside <= 0.0 || model.scopes[index].header.is_none() {
        return time;
    }
    // The call drains nothing: out-of-order execution goes on behind it as far as the window reaches.
    let begun = total_demand(&model.scopes[index], counts, |share| (&share.demand, 1.0)).0.issue();
    let shown = time.misprediction + time.memory + begun;
    let total = (time.total - beside).max(shown).min(time.total);
    let bound = if total < time.total { Bound::Throughput(Resource::Issue) } else { time.bound };
    ScopeTime { bound, total, ..time }
}

/// Cycles of the functions of the library that a loop calls itself.
fn library(model: &Source, index: usize, counts: &ExecutionCounts) -> f64 {
    let each = |counter: &CounterId| -> f64 {
        let times = model.sum.unit(*counter).iter().map(|(_, time)| time.0);
        counts.of(*counter) * times.sum::<f64>()
    };
    model.scopes[index].library.iter().map(each).sum::<f64>() / model.costs.ns_per_cycle
}

/// The time of a loop but for the calls in it.
fn alone(model: &Source, index: usize, counts: &ExecutionCounts, apart: Option<UnknownRows>) -> ScopeTime {
    let scope = &model.scopes[index];
    let traffic = memory_traffic(model, index, counts, apart);
    match outer_vector_run(model, index, counts) {
        None => timed(model, index, scope, counts, traffic),
        Some(run) => {
            let lanes = scope.outer_vectorized.as_deref().map_or(scope, |lanes| lanes.of(run.unrolled));
            let [turns, singles] = [run.vectors, run.singles].map(|turns| turns / run.trip);
            let mut time = timed(model, index, lanes, counts, traffic.scaled((1.0 - singles) / turns)).scaled(turns);
            time.lanes = run.lanes;
            time.plus(timed(model, index, scope, counts, traffic).scaled(singles))
        }
    }
}

/// The time of a loop that runs as `scope` says, which is its own or stands for several iterations of the loop around
/// it.
fn timed(model: &Source, index: usize, scope: &Scope, counts: &ExecutionCounts, traffic: Traffic) -> ScopeTime {
    let Some((_, iterations, entries)) = trips(model, index, counts) else {
        return outside_of_loops(model, index, scope, counts);
    };
    let trip = iterations / entries.max(1.0);
    // A library call replaces the loop, but its lines still come from memory.
    if let Some(execution) = as_call(model, scope, trip, entries) {
        return ScopeTime {
            memory: traffic.total(),
            total: traffic.during(execution, model.overlap),
            ..ScopeTime::bound_by(Resource::Unit(Unit::Store), execution.throughput)
        };
    }
    if scope.closed_form {
        return ScopeTime::bound_by(Resource::Unit(Unit::IntegerProduct), CLOSED_FORM * entries);
    }
    iterated(model, index, scope, counts, traffic, Iterations { iterations, entries, trip })
}

/// The time of the body of a function outside its loops.
fn outside_of_loops(model: &Source, index: usize, scope: &Scope, counts: &ExecutionCounts) -> ScopeTime {
    let (demand, _) = total_demand(scope, counts, |share: &BlockDemand| (&share.demand, 1.0));
    let (resource, throughput) = demand.bound();
    let (_, misprediction) = mispredictions(model, index, counts);
    let bound = if misprediction > throughput { Bound::Misprediction } else { Bound::Throughput(resource) };
    ScopeTime { bound, misprediction, total: throughput + misprediction, ..ScopeTime::bound_by(resource, throughput) }
}

/// How often a loop runs.
#[derive(Clone, Copy)]
struct Iterations {
    iterations: f64,
    entries: f64,
    /// Iterations of one entry.
    trip: f64,
}

fn iterated(
    model: &Source,
    index: usize,
    scope: &Scope,
    counts: &ExecutionCounts,
    traffic: Traffic,
    times: Iterations,
) -> ScopeTime {
    let Iterations { entries, trip, .. } = times;
    let varies = varies(model, index);
    let run = iteration_plan(model, scope, trip, varies);
    let (mut demand, operations) = run.demand(scope, counts, trip);
    // Invariants are computed once per entry.
    demand.add_scaled(&scope.hoisted.demand, entries);
    // A loop takes one taken branch per pass through its copies; one that is unrolled completely takes none.
    let branches = if run.straight { 0.0 } else { run.turns() * entries };
    demand.add(Resource::Issue, branches * model.costs.lost_to_branch(demand.issue() / branches));
    let (resource, busy) = demand.bound();
    // Broadcasts, the final reduction and the check of the trip count.
    let set_up = if run.vectors > 0.0 { VECTOR_SET_UP * entries } else { 0.0 };
    let exits = if run.straight { 0.0 } else { exits(model, index, run.turns(), varies) * entries };
    let (misses, misprediction) = mispredictions(model, index, counts);
    // One taken branch per cycle.
    let throughput = busy.max(branches) + set_up;
    let traffic = traffic.paced(throughput.max(scope.recurrence.cycles * times.iterations));
    let during = traffic.during(Execution { throughput, loads: demand.loads() }, model.overlap);
    // Vectors are made only of iterations that do not wait for each other.
    let recurrence = if scope.innermost && run.vectors == 0.0 {
        recurrence_time(model, scope, counts, times, &Beside { operations, during, misses, exits })
    } else {
        0.0
    };
    // The bound of the sweep depends on the loop around: it begins behind the element, or ends before it.
    let swept = scope.overtaken_by_stores.is_some_and(|variable| !scope.bounds.contains(&variable));
    let replay = if swept { model.costs.reordered_load() * entries } else { 0.0 };
    let terms =
        Terms { recurrence, busy: during + exits, throughput, memory: traffic.total(), misprediction, exits, replay };
    let bound = terms.greatest(Bound::Throughput(resource), traffic.level);
    ScopeTime {
        bound,
        recurrence,
        throughput,
        memory: terms.memory,
        misprediction: misprediction + exits,
        total: terms.total(),
        places: [1.0; 2],
        lanes: run.lanes,
    }
}

/// What goes on while a loop waits for its recurrence, over all iterations.
struct Beside {
    operations: f64,
    /// Cycles of execution and memory together.
    during: f64,
    /// Entries that end unexpectedly.
    misses: f64,
    /// Cycles lost at the ends of entries.
    exits: f64,
}

/// Cycles of the slowest recurrence, of which entries that do not wait for each other overlap.
fn recurrence_time(model: &Source, scope: &Scope, counts: &ExecutionCounts, times: Iterations, beside: &Beside) -> f64 {
    let Iterations { iterations, entries, trip } = times;
    let busy = beside.during / iterations.max(1.0);
    let loads: f64 = scope.blocks.iter().map(|(_, counter, share)| share.loads * counts.of(*counter)).sum();
    let each = |of_all: f64| of_all / iterations.max(1.0);
    let each = PerIteration { operations: each(beside.operations), loads: each(loads), busy };
    let overlap = overlap(model, scope, trip, each);
    // The last entry has none behind it; nor has one that ends unexpectedly.
    let overlapping = (entries - beside.misses).max(0.0).min((entries - 1.0).max(0.0));
    let alone = scope.recurrence.cycles * trip;
    // What overlaps is as far ahead as the front end: where that is sent back, the recurrence falls behind as well.
    let overlapped = (alone / overlap + beside.exits / entries.max(1.0)).min(alone);
    overlapped * overlapping + alone * (entries - overlapping)
}

/// What a loop takes its time for, in cycles over all iterations.
struct Terms {
    recurrence: f64,
    /// Execution and memory, and what is lost at the ends of entries. A branch that only counts is decided long before
    /// the recurrence gets there: its misprediction delays what comes behind, not the recurrence. What data decides
    /// delays both.
    busy: f64,
    throughput: f64,
    memory: f64,
    misprediction: f64,
    exits: f64,
    replay: f64,
}

impl Terms {
    /// The roofline: the greatest of recurrence and execution, and what is lost beside them.
    fn total(&self) -> f64 {
        self.recurrence.max(self.busy) + self.misprediction + self.replay
    }

    /// The term that decides.
    fn greatest(&self, throughput: Bound, level: usize) -> Bound {
        let waits = self.recurrence.max(self.busy);
        match () {
            () if self.replay > self.misprediction.max(waits) => Bound::LoadReplay,
            () if self.misprediction > waits => Bound::Misprediction,
            () if self.recurrence >= self.busy => Bound::Recurrence,
            () if self.exits > self.throughput.max(self.memory) => Bound::Misprediction,
            () if self.memory > self.throughput => Bound::Memory(level),
            () => throughput,
        }
    }
}

/// What a loop executes that the compiler replaces by a call of the library, which is a loop of vectors itself: lines come while
/// it executes, as in others.
fn as_call(model: &Source, scope: &Scope, trip: f64, entries: f64) -> Option<Execution> {
    let idiom = scope.idiom?;
    let (bytes, name) = idiom.call();
    let (once, each) = (model.costs.library.get(name)?, model.costs.library_bytes.get(name)?);
    let bytes_cycles = each * bytes as f64 * trip * entries;
    // Processors store half as many vectors per cycle as they load.
    let loads = if idiom.loads() { bytes_cycles / 2.0 } else { 0.0 };
    let throughput = (once + model.costs.latency(InstructionClass::Call)) * entries + bytes_cycles;
    Some(Execution { throughput, loads })
}

/// What an iteration executes, and the cycles that it keeps units and memory busy.
#[derive(Clone, Copy)]
struct PerIteration {
    operations: f64,
    loads: f64,
    busy: f64,
}

/// By how much entries of a short loop overlap: while one waits for its recurrence, the window already holds
/// operations of those behind it, as far as there is room for those that wait (suite kernels `rows_times`, `product_ijk`
/// and gram at 40 to 310 iterations per entry, sums in memory at -O1 and in registers at -O2: 55 and 28 iterations
/// ahead, whatever their number). A recurrence of stores and loads also holds up loads that have nothing to do with it.
fn overlap(model: &Source, scope: &Scope, trip: f64, each: PerIteration) -> f64 {
    let PerIteration { operations, loads, busy } = each;
    if !scope.independent || operations <= 0.0 || trip <= 0.0 {
        return 1.0;
    }
    let pipeline = &model.costs.pipeline;
    // The reorder buffer holds so many iterations, the scheduler so many that wait.
    let window = f64::from(pipeline.window) / operations;
    let waiting = pipeline.waiting.map_or(window, |waiting| f64::from(waiting) / scope.recurrence.waiting.max(1.0));
    // Only as far as it is faster than the recurrence does the front end get ahead of it.
    let ahead = window.min(waiting) * (1.0 - busy / scope.recurrence.cycles).max(0.0);
    let through_memory = scope.recurrence.forwarding > 0.0;
    let ahead = if through_memory { ahead.min(model.costs.forward_ahead(loads)) } else { ahead };
    1.0 + ahead / trip
}
