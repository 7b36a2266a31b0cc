//! Critical sections of OpenMP: which thread comes first is decided in the run.
//!
//! Threads are followed one after the other. What a section adds to a variable is the same in any order (integers; floating
//! numbers but for their rounding); what it stores otherwise is a doubt: the last thread, or the first one, decides.

use super::{Certainty, Doubt, Doubts, Subject};
use crate::{Analysis, ModSets};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_ir::{
    Arg, Base, BinaryOp, BlockId, BlockKind, Callee, Const, FuncId, OpKind, Operand, Place, Program, Region, Storage,
    Straight, ValueId,
};

/// Adds the doubts of all critical sections that were executed by several threads.
pub fn add(program: &Program, analysis: &Analysis, executed: &FxHashSet<BlockId>, doubts: &mut Doubts) {
    let mut search = Search { program, analysis, executed, mods: ModSets::default(), inside: 0, found: Vec::new() };
    for (id, function) in program.functions.iter() {
        search.inside = 0;
        search.region(id, &function.body);
    }
    let text =
        "which thread comes first to this critical section is decided in the run: that with the lowest number is taken";
    for (span, subject) in search.found {
        let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help: None };
        doubts.add(doubt, subject);
    }
}

struct Search<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    executed: &'a FxHashSet<BlockId>,
    mods: ModSets,
    /// Critical sections that are open.
    inside: u32,
    found: Vec<(Span, Subject)>,
}

impl Search<'_> {
    fn region(&mut self, function: FuncId, region: &Region) {
        let program = self.program;
        for &block in region {
            match &program.blocks[block].kind {
                BlockKind::Straight(straight) => self.straight(function, straight),
                BlockKind::Loop(inner) => {
                    inner.regions().for_each(|region| self.region(function, region));
                }
                BlockKind::Branch(branch) => branch.arms.iter().for_each(|arm| self.region(function, &arm.region)),
                BlockKind::Call(_) => {}
            }
        }
    }

    fn straight(&mut self, function: FuncId, straight: &Straight) {
        let mut values: FxHashMap<ValueId, &OpKind> = FxHashMap::default();
        for op in &straight.ops {
            match &op.kind {
                OpKind::Call(leaf) => self.call(*leaf),
                OpKind::Write(place, value) if self.inside > 0 && !adds(&values, place, value) => {
                    self.written(function, place, op.span);
                }
                _ => {}
            }
            values.extend(op.dst.map(|dst| (dst, &op.kind)));
        }
    }

    fn call(&mut self, leaf: BlockId) {
        let Some(call) = self.program.call(leaf) else { return };
        match &call.callee {
            Callee::Library(name) if **name == *"__chronos_omp_critical" => {
                let enters = matches!(call.args.first(), Some(Arg::Scalar(Operand::Const(Const::Int(1, _)))));
                let executed = self.executed.contains(&leaf);
                self.inside = if enters && executed { self.inside + 1 } else { self.inside.saturating_sub(1) };
            }
            Callee::Library(name) if **name == *"omp_set_lock" => self.inside += 1,
            Callee::Library(name) if **name == *"omp_unset_lock" => self.inside = self.inside.saturating_sub(1),
            Callee::Function(_) if self.inside > 0 => {
                let span = self.program.blocks[leaf].span;
                let written = self.mods.call(self.program, self.analysis, leaf);
                self.found.extend(written.into_iter().map(|class| (span, Subject::Storage(class))));
            }
            _ => {}
        }
    }

    fn written(&mut self, function: FuncId, place: &Place, span: Span) {
        let subject = match &place.base {
            Base::Variable(id) => {
                let variable = &self.program.variables[*id];
                // What threads share lives in memory; a variable in a register is the thread's own.
                let own = matches!(variable.storage, Storage::Local | Storage::Parameter(_)) && !variable.address_taken;
                if own { None } else { Some(Subject::Variable(*id)) }
            }
            Base::Pointer(pointer) => self.analysis.pointed(function, pointer).map(Subject::Storage),
        };
        self.found.extend(subject.map(|subject| (span, subject)));
    }
}

/// Whether the value is what stood there, with something added or otherwise joined in any order.
pub(super) fn adds(values: &FxHashMap<ValueId, &OpKind>, place: &Place, value: &Operand) -> bool {
    let Operand::Value(id) = value else { return false };
    match values.get(id) {
        Some(OpKind::Convert(_, inner) | OpKind::Move(inner)) => adds(values, place, inner),
        Some(OpKind::Binary(op, _, a, b)) => {
            let joins = matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
            );
            let is_left = reads(values, place, a) && !mentions(values, place, b);
            joins && (is_left || *op != BinaryOp::Sub && reads(values, place, b) && !mentions(values, place, a))
        }
        // A pointer that moves on, as `p++` does.
        _ => false,
    }
}

/// Whether the operand is what stands in the place.
fn reads(values: &FxHashMap<ValueId, &OpKind>, place: &Place, operand: &Operand) -> bool {
    let Operand::Value(id) = operand else { return false };
    match values.get(id) {
        Some(OpKind::Convert(_, inner) | OpKind::Move(inner)) => reads(values, place, inner),
        Some(OpKind::Read(read)) => same(read, place),
        _ => false,
    }
}

/// Whether the operand is computed from the place.
fn mentions(values: &FxHashMap<ValueId, &OpKind>, place: &Place, operand: &Operand) -> bool {
    let Operand::Value(id) = operand else { return false };
    match values.get(id) {
        Some(OpKind::Read(read)) => same(read, place),
        Some(OpKind::Convert(_, inner) | OpKind::Move(inner) | OpKind::Unary(_, inner)) => {
            mentions(values, place, inner)
        }
        Some(OpKind::Binary(_, _, a, b)) => mentions(values, place, a) || mentions(values, place, b),
        _ => false,
    }
}

fn same(one: &Place, other: &Place) -> bool {
    one.base == other.base && one.steps == other.steps
}
