//! MPI calls: each says where it stands. What it asks for is recorded by the runtime, in front of MPI itself, so that
//! calls of libraries without trace points are recorded as well.

use super::edits::Edits;
use super::syntax::{Range, Syntax};
use chronos_frontend::offsets::unit_of;
use chronos_functions::{Traced, lookup};
use chronos_ir::{BlockKind, Callee, Program};

/// Edits for all MPI calls of a unit.
pub fn calls(program: &Program, unit: usize, syntax: &Syntax, edits: &mut Edits<'_>) {
    for (id, block) in program.blocks.iter() {
        let BlockKind::Call(call) = &block.kind else { continue };
        let Callee::Mpi(name) = &call.callee else { continue };
        let range = Range::of(block.span);
        let function = &program.functions[block.function];
        if unit_of(function.span) == Some(unit) && syntax.calls.contains(&range) {
            let begins = match lookup(name).map_or(Traced::Missing, |row| row.traced) {
                Traced::Abort => "chronos_abort",
                Traced::Local => "chronos_local",
                _ => "chronos_mpi",
            };
            edits.around(range, &format!("({begins}({}), ", id.0));
        }
    }
}
