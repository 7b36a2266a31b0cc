//! Parts of a program that get a ratio each: the outermost loops that no MPI call is in, and the rest of each function.
//!
//! A stretch between two MPI calls is what a run measures, and no call stands inside such a loop: finer parts could not be told from
//! each other. Names hold from one size to another, where macros may give blocks other numbers.

use chronos_base::ids::Id as _;
use chronos_ir::{BlockId, BlockKind, Callee, Program};
use chronos_slicing::reaches_mpi;
use std::collections::BTreeMap;

/// A part by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// The function that it is in.
    pub function: String,
    /// Its file.
    pub file: String,
    /// The line of the loop; 0 for what is outside such loops.
    pub line: u32,
}

/// The parts of a program.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// By number.
    pub names: Vec<Part>,
    of_block: Vec<Option<usize>>,
}

impl Parts {
    /// All of a program.
    pub fn new(program: &Program) -> Self {
        let reaches = reaches_mpi(program);
        let mut outermost: Vec<Option<BlockId>> = Vec::with_capacity(program.blocks.len());
        let (mut numbers, mut parts) = (BTreeMap::new(), Self::default());
        for (id, block) in program.blocks.iter() {
            let around = block.parent.and_then(|parent| outermost[parent.index()]);
            let is_own = || matches!(block.kind, BlockKind::Loop(_)) && !reaches[id.index()];
            outermost.push(around.or_else(|| is_own().then_some(id)));
            let number = (!is_mpi(program, id)).then(|| {
                let name = part(program, id, outermost[id.index()]);
                *numbers.entry(name.clone()).or_insert_with(|| {
                    parts.names.push(name);
                    parts.names.len() - 1
                })
            });
            parts.of_block.push(number);
        }
        parts
    }

    /// The part that a block is in; `None` for calls of MPI, whose time is none of the program's.
    pub fn of(&self, block: BlockId) -> Option<usize> {
        self.of_block.get(block.index()).copied().flatten()
    }
}

fn is_mpi(program: &Program, block: BlockId) -> bool {
    program.call(block).is_some_and(|call| matches!(call.callee, Callee::Mpi(_)))
}

impl Part {
    /// A loop by its name.
    pub(crate) fn of_loop(program: &Program, header: BlockId) -> Self {
        part(program, header, Some(header))
    }
}

fn part(program: &Program, block: BlockId, outermost: Option<BlockId>) -> Part {
    let function = &program.functions[program.blocks[block].function];
    Part {
        function: function.name.to_string(),
        file: program.files.get(program.blocks[block].span.file).name.to_string(),
        line: outermost.map_or(0, |header| program.blocks[header].span.line_start),
    }
}
