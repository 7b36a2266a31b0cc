//! Which kind of value each slot holds: one throughout the code, or the code is not compiled.
//!
//! A processor computes with integers and floating numbers in different registers. The operations of the interpreter tell
//! which of them a slot gets; what is read before anything is written has the kind that it has when the code is made.

use crate::code::{Body, Kind, Op, Place, Slot, Source};
use crate::flow::{Flow, written};
use chronos_ir::{BinaryOp, ScalarType};
use chronos_values::arith;

/// Why a body is not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A slot holds values of different kinds.
    Mixed(Slot),
    /// What a slot holds at the begin is none of the kinds.
    Unfit(Slot),
    /// The code generator of the processor does not take it, or there is none.
    Generator,
}

/// The kinds of all slots; `None` for those that are never written nor read.
pub(crate) struct Kinds(Vec<Option<Kind>>);

impl Kinds {
    /// `held` tells what a slot holds when the code is made.
    pub(crate) fn of(body: &Body, flow: &Flow, held: &dyn Fn(Slot) -> Option<Kind>) -> Result<Self, Refused> {
        let mut kinds = Self(vec![None; body.slots.len()]);
        for slot in flow.read_at_first() {
            kinds.0[slot.0 as usize] = Some(held(slot).ok_or(Refused::Unfit(slot))?);
        }
        let ops = || body.ops.iter().zip(&flow.reached).filter(|(_, reached)| **reached).map(|(op, _)| op);
        let mut changes = true;
        while changes {
            changes = false;
            for op in ops() {
                if let Some((slot, kind)) = written(op).zip(kinds.result(body, op)) {
                    changes |= kinds.set(slot, kind)?;
                }
                if let Op::Choose { branch, .. } | Op::Switch { branch, .. } = op
                    && let Some((slot, _)) = branch.result
                {
                    changes |= kinds.set(slot, Kind::Int)?;
                }
            }
        }
        Ok(kinds)
    }

    fn set(&mut self, slot: Slot, kind: Kind) -> Result<bool, Refused> {
        match self.0[slot.0 as usize].replace(kind) {
            Some(before) if before != kind => Err(Refused::Mixed(slot)),
            before => Ok(before.is_none()),
        }
    }

    /// The kind of a slot.
    pub(crate) fn slot(&self, slot: Slot) -> Option<Kind> {
        self.0[slot.0 as usize]
    }

    /// The kind of an operand.
    pub(crate) fn source(&self, source: Source) -> Option<Kind> {
        match source {
            Source::Slot(slot) => self.slot(slot),
            Source::Int(_) => Some(Kind::Int),
            Source::Real(_) => Some(Kind::Real),
            Source::Address(..) => Some(Kind::Address),
        }
    }

    /// The kind of what an operation gives, as far as those of its operands are known.
    fn result(&self, body: &Body, op: &Op) -> Option<Kind> {
        match *op {
            Op::Copy { from, .. } => self.source(from),
            Op::Binary { op, ty, a, b, .. } => self.of_binary(op, ty, a, b),
            Op::Unary { ty, op, .. } => {
                let is_real = ty.is_float() && op == chronos_ir::UnaryOp::Neg;
                Some(if is_real { Kind::Real } else { Kind::Int })
            }
            Op::Convert { to_ty, .. } if to_ty.is_float() => Some(Kind::Real),
            Op::Convert { to_ty, a, .. } => Some(match self.source(a)? {
                Kind::Address if arith::bits(to_ty) >= 64 => Kind::Address,
                _ => Kind::Int,
            }),
            Op::Difference { .. } => Some(Kind::Int),
            Op::Address { .. } => Some(Kind::Address),
            Op::Load { place, .. } => of_place(&body.places[place as usize]),
            Op::Call { ty, .. } | Op::Draw { ty, .. } => Some(if ty.is_float() { Kind::Real } else { Kind::Int }),
            _ => None,
        }
    }

    fn of_binary(&self, op: BinaryOp, ty: ScalarType, a: Source, b: Source) -> Option<Kind> {
        if op.is_comparison() {
            return Some(Kind::Int);
        }
        if ty.is_float() {
            return Some(Kind::Real);
        }
        let (a, b) = (self.source(a)?, self.source(b)?);
        let addresses = usize::from(a == Kind::Address) + usize::from(b == Kind::Address);
        Some(if addresses == 1 { Kind::Address } else { Kind::Int })
    }
}

/// The kind of what stands at a place.
pub(crate) fn of_place(place: &Place) -> Option<Kind> {
    Some(match place.ty? {
        ScalarType::Pointer => Kind::Address,
        ty if ty.is_float() => Kind::Real,
        _ => Kind::Int,
    })
}
