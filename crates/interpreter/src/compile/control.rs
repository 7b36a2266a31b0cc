//! Compiles loops and branches.

use crate::code::instructions::{ArmCode, BranchCode, CallTarget, Instr, LoopCode, Selector, Src};
use crate::compile::fold_shape::{bound_shape, fold_shape};
use crate::compile::functions::Compiler;
use crate::compile::glances::glances;
use crate::compile::induction::advances;
use crate::compile::regions;
use chronos_functions as functions;
use chronos_ir::{ArmLabel, BlockId, Branch, BranchKind, Loop, LoopForm};

impl Compiler<'_> {
    pub(crate) fn loop_block(&mut self, block: BlockId, inner: &Loop) {
        let span = self.program.blocks[block].span;
        let index = self.code.loops.len() as u32;
        let writes = regions::written_registers(self.program, &self.tables.homes, block);
        let counter = self.counter(block);
        let reaches_mpi = self.reach.block(block);
        self.code.loops.push(LoopCode {
            block,
            counter,
            reaches_mpi,
            glances: glances(self, block),
            communicates: self.reach.communicates(block),
            start: 0,
            body: 0,
            step: 0,
            exit: 0,
            test: 0,
            fold: None,
            bound: None,
            advances: Box::default(),
            endless: false,
            spoken_of: false,
            writes,
            span,
            jump: false,
        });
        self.emit(Instr::LoopEnter(index));
        self.code.loops[index as usize].start = self.here();
        self.loop_depth += 1;
        self.loops.push(index);
        self.open_target(inner.target, self.loop_depth, self.branch_depth);
        self.region(&inner.init);
        let skip = (inner.form == LoopForm::DoWhile).then(|| self.emit(Instr::Jump(0)));
        let test = self.here();
        self.test(index, inner);
        self.span = span;
        if let Some(at) = skip {
            let here = self.here();
            self.patch(&[at], here);
        }
        self.code.loops[index as usize].body = self.here();
        self.emit(Instr::LoopIterate(index));
        self.region(&inner.body);
        self.close_continues(inner.target);
        self.code.loops[index as usize].step = self.here();
        self.emit(Instr::LoopStep(index));
        self.region(&inner.step);
        self.emit(Instr::Jump(test));
        self.close_breaks(inner.target);
        let exit = self.here();
        self.span = span;
        self.emit(Instr::LoopLeave(index));
        self.loop_depth -= 1;
        self.loops.pop();
        let shape = fold_shape(self, inner);
        let is_bounded = shape.is_none() && self.code.loops[index as usize].communicates;
        let bound = if is_bounded { bound_shape(self, inner) } else { None };
        let advances = advances(self, inner);
        let endless = self.is_endless(index, test.min(self.code.loops[index as usize].body), exit);
        let code = &mut self.code.loops[index as usize];
        (code.exit, code.test, code.fold, code.endless) = (exit, test, shape, endless);
        (code.advances, code.bound) = (advances, bound);
    }

    /// Nothing from `begin` on goes beyond `exit`: neither a jump, nor a test that may fail, nor a return, nor a
    /// call that may not come back.
    fn is_endless(&self, own: u32, begin: u32, exit: u32) -> bool {
        self.code.instrs[begin as usize..exit as usize].iter().all(|instruction| match instruction {
            Instr::Jump(target) => (begin..exit).contains(target),
            Instr::Goto { .. } | Instr::Return(_) | Instr::ReturnObject(..) => false,
            Instr::LoopTest(index, src) => *index > own || self.always_true(*src),
            Instr::Call(index) => self.comes_back(&self.code.calls[*index as usize].target),
            _ => true,
        })
    }

    fn always_true(&self, src: Src) -> bool {
        matches!(src, Src::Const(index) if self.tables.known(index).truth() == Ok(true))
    }

    fn comes_back(&self, target: &CallTarget) -> bool {
        match target {
            CallTarget::Function(id) => !self.program.functions[*id].effects.may_not_return,
            CallTarget::Library(index) => !functions::never_returns(self.tables.library_name(*index)),
            CallTarget::Mpi(name) => !functions::never_returns(name),
            CallTarget::Indirect(_) => false,
        }
    }

    fn test(&mut self, index: u32, inner: &Loop) {
        if let Some(condition) = &inner.condition {
            self.region(&condition.region);
            let src = self.src(&condition.value);
            self.emit(Instr::LoopTest(index, src));
        }
    }

    pub(crate) fn branch(&mut self, block: BlockId, branch: &Branch) {
        let index = self.code.branches.len() as u32;
        let condition = self.src(&branch.condition);
        let result = branch.result.map(|value| (value.0, i64::from(branch.kind == BranchKind::Or)));
        let code = BranchCode {
            block,
            counter: self.counter(block),
            condition,
            arms: Vec::new(),
            selector: selector(branch),
            otherwise: 0,
            result,
            span: self.program.blocks[block].span,
            end: 0,
            depth: self.branch_depth,
            spoken_of: false,
        };
        self.code.branches.push(code);
        self.emit(Instr::Choose(index));
        if let Some(target) = branch.target {
            self.open_target_of_switch(target);
        }
        self.branch_depth += 1;
        for (number, arm) in branch.arms.iter().enumerate() {
            let escapes = self.reach.escapes(self.program, branch, arm);
            let target = self.here();
            self.code.branches[index as usize].arms.push(ArmCode {
                target,
                escapes,
                summarised: !arm.falls_through
                    && escapes.stays()
                    && arm.region.iter().any(|&block| self.reach.holds_loop(block)),
            });
            self.region(&arm.region);
            if let (Some((register, _)), Some(value)) = (result, &arm.value) {
                let src = self.src(value);
                self.emit(Instr::SetLocal(register, src));
            }
            if !arm.falls_through {
                self.emit(Instr::ArmEnd(index, number as u32));
            }
        }
        self.branch_depth -= 1;
        let last = branch.arms.len().saturating_sub(1) as u32;
        if let Some(target) = branch.target {
            self.close_breaks(target);
            self.close_continues(target);
        }
        // `break` and a last arm that falls through end the arm like any other end.
        self.span = self.program.blocks[block].span;
        let end = self.emit(Instr::ArmEnd(index, last)) + 1;
        let code = &mut self.code.branches[index as usize];
        (code.end, code.otherwise) = (end, end);
    }

    fn open_target_of_switch(&mut self, target: chronos_ir::TargetId) {
        self.open_target(target, self.loop_depth, self.branch_depth + 1);
    }
}

fn selector(branch: &Branch) -> Selector {
    let arms = || branch.arms.iter().enumerate().map(|(i, arm)| (i as u32, arm));
    let with = |label: ArmLabel| arms().find(|(_, arm)| arm.labels.contains(&label)).map(|(i, _)| i);
    if branch.kind != BranchKind::Switch {
        return Selector::Truth { yes: with(ArmLabel::True), no: with(ArmLabel::False) };
    }
    let mut cases: Vec<_> = arms()
        .flat_map(|(i, arm)| arm.labels.iter().map(move |label| (i, *label)))
        .filter_map(|(i, label)| match label {
            ArmLabel::Case(low, high) => Some((low, high, i)),
            _ => None,
        })
        .collect();
    cases.sort_unstable();
    Selector::Switch { cases, default: with(ArmLabel::Default) }
}
