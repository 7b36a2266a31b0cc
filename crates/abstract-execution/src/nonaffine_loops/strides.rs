//! Loops whose counter grows by what the loops around it count: `for (j = i; j <= n; j += i)`.

use super::scaled_counters::SingleWrite;
use super::trip_form::TripForm;
use crate::expressions::affine::Affine;
use crate::expressions::bounds::Bounds;
use crate::expressions::symbolic::{Symbolic, limits};
use crate::iteration_space::induction::{Update, plain};
use crate::state::execution::Execution;
use chronos_ir::{BinaryOp, Loop, OpKind, Operand, ScalarType, VarId};

impl<'a> Execution<'a> {
    /// The loop runs while the counter is at most the limit.
    pub fn strided(&mut self, l: &'a Loop, counter: VarId, limit: &Affine, bounds: &Bounds) -> Option<TripForm> {
        let (ty, step) = self.stride(l, counter, bounds)?;
        let Symbolic::Int(start) = self.read_variable(counter, ty) else { return None };
        let room = limits(ty).1;
        let fits = match bounds.range(&limit.add(&step)?).1 {
            Some(most) => most <= room,
            // Parameters are taken to fit their types.
            None => self.symbols.may_sum(),
        };
        let grows = self.symbols.is_positive(&step, bounds) && step.as_constant().is_none();
        (fits && grows).then(|| TripForm::Strided { start, step, limit: limit.clone() })
    }

    /// What the one write of the variable in an iteration adds to it.
    fn stride(&mut self, l: &'a Loop, variable: VarId, bounds: &Bounds) -> Option<(ScalarType, Affine)> {
        let SingleWrite { ty, straight, at, operand } = self.single_write(l, variable)?;
        let written = self.repeated_writes(l);
        let update = Update { written: &written, variable, straight, at };
        let step = self.added_to(&update, operand, bounds)?;
        Some((ty, step))
    }

    fn added_to(&mut self, update: &Update<'_>, operand: &Operand, bounds: &Bounds) -> Option<Affine> {
        let (_, op) = update.definition(operand)?;
        match &op.kind {
            OpKind::Convert(from, inner) if !from.is_float() => self.added_to(update, inner, bounds),
            OpKind::Move(inner) => self.added_to(update, inner, bounds),
            OpKind::Binary(BinaryOp::Add, _, a, b) if update.reads_variable(a) => self.unvaried(update, b, bounds),
            OpKind::Binary(BinaryOp::Add, _, a, b) if update.reads_variable(b) => self.unvaried(update, a, bounds),
            _ => None,
        }
    }

    /// The operand's value, where it is the same in all iterations.
    fn unvaried(&mut self, update: &Update<'_>, operand: &Operand, bounds: &Bounds) -> Option<Affine> {
        if let Operand::Const(_) = operand {
            let Symbolic::Int(affine) = self.operand(operand) else { return None };
            return Some(affine);
        }
        let (_, op) = update.definition(operand)?;
        match &op.kind {
            OpKind::Move(inner) => self.unvaried(update, inner, bounds),
            OpKind::Convert(from, inner) if !from.is_float() => {
                let affine = self.unvaried(update, inner, bounds)?;
                bounds.is_nonnegative(&affine).then_some(affine)
            }
            OpKind::Read(place) => {
                let variable = plain(place)?;
                let ty = self.setting.program.types.scalar(place.ty)?;
                match self.read(place, ty) {
                    Symbolic::Int(affine) if !update.written.contains(&self.setting.analysis.variable(variable)) => {
                        Some(affine)
                    }
                    _ => None,
                }
            }
            OpKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), ty, a, b) => {
                let (a, b) = (self.unvaried(update, a, bounds)?, self.unvaried(update, b, bounds)?);
                match self.symbols.binary(*op, *ty, &Symbolic::Int(a), &Symbolic::Int(b), bounds)? {
                    Symbolic::Int(affine) => Some(affine),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
