//! How often values are mentioned, and how often of that as truth values.

use crate::compile::operands;
use chronos_base::ids::Id;
use chronos_ir::{BlockKind, BranchKind, FuncId, Operand, Program, ValueId};

/// How often the values of a function are mentioned, by text, and how often of that as a truth value that decides a branch or a
/// loop.
pub(crate) struct Mentions {
    pub(crate) all: Vec<u32>,
    pub(crate) truths: Vec<u32>,
}

impl Mentions {
    pub(crate) fn of(program: &Program, function: FuncId) -> Self {
        let values = program.functions[function].values.len();
        let mut mentions = Self { all: vec![0; values], truths: vec![0; values] };
        let (first, end) = program.functions[function].blocks;
        for block in &program.blocks.as_slice()[first.index()..end.index()] {
            operands::visit(&block.kind, &mut |operand| count(&mut mentions.all, operand));
            truths(&block.kind, &mut |operand| count(&mut mentions.truths, operand));
        }
        mentions
    }

    pub(crate) fn uses(&self, value: ValueId) -> u32 {
        self.all[value.index()]
    }
}

fn count(counts: &mut [u32], operand: &Operand) {
    if let Operand::Value(value) = operand {
        counts[value.index()] += 1;
    }
}

fn truths(kind: &BlockKind, see: &mut impl FnMut(&Operand)) {
    match kind {
        BlockKind::Loop(inner) => inner.condition.iter().for_each(|condition| see(&condition.value)),
        BlockKind::Branch(branch) if branch.kind != BranchKind::Switch => {
            see(&branch.condition);
            let is_truth = matches!(branch.kind, BranchKind::And | BranchKind::Or);
            branch.arms.iter().filter(|_| is_truth).flat_map(|arm| &arm.value).for_each(see);
        }
        _ => {}
    }
}
