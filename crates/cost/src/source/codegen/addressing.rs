//! How an iteration reaches memory: which loads are operands of the operation that uses them, and how many registers
//! advance. It must not know what that costs.

use crate::source::address::place::ValueNumber;
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Graph, Node, NodeFlags};
use crate::source::processor::costs::SSE;
use chronos_base::ids::Table;
use chronos_ir::{BlockId, InstructionClass, Unit};
use std::collections::BTreeSet;

/// Registers that advance beside the counters of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AdvancingPointers {
    pub count: usize,
    /// Whose executions they share.
    pub block: BlockId,
}

/// Loads that are part of the only operation that uses them, one for each. An instruction of x86 overwrites one of its
/// operands, and reads another one from memory: where both are needed later, or both are in memory, one is loaded
/// first.
pub(crate) fn folded_loads(setting: Setting<'_>, graph: &Graph, left: &[ValueNumber]) -> NodeFlags {
    let mut folded = graph.no_flags();
    if !setting.costs.folds_loads {
        return folded;
    }
    // A memory operand saves an instruction only where the value is used once (micro-fusion).
    let mut uses: Table<ValueNumber, u32> = graph.nodes.ids().map(|_| 0).collect();
    { left.iter() }.flat_map(|&id| &graph.nodes[id].operands).for_each(|&operand| uses[operand] += 1);
    let mut executed = graph.no_flags();
    left.iter().for_each(|&id| executed[id] = true);
    let ends: BTreeSet<ValueNumber> = graph.carried.values().copied().collect();
    let load = |id: ValueNumber| {
        let node = &graph.nodes[id];
        let once = uses[id] == 1 && !ends.contains(&id);
        once && executed[id] && node.class == Some(InstructionClass::Load) && !node.invariant
    };
    let lost = |id: ValueNumber| uses[id] == 1 && !graph.nodes[id].invariant && !ends.contains(&id);
    for user in left.iter().map(|&id| &graph.nodes[id]) {
        if let Some(operand) = from_memory(setting, user, &load, &lost) {
            folded[operand] = true;
        }
    }
    folded
}

/// The operand that an operation reads from memory; `lost`: whether a value is not needed after it.
fn from_memory(
    setting: Setting<'_>,
    user: &Node,
    load: &impl Fn(ValueNumber) -> bool,
    lost: &impl Fn(ValueNumber) -> bool,
) -> Option<ValueNumber> {
    use InstructionClass as C;
    let computes = |class: &C| user.opcode.is_operation() && !matches!(class, C::Load | C::Store);
    let class = user.class.filter(computes)?;
    let float = matches!(class.unit(), Unit::FloatSum | Unit::FloatProduct | Unit::FloatQuotient);
    // AVX instructions have three operands: none is overwritten.
    let keeps = float && setting.costs.vector_bits > SSE;
    let compares = user.opcode.is_comparison();
    match *user.operands.as_slice() {
        [a, b] if user.opcode.is_ordered() => (load(b) && (keeps || lost(a))).then_some(b),
        [a, b] if load(b) && (keeps || compares || lost(a)) => Some(b),
        [a, b] if load(a) && (keeps || compares || lost(b)) => Some(a),
        [_, _] => None,
        ref operands => operands.iter().rev().copied().find(|&operand| load(operand)),
    }
}

/// Multiples of a register that an address may hold.
const SCALES: [i64; 4] = [1, 2, 4, 8];

/// How many registers advance beyond the counters of the source: accesses that advance alike share one, as do those
/// whose strides are its multiples by 2, 4 or 8; the first of them takes the place of a counter that only ends the
/// loop. `shared`: those counters.
pub(crate) fn advancing_pointers(
    setting: Setting<'_>,
    graph: &Graph,
    left: &[ValueNumber],
    shared: &NodeFlags,
) -> Option<AdvancingPointers> {
    if !setting.profile.optimises {
        return None;
    }
    // Induction variables are chosen for address modes: base + index * scale (GCC: -fivopts).
    let executed: BTreeSet<ValueNumber> = left.iter().copied().collect();
    let steps = { graph.steps.iter() }.filter_map(|(v, &step)| Some((*graph.carried.get(v)?, step)));
    let counters: Vec<(ValueNumber, i64)> = steps.filter(|(end, _)| executed.contains(end)).collect();
    let needed = counters.iter().filter(|(end, _)| !shared[*end]).map(|&(_, step)| step);
    let strides = strides(graph, &executed);
    let units = { needed.chain(strides) }.fold(Vec::new(), |mut units: Vec<i64>, stride| {
        // A scaled index reaches all strides that are its multiples.
        let shares = |unit: &i64| SCALES.iter().any(|scale| unit.checked_mul(*scale) == Some(stride));
        if !units.iter().any(shares) {
            units.push(stride);
        }
        units
    });
    let count = units.len().checked_sub(counters.len()).filter(|&count| count > 0)?;
    let (end, _) = counters.first()?;
    Some(AdvancingPointers { count, block: graph.nodes[*end].block })
}

/// Bytes by which accesses advance, the small ones first.
fn strides(graph: &Graph, executed: &BTreeSet<ValueNumber>) -> Vec<i64> {
    let strides: BTreeSet<i64> = { graph.accesses.iter() }
        .filter(|access| executed.contains(&access.node) && !access.widened)
        .filter_map(|access| graph.stride(access))
        .filter(|&stride| stride != 0)
        .collect();
    let mut sorted: Vec<i64> = strides.into_iter().collect();
    sorted.sort_by_key(|stride| stride.unsigned_abs());
    sorted
}
