//! Loads and stores. Each place of the code has the page that it was in last, for reading and for writing: an access within it
//! takes two comparisons. Others ask the host, which keeps the memory.

use super::{Lowering, Unfit, Val};
use crate::code::Kind;
use crate::flow::steps;
use crate::kinds::of_place;
use crate::layout;
use crate::run::Cache;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, condcodes::IntCC, types};
use std::mem::{offset_of, size_of};

impl Lowering<'_, '_> {
    /// Object and offset of a place.
    pub(super) fn address(&mut self, place: u32) -> Result<(Value, Value), Unfit> {
        let body = self.body;
        let place = &body.places[place as usize];
        let Val::Address(object, start) = self.source(place.base)? else { return Err(Unfit) };
        let mut offset = if place.offset == 0 { start } else { self.b.ins().iadd_imm_s(start, place.offset) };
        for step in steps(body, place) {
            let (Val::Int(index), Val::Int(stride)) = (self.source(step.index)?, self.source(step.stride)?) else {
                return Err(Unfit);
            };
            let bytes = self.b.ins().imul(index, stride);
            offset = self.b.ins().iadd(offset, bytes);
        }
        Ok((object, offset))
    }

    /// Where the scalar of a place stands in memory; the code is left where that cannot be told.
    fn element(&mut self, number: u32, writes: bool) -> Result<Value, Unfit> {
        let place = &self.body.places[number as usize];
        if !place.bytes.is_power_of_two() || place.ty.is_none_or(|ty| ty.is_wide()) {
            return Err(Unfit);
        }
        let bytes = place.bytes;
        let (object, offset) = self.address(number)?;
        let cache = number * 2 + u32::from(writes);
        let at = cache as i32 * size_of::<Cache>() as i32;
        let flags = MemFlagsData::trusted();
        let field = |this: &mut Self, ty, offset: usize| {
            let caches = this.caches;
            this.b.ins().load(ty, flags, caches, at + offset as i32)
        };
        let (held, begin) =
            (field(self, types::I32, offset_of!(Cache, object)), field(self, types::I64, offset_of!(Cache, begin)));
        let same = self.compare(IntCC::Equal, object, held);
        let from = self.b.ins().isub(offset, begin);
        // What lies across two scalars, or before the page, becomes an index that no page has.
        let index = match bytes.trailing_zeros() {
            0 => from,
            shift => self.b.ins().rotr_imm_u(from, i64::from(shift)),
        };
        let length = field(self, types::I64, offset_of!(Cache, length));
        let within = self.compare(IntCC::UnsignedLessThan, index, length);
        let hit = self.b.ins().band(same, within);
        let (near, far, found) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.append_block_param(found, types::I64);
        self.b.ins().brif(hit, near, &[], far, &[]);

        self.b.switch_to_block(far);
        self.b.set_cold_block(far);
        let cache = self.b.ins().iconst(types::I32, i64::from(cache));
        let frame = self.frame;
        let slow = self.help("page", &[frame, cache, object, offset], types::I64);
        let exit = self.exit();
        self.b.ins().brif(slow, found, &[slow.into()], exit, &[]);

        self.b.switch_to_block(near);
        let start = field(self, types::I64, offset_of!(Cache, elements));
        let distance = self.b.ins().imul_imm_s(index, i64::from(layout::SIZE));
        let address = self.b.ins().iadd(start, distance);
        self.b.ins().jump(found, &[address.into()]);

        self.b.switch_to_block(found);
        Ok(self.b.block_params(found)[0])
    }

    pub(super) fn load(&mut self, place: u32) -> Result<Val, Unfit> {
        let kind = of_place(&self.body.places[place as usize]).ok_or(Unfit)?;
        let element = self.element(place, false)?;
        let tag = self.b.ins().load(types::I8, MemFlagsData::trusted(), element, layout::TAG);
        let wanted = match kind {
            Kind::Int => layout::INT,
            Kind::Real => layout::REAL,
            Kind::Address => layout::ADDRESS,
        };
        let fits = self.b.ins().icmp_imm_s(IntCC::Equal, tag, wanted);
        self.require(fits);
        Ok(self.read_value(kind, element, 0))
    }

    pub(super) fn store(&mut self, place: u32, from: crate::code::Source) -> Result<(), Unfit> {
        let value = self.source(from)?;
        let element = self.element(place, true)?;
        self.write_value(value, element, 0);
        Ok(())
    }
}
