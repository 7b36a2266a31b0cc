//! Floating variables that a loop adds nothing but zeros to: they keep their values.
//!
//! Programs sum memory that they have only just allocated, cleared, to drive other data from caches, and
//! check the sum afterwards.

use super::induction::{Update, plain, plain_write};
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::Execution;
use chronos_ir::{Base, BinaryOp, BlockId, BlockKind, OpKind, Operand, Place, VarId};
use chronos_slicing::ModSet;
use chronos_values::Value;
use std::collections::BTreeSet;

impl Execution<'_> {
    /// All writes of the variable in a loop, which stand in `blocks`, add zeros to it. `written` is what the
    /// loop writes.
    pub(crate) fn adds_zeros(&mut self, written: &ModSet, variable: VarId, blocks: &BTreeSet<BlockId>) -> bool {
        let Some(ty) = self.setting.program.types.scalar(self.setting.program.variables[variable].ty) else {
            return false;
        };
        // Minus zero would become zero.
        let kept = |x: f64| x != 0.0 || x.is_sign_positive();
        if !matches!(self.read_variable(variable, ty), Symbolic::Constant(Value::Float(x)) if kept(x)) {
            return false;
        }
        blocks.iter().all(|&block| {
            let BlockKind::Straight(straight) = &self.setting.program.blocks[block].kind else { return false };
            let writes = straight.ops.iter().enumerate().filter_map(|(at, op)| Some((at, plain_write(op)?)));
            let mut ours = writes.filter(|(_, (target, _))| *target == variable);
            let (Some((at, (_, operand))), None) = (ours.next(), ours.next()) else { return false };
            self.is_kept(&Update { written, variable, straight, at }, operand)
        })
    }

    /// The operand is the variable, or the sum of it and zeros.
    fn is_kept(&mut self, update: &Update<'_>, operand: &Operand) -> bool {
        let Some((_, op)) = update.definition(operand) else { return false };
        match &op.kind {
            OpKind::Read(place) => plain(place) == Some(update.variable),
            OpKind::Move(inner) => self.is_kept(update, inner),
            OpKind::Binary(BinaryOp::Add, _, a, b) => {
                self.is_kept(update, a) && self.is_zero(update, b) || self.is_zero(update, a) && self.is_kept(update, b)
            }
            _ => false,
        }
    }

    /// The operand is read from memory that is zero and stays so.
    fn is_zero(&mut self, update: &Update<'_>, operand: &Operand) -> bool {
        let Some((_, op)) = update.definition(operand) else { return false };
        match &op.kind {
            OpKind::Read(place) if !place.volatile && place.bits.is_none() => {
                let class = self.setting.analysis.place(self.function(), place);
                let scalar = self.setting.program.types.scalar(place.ty).is_some_and(|ty| ty.is_float());
                scalar
                    && !update.written.contains(&class)
                    && self.object_of(update, place).is_some_and(|object| self.is_cleared(object))
            }
            OpKind::Convert(_, inner) | OpKind::Move(inner) => self.is_zero(update, inner),
            _ => false,
        }
    }

    /// The object that a place lies in, where it is the same in all iterations.
    fn object_of(&mut self, update: &Update<'_>, place: &Place) -> Option<Object> {
        let pointer = match &place.base {
            Base::Variable(variable) if plain(place).is_none() => return Some(self.aggregate(*variable)),
            Base::Variable(_) => return None,
            Base::Pointer(pointer) => pointer,
        };
        let Symbolic::Pointer(object, _) = (match pointer {
            Operand::Const(_) => self.operand(pointer),
            Operand::Value(_) => match update.definition(pointer) {
                Some((_, op)) => match &op.kind {
                    OpKind::Address(inner) => return self.object_of(update, inner),
                    _ => self.invariant_value(update, pointer)?,
                },
                None => return None,
            },
        }) else {
            return None;
        };
        Some(object)
    }

    /// Nothing but zeros stands in the object.
    fn is_cleared(&mut self, object: Object) -> bool {
        let start = (object, i128::MIN);
        if self.state.cells.range(start..=(object, i128::MAX)).next().is_some() {
            return false;
        }
        if self.state.zeroed.contains(&object) {
            return true;
        }
        match object {
            Object::Outer(id) => self.lost(object).is_none() && self.environment.is_cleared(id),
            _ => false,
        }
    }
}
