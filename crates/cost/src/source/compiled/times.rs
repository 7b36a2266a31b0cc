//! Cycles of the scopes of one context, from object code.

use super::calls::beside_calls;
use super::code::{CompiledCode, CompiledFunction};
use super::hosts::Regions;
use super::scopes::{CompiledScope, CompiledTimes};
use super::totals::Totals;
use crate::source::loops::idiom::is_made_of_loops;
use crate::source::model::Source;
use crate::source::price::mispredictions::varies;
use crate::source::profile::counts::ExecutionCounts;
use crate::source::vectorize::legality::{Legality, VectorizationBlocker};
use chronos_compiled::instruction::Flow;
use chronos_compiled::loops::LoopId;
use chronos_compiled::nest::{ExecutionProfile, NestTimes, RegionTime, Situation};
use chronos_ir::{CounterId, FuncId};
use std::collections::{BTreeMap, BTreeSet};

/// How often the source runs in a context, as the nest of a machine function asks.
pub(super) struct Profile<'a> {
    pub(super) model: &'a Source,
    pub(super) compiled: &'a CompiledCode,
    pub(super) counts: &'a ExecutionCounts,
    pub(super) totals: &'a Totals,
    pub(super) function: FuncId,
    /// The function whose object code has it.
    host: FuncId,
    /// The part of all calls of the function that this context makes.
    share: f64,
}

impl Profile<'_> {
    fn of(&self, counter: CounterId, function: FuncId) -> f64 {
        if function == self.function {
            return self.counts.of(counter);
        }
        self.totals.of(counter) * self.share
    }

    /// Iterations and entries of a loop in the context, and whether it was entered before the segment began.
    pub(super) fn of_loop(&self, scope: usize) -> Option<LoopCounts> {
        let header = self.model.scopes[scope].header?;
        let function = self.compiled.function_of[scope];
        let [iterations, entries] = self.model.loop_counters(header).map(|counter| self.of(counter, function));
        Some(LoopCounts { iterations, entries, under_way: self.totals.is_under_way(scope, entries) })
    }

    /// Calls of a function in all of the program that is priced with the segment.
    pub(super) fn all_calls(&self, function: FuncId) -> f64 {
        self.compiled.calls.get(&function).map_or(0.0, |&counter| self.totals.of(counter))
    }

    /// Calls of a function: one where it was called before the segment began.
    fn calls(&self, function: FuncId) -> Option<f64> {
        let calls = self.of(*self.compiled.calls.get(&function)?, function);
        Some(if calls == 0.0 && self.totals.ran(function) { 1.0 } else { calls })
    }
}

pub(super) struct LoopCounts {
    pub(super) iterations: f64,
    entries: f64,
    pub(super) under_way: bool,
}

impl ExecutionProfile for Profile<'_> {
    fn trips(&self, source_loop: usize) -> Option<f64> {
        let found = self.of_loop(self.compiled.scopes[source_loop])?;
        Some(match found {
            LoopCounts { iterations, under_way: true, .. } => iterations.max(1.0),
            LoopCounts { iterations, entries, .. } if entries > 0.0 => iterations / entries,
            _ => 0.0,
        })
    }

    fn reached(&self, source_loop: usize) -> Option<f64> {
        let scope = self.compiled.scopes[source_loop];
        let own = self.of_loop(scope)?;
        if own.under_way {
            return Some(1.0);
        }
        let around = match self.model.scopes[scope].parent.filter(|&parent| self.model.scopes[parent].header.is_some())
        {
            Some(parent) => {
                let around = self.of_loop(parent)?;
                if around.under_way { around.iterations.max(1.0) } else { around.iterations }
            }
            None => self.calls(self.compiled.function_of[scope])?,
        };
        Some(if around > 0.0 { own.entries / around } else { 0.0 })
    }

    fn reached_from(&self, source_loop: usize, around: Option<usize>) -> Option<f64> {
        let entries = self.of_loop(self.compiled.scopes[source_loop])?.entries;
        let around = match around {
            Some(around) => self.of_loop(self.compiled.scopes[around]).filter(|around| !around.under_way)?.iterations,
            None => self.calls(self.host)?,
        };
        (around > 0.0).then_some(entries / around)
    }

    fn count(&self, source_block: usize) -> Option<f64> {
        let counter = self.compiled.counters[source_block];
        let scope = self.model.scope_of[counter.0 as usize]?;
        Some(self.of(counter, self.compiled.function_of[scope as usize]))
    }

    fn varies(&self, source_loop: usize) -> bool {
        varies(self.model, self.compiled.scopes[source_loop])
    }

    fn overlaps(&self, source_loop: usize) -> bool {
        let scope = &self.model.scopes[self.compiled.scopes[source_loop]];
        let meets = [VectorizationBlocker::MemoryDependence, VectorizationBlocker::MetByCounter];
        meets.map(Legality::No).contains(&scope.legality)
    }

    fn meets_by_counter(&self, source_loop: usize) -> bool {
        let scope = &self.model.scopes[self.compiled.scopes[source_loop]];
        scope.legality == Legality::No(VectorizationBlocker::MetByCounter)
    }

    fn chosen_by_data(&self, source_loop: usize) -> bool {
        !self.model.scopes[self.compiled.scopes[source_loop]].data_dependent.is_empty()
    }
}

/// Machine loops of a level of nesting, with the executions of the regions around them.
#[derive(Clone, Copy)]
struct Reached {
    id: LoopId,
    source: usize,
    iterations: f64,
    entries: f64,
    shares: [f64; 2],
    /// Source iterations of the loops around it in one of theirs: what one entry stands for.
    lanes: f64,
}

/// A machine loop, or the function outside its loops, with all its executions in the context.
#[derive(Clone, Copy)]
struct Region {
    id: Option<LoopId>,
    executions: f64,
    /// Source iterations that one of its executions stands for, those of the loops around it included.
    lanes: f64,
    /// What of its cycles is left where it overlaps with the code around it; of `busy` likewise.
    shares: [f64; 2],
}

/// The machine loops directly inside some regions.
#[derive(Default)]
struct Level {
    reached: Vec<Reached>,
    /// Loops of the compiler's own around versions of one of the source: what is inside is another level.
    around: Vec<Region>,
    /// How often the ways through the regions come to each source loop.
    entered: BTreeMap<usize, f64>,
}

impl Level {
    fn inside(regions: &[Region], nest: &NestTimes<'_>, found: &CompiledFunction) -> Self {
        let mut level = Self::default();
        regions.iter().for_each(|region| level.add(region, nest, found));
        level
    }

    fn add(&mut self, region: &Region, nest: &NestTimes<'_>, found: &CompiledFunction) {
        let mut sources = BTreeSet::new();
        let time = nest.region(region.id).ok();
        for (id, visit) in nest.visits(region.id) {
            let (iterations, entries) = (region.executions * visit.iterations, region.executions * visit.reached);
            let Some(Ok(matched)) = found.matches.get(&id) else {
                self.around.push(Region { id: Some(id), executions: iterations, ..*region });
                continue;
            };
            let shares = shares(time.as_ref(), nest.region(Some(id)).ok().as_ref(), id, visit.iterations);
            let shares = [shares[0] * region.shares[0], shares[1] * region.shares[1]];
            let lanes = region.lanes;
            self.reached.push(Reached { id, source: matched.source, iterations, entries, shares, lanes });
            // Machine loops of one loop run over its iterations together; copies that other calls inline do not.
            if sources.insert((matched.source, matched.inlined_by)) {
                *self.entered.entry(matched.source).or_default() += entries * region.lanes;
            }
        }
    }
}

/// The part of a loop's cycles that is left within the time of the region around it.
fn shares(around: Option<&RegionTime>, own: Option<&RegionTime>, id: LoopId, iterations: f64) -> [f64; 2] {
    let (Some(around), Some(own)) = (around, own) else { return [1.0; 2] };
    let share = |inside: Option<&f64>, alone: f64| match inside {
        Some(inside) if alone * iterations > 0.0 => inside / (alone * iterations),
        _ => 1.0,
    };
    [share(around.inside.get(&id), own.cycles), share(around.busy_inside.get(&id), own.busy)]
}

impl CompiledCode {
    /// The function whose object code a function is executed in: its own, or the first of those it is inlined into that ran.
    fn host(&self, function: FuncId, totals: &Totals) -> FuncId {
        let Some(hosts) = self.inlined.get(&function) else { return function };
        hosts.iter().find(|host| totals.ran(**host)).or_else(|| hosts.first()).copied().unwrap_or(function)
    }
}

impl CompiledTimes {
    /// Times the functions whose scopes ran in a context.
    pub fn new(
        model: &Source,
        compiled: &CompiledCode,
        counts: &ExecutionCounts,
        totals: &Totals,
        scopes: &BTreeSet<u32>,
    ) -> Self {
        let mut times = Self::default();
        let functions: BTreeSet<FuncId> = scopes.iter().map(|&scope| compiled.function_of[scope as usize]).collect();
        for function in functions {
            let own = scopes.iter().map(|&scope| scope as usize);
            let own: Vec<usize> = own.filter(|&scope| compiled.function_of[scope] == function).collect();
            times.function(model, compiled, counts, totals, function, &own);
        }
        times
    }

    /// Adds to what is known of scopes in all contexts.
    pub(crate) fn note(&self, model: &Source, compiled: &CompiledCode, counts: &ExecutionCounts) {
        let mut outcomes = compiled.outcomes.borrow_mut();
        let executed =
            |&scope: &usize| model.scopes[scope].blocks.iter().map(|(_, counter, _)| counts.of(*counter)).sum::<f64>();
        for scope in self.priced.keys().chain(&self.called) {
            outcomes.entry(*scope).or_default().priced += executed(scope);
        }
        for (scope, reason) in &self.refused {
            let known = outcomes.entry(*scope).or_default();
            known.refused += executed(scope);
            known.reason = Some(reason.clone());
        }
    }

    fn function(
        &mut self,
        model: &Source,
        compiled: &CompiledCode,
        counts: &ExecutionCounts,
        totals: &Totals,
        function: FuncId,
        scopes: &[usize],
    ) {
        let host = compiled.host(function, totals);
        let Some(found) = compiled.functions.get(&host) else {
            scopes.iter().for_each(|&scope| self.refuse(scope, "the object code has no function of this name"));
            return;
        };
        if found.inlines_itself {
            scopes
                .iter()
                .for_each(|&scope| self.refuse(scope, "the compiler inlined calls of the function into itself"));
            return;
        }
        let Some(calls) = compiled.calls.get(&function).map(|&counter| (counts.of(counter), counter)) else { return };
        let all = totals.of(calls.1);
        let share = if all > 0.0 { calls.0 / all } else { 1.0 };
        let profile = Profile { model, compiled, counts, totals, function, host, share };
        let of_run = found.of_run(&compiled.source, |source_loop| profile.trips(source_loop));
        let found = of_run.as_ref().unwrap_or(found);
        let executions = compiled.calls.get(&host).map_or(0.0, |&counter| profile.of(counter, host));
        let situation = Situation {
            code: &found.code,
            matches: &found.matches,
            source: &compiled.source,
            places: &found.places,
            profile: &profile,
        };
        let nest = NestTimes::new(&compiled.core, situation, &found.simulated);
        // What of an inlined function has no machine loop of its own is a part of the code around it.
        let regions =
            if host == function { Regions::default() } else { Regions::of(&nest, found, &profile, executions) };
        if host == function {
            self.body(&nest, scopes, executions, model);
        } else if let Some(&body) = scopes.iter().find(|&&scope| model.scopes[scope].header.is_none()) {
            match regions.lose_body(found, &compiled.names[&function]) {
                true => self.refuse(body, INLINED),
                false => self.enter(body, CompiledScope::default()),
            }
        }
        let mut written_out = BTreeSet::new();
        if scopes.iter().any(|&scope| model.scopes[scope].header.is_some()) {
            // What was called before the segment began goes on: only what it is entered from is not known.
            let reached = if executions == 0.0 { 1.0 } else { executions };
            written_out = self.loops(compiled, &nest, found, &profile, reached);
        }
        self.not_reached(compiled, found, scopes, &written_out);
        self.astray(&profile, found, scopes);
        self.nests(model, scopes);
        for &scope in scopes {
            self.rest(model, compiled, (found, &regions), scope);
        }
    }

    fn enter(&mut self, scope: usize, time: CompiledScope) {
        if self.refused.contains_key(&scope) {
            return;
        }
        let own = self.priced.entry(scope).or_default();
        own.cycles += time.cycles;
        own.busy += time.busy;
        own.places = [own.places[0] + time.places[0], own.places[1] + time.places[1]];
        own.turns += time.turns;
        own.together += time.together;
        own.chooses |= time.chooses;
        own.elements = own.elements.max(time.elements);
    }

    /// The source prices a scope: wholly, for it knows no parts of one.
    fn refuse(&mut self, scope: usize, reason: &str) {
        self.priced.remove(&scope);
        self.refused.insert(scope, reason.to_owned());
    }

    /// The function outside its loops.
    fn body(&mut self, nest: &NestTimes<'_>, scopes: &[usize], calls: f64, model: &Source) {
        let Some(&scope) = scopes.iter().find(|&&scope| model.scopes[scope].header.is_none()) else { return };
        if calls == 0.0 {
            // The segment that began the function has its time.
            self.enter(scope, CompiledScope::default());
            return;
        }
        match nest.region(None) {
            Ok(time) => {
                let (cycles, busy) = (time.own() * calls, time.own_busy() * calls);
                let places = time.places.map(|by| by * cycles);
                let own = CompiledScope {
                    cycles,
                    busy,
                    places,
                    turns: 0.0,
                    chooses: time.chooses,
                    elements: 1,
                    together: 0.0,
                };
                self.enter(scope, own);
            }
            Err(reason) => self.refuse(scope, &reason.0),
        }
    }

    /// All machine loops. Copies of a loop may lie at several levels (peeled, or inlined by several calls), so that how often
    /// ways come to it is known only when all were seen. Returned are the scopes of loops that are written out.
    fn loops(
        &mut self,
        compiled: &CompiledCode,
        nest: &NestTimes<'_>,
        found: &CompiledFunction,
        profile: &Profile<'_>,
        calls: f64,
    ) -> BTreeSet<usize> {
        let mut written_out = written_out_in(compiled, nest, profile, None);
        let (mut regions, mut entered) = levels(compiled, nest, found, profile, calls, &BTreeMap::new());
        // What is known of an outer loop changes how often ways come to those inside: once for each level of nesting.
        let mut open = BTreeSet::new();
        for _ in 0..DEEPEST {
            let (again, changed) = levels(compiled, nest, found, profile, calls, &entered);
            regions = again;
            open = unsettled(&entered, &changed);
            if changed == entered {
                break;
            }
            entered = changed;
        }
        // Copies at several levels of which each changes how often the ways come to the others may have no such number.
        open.iter().for_each(|&source| self.refuse(compiled.scopes[source], UNSETTLED));
        for (region, machine) in regions.into_iter().filter(|(_, machine)| !open.contains(&machine.source)) {
            written_out.extend(written_out_in(compiled, nest, profile, region.id));
            let scope = compiled.scopes[machine.source];
            // Loops of inlined functions are timed in contexts of their own.
            if compiled.function_of[scope] == profile.function {
                self.machine_loop(nest, found, profile, region, (scope, machine.lanes));
            }
        }
        written_out
    }

    fn machine_loop(
        &mut self,
        nest: &NestTimes<'_>,
        found: &CompiledFunction,
        profile: &Profile<'_>,
        region: Region,
        (scope, around): (usize, f64),
    ) {
        let Some(id) = region.id else { return };
        let (iterations, [part, busy_part]) = (region.executions, region.shares);
        let elements = found.matches.get(&id).and_then(|found| found.as_ref().ok()).map_or(1, |found| found.elements);
        match nest.region(Some(id)) {
            Ok(time) => {
                let elements = u32::try_from(elements).unwrap_or(u32::MAX);
                let [own, own_busy] = beside_calls(nest, found, profile, id).unwrap_or([time.own(), time.own_busy()]);
                let (cycles, busy) = (own * iterations * part, own_busy * iterations * busy_part);
                let (chooses, together) = (time.chooses, iterations * around);
                let places = time.places.map(|by| by * cycles);
                let own = CompiledScope { cycles, busy, places, turns: iterations, chooses, elements, together };
                self.enter(scope, own);
            }
            Err(reason) => self.refuse(scope, &reason.0),
        }
    }

    /// Scopes that have machine loops to which none of the ways comes, and that are not written out either.
    fn not_reached(
        &mut self,
        compiled: &CompiledCode,
        found: &CompiledFunction,
        scopes: &[usize],
        written_out: &BTreeSet<usize>,
    ) {
        let has_loop = |source: usize| found.matches.values().flatten().any(|found| found.source == source);
        let lost = scopes.iter().filter(|scope| compiled.loops.get(scope).is_some_and(|&source| has_loop(source)));
        for &scope in lost {
            if !self.is_known(scope) && !written_out.contains(&scope) {
                self.refuse(scope, NOT_REACHED);
            }
        }
    }

    /// Scopes whose instructions lie in cycles of which it is not known what they are of the source: those that are entered in the
    /// middle are no natural loops, or are nested otherwise than the source is (the copy of a nest behind saved registers,
    /// shrink-wrapping; a first iteration whose conditions are known, jump threading). No way leads into their middle, so that
    /// loops inside them may lose most of their iterations.
    fn astray(&mut self, profile: &Profile<'_>, found: &CompiledFunction, scopes: &[usize]) {
        let source = |at: usize| found.places.of(at).last().copied();
        let unmatched = found.matches.iter().filter(|(_, matched)| matched.is_err());
        let unmatched = unmatched.flat_map(|(id, _)| found.code.own_instructions(Some(*id)));
        let unmatched: BTreeSet<usize> = unmatched.filter_map(source).collect();
        let irreducible: BTreeSet<usize> = found.code.irreducible_instructions().filter_map(source).collect();
        for &scope in scopes {
            let Some(source) = profile.compiled.loops.get(&scope) else { continue };
            let is_lost = || irreducible.contains(source) && self.loses_iterations(profile, scope);
            if unmatched.contains(source) && !self.is_known(scope) || is_lost() {
                self.refuse(scope, NESTED_OTHERWISE);
            }
        }
    }

    /// Whether its machine loops do less than half of the iterations of the source.
    fn loses_iterations(&self, profile: &Profile<'_>, scope: usize) -> bool {
        let done = self.priced.get(&scope).map(|own| own.turns * f64::from(own.elements.max(1)));
        let iterations = profile.of_loop(scope).map_or(0.0, |counts| counts.iterations);
        done.is_some_and(|done| done < iterations / 2.0)
    }

    /// Code of a loop that is not found may be anywhere in the loops around it: they are priced like it.
    fn nests(&mut self, model: &Source, scopes: &[usize]) {
        for &scope in scopes.iter().rev() {
            let lost = self
                .refused
                .get(&scope)
                .is_some_and(|reason| [NOT_REACHED, NESTED_OTHERWISE, AROUND].contains(&reason.as_str()));
            let parent = model.scopes[scope].parent.filter(|&parent| lost && model.scopes[parent].header.is_some());
            if let Some(parent) = parent {
                self.refuse(parent, AROUND);
            }
        }
    }

    /// A scope that no machine loop was found of: written out within the code around it, or not there.
    fn rest(
        &mut self,
        model: &Source,
        compiled: &CompiledCode,
        (found, regions): (&CompiledFunction, &Regions),
        scope: usize,
    ) {
        let Some(&source) = compiled.loops.get(&scope).filter(|_| !self.is_known(scope)) else { return };
        // Where a loop around is not understood, nothing is known of what was written out in it.
        let around: BTreeSet<usize> =
            std::iter::successors(Some(source), |&inner| compiled.source.loops[inner].parent).collect();
        let unmatched = found.matches.iter().find_map(|(id, found_loop)| match found_loop {
            Err(unmatched) if unmatched.source.is_some_and(|source| around.contains(&source)) => {
                found.code.forest.loops[*id].children.is_empty().then(|| unmatched.reason.0.clone())
            }
            _ => None,
        });
        let present = (0..found.code.function.instructions.len()).any(|at| found.places.of(at).contains(&source));
        if let Some(reason) = unmatched {
            self.refuse(scope, &reason);
        } else if self.is_in_refused(model, scope) {
            self.refuse(scope, WITHIN);
        } else if regions.lose_loop(found, source) {
            self.refuse(scope, INLINED);
        } else if calls_library(found, source) {
            match model.scopes[scope].idiom {
                Some(_) => drop(self.called.insert(scope)),
                None => self.refuse(scope, "a call of the library stands in place of the loop"),
            }
        } else if present {
            self.enter(scope, CompiledScope::default());
        } else {
            self.refuse(scope, "no instruction of the object code comes from its lines");
        }
    }

    fn is_known(&self, scope: usize) -> bool {
        self.priced.contains_key(&scope) || self.refused.contains_key(&scope) || self.called.contains(&scope)
    }

    /// Whether the next scope around is priced from the source: then nothing has the instructions that were written out in it.
    fn is_in_refused(&self, model: &Source, scope: usize) -> bool {
        let parent = |&inner: &usize| model.scopes[inner].parent;
        let mut around = std::iter::successors(parent(&scope), parent);
        around.find(|&around| self.is_known(around)).is_some_and(|around| self.refused.contains_key(&around))
    }
}

/// Scopes of loops of which blocks of a region have most iterations: what machine loops they have are for other cases.
fn written_out_in(
    compiled: &CompiledCode,
    nest: &NestTimes<'_>,
    profile: &Profile<'_>,
    region: Option<LoopId>,
) -> BTreeSet<usize> {
    let most = |&(source, iterations): &(usize, f64)| {
        profile.trips(source).is_some_and(|trips| trips > 0.0 && iterations > trips / 2.0)
    };
    nest.written_out(region).into_iter().filter(most).map(|(source, _)| compiled.scopes[source]).collect()
}

/// Whether the object code fills or copies memory by a call in place of a source loop.
fn calls_library(found: &CompiledFunction, source: usize) -> bool {
    let instructions = found.code.function.instructions.iter().enumerate();
    let calls = instructions.filter_map(|(at, instruction)| match &instruction.flow {
        Flow::Call(Some(name)) | Flow::TailCall(Some(name)) if is_made_of_loops(name) => Some(at),
        _ => None,
    });
    calls.into_iter().any(|at| found.places.of(at).last() == Some(&source))
}

/// The machine loops of a function, level by level, with all their executions in the context, and how often ways come to each
/// source loop. `entered`: that where it is known of all levels; else each level's own is taken.
fn levels(
    compiled: &CompiledCode,
    nest: &NestTimes<'_>,
    found: &CompiledFunction,
    profile: &Profile<'_>,
    calls: f64,
    entered: &BTreeMap<usize, f64>,
) -> (Vec<(Region, Reached)>, BTreeMap<usize, f64>) {
    let (mut all, mut totals) = (Vec::new(), BTreeMap::new());
    let mut regions = vec![Region { id: None, executions: calls, lanes: 1.0, shares: [1.0; 2] }];
    while !regions.is_empty() {
        let level = Level::inside(&regions, nest, found);
        level.entered.iter().for_each(|(source, entries)| *totals.entry(*source).or_default() += entries);
        regions = level.around;
        for machine in level.reached {
            let Some(counted) = profile.of_loop(compiled.scopes[machine.source]) else { continue };
            let expected = entered.get(&machine.source).or_else(|| level.entered.get(&machine.source));
            let expected = expected.copied().unwrap_or(0.0);
            if expected <= 0.0 || machine.entries <= 0.0 {
                continue;
            }
            let elements =
                found.matches.get(&machine.id).and_then(|found| found.as_ref().ok()).map_or(1, |m| m.elements);
            // Entries are known; what ways say of them only shares them out. So do iterations where entries are not.
            let iterations = match counted.under_way {
                true => counted.iterations / elements as f64 * (machine.entries / expected),
                false => machine.iterations * counted.entries / expected,
            };
            let lanes = machine.lanes * elements as f64;
            let region = Region { id: Some(machine.id), executions: iterations, lanes, shares: machine.shares };
            let begun = if counted.under_way { iterations.max(1.0) } else { iterations };
            regions.push(Region { executions: begun, ..region });
            all.push((region, machine));
        }
    }
    (all, totals)
}

/// Source loops of which ways come to the machine loops more or less often than was known before.
fn unsettled(before: &BTreeMap<usize, f64>, after: &BTreeMap<usize, f64>) -> BTreeSet<usize> {
    let of = |entered: &BTreeMap<usize, f64>, source: &usize| entered.get(source).copied().unwrap_or(0.0);
    let differs = |source: &&usize| {
        let (before, after) = (of(before, source), of(after, source));
        (before - after).abs() > SETTLED * before.abs().max(after.abs())
    };
    before.keys().chain(after.keys()).filter(differs).copied().collect()
}

/// Entries that differ by no more are the same.
const SETTLED: f64 = 0.01;

const UNSETTLED: &str = "how often the ways through the object code come to its machine loops is not known";

/// Levels of nested loops whose entries are told level by level.
const DEEPEST: usize = 12;

const WITHIN: &str = "a loop around it is priced from the source";

const INLINED: &str = "the code that it is inlined into is priced from the source";
const NOT_REACHED: &str = "no way through the object code comes to its machine loops";
const NESTED_OTHERWISE: &str = "its instructions lie in a cycle that is nested otherwise than the loops of the source";
const AROUND: &str = "a loop inside it is priced from the source";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_entries_that_still_change_are_not_settled() {
        let entered = |numbers: &[(usize, f64)]| numbers.iter().copied().collect::<BTreeMap<_, _>>();
        let before = entered(&[(0, 100.0), (1, 3.0), (2, 7.0)]);
        assert!(unsettled(&before, &before).is_empty());
        let after = entered(&[(0, 100.5), (1, 6.0), (3, 1.0)]);
        assert_eq!(unsettled(&before, &after), BTreeSet::from([1, 2, 3]));
    }
}
