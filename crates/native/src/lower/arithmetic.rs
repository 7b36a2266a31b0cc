//! Arithmetic with the semantics of `chronos_values::arith`, of which this is the other form: the property tests of the
//! interpreter hold one to the other.

use super::{Lowering, Unfit, Val};
use crate::code::Source;
use crate::run::Frame;
use chronos_ir::{BinaryOp, ScalarType, UnaryOp};
use chronos_values::arith;
use cranelift_codegen::ir::{
    InstBuilder, MemFlagsData, Value,
    condcodes::{FloatCC, IntCC},
    types,
};
use std::mem::offset_of;

impl Lowering<'_, '_> {
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        ty: ScalarType,
        a: Source,
        b: Source,
        noted: u32,
    ) -> Result<Val, Unfit> {
        if ty.is_wide() {
            return Err(Unfit);
        }
        match (self.source(a)?, self.source(b)?) {
            (Val::Int(a), Val::Int(b)) if !ty.is_float() => self.integers(op, ty, a, b, noted),
            (Val::Real(a), Val::Real(b)) => self.reals(op, ty, a, b),
            (Val::Address(a, at), Val::Address(b, bt)) => self.addresses(op, (a, at), (b, bt)),
            (Val::Address(object, offset), Val::Int(n)) => self.address_and_integer(op, object, offset, n),
            (Val::Int(n), Val::Address(object, offset)) => match op {
                BinaryOp::Add => Ok(Val::Address(object, self.b.ins().iadd(offset, n))),
                op if op.is_comparison() => Ok(self.against_integer(arith::mirrored(op))),
                _ => Err(Unfit),
            },
            _ => Err(Unfit),
        }
    }

    fn integers(&mut self, op: BinaryOp, ty: ScalarType, a: Value, b: Value, noted: u32) -> Result<Val, Unfit> {
        let signed = ty.is_signed();
        Ok(Val::Int(match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.sum(op, ty, a, b, noted),
            BinaryOp::Div | BinaryOp::Rem => self.quotient(op, ty, a, b),
            BinaryOp::And => self.b.ins().band(a, b),
            BinaryOp::Or => self.b.ins().bor(a, b),
            BinaryOp::Xor => {
                let bits = self.b.ins().bxor(a, b);
                self.wrap(bits, ty)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, ty, a, b),
            comparison => {
                let holds = self.compare(integer_condition(comparison, signed).ok_or(Unfit)?, a, b);
                return Ok(self.truth(holds));
            }
        }))
    }

    /// A sum, difference or product; where a signed type does not hold it, that is noted, and it wraps around.
    fn sum(&mut self, op: BinaryOp, ty: ScalarType, a: Value, b: Value, noted: u32) -> Value {
        if ty == ScalarType::I64 {
            let (result, overflows) = match op {
                BinaryOp::Add => self.b.ins().sadd_overflow(a, b),
                BinaryOp::Sub => self.b.ins().ssub_overflow(a, b),
                _ => self.b.ins().smul_overflow(a, b),
            };
            self.note(overflows, noted);
            return result;
        }
        let exact = match op {
            BinaryOp::Add => self.b.ins().iadd(a, b),
            BinaryOp::Sub => self.b.ins().isub(a, b),
            _ => self.b.ins().imul(a, b),
        };
        let result = self.wrap(exact, ty);
        if ty == ScalarType::I32 {
            let overflows = self.compare(IntCC::NotEqual, result, exact);
            self.note(overflows, noted);
        }
        result
    }

    fn note(&mut self, overflows: Value, noted: u32) {
        let (cold, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(overflows, cold, &[], next, &[]);
        self.b.set_cold_block(cold);
        self.b.switch_to_block(cold);
        let flags = MemFlagsData::trusted();
        let table = self.b.ins().load(types::I64, flags, self.frame, offset_of!(Frame, noted) as i32);
        let yes = self.b.ins().iconst(types::I8, 1);
        self.b.ins().store(flags, yes, table, noted as i32);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }

    /// By zero there is no quotient, and of the least number by -1 neither.
    fn quotient(&mut self, op: BinaryOp, ty: ScalarType, a: Value, b: Value) -> Value {
        let fits = if ty.is_signed() {
            // 0 and -1 are the two numbers that are below 2 when 1 is added.
            let above = self.b.ins().iadd_imm_s(b, 1);
            let two = self.int(2);
            self.compare(IntCC::UnsignedGreaterThanOrEqual, above, two)
        } else {
            let zero = self.int(0);
            self.compare(IntCC::NotEqual, b, zero)
        };
        self.require(fits);
        let ins = self.b.ins();
        let result = match (op, ty.is_signed()) {
            (BinaryOp::Div, true) => ins.sdiv(a, b),
            (BinaryOp::Div, false) => ins.udiv(a, b),
            (_, true) => ins.srem(a, b),
            (_, false) => ins.urem(a, b),
        };
        self.wrap(result, ty)
    }

    fn shift(&mut self, op: BinaryOp, ty: ScalarType, a: Value, b: Value) -> Value {
        let bits = self.int(i64::from(arith::bits(ty)));
        let fits = self.compare(IntCC::UnsignedLessThan, b, bits);
        self.require(fits);
        match (op, ty.is_signed()) {
            (BinaryOp::Shl, _) => {
                let shifted = self.b.ins().ishl(a, b);
                self.wrap(shifted, ty)
            }
            (_, true) => self.b.ins().sshr(a, b),
            (_, false) => {
                let shifted = self.b.ins().ushr(a, b);
                self.wrap(shifted, ty)
            }
        }
    }

    /// As an integer type holds it.
    fn wrap(&mut self, n: Value, ty: ScalarType) -> Value {
        let (narrow, signed) = match ty {
            ScalarType::I32 => (types::I32, true),
            ScalarType::U32 => (types::I32, false),
            ScalarType::I8 => (types::I8, true),
            ScalarType::U8 => (types::I8, false),
            ScalarType::I16 => (types::I16, true),
            ScalarType::U16 => (types::I16, false),
            ScalarType::Bool => {
                let zero = self.int(0);
                let flag = self.compare(IntCC::NotEqual, n, zero);
                return self.b.ins().uextend(types::I64, flag);
            }
            _ => return n,
        };
        let part = self.b.ins().ireduce(narrow, n);
        if signed { self.b.ins().sextend(types::I64, part) } else { self.b.ins().uextend(types::I64, part) }
    }

    fn reals(&mut self, op: BinaryOp, ty: ScalarType, a: Value, b: Value) -> Result<Val, Unfit> {
        let result = match op {
            BinaryOp::Add => self.b.ins().fadd(a, b),
            BinaryOp::Sub => self.b.ins().fsub(a, b),
            BinaryOp::Mul => self.b.ins().fmul(a, b),
            BinaryOp::Div => self.b.ins().fdiv(a, b),
            comparison => {
                let holds = self.b.ins().fcmp(real_condition(comparison).ok_or(Unfit)?, a, b);
                return Ok(self.truth(holds));
            }
        };
        Ok(Val::Real(self.round(result, ty)))
    }

    /// As a floating type holds it.
    pub(super) fn round(&mut self, x: Value, ty: ScalarType) -> Value {
        if ty != ScalarType::F32 {
            return x;
        }
        let single = self.b.ins().fdemote(types::F32, x);
        self.b.ins().fpromote(types::F64, single)
    }

    fn addresses(&mut self, op: BinaryOp, a: (Value, Value), b: (Value, Value)) -> Result<Val, Unfit> {
        let same = self.compare(IntCC::Equal, a.0, b.0);
        Ok(match op {
            BinaryOp::Eq | BinaryOp::Ne => {
                let there = self.compare(IntCC::Equal, a.1, b.1);
                let equal = self.b.ins().band(same, there);
                let Val::Int(equal) = self.truth(equal) else { return Err(Unfit) };
                Val::Int(if op == BinaryOp::Eq { equal } else { self.b.ins().bxor_imm_s(equal, 1) })
            }
            BinaryOp::Sub => {
                self.require(same);
                Val::Int(self.b.ins().isub(a.1, b.1))
            }
            comparison => {
                let condition = integer_condition(comparison, true).ok_or(Unfit)?;
                self.require(same);
                let holds = self.compare(condition, a.1, b.1);
                self.truth(holds)
            }
        })
    }

    fn address_and_integer(&mut self, op: BinaryOp, object: Value, offset: Value, n: Value) -> Result<Val, Unfit> {
        match op {
            BinaryOp::Add => Ok(Val::Address(object, self.b.ins().iadd(offset, n))),
            BinaryOp::Sub => Ok(Val::Address(object, self.b.ins().isub(offset, n))),
            op if op.is_comparison() => Ok(self.against_integer(op)),
            _ => Err(Unfit),
        }
    }

    /// Addresses are above all integers that programs compare them with.
    fn against_integer(&mut self, op: BinaryOp) -> Val {
        Val::Int(self.int(i64::from(op.holds(Some(std::cmp::Ordering::Greater)))))
    }

    pub(super) fn difference(&mut self, a: Source, b: Source, stride: i64) -> Result<Val, Unfit> {
        let Val::Int(bytes) = self.binary(BinaryOp::Sub, ScalarType::I64, a, b, 0)? else { return Err(Unfit) };
        let stride = self.int(stride);
        Ok(Val::Int(self.b.ins().sdiv(bytes, stride)))
    }

    pub(super) fn unary(&mut self, op: UnaryOp, ty: ScalarType, a: Source) -> Result<Val, Unfit> {
        if ty.is_wide() {
            return Err(Unfit);
        }
        let a = self.source(a)?;
        Ok(match (op, a) {
            (UnaryOp::Neg, Val::Int(n)) => {
                let negated = self.b.ins().ineg(n);
                Val::Int(self.wrap(negated, ty))
            }
            (UnaryOp::Neg, Val::Real(x)) => Val::Real(self.b.ins().fneg(x)),
            (UnaryOp::Not, Val::Int(n)) => {
                let inverted = self.b.ins().bnot(n);
                Val::Int(self.wrap(inverted, ty))
            }
            (UnaryOp::LogicalNot, a) => {
                let holds = self.holds(a);
                let Val::Int(holds) = self.truth(holds) else { return Err(Unfit) };
                Val::Int(self.b.ins().bxor_imm_s(holds, 1))
            }
            _ => return Err(Unfit),
        })
    }

    /// The truth of a condition.
    pub(super) fn holds(&mut self, condition: Val) -> Value {
        match condition {
            Val::Int(n) => {
                let zero = self.int(0);
                self.compare(IntCC::NotEqual, n, zero)
            }
            Val::Real(x) => {
                let zero = self.b.ins().f64const(0.0);
                self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
            }
            Val::Address(..) => self.b.ins().iconst(types::I8, 1),
        }
    }

    pub(super) fn convert(&mut self, from: ScalarType, to: ScalarType, a: Source) -> Result<Val, Unfit> {
        if from.is_wide() || to.is_wide() {
            return Err(Unfit);
        }
        Ok(match self.source(a)? {
            Val::Int(n) if to.is_float() => Val::Real(self.real_of_integer(from, to, n)),
            Val::Int(n) => Val::Int(self.wrap(n, to)),
            Val::Real(x) if to.is_float() => Val::Real(self.round(x, to)),
            Val::Real(x) if to == ScalarType::Bool => {
                let holds = self.holds(Val::Real(x));
                self.truth(holds)
            }
            Val::Real(x) => Val::Int(self.integer_of_real(x, to)),
            Val::Address(..) if to == ScalarType::Bool => Val::Int(self.int(1)),
            address @ Val::Address(..) if arith::bits(to) >= 64 && !to.is_float() => address,
            Val::Address(..) => return Err(Unfit),
        })
    }

    fn real_of_integer(&mut self, from: ScalarType, to: ScalarType, n: Value) -> Value {
        if from == ScalarType::U64 {
            let x = self.b.ins().fcvt_from_uint(types::F64, n);
            return self.round(x, to);
        }
        if to == ScalarType::F32 {
            let single = self.b.ins().fcvt_from_sint(types::F32, n);
            return self.b.ins().fpromote(types::F64, single);
        }
        self.b.ins().fcvt_from_sint(types::F64, n)
    }

    /// Without its fraction, where the type holds that.
    fn integer_of_real(&mut self, x: Value, to: ScalarType) -> Value {
        let bits = arith::bits(to) as i32;
        let (low, high) =
            if to.is_signed() { (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1)) } else { (0.0, 2f64.powi(bits)) };
        let whole = self.b.ins().trunc(x);
        let (low, high) = (self.b.ins().f64const(low), self.b.ins().f64const(high));
        let above = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, whole, low);
        let below = self.b.ins().fcmp(FloatCC::LessThan, whole, high);
        let fits = self.b.ins().band(above, below);
        self.require(fits);
        if to.is_signed() {
            self.b.ins().fcvt_to_sint_sat(types::I64, whole)
        } else {
            self.b.ins().fcvt_to_uint_sat(types::I64, whole)
        }
    }
}

fn integer_condition(op: BinaryOp, signed: bool) -> Option<IntCC> {
    Some(match (op, signed) {
        (BinaryOp::Eq, _) => IntCC::Equal,
        (BinaryOp::Ne, _) => IntCC::NotEqual,
        (BinaryOp::Lt, true) => IntCC::SignedLessThan,
        (BinaryOp::Le, true) => IntCC::SignedLessThanOrEqual,
        (BinaryOp::Gt, true) => IntCC::SignedGreaterThan,
        (BinaryOp::Ge, true) => IntCC::SignedGreaterThanOrEqual,
        (BinaryOp::Lt, false) => IntCC::UnsignedLessThan,
        (BinaryOp::Le, false) => IntCC::UnsignedLessThanOrEqual,
        (BinaryOp::Gt, false) => IntCC::UnsignedGreaterThan,
        (BinaryOp::Ge, false) => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

/// Comparisons with what is no number do not hold, but for `!=`.
fn real_condition(op: BinaryOp) -> Option<FloatCC> {
    Some(match op {
        BinaryOp::Eq => FloatCC::Equal,
        BinaryOp::Ne => FloatCC::NotEqual,
        BinaryOp::Lt => FloatCC::LessThan,
        BinaryOp::Le => FloatCC::LessThanOrEqual,
        BinaryOp::Gt => FloatCC::GreaterThan,
        BinaryOp::Ge => FloatCC::GreaterThanOrEqual,
        _ => return None,
    })
}
