//! Counters that every iteration multiplies or divides by a number.

use super::trip_form::base;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::derived::IntegerFunction;
use crate::expressions::symbolic::Symbolic;
use crate::iteration_space::induction::{Update, plain_write};
use crate::state::execution::Execution;
use chronos_ir::{BinaryOp, BlockId, BlockKind, Loop, OpKind, Operand, ScalarType, Straight, VarId};

/// A counter that is multiplied or divided once per iteration.
pub(crate) struct Scaled {
    pub variable: VarId,
    pub ty: ScalarType,
    pub factor: i128,
    pub grows: bool,
}

/// The only write of a variable in a loop.
pub(crate) struct SingleWrite<'a> {
    /// Type of the variable.
    pub ty: ScalarType,
    /// The block of the write.
    pub straight: &'a Straight,
    /// Position of the write among the block's operations.
    pub at: usize,
    /// What is written.
    pub operand: &'a Operand,
}

impl<'a> Execution<'a> {
    pub(crate) fn scaled(&mut self, l: &'a Loop, counter: VarId) -> Option<(Scaled, Affine)> {
        let scaled = self.scaling(l, counter)?;
        match self.read_variable(scaled.variable, scaled.ty) {
            Symbolic::Int(start) => Some((scaled, start)),
            _ => None,
        }
    }

    /// The values in iteration k of variables that every iteration multiplies or divides by a number, by the state
    /// before the first; where a whole program is executed.
    pub(crate) fn scaled_values(&mut self, l: &'a Loop, k: Symbol) -> Vec<(VarId, Affine)> {
        if !self.symbols.may_sum() {
            return Vec::new();
        }
        let variables: Vec<VarId> = self.write_sites(l).into_keys().collect();
        let mut values = Vec::new();
        for variable in variables {
            let Some((scaled, start)) = self.scaled(l, variable) else { continue };
            let value = self.scaled_value(&scaled, &start, k);
            values.extend(value.map(|value| (variable, value)));
        }
        values
    }

    fn scaled_value(&mut self, scaled: &Scaled, start: &Affine, k: Symbol) -> Option<Affine> {
        let power = self.symbols.function(IntegerFunction::Power(base(scaled.factor)?), &Affine::symbol(k))?;
        if scaled.grows {
            return self.symbols.product(start, &power);
        }
        // C rounds towards zero: of what is negative, nothing is said.
        let free = start.symbols().all(|symbol| self.symbols.quotients.is_free(symbol));
        if free && start.constant >= 0 { self.symbols.ratio(start, &power) } else { None }
    }

    /// How the variable is multiplied or divided, by its one write in the loop.
    fn scaling(&mut self, l: &'a Loop, variable: VarId) -> Option<Scaled> {
        let SingleWrite { ty, straight, at, operand } = self.single_write(l, variable)?;
        let written = self.repeated_writes(l);
        let update = Update { written: &written, variable, straight, at };
        let (factor, grows) = self.factor(&update, operand)?;
        (factor >= 2).then_some(Scaled { variable, ty, factor, grows })
    }

    /// The write of an integer variable that every iteration executes once, where there is no other in the loop.
    pub(crate) fn single_write(&mut self, l: &'a Loop, variable: VarId) -> Option<SingleWrite<'a>> {
        let blocks = self.write_sites(l).remove(&variable)?;
        let [block] = blocks.into_iter().collect::<Vec<_>>()[..] else { return None };
        let scalar = self.setting.program.types.scalar(self.setting.program.variables[variable].ty);
        let ty = scalar.filter(|ty| !ty.is_float() && !ty.is_wide())?;
        let straight = self.straight(block).filter(|_| self.unconditional(l).contains(&block))?;
        let mut writes = straight.ops.iter().enumerate().filter_map(|(at, op)| Some((at, plain_write(op)?)));
        let (at, (_, operand)) = writes.find(|(_, (written, _))| *written == variable)?;
        let again = writes.any(|(_, (written, _))| written == variable);
        (!again).then_some(SingleWrite { ty, straight, at, operand })
    }

    fn factor(&mut self, update: &Update<'_>, operand: &Operand) -> Option<(i128, bool)> {
        let (_, op) = update.definition(operand)?;
        match &op.kind {
            OpKind::Convert(from, inner) if !from.is_float() => self.factor(update, inner),
            OpKind::Move(inner) => self.factor(update, inner),
            OpKind::Binary(op, _, a, b) => {
                let own = |operand: &Operand| update.reads_variable(operand);
                let (counter, by) = if *op == BinaryOp::Mul && own(b) { (b, a) } else { (a, b) };
                let by = self.invariant(update, by).filter(|_| own(counter))?;
                match op {
                    BinaryOp::Mul => Some((by, true)),
                    BinaryOp::Div => Some((by, false)),
                    BinaryOp::Shl | BinaryOp::Shr => {
                        let factor = 1_i128.checked_shl(u32::try_from(by).ok().filter(|&by| by < 63)?)?;
                        Some((factor, *op == BinaryOp::Shl))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(crate) fn straight(&self, block: BlockId) -> Option<&'a Straight> {
        match &self.setting.program.blocks[block].kind {
            BlockKind::Straight(straight) => Some(straight),
            _ => None,
        }
    }
}
