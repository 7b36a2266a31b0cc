//! The recurrence of a loop: how many cycles an iteration takes at least because it waits for the one before.

use crate::source::address::place::ValueNumber;
use crate::source::dataflow::graph::{CarriedDependence, Graph, NodeFlags};
use crate::source::dataflow::opcode::Opcode;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_ir::{InstructionClass, Unit, VarId};

/// The slowest recurrence of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recurrence {
    /// Per iteration.
    pub cycles: f64,
    /// What it goes through, with the lines, in the order of execution.
    pub path: Vec<(InstructionClass, u32)>,
    /// Where it enters the iteration.
    pub begin: Option<ValueNumber>,
    /// Operations per iteration that wait for the iteration before.
    pub waiting: f64,
    /// Cycles of `cycles` that pass between a store and the load that reads it back.
    pub forwarding: f64,
}

/// Iterations that are followed until the growth per iteration counts as settled.
const SETTLE: usize = 32;

/// A dependence from the begin of an iteration to the begin of the next.
struct Edge {
    from: usize,
    to: usize,
    cycles: f64,
}

/// The slowest recurrence: the greatest mean over the cycles of carried dependences. A dependence over d
/// iterations counts as one with a d-th of its latency. `spilled`: cycles that a scalar takes through memory where
/// no register keeps it; `counted`: whether counters make recurrences, which copies of an iteration share.
pub(crate) fn slowest_recurrence(
    graph: &Graph,
    live: &NodeFlags,
    counted: bool,
    spilled: &impl Fn(VarId) -> f64,
) -> Recurrence {
    // Registers carry over one iteration, memory over the distance of store and load.
    let mut carriers = graph.through_memory.clone();
    for (id, node) in graph.nodes.iter() {
        if let Opcode::Entry(variable) = node.opcode
            && live[id]
            && (counted || !graph.steps.contains_key(&variable))
            && let Some(&end) = graph.carried.get(&variable)
        {
            carriers.push(CarriedDependence { from: end, to: id, cycles: spilled(variable), distance: 1.0 });
        }
    }
    // RecMII is the greatest ratio of latency to distance over the cycles of this graph (Rau, MICRO 1994).
    let mut edges = Vec::new();
    for (from, entering) in carriers.iter().enumerate() {
        let mut depths = FxHashMap::default();
        for (to, leaving) in carriers.iter().enumerate() {
            if let Some(path) = longest(graph, leaving.from, entering.to, &mut depths) {
                edges.push(Edge { from, to, cycles: (path + leaving.cycles) / leaving.distance });
            }
        }
    }
    let mut recurrence = Recurrence { cycles: growth(&edges, carriers.len()), ..Recurrence::default() };
    // What is told to the user is the slowest cycle of one carrier alone.
    let own = edges.iter().filter(|edge| edge.from == edge.to);
    if let Some(edge) = own.max_by(|a, b| a.cycles.total_cmp(&b.cycles)) {
        let CarriedDependence { from: end, to: begin, cycles, distance } = carriers[edge.from];
        recurrence.forwarding = cycles / distance;
        path(graph, end, begin, &mut recurrence.path);
        recurrence.begin = Some(begin);
        recurrence.waiting = waiting(graph, live, begin);
    }
    recurrence
}

/// Operations that depend on a value of the iteration before, loads apart: they wait elsewhere.
fn waiting(graph: &Graph, live: &NodeFlags, begin: ValueNumber) -> f64 {
    let mut depends = graph.no_flags();
    let mut found = 0.0;
    for (id, node) in graph.nodes.iter().skip(begin.index()) {
        depends[id] = id == begin || node.operands.iter().any(|&operand| depends[operand]);
        // Loads wait in the load queue, others in the scheduler.
        let executed = node.class.is_some_and(|class| class != InstructionClass::Load);
        if id > begin && depends[id] && live[id] && executed {
            found += 1.0;
        }
    }
    found
}

/// What the longest way from `begin` to `end` goes through.
fn path(graph: &Graph, end: ValueNumber, begin: ValueNumber, found: &mut Vec<(InstructionClass, u32)>) {
    let mut depths = FxHashMap::default();
    let mut at = end;
    while at != begin {
        let node = &graph.nodes[at];
        found.extend(node.class.map(|class| (class, node.line)));
        let depth = |&operand: &ValueNumber| Some((longest(graph, operand, begin, &mut depths)?, operand));
        let Some((_, next)) = node.operands.iter().filter_map(depth).max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        at = next;
    }
    found.reverse();
}

/// Cycles from `begin` to `end`; `None` where `end` does not depend on it.
fn longest(
    graph: &Graph,
    end: ValueNumber,
    begin: ValueNumber,
    known: &mut FxHashMap<ValueNumber, Option<f64>>,
) -> Option<f64> {
    if end == begin {
        return Some(0.0);
    }
    if end < begin {
        // Operands precede their node: nothing before `begin` depends on it.
        return None;
    }
    if let Some(path) = known.get(&end) {
        return *path;
    }
    let node = &graph.nodes[end];
    let operands = node.operands.clone();
    // Some floating-point units pass results on to each other only a cycle later.
    let sum = node.class.is_some_and(|class| class.unit() == Unit::FloatSum);
    let wait = |operand| if sum { bypass(graph, operand) } else { 0.0 };
    let deepest = operands
        .into_iter()
        .filter_map(|operand| Some(longest(graph, operand, begin, known)? + wait(operand)))
        .reduce(f64::max);
    let path = deepest.map(|deepest| deepest + node.latency);
    known.insert(end, path);
    path
}

/// Cycles that a sum waits longer for a value than for a sum.
fn bypass(graph: &Graph, id: ValueNumber) -> f64 {
    let node = &graph.nodes[id];
    // A carried value was made by the end of the iteration before.
    let made = match node.opcode {
        Opcode::Entry(variable) => graph.carried.get(&variable).and_then(|&end| graph.nodes[end].class),
        _ => node.class,
    };
    let unit = made.map(InstructionClass::unit);
    let other = matches!(unit, Some(Unit::FloatProduct | Unit::FloatQuotient | Unit::Convert));
    if other { graph.bypass } else { 0.0 }
}

fn growth(edges: &[Edge], carriers: usize) -> f64 {
    // Relaxation instead of enumerating cycles: after enough rounds the slowest one sets the growth.
    let mut times = vec![0.0f64; carriers];
    let mut middle = 0.0;
    for round in 0..2 * SETTLE {
        let mut next = times.clone();
        for edge in edges {
            next[edge.to] = f64::max(next[edge.to], times[edge.from] + edge.cycles);
        }
        times = next;
        if round + 1 == SETTLE {
            middle = times.iter().copied().fold(0.0, f64::max);
        }
    }
    (times.iter().copied().fold(0.0, f64::max) - middle) / SETTLE as f64
}
