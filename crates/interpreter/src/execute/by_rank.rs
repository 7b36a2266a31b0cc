//! Operations of a task that stands for others: which of the values that it makes depend on its rank, and how.
//!
//! An operation that is not known to keep track of what depends on the rank gets numbers, and these are the same for all
//! tasks of the class from then on ([`ByRank::pin`]). So nothing has to be known of an operation for it to be right.

use crate::code::instructions::{
    BranchCode, CallArg, CallCode, CallTarget, CompiledPlace, Home, Instr, PlaceBase, ScalarKind, Selector, Src,
    StepStride,
};
use crate::code::program::FunctionCode;
use crate::execute::access::AccessTarget;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::state::by_rank::ByRank;
use crate::state::formulas::{Formula, FormulaId, Formulas};
use crate::state::location::Location;
use crate::state::memory::bytes_until_zero;
use chronos_activity::Step;
use chronos_functions::{self as functions, GeneratorUse};
use chronos_ir::ScalarType;
use chronos_values::{Pointer, Value};

/// What is to be noted of an operation when it is done.
#[derive(Clone, Debug)]
pub(super) enum After {
    /// Nothing that it writes depends on the rank.
    Nothing,
    Register(u32, Option<FormulaId>),
    Global(u32, Option<FormulaId>),
    /// A scalar's place in memory, which is looked after here.
    Stored(Pointer, ScalarType, Option<FormulaId>),
    Loaded(u32, Option<FormulaId>),
    /// Of the arguments of a call of the program.
    Arguments(Vec<Option<FormulaId>>),
    /// Of what is returned.
    Returned(Option<FormulaId>),
    /// A loop may have been repeated, which looks after what it changes.
    Folded,
    /// Integers that a call has written, one behind the other.
    Written(Vec<(Pointer, FormulaId)>),
}

impl<'a> Machine<'a> {
    /// As `step`, of a task that stands for others.
    pub(crate) fn step_by_rank(&mut self, instr: Instr, function: &'a FunctionCode) -> Flow<()> {
        if self.task.by_rank.as_ref().is_some_and(|by_rank| by_rank.refused().is_some()) {
            self.task.finished = Some(Step::Stuck);
            return Err(Stop::Yield);
        }
        let after = self.before_by_rank(instr, function);
        let decides = match instr {
            // Of a loop that goes on, processors foresee that it does.
            Instr::LoopTest(_, src) => self.value(src).truth() == Ok(false),
            Instr::Choose(_) => true,
            _ => false,
        };
        if decides {
            self.count_branch(function);
        }
        self.pin_touched();
        let (frames, to) = (self.task.frames.len(), self.returns_to());
        let target = self.register_of(&after, to);
        let before = target.zip(self.task.by_rank.as_ref()).map(|(target, by_rank)| (target, by_rank.stamp(target)));
        let flow = self.step(instr, function);
        if !self.task.splits.is_empty() || self.in_forced_loop() || self.in_team() {
            self.stand_alone("a condition is unknown, or threads run");
        }
        match after {
            After::Stored(..) | After::Loaded(..) | After::Folded => self.forget_touched(),
            _ => {}
        }
        self.pin_touched();
        self.note_by_rank(after, frames, to);
        if let (Some((target, stamp)), Some(by_rank)) = (before, self.by_rank()) {
            by_rank.restore(target, stamp);
        }
        flow
    }

    /// The register that an operation writes.
    fn register_of(&self, after: &After, to: Option<u32>) -> Option<Location> {
        match *after {
            After::Register(register, _) | After::Loaded(register, _) => {
                Some(Location::Register(self.base() + register))
            }
            After::Global(register, _) => Some(Location::Global(register)),
            After::Returned(_) => to.map(Location::Register),
            _ => None,
        }
    }

    fn count_branch(&mut self, function: &FunctionCode) {
        let base = self.task.frames.last().map_or(0, |frame| frame.loops as usize);
        let innermost = self.task.loops.get(base..).and_then(<[_]>::last);
        let reaches = innermost.map_or(function.reaches_mpi, |state| function.loops[state.index as usize].reaches_mpi);
        if let (false, Some(by_rank)) = (reaches, self.by_rank()) {
            by_rank.count_branch();
        }
    }

    fn by_rank(&mut self) -> Option<&mut ByRank> {
        self.task.by_rank.as_deref_mut()
    }

    pub(super) fn stand_alone(&self, why: &'static str) {
        if let Some(by_rank) = &self.task.by_rank {
            by_rank.refuse(why);
        }
    }

    /// What somebody has read or written who does not keep track is the same for all.
    pub(super) fn pin_touched(&mut self) {
        let touched = self.task.memory.traps.as_ref().map(|traps| traps.take_touched()).unwrap_or_default();
        for (object, begin) in touched {
            self.pin_overlapping(object, begin, begin + 1);
        }
        let seen = self.task.by_rank.as_ref().map(|by_rank| by_rank.take_seen()).unwrap_or_default();
        seen.into_iter().for_each(|place| self.task.pin(place));
    }

    pub(super) fn forget_touched(&self) {
        if let Some(traps) = &self.task.memory.traps {
            traps.take_touched();
        }
    }

    fn pin_overlapping(&mut self, object: chronos_values::ObjectId, begin: u64, end: u64) {
        let places = self.task.by_rank.as_ref().map(|by_rank| by_rank.overlapping(object, begin, end));
        let model = self.task.memory.model;
        for place in places.unwrap_or_default() {
            if matches!(place, Location::Memory(_, at, ty) if at + ty.size(model) > begin) {
                self.task.pin(place);
            }
        }
    }

    fn note_by_rank(&mut self, after: After, frames: usize, to: Option<u32>) {
        let base = self.base();
        let now = self.task.frames.len();
        if now < frames {
            self.forget_dead();
        }
        match after {
            After::Nothing | After::Folded => {}
            After::Register(register, formula) | After::Loaded(register, formula) => {
                self.task.put_formula(Location::Register(base + register), formula);
            }
            After::Global(register, formula) => self.task.put_formula(Location::Global(register), formula),
            After::Stored(to, ty, formula) => {
                self.task.put_formula(Location::Memory(to.object, to.offset as u64, ty), formula);
            }
            After::Arguments(formulas) if now == frames + 1 => self.pass_formulas(&formulas),
            After::Returned(formula) if now + 1 == frames => {
                to.into_iter().for_each(|to| self.task.put_formula(Location::Register(to), formula));
            }
            After::Written(written) => {
                for (to, formula) in written {
                    let place = Location::Memory(to.object, to.offset as u64, ScalarType::I32);
                    let is_so = self.task.get(place)
                        == self.task.by_rank.as_ref().map(|by_rank| by_rank.formulas.value(formula));
                    if !is_so {
                        self.stand_alone("a call has not written what it was to write");
                    }
                    self.task.put_formula(place, Some(formula));
                }
                self.task.by_rank.iter_mut().for_each(|by_rank| by_rank.restore_rewritten());
                self.forget_touched();
            }
            // The call did not begin or the function did not end as they do: what they were to pass is the same for all.
            After::Arguments(formulas) => formulas.into_iter().flatten().for_each(|formula| self.fix(formula)),
            After::Returned(formula) => formula.into_iter().for_each(|formula| self.fix(formula)),
        }
    }

    /// Registers and objects that are gone hold nothing any more.
    fn forget_dead(&mut self) {
        let registers = self.task.stack.len() as u32;
        let memory = &self.task.memory;
        if let Some(by_rank) = &mut self.task.by_rank {
            by_rank
                .truncate(registers, |place| matches!(place, Location::Memory(object, ..) if memory.is_live(object)));
        }
        if let Some(traps) = &mut self.task.memory.traps {
            let gone = traps
                .objects()
                .filter(|&object| !self.task.by_rank.as_ref().is_some_and(|by_rank| by_rank.holds(object)));
            let gone: Vec<_> = gone.collect();
            gone.into_iter().for_each(|object| traps.clear_all(object));
        }
    }

    /// The parameters of the call that was begun are what its arguments are.
    fn pass_formulas(&mut self, formulas: &[Option<FormulaId>]) {
        let base = self.base();
        let function = self.function();
        for (i, formula) in formulas.iter().enumerate() {
            let Some(formula) = *formula else { continue };
            match function.params.get(i) {
                Some((Home::Register(register), _)) => {
                    self.task.put_formula(Location::Register(base + register), Some(formula));
                }
                Some(&(Home::FrameObject(register), ScalarKind::Scalar(ty))) => {
                    match self.task.stack[(base + register) as usize] {
                        Value::Pointer(to) => {
                            let place = Location::Memory(to.object, to.offset as u64, ty);
                            self.task.put_formula(place, Some(formula));
                        }
                        _ => self.fix(formula),
                    }
                }
                _ => self.fix(formula),
            }
        }
    }

    pub(super) fn fix(&mut self, formula: FormulaId) {
        if let Some(by_rank) = self.by_rank() {
            by_rank.formulas.fix(formula);
        }
    }

    /// The place of an operand, where it has one.
    fn place_of(&self, src: Src) -> Option<Location> {
        match src {
            Src::Reg(register) => Some(Location::Register(self.base() + register)),
            Src::Global(register) => Some(Location::Global(register)),
            Src::Const(_) => None,
        }
    }

    pub(super) fn formula_of(&self, src: Src) -> Option<FormulaId> {
        self.task.by_rank.as_ref()?.formula(self.place_of(src)?)
    }

    /// Somebody asks for the number of an operand who is told of the machine alone.
    pub(crate) fn see_by_rank(&self, src: Src) {
        if let (Some(by_rank), Some(place)) = (&self.task.by_rank, self.place_of(src)) {
            by_rank.see(place);
        }
    }

    /// The operand is used as a number.
    pub(crate) fn pin_src(&mut self, src: Src) {
        if let Some(place) = self.place_of(src) {
            self.task.pin(place);
        }
    }

    /// An argument of the call, or a global that its function may read, depends on the rank.
    pub(super) fn passes_formulas(&self, call: &CallCode) -> bool {
        let Some(by_rank) = &self.task.by_rank else { return false };
        let depends = |arg: &CallArg| matches!(*arg, CallArg::Scalar(src) if self.formula_of(src).is_some());
        by_rank.has_globals() || call.args.iter().any(depends)
    }

    /// What will have to be noted of the operation.
    fn before_by_rank(&mut self, instr: Instr, function: &'a FunctionCode) -> After {
        match instr {
            Instr::Move(dst, src) | Instr::SetLocal(dst, src) => After::Register(dst, self.formula_of(src)),
            Instr::SetGlobal(dst, src) => After::Global(dst, self.formula_of(src)),
            Instr::Binary(op, ty, dst, a, b) => {
                After::Register(dst, self.computed(&[a, b], |of| Formula::Binary(op, ty, of[0], of[1])))
            }
            Instr::Unary(op, ty, dst, a) => {
                After::Register(dst, self.computed(&[a], |of| Formula::Unary(op, ty, of[0])))
            }
            Instr::Convert { from, to, dst, src } => {
                After::Register(dst, self.computed(&[src], |of| Formula::Convert(from, to, of[0])))
            }
            Instr::Load(dst, place) => self.before_load_by_rank(dst, &function.places[place as usize]),
            Instr::Store(place, src) => self.before_store_by_rank(&function.places[place as usize], src),
            Instr::Address(_, place) => self.pinned_places(&[&function.places[place as usize]]),
            Instr::Copy { to, from, .. } => {
                self.pinned_places(&[&function.places[to as usize], &function.places[from as usize]])
            }
            Instr::Zero { to, .. } => self.pinned_places(&[&function.places[to as usize]]),
            Instr::PointerDiff { a, b, .. } => self.pinned(&[a, b]),
            Instr::Allocate(_, _, src) => self.pinned(&[src]),
            Instr::LoopTest(_, src) => {
                if let Some(formula) = self.formula_of(src) {
                    self.task.by_rank.iter_mut().for_each(|by_rank| by_rank.fix_truth(formula));
                }
                After::Nothing
            }
            Instr::LoopIterate(_) => After::Folded,
            Instr::Choose(index) => self.before_choice(&function.branches[index as usize]),
            Instr::Call(index) => self.before_call_by_rank(&function.calls[index as usize]),
            Instr::Return(src) => After::Returned(src.and_then(|src| self.formula_of(src))),
            Instr::ReturnObject(place, _) => {
                self.pin_place(&function.places[place as usize]);
                After::Returned(None)
            }
            _ => After::Nothing,
        }
    }

    /// What an operation makes of operands of which some depend on the rank; `None` where none does, or they are numbers
    /// from now on.
    fn computed(&mut self, operands: &[Src], formula: impl FnOnce(&[FormulaId]) -> Formula) -> Option<FormulaId> {
        let formulas: Vec<Option<FormulaId>> = operands.iter().map(|&src| self.formula_of(src)).collect();
        if formulas.iter().all(Option::is_none) {
            return None;
        }
        let values: Vec<Value> = operands.iter().map(|&src| self.value(src)).collect();
        let made = self.by_rank().and_then(|by_rank| {
            let of =
                |(formula, value): (Option<FormulaId>, Value)| formula.or_else(|| by_rank.formulas.constant(value));
            let all = formulas.into_iter().zip(values).map(of).collect::<Option<Vec<_>>>()?;
            by_rank.formulas.of(formula(&all))
        });
        if made.is_none() {
            operands.iter().for_each(|&src| self.pin_src(src));
        }
        made
    }

    fn pinned(&mut self, operands: &[Src]) -> After {
        operands.iter().for_each(|&src| self.pin_src(src));
        After::Nothing
    }

    fn pinned_places(&mut self, places: &[&CompiledPlace]) -> After {
        places.iter().for_each(|place| self.pin_place(place));
        After::Nothing
    }

    /// Where the place is is the same for all.
    pub(super) fn pin_place(&mut self, place: &CompiledPlace) {
        if let PlaceBase::Src(src) = place.base {
            self.pin_src(src);
        }
        for step in &place.steps {
            self.pin_src(step.index);
            if let StepStride::Src(src) = step.stride {
                self.pin_src(src);
            }
        }
    }

    /// A scalar's place in memory, where it is one.
    fn scalar_place(&mut self, place: &CompiledPlace) -> Option<(Pointer, ScalarType)> {
        self.pin_place(place);
        let ty = place.ty.filter(|_| place.bits.is_none())?;
        match self.target(place, self.base()) {
            AccessTarget::Known(to) if self.task.memory.check(to, ty.size(self.task.memory.model)).is_ok() => {
                Some((to, ty))
            }
            _ => None,
        }
    }

    /// What overlaps the scalar and is not it is the same for all; what it is.
    fn scalar_formula(&mut self, at: Pointer, ty: ScalarType) -> Option<FormulaId> {
        let (begin, bytes) = (at.offset as u64, ty.size(self.task.memory.model));
        let own = Location::Memory(at.object, begin, ty);
        let by_rank = self.task.by_rank.as_ref()?;
        let mut others = by_rank.overlapping(at.object, begin, begin + bytes);
        let model = self.task.memory.model;
        others.retain(|place| {
            *place != own && matches!(place, Location::Memory(_, at, ty) if at + ty.size(model) > begin)
        });
        if others.iter().any(|&place| by_rank.formula(place) == Some(Formulas::UNSAID)) {
            return Some(Formulas::UNSAID);
        }
        let formula = by_rank.formula(own);
        others.into_iter().for_each(|place| self.task.pin(place));
        formula
    }

    fn before_load_by_rank(&mut self, dst: u32, place: &CompiledPlace) -> After {
        if let Some(formula) = self.element_by_rank(place) {
            return After::Loaded(dst, Some(formula));
        }
        let Some((at, ty)) = self.scalar_place(place) else { return After::Nothing };
        After::Loaded(dst, self.scalar_formula(at, ty))
    }

    fn before_store_by_rank(&mut self, place: &CompiledPlace, src: Src) -> After {
        let Some((at, ty)) = self.scalar_place(place) else { return self.pinned(&[src]) };
        self.task.clear_formulas(at, ty.size(self.task.memory.model));
        self.scalar_formula(at, ty);
        After::Stored(at, ty, self.formula_of(src))
    }

    fn before_choice(&mut self, branch: &BranchCode) -> After {
        let Some(formula) = self.formula_of(branch.condition) else { return After::Nothing };
        let value = self.value(branch.condition);
        let Some(by_rank) = self.by_rank() else { return After::Nothing };
        match (&branch.selector, value) {
            (Selector::Truth { .. }, _) => by_rank.fix_truth(formula),
            (Selector::Switch { cases, .. }, Value::Int(_)) => {
                cases.iter().for_each(|&(low, high, _)| by_rank.fix_within(formula, low, high));
            }
            (Selector::Switch { .. }, _) => by_rank.formulas.fix(formula),
        }
        After::Nothing
    }

    fn before_call_by_rank(&mut self, call: &'a CallCode) -> After {
        let function = self.function();
        let mut formulas = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            formulas.push(match *arg {
                CallArg::Scalar(src) => self.formula_of(src),
                CallArg::Object(place) => {
                    self.pin_place(&function.places[place as usize]);
                    None
                }
            });
        }
        if let Some(place) = call.result_place {
            self.pin_place(&function.places[place as usize]);
        }
        if let CallTarget::Indirect(src) = call.target {
            self.pin_src(src);
        }
        match &call.target {
            CallTarget::Function(_) => After::Arguments(formulas),
            CallTarget::Mpi(name) => self.before_mpi(call, name, &formulas),
            CallTarget::Library(name) => {
                self.before_library(call, *name, &formulas);
                After::Nothing
            }
            CallTarget::Indirect(_) => {
                self.pin_arguments(call);
                After::Nothing
            }
        }
    }

    /// Library functions get numbers, but for those of which nothing follows from them.
    fn before_library(&mut self, call: &CallCode, name: u32, formulas: &[Option<FormulaId>]) {
        let name = self.code.library.get(name as usize);
        let row = name.and_then(|name| functions::lookup(name));
        let sets_nothing = |used: GeneratorUse| match used {
            GeneratorUse::Seeds(generator) => self.code.program.generators.state(generator).is_none(),
            _ => false,
        };
        if row.and_then(|row| row.generator).is_some_and(sets_nothing) {
            return;
        }
        match name.map(|name| &**name) {
            Some("printf") => self.before_printing(call, 0, formulas),
            Some("fprintf") => self.before_printing(call, 1, formulas),
            _ => self.pin_arguments(call),
        }
    }

    /// Of an integer that is printed, others have as many digits.
    fn before_printing(&mut self, call: &CallCode, format: usize, formulas: &[Option<FormulaId>]) {
        let of = |arg: &CallArg| match *arg {
            CallArg::Scalar(src) => self.value(src),
            CallArg::Object(_) => Value::NULL,
        };
        let format = call.args.get(format).map_or(Value::NULL, of);
        let text = match format {
            Value::Pointer(text) => bytes_until_zero(&self.task.memory, text).and_then(Result::ok),
            _ => None,
        };
        if text.is_none_or(|text| text.contains(&b'*') || text.contains(&b'n')) && formulas.iter().any(Option::is_some)
        {
            return self.pin_arguments(call);
        }
        for formula in formulas.iter().flatten().copied() {
            self.task.by_rank.iter_mut().for_each(|by_rank| by_rank.fix_digits(formula));
        }
    }

    pub(super) fn pin_arguments(&mut self, call: &CallCode) {
        for arg in &call.args {
            if let CallArg::Scalar(src) = *arg {
                self.pin_src(src);
            }
        }
    }
}
