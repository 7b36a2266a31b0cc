//! Which copies within a straight block need no instruction of their own: their users read the
//! source. Reads of variables in registers and conversions that change nothing are half of all operations.

use crate::code::instructions::{Home, Src};
use crate::compile::operands;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{Base, BlockKind, FuncId, Op, OpKind, Operand, Place, Program, ScalarType, Straight, ValueId};
use chronos_values::arith::bits;

/// Per value of a function, whether another block than the one that computes it uses it.
pub(crate) fn escaping(program: &Program, function: FuncId) -> Vec<bool> {
    let function = &program.functions[function];
    let mut escapes = vec![true; function.values.len()];
    let mut mentions = vec![0_usize; function.values.len()];
    for block in (function.blocks.0.0..function.blocks.1.0).map(chronos_ir::BlockId) {
        operands::visit(&program.blocks[block].kind, &mut |operand| {
            if let Operand::Value(value) = operand {
                mentions[value.index()] += 1;
            }
        });
    }
    for block in (function.blocks.0.0..function.blocks.1.0).map(chronos_ir::BlockId) {
        let BlockKind::Straight(straight) = &program.blocks[block].kind else { continue };
        let mut own: FxHashMap<ValueId, usize> = FxHashMap::default();
        straight.ops.iter().for_each(|op| in_op(program, op, &mut |value| *own.entry(value).or_insert(0) += 1));
        for value in straight.ops.iter().filter_map(|op| op.dst) {
            escapes[value.index()] = own.get(&value).copied().unwrap_or(0) != mentions[value.index()];
        }
        // What a summarised region returns is put where the jump reads it.
        for op in straight.ops.iter().filter(|op| matches!(op.kind, OpKind::Jump(_))) {
            in_op(program, op, &mut |value| escapes[value.index()] = true);
        }
    }
    escapes
}

/// Values that an operation uses; those of a call stand in its leaf.
fn in_op(program: &Program, op: &Op, see: &mut impl FnMut(ValueId)) {
    let mut value = |operand: &Operand| {
        if let Operand::Value(value) = operand {
            see(*value);
        }
    };
    operands::in_op(&op.kind, &mut value);
    if let OpKind::Call(leaf) = op.kind {
        operands::visit(&program.blocks[leaf].kind, &mut value);
    }
}

/// What an operation that only copies takes its value from, and its users look at instead.
pub(crate) enum Copied<'a> {
    /// The register of a variable.
    Variable(Src),
    Operand(&'a Operand),
}

/// Finds the copies of straight blocks.
pub struct Forwarding<'a> {
    pub program: &'a Program,
    pub(crate) homes: &'a [Home],
    pub function: FuncId,
    pub escapes: &'a [bool],
}

impl Forwarding<'_> {
    /// The values that need no instruction, in the order of the operations.
    pub fn copies<'s>(&self, straight: &'s Straight) -> Vec<(ValueId, Copied<'s>)> {
        let last = self.last_uses(straight);
        let candidates = straight.ops.iter().enumerate().filter_map(|(at, op)| Some((at, op.dst?, self.copied(op)?)));
        let kept = candidates.filter(|(at, dst, copied)| match copied {
            Copied::Operand(_) => true,
            Copied::Variable(home) => {
                let last = last.get(dst).copied().unwrap_or(*at);
                !straight.ops[(at + 1).min(last)..last].iter().any(|op| self.overwrites(op, *home))
            }
        });
        kept.map(|(_, dst, copied)| (dst, copied)).collect()
    }

    fn copied<'s>(&self, op: &'s Op) -> Option<Copied<'s>> {
        if self.escapes[op.dst?.index()] {
            return None;
        }
        match &op.kind {
            OpKind::Read(place) => self.register(place).map(Copied::Variable),
            OpKind::Move(operand) => Some(Copied::Operand(operand)),
            OpKind::Convert(from, operand) => {
                let to = self.program.functions[self.function].values[op.dst?];
                changes_nothing(*from, to).then_some(Copied::Operand(operand))
            }
            _ => None,
        }
    }

    /// Position of the last operation that uses a value or a copy of it.
    fn last_uses(&self, straight: &Straight) -> FxHashMap<ValueId, usize> {
        let mut last: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (at, op) in straight.ops.iter().enumerate().rev() {
            let of_copy = match (self.copied(op), op.dst) {
                (Some(Copied::Operand(_)), Some(dst)) => last.get(&dst).copied(),
                _ => None,
            };
            let at = of_copy.map_or(at, |later| later.max(at));
            in_op(self.program, op, &mut |value| {
                let known = last.entry(value).or_insert(at);
                *known = at.max(*known);
            });
        }
        last
    }

    fn register(&self, place: &Place) -> Option<Src> {
        match place.base {
            Base::Variable(id) if place.steps.is_empty() && !place.volatile => match self.homes[id.index()] {
                Home::Register(register) => Some(Src::Reg(register)),
                Home::Global(register) => Some(Src::Global(register)),
                Home::Object(_) | Home::FrameObject(_) => None,
            },
            _ => None,
        }
    }

    fn overwrites(&self, op: &Op, home: Src) -> bool {
        match &op.kind {
            OpKind::Write(place, _) => self.register(place) == Some(home),
            // What is called may write globals, and a summary of the callee all that it writes.
            OpKind::Call(_) => matches!(home, Src::Global(_)),
            _ => false,
        }
    }
}

/// Every value of type `from`, as the interpreter holds it, is the same value of type `to`.
fn changes_nothing(from: ScalarType, to: ScalarType) -> bool {
    if from == to {
        return true;
    }
    if from.is_float() || to.is_float() {
        // A number that double precision does not hold has the bits of its own format.
        return from.is_float() && to.is_float() && to != ScalarType::F32 && !from.is_wide();
    }
    // An integer of 128 bits has another form than one of 64, and a cast to that cuts it off.
    if to == ScalarType::Bool || from.is_wide() || to.is_wide() {
        return false;
    }
    bits(to) == 64 || (bits(from) < bits(to) && (to.is_signed() || !from.is_signed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conversions_that_keep_every_value_are_left_out() {
        use ScalarType::{Bool, F32, F64, F80, F128, I8, I32, I64, I128, U8, U32, U64, U128};
        for (from, to) in
            [(I32, I64), (U8, I32), (Bool, I32), (U32, I64), (I64, U64), (F32, F64), (I8, I32), (F64, F80)]
        {
            assert!(changes_nothing(from, to), "{from:?} to {to:?}");
        }
        for (from, to) in [
            (I64, I32),
            (I32, U32),
            (I8, U32),
            (F64, F32),
            (I32, F64),
            (F64, I64),
            (I32, Bool),
            (F80, F64),
            (F80, F128),
            (U128, U64),
            (I128, I64),
            (U64, U128),
            (U64, I128),
        ] {
            assert!(!changes_nothing(from, to), "{from:?} to {to:?}");
        }
    }
}
