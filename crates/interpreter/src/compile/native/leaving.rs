//! Instructions that the interpreter executes: which registers they read and write, and where they may go.

use super::{Part, Translator};
use crate::code::instructions::{CallArg, CallTarget, CompiledPlace, Instr, PlaceBase, Selector, Src, StepStride};
use chronos_native::code::Op;

impl Translator<'_> {
    /// Leaves the code in front of an instruction.
    pub(super) fn left(&mut self, part: &Part, pc: u32) -> Op {
        let instr = part.instruction(pc);
        let reads = read(part, instr).into_iter().filter_map(|src| self.source(part, src)).collect();
        let to = written(part, instr).map(|register| self.slot(part, register));
        Op::Leave { reads, to, next: following(part, instr, pc) }
    }
}

fn read(part: &Part, instr: Instr) -> Vec<Src> {
    let place = |at: u32| of_place(&part.function.places[at as usize]);
    match instr {
        Instr::Move(_, a)
        | Instr::SetLocal(_, a)
        | Instr::SetGlobal(_, a)
        | Instr::Unary(_, _, _, a)
        | Instr::Convert { src: a, .. }
        | Instr::Allocate(_, _, a)
        | Instr::LoopTest(_, a)
        | Instr::Return(Some(a)) => vec![a],
        Instr::Binary(_, _, _, a, b) | Instr::PointerDiff { a, b, .. } => vec![a, b],
        Instr::Load(_, at) | Instr::Address(_, at) | Instr::Zero { to: at, .. } | Instr::ReturnObject(at, _) => {
            place(at)
        }
        Instr::Store(at, a) => place(at).into_iter().chain([a]).collect(),
        Instr::Copy { to, from, .. } => place(to).into_iter().chain(place(from)).collect(),
        Instr::Choose(branch) => vec![part.function.branches[branch as usize].condition],
        Instr::Call(call) => {
            let call = &part.function.calls[call as usize];
            let callee = if let CallTarget::Indirect(src) = call.target { Some(src) } else { None };
            let args = call.args.iter().flat_map(|arg| match *arg {
                CallArg::Scalar(src) => vec![src],
                CallArg::Object(at) => place(at),
            });
            args.chain(callee).chain(call.result_place.into_iter().flat_map(place)).collect()
        }
        _ => Vec::new(),
    }
}

fn of_place(place: &CompiledPlace) -> Vec<Src> {
    let base = if let PlaceBase::Src(src) = place.base { Some(src) } else { None };
    let steps = place.steps.iter().flat_map(|step| {
        let stride = if let StepStride::Src(src) = step.stride { Some(src) } else { None };
        std::iter::once(step.index).chain(stride)
    });
    base.into_iter().chain(steps).collect()
}

fn written(part: &Part, instr: Instr) -> Option<u32> {
    match instr {
        Instr::Move(to, _)
        | Instr::SetLocal(to, _)
        | Instr::Unary(_, _, to, _)
        | Instr::Binary(_, _, to, _, _)
        | Instr::Convert { dst: to, .. }
        | Instr::PointerDiff { dst: to, .. }
        | Instr::Load(to, _)
        | Instr::Address(to, _)
        | Instr::Allocate(to, ..) => Some(to),
        Instr::Opaque(to, _) => to,
        Instr::Call(call) => part.function.calls[call as usize].dst.map(|(register, _)| register),
        _ => None,
    }
}

/// Instructions that may follow.
fn following(part: &Part, instr: Instr, pc: u32) -> Vec<u32> {
    match instr {
        Instr::Jump(target) | Instr::Goto { target, .. } | Instr::GotoLabel { target, .. } => vec![target],
        Instr::Return(_) | Instr::ReturnObject(..) => Vec::new(),
        Instr::ArmEnd(branch, _) => vec![part.function.branches[branch as usize].end],
        Instr::LoopTest(index, _) => vec![pc + 1, part.function.loops[index as usize].exit],
        Instr::Choose(index) => {
            let branch = &part.function.branches[index as usize];
            let arms = match &branch.selector {
                Selector::Truth { yes, no } => [*yes, *no].into_iter().flatten().collect(),
                Selector::Switch { cases, default } => {
                    cases.iter().map(|case| case.2).chain(*default).collect::<Vec<_>>()
                }
            };
            let arms = arms.into_iter().map(|arm: u32| branch.arms[arm as usize].target);
            arms.chain([branch.end]).collect()
        }
        // What calls the outermost loop of the code is not read in it.
        _ => vec![pc + 1],
    }
}
