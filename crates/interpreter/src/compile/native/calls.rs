//! Calls: the code of the function in the place of the call, or a function of `math.h`.

use super::{DEEPEST, MOST_OPERATIONS, Part, Translator};
use crate::code::instructions::{CallArg, CallCode, CallTarget, Home as VariableHome, ScalarKind};
use crate::state::remembered::native::InnerCall;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{FuncId, ScalarType};
use chronos_native::code::{Counter, Home, Op, Slot, SlotInfo, Source};

impl<'a> Translator<'a> {
    pub(super) fn call(&mut self, part: &mut Part<'a>, pc: u32, index: u32) {
        let call = &part.function.calls[index as usize];
        let done = match call.target {
            CallTarget::Function(function) => self.inlined(part, pc, index, call, function),
            CallTarget::Library(name) => self.library(part, pc, call, name).or_else(|| self.draw(part, pc, call, name)),
            _ => None,
        };
        if done.is_none() {
            let (origin, left) = (part.origin(pc), self.left(part, pc));
            part.patches.push(self.emit(origin, left));
        }
    }

    fn library(&mut self, part: &Part, pc: u32, call: &CallCode, name: u32) -> Option<()> {
        let function = self.callees.function(name)?;
        let (register, ty) = call.dst?;
        let mut numbers = call.args.iter().map(|arg| match *arg {
            CallArg::Scalar(src) => self.source(part, src),
            CallArg::Object(_) => None,
        });
        let a = numbers.next()??;
        let b = numbers.next().map_or(Some(Source::Real(0.0)), |b| b)?;
        let counter = Counter { site: part.frame, number: call.counter };
        let to = Some(self.slot(part, register));
        let origin = part.origin(pc);
        self.emit(origin, Op::Call { function, counter, ty, to, a, b });
        Some(())
    }

    /// A random number, where its type holds all that are drawn.
    fn draw(&mut self, part: &Part, pc: u32, call: &CallCode, name: u32) -> Option<()> {
        let (source, is_real) = self.callees.draws(name)?;
        let (register, ty) = call.dst?;
        let holds = if is_real { ty == ScalarType::F64 } else { matches!(ty, ScalarType::I32 | ScalarType::I64) };
        if !holds || !call.args.is_empty() {
            return None;
        }
        let counter = Counter { site: part.frame, number: call.counter };
        let to = Some(self.slot(part, register));
        let origin = part.origin(pc);
        self.emit(origin, Op::Draw { source, counter, ty, to });
        Some(())
    }

    fn inlined(&mut self, part: &Part<'a>, pc: u32, index: u32, call: &'a CallCode, id: FuncId) -> Option<()> {
        let function = &self.code.functions[id.index()];
        let is_plain = self.callees.is_inlined(id)
            && function.frame_objects.is_empty()
            && call.result_place.is_none()
            && self.depth(part.frame) < DEEPEST
            && self.body.ops.len() + function.instrs.len() <= MOST_OPERATIONS;
        let params: Vec<u32> = function.params.iter().map(parameter).collect::<Option<_>>()?;
        if !is_plain || params.len() != call.args.len() {
            return None;
        }
        let args: Vec<Source> = call.args.iter().map(|&arg| self.argument(part, arg)).collect::<Option<_>>()?;
        let origin = part.origin(pc);
        let frame = self.map.frames.len() as u32;
        let first = self.body.inner;
        self.map.frames.push(InnerCall { function: id, parent: part.frame, pc, call: index, first });
        self.body.inner += function.registers;
        self.body.sites += 1;
        let result = call.dst.map(|(register, _)| self.slot(part, register));
        let mut inner = Part {
            frame,
            function,
            id,
            range: 0..=function.instrs.len() as u32 - 1,
            around: origin.inner,
            loops: FxHashMap::default(),
            starts: Vec::new(),
            patches: Vec::new(),
            returns: Vec::new(),
            result,
            wants_result: result.is_some(),
        };
        // Nothing that the interpreter sees is done before the call is counted.
        for (&register, &from) in params.iter().zip(&args) {
            let to = self.slot(&inner, register);
            self.emit(origin, Op::Copy { to, from });
        }
        let variables = function.first_variable..function.first_variable + function.variables.len() as u32;
        for register in variables {
            if !params.contains(&register) {
                let slot = self.unnamed(first + register);
                self.emit(origin, Op::Forget { slot });
            }
        }
        let counter = Counter { site: part.frame, number: call.counter };
        self.emit(origin, Op::Begin { site: frame, counter });
        let begin = self.body.ops.len();
        self.part(&mut inner);
        let behind = self.body.ops.len() as u32;
        // Where the interpreter goes on within the call, it comes back to what is behind it.
        for op in &mut self.body.ops[begin..] {
            if let Op::Leave { next, .. } = op {
                next.push(behind);
            }
        }
        for at in inner.returns {
            self.body.ops[at as usize] = Op::Jump(behind);
        }
        Some(())
    }

    /// Where a variable of a call stands that nothing was written to yet: what is computed with it has a slot of its own.
    fn unnamed(&mut self, number: u32) -> Slot {
        self.body.slots.push(SlotInfo { home: Home::Inner(number), variable: true });
        Slot(self.body.slots.len() as u32 - 1)
    }

    fn argument(&mut self, part: &Part, arg: CallArg) -> Option<Source> {
        match arg {
            CallArg::Scalar(src) => self.source(part, src),
            CallArg::Object(_) => None,
        }
    }

    fn depth(&self, frame: u32) -> u32 {
        match frame {
            0 => 0,
            frame => 1 + self.depth(self.map.frames[frame as usize].parent),
        }
    }
}

/// The register of a parameter that is one.
fn parameter(&(home, kind): &(VariableHome, ScalarKind)) -> Option<u32> {
    match (home, kind) {
        (VariableHome::Register(register), ScalarKind::Scalar(_)) => Some(register),
        _ => None,
    }
}
