//! The stack that calls need. A process that needs more than its limit is ended by the system, which nothing in the
//! text shows: its counts are a doubt. The limit is what systems set by default, 8 MiB (`ulimit -s`).

use super::{Certainty, Doubt, Doubts, Subject};
use chronos_base::hash::FxHashSet;
use chronos_base::span::Span;
use chronos_ir::{BlockId, FuncId, Program, Storage};

/// Bytes that the stack of a process may take: the default of `ulimit -s`.
pub const LIMIT: u64 = 8 << 20;
/// What a call keeps besides the variables of its function: where to return to, and saved registers.
pub const FRAME: u64 = 32;

/// Functions that were executed and that need more alone.
pub fn add(program: &Program, executed: &FxHashSet<BlockId>, doubts: &mut Doubts) {
    for (id, function) in program.functions.iter() {
        let automatic = |id| !matches!(program.variables[id].storage, Storage::Global | Storage::Static);
        let locals = function.locals.iter().copied().filter(|&id| automatic(id));
        let sizes = locals.map(|id| program.types.size(program.variables[id].ty, program.model));
        let bytes = sizes.fold(0, u64::saturating_add);
        let (first, end) = function.blocks;
        if bytes > LIMIT && (first.0..end.0).any(|block| executed.contains(&BlockId(block))) {
            doubts.add(exceeded(&function.name, function.span), Subject::Function(id));
        }
    }
}

/// The doubt about the function `name`, defined at `span`, which exceeds the limit.
pub fn exceeded(name: &str, span: Span) -> Doubt {
    let text = format!("`{name}` brings the stack to more than 8 MiB, and the limit is taken to be larger");
    let help = Some("take large arrays from malloc, end the recursion earlier, or raise the limit (ulimit -s)".into());
    Doubt { span, certainty: Certainty::Approximate, text: text.into(), help }
}

/// The doubt about a call that has reached the limit.
pub fn note(doubts: &mut Doubts, program: &Program, function: FuncId) {
    let of = &program.functions[function];
    doubts.add(exceeded(&of.name, of.span), Subject::Function(function));
}
