//! Calls of the library that move or set as many bytes as an argument says (`memcpy`, `memset`): a trace point each, which counts
//! bytes in place of executions. Where data decide the size, nothing else tells what such a call takes.

use super::edits::Edits;
use super::syntax::{Range, Syntax};
use chronos_frontend::offsets::unit_of;
use chronos_functions::lookup;
use chronos_ir::{BlockId, BlockKind, Callee, Program};

/// A call and the argument that gives its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sized {
    pub call: BlockId,
    unit: usize,
    argument: Range,
}

/// The calls of a program.
pub fn calls(program: &Program, syntax: &[Syntax]) -> Vec<Sized> {
    let sized = |(id, block): (BlockId, &chronos_ir::Block)| {
        let BlockKind::Call(call) = &block.kind else { return None };
        let Callee::Library(name) = &call.callee else { return None };
        let position = lookup(name)?.counted_bytes()?;
        let unit = unit_of(program.functions[block.function].span)?;
        let arguments = syntax.get(unit)?.calls.get(&Range::of(block.span))?;
        let argument = *arguments.get(position)?;
        Some(Sized { call: id, unit, argument })
    };
    program.blocks.iter().filter_map(sized).collect()
}

/// Puts the points of a unit around the arguments; the first one has the number `first`.
pub fn place(calls: &[Sized], first: u32, unit: usize, edits: &mut Edits<'_>) {
    for (call, point) in calls.iter().zip(first..).filter(|(call, _)| call.unit == unit) {
        edits.around(call.argument, &format!("CHRONOS_BYTES({point}, "));
    }
}
