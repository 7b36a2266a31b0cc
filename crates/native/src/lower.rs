//! From a body to code of this processor, by cranelift's intermediate representation.
//!
//! Slots become variables of cranelift, which puts them into registers. What the program names is written to its home as well
//! as soon as it is known, so that leaving the code takes no more than writing the few temporary results that are still
//! needed there.

mod arithmetic;
mod control;
mod memory;
mod values;

use crate::code::{Body, Counter, Kind, Op, OpIndex, Slot};
use crate::flow::{Flow, successors};
use crate::helpers;
use crate::kinds::Kinds;
use crate::run::Frame;
use cranelift_codegen::ir::{
    AbiParam, Block, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value, condcodes::IntCC, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, Variable};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// A slot in cranelift: an address has two parts.
#[derive(Clone, Copy)]
enum Local {
    One(Variable),
    Address(Variable, Variable),
}

/// A value in cranelift.
#[derive(Clone, Copy)]
pub(super) enum Val {
    Int(Value),
    Real(Value),
    Address(Value, Value),
}

/// The operation cannot be done here: the code is left in front of it.
pub(super) struct Unfit;

type Done = Result<(), Unfit>;

pub(super) struct Lowering<'a, 'b> {
    b: FunctionBuilder<'b>,
    body: &'a Body,
    flow: &'a Flow,
    kinds: &'a Kinds,
    locals: Vec<Option<Local>>,
    blocks: BTreeMap<OpIndex, Block>,
    exits: BTreeMap<OpIndex, Block>,
    /// The operation that is being translated.
    at: OpIndex,
    fuel: Variable,
    branches: Variable,
    frame: Value,
    registers: Value,
    inner: Value,
    globals: Value,
    counts: Value,
    iterations: Value,
    caches: Value,
    convention: CallConv,
    signatures: BTreeMap<&'static str, SigRef>,
}

/// The signature of all code: it takes a frame, and gives the operation that the interpreter goes on with.
pub(super) fn signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.push(AbiParam::new(types::I64));
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// Translates a body into the function of the builder.
pub(super) fn lower(b: FunctionBuilder<'_>, body: &Body, flow: &Flow, kinds: &Kinds, config: TargetFrontendConfig) {
    let mut lowering = Lowering::new(b, body, flow, kinds);
    lowering.blocks();
    lowering.enter();
    for index in 0..body.ops.len() as OpIndex {
        lowering.operation(index);
    }
    lowering.exits();
    lowering.b.seal_all_blocks();
    lowering.b.finalize(config);
}

impl<'a, 'b> Lowering<'a, 'b> {
    fn new(mut b: FunctionBuilder<'b>, body: &'a Body, flow: &'a Flow, kinds: &'a Kinds) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let frame = b.block_params(entry)[0];
        let pointer = |b: &mut FunctionBuilder, offset: usize| {
            b.ins().load(types::I64, MemFlagsData::trusted(), frame, offset as i32)
        };
        let registers = pointer(&mut b, offset_of!(Frame, registers));
        let inner = pointer(&mut b, offset_of!(Frame, inner));
        let globals = pointer(&mut b, offset_of!(Frame, globals));
        let counts = pointer(&mut b, offset_of!(Frame, counts));
        let iterations = pointer(&mut b, offset_of!(Frame, iterations));
        let caches = pointer(&mut b, offset_of!(Frame, caches));
        let (fuel, branches) = (b.declare_var(types::I64), b.declare_var(types::I64));
        for (variable, offset) in [(fuel, offset_of!(Frame, fuel)), (branches, offset_of!(Frame, branches))] {
            let value = pointer(&mut b, offset);
            b.def_var(variable, value);
        }
        let convention = b.func.signature.call_conv;
        let mut lowering = Self {
            b,
            body,
            flow,
            kinds,
            locals: Vec::new(),
            blocks: BTreeMap::new(),
            exits: BTreeMap::new(),
            at: 0,
            fuel,
            branches,
            frame,
            registers,
            inner,
            globals,
            counts,
            iterations,
            caches,
            convention,
            signatures: BTreeMap::new(),
        };
        lowering.locals = (0..body.slots.len() as u32).map(|slot| lowering.declare(Slot(slot))).collect();
        lowering
    }

    fn declare(&mut self, slot: Slot) -> Option<Local> {
        Some(match self.kinds.slot(slot)? {
            Kind::Int => Local::One(self.b.declare_var(types::I64)),
            Kind::Real => Local::One(self.b.declare_var(types::F64)),
            Kind::Address => Local::Address(self.b.declare_var(types::I32), self.b.declare_var(types::I64)),
        })
    }

    /// A block for each operation that control goes to other than from the one before.
    fn blocks(&mut self) {
        let mut targets = vec![0];
        for index in (0..self.body.ops.len() as OpIndex).filter(|&index| self.flow.reached[index as usize]) {
            let follows = |next: OpIndex| next == index + 1 && !ends(&self.body.ops[index as usize]);
            successors(self.body, index, |next| {
                if !follows(next) {
                    targets.push(next);
                }
            });
        }
        for target in targets {
            let b = &mut self.b;
            self.blocks.entry(target).or_insert_with(|| b.create_block());
        }
    }

    /// What is read before it is written comes from its home, where it is of the kind that was found there first: the
    /// caller has seen to that.
    fn enter(&mut self) {
        let live: Vec<Slot> = self.flow.read_at_first().collect();
        for slot in live {
            let Some(kind) = self.kinds.slot(slot) else { continue };
            let (base, offset) = self.home(slot);
            let value = self.read_value(kind, base, offset);
            self.define(slot, value);
        }
        let first = self.blocks[&0];
        self.b.ins().jump(first, &[]);
    }

    fn operation(&mut self, index: OpIndex) {
        if !self.flow.reached[index as usize] {
            return;
        }
        self.at = index;
        if let Some(&block) = self.blocks.get(&index) {
            self.b.switch_to_block(block);
        }
        let op = &self.body.ops[index as usize];
        let done = self.translate(op);
        if done.is_err() {
            // What is behind it is reached from elsewhere, or not at all.
            let exit = self.exit();
            self.b.ins().jump(exit, &[]);
        }
        if index as usize + 1 >= self.body.ops.len() || (done.is_ok() && ends(op)) {
            return;
        }
        match (self.blocks.get(&(index + 1)).copied(), done.is_ok()) {
            (Some(next), true) => _ = self.b.ins().jump(next, &[]),
            (None, false) => {
                let unreachable = self.b.create_block();
                self.b.switch_to_block(unreachable);
            }
            _ => {}
        }
    }

    fn translate(&mut self, op: &Op) -> Done {
        match op {
            Op::Count(counter) => self.count(*counter),
            Op::Copy { to, from } => {
                let value = self.source(*from)?;
                self.set(*to, value);
            }
            Op::Forget { slot } => self.forget(*slot),
            Op::Binary { op, ty, to, a, b, noted } => {
                let value = self.binary(*op, *ty, *a, *b, *noted)?;
                self.set(*to, value);
            }
            Op::Unary { op, ty, to, a } => {
                let value = self.unary(*op, *ty, *a)?;
                self.set(*to, value);
            }
            Op::Convert { from, to_ty, to, a } => {
                let value = self.convert(*from, *to_ty, *a)?;
                self.set(*to, value);
            }
            Op::Difference { to, a, b, stride } => {
                let value = self.difference(*a, *b, *stride)?;
                self.set(*to, value);
            }
            Op::Address { to, place } => {
                let (object, offset) = self.address(*place)?;
                self.set(*to, Val::Address(object, offset));
            }
            Op::Load { to, place } => {
                let value = self.load(*place)?;
                self.set(*to, value);
            }
            Op::Store { place, from } => self.store(*place, *from)?,
            Op::Call { function, counter, ty, to, a, b } => self.call(*function, *counter, *ty, *to, *a, *b)?,
            Op::Draw { source, counter, ty, to } => self.draw(*source, *counter, *ty, *to),
            Op::Jump(target) => {
                let block = self.blocks[target];
                self.b.ins().jump(block, &[]);
            }
            Op::Test { condition, exit } => self.test(*condition, *exit)?,
            Op::Choose { condition, yes, no, branch } => self.choose(*condition, *yes, *no, branch)?,
            Op::Switch { condition, cases, default, branch } => self.switch(*condition, cases, *default, branch)?,
            Op::Enter { inner } => self.enter_loop(*inner),
            Op::Iterate { inner } => self.iterate(*inner),
            Op::Begin { site, counter } => self.begin(*site, *counter),
            Op::Leave { .. } => return Err(Unfit),
        }
        Ok(())
    }

    /// Where the code is left in front of the operation that is being translated.
    fn exit(&mut self) -> Block {
        let b = &mut self.b;
        *self.exits.entry(self.at).or_insert_with(|| b.create_block())
    }

    /// Goes on where a truth value holds, and leaves the code where it does not.
    fn require(&mut self, holds: Value) {
        let (exit, next) = (self.exit(), self.b.create_block());
        self.b.ins().brif(holds, next, &[], exit, &[]);
        self.b.switch_to_block(next);
    }

    /// The ways out: the temporary results that are still needed go to their homes.
    fn exits(&mut self) {
        for (index, block) in std::mem::take(&mut self.exits) {
            self.b.switch_to_block(block);
            self.b.set_cold_block(block);
            let needed: Vec<Slot> = self.flow.live_at(index).filter(|&slot| !self.is_variable(slot)).collect();
            for slot in needed {
                if let Some(value) = self.slot(slot) {
                    self.write_home(slot, value);
                }
            }
            for (variable, offset) in
                [(self.fuel, offset_of!(Frame, fuel)), (self.branches, offset_of!(Frame, branches))]
            {
                let value = self.b.use_var(variable);
                self.b.ins().store(MemFlagsData::trusted(), value, self.frame, offset as i32);
            }
            let index = self.b.ins().iconst(types::I32, i64::from(index));
            self.b.ins().return_(&[index]);
        }
    }

    /// Adds one to a counter.
    fn count(&mut self, counter: Counter) {
        let flags = MemFlagsData::trusted();
        let base = match counter.site {
            0 => self.counts,
            site => {
                let sites = self.b.ins().load(types::I64, flags, self.frame, offset_of!(Frame, sites) as i32);
                self.b.ins().load(types::I64, flags, sites, site as i32 * 8)
            }
        };
        self.add_one(base, counter.number as i32 * 8);
    }

    fn add_one(&mut self, base: Value, offset: i32) {
        let flags = MemFlagsData::trusted();
        let before = self.b.ins().load(types::I64, flags, base, offset);
        let after = self.b.ins().iadd_imm_s(before, 1);
        self.b.ins().store(flags, after, base, offset);
    }

    /// Calls a helper by its address.
    fn help(&mut self, name: &'static str, arguments: &[Value], result: Type) -> Value {
        let convention = self.convention;
        let parameters: Vec<Type> = arguments.iter().map(|&value| self.b.func.dfg.value_type(value)).collect();
        let b = &mut self.b;
        let signature = *self.signatures.entry(name).or_insert_with(|| {
            let mut signature = Signature::new(convention);
            signature.params.extend(parameters.into_iter().map(AbiParam::new));
            signature.returns.push(AbiParam::new(result));
            b.import_signature(signature)
        });
        let address = self.int(helpers::address(name));
        let call = self.b.ins().call_indirect(signature, address, arguments);
        self.b.inst_results(call)[0]
    }

    /// A truth value as an integer.
    fn truth(&mut self, flag: Value) -> Val {
        Val::Int(self.b.ins().uextend(types::I64, flag))
    }

    fn compare(&mut self, condition: IntCC, a: Value, b: Value) -> Value {
        self.b.ins().icmp(condition, a, b)
    }
}

/// Whether control never goes on behind the operation by itself.
fn ends(op: &Op) -> bool {
    matches!(op, Op::Jump(_) | Op::Test { .. } | Op::Choose { .. } | Op::Switch { .. } | Op::Leave { .. })
}
