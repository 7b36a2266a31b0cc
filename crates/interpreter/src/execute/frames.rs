//! Frames of the functions that a task is in: entering, returning, and the stack that they use.

use crate::code::instructions::{CompiledPlace, Home, ScalarKind};
use crate::execute::access::AccessTarget;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::state::task::{Frame, SplitKind};
use crate::{codes, start};
use chronos_activity::ContextId;
use chronos_base::ids::Id;
use chronos_ir::{BlockId, FuncId, ScalarType};
use chronos_mpi_calls::AccessKind;
use chronos_slicing::doubts::stack;
use chronos_values::{ReasonKind, Value};

/// Calls nested deeper than this exceed the stack of any real process.
const DEEPEST: usize = 100_000;
/// Operations of recursive functions that any budget allows.
const LEAST_CALLS: u64 = 20_000;
/// What following all ways of an unknown branch takes, in operations: their states are kept and joined.
const SPLIT: u64 = 1000;

impl Machine<'_> {
    /// Begins a call of a function of the program.
    pub(crate) fn push_frame(&mut self, function: FuncId, args: &[Value], context: ContextId) -> Flow<()> {
        if self.task.frames.len() >= DEEPEST {
            let name = &self.code.functions[function.index()].name;
            let message = format!("calls of `{name}` are nested without end ({DEEPEST} deep)");
            return Err(self.error(&codes::RECURSION, message, "check the condition that ends the recursion"));
        }
        self.watch_recursion(function)?;
        let code = &self.code.functions[function.index()];
        let base = self.task.stack.len() as u32;
        self.task.stack.resize((base + code.registers) as usize, self.shared.uninitialised);
        self.task.stack.extend_from_slice(&code.hot.constants);
        self.task.frames.push(Frame {
            function,
            pc: 0,
            base,
            context,
            dst: None,
            result_place: None,
            loops: self.task.loops.len() as u32,
            splits: self.task.splits.len() as u32,
            alternatives: Vec::new(),
            allocations: Vec::new(),
        });
        self.watch_stack(function);
        start::frame_objects(self.shared, self.code, self.task, function);
        for (i, &(home, kind)) in code.params.iter().enumerate() {
            let value = args.get(i).copied().unwrap_or(self.shared.uninitialised);
            self.bind(home, kind, value);
        }
        Ok(())
    }

    /// Looks now and then at how much of the stack deep recursion takes.
    pub(super) fn watch_stack(&mut self, function: FuncId) {
        /// Calls between two looks.
        const APART: usize = 1024;
        if !self.task.frames.len().is_multiple_of(APART) {
            return;
        }
        let functions = &self.code.functions;
        let bytes = |frame: &Frame| -> u64 {
            let objects = &functions[frame.function.index()].frame_objects;
            stack::FRAME + objects.iter().map(|&(_, _, bytes)| bytes).sum::<u64>()
        };
        if self.task.frames.iter().map(bytes).sum::<u64>() > stack::LIMIT {
            stack::note(&mut self.shared.doubts, &self.code.program, function);
        }
    }

    /// Recursion has no loop that could be counted against the budget.
    pub(super) fn watch_recursion(&mut self, function: FuncId) -> Flow<()> {
        if !self.code.program.functions[function].effects.recursive {
            return Ok(());
        }
        let code = &self.code.functions[function.index()];
        self.task.recursed += code.instrs.len() as u64;
        let budget = self.shared.budget.max(1000);
        if self.task.recursed <= self.shared.whole_budget.max(LEAST_CALLS) {
            return Ok(());
        }
        let message = format!("calls of `{}` were followed without the end of the recursion in sight", code.name);
        let help = format!("if it ends, raise --budget (now {budget} operations per task)");
        Err(self.error(&codes::BUDGET, message, &help))
    }

    /// An unknown branch is followed in all its ways, which in a function that calls itself are more with each level.
    pub(crate) fn charge_split(&mut self) {
        let function = self.task.frames.last().map(|frame| frame.function);
        if function.is_some_and(|function| self.code.program.functions[function].effects.recursive) {
            self.task.recursed += SPLIT;
        }
    }

    #[inline]
    pub(super) fn bind(&mut self, home: Home, kind: ScalarKind, value: Value) {
        match home {
            Home::Register(register) => self.set_register(register, value),
            _ => self.bind_object(home, kind, value),
        }
    }

    fn bind_object(&mut self, home: Home, kind: ScalarKind, value: Value) {
        let Home::FrameObject(register) = home else { return };
        let Value::Pointer(to) = self.task.stack[(self.base() + register) as usize] else { return };
        match (kind, value) {
            (ScalarKind::Scalar(ty), value) => self.task.memory.write(to, ty, value),
            (ScalarKind::Object(bytes), Value::Pointer(from)) => {
                if self.task.memory.check(from, bytes).is_ok() {
                    self.task.memory.copy(to, from, bytes);
                }
            }
            (_, unknown) => self.task.memory.forget(to.object, unknown),
        }
    }

    pub(crate) fn return_object(&mut self, place: &CompiledPlace, bytes: u64) -> Flow<()> {
        let base = self.base();
        let from = self.target(place, base);
        if let Some(to) = self.task.frames.last().and_then(|frame| frame.result_place) {
            self.copy_targets(AccessTarget::Known(to), from, bytes)?;
        }
        self.return_value(None)
    }

    pub(crate) fn return_value(&mut self, value: Option<Value>) -> Flow<()> {
        let Some(frame) = self.task.frames.last() else { return Ok(()) };
        let (splits, loops) = (frame.splits as usize, frame.loops as usize);
        if self.task.splits.len() > splits
            && self.task.splits[splits..].iter().any(|split| split.kind != SplitKind::Remainder)
        {
            return self.leave_way(u32::MAX, Some(value));
        }
        if let Some(at) = (loops..self.task.loops.len()).rev().find(|&i| self.is_forced(i)) {
            self.task.loops.truncate(at + 1);
            let code = &self.function().loops[self.task.loops[at].index as usize];
            if let Some(frame) = self.task.frames.last_mut() {
                frame.alternatives.push(value);
            }
            return self.end_pass(code);
        }
        self.close_remainders(0);
        self.leave_loops(loops)?;
        self.finish_frame(value)
    }

    pub(super) fn finish_frame(&mut self, value: Option<Value>) -> Flow<()> {
        let Some(frame) = self.task.frames.last() else { return Ok(()) };
        let mut value = value;
        if frame.alternatives.iter().any(|other| *other != value) {
            let span = self.code.functions[frame.function.index()].spans.last().copied();
            value = Some(Value::Unknown(self.shared.reason(ReasonKind::UnknownBranch, span, None)));
        }
        self.end_recording(value);
        let Some(frame) = self.task.frames.pop() else { return Ok(()) };
        self.forget_inner_jump();
        self.release_objects(&frame);
        self.task.stack.truncate(frame.base as usize);
        if self.task.frames.is_empty() {
            return Err(Stop::Exit(value.unwrap_or(Value::Int(0))));
        }
        self.take_result(frame.dst, value);
        Ok(())
    }

    pub(super) fn take_result(&mut self, dst: Option<(u32, ScalarType)>, value: Option<Value>) {
        if let Some((register, _)) = dst {
            let value = value.unwrap_or(self.shared.uninitialised);
            self.set_register(register, value);
        }
        self.task.result = value;
    }

    pub(super) fn release_objects(&mut self, frame: &Frame) {
        let code = &self.code.functions[frame.function.index()];
        for &(register, ..) in &code.frame_objects {
            if let Value::Pointer(pointer) = self.task.stack[(frame.base + register) as usize] {
                self.tell_access(pointer, u64::MAX, AccessKind::Free);
                self.task.retire(pointer.object);
            }
        }
        frame.allocations.iter().for_each(|&object| self.task.retire(object));
    }

    pub(crate) fn context_below(&mut self, parent: ContextId, call: BlockId, function: FuncId) -> ContextId {
        self.shared.context_below(self.code, parent, call, function)
    }
}
