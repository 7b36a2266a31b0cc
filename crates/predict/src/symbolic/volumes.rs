//! Library calls whose time grows with bytes that no expression is known for.

use chronos_activity::ContextId;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashSet;
use chronos_cost::{InstructionSum, codes};
use chronos_ir::{BlockId, Callee, Program};
use chronos_symbolic::SymbolicCounts;
use std::collections::BTreeSet;

/// Labels of the note; of more calls only the functions are named.
const SHOWN_CALLS: usize = 4;

/// What the expressions leave out, where they leave something out.
pub fn left_out(program: &Program, counts: &SymbolicCounts, model: &InstructionSum) -> Option<Diagnostic> {
    let calls = calls_without_volume(program, counts, model);
    let names: BTreeSet<&str> = calls.iter().filter_map(|&block| library_name(program, block)).collect();
    if names.is_empty() {
        return None;
    }
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let message = format!("expressions leave out the time that depends on the bytes which {names} handle");
    let note = Diagnostic::note(&codes::UNKNOWN_VOLUME, message)
        .help("give the parameters values (--set NAME=VALUE instead of --symbolic NAME) to have it counted");
    let shown = calls.iter().take(SHOWN_CALLS);
    Some(shown.fold(note, |note, &block| note.label(program.blocks[block].span, "called here")))
}

fn calls_without_volume(program: &Program, counts: &SymbolicCounts, model: &InstructionSum) -> BTreeSet<BlockId> {
    let mut found = BTreeSet::new();
    for (_, task) in &counts.tasks {
        let known: FxHashSet<(ContextId, BlockId)> =
            task.volumes.iter().filter(|(.., bytes)| bytes.value.is_some()).map(|&(c, block, _)| (c, block)).collect();
        let executed = task.counts.iter().map(|&(context, counter, _)| (context, program.block_of(counter)));
        let lacks = |call: &(ContextId, BlockId)| model.per_byte(call.1).0 != 0.0 && !known.contains(call);
        found.extend(executed.filter(lacks).map(|(_, block)| block));
    }
    found
}

fn library_name(program: &Program, block: BlockId) -> Option<&str> {
    match &program.call(block)?.callee {
        Callee::Library(name) => Some(name),
        _ => None,
    }
}
