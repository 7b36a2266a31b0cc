//! The same code once more, for the common case: known numbers in registers of the frame.
//!
//! One operation stands at the place of each instruction, so control passes from one form to the other
//! anywhere. An operation may do what several instructions do, beginning with the one at its place.
//! Constants are registers behind those of the function. What has no common case is left to the
//! instruction itself.

use crate::code::fast::{HotBase, HotBranch, HotCode, HotOp, HotPlace, HotStride, Order, Three, Width};
use crate::code::instructions::{Instr, LoopCode, PlaceBase, Selector, Src, StepStride};
use crate::code::program::{Code, FunctionCode};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{BinaryOp, ScalarType};
use chronos_slicing::Assumptions;
use chronos_values::Value;

/// Translates a function that is complete. `constants` are those of the program.
pub fn translate(function: &FunctionCode, constants: &[Value]) -> HotCode {
    let mut translator =
        Translator { function, known: constants, constants: Vec::new(), numbers: FxHashMap::default() };
    let places = (0..function.places.len()).map(|at| translator.place(at)).collect();
    let branches = (0..function.branches.len()).map(|at| translator.branch(at)).collect();
    let ops = (0..function.instrs.len()).map(|at| translator.fused(at).or_else(|| translator.op(at)));
    let ops = ops.map(|op| op.unwrap_or(HotOp::Leave)).collect();
    HotCode { ops, places, branches, constants: translator.constants.into() }
}

struct Translator<'a> {
    function: &'a FunctionCode,
    known: &'a [Value],
    constants: Vec<Value>,
    /// Which of them has the bits of a number: a switch of thousands of labels has as many constants.
    numbers: FxHashMap<(bool, u64), u32>,
}

impl Translator<'_> {
    /// The register that holds an operand.
    fn register(&mut self, src: Src) -> Option<u16> {
        let register = match src {
            Src::Reg(register) => register,
            Src::Global(_) => return None,
            Src::Const(index) => self.function.registers + self.constant(self.known[index as usize]),
        };
        u16::try_from(register).ok()
    }

    fn constant(&mut self, value: Value) -> u32 {
        let next = self.constants.len() as u32;
        let known = match value {
            Value::Int(number) => *self.numbers.entry((false, number as u64)).or_insert(next),
            Value::Float(number) => *self.numbers.entry((true, number.to_bits())).or_insert(next),
            // Addresses and the like are few.
            _ => self.constants.iter().position(|&known| known == value).map_or(next, |at| at as u32),
        };
        if known == next {
            self.constants.push(value);
        }
        known
    }

    fn three(&mut self, to: u32, a: Src, b: Src) -> Option<Three> {
        Some(Three { to: u16::try_from(to).ok()?, a: self.register(a)?, b: self.register(b)? })
    }

    /// `None` where the general loop has to do it.
    fn op(&mut self, at: usize) -> Option<HotOp> {
        match self.function.instrs[at] {
            Instr::Count(counter) => Some(HotOp::Count(counter)),
            Instr::Move(to, src) => {
                let pair = u16::try_from(to).ok().zip(self.register(src));
                Some(pair.map_or(HotOp::Plain, |(to, from)| HotOp::Move(to, from)))
            }
            Instr::SetLocal(to, src) => {
                let pair = u16::try_from(to).ok().zip(self.register(src));
                Some(pair.map_or(HotOp::Plain, |(to, from)| HotOp::Set(to, from)))
            }
            Instr::Binary(op, ty, to, a, b) => {
                Some(self.three(to, a, b).and_then(|three| binary(op, ty, three)).unwrap_or(HotOp::Plain))
            }
            Instr::Convert { from, to, dst, src } => {
                let pair = u16::try_from(dst).ok().zip(self.register(src));
                Some(pair.and_then(|(dst, src)| conversion(from, to, dst, src)).unwrap_or(HotOp::Plain))
            }
            Instr::SetGlobal(..) | Instr::Unary(..) | Instr::Address(..) => Some(HotOp::Plain),
            Instr::Load(to, place) => Some(HotOp::Load(u16::try_from(to).ok()?, place)),
            Instr::Store(place, src) => Some(HotOp::Store(place, self.register(src)?)),
            Instr::Jump(target) => Some(HotOp::Jump(target)),
            Instr::Goto { target, loops, .. } => Some(HotOp::Goto(target, loops)),
            Instr::Choose(branch) => Some(HotOp::Choose(branch)),
            Instr::ArmEnd(branch, _) => Some(HotOp::ArmEnd(branch)),
            Instr::LoopTest(index, src) => {
                let exit = self.function.loops[index as usize].exit;
                Some(self.register(src).map_or(HotOp::Leave, |src| HotOp::Test(src, exit)))
            }
            Instr::LoopEnter(index) => self.is_simple(index).then_some(HotOp::Enter(index)),
            Instr::LoopIterate(index) => self.is_simple(index).then_some(HotOp::Iterate(index)),
            Instr::LoopStep(_) => Some(HotOp::Step),
            Instr::LoopLeave(index) => self.is_simple(index).then_some(HotOp::Exit(index)),
            _ => None,
        }
    }

    fn of(&self, index: u32) -> &LoopCode {
        &self.function.loops[index as usize]
    }

    fn is_simple(&self, index: u32) -> bool {
        self.of(index).is_simple()
    }

    /// What an instruction and the one behind it do together.
    fn fused(&mut self, at: usize) -> Option<HotOp> {
        let &Instr::Binary(op, ty, to, a, b) = &self.function.instrs[at] else { return None };
        let next = *self.function.instrs.get(at + 1)?;
        let three = self.three(to, a, b)?;
        match next {
            Instr::SetLocal(variable, Src::Reg(value)) if value == to => {
                let variable = u16::try_from(variable).ok()?;
                match binary(op, ty, three)? {
                    HotOp::AddWord(three) => Some(HotOp::AddWordSet(three, variable)),
                    HotOp::AddLong(three) => Some(HotOp::AddLongSet(three, variable)),
                    HotOp::AddReal(three) => Some(HotOp::AddRealSet(three, variable)),
                    _ => None,
                }
            }
            Instr::LoopTest(index, Src::Reg(value)) if value == to => {
                let exit = self.of(index).exit;
                match order(op, ty)? {
                    Order::Less => Some(HotOp::TestLess(three, exit)),
                    Order::LessEqual => Some(HotOp::TestLessEqual(three, exit)),
                    order => Some(HotOp::TestOther(order, three, exit)),
                }
            }
            Instr::Choose(branch) if self.function.branches[branch as usize].condition == Src::Reg(to) => {
                Some(HotOp::ChooseCompared(order(op, ty)?, three, branch))
            }
            _ => None,
        }
    }

    fn place(&mut self, at: usize) -> Option<HotPlace> {
        let place = &self.function.places[at];
        let base = match place.base {
            PlaceBase::Object(object) => HotBase::Object(object),
            PlaceBase::Src(Src::Global(global)) => HotBase::Global(global),
            PlaceBase::Src(src) => HotBase::Register(self.register(src)?),
        };
        let steps = place.steps.iter().map(|step| {
            let stride = match step.stride {
                StepStride::Bytes(bytes) => HotStride::Bytes(bytes),
                StepStride::Src(src) => HotStride::Register(self.register(src)?),
            };
            Some((self.register(step.index)?, stride))
        });
        let steps = steps.collect::<Option<_>>()?;
        Some(HotPlace { base, offset: place.offset, steps, ty: place.ty.filter(|_| place.bits.is_none()) })
    }

    fn branch(&mut self, at: usize) -> Option<HotBranch> {
        let branch = &self.function.branches[at];
        let Selector::Truth { yes, no } = branch.selector else { return None };
        if branch.spoken_of {
            return None;
        }
        let arm = |arm: u32| (branch.counter + 1 + arm, branch.arms[arm as usize].target);
        let result = match branch.result {
            Some((register, value)) => Some((u16::try_from(register).ok()?, value)),
            None => None,
        };
        Some(HotBranch {
            counter: branch.counter,
            condition: self.register(branch.condition)?,
            yes: yes.map(arm),
            no: no.map(arm),
            otherwise: branch.otherwise,
            result,
            block: branch.block.index(),
        })
    }
}

/// The same to the last bit.
fn conversion(from: ScalarType, to: ScalarType, dst: u16, src: u16) -> Option<HotOp> {
    if from.is_wide() || to.is_wide() || from.is_float() {
        let is_word = (from, to) == (ScalarType::F64, ScalarType::I32);
        return is_word.then_some(HotOp::WordOfReal(dst, src));
    }
    match to {
        ScalarType::F64 => (from != ScalarType::U64).then_some(HotOp::RealOfInteger(dst, src)),
        ScalarType::I64 | ScalarType::U64 => Some(HotOp::Widen(dst, src)),
        _ => (!to.is_float()).then_some(HotOp::Wrap(to, dst, src)),
    }
}

/// The same to the last bit.
fn binary(op: BinaryOp, ty: ScalarType, three: Three) -> Option<HotOp> {
    if let Some(order) = order(op, ty) {
        return Some(HotOp::Compare(order, three));
    }
    let long = matches!(ty, ScalarType::I64 | ScalarType::U64);
    Some(match (op, ty) {
        (BinaryOp::Add, ScalarType::I32) => HotOp::AddWord(three),
        (BinaryOp::Sub, ScalarType::I32) => HotOp::SubWord(three),
        (BinaryOp::Mul, ScalarType::I32) => HotOp::MulWord(three),
        (BinaryOp::Rem, ScalarType::I32) => HotOp::RemWord(three),
        (BinaryOp::Add, _) if long => HotOp::AddLong(three),
        (BinaryOp::Sub, _) if long => HotOp::SubLong(three),
        (BinaryOp::Mul, _) if long => HotOp::MulLong(three),
        (BinaryOp::Add, ScalarType::U32) => HotOp::AddUnsigned(three),
        (BinaryOp::Sub, ScalarType::U32) => HotOp::SubUnsigned(three),
        (BinaryOp::Mul, ScalarType::U32) => HotOp::MulUnsigned(three),
        (BinaryOp::Div, ScalarType::I32 | ScalarType::I64) => HotOp::DivSigned(three),
        (BinaryOp::Rem, ScalarType::I64) => HotOp::RemSigned(three),
        (BinaryOp::Div, ScalarType::U32 | ScalarType::U64) => HotOp::DivUnsigned(three),
        (BinaryOp::Rem, ScalarType::U32 | ScalarType::U64) => HotOp::RemUnsigned(three),
        (BinaryOp::And, _) if !ty.is_float() => HotOp::And(three),
        (BinaryOp::Or, _) if !ty.is_float() && !ty.is_wide() => HotOp::Or(three),
        (BinaryOp::Xor, _) if !ty.is_float() && !ty.is_wide() => HotOp::Xor(three),
        (BinaryOp::Shl, _) => HotOp::Shift(three, width(ty)?),
        (BinaryOp::Shr, ScalarType::I32 | ScalarType::I64) => HotOp::ShiftSigned(three, width(ty)?),
        (BinaryOp::Shr, ScalarType::U32 | ScalarType::U64) => HotOp::ShiftUnsigned(three, width(ty)?),
        (BinaryOp::Add, ScalarType::F64) => HotOp::AddReal(three),
        (BinaryOp::Sub, ScalarType::F64) => HotOp::SubReal(three),
        (BinaryOp::Mul, ScalarType::F64) => HotOp::MulReal(three),
        (BinaryOp::Div, ScalarType::F64) => HotOp::DivReal(three),
        _ => return None,
    })
}

fn width(ty: ScalarType) -> Option<Width> {
    match ty {
        ScalarType::I32 => Some(Width::Word),
        ScalarType::U32 => Some(Width::UnsignedWord),
        ScalarType::I64 | ScalarType::U64 => Some(Width::Long),
        _ => None,
    }
}

/// Values of all types but the widest unsigned ones are ordered as the 64 bits that hold them.
fn order(op: BinaryOp, ty: ScalarType) -> Option<Order> {
    let narrow = ty.is_signed() && !ty.is_float() || chronos_values::arith::bits(ty) < 64;
    match op {
        BinaryOp::Eq if !ty.is_float() => Some(Order::Equal),
        BinaryOp::Ne if !ty.is_float() => Some(Order::Unequal),
        BinaryOp::Lt if narrow => Some(Order::Less),
        BinaryOp::Le if narrow => Some(Order::LessEqual),
        BinaryOp::Gt if narrow => Some(Order::Greater),
        BinaryOp::Ge if narrow => Some(Order::GreaterEqual),
        _ => None,
    }
}

impl Code {
    /// Marks what the user speaks of, besides what the source does.
    pub fn heed(&mut self, assumptions: &Assumptions) {
        for function in &mut self.functions {
            for branch in &mut function.branches {
                branch.spoken_of |= assumptions.probability.contains_key(&branch.block);
            }
            for l in &mut function.loops {
                l.spoken_of |= assumptions.iterations.contains_key(&l.block);
            }
        }
        self.heat();
    }

    /// Translates all functions for the common case. To be done when all else is known of them.
    pub(crate) fn heat(&mut self) {
        for function in &mut self.functions {
            function.hot = translate(function, &self.constants);
        }
    }
}
