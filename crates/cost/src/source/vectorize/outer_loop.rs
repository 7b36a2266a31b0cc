//! Loops that become vectors with the loop inside them: iterations of the outer one fill the lanes of a vector, and all
//! of them run the inner one together, each with sums of its own (suite kernels product and `product_local`).
//!
//! Elements must fill the lanes of a vector in the order of the outer loop, or be the same for all. Where the inner
//! loop has been unrolled completely before, the outer one is a loop like others, and what may meet is found out at run
//! time. It must not know how often loops run.

use crate::source::address::affine::Atom;
use crate::source::address::place::{Root, ValueNumber};
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Access, Graph, Node, NodeFlags, access_stride};
use crate::source::dataflow::opcode::Opcode;
use crate::source::vectorize::legality::{Legality, Plan, Starts, VectorizationBlocker, check_operations};
use crate::source::whole_program::calls::visit_straight;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, Loop, OpKind, Program, VarId};
use std::collections::BTreeSet;

/// A loop that does nothing beside one loop inside it but what vectors can.
#[derive(Clone, Debug)]
pub(crate) struct OuterCandidate {
    steps: FxHashMap<VarId, i64>,
    /// Variables that it changes otherwise.
    changed: BTreeSet<VarId>,
    accesses: Vec<Access>,
}

/// What a loop is to those inside it; `None` where it cannot become vectors together with one.
pub(crate) fn outer_candidate(
    setting: Setting<'_>,
    head: &Loop,
    graph: &Graph,
    live: &NodeFlags,
) -> Option<OuterCandidate> {
    let condition: &[BlockId] = head.condition.as_ref().map_or(&[], |condition| &condition.region);
    // Outer-loop vectorization takes nests of two loops (GCC: vect_analyze_loop_form).
    let loops = head.body.iter().filter(|&&block| matches!(setting.program.blocks[block].kind, BlockKind::Loop(_)));
    let straight = |block: &BlockId| is_plain(setting.program, *block);
    let others = head.body.iter().filter(|&&block| !matches!(setting.program.blocks[block].kind, BlockKind::Loop(_)));
    let plain = loops.count() == 1 && others.chain(condition).chain(&head.step).all(straight);
    let changed: BTreeSet<VarId> =
        graph.carried.keys().copied().filter(|variable| !graph.steps.contains_key(variable)).collect();
    // A value that the outer loop carries itself would be a recurrence of the lanes.
    let hands_on = |(id, node): (ValueNumber, &Node)| {
        live[id] && matches!(node.opcode, Opcode::Entry(variable) if changed.contains(&variable))
    };
    let fits = (setting.profile.outer_vectors || setting.profile.unrolls_first)
        && plain
        && !graph.calls
        && !graph.steps.is_empty();
    (fits && !graph.nodes.iter().any(hands_on) && check_operations(setting, graph, live).is_ok())
        .then(|| OuterCandidate { steps: graph.steps.clone(), changed, accesses: graph.accesses.clone() })
}

/// Neither jumps nor anything that no vector does.
fn is_plain(program: &Program, block: BlockId) -> bool {
    let mut plain = matches!(program.blocks[block].kind, BlockKind::Straight(_));
    visit_straight(program, block, &mut |straight| {
        plain &= straight.ops.iter().all(|op| {
            !matches!(
                op.kind,
                OpKind::Jump(_)
                    | OpKind::Opaque(_)
                    | OpKind::Allocate { .. }
                    | OpKind::Call(_)
                    | OpKind::Copy { .. }
                    | OpKind::Zero { .. }
            )
        });
    });
    plain
}

/// An inner loop, as the one around it sees it.
pub(crate) struct InnerLoop<'a> {
    pub graph: &'a Graph,
    pub live: &'a NodeFlags,
    /// Loads and stores that are left to registers.
    pub removed: &'a [ValueNumber],
    /// Where its inductions begin.
    pub starts: &'a Starts,
    /// Variables that the loop around sets before it.
    pub(crate) set_before: &'a BTreeSet<VarId>,
}

/// How an inner loop runs on vectors over the iterations of the loop around it.
pub(crate) struct OuterPlan {
    pub plan: Plan,
    /// Loads of what is the same for all these iterations: they stay in registers where the loop was unrolled.
    pub same: BTreeSet<ValueNumber>,
}

/// Whether it may run so, and how.
pub(crate) fn outer_plan(setting: Setting<'_>, inside: &InnerLoop<'_>, outside: &OuterCandidate) -> Option<OuterPlan> {
    let graph = inside.graph;
    let registers = graph.through_memory.iter().all(|edge| inside.removed.contains(&edge.to));
    // All lanes run the inner loop in lockstep: none may leave it or branch alone.
    if graph.irregular || graph.calls || !registers || !begins_anew(inside, outside) {
        return None;
    }
    check_operations(setting, graph, inside.live).ok()?;
    let all: Vec<&Access> = graph.accesses.iter().chain(&graph.invariant_loads).chain(&outside.accesses).collect();
    let mut widest = 0;
    for access in &all {
        match outer_stride(graph, access, outside)? {
            0 if !access.store => {}
            stride if stride.unsigned_abs() == access.address.bytes => widest = widest.max(access.address.bytes),
            _ => return None,
        }
    }
    // Lanes are different iterations of the outer loop: their accesses may not meet.
    let meet = |a: &Access, b: &Access| a.store && a.address != b.address && setting.may_alias(b, a);
    let pairs = || all.iter().flat_map(|a| all.iter().map(move |b| (a, b))).filter(|(a, b)| meet(a, b));
    if pairs().any(|(a, b)| a.address.root == b.address.root) {
        return None;
    }
    let legality = if pairs().next().is_some() { Legality::Checked } else { Legality::Yes };
    let lanes = u32::try_from(u64::from(setting.costs.vector_bits) / (8 * widest.max(1))).unwrap_or(1);
    let strides = graph.accesses.iter().filter_map(|access| Some((access, outer_stride(graph, access, outside)?)));
    let strides: Vec<(&Access, i64)> = strides.collect();
    let busy = strides.iter().map(|&(access, stride)| (access.node, busy(setting, access, stride, outside))).collect();
    let same = strides.iter().filter(|(_, stride)| *stride == 0).map(|(access, _)| access.node).collect();
    let plan = Plan { legality, lanes, busy, ..Plan::none(VectorizationBlocker::NotInnermost) };
    (widest > 0 && lanes > 1).then_some(OuterPlan { plan, same })
}

/// Every iteration of the outer loop runs the inner one as often, from the same begin, and hands nothing on.
fn begins_anew(inside: &InnerLoop<'_>, outside: &OuterCandidate) -> bool {
    let graph = inside.graph;
    let still =
        |atom: &Atom| matches!(atom, Atom::Entry(v) if !outside.steps.contains_key(v) && !outside.changed.contains(v));
    let begins =
        { graph.steps.keys() }.all(|v| inside.starts.get(v).is_some_and(|begin| begin.each_symbol().all(still)));
    // Each lane has a sum of its own only where the outer loop begins it anew.
    let sums = graph.nodes.iter().all(|(id, node)| match node.opcode {
        Opcode::Entry(variable) if inside.live[id] && graph.carried.contains_key(&variable) => {
            graph.steps.contains_key(&variable) || inside.set_before.contains(&variable)
        }
        _ => true,
    });
    begins && sums
}

/// Bytes from one iteration of the outer loop to the next.
fn outer_stride(graph: &Graph, access: &Access, outside: &OuterCandidate) -> Option<i64> {
    let known = |atom: &Atom| matches!(atom, Atom::Entry(_));
    let change = |variable: VarId| match outside.steps.get(&variable) {
        Some(step) => Some(*step),
        None if graph.steps.contains_key(&variable) => Some(0),
        None => (!outside.changed.contains(&variable)).then_some(0),
    };
    access.address.offset.each_symbol().all(known).then(|| access_stride(access, &change)).flatten()
}

/// Cycles of an access per vector.
fn busy(setting: Setting<'_>, access: &Access, stride: i64, outside: &OuterCandidate) -> f64 {
    let (_, vector) = setting.costs.busy(access.class(), access.float);
    let bytes = i64::from(setting.costs.vector_bits / 8);
    let aligned = |(atom, factor): &(Atom, i64)| {
        matches!(atom, Atom::Entry(v) if outside.steps.contains_key(v)) || factor % bytes == 0
    };
    let offset = &access.address.offset;
    let begins = matches!(access.address.root, Root::Object(_)) && offset.constant % bytes == 0;
    // Vectors of what lies along the outer loop cross lines like others.
    let crosses = stride != 0 && !(begins && offset.terms.iter().all(aligned));
    vector + if crosses { setting.costs.split(access.class(), access.address.bytes) } else { 0.0 }
}
