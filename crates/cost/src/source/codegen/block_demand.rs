//! What the blocks of a loop ask of the processor: each operation that is left, charged to the block whose executions
//! it shares, one by one and as vectors. It must not know which operations those are.

use crate::source::address::place::ValueNumber;
use crate::source::codegen::addressing::AdvancingPointers;
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Graph, Node, NodeFlags};
use crate::source::processor::costs::SSE;
use crate::source::processor::demand::{Demand, Resource};
use crate::source::vectorize::legality::Plan;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId, InstructionClass};
use std::collections::BTreeMap;

/// What one execution of a block adds.
#[derive(Clone, Debug, Default)]
pub struct BlockDemand {
    pub demand: Demand,
    /// The same of vector instructions.
    pub(crate) vector_demand: Demand,
    /// What copies of an iteration share, of both.
    pub shared: [Demand; 2],
    /// Cycles by class, the weights by which a loop's time is told apart.
    pub classes: BTreeMap<InstructionClass, f64>,
    pub operations: f64,
    /// Loads, also those that are part of an operation.
    pub loads: f64,
}

/// Operations of a loop that are left, to be charged.
#[derive(Clone, Copy)]
pub(crate) struct RemainingInstructions<'a> {
    pub setting: Setting<'a>,
    pub graph: &'a Graph,
    pub header: Option<BlockId>,
    pub own: &'a [(BlockId, CounterId)],
    pub left: &'a [ValueNumber],
    pub folded: &'a NodeFlags,
    pub pointers: Option<AdvancingPointers>,
    pub shared: &'a NodeFlags,
}

/// Blocks with what each execution adds, and what each entry does.
pub(crate) type ScopeDemand = (Vec<(BlockId, CounterId, BlockDemand)>, BlockDemand);

impl RemainingInstructions<'_> {
    /// As they stand.
    pub fn shares(&self, plan: &Plan) -> ScopeDemand {
        let mut shares: FxHashMap<BlockId, BlockDemand> = FxHashMap::default();
        let mut hoisted = BlockDemand::default();
        for &id in self.left {
            let node = &self.graph.nodes[id];
            // Hoisted operations are executed once per entry, in the preheader.
            let once = node.invariant && self.header.is_some();
            let share = if once { &mut hoisted } else { shares.entry(node.block).or_default() };
            self.add(share, id, plan);
        }
        if let Some(pointers) = self.pointers {
            advance(self.setting, shares.entry(pointers.block).or_default(), pointers.count);
        }
        let of = |&(block, counter)| (block, counter, shares.remove(&block).unwrap_or_default());
        (self.own.iter().map(of).collect(), hoisted)
    }

    fn add(&self, share: &mut BlockDemand, id: ValueNumber, plan: &Plan) {
        let (node, setting) = (&self.graph.nodes[id], self.setting);
        // Steps and comparisons stay scalar.
        let single = node.class.filter(|_| self.shared[id]).map(|class| setting.costs.busy(class, node.float).0);
        let vector = single.or_else(|| plan.busy.get(&id).copied());
        charge(setting, share, node, vector, self.folded[id]);
        if plan.gathered.contains(&id) {
            share.vector_demand.add(Resource::Issue, vector.unwrap_or(0.0));
        }
        if self.shared[id] {
            let mut alone = BlockDemand::default();
            charge(setting, &mut alone, node, vector, self.folded[id]);
            share.shared[0].add_scaled(&alone.demand, 1.0);
            share.shared[1].add_scaled(&alone.vector_demand, 1.0);
        }
    }

    /// All operations on vectors, whose lanes are iterations of the loop around.
    pub(crate) fn on_lanes(&self, plan: &Plan) -> ScopeDemand {
        let on_vectors = |share: BlockDemand| BlockDemand {
            demand: share.vector_demand,
            shared: [share.shared[1], share.shared[1]],
            ..share
        };
        let (blocks, hoisted) = self.shares(plan);
        let of = |(block, counter, share)| (block, counter, on_vectors(share));
        (blocks.into_iter().map(of).collect(), on_vectors(hoisted))
    }
}

/// `vector`: cycles per vector of an access.
fn charge(setting: Setting<'_>, share: &mut BlockDemand, node: &Node, vector: Option<f64>, folded: bool) {
    let Some(class) = node.class else { return };
    let (scalar, usual) = setting.costs.busy(class, node.float);
    let vector = vector.unwrap_or(usual);
    for (demand, cycles) in [(&mut share.demand, scalar), (&mut share.vector_demand, vector)] {
        demand.add(Resource::of(class), cycles);
    }
    // Without AVX, only what is aligned can be part of an operation on vectors.
    // SSE faults on unaligned memory operands, so that compilers load them by themselves.
    let folds_vectors = setting.profile.folds_vectors || setting.costs.vector_bits > SSE;
    share.demand.add(Resource::Issue, if folded { 0.0 } else { setting.costs.issue });
    share.vector_demand.add(Resource::Issue, if folded && folds_vectors { 0.0 } else { setting.costs.issue });
    // A folded load shares the slot of its operation in window and front end.
    share.operations += if folded { 0.0 } else { 1.0 };
    share.loads += if class == InstructionClass::Load { 1.0 } else { 0.0 };
    *share.classes.entry(class).or_default() += scalar.max(setting.costs.issue);
}

/// Additions to registers, which copies of an iteration share.
fn advance(setting: Setting<'_>, share: &mut BlockDemand, count: usize) {
    let cycles = setting.costs.busy(InstructionClass::IntAdd, false).0;
    // Pointer increments are scalar in vector loops as well.
    let demands = [&mut share.demand, &mut share.vector_demand].into_iter().chain(&mut share.shared);
    for demand in demands {
        for _ in 0..count {
            demand.add(Resource::of(InstructionClass::IntAdd), cycles);
            demand.add(Resource::Issue, setting.costs.issue);
        }
    }
    share.operations += count as f64;
    *share.classes.entry(InstructionClass::IntAdd).or_default() += count as f64 * cycles.max(setting.costs.issue);
}
