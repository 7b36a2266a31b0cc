//! Loops, branches and calls.

use super::{Lowering, Unfit, Val};
use crate::code::{Arm, Branch, Counter, Function, OpIndex, Slot, Source};
use crate::run::Frame;
use chronos_ir::ScalarType;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, condcodes::IntCC, types};
use std::mem::offset_of;

impl Lowering<'_, '_> {
    /// A branch of the program that its predictor does not see.
    fn pass_branch(&mut self) {
        let left = self.b.use_var(self.branches);
        let left = self.b.ins().iadd_imm_s(left, -1);
        self.b.def_var(self.branches, left);
    }

    pub(super) fn test(&mut self, condition: Source, exit: OpIndex) -> Result<(), Unfit> {
        let condition = self.source(condition)?;
        let holds = self.holds(condition);
        self.pass_branch();
        let next = self.block_of(self.at + 1);
        let exit = self.blocks[&exit];
        self.b.ins().brif(holds, next, &[], exit, &[]);
        Ok(())
    }

    fn block_of(&mut self, index: OpIndex) -> cranelift_codegen::ir::Block {
        let b = &mut self.b;
        *self.blocks.entry(index).or_insert_with(|| b.create_block())
    }

    pub(super) fn choose(
        &mut self,
        condition: Source,
        yes: Option<Arm>,
        no: Option<Arm>,
        branch: &Branch,
    ) -> Result<(), Unfit> {
        let condition = self.source(condition)?;
        let holds = self.holds(condition);
        self.count(branch.counter);
        self.pass_branch();
        let (then, other) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(holds, then, &[], other, &[]);
        self.b.switch_to_block(then);
        self.go_into(yes, branch);
        self.b.switch_to_block(other);
        self.go_into(no, branch);
        Ok(())
    }

    /// Goes into an arm, or past the branch.
    fn go_into(&mut self, arm: Option<Arm>, branch: &Branch) {
        let Some(arm) = arm else {
            if let Some((slot, value)) = branch.result {
                let value = self.int(value);
                self.set(slot, Val::Int(value));
            }
            let next = self.blocks[&branch.otherwise];
            self.b.ins().jump(next, &[]);
            return;
        };
        self.count(arm.counter);
        if let Some(outcome) = branch.outcome {
            let flags = MemFlagsData::trusted();
            let table = self.b.ins().load(types::I64, flags, self.frame, offset_of!(Frame, outcomes) as i32);
            let number = self.b.ins().iconst(types::I8, i64::from((arm.number + 1) as u8 as i8));
            self.b.ins().store(flags, number, table, outcome as i32);
        }
        let target = self.blocks[&arm.target];
        self.b.ins().jump(target, &[]);
    }

    pub(super) fn switch(
        &mut self,
        condition: Source,
        cases: &[(i64, i64, Arm)],
        default: Option<Arm>,
        branch: &Branch,
    ) -> Result<(), Unfit> {
        let Val::Int(n) = self.source(condition)? else { return Err(Unfit) };
        self.count(branch.counter);
        self.pass_branch();
        for &(low, high, arm) in cases {
            let inside = self.is_between(n, low, high);
            let (then, other) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(inside, then, &[], other, &[]);
            self.b.switch_to_block(then);
            self.go_into(Some(arm), branch);
            self.b.switch_to_block(other);
        }
        self.go_into(default, branch);
        Ok(())
    }

    fn is_between(&mut self, n: Value, low: i64, high: i64) -> Value {
        if low == high {
            return self.b.ins().icmp_imm_s(IntCC::Equal, n, low);
        }
        let above = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, n, low);
        let below = self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, n, high);
        self.b.ins().band(above, below)
    }

    pub(super) fn enter_loop(&mut self, inner: u32) {
        let number = self.b.ins().iconst(types::I32, i64::from(inner));
        let frame = self.frame;
        let agreed = self.help("enter", &[frame, number], types::I32);
        self.require(agreed);
        let Counter { site, number } = self.body.loops[inner as usize].counter;
        self.count(Counter { site, number: number + 1 });
        let zero = self.int(0);
        let iterations = self.iterations;
        self.b.ins().store(MemFlagsData::trusted(), zero, iterations, inner as i32 * 8);
    }

    /// Fuel and branches have to last for the iteration, the branches also for what is left of those around it.
    pub(super) fn iterate(&mut self, inner: u32) {
        let info = self.body.loops[inner as usize];
        let (fuel, branches) = (self.b.use_var(self.fuel), self.b.use_var(self.branches));
        let needed = self.branches_needed(inner) as i64;
        let burns = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, fuel, info.cost as i64);
        let passes = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, branches, needed);
        let goes_on = self.b.ins().band(burns, passes);
        self.require(goes_on);
        let fuel = self.b.ins().iadd_imm_s(fuel, -(info.cost as i64));
        self.b.def_var(self.fuel, fuel);
        self.count(info.counter);
        let iterations = self.iterations;
        self.add_one(iterations, inner as i32 * 8);
    }

    fn branches_needed(&self, inner: u32) -> u64 {
        let info = &self.body.loops[inner as usize];
        info.branches + info.parent.map_or(0, |parent| self.branches_needed(parent))
    }

    /// The table of counters of a call is asked for when the call is made first.
    pub(super) fn begin(&mut self, site: u32, counter: Counter) {
        self.count(counter);
        let flags = MemFlagsData::trusted();
        let sites = self.b.ins().load(types::I64, flags, self.frame, offset_of!(Frame, sites) as i32);
        let known = self.b.ins().load(types::I64, flags, sites, site as i32 * 8);
        let (ask, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(known, next, &[], ask, &[]);
        self.b.set_cold_block(ask);
        self.b.switch_to_block(ask);
        let number = self.b.ins().iconst(types::I32, i64::from(site));
        let frame = self.frame;
        self.help("begin", &[frame, number], types::I32);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }

    pub(super) fn draw(&mut self, source: u32, counter: Counter, ty: ScalarType, to: Option<Slot>) {
        let number = self.b.ins().iconst(types::I32, i64::from(source));
        let frame = self.frame;
        let is_drawn = self.help("draw", &[frame, number], types::I32);
        self.require(is_drawn);
        self.count(counter);
        let Some(to) = to else { return };
        let (flags, at) = (MemFlagsData::trusted(), offset_of!(Frame, drawn) as i32);
        let number = match ty.is_float() {
            true => Val::Real(self.b.ins().load(types::F64, flags, frame, at)),
            false => Val::Int(self.b.ins().load(types::I64, flags, frame, at)),
        };
        self.set(to, number);
    }

    pub(super) fn call(
        &mut self,
        function: Function,
        counter: Counter,
        ty: ScalarType,
        to: Option<Slot>,
        a: Source,
        b: Source,
    ) -> Result<(), Unfit> {
        let (Val::Real(a), Val::Real(b)) = (self.source(a)?, self.source(b)?) else { return Err(Unfit) };
        if !ty.is_float() || ty.is_wide() {
            return Err(Unfit);
        }
        self.count(counter);
        let value = match function {
            Function::Sqrt => self.b.ins().sqrt(a),
            Function::Fabs => self.b.ins().fabs(a),
            Function::One(function) => {
                let function = self.int(function as usize as i64);
                self.help("one", &[function, a], types::F64)
            }
            Function::Two(function) => {
                let function = self.int(function as usize as i64);
                self.help("two", &[function, a, b], types::F64)
            }
        };
        let value = self.round(value, ty);
        if let Some(to) = to {
            self.set(to, Val::Real(value));
        }
        Ok(())
    }
}
