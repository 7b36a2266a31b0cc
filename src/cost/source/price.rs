//! From the counts of a segment to its time, scope by scope.

use super::costs::{Demand, Resource};
use super::counts::{Counts, trips};
use super::first_touch::{Memory, PAGE};
use super::run::{demand, run};
use super::scope::Scope;
use super::shares::Share;
use super::traffic::{Execution, Traffic};
use super::{Source, lockstep, memory, rows, surprise};
use crate::activity::{ContextId, Count, Segment};
use crate::cost::{EntryCost, Priced, Reuse, Rows};
use crate::program::{BlockId, CounterId, InstructionClass, VarId};
use crate::span::Span;
use crate::units::Nanoseconds;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Cycles that preparing a vector loop takes, per entry.
const VECTOR_SET_UP: f64 = 2.0;

/// Share of a misprediction that the end of a loop costs whose length changes from entry to entry: predictors learn
/// short and repeated ones. Suite kernels triangle_rows (0 to 0.7 of 22 cycles, by length) and eliminate (0.7).
const VARYING_EXITS: f64 = 0.5;

/// Cycles that a sum in closed form takes: products and shifts of the number of iterations.
const CLOSED_FORM: f64 = 6.0;

/// Which term of a loop's time wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Each iteration waits for the one before.
    Chain,
    /// The processor executes no more per cycle.
    Throughput(Resource),
    /// Lines come from this level of memory.
    Memory(usize),
    /// Branches that data decides are mispredicted.
    Surprise,
    /// An element that its stores sweep over is loaded too early, once per entry.
    Reordered,
    /// Variables live in memory and each operation counts: no optimisation.
    Sum,
}

/// A loop's time, told apart; cycles in total over all iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScopeTime {
    pub bound: Bound,
    pub chain: f64,
    pub throughput: f64,
    pub memory: f64,
    /// What mispredicted branches cost, beyond the others.
    pub surprise: f64,
    pub total: f64,
    /// Iterations side by side in a vector; 1 for scalar code.
    pub lanes: u32,
}

impl ScopeTime {
    fn scaled(self, factor: f64) -> Self {
        let times = [self.chain, self.throughput, self.memory, self.surprise, self.total].map(|cycles| cycles * factor);
        let [chain, throughput, memory, surprise, total] = times;
        Self { chain, throughput, memory, surprise, total, ..self }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            chain: self.chain + other.chain,
            throughput: self.throughput + other.throughput,
            memory: self.memory + other.memory,
            surprise: self.surprise + other.surprise,
            total: self.total + other.total,
            ..self
        }
    }
}

pub fn price(model: &Source, segment: &Segment, reuse: &Reuse) -> Priced {
    model.sizes.learn(segment);
    let mut sheet = Sheet::default();
    let mut rest: &[(ContextId, CounterId, Count)] = &segment.counts;
    while let Some(&(context, ..)) = rest.first() {
        let (here, later) = rest.split_at(rest.partition_point(|entry| entry.0 == context));
        context_counts(model, (context, here), &Counts::of_context(segment, context).after(reuse), &mut sheet);
        rest = later;
    }
    for &(context, block, bytes) in &segment.volumes {
        if model.touches.calls.contains(&block) {
            sheet.add(context, block, InstructionClass::Store, bytes / PAGE * model.costs.page_fault(bytes));
        } else {
            sheet.add(context, block, InstructionClass::Library, model.sum.per_byte(block).0 * bytes);
        }
    }
    sheet.finish(model.costs.ns_per_cycle)
}

fn context_counts(
    model: &Source,
    (context, entries): (ContextId, &[(ContextId, CounterId, Count)]),
    counts: &Counts,
    sheet: &mut Sheet,
) {
    let mut scopes = BTreeSet::new();
    for &(_, counter, count) in entries {
        let block = model.blocks[counter.0 as usize];
        let Some(number) = count.as_f64() else {
            sheet.unknown.insert(block);
            continue;
        };
        match model.scope_of[counter.0 as usize] {
            Some(scope) => drop(scopes.insert(scope)),
            None if model.free_calls[block.0 as usize] => {}
            // Calls; and of optimised branches, how often each arm is taken costs nothing.
            None => {
                for &(class, time) in model.sum.unit(counter) {
                    sheet.add(context, block, class, time.0 * number);
                }
            }
        }
    }
    model.told.learn(model, context, counts, &scopes);
    for scope in scopes {
        scope_entries(model, scope as usize, context, counts, sheet);
        first_touches(model, scope as usize, context, counts, sheet);
        sheet.assume(rows::assumed(model, scope as usize, counts));
    }
}

/// The pages that a scope is the first to write, in the first context that executes it. The system clears a page just
/// before it is written, so its lines come from no farther than the second level (64 MiB: 1345 ns a page touched, 1400
/// written as a whole).
fn first_touches(model: &Source, index: usize, context: ContextId, counts: &Counts, sheet: &mut Sheet) {
    let scope = &model.scopes[index];
    let Some(&(block, counter, _)) = scope.blocks.first() else { return };
    let Some(touches) = model.touches.scopes.get(&index) else { return };
    let time = scope_time(model, index, counts);
    let mut waits = (time.total - time.surprise - time.chain.max(time.throughput)).max(0.0);
    for touch in touches {
        if counts.of(counter) > 0.0 && sheet.touched.insert(touch.object) {
            let pages = memory::pages(model, index, counts, &scope.accesses[touch.access]);
            let pages = pages.min(touch.bytes / PAGE);
            let walk = memory::one_walk(model, index, counts, &scope.accesses[touch.access], pages).min(waits);
            waits -= walk;
            let ns = pages * model.costs.page_fault(pages * PAGE) - walk * model.costs.ns_per_cycle;
            let ns = ns.max(0.0);
            sheet.add(context, scope.header.unwrap_or(block), InstructionClass::Store, ns);
        }
    }
}

/// The time of a scope, shared out over its blocks.
fn scope_entries(model: &Source, index: usize, context: ContextId, counts: &Counts, sheet: &mut Sheet) {
    let shares = shares(model, index, counts);
    let time = scope_time(model, index, counts).total * model.costs.ns_per_cycle;
    let weight: f64 = shares.iter().map(|&(_, _, weight)| weight).sum();
    if weight > 0.0 {
        shares.into_iter().for_each(|(block, class, part)| sheet.add(context, block, class, time * part / weight));
    } else if let Some(header) = model.scopes[index].header.or_else(|| Some(model.scopes[index].blocks.first()?.0)) {
        sheet.add(context, header, InstructionClass::Branch, time);
    }
}

fn shares(model: &Source, index: usize, counts: &Counts) -> Vec<(BlockId, InstructionClass, f64)> {
    let scope = &model.scopes[index];
    let mut shares = Vec::new();
    if !model.profile.optimises {
        for (block, counter) in summed(model, scope) {
            let number = counts.of(counter);
            shares.extend(model.sum.unit(counter).iter().map(|(class, time)| (block, *class, time.0 * number)));
        }
        return shares;
    }
    for (block, counter, share) in &scope.blocks {
        let number = counts.of(*counter);
        shares.extend(share.classes.iter().map(|(class, cycles)| (*block, *class, cycles * number)));
    }
    if let Some((header, _, entries)) = trips(model, index, counts) {
        shares.extend(scope.hoisted.classes.iter().map(|(class, cycles)| (header, *class, cycles * entries)));
    }
    shares.retain(|share| share.2 > 0.0);
    shares
}

/// Counters whose units the sum of instructions prices.
fn summed(model: &Source, scope: &Scope) -> Vec<(BlockId, CounterId)> {
    let mut counters: Vec<_> = scope.blocks.iter().map(|(block, counter, _)| (*block, *counter)).collect();
    if let Some(header) = scope.header {
        counters.extend(model.loop_counters(header).map(|counter| (header, counter)));
    }
    counters
}

pub fn scope_time(model: &Source, index: usize, counts: &Counts) -> ScopeTime {
    time_with(model, index, counts, None)
}

/// The time of a scope, with each row of those `apart` in lines of its own.
pub fn time_with(model: &Source, index: usize, counts: &Counts, apart: Option<Rows>) -> ScopeTime {
    if model.profile.optimises { optimised(model, index, counts, apart) } else { plain(model, index, counts) }
}

/// Without optimisation: all operations, or the round trips of variables through memory.
fn plain(model: &Source, index: usize, counts: &Counts) -> ScopeTime {
    let scope = &model.scopes[index];
    let throughput = match &model.plain {
        Some(demands) => begun(model, scope, counts, demands),
        None => added_up(model, scope, counts),
    };
    let iterations = trips(model, index, counts).map_or(0.0, |(_, iterations, _)| iterations);
    let chain = if scope.innermost { scope.chain.cycles * iterations } else { 0.0 };
    let (_, surprise) = surprises(model, index, counts);
    let bound = match () {
        () if surprise > chain.max(throughput) => Bound::Surprise,
        () if chain > throughput => Bound::Chain,
        () => Bound::Sum,
    };
    ScopeTime { bound, chain, throughput, memory: 0.0, surprise, total: chain.max(throughput) + surprise, lanes: 1 }
}

/// Cycles that the sum of all operations takes.
fn added_up(model: &Source, scope: &Scope, counts: &Counts) -> f64 {
    let time = |(_, counter)| model.sum.unit(counter).iter().map(|(_, time)| time.0).sum::<f64>() * counts.of(counter);
    summed(model, scope).into_iter().map(time).sum::<f64>() / model.costs.ns_per_cycle
}

/// Cycles until the front end has begun all instructions, or the busiest unit has executed them.
fn begun(model: &Source, scope: &Scope, counts: &Counts, demands: &[Demand]) -> f64 {
    let mut all = Demand::default();
    for (_, counter) in summed(model, scope) {
        all.add_scaled(&demands[counter.0 as usize], counts.of(counter));
    }
    all.bound().1
}

/// While functions of the library run, whose time is counted for itself, chains and the units that bound a loop go on:
/// only what the front end begins comes one after the other (kernels drawn_remainders, quotients_of_logs, random_walk and
/// fixed_point; up to four divisions beside a call of exp, drand48 or malloc cost nothing on a Zen 3).
fn optimised(model: &Source, index: usize, counts: &Counts, apart: Option<Rows>) -> ScopeTime {
    let time = alone(model, index, counts, apart);
    let beside = library(model, index, counts);
    if beside <= 0.0 || model.scopes[index].header.is_none() {
        return time;
    }
    let begun = demand(&model.scopes[index], counts, |share| (&share.demand, 1.0)).0.issue();
    let shown = time.surprise + time.memory + begun;
    let total = (time.total - beside).max(shown).min(time.total);
    let bound = if total < time.total { Bound::Throughput(Resource::Issue) } else { time.bound };
    ScopeTime { total, bound, ..time }
}

/// Cycles of the functions of the library that a loop calls itself.
fn library(model: &Source, index: usize, counts: &Counts) -> f64 {
    let each = |counter: &CounterId| -> f64 {
        let times = model.sum.unit(*counter).iter().map(|(_, time)| time.0);
        counts.of(*counter) * times.sum::<f64>()
    };
    model.scopes[index].library.iter().map(each).sum::<f64>() / model.costs.ns_per_cycle
}

/// The time of a loop but for the calls in it.
fn alone(model: &Source, index: usize, counts: &Counts, apart: Option<Rows>) -> ScopeTime {
    let scope = &model.scopes[index];
    let traffic = memory::traffic(model, index, counts, apart);
    match lockstep::of(model, index, counts) {
        None => timed(model, (index, scope), counts, traffic),
        Some(run) => {
            let together = scope.together.as_deref().map_or(scope, |together| together.of(run.unrolled));
            let [turns, singles] = [run.vectors, run.singles].map(|turns| turns / run.trip);
            let mut time =
                timed(model, (index, together), counts, traffic.scaled((1.0 - singles) / turns)).scaled(turns);
            time.lanes = run.lanes;
            time.plus(timed(model, (index, scope), counts, traffic).scaled(singles))
        }
    }
}

/// The time of a loop that runs as `scope` says, which is its own or stands for several iterations of the loop around it.
fn timed(model: &Source, (index, scope): (usize, &Scope), counts: &Counts, traffic: Traffic) -> ScopeTime {
    let Some((_, iterations, entries)) = trips(model, index, counts) else {
        let (demand, _) = demand(scope, counts, |share: &Share| (&share.demand, 1.0));
        let (resource, throughput) = demand.bound();
        let (_, surprise) = surprises(model, index, counts);
        let bound = if surprise > throughput { Bound::Surprise } else { Bound::Throughput(resource) };
        let total = throughput + surprise;
        return ScopeTime { bound, chain: 0.0, throughput, memory: 0.0, surprise, total, lanes: 1 };
    };
    let trip = iterations / entries.max(1.0);
    let memory = traffic.total();
    if let Some(throughput) = as_call(model, scope, trip, entries) {
        let total = throughput + memory;
        return ScopeTime {
            bound: Bound::Throughput(Resource::Store),
            chain: 0.0,
            throughput,
            memory,
            surprise: 0.0,
            total,
            lanes: 1,
        };
    }
    if scope.closed {
        let throughput = CLOSED_FORM * entries;
        let bound = Bound::Throughput(Resource::IntegerProduct);
        return ScopeTime { bound, chain: 0.0, throughput, memory: 0.0, surprise: 0.0, total: throughput, lanes: 1 };
    }
    let varies = varies(model, index);
    let run = run(model, scope, trip, varies);
    let (mut demand, operations) = run.demand(scope, counts, trip);
    demand.add_scaled(&scope.hoisted.demand, entries);
    let unrolled = run.straight;
    let branches = if unrolled { 0.0 } else { run.turns() * entries };
    demand.add(Resource::Issue, branches * model.costs.lost_to_branch(demand.issue() / branches));
    let (resource, busy) = demand.bound();
    let set_up = if run.vectors > 0.0 { VECTOR_SET_UP * entries } else { 0.0 };
    let exits = if unrolled { 0.0 } else { exits(model, index, run.turns(), varies) * entries };
    let (misses, surprise) = surprises(model, index, counts);
    // One taken branch per cycle.
    let throughput = busy.max(branches) + set_up;
    let execution = Execution { throughput, loads: demand.loads() };
    let chain = if scope.innermost && run.vectors == 0.0 {
        let busy = traffic.during(execution, model.overlap) / iterations.max(1.0);
        let loads: f64 = scope.blocks.iter().map(|(_, counter, share)| share.loads * counts.of(*counter)).sum();
        let each = |of_all: f64| of_all / iterations.max(1.0);
        let overlap = overlap(model, scope, trip, [each(operations), each(loads)], busy);
        // The last entry has none behind it; nor has one that ends unexpectedly.
        let together = (entries - misses).max(0.0).min((entries - 1.0).max(0.0));
        let alone = scope.chain.cycles * trip;
        // What overlaps is as far ahead as the front end: where that is sent back, the chain falls behind as well.
        let overlapped = (alone / overlap + exits / entries.max(1.0)).min(alone);
        overlapped * together + alone * (entries - together)
    } else {
        0.0
    };
    // A branch that only counts is decided long before the chain gets there: its misprediction delays what comes
    // behind, not the chain. What data decides delays both.
    let busy = traffic.during(execution, model.overlap) + exits;
    // The bound of the sweep depends on the loop around: it begins behind the element, or ends before it.
    let swept = scope.sweeps_over.is_some_and(|variable| !scope.bounds.contains(&variable));
    let again = if swept { model.costs.reordered_load() * entries } else { 0.0 };
    let total = chain.max(busy) + surprise + again;
    let bound = match () {
        () if again > surprise.max(chain).max(busy) => Bound::Reordered,
        () if surprise > chain.max(busy) => Bound::Surprise,
        () if chain >= busy => Bound::Chain,
        () if exits > throughput.max(memory) => Bound::Surprise,
        () if memory > throughput => Bound::Memory(traffic.level),
        () => Bound::Throughput(resource),
    };
    let surprise = surprise + exits;
    ScopeTime { bound, chain, throughput, memory, surprise, total, lanes: run.lanes }
}

/// Cycles of a loop that the compiler replaces by a call of the library.
fn as_call(model: &Source, scope: &Scope, trip: f64, entries: f64) -> Option<f64> {
    let (bytes, name) = scope.idiom?.call();
    let (once, each) = (model.costs.library.get(name)?, model.costs.library_bytes.get(name)?);
    Some((once + model.costs.latency(InstructionClass::Call) + each * bytes as f64 * trip) * entries)
}

/// Branches that data decides: how many are mispredicted, and the cycles that takes.
fn surprises(model: &Source, index: usize, counts: &Counts) -> (f64, f64) {
    let scope = &model.scopes[index];
    let mispredict = model.costs.pipeline.mispredict_cycles.0;
    let (mut misses, mut cycles) = (0.0, 0.0);
    let mut add = |number: f64, resolved: f64| {
        misses += number;
        cycles += number * (mispredict + resolved);
    };
    for branch in &scope.erratic {
        let seen = counts.mispredicted(model.blocks[branch.counter.0 as usize]);
        let misses = seen.map(|share| share * counts.of(branch.counter));
        add(misses.unwrap_or_else(|| branch.misses(counts)), branch.resolved);
    }
    if let (Some(resolved), Some((header, iterations, entries))) =
        (erratic_end(model, scope), trips(model, index, counts))
    {
        let predicted = f64::from(model.costs.pipeline.predicted_trips);
        let seen = counts.mispredicted(header).map(|share| share * (iterations + entries));
        add(seen.unwrap_or_else(|| surprise::missed_ends(iterations, entries, predicted)), resolved);
    }
    (misses, cycles)
}

/// Where data decides how long the loop is, by its condition or by the bound that it gives: cycles until that is known.
pub fn erratic_end(model: &Source, scope: &Scope) -> Option<f64> {
    let around = std::iter::successors(scope.parent, |&parent| model.scopes[parent].parent);
    let around: Vec<&Scope> = around.map(|parent| &model.scopes[parent]).collect();
    // The nearest loop that changes a variable decides: farther out, what a loop inside counts is not known any more.
    let changes = |variable: &VarId| {
        let nearest = around.iter().find(|scope| scope.steps.contains_key(variable) || scope.given.contains(variable));
        nearest.is_some_and(|scope| !scope.steps.contains_key(variable))
    };
    let bound = scope.loaded_bound || scope.bounds.iter().any(changes);
    scope.erratic_end.or_else(|| bound.then_some(0.0))
}

/// Whether entries differ in their number of iterations.
fn varies(model: &Source, index: usize) -> bool {
    let scope = &model.scopes[index];
    let mut around = std::iter::successors(scope.parent, |&parent| model.scopes[parent].parent);
    around.any(|parent| scope.bounds.iter().any(|variable| model.scopes[parent].steps.contains_key(variable)))
}

/// Cycles per entry that a mispredicted end of the loop takes, of `turns` through its branch.
fn exits(model: &Source, index: usize, turns: f64, varies: bool) -> f64 {
    let mispredict = model.costs.pipeline.mispredict_cycles.0;
    if !model.scopes[index].innermost || erratic_end(model, &model.scopes[index]).is_some() {
        return 0.0;
    }
    if let Some(measured) = model.costs.exit(turns, varies) {
        return measured;
    }
    match () {
        () if turns > f64::from(model.costs.pipeline.predicted_trips) => mispredict,
        () if varies => VARYING_EXITS * mispredict,
        () => 0.0,
    }
}

/// By how much entries of a short loop overlap: while one waits for its chain, the window already holds
/// operations of those behind it, as far as there is room for those that wait (suite kernels rows_times, product_ijk
/// and gram at 40 to 310 iterations per entry, sums in memory at -O1 and in registers at -O2: 55 and 28 iterations
/// ahead, whatever their number). A chain of stores and loads also holds up loads that have nothing to do with it.
fn overlap(model: &Source, scope: &Scope, trip: f64, [operations, loads]: [f64; 2], busy: f64) -> f64 {
    if !scope.independent || operations <= 0.0 || trip <= 0.0 {
        return 1.0;
    }
    let pipeline = &model.costs.pipeline;
    let window = f64::from(pipeline.window) / operations;
    let waiting = pipeline.waiting.map_or(window, |waiting| f64::from(waiting) / scope.chain.waiting.max(1.0));
    // Only as far as it is faster than the chain does the front end get ahead of it.
    let ahead = window.min(waiting) * (1.0 - busy / scope.chain.cycles).max(0.0);
    let through_memory = scope.chain.forwarding > 0.0;
    let ahead = if through_memory { ahead.min(model.costs.forward_ahead(loads)) } else { ahead };
    1.0 + ahead / trip
}

/// What blocks cost, as it comes together.
#[derive(Default)]
struct Sheet {
    entries: BTreeMap<(ContextId, BlockId), BTreeMap<InstructionClass, f64>>,
    unknown: BTreeSet<BlockId>,
    /// Objects whose first touch is charged.
    touched: HashSet<Memory>,
    /// Cycles that rows which are taken to lie one beside the other would take longer apart.
    rows: BTreeMap<(Rows, Span), f64>,
}

impl Sheet {
    fn add(&mut self, context: ContextId, block: BlockId, class: InstructionClass, ns: f64) {
        *self.entries.entry((context, block)).or_default().entry(class).or_default() += ns;
    }

    fn assume(&mut self, rows: Vec<(Rows, Span, f64)>) {
        for (rows, at, longer) in rows {
            *self.rows.entry((rows, at)).or_default() += longer;
        }
    }

    fn finish(self, ns_per_cycle: f64) -> Priced {
        let entry = |((context, block), classes): ((ContextId, BlockId), BTreeMap<InstructionClass, f64>)| {
            let classes: Vec<_> = classes.into_iter().map(|(class, ns)| (class, Nanoseconds(ns))).collect();
            EntryCost { context, block, time: classes.iter().map(|&(_, time)| time).sum(), classes }
        };
        let entries: Vec<EntryCost> = self.entries.into_iter().map(entry).collect();
        let total: Nanoseconds = entries.iter().map(|entry| entry.time).sum();
        let decisive = |longer: f64| longer * ns_per_cycle > rows::DECISIVE * total.0;
        let rows = self.rows.into_iter().filter(|&(_, longer)| decisive(longer)).map(|(rows, _)| rows).collect();
        Priced { entries, unknown: self.unknown.into_iter().collect(), rows }
    }
}
