//! Order of evaluation that the standard leaves open: where it matters, gcc and clang count otherwise.
//!
//! Two operands interfere where a function that one of them calls writes a named variable that the other one reads or
//! writes, in calls too. What such calls return and such variables hold is a doubt. Memory that no name stands for is
//! not told apart by what points to it, so it is left out, and so are local variables of the functions called.

use super::{Certainty, Doubt, Doubts, Subject};
use crate::{Analysis, ClassId, ModSet, ModSets, targets};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_ir::{BlockId, BlockKind, FuncId, OpKind, Program, Storage, Unsequenced};
use chronos_values::Origin;
use std::collections::BTreeSet;

/// Adds the doubts of all places that were executed.
pub fn add(program: &Program, analysis: &Analysis, executed: &FxHashSet<BlockId>, doubts: &mut Doubts) {
    let mut search = Search { program, analysis, mods: ModSets::default(), reads: FxHashMap::default() };
    for place in &program.unsequenced {
        search.place(place, executed, doubts);
    }
}

struct Search<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    mods: ModSets,
    /// What the functions themselves read.
    reads: FxHashMap<FuncId, ModSet>,
}

/// One operand.
#[derive(Default)]
struct Part {
    calls: Vec<BlockId>,
    writes: ModSet,
    reads: ModSet,
}

impl Search<'_> {
    fn place(&mut self, place: &Unsequenced, executed: &FxHashSet<BlockId>, doubts: &mut Doubts) {
        let apart = |(i, a): (usize, &Span)| !place.parts[i + 1..].iter().any(|b| contains(a, b) || contains(b, a));
        // What comes out of one macro has the same place.
        if !place.parts.iter().enumerate().all(apart) {
            return;
        }
        let parts: Vec<Part> = place.parts.iter().map(|part| self.part(place.function, part)).collect();
        if !parts.iter().flat_map(|part| &part.calls).any(|call| executed.contains(call)) {
            return;
        }
        let mut shared = BTreeSet::new();
        for (i, a) in parts.iter().enumerate() {
            for (_, b) in parts.iter().enumerate().filter(|&(j, _)| i != j) {
                shared.extend(a.writes.iter().filter(|class| b.writes.contains(class) || b.reads.contains(class)));
            }
        }
        shared.retain(|&class| self.is_shared(place.function, class));
        if shared.is_empty() {
            return;
        }
        let text = "the order in which these operands are computed is left open by the standard and matters: that of clang is taken";
        let help = Some("compute one of them in a statement of its own".into());
        let doubt = Doubt { span: place.span, certainty: Certainty::Approximate, text: text.into(), help };
        let calls = parts.iter().flat_map(|part| &part.calls).map(|&call| Subject::Call(call));
        calls.chain(shared.into_iter().map(Subject::Storage)).for_each(|subject| doubts.add(doubt.clone(), subject));
    }

    fn part(&mut self, function: FuncId, span: &Span) -> Part {
        let (program, analysis) = (self.program, self.analysis);
        let (first, end) = program.functions[function].blocks;
        let mut part = Part::default();
        for block in (first.0..end.0).map(BlockId) {
            match &program.blocks[block].kind {
                BlockKind::Call(call) if contains(span, &program.blocks[block].span) => {
                    let called = targets(program, call);
                    if called.is_empty() {
                        continue;
                    }
                    part.calls.push(block);
                    part.writes.extend(self.mods.call(program, analysis, block));
                    called.into_iter().for_each(|target| part.reads.extend(self.read_by(target)));
                }
                BlockKind::Straight(straight) => {
                    let inside = straight.ops.iter().filter(|op| contains(span, &op.span));
                    part.reads.extend(inside.filter_map(|op| match &op.kind {
                        OpKind::Read(place) => Some(analysis.place(function, place)),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        part
    }

    /// What a function reads, and those that it calls.
    fn read_by(&mut self, function: FuncId) -> ModSet {
        let (mut all, mut seen, mut pending) = (ModSet::new(), FxHashSet::from_iter([function]), vec![function]);
        while let Some(next) = pending.pop() {
            all.extend(self.own_reads(next));
            let (first, end) = self.program.functions[next].blocks;
            let calls = (first.0..end.0).filter_map(|block| self.program.call(BlockId(block)));
            pending.extend(calls.flat_map(|call| targets(self.program, call)).filter(|&callee| seen.insert(callee)));
        }
        all
    }

    fn own_reads(&mut self, function: FuncId) -> ModSet {
        if let Some(known) = self.reads.get(&function) {
            return known.clone();
        }
        let (first, end) = self.program.functions[function].blocks;
        let mut own = ModSet::new();
        for block in (first.0..end.0).map(BlockId) {
            let BlockKind::Straight(straight) = &self.program.blocks[block].kind else { continue };
            own.extend(straight.ops.iter().filter_map(|op| match &op.kind {
                OpKind::Read(place) => Some(self.analysis.place(function, place)),
                _ => None,
            }));
        }
        self.reads.insert(function, own.clone());
        own
    }

    /// A variable of the class lives across the calls: it is static, or one of the caller's whose address is known.
    fn is_shared(&self, caller: FuncId, class: ClassId) -> bool {
        self.analysis.members(class).iter().any(|origin| match *origin {
            Origin::Variable(id) => {
                let variable = &self.program.variables[id];
                match variable.storage {
                    Storage::Global | Storage::Static => true,
                    _ => variable.function == Some(caller) && variable.address_taken,
                }
            }
            _ => false,
        })
    }
}

fn contains(outer: &Span, inner: &Span) -> bool {
    let begins = (outer.line_start, outer.column_start) <= (inner.line_start, inner.column_start);
    let ends = (inner.line_end, inner.column_end) <= (outer.line_end, outer.column_end);
    outer.file == inner.file && begins && ends
}
