//! The loop that executes operations.

use crate::code::instructions::{Instr, Src};
use crate::code::program::FunctionCode;
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::state::location::Location;
use crate::state::shared::Shared;
use crate::state::task::Pending;
use chronos_activity::{Event, Operation, Outcome, Step, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::governor;
use chronos_base::governor::Resource;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_values::arith::Fault;
use chronos_values::{ReasonKind, Value, arith};
use std::sync::Arc;

impl<'a> Machine<'a> {
    pub fn next(&mut self, outcome: Outcome) -> Step {
        let mut outcome = Some(outcome);
        let mut result = self.begin();
        loop {
            if let Err(stop) = std::mem::replace(&mut result, Ok(())) {
                self.stop(stop);
            }
            if let Some(step) = self.task.queue.pop_front() {
                return step;
            }
            if let Some(step) = &self.task.finished {
                return step.clone();
            }
            result = match outcome.take() {
                Some(Outcome::Spun { times }) if self.task.spinning.is_some() => self.spun(times),
                Some(outcome) if self.task.pending.is_some() => self.resume(outcome),
                _ => self.execute(),
            };
            if let Err(Stop::Exit(status)) = result {
                self.drop_recordings();
                result = self.run_at_end(status);
            }
        }
    }

    fn stop(&mut self, stop: Stop) {
        if matches!(stop, Stop::Yield) {
            return;
        }
        self.drop_recordings();
        self.flush();
        let (result, last) = match stop {
            Stop::Exit(status) => {
                self.doubt_threads_left();
                self.calls.ended(self.task.id, status.as_int());
                self.tell_calls();
                (Some(status), Step::End)
            }
            Stop::Fail(diagnostic) => {
                self.shared.reports.add(self.task.id, *diagnostic);
                (None, Step::Stuck)
            }
            Stop::Yield => return,
        };
        self.task.result = result;
        self.task.finished = Some(last);
    }

    /// Hands out what was counted since the last step.
    pub fn flush(&mut self) {
        if self.in_team() {
            return self.hand_out_team();
        }
        if let Some(segment) = self.shared.scratch.take(self.task.weight) {
            segment.counts.iter().for_each(|&(_, counter, count)| self.task.effort.note(counter, count));
            let predictor = &mut self.known.predictor;
            predictor.settle_all();
            let is_told = !self.shared.options.ignores_prediction;
            let id = self.shared.segments.intern_with(segment, |segment| {
                if is_told {
                    segment.mispredicted = predictor.of_segment(segment, &self.code.program);
                }
            });
            self.emit(Step::Work(Work::Segment(id)));
        }
    }

    /// Hands out a step, and shows it to the loops that are being folded.
    pub fn emit(&mut self, step: Step) {
        let jump = self.task.jump.as_mut().map(|jump| &mut jump.state);
        // Another time may decide otherwise about what follows.
        let is_answered = self.code.program.follows_clocks
            && matches!(&step, Step::Event(event) if matches!(event.operation, Operation::ReadClock { .. }));
        for state in self.task.loops.iter_mut().chain(jump) {
            if let Some(fold) = &mut state.fold {
                fold.disturbed |= is_answered;
                fold.asked_time |= is_answered;
                fold.see(&step);
            }
        }
        self.task.queue.push_back(step);
    }

    /// An event of the interpreter's own, after which `value` stands in the register.
    pub(crate) fn own_event(
        &mut self,
        operation: Operation,
        span: chronos_activity::Site,
        dst: u32,
        value: Value,
    ) -> Stop {
        if let Err(stop) = self.refuse_in_call_back() {
            return stop;
        }
        self.set_register(dst, value);
        if self.task.weight == chronos_activity::Count::ONE {
            self.flush();
            self.emit(Step::Event(Arc::new(Event { operation, site: Some(span) })));
            let own = Some(value);
            self.task.pending = Some(Pending { args: Vec::new(), dst: None, events: 1, own, clock: None });
        }
        Stop::Yield
    }

    /// Reads the clock; the value of the call is not used.
    pub(crate) fn clock_event(&mut self, slot: chronos_ir::BlockId, site: chronos_activity::Site) -> Stop {
        if let Err(stop) = self.refuse_in_call_back() {
            return stop;
        }
        if self.task.weight == chronos_activity::Count::ONE {
            self.flush();
            self.emit(Step::Event(Arc::new(Event { operation: Operation::ReadClock { slot }, site: Some(site) })));
            let own = Some(Value::NULL);
            self.task.pending = Some(Pending { args: Vec::new(), dst: None, events: 1, own, clock: None });
        }
        Stop::Yield
    }

    #[inline]
    pub fn base(&self) -> u32 {
        self.task.frames.last().map_or(0, |frame| frame.base)
    }

    pub fn function(&self) -> &'a FunctionCode {
        let function = self.task.frames.last().map_or(0, |frame| frame.function.index());
        &self.code.functions[function]
    }

    #[inline]
    pub fn get(&self, src: Src, base: u32) -> Value {
        match src {
            Src::Reg(register) => self.task.stack[(base + register) as usize],
            Src::Global(register) => self.task.globals[register as usize],
            Src::Const(index) => self.code.constants[index as usize],
        }
    }

    pub fn value(&self, src: Src) -> Value {
        self.get(src, self.base())
    }

    pub(crate) fn set_register(&mut self, register: u32, value: Value) {
        let at = self.base() + register;
        self.task.settle_place(Location::Register(at));
        self.task.stack[at as usize] = value;
    }

    /// The place of the operation that is being executed.
    pub fn span(&self) -> Option<Span> {
        let frame = self.task.frames.last()?;
        self.code.functions[frame.function.index()].spans.get((frame.pc as usize).saturating_sub(1)).copied()
    }

    pub fn unknown(&mut self, kind: ReasonKind) -> Value {
        let span = self.span();
        Value::Unknown(self.shared.reason(kind, span, None))
    }

    pub fn fault(&mut self, fault: Fault) -> Flow<Value> {
        match fault {
            Fault::DivisionByZero => {
                let message = "the divisor of an integer division is zero";
                let help = "check the program's arguments and the values given with --set";
                Err(self.error(&codes::DIVISION_BY_ZERO, message, help))
            }
            Fault::Undefined(name) => Ok(self.unknown(ReasonKind::Undefined(name.into()))),
            Fault::Clocks { .. } => Ok(self.unknown(ReasonKind::time())),
        }
    }

    /// An error at the operation that is being executed.
    pub fn error(&self, code: &'static chronos_base::diag::Code, message: impl Into<String>, help: &str) -> Stop {
        let mut diagnostic = Diagnostic::error(code, message).help(help);
        if let Some(span) = self.span() {
            diagnostic = diagnostic.label(span, "here");
        }
        diagnostic.into()
    }

    /// The limit of the command is reached: the task ends where it is.
    pub(crate) fn out_of(&self, resource: Resource, span: Span, what: &str) -> Stop {
        let what = format!("while `{}` was followed, {what}", self.function().name);
        governor::diagnostic(resource, &what).label(span, "here").into()
    }

    fn save(&mut self, pc: usize) {
        if let Some(frame) = self.task.frames.last_mut() {
            frame.pc = pc as u32;
        }
    }

    /// Runs until something is to be handed out. On return the frame's `pc` is the next instruction.
    pub fn execute(&mut self) -> Flow<()> {
        self.execute_above(0)
    }

    /// As `execute`; returns too when no more than `depth` frames are active.
    pub(crate) fn execute_above(&mut self, depth: usize) -> Flow<()> {
        loop {
            if self.task.frames.len() <= depth {
                return Ok(());
            }
            let Some(frame) = self.task.frames.last() else { return Ok(()) };
            let function = &self.code.functions[frame.function.index()];
            if self.task.is_watched() {
                let pc = frame.pc as usize;
                self.save(pc + 1);
                self.step_watched(function.instrs[pc], function)?;
                continue;
            }
            let plain = self.run_plain(function, frame.pc as usize);
            if let Some(index) = plain.hot {
                self.save(plain.pc);
                self.run_native(index)?;
                continue;
            }
            let pc = plain.pc;
            self.save(pc + 1);
            match function.instrs[pc] {
                // Nearly all that is not plain is the border of a function.
                Instr::Call(index) => self.call(&function.calls[index as usize])?,
                instr => self.step(instr, function)?,
            }
        }
    }

    /// As `step`, of a task of which more is noted than its values.
    #[cold]
    #[inline(never)]
    fn step_watched(&mut self, instr: Instr, function: &'a FunctionCode) -> Flow<()> {
        match self.task.linear {
            Some(_) => self.step_linear(instr, function),
            None => self.step_by_rank(instr, function),
        }
    }

    /// Executes any operation; `pc` is behind it.
    pub(crate) fn step(&mut self, instr: Instr, function: &'a FunctionCode) -> Flow<()> {
        let base = self.base();
        match instr {
            Instr::Count(counter) => {
                let context = self.context();
                self.shared.scratch.bump(context, counter);
            }
            Instr::Move(dst, src) => self.set_register(dst, self.get(src, base)),
            Instr::SetLocal(dst, src) => self.task.set(Location::Register(base + dst), self.get(src, base)),
            Instr::SetGlobal(dst, src) => self.task.set(Location::Global(dst), self.get(src, base)),
            Instr::Binary(op, ty, dst, a, b) => {
                let (a, b) = (self.get(a, base), self.get(b, base));
                if a.overflows(op, ty, b) {
                    self.note_overflow();
                }
                let value = match arith::binary(op, ty, a, b) {
                    Err(Fault::Clocks { from, to, elapsed }) => return Err(self.elapsed(from, to, elapsed, dst)),
                    Err(fault) => self.fault(fault)?,
                    Ok(value) => value,
                };
                self.set_register(dst, value);
            }
            Instr::Unary(op, ty, dst, src) => {
                let value = arith::unary(op, ty, self.get(src, base)).or_else(|fault| self.fault(fault))?;
                self.set_register(dst, value);
            }
            Instr::Convert { from, to, dst, src } => {
                let value = arith::convert(from, to, self.get(src, base)).or_else(|fault| self.fault(fault))?;
                self.set_register(dst, value);
            }
            Instr::Load(dst, place) => {
                let value = self.load_place(&function.places[place as usize], base)?;
                self.set_register(dst, value);
            }
            Instr::Store(place, src) => {
                self.store_place(&function.places[place as usize], base, self.get(src, base))?;
            }
            Instr::Address(dst, place) => {
                let value = self.address_value(&function.places[place as usize], base);
                self.set_register(dst, value);
            }
            Instr::Jump(target) => self.set_pc(target),
            _ => return self.control(instr, function),
        }
        Ok(())
    }

    /// The operation that is being executed overflows.
    fn note_overflow(&mut self) {
        if let Some(frame) = self.task.frames.last() {
            let Shared { overflows, doubts, .. } = &mut *self.shared;
            overflows.note(self.code, frame.function, (frame.pc as usize).saturating_sub(1), doubts);
        }
    }

    /// The difference of two readings: `known`, where the clock is followed.
    fn elapsed(&mut self, from: chronos_ir::BlockId, to: chronos_ir::BlockId, known: Option<Value>, dst: u32) -> Stop {
        let value = known.unwrap_or_else(|| self.unknown(ReasonKind::time()));
        // Of one call only the last reading is kept: it cannot be told how far two of them lie apart.
        if from == to {
            self.set_register(dst, value);
            return Stop::Yield;
        }
        let context = self.task.frames.last().map(|frame| frame.context);
        let site = chronos_activity::Site { context: context.unwrap_or(chronos_activity::ContextId(0)), block: to };
        self.own_event(Operation::Elapsed { from, to }, site, dst, value)
    }

    /// Instructions that are rare, or may change the frame.
    fn control(&mut self, instr: Instr, function: &'a FunctionCode) -> Flow<()> {
        let base = self.base();
        match instr {
            Instr::PointerDiff { dst, a, b, stride } => {
                let value = self.pointer_difference(self.get(a, base), self.get(b, base), stride)?;
                self.set_register(dst, value);
            }
            Instr::Copy { to, from, bytes } => {
                self.copy_places(&function.places[to as usize], &function.places[from as usize], base, bytes)?;
            }
            Instr::Zero { to, bytes } => self.zero_place(&function.places[to as usize], base, bytes)?,
            Instr::Allocate(register, variable, bytes) => {
                self.allocate_array(register, variable, self.get(bytes, base));
            }
            Instr::Opaque(dst, name) => {
                let name = self.code.library[name as usize].clone();
                let value = self.unknown(ReasonKind::Unsupported(name));
                if let Some(dst) = dst {
                    self.set_register(dst, value);
                }
            }
            Instr::Call(index) => self.call(&function.calls[index as usize])?,
            Instr::Goto { target, loops, branches } => self.go_to(target, loops, branches)?,
            Instr::GotoLabel { target, loops, branches } => {
                self.go_to_label(target, &function.around[loops as usize], branches)?;
            }
            Instr::Choose(index) => self.choose(index, &function.branches[index as usize])?,
            Instr::ArmEnd(index, _) => self.arm_end(&function.branches[index as usize], index)?,
            Instr::LoopEnter(index) => self.loop_enter(index, &function.loops[index as usize])?,
            Instr::LoopIterate(index) => self.loop_iterate(index, &function.loops[index as usize])?,
            Instr::LoopTest(index, src) => self.loop_test(index, self.get(src, base))?,
            Instr::LoopStep(_) => self.loop_step(),
            Instr::LoopLeave(index) => self.loop_leave(index, &function.loops[index as usize])?,
            Instr::Return(src) => {
                let value = src.map(|src| self.get(src, base));
                self.return_value(value)?;
            }
            Instr::ReturnObject(place, bytes) => self.return_object(&function.places[place as usize], bytes)?,
            _ => {}
        }
        Ok(())
    }

    fn pointer_difference(&mut self, a: Value, b: Value, stride: u32) -> Flow<Value> {
        let stride = i64::from(stride.max(1));
        match arith::binary(chronos_ir::BinaryOp::Sub, chronos_ir::ScalarType::I64, a, b) {
            Ok(Value::Int(bytes)) => Ok(Value::Int(bytes / stride)),
            Ok(other) => Ok(other),
            Err(fault) => self.fault(fault),
        }
    }

    pub(crate) fn set_pc(&mut self, pc: u32) {
        if let Some(frame) = self.task.frames.last_mut() {
            frame.pc = pc;
        }
    }
}
