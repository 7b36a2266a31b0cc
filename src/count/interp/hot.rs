//! The common cases of the operations that programs consist of: known numbers, one scalar in an
//! array or cell, no log to keep. Each says whether it was one; if not, nothing was done.

use super::arith;
use super::code::{CompiledPlace, PlaceBase, Src, StepStride};
use super::machine::Machine;
use crate::count::value::{Pointer, Value};
use crate::program::{BinaryOp, ScalarType};

impl Machine<'_> {
    #[inline(always)]
    pub(super) fn peek(&self, src: Src, base: u32) -> &Value {
        match src {
            Src::Reg(register) => &self.task.stack[(base + register) as usize],
            Src::Global(register) => &self.task.globals[register as usize],
            Src::Const(index) => &self.code.constants[index as usize],
        }
    }

    #[inline(always)]
    pub(super) fn plain_binary(
        &mut self,
        op: BinaryOp,
        ty: ScalarType,
        at: u32,
        (a, b): (Src, Src),
        base: u32,
    ) -> bool {
        match (self.peek(a, base), self.peek(b, base)) {
            (&Value::Int(a), &Value::Int(b)) => {
                let Ok(n) = arith::integer(op, ty, a, b) else { return false };
                self.task.stack[at as usize] = Value::Int(n);
                true
            }
            (&Value::Float(a), &Value::Float(b)) => {
                match arith::float_result(op, ty, a, b) {
                    Some(x) => self.task.stack[at as usize] = Value::Float(x),
                    None => self.task.stack[at as usize] = Value::Int(i64::from(arith::float_holds(op, a, b))),
                }
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    pub(super) fn plain_convert(&mut self, to: ScalarType, at: u32, src: Src, base: u32) -> bool {
        match *self.peek(src, base) {
            Value::Int(n) if to.is_integer() => self.task.stack[at as usize] = Value::Int(arith::wrap(n, to)),
            Value::Float(x) if to.is_float() => self.task.stack[at as usize] = Value::Float(arith::round(x, to)),
            _ => return false,
        }
        true
    }

    #[inline(always)]
    fn plain_pointer(&self, place: &CompiledPlace, base: u32) -> Option<Pointer> {
        let Pointer { object, mut offset } = match place.base {
            PlaceBase::Object(object) => Pointer { object, offset: 0 },
            PlaceBase::Src(src) => match self.peek(src, base) {
                Value::Pointer(pointer) => *pointer,
                _ => return None,
            },
        };
        offset = offset.wrapping_add(place.offset);
        for step in &place.steps {
            let Value::Int(index) = *self.peek(step.index, base) else { return None };
            let stride = match step.stride {
                StepStride::Bytes(bytes) => bytes,
                StepStride::Src(src) => match *self.peek(src, base) {
                    Value::Int(bytes) => bytes,
                    _ => return None,
                },
            };
            offset = offset.wrapping_add(index.wrapping_mul(stride));
        }
        Some(Pointer { object, offset })
    }

    #[inline(always)]
    pub(super) fn plain_load(&mut self, at: u32, place: &CompiledPlace, base: u32) -> bool {
        let (Some(ty), None) = (place.ty, place.bits) else { return false };
        let Some(pointer) = self.plain_pointer(place, base) else { return false };
        let Some(value) = self.task.memory.slot(pointer, ty) else { return false };
        self.task.stack[at as usize] = *value;
        true
    }

    #[inline(always)]
    pub(super) fn plain_store(&mut self, place: &CompiledPlace, base: u32, src: Src) -> bool {
        let (Some(ty), None, true) = (place.ty, place.bits, self.task.logs.is_empty()) else { return false };
        let Some(pointer) = self.plain_pointer(place, base) else { return false };
        let value = *self.peek(src, base);
        let Some(slot) = self.task.memory.slot_mut(pointer, ty) else { return false };
        *slot = value;
        true
    }
}
