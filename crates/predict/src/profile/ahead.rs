//! What a task may still execute from where its evaluation ended; the counts of all else are final.

use chronos_interpreter::Position;
use chronos_ir::{BlockId, BlockKind, FuncId, OpKind, Program};
use chronos_slicing::{callbacks, targets};
use std::collections::BTreeSet;

/// Blocks that may be executed once more, or not to their end; `positions` are those of the active functions.
pub fn ahead(program: &Program, positions: &[Position]) -> BTreeSet<BlockId> {
    let Some(main) = program.main.filter(|_| positions.is_empty()) else {
        let mut search = Search { program, blocks: BTreeSet::new(), functions: BTreeSet::new(), pending: Vec::new() };
        positions.iter().for_each(|&position| search.position(position));
        search.follow();
        return search.blocks;
    };
    ahead(program, &[Position::In(main)])
}

struct Search<'a> {
    program: &'a Program,
    blocks: BTreeSet<BlockId>,
    /// Functions that may be called.
    functions: BTreeSet<FuncId>,
    pending: Vec<BlockId>,
}

impl Search<'_> {
    fn position(&mut self, position: Position) {
        match position {
            Position::In(function) => self.function(function),
            Position::At(block) => self.behind(block),
        }
    }

    /// Blocks are numbered in the order of the source: what follows has higher numbers, and loops lead back.
    fn behind(&mut self, block: BlockId) {
        let function = self.program.blocks[block].function;
        let named = &self.program.functions[function];
        if !named.labels.is_empty() {
            return self.function(function);
        }
        let around = std::iter::successors(Some(block), |&id| self.program.blocks[id].parent);
        let outermost = around.filter(|&id| matches!(self.program.blocks[id].kind, BlockKind::Loop(_))).last();
        let begun = !matches!(self.program.blocks[block].kind, BlockKind::Call(_));
        let first = outermost.unwrap_or(BlockId(block.0 + u32::from(!begun)));
        self.range(first.0..named.blocks.1.0);
    }

    fn function(&mut self, function: FuncId) {
        if self.functions.insert(function) {
            let (first, end) = self.program.functions[function].blocks;
            self.range(first.0..end.0);
        }
    }

    fn range(&mut self, blocks: std::ops::Range<u32>) {
        for block in blocks.map(BlockId) {
            if self.blocks.insert(block) {
                self.pending.push(block);
            }
        }
    }

    /// Into the functions that are called there.
    fn follow(&mut self) {
        while let Some(block) = self.pending.pop() {
            let program = self.program;
            let driven = match &program.blocks[block].kind {
                BlockKind::Straight(straight) => &straight.ops[..],
                _ => &[],
            };
            let leaves =
                driven.iter().filter_map(|op| if let OpKind::Call(leaf) = op.kind { Some(leaf) } else { None });
            for call in leaves.chain([block]).filter_map(|leaf| program.call(leaf)) {
                targets(program, call)
                    .into_iter()
                    .chain(callbacks(program, call))
                    .for_each(|target| self.function(target));
            }
        }
    }
}
