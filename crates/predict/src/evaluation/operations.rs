//! Functions that the MPI library calls: those of `MPI_Op_create`.
//!
//! How often depends on the library's algorithm for a reduction, so what they execute is more than what is counted;
//! only a run tells how much.

use chronos_ir::{Arg, BlockId, BlockKind, Call, Callee, Const, FuncId, Operand, Program};
use std::collections::{BTreeMap, BTreeSet};

/// By block that a reduction may execute: the call that makes the operation.
pub(crate) fn by_operations(program: &Program) -> BTreeMap<BlockId, BlockId> {
    let made = program.blocks.iter().filter_map(|(leaf, block)| match &block.kind {
        BlockKind::Call(call) if makes_operation(call) => Some((leaf, call)),
        _ => None,
    });
    let mut blocks = BTreeMap::new();
    for (leaf, call) in made {
        for function in reached(program, operands(program, call)) {
            let (first, end) = program.functions[function].blocks;
            for id in first.0..end.0 {
                blocks.entry(BlockId(id)).or_insert(leaf);
            }
        }
    }
    blocks
}

fn makes_operation(call: &Call) -> bool {
    matches!(&call.callee, Callee::Mpi(name) if matches!(&**name, "MPI_Op_create" | "PMPI_Op_create"))
}

/// The function that is named, or all whose address is taken.
fn operands(program: &Program, call: &Call) -> Vec<FuncId> {
    match call.args.first() {
        Some(Arg::Scalar(Operand::Const(Const::Function(function)))) => vec![*function],
        _ => taken(program),
    }
}

fn taken(program: &Program) -> Vec<FuncId> {
    program.functions.iter().filter(|(_, function)| function.effects.address_taken).map(|(id, _)| id).collect()
}

/// These functions and all that they may call.
fn reached(program: &Program, mut waiting: Vec<FuncId>) -> BTreeSet<FuncId> {
    let mut reached = BTreeSet::new();
    while let Some(function) = waiting.pop() {
        if !reached.insert(function) {
            continue;
        }
        let (first, end) = program.functions[function].blocks;
        for call in (first.0..end.0).filter_map(|id| program.call(BlockId(id))) {
            match call.callee {
                Callee::Function(callee) => waiting.push(callee),
                Callee::Indirect(_) => waiting.extend(taken(program)),
                Callee::Library(_) | Callee::Mpi(_) => {}
            }
        }
    }
    reached
}
