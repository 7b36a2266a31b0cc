//! Control flow graphs: basic blocks and the edges between them.

use crate::instruction::{Flow, Instruction};
use crate::jump_tables::targets as table_targets;
use crate::object_code::{CompiledUnit, MachineFunction};
use chronos_base::ids::{Id as _, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

chronos_base::define_ids! {
    /// A basic block of a machine function.
    MachineBlockId = "B";
}

/// Instructions that are executed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicBlock {
    /// Positions of its instructions in the function.
    pub instructions: Range<usize>,
    /// Where control may go: the next instruction first, then the target of the jump.
    pub successors: Vec<MachineBlockId>,
    /// Where control may come from.
    pub predecessors: Vec<MachineBlockId>,
}

/// A jump through a register or memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndirectJump {
    /// The position of the jump in the function.
    pub instruction: usize,
    /// Where it may go, by the table that it reads; empty: unknown.
    pub targets: Vec<u64>,
}

/// The control flow graph of a function. The first block is the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlFlowGraph {
    /// Blocks by address.
    pub blocks: Table<MachineBlockId, BasicBlock>,
    /// All jumps through registers and memory.
    pub indirect_jumps: Vec<IndirectJump>,
}

impl ControlFlowGraph {
    /// Splits a function into blocks.
    pub fn new(function: &MachineFunction, unit: &CompiledUnit) -> Self {
        let instructions = &function.instructions;
        let indirect: Vec<IndirectJump> = (0..instructions.len())
            .filter(|&at| instructions[at].flow == Flow::IndirectJump)
            .map(|at| IndirectJump { instruction: at, targets: table_targets(instructions, at, unit) })
            .collect();
        let position = |address: u64| instructions.binary_search_by_key(&address, |i| i.address).ok();
        let targets = |at: usize| -> Vec<usize> {
            let direct = match instructions[at].flow {
                Flow::Jump(target) | Flow::Branch(target) => Some(target),
                _ => None,
            };
            let tables = indirect.iter().filter(|jump| jump.instruction == at).flat_map(|jump| &jump.targets);
            direct.into_iter().chain(tables.copied()).filter_map(position).collect()
        };
        let blocks = split(instructions, targets);
        Self { blocks, indirect_jumps: indirect }
    }

    /// A graph of blocks without instructions: for algorithms that look at edges alone.
    #[cfg(test)]
    pub(crate) fn of_edges(count: usize, edges: &[(usize, usize)]) -> Self {
        let mut blocks: Table<MachineBlockId, BasicBlock> = (0..count)
            .map(|at| BasicBlock { instructions: at..at + 1, successors: Vec::new(), predecessors: Vec::new() })
            .collect();
        for &(from, to) in edges {
            link(&mut blocks, MachineBlockId::new(from), MachineBlockId::new(to));
        }
        Self { blocks, indirect_jumps: Vec::new() }
    }

    /// The entry; every function has one instruction at least.
    pub fn entry(&self) -> MachineBlockId {
        MachineBlockId(0)
    }

    /// The block of an instruction.
    pub fn block_of(&self, instruction: usize) -> MachineBlockId {
        let after = self.blocks.as_slice().partition_point(|block| block.instructions.start <= instruction);
        MachineBlockId::new(after.saturating_sub(1))
    }

    /// Blocks that can be reached, so that each comes before its successors but for edges that go back.
    pub(crate) fn reverse_postorder(&self) -> Vec<MachineBlockId> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.blocks.len()];
        let mut stack = Vec::new();
        if !self.blocks.is_empty() {
            seen[0] = true;
            stack.push((self.entry(), 0));
        }
        while let Some((block, next)) = stack.pop() {
            let Some(&successor) = self.blocks[block].successors.get(next) else {
                order.push(block);
                continue;
            };
            stack.push((block, next + 1));
            if !std::mem::replace(&mut seen[successor.index()], true) {
                stack.push((successor, 0));
            }
        }
        order.reverse();
        order
    }
}

fn link(blocks: &mut Table<MachineBlockId, BasicBlock>, from: MachineBlockId, to: MachineBlockId) {
    if !blocks[from].successors.contains(&to) {
        blocks[from].successors.push(to);
        blocks[to].predecessors.push(from);
    }
}

fn split(instructions: &[Instruction], targets: impl Fn(usize) -> Vec<usize>) -> Table<MachineBlockId, BasicBlock> {
    let mut starts = BTreeSet::from([0]);
    for at in (0..instructions.len()).filter(|&at| instructions[at].ends_block()) {
        starts.insert(at + 1);
        starts.extend(targets(at));
    }
    starts.remove(&instructions.len());
    let bounds: Vec<usize> = starts.iter().copied().chain([instructions.len()]).collect();
    let mut blocks: Table<MachineBlockId, BasicBlock> = bounds
        .windows(2)
        .map(|pair| BasicBlock { instructions: pair[0]..pair[1], successors: Vec::new(), predecessors: Vec::new() })
        .collect();
    let numbers: BTreeMap<usize, MachineBlockId> = starts.into_iter().zip((0..).map(MachineBlockId)).collect();
    for id in blocks.ids().collect::<Vec<_>>() {
        let Some(last) = blocks[id].instructions.end.checked_sub(1) else { continue };
        let goes_on = matches!(instructions[last].flow, Flow::Next | Flow::Call(_) | Flow::Branch(_));
        let next = numbers.get(&(last + 1)).filter(|_| goes_on).copied();
        let far = targets(last).into_iter().filter_map(|target| numbers.get(&target).copied());
        for to in next.into_iter().chain(far).collect::<Vec<_>>() {
            link(&mut blocks, id, to);
        }
    }
    blocks
}
