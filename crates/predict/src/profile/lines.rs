//! Which blocks count for which line of the source, as gcov has it.
//!
//! A line is executed as often as the block on it that is executed most. The line of a function's
//! name counts its calls, and so does that of its closing brace, but for functions that may end the program; that of a `for` without a condition, its
//! initialisations and steps.

use super::dominance::Dominance;
use chronos_base::span::FileId;
use chronos_functions as functions;
use chronos_ir::{BlockId, BlockKind, Callee, CounterId, FuncId, Jump, LoopForm, OpKind, Program};
use std::collections::{BTreeMap, BTreeSet};

/// A sum of counters.
pub type Term = Vec<CounterId>;

/// The terms of every line that holds code; the line counts as often as the largest of them.
pub fn terms(program: &Program) -> BTreeMap<(FileId, u32), BTreeSet<Term>> {
    let mut lines = Lines::default();
    for (_, block) in program.blocks.iter() {
        if let BlockKind::Straight(straight) = &block.kind {
            let in_file = straight.ops.iter().filter(|op| op.span.file == block.span.file);
            in_file.for_each(|op| lines.add(op.span.file, op.span.line_start, vec![block.counter(0)]));
        }
    }
    endless_headers(program, &mut lines);
    for (id, function) in program.functions.iter() {
        let calls: Term = entry_counter(program, id).map_or_else(|| direct_calls(program, id), |counter| vec![counter]);
        let file = function.span.file;
        lines.add(file, function.span.line_end, returns(program, id).unwrap_or_else(|| calls.clone()));
        lines.add(file, function.span.line_start, calls);
    }
    let dominance = Dominance::new(program);
    lines.0.values_mut().for_each(|terms| keep_largest(terms, program, &dominance));
    lines.0
}

/// Leaves out blocks that are never executed more often than another one of the line.
fn keep_largest(terms: &mut BTreeSet<Term>, program: &Program, dominance: &Dominance<'_>) {
    let block = |term: &Term| match term[..] {
        [counter] => Some(program.block_of(counter)).filter(|&id| program.blocks[id].first_counter == counter),
        _ => None,
    };
    let blocks: Vec<BlockId> = terms.iter().filter_map(block).collect();
    let dominated = |b: BlockId| blocks.iter().any(|&a| a != b && dominance.holds(a, b));
    terms.retain(|term| block(term).is_none_or(|b| !dominated(b)));
}

#[derive(Default)]
struct Lines(BTreeMap<(FileId, u32), BTreeSet<Term>>);

impl Lines {
    fn add(&mut self, file: FileId, line: u32, term: Term) {
        if !term.is_empty() {
            self.0.entry((file, line)).or_default().insert(term);
        }
    }
}

/// Where a function does nothing, only its calls tell how often it is called.
fn direct_calls(program: &Program, function: FuncId) -> Term {
    let calls = |id: &BlockId| matches!(program.call(*id), Some(call) if call.callee == Callee::Function(function));
    program.blocks.ids().filter(calls).map(|id| program.blocks[id].counter(0)).collect()
}

/// How often a function that may end the program comes to its closing brace: by its last block, or by a `return` elsewhere.
/// `None` where all its calls do so, and where the last block may itself end the program: no sum tells how often it does.
fn returns(program: &Program, function: FuncId) -> Option<Term> {
    let function = &program.functions[function];
    let &last = function.body.last().filter(|_| function.effects.may_not_return)?;
    let tail = nested(program, &[last]);
    if tail.iter().any(|&block| may_end_program(program, block)) {
        return None;
    }
    let elsewhere = nested(program, &function.body).into_iter().filter(|block| !tail.contains(block));
    let returning = elsewhere.filter(|&block| returns_from(program, block)).map(|id| program.blocks[id].counter(0));
    Some(returning.chain([executions(program, last)]).collect())
}

/// Blocks with those in them.
fn nested(program: &Program, region: &[BlockId]) -> BTreeSet<BlockId> {
    let mut found = BTreeSet::new();
    let mut todo = region.to_vec();
    while let Some(block) = todo.pop() {
        found.insert(block);
        match &program.blocks[block].kind {
            BlockKind::Loop(l) => {
                let condition = l.condition.iter().flat_map(|condition| &condition.region);
                todo.extend(l.init.iter().chain(condition).chain(&l.body).chain(&l.step));
            }
            BlockKind::Branch(branch) => branch.arms.iter().for_each(|arm| todo.extend(&arm.region)),
            BlockKind::Straight(_) | BlockKind::Call(_) => {}
        }
    }
    found
}

fn may_end_program(program: &Program, block: BlockId) -> bool {
    program.call(block).is_some_and(|call| match &call.callee {
        Callee::Function(id) => program.functions[*id].effects.may_not_return,
        Callee::Library(name) | Callee::Mpi(name) => functions::never_returns(name),
        Callee::Indirect(_) => true,
    })
}

fn returns_from(program: &Program, block: BlockId) -> bool {
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return false };
    matches!(straight.ops.last().map(|op| &op.kind), Some(OpKind::Jump(Jump::Return(..))))
}

/// How often control comes to a block: of a loop, not its iterations.
fn executions(program: &Program, block: BlockId) -> CounterId {
    let block = &program.blocks[block];
    block.counter(u32::from(matches!(block.kind, BlockKind::Loop(_))))
}

/// `for` without a condition: its line is entered at the initialisation and at every step.
fn endless_headers(program: &Program, lines: &mut Lines) {
    let first = |region: &[BlockId]| region.first().map(|&first| program.blocks[first].counter(0));
    for (_, block) in program.blocks.iter() {
        if let BlockKind::Loop(l) = &block.kind
            && l.form == LoopForm::For
            && l.condition.is_none()
        {
            let term = first(&l.init).into_iter().chain(first(&l.step)).collect();
            lines.add(block.span.file, block.span.line_start, term);
        }
    }
}

/// The counter that says how often a function was called: that of its first block. `None` where its body is empty.
pub(crate) fn entry_counter(program: &Program, function: FuncId) -> Option<CounterId> {
    let &first = program.functions[function].body.first()?;
    Some(executions(program, first))
}
