//! MPI calls: each says where it stands. What it asks for is recorded by the runtime, in front of MPI itself, so that
//! calls of libraries without trace points are recorded as well.

use super::edits::Edits;
use super::syntax::{Range, Syntax};
use chronos_frontend::offsets::unit_of;
use chronos_functions::{Traced, lookup};
use chronos_ir::{BlockId, BlockKind, Callee, Program};

/// Edits for all MPI calls of a unit.
pub fn calls(program: &Program, unit: usize, syntax: &Syntax, edits: &mut Edits<'_>) {
    for (id, block) in program.blocks.iter() {
        let BlockKind::Call(call) = &block.kind else { continue };
        let Callee::Mpi(name) = &call.callee else { continue };
        let range = Range::of(block.span);
        let function = &program.functions[block.function];
        if unit_of(function.span) == Some(unit) && syntax.calls.contains_key(&range) {
            let begins = match lookup(name).map_or(Traced::Missing, |row| row.traced) {
                Traced::Abort => format!("chronos_abort({})", id.0),
                Traced::Local => match around(program, id, range) {
                    Some(outer) => format!("chronos_argument({}, {})", id.0, outer.0),
                    None => format!("chronos_local({})", id.0),
                },
                _ => format!("chronos_mpi({})", id.0),
            };
            edits.around(range, &format!("({begins}, "));
        }
    }
}

/// The MPI call that a call is an argument of: it begins again behind its argument.
fn around(program: &Program, inner: BlockId, range: Range) -> Option<BlockId> {
    let (first, end) = program.functions[program.blocks[inner].function].blocks;
    let calls = (first.0..end.0).map(BlockId).filter(|&id| {
        let is_mpi = program.call(id).is_some_and(|call| matches!(call.callee, Callee::Mpi(_)));
        id != inner && is_mpi && Range::of(program.blocks[id].span).contains(range)
    });
    calls.min_by_key(|&id| {
        let range = Range::of(program.blocks[id].span);
        range.end - range.start
    })
}
