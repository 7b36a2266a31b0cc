//! Executes the common case: known numbers, scalars in arrays or cells, loops and branches that go by
//! what is known. Stops in front of the first operation that is anything else, nothing of it done.

use super::fast_arithmetic::{
    compare, compared, divided, integers, reals, remainder, shifted, truncated, unsigned, words, wrapped,
};
use crate::code::fast::{HotBase, HotBranch, HotOp, HotPlace, HotStride};
use crate::code::instructions::{Instr, Src};
use crate::code::program::{Code, FunctionCode};
use crate::execute::machine::Machine;
use crate::state::location::Location;
use crate::state::log::Logs;
use crate::state::memory::Memory;
use crate::state::overflows::Overflows;
use crate::state::remembered::effort::Effort;
use crate::state::remembered::native::{HOT, NEVER, WRITES};
use crate::state::remembered::predictor::Predictor;
use crate::state::remembered::refusals::{Refusals, acceptable};
use crate::state::task::{LoopMode, LoopState, Split, SplitKind, Task};
use chronos_activity::{ContextId, Count};
use chronos_base::governor;
use chronos_base::ids::Id;
use chronos_ir::FuncId;
use chronos_slicing::doubts::Doubts;
use chronos_slicing::heuristics::Outcome;
use chronos_values::{Pointer, Value, arith};

/// What does not change while plain operations are executed, and what they change beside registers and counts.
struct Hot<'h> {
    code: &'h Code,
    id: FuncId,
    pub(super) function: &'h FunctionCode,
    context: ContextId,
    /// Position of the frame's registers.
    base: u32,
    weight: Count,
    memory: &'h mut Memory,
    logs: &'h mut Logs,
    pub(super) globals: &'h mut [Value],
    pub(super) loops: &'h mut Vec<LoopState>,
    /// Loops around the frame.
    outer_loops: usize,
    /// Those of the frame.
    splits: &'h [Split],
    all_splits: u32,
    spent: &'h mut u64,
    budget: u64,
    hard_budget: u64,
    whole_budget: u64,
    effort: &'h Effort,
    outcomes: &'h mut [Option<Outcome>],
    refusals: &'h mut Refusals,
    predictor: &'h mut Predictor,
    overflows: &'h mut Overflows,
    doubts: &'h mut Doubts,
    /// Operations of each loop of the function that were interpreted.
    heat: &'h mut [u32],
    /// The loop that an iteration has just begun of, and that is worth being compiled.
    hot_loop: Option<u32>,
}

/// Where plain operations end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// The next instruction.
    pub pc: usize,
    /// The loop that has just begun an iteration there, to be executed by code of this processor.
    pub hot: Option<u32>,
}

impl Machine<'_> {
    /// Executes what is plain from `pc` on in the innermost frame; gives the first instruction that is not, or one of a loop
    /// that is worth being compiled.
    pub(crate) fn run_plain(&mut self, function: &FunctionCode, pc: usize) -> Plain {
        let (hard_budget, whole_budget) = (self.shared.hard_budget(), self.shared.whole_budget);
        let shared = &mut *self.shared;
        let Task { frames, stack, memory, logs, globals, loops, splits, spent, weight, effort, .. } = &mut *self.task;
        let Some(frame) = frames.last() else { return Plain { pc, hot: None } };
        let mut hot = Hot {
            code: self.code,
            id: frame.function,
            function,
            context: frame.context,
            base: frame.base,
            weight: *weight,
            memory,
            logs,
            globals,
            loops,
            outer_loops: frame.loops as usize,
            all_splits: splits.len() as u32,
            splits: splits.get(frame.splits as usize..).unwrap_or(&[]),
            spent,
            budget: shared.budget,
            hard_budget,
            whole_budget,
            effort,
            outcomes: &mut self.known.outcomes,
            refusals: &mut self.known.refusals,
            predictor: &mut self.known.predictor,
            overflows: &mut shared.overflows,
            doubts: &mut shared.doubts,
            heat: self.known.native.heat(frame.function, function.loops.len()),
            hot_loop: None,
        };
        let registers = &mut stack[frame.base as usize..];
        let pc = hot.run(registers, shared.scratch.counts(frame.context), pc);
        Plain { pc, hot: hot.hot_loop }
    }
}

impl Hot<'_> {
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn run(&mut self, registers: &mut [Value], counts: &mut [u64], mut pc: usize) -> usize {
        let ops = &self.function.hot.ops[..];
        while let Some(&op) = ops.get(pc) {
            match op {
                HotOp::Count(counter) => counts[counter as usize] += 1,
                HotOp::Move(to, from) => registers[usize::from(to)] = registers[usize::from(from)].by_parts(),
                HotOp::Set(to, from) => self.set(registers, to, registers[usize::from(from)].by_parts()),
                HotOp::AddWord(three) if let Some(sum) = words(registers, three, i64::wrapping_add) => {
                    self.note(sum.overflows, pc);
                }
                HotOp::SubWord(three) if let Some(difference) = words(registers, three, i64::wrapping_sub) => {
                    self.note(difference.overflows, pc);
                }
                HotOp::MulWord(three) if let Some(product) = words(registers, three, i64::wrapping_mul) => {
                    self.note(product.overflows, pc);
                }
                HotOp::RemWord(three) if remainder(registers, three) => {}
                HotOp::AddLong(three) if let Some(sum) = wrapped(registers, three, i64::overflowing_add) => {
                    self.note(sum.overflows, pc);
                }
                HotOp::SubLong(three) if let Some(difference) = wrapped(registers, three, i64::overflowing_sub) => {
                    self.note(difference.overflows, pc);
                }
                HotOp::MulLong(three) if let Some(product) = wrapped(registers, three, i64::overflowing_mul) => {
                    self.note(product.overflows, pc);
                }
                HotOp::AddUnsigned(three) if integers(registers, three, |a, b| unsigned(a + b)).is_some() => {}
                HotOp::SubUnsigned(three) if integers(registers, three, |a, b| unsigned(a - b)).is_some() => {}
                HotOp::MulUnsigned(three)
                    if integers(registers, three, |a, b| unsigned(a.wrapping_mul(b))).is_some() => {}
                HotOp::DivSigned(three) if divided(registers, three, |a, b| a / b) => {}
                HotOp::RemSigned(three) if divided(registers, three, |a, b| a % b) => {}
                HotOp::DivUnsigned(three) if divided(registers, three, |a, b| (a as u64 / b as u64) as i64) => {}
                HotOp::RemUnsigned(three) if divided(registers, three, |a, b| (a as u64 % b as u64) as i64) => {}
                HotOp::And(three) if integers(registers, three, |a, b| a & b).is_some() => {}
                HotOp::Or(three) if integers(registers, three, |a, b| a | b).is_some() => {}
                HotOp::Xor(three) if integers(registers, three, |a, b| a ^ b).is_some() => {}
                HotOp::Shift(three, width) if shifted(registers, three, width, |a, by| a << by) => {}
                HotOp::ShiftSigned(three, width) if shifted(registers, three, width, |a, by| a >> by) => {}
                HotOp::ShiftUnsigned(three, width)
                    if shifted(registers, three, width, |a, by| (a as u64 >> by) as i64) => {}
                HotOp::AddReal(three) if reals(registers, three, |a, b| a + b).is_some() => {}
                HotOp::SubReal(three) if reals(registers, three, |a, b| a - b).is_some() => {}
                HotOp::MulReal(three) if reals(registers, three, |a, b| a * b).is_some() => {}
                HotOp::DivReal(three) if reals(registers, three, |a, b| a / b).is_some() => {}
                HotOp::AddWordSet(three, variable) if let Some(sum) = words(registers, three, i64::wrapping_add) => {
                    self.note(sum.overflows, pc);
                    self.set(registers, variable, Value::Int(sum.result));
                    pc += 1;
                }
                HotOp::AddLongSet(three, variable)
                    if let Some(sum) = wrapped(registers, three, i64::overflowing_add) =>
                {
                    self.note(sum.overflows, pc);
                    self.set(registers, variable, Value::Int(sum.result));
                    pc += 1;
                }
                HotOp::AddRealSet(three, variable) if let Some(sum) = reals(registers, three, |a, b| a + b) => {
                    self.set(registers, variable, Value::Float(sum));
                    pc += 1;
                }
                HotOp::RealOfInteger(to, from) if let Value::Int(n) = registers[usize::from(from)] => {
                    registers[usize::from(to)] = Value::Float(n as f64);
                }
                HotOp::WordOfReal(to, from) if let Some(n) = truncated(registers[usize::from(from)]) => {
                    registers[usize::from(to)] = Value::Int(n);
                }
                HotOp::Widen(to, from) if let Value::Int(n) = registers[usize::from(from)] => {
                    registers[usize::from(to)] = Value::Int(n);
                }
                HotOp::Wrap(ty, to, from) if let Value::Int(n) = registers[usize::from(from)] => {
                    registers[usize::from(to)] = Value::Int(arith::wrap(n, ty));
                }
                HotOp::Compare(order, three) if compare(registers, three, order).is_some() => {}
                HotOp::Load(to, place) if self.load(registers, to, place) => {}
                HotOp::Store(place, from) if self.store(registers, place, registers[usize::from(from)].by_parts()) => {}
                HotOp::Jump(target) => {
                    pc = target as usize;
                    continue;
                }
                HotOp::TestLess(three, exit)
                    if let Some(holds) = compared(registers, three, |a, b| a < b)
                        && self.is_normal() =>
                {
                    self.turn(holds);
                    pc = if holds { pc + 2 } else { exit as usize };
                    continue;
                }
                HotOp::TestLessEqual(three, exit)
                    if let Some(holds) = compared(registers, three, |a, b| a <= b)
                        && self.is_normal() =>
                {
                    self.turn(holds);
                    pc = if holds { pc + 2 } else { exit as usize };
                    continue;
                }
                HotOp::TestOther(order, three, exit)
                    if let Some(holds) = compare(registers, three, order)
                        && self.is_normal() =>
                {
                    self.turn(holds);
                    pc = if holds { pc + 2 } else { exit as usize };
                    continue;
                }
                HotOp::Test(from, exit)
                    if let Value::Int(n) = registers[usize::from(from)]
                        && self.is_normal() =>
                {
                    self.turn(n != 0);
                    pc = if n != 0 { pc + 1 } else { exit as usize };
                    continue;
                }
                HotOp::ChooseCompared(order, three, branch)
                    if let Some(holds) = compare(registers, three, order)
                        && let Some(next) = self.choose(registers, counts, branch, holds) =>
                {
                    pc = next;
                    continue;
                }
                HotOp::Choose(branch) if let Some(next) = self.choose_by_condition(registers, counts, branch) => {
                    pc = next;
                    continue;
                }
                HotOp::ArmEnd(branch) if self.ends_plainly(branch) => {
                    pc = self.function.branches[branch as usize].end as usize;
                    continue;
                }
                HotOp::Goto(target, loops) if self.goes_plainly(loops) => {
                    pc = target as usize;
                    continue;
                }
                HotOp::Step if !self.has_remainder() => {}
                HotOp::Iterate(index) if self.iterate(index, counts) => {
                    if self.is_hot(index) {
                        self.hot_loop = Some(index);
                        return pc + 1;
                    }
                }
                HotOp::Enter(index) if self.enter(index, counts) => {}
                HotOp::Exit(index) if self.exit(index) => {}
                HotOp::Leave => return pc,
                _ if self.general(registers, pc) => {}
                _ => return pc,
            }
            pc += 1;
        }
        pc
    }

    /// The operation at `pc` has no result that its type holds, if that is signed.
    #[inline(always)]
    fn note(&mut self, overflows: bool, pc: usize) {
        if overflows {
            self.overflows.note(self.code, self.id, pc, self.doubts);
        }
    }

    /// Writes a variable.
    #[inline(always)]
    fn set(&mut self, registers: &mut [Value], to: u16, value: Value) {
        let slot = &mut registers[usize::from(to)];
        self.logs.note(Location::Register(self.base + u32::from(to)), *slot);
        *slot = value;
    }

    #[inline(always)]
    fn pointer(&self, registers: &[Value], place: &HotPlace) -> Option<Pointer> {
        let start = match place.base {
            HotBase::Object(object) => Pointer { object, offset: 0 },
            HotBase::Register(register) => pointer(registers[usize::from(register)])?,
            HotBase::Global(global) => pointer(self.globals[global as usize])?,
        };
        let mut offset = { start.offset }.wrapping_add(place.offset);
        for &(index, stride) in &place.steps {
            let Value::Int(index) = registers[usize::from(index)] else { return None };
            let stride = match stride {
                HotStride::Bytes(bytes) => bytes,
                HotStride::Register(register) => registers[usize::from(register)].as_int()?,
            };
            offset = offset.wrapping_add(index.wrapping_mul(stride));
        }
        Some(Pointer { object: start.object, offset })
    }

    #[inline(always)]
    fn load(&self, registers: &mut [Value], to: u16, place: u32) -> bool {
        let Some(place) = &self.function.hot.places[place as usize] else { return false };
        let (Some(pointer), Some(ty)) = (self.pointer(registers, place), place.ty) else { return false };
        self.memory.plain(pointer, ty, &mut registers[usize::from(to)])
    }

    #[inline(always)]
    fn store(&mut self, registers: &[Value], place: u32, value: Value) -> bool {
        let Some(place) = &self.function.hot.places[place as usize] else { return false };
        let (Some(pointer), Some(ty)) = (self.pointer(registers, place), place.ty) else { return false };
        let Some(slot) = self.memory.slot_mut(pointer, ty) else { return false };
        self.logs.note(Location::Memory(pointer.object, pointer.offset as u64, ty), *slot);
        *slot = value;
        true
    }

    #[inline(always)]
    fn operand(&self, registers: &[Value], src: Src) -> Value {
        match src {
            Src::Reg(register) => registers[register as usize],
            Src::Global(global) => self.globals[global as usize],
            Src::Const(index) => self.code.constants[index as usize],
        }
    }

    /// Executes an operation on any values, where its result is determined.
    fn general(&mut self, registers: &mut [Value], pc: usize) -> bool {
        match self.function.instrs[pc] {
            Instr::Move(to, src) => registers[to as usize] = self.operand(registers, src),
            Instr::SetLocal(to, src) => match u16::try_from(to) {
                Ok(to) => self.set(registers, to, self.operand(registers, src)),
                Err(_) => return false,
            },
            Instr::SetGlobal(to, src) => {
                let value = self.operand(registers, src);
                self.logs.note(Location::Global(to), self.globals[to as usize]);
                self.globals[to as usize] = value;
            }
            Instr::Binary(op, ty, to, a, b) => {
                let (a, b) = (self.operand(registers, a), self.operand(registers, b));
                let Ok(value) = arith::binary(op, ty, a, b) else { return false };
                registers[to as usize] = value;
                self.note(a.overflows(op, ty, b), pc);
            }
            Instr::Convert { from, to, dst, src } => {
                let Ok(value) = arith::convert(from, to, self.operand(registers, src)) else { return false };
                registers[dst as usize] = value;
            }
            Instr::Unary(op, ty, to, src) => {
                let Ok(value) = arith::unary(op, ty, self.operand(registers, src)) else { return false };
                registers[to as usize] = value;
            }
            Instr::Address(to, place) => {
                let place = self.function.hot.places[place as usize].as_ref();
                let Some(pointer) = place.and_then(|place| self.pointer(registers, place)) else { return false };
                registers[to as usize] = Value::Pointer(pointer);
            }
            _ => return false,
        }
        true
    }

    /// The innermost loop goes by its condition.
    #[inline(always)]
    fn is_normal(&self) -> bool {
        self.loops.last().is_some_and(|state| state.mode == LoopMode::Normal)
    }

    /// The innermost loop goes on, or ends.
    #[inline(always)]
    fn turn(&mut self, goes_on: bool) {
        if let Some(state) = self.loops.last() {
            let block = self.function.loops[state.index as usize].block;
            self.predictor.see(self.context, block.index(), u8::from(goes_on));
        }
    }

    fn choose_by_condition(&mut self, registers: &mut [Value], counts: &mut [u64], branch: u32) -> Option<usize> {
        let code = self.function.hot.branches[branch as usize].as_ref()?;
        let Value::Int(n) = registers[usize::from(code.condition)] else { return None };
        self.choose(registers, counts, branch, n != 0)
    }

    /// Goes into an arm, or past the branch.
    #[inline(always)]
    fn choose(&mut self, registers: &mut [Value], counts: &mut [u64], branch: u32, truth: bool) -> Option<usize> {
        let code = self.function.hot.branches[branch as usize].as_ref()?;
        counts[code.counter as usize] += 1;
        let arm = if truth { code.yes } else { code.no };
        let way = arm.map_or(0, |(counter, _)| (counter - code.counter).min(255) as u8);
        self.predictor.see(self.context, code.block, way);
        if let Some((register, value)) = code.result {
            self.note_outcome(code, arm.map(|(counter, _)| counter - code.counter - 1));
            if arm.is_none() {
                self.set(registers, register, Value::Int(value));
            }
        }
        Some(match arm {
            Some((counter, target)) => {
                counts[counter as usize] += 1;
                target as usize
            }
            // The end of the last arm.
            None => code.otherwise as usize - 1,
        })
    }

    fn note_outcome(&mut self, code: &HotBranch, arm: Option<u32>) {
        if let Some(arm) = arm {
            self.outcomes[code.block] = Some(Outcome::Arm(arm));
        }
    }

    /// No way of an unknown outcome ends with this arm.
    #[inline(always)]
    fn ends_plainly(&self, branch: u32) -> bool {
        self.splits.is_empty() || !self.splits.iter().any(|split| is_way_of(split, branch))
    }

    /// The jump leaves neither a loop nor a way.
    #[inline(always)]
    fn goes_plainly(&self, loops: u32) -> bool {
        self.splits.is_empty() && self.outer_loops + loops as usize == self.loops.len()
    }

    /// An iteration ends with something that only a part of the executions has come through.
    #[inline(always)]
    fn has_remainder(&self) -> bool {
        self.splits
            .last()
            .is_some_and(|split| split.kind == SplitKind::Remainder && split.loops as usize >= self.loops.len())
    }

    /// Begins an iteration of a loop that is far from the end of the budget, and of the limits of the command.
    #[inline(always)]
    fn iterate(&mut self, index: u32, counts: &mut [u64]) -> bool {
        let code = &self.function.loops[index as usize];
        let cost = code.cost();
        let Some(state) = self.loops.last_mut() else { return false };
        let plain = state.mode == LoopMode::Normal
            && (state.charged() + 1).saturating_mul(cost) <= self.budget.max(1000)
            && *self.spent + cost <= self.hard_budget
            && governor::exceeded().is_none();
        if plain {
            counts[code.counter as usize] += 1;
            state.iterations += 1;
            *self.spent += cost;
        }
        plain
    }

    /// A loop iterates: whether it has done so often enough to be compiled, and nothing is noted of what it does in memory.
    #[inline(always)]
    fn is_hot(&mut self, index: u32) -> bool {
        let heat = &mut self.heat[index as usize];
        if *heat < HOT {
            *heat += self.function.loops[index as usize].cost() as u32;
            return false;
        }
        let may_run = *heat != NEVER && (*heat != WRITES || self.logs.is_empty());
        may_run && self.all_splits == 0 && self.predictor.unwatched() > 0
    }

    /// Enters a loop of which no summary is asked for.
    fn enter(&mut self, index: u32, counts: &mut [u64]) -> bool {
        let code = &self.function.loops[index as usize];
        let acceptable = acceptable(*self.spent, self.budget, self.whole_budget);
        let nested = self.effort.outermost().is_some_and(|depth| depth < self.loops.len());
        if !nested || self.effort.is_given_up(code.block) || !self.refusals.skips_plainly(code.block, acceptable) {
            return false;
        }
        counts[code.counter as usize + 1] += 1;
        self.loops.push(LoopState {
            index,
            weight: self.weight,
            splits: self.all_splits,
            logs: self.logs.len() as u32,
            iterations: 0,
            native: 0,
            mode: LoopMode::Normal,
            written: None,
            fold: None,
            watch: Default::default(),
        });
        true
    }

    fn exit(&mut self, index: u32) -> bool {
        let ours = self.loops.len() > self.outer_loops;
        let plain = |state: &LoopState| state.index == index && state.mode == LoopMode::Normal && state.fold.is_none();
        let ours = ours && self.effort.outermost().is_none_or(|depth| depth + 1 < self.loops.len());
        let leaves = ours && self.loops.last().is_some_and(plain) && !self.has_remainder();
        if leaves {
            self.loops.pop();
        }
        leaves
    }
}

fn is_way_of(split: &Split, index: u32) -> bool {
    matches!(split.kind, SplitKind::Branch { branch, .. } if branch == index)
}

fn pointer(value: Value) -> Option<Pointer> {
    match value {
        Value::Pointer(pointer) => Some(pointer),
        _ => None,
    }
}
