//! Operations of a period that is tried out: what the places that move with it make of others.
//!
//! Beside its value each such place has what it gains with every period to come (`folding::linear`). An operation on it has to be
//! linear, or a condition that stays as it is for a while; whatever else touches such a place ends the trial.

use crate::code::instructions::{
    CallArg, CallCode, CallTarget, CompiledPlace, Home, Instr, PlaceBase, Selector, Src, StepStride,
};
use crate::code::program::FunctionCode;
use crate::execute::access::AccessTarget;
use crate::execute::machine::{Flow, Machine};
use crate::folding::linear::{Gained, Term, binary, converted, selection, truth, unary};
use crate::state::location::Location;
use chronos_ir::ScalarType;
use chronos_values::{Pointer, Value};

/// What is to be noted of an operation when it is done.
#[derive(Clone, Debug)]
enum After {
    /// Nothing that it writes gains anything.
    Nothing,
    /// A register of the frame.
    Register(u32, i64),
    /// A place that a scalar is read from or written to, which is looked after here.
    Memory(Pointer, ScalarType, i64),
    Loaded(u32, i64),
    Global(u32, i64),
    /// Of the arguments of a call of the program, where one gains.
    Arguments(Vec<i64>),
    /// Of what is returned.
    Returned(i64),
}

impl<'a> Machine<'a> {
    /// As `step`, in a trial.
    pub(crate) fn step_linear(&mut self, instr: Instr, function: &'a FunctionCode) -> Flow<()> {
        let after = self.before(instr, function);
        let (Some(after), true) = (after, self.task.linear.as_mut().is_some_and(|linear| linear.spend())) else {
            self.task.give_up_linear();
            return self.step(instr, function);
        };
        let (frames, splits) = (self.task.frames.len(), self.task.splits.len());
        let sprung = self.task.is_sprung();
        let to = self.returns_to();
        let flow = self.step(instr, function);
        let looked_after = matches!(after, After::Memory(..) | After::Loaded(..));
        if self.task.splits.len() != splits || !looked_after && self.task.is_sprung() {
            self.task.give_up_linear();
            return flow;
        }
        if let (true, Some(traps)) = (looked_after, &self.task.memory.traps) {
            traps.reset(sprung);
        }
        self.note_after(after, frames, to);
        flow
    }

    /// The register that the innermost frame returns to.
    pub(super) fn returns_to(&self) -> Option<u32> {
        let (dst, _) = self.task.frames.last()?.dst?;
        let caller = self.task.frames.iter().rev().nth(1)?;
        Some(caller.base + dst)
    }

    fn note_after(&mut self, after: After, frames: usize, to: Option<u32>) {
        let base = self.base();
        let now = self.task.frames.len();
        match after {
            After::Nothing => {}
            After::Register(register, gain) | After::Loaded(register, gain) => {
                self.put_gain(Location::Register(base + register), gain);
            }
            After::Global(register, gain) => self.put_gain(Location::Global(register), gain),
            After::Memory(pointer, ty, gain) => self.put_memory(pointer, ty, gain),
            After::Arguments(gains) if now == frames + 1 => self.pass_gains(&gains),
            After::Returned(gain) if now + 1 == frames => {
                let registers = self.task.stack.len() as u32;
                if let Some(linear) = &mut self.task.linear {
                    linear.truncate(registers);
                }
                to.into_iter().for_each(|to| self.put_gain(Location::Register(to), gain));
            }
            After::Arguments(_) | After::Returned(_) => self.task.give_up_linear(),
        }
    }

    fn put_gain(&mut self, place: Location, gain: i64) {
        if let Some(linear) = &mut self.task.linear {
            linear.put(place, gain);
        }
    }

    fn put_memory(&mut self, to: Pointer, ty: ScalarType, gain: i64) {
        let (begin, bytes) = (to.offset as u64, ty.size(self.task.memory.model));
        self.put_gain(Location::Memory(to.object, begin, ty), gain);
        if let Some(traps) = &mut self.task.memory.traps {
            traps.clear(to.object, begin);
            if gain != 0 {
                traps.set(to.object, begin, bytes);
            }
        }
    }

    /// The parameters of the call that was begun gain what its arguments do.
    fn pass_gains(&mut self, gains: &[i64]) {
        let base = self.base();
        let function = self.function();
        for (i, &gain) in gains.iter().enumerate().filter(|&(_, &gain)| gain != 0) {
            match function.params.get(i) {
                Some((Home::Register(register), _)) => self.put_gain(Location::Register(base + register), gain),
                _ => return self.task.give_up_linear(),
            }
        }
    }

    fn gain_of(&self, src: Src) -> i64 {
        let Some(linear) = &self.task.linear else { return 0 };
        match src {
            Src::Reg(register) => linear.gain(Location::Register(self.base() + register)),
            Src::Global(register) => linear.gain(Location::Global(register)),
            Src::Const(_) => 0,
        }
    }

    fn term(&self, src: Src) -> Term {
        Term { now: self.value(src), gain: self.gain_of(src) }
    }

    /// What the result gains, for as long as that holds; nothing where no operand does.
    fn result(&mut self, operands: &[Term], gained: impl FnOnce() -> Option<Gained>) -> Option<i64> {
        if operands.iter().all(|term| term.gain == 0) {
            return Some(0);
        }
        let gained = gained()?;
        let linear = self.task.linear.as_mut()?;
        linear.room = linear.room.min(gained.room);
        (linear.room > 0).then_some(gained.gain)
    }

    /// What will have to be noted of the operation; `None` where it is not linear.
    fn before(&mut self, instr: Instr, function: &'a FunctionCode) -> Option<After> {
        match instr {
            Instr::Move(dst, src) | Instr::SetLocal(dst, src) => Some(After::Register(dst, self.gain_of(src))),
            Instr::SetGlobal(dst, src) => Some(After::Global(dst, self.gain_of(src))),
            Instr::Binary(op, ty, dst, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                Some(After::Register(dst, self.result(&[a, b], || binary(op, ty, a, b))?))
            }
            Instr::Unary(op, ty, dst, a) => {
                let a = self.term(a);
                Some(After::Register(dst, self.result(&[a], || unary(op, ty, a))?))
            }
            Instr::Convert { from, to, dst, src } => {
                let a = self.term(src);
                Some(After::Register(dst, self.result(&[a], || converted(from, to, a))?))
            }
            Instr::Load(dst, place) => self.before_load(dst, &function.places[place as usize]),
            Instr::Store(place, src) => self.before_store(&function.places[place as usize], src),
            Instr::Address(_, place) => self.is_fixed(&function.places[place as usize]).then_some(After::Nothing),
            Instr::Copy { to, from, .. } => {
                let places = [to, from].map(|place| &function.places[place as usize]);
                places.iter().all(|place| self.is_fixed(place)).then_some(After::Nothing)
            }
            Instr::Zero { to, .. } => self.is_fixed(&function.places[to as usize]).then_some(After::Nothing),
            Instr::PointerDiff { a, b, .. } => (self.gain_of(a) == 0 && self.gain_of(b) == 0).then_some(After::Nothing),
            Instr::Allocate(_, _, src) => (self.gain_of(src) == 0).then_some(After::Nothing),
            Instr::LoopTest(_, src) => self.before_condition(src, None),
            Instr::Choose(index) => {
                let branch = &function.branches[index as usize];
                self.before_condition(branch.condition, Some(&branch.selector))
            }
            Instr::Call(index) => self.before_call(&function.calls[index as usize]),
            Instr::Return(src) => Some(After::Returned(src.map_or(0, |src| self.gain_of(src)))),
            Instr::ReturnObject(..) => Some(After::Returned(0)),
            _ => Some(After::Nothing),
        }
    }

    fn before_condition(&mut self, src: Src, selector: Option<&Selector>) -> Option<After> {
        let condition = self.term(src);
        self.result(&[condition], || match selector {
            Some(Selector::Switch { cases, .. }) => selection(condition, cases),
            _ => truth(condition),
        })?;
        Some(After::Nothing)
    }

    /// Where the place is does not move.
    fn is_fixed(&self, place: &CompiledPlace) -> bool {
        let base = match place.base {
            PlaceBase::Src(src) => self.gain_of(src),
            PlaceBase::Object(_) => 0,
        };
        let stride = |stride: &StepStride| match stride {
            StepStride::Src(src) => self.gain_of(*src),
            StepStride::Bytes(_) => 0,
        };
        base == 0 && place.steps.iter().all(|step| self.gain_of(step.index) == 0 && stride(&step.stride) == 0)
    }

    /// A scalar's place in memory that is not trapped by another one.
    fn scalar_at(&mut self, place: &CompiledPlace) -> Option<Option<(Pointer, ScalarType, i64)>> {
        if !self.is_fixed(place) {
            return None;
        }
        let AccessTarget::Known(pointer) = self.target(place, self.base()) else { return Some(None) };
        let ty = place.ty.unwrap_or(ScalarType::I8);
        let gain = self.task.linear.as_ref()?.gain(Location::Memory(pointer.object, pointer.offset as u64, ty));
        let bytes = ty.size(self.task.memory.model);
        let traps = self.task.memory.traps.as_ref()?;
        let other = gain == 0 && traps.covers(pointer.object, pointer.offset as u64, bytes);
        (!other && (gain == 0 || place.bits.is_none())).then_some(Some((pointer, ty, gain)))
    }

    fn before_load(&mut self, dst: u32, place: &CompiledPlace) -> Option<After> {
        match self.scalar_at(place)? {
            Some((_, _, gain)) => Some(After::Loaded(dst, gain)),
            None => Some(After::Nothing),
        }
    }

    fn before_store(&mut self, place: &CompiledPlace, src: Src) -> Option<After> {
        let gain = self.gain_of(src);
        match self.scalar_at(place)? {
            Some((pointer, ty, _)) if gain == 0 || place.bits.is_none() => Some(After::Memory(pointer, ty, gain)),
            Some(_) => None,
            None => (gain == 0).then_some(After::Nothing),
        }
    }

    fn before_call(&mut self, call: &CallCode) -> Option<After> {
        let gain = |arg: &CallArg| match arg {
            CallArg::Scalar(src) => self.gain_of(*src),
            CallArg::Object(_) => 0,
        };
        let gains: Vec<i64> = call.args.iter().map(gain).collect();
        if gains.iter().all(|&gain| gain == 0) {
            return Some(After::Nothing);
        }
        let follows = match call.target {
            CallTarget::Function(_) => true,
            CallTarget::Indirect(src) => matches!(self.value(src), Value::Function(_)),
            CallTarget::Library(_) | CallTarget::Mpi(_) => false,
        };
        follows.then_some(After::Arguments(gains))
    }
}
