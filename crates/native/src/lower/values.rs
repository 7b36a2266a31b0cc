//! What slots hold, in registers of the processor and at home.

use super::{Local, Lowering, Unfit, Val};
use crate::code::{Home, Kind, Slot, Source};
use crate::layout;
use crate::run::Frame;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use std::mem::offset_of;

impl Lowering<'_, '_> {
    pub(super) fn is_variable(&self, slot: Slot) -> bool {
        self.body.slots[slot.0 as usize].variable
    }

    /// Where a slot stands while the interpreter runs: base and offset.
    pub(super) fn home(&self, slot: Slot) -> (Value, i32) {
        match self.body.slots[slot.0 as usize].home {
            Home::Register(number) => (self.registers, number as i32 * layout::SIZE),
            Home::Inner(number) => (self.inner, number as i32 * layout::SIZE),
            Home::Global(number) => (self.globals, number as i32 * layout::SIZE),
        }
    }

    pub(super) fn slot(&mut self, slot: Slot) -> Option<Val> {
        let kind = self.kinds.slot(slot)?;
        Some(match (self.locals[slot.0 as usize]?, kind) {
            (Local::One(variable), Kind::Real) => Val::Real(self.b.use_var(variable)),
            (Local::One(variable), _) => Val::Int(self.b.use_var(variable)),
            (Local::Address(object, offset), _) => Val::Address(self.b.use_var(object), self.b.use_var(offset)),
        })
    }

    pub(super) fn source(&mut self, source: Source) -> Result<Val, Unfit> {
        Ok(match source {
            Source::Slot(slot) => self.slot(slot).ok_or(Unfit)?,
            Source::Int(n) => Val::Int(self.int(n)),
            Source::Real(x) => Val::Real(self.b.ins().f64const(x)),
            Source::Address(object, offset) => {
                Val::Address(self.b.ins().iconst(types::I32, i64::from(object.0)), self.int(offset))
            }
        })
    }

    pub(super) fn int(&mut self, n: i64) -> Value {
        self.b.ins().iconst(types::I64, n)
    }

    /// A slot gets a value; what the program names is written to its home.
    pub(super) fn set(&mut self, slot: Slot, value: Val) {
        self.define(slot, value);
        if self.is_variable(slot) {
            self.write_home(slot, value);
        }
    }

    pub(super) fn define(&mut self, slot: Slot, value: Val) {
        match (self.locals[slot.0 as usize], value) {
            (Some(Local::One(variable)), Val::Int(value) | Val::Real(value)) => self.b.def_var(variable, value),
            (Some(Local::Address(to, at)), Val::Address(object, offset)) => {
                self.b.def_var(to, object);
                self.b.def_var(at, offset);
            }
            _ => {}
        }
    }

    pub(super) fn write_home(&mut self, slot: Slot, value: Val) {
        let (base, offset) = self.home(slot);
        self.write_value(value, base, offset);
    }

    pub(super) fn forget(&mut self, slot: Slot) {
        let (base, offset) = self.home(slot);
        for word in 0..layout::SIZE / 8 {
            let at = offset_of!(Frame, nothing) as i32 + word * 8;
            let part = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.frame, at);
            self.b.ins().store(MemFlagsData::trusted(), part, base, offset + word * 8);
        }
    }

    pub(super) fn write_value(&mut self, value: Val, base: Value, offset: i32) {
        let flags = MemFlagsData::trusted();
        let tag = match value {
            Val::Int(_) => layout::INT,
            Val::Real(_) => layout::REAL,
            Val::Address(..) => layout::ADDRESS,
        };
        let tag = self.b.ins().iconst(types::I8, tag);
        self.b.ins().store(flags, tag, base, offset + layout::TAG);
        match value {
            Val::Int(number) | Val::Real(number) => {
                _ = self.b.ins().store(flags, number, base, offset + layout::NUMBER);
            }
            Val::Address(object, bytes) => {
                self.b.ins().store(flags, object, base, offset + layout::OBJECT);
                self.b.ins().store(flags, bytes, base, offset + layout::OFFSET);
            }
        }
    }

    pub(super) fn read_value(&mut self, kind: Kind, base: Value, offset: i32) -> Val {
        let flags = MemFlagsData::trusted();
        match kind {
            Kind::Int => Val::Int(self.b.ins().load(types::I64, flags, base, offset + layout::NUMBER)),
            Kind::Real => Val::Real(self.b.ins().load(types::F64, flags, base, offset + layout::NUMBER)),
            Kind::Address => {
                let object = self.b.ins().load(types::I32, flags, base, offset + layout::OBJECT);
                Val::Address(object, self.b.ins().load(types::I64, flags, base, offset + layout::OFFSET))
            }
        }
    }
}
