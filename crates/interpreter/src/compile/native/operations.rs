//! Instructions other than calls.

use super::{Part, Translator};
use crate::code::instructions::{BranchCode, Instr, Selector};
use chronos_native::code::{Arm, Branch, Counter, Op};

impl<'a> Translator<'a> {
    /// Translates an instruction. What has no common case leaves the code.
    pub(super) fn instruction(&mut self, part: &mut Part<'a>, pc: u32) {
        let origin = part.origin(pc);
        match part.instruction(pc) {
            Instr::Call(call) => return self.call(part, pc, call),
            Instr::LoopEnter(index) => return self.enter(part, pc, index),
            // These do nothing but in loops and on ways that are not followed to their end.
            Instr::LoopStep(_) => return,
            Instr::LoopLeave(index) if part.loops.get(&index).is_some_and(|&inner| inner != 0) => return,
            _ => {}
        }
        let op = self.plain(part, pc).or_else(|| self.control(part, pc));
        let op = op.unwrap_or_else(|| self.left(part, pc));
        let at = self.emit(origin, op);
        part.patches.push(at);
    }

    fn plain(&mut self, part: &Part, pc: u32) -> Option<Op> {
        Some(match part.instruction(pc) {
            Instr::Count(number) => Op::Count(Counter { site: part.frame, number }),
            Instr::Move(to, src) | Instr::SetLocal(to, src) => {
                Op::Copy { from: self.source(part, src)?, to: self.slot(part, to) }
            }
            Instr::SetGlobal(to, src) => Op::Copy { from: self.source(part, src)?, to: self.global(to) },
            Instr::Load(to, place) => {
                Op::Load { place: self.place(part, &part.function.places[place as usize])?, to: self.slot(part, to) }
            }
            Instr::Store(place, src) => {
                let from = self.source(part, src)?;
                Op::Store { place: self.place(part, &part.function.places[place as usize])?, from }
            }
            Instr::Address(to, place) => {
                Op::Address { place: self.place(part, &part.function.places[place as usize])?, to: self.slot(part, to) }
            }
            Instr::Unary(op, ty, to, src) => Op::Unary { op, ty, a: self.source(part, src)?, to: self.slot(part, to) },
            Instr::Binary(op, ty, to, a, b) => {
                let (a, b) = (self.source(part, a)?, self.source(part, b)?);
                self.map.noted.push((part.id, pc));
                self.body.noted += 1;
                Op::Binary { op, ty, to: self.slot(part, to), a, b, noted: self.body.noted - 1 }
            }
            Instr::Convert { from, to, dst, src } => {
                Op::Convert { from, to_ty: to, a: self.source(part, src)?, to: self.slot(part, dst) }
            }
            Instr::PointerDiff { dst, a, b, stride } => {
                let (a, b) = (self.source(part, a)?, self.source(part, b)?);
                Op::Difference { to: self.slot(part, dst), a, b, stride: i64::from(stride.max(1)) }
            }
            _ => return None,
        })
    }

    /// Targets are instructions until `patch`.
    fn control(&mut self, part: &mut Part<'a>, pc: u32) -> Option<Op> {
        Some(match part.instruction(pc) {
            Instr::Jump(target) => Op::Jump(target),
            Instr::Goto { target, loops, .. } if loops == part.depth(pc) => Op::Jump(target),
            Instr::ArmEnd(branch, _) => Op::Jump(part.function.branches[branch as usize].end),
            Instr::Choose(index) => self.branch(part, &part.function.branches[index as usize])?,
            Instr::LoopTest(index, src) if part.loops.contains_key(&index) => {
                Op::Test { condition: self.source(part, src)?, exit: part.function.loops[index as usize].exit }
            }
            Instr::LoopIterate(index) => Op::Iterate { inner: *part.loops.get(&index)? },
            Instr::Return(src) if part.frame != 0 => {
                let origin = part.origin(pc);
                match (part.wants_result, src) {
                    (true, None) => return None,
                    (true, Some(src)) => {
                        let (from, to) = (self.source(part, src)?, part.result?);
                        self.emit(origin, Op::Copy { to, from });
                    }
                    (false, _) => {}
                }
                let at = self.body.ops.len() as u32;
                part.returns.push(at);
                Op::Jump(u32::MAX)
            }
            _ => return None,
        })
    }

    /// An instruction that has its one operation only.
    fn enter(&mut self, part: &mut Part<'a>, pc: u32, index: u32) {
        let origin = part.origin(pc);
        let code = &part.function.loops[index as usize];
        if !code.is_simple() {
            let left = self.left(part, pc);
            part.patches.push(self.emit(origin, left));
            return;
        }
        let inner = self.push_loop(part.frame, part.function, index, Some(origin.inner));
        part.loops.insert(index, inner);
        self.emit(origin, Op::Enter { inner });
    }

    fn branch(&mut self, part: &Part, code: &BranchCode) -> Option<Op> {
        if code.spoken_of {
            return None;
        }
        let site = part.frame;
        let arm = |number: u32| Arm {
            counter: Counter { site, number: code.counter + 1 + number },
            target: code.arms[number as usize].target,
            number,
        };
        let condition = self.source(part, code.condition)?;
        let result = code.result.map(|(register, value)| (self.slot(part, register), value));
        let outcome = code.result.is_some().then(|| {
            self.map.outcomes.push(code.block);
            self.body.outcomes += 1;
            self.body.outcomes - 1
        });
        let counter = Counter { site, number: code.counter };
        let branch = Branch { counter, otherwise: code.end, result, outcome };
        Some(match &code.selector {
            Selector::Truth { yes, no } => Op::Choose { condition, yes: yes.map(arm), no: no.map(arm), branch },
            Selector::Switch { cases, default } => {
                let cases = cases.iter().map(|&(low, high, number)| (low, high, arm(number))).collect();
                Op::Switch { condition, cases, default: default.map(arm), branch }
            }
        })
    }

    /// Targets become operations. One that goes where nothing was translated leaves the code where it stands.
    pub(super) fn patch(&mut self, part: &Part, at: u32) {
        let mut op = std::mem::replace(&mut self.body.ops[at as usize], Op::END);
        let mut fits = true;
        let mut to = |target: &mut u32| match part.target(*target) {
            Some(start) => *target = start,
            None => fits = *target == u32::MAX && fits,
        };
        if let Op::Leave { next, .. } = &mut op {
            next.retain_mut(|next| part.target(*next).map(|start| *next = start).is_some());
        }
        match &mut op {
            Op::Jump(target) | Op::Test { exit: target, .. } => to(target),
            Op::Choose { yes, no, branch, .. } => {
                [yes, no].into_iter().flatten().for_each(|arm| to(&mut arm.target));
                to(&mut branch.otherwise);
            }
            Op::Switch { cases, default, branch, .. } => {
                cases.iter_mut().for_each(|(.., arm)| to(&mut arm.target));
                default.iter_mut().for_each(|arm| to(&mut arm.target));
                to(&mut branch.otherwise);
            }
            _ => {}
        }
        if fits {
            self.body.ops[at as usize] = op;
        }
    }
}
