//! What bounds each loop of a segment, in the words of a performance engineer.

use crate::source::compiled::Totals;
use crate::source::compiler::profile::Vectorise;
use crate::source::loops::scope::Scope;
use crate::source::memory::lines::TRANSLATION;
use crate::source::model::Source;
use crate::source::price::loop_time::{Bound, ScopeTime, scope_time};
use crate::source::processor::demand::Resource;
use crate::source::profile::counts::{ExecutionCounts, trips};
use crate::source::vectorize::legality::{Legality, VectorizationBlocker};
use crate::{CodeKind, LoopTime, Reuse};
use chronos_activity::{ContextId, Count, Segment};
use chronos_base::units::Nanoseconds;
use chronos_ir::{BlockId, CounterId, InstructionClass, Unit};
use std::collections::BTreeSet;

/// The loops of a segment that were entered, by context and place.
pub(crate) fn loop_times(model: &Source, segment: &Segment, reuse: &Reuse) -> Vec<LoopTime> {
    model.sizes.learn(segment);
    let mut found = Vec::new();
    let mut rest: &[(ContextId, CounterId, Count)] = &segment.counts;
    let totals = Totals::new(model, segment);
    while let Some(&(context, ..)) = rest.first() {
        let (here, later) = rest.split_at(rest.partition_point(|entry| entry.0 == context));
        let counts = ExecutionCounts::of_context(segment, context).after(reuse).timed(model, &totals);
        let scopes: BTreeSet<u32> =
            here.iter().filter_map(|(_, counter, _)| model.scope_of[counter.0 as usize]).collect();
        found.extend(scopes.into_iter().filter_map(|scope| of_loop(model, scope as usize, context, &counts)));
        rest = later;
    }
    found
}

fn of_loop(model: &Source, index: usize, context: ContextId, counts: &ExecutionCounts) -> Option<LoopTime> {
    let (header, iterations, entries) = trips(model, index, counts).filter(|&(_, _, entries)| entries > 0.0)?;
    let time = scope_time(model, index, counts);
    let each = |cycles: f64| cycles / iterations.max(1.0);
    let ns = model.costs.ns_per_cycle;
    let scope = &model.scopes[index];
    Some(LoopTime {
        context,
        header,
        depth: depth(model, index),
        iterations,
        entries,
        time: Nanoseconds(time.total * ns),
        recurrence: Nanoseconds(time.recurrence * ns),
        throughput: Nanoseconds(time.throughput * ns),
        memory: Nanoseconds(time.memory * ns),
        bound: name(model, time.bound),
        kind: kind(scope, &time),
        places: time.places,
        lanes: time.lanes,
        why: why(model, scope, header, &time, each(time.total)),
    })
}

/// Loops around it, of the same function.
fn depth(model: &Source, index: usize) -> u32 {
    let around = std::iter::successors(model.scopes[index].parent, |&scope| model.scopes[scope].parent);
    u32::try_from(around.filter(|&scope| model.scopes[scope].header.is_some()).count()).unwrap_or(u32::MAX)
}

/// Above this share of a loop's time, mispredictions decide how far it may be off.
const MISPREDICTED: f64 = 0.1;

fn kind(scope: &Scope, time: &ScopeTime) -> CodeKind {
    match time.bound {
        _ if time.misprediction > MISPREDICTED * time.total => CodeKind::Irregular,
        // Whether a compiler selects or branches depends on more than this model knows of it.
        _ if scope.selects && time.lanes == 1 => CodeKind::Irregular,
        _ if !scope.innermost => CodeKind::Mixed,
        Bound::Recurrence => CodeKind::Latency,
        Bound::Throughput(Resource::Unit(Unit::FloatQuotient | Unit::IntegerQuotient)) => CodeKind::Division,
        Bound::Throughput(_) => CodeKind::Throughput,
        Bound::Memory(_) => CodeKind::Memory,
        Bound::Misprediction => CodeKind::Irregular,
        Bound::LoadReplay => CodeKind::Latency,
        Bound::Sum => CodeKind::Mixed,
    }
}

fn name(model: &Source, bound: Bound) -> String {
    match bound {
        Bound::Recurrence => "latency".to_owned(),
        Bound::Throughput(resource) => format!("throughput of {}", of_resource(resource)),
        Bound::Memory(TRANSLATION) => "finding pages".to_owned(),
        Bound::Memory(level) => model.levels.get(level).map_or("memory", |level| &level.name).to_owned(),
        Bound::Sum => "operations".to_owned(),
        Bound::Misprediction => "mispredicted branches".to_owned(),
        Bound::LoadReplay => "loads that run again".to_owned(),
    }
}

fn of_resource(resource: Resource) -> &'static str {
    match resource {
        Resource::Issue => "the front end",
        Resource::Unit(Unit::Integer) => "integer operations",
        Resource::Unit(Unit::IntegerProduct) => "integer products",
        Resource::Unit(Unit::IntegerQuotient) => "integer divisions",
        Resource::Unit(Unit::FloatSum) => "floating-point additions",
        Resource::Unit(Unit::FloatProduct) => "floating-point products",
        Resource::Unit(Unit::FloatQuotient) => "divisions and square roots",
        Resource::Unit(Unit::Convert) => "conversions",
        Resource::Unit(Unit::Load) => "loads",
        Resource::Unit(Unit::Store) => "stores",
    }
}

fn why(model: &Source, scope: &Scope, header: BlockId, time: &ScopeTime, cycles: f64) -> String {
    let cycles =
        format!("{} {} per iteration", counted(cycles), if counted(cycles) == "1" { "cycle" } else { "cycles" });
    if !scope.innermost && time.bound != Bound::Sum {
        return format!("what the loop does beside the loops inside it takes {cycles}");
    }
    let sentence = match time.bound {
        Bound::Recurrence => recurrence(model, scope, &cycles),
        Bound::Throughput(resource) => throughput(resource, &cycles),
        Bound::Memory(TRANSLATION) => format!(
            "bound by pages whose places the processor has to look up again: {cycles}; loops in another order, blocks, or larger pages would help"
        ),
        Bound::Memory(level) => memory(model, level, &cycles),
        Bound::Misprediction => format!(
            "bound by branches that depend on data and go the other way than predicted: {cycles}; choosing without a branch, or sorted data, would help"
        ),
        Bound::LoadReplay => format!(
            "bound by an element that each iteration loads while the loop's stores pass over it: the load was executed too early once per entry and runs again: {cycles}; a copy of the element in a variable would help"
        ),
        Bound::Sum => format!(
            "not optimised: every variable lives in memory and every operation counts: {cycles}; compiling with -O2 would help"
        ),
    };
    debug_assert!(scope.header == Some(header));
    [Some(sentence), vectors(model, scope, time)].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn counted(cycles: f64) -> String {
    let digits = usize::from(cycles < 10.0);
    let text = format!("{cycles:.digits$}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

fn recurrence(model: &Source, scope: &Scope, cycles: &str) -> String {
    let recurrence = &scope.recurrence;
    let last = recurrence.path.last();
    let line = last.map_or(String::new(), |&(_, line)| format!(" at line {line}"));
    if recurrence.forwarding > 0.0 {
        return format!(
            "bound by a value{line} that each iteration stores and the next one loads: {cycles}, {} of them from store to \
             load; keeping it in a local variable would help",
            counted(recurrence.forwarding)
        );
    }
    let classes: BTreeSet<InstructionClass> = recurrence.path.iter().map(|&(class, _)| class).collect();
    format!("bound by the latency of {}{line}: {cycles}{}", what(&classes), remedy(model, &classes))
}

/// What a recurrence consists of.
fn what(classes: &BTreeSet<InstructionClass>) -> &'static str {
    let has = |some: &[Unit]| classes.iter().any(|class| some.contains(&class.unit()));
    if has(&[Unit::FloatQuotient]) {
        "a division that waits for the one before"
    } else if has(&[Unit::IntegerQuotient]) {
        "an integer division that waits for the one before"
    } else if has(&[Unit::Load]) {
        "loads whose addresses were loaded"
    } else if is_sum(classes) {
        "the accumulation"
    } else if has(&[Unit::FloatSum, Unit::FloatProduct]) {
        "the recurrence"
    } else {
        "the integer recurrence"
    }
}

fn is_sum(classes: &BTreeSet<InstructionClass>) -> bool {
    !classes.is_empty() && classes.iter().all(|class| class.unit() == Unit::FloatSum)
}

fn remedy(model: &Source, classes: &BTreeSet<InstructionClass>) -> &'static str {
    match (is_sum(classes), model.costs.reassociate) {
        (true, false) => "; several accumulators, or -ffast-math, would help",
        (true, true) => "; several accumulators would help",
        _ => "",
    }
}

fn throughput(resource: Resource, cycles: &str) -> String {
    let remedy = match resource {
        Resource::Unit(Unit::FloatQuotient) => "; multiplying by a reciprocal would help where its rounding is allowed",
        Resource::Unit(Unit::IntegerQuotient) => "; a divisor known at compile time would help",
        Resource::Unit(Unit::Load | Unit::Store) => {
            "; using a value several times once it is loaded (unroll and jam) would help"
        }
        _ => "",
    };
    format!("bound by the throughput of {}: {cycles}{remedy}", of_resource(resource))
}

pub fn memory(model: &Source, level: usize, cycles: &str) -> String {
    let name = |level: usize| model.levels.get(level).map_or("memory", |level| &level.name);
    let nearer = name(level.saturating_sub(1));
    format!(
        "bound by lines from {}: {cycles}; blocking the loops so that their data stays in {nearer} would help",
        name(level)
    )
}

/// Whether it runs on vectors, and if not, why.
fn vectors(model: &Source, scope: &Scope, time: &ScopeTime) -> Option<String> {
    if time.lanes > 1 {
        return Some(format!("vectorised, {} iterations at once", time.lanes));
    }
    let why = match (model.profile.vectorise, scope.legality) {
        (Vectorise::Never, Legality::No(_)) => return None,
        (Vectorise::Never, _) => "this compiler does not at this level",
        (_, Legality::No(VectorizationBlocker::NotInnermost | VectorizationBlocker::Unprofitable)) => return None,
        (_, Legality::No(VectorizationBlocker::ControlFlow)) => "it has calls, jumps or branches",
        (_, Legality::No(VectorizationBlocker::Recurrence)) => "an iteration needs what the one before computed",
        (_, Legality::No(VectorizationBlocker::ReusedLoads)) => {
            "what an iteration loads stays in registers for the next two"
        }
        (_, Legality::No(VectorizationBlocker::SumOrder)) => "the order of floating-point sums must be kept",
        (_, Legality::No(VectorizationBlocker::Stride)) => "it does not walk through memory element after element",
        (
            _,
            Legality::No(
                VectorizationBlocker::MemoryDependence
                | VectorizationBlocker::MetByCounter
                | VectorizationBlocker::UnknownDistance,
            ),
        ) => "its stores may meet its loads",
        (_, Legality::No(VectorizationBlocker::Errno)) => "sqrt may have to set errno (-fno-math-errno would help)",
        (_, Legality::No(VectorizationBlocker::IntegerDivision)) => "integers are divided",
        (Vectorise::Whole, Legality::Checked) => "its pointers may alias (restrict would help)",
        (Vectorise::Whole, Legality::Yes) => "its number of iterations is no known multiple of the lanes",
        (Vectorise::Checked, _) => "it has too few iterations",
    };
    Some(format!("not vectorised: {why}"))
}
