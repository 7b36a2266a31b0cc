//! Jumps, labels, and the loops that jumps backwards make.

use crate::code::instructions::{Instr, LoopCode};
use crate::compile::functions::{Compiler, Destination};
use chronos_base::span::Span;
use chronos_ir::{Arg, BlockId, Jump, TargetId};

impl Compiler<'_> {
    pub(super) fn jump(&mut self, jump: &Jump) {
        match jump {
            Jump::Break(target) => self.jump_to(*target, true),
            Jump::Continue(target) => self.jump_to(*target, false),
            Jump::Goto(label) => {
                let at = self.emit(Instr::Goto { target: 0, loops: 0, branches: 0 });
                self.gotos.push((at, *label));
            }
            Jump::Return(None) => {
                self.emit(Instr::Return(None));
            }
            Jump::Return(Some(Arg::Scalar(operand))) => {
                let src = self.src(operand);
                self.emit(Instr::Return(Some(src)));
            }
            Jump::Return(Some(Arg::Object(place, bytes))) => {
                let place = self.place(place);
                self.emit(Instr::ReturnObject(place, *bytes));
            }
        }
    }

    pub(super) fn jump_to(&mut self, target: TargetId, breaks: bool) {
        let at = self.here();
        let destinations = if breaks { &mut self.breaks } else { &mut self.continues };
        let destination = destinations.entry(target).or_default();
        destination.patches.push(at);
        let (loops, branches) = (destination.loops, destination.branches);
        self.emit(Instr::Goto { target: 0, loops, branches });
    }

    /// Announces a target of `break` (and `continue`) before its body is compiled.
    pub(crate) fn open_target(&mut self, target: TargetId, loops: u32, branches: u32) {
        let destination = Destination { loops, branches, patches: Vec::new() };
        self.breaks.insert(target, destination.clone());
        self.continues.insert(target, destination);
    }

    pub(crate) fn close_breaks(&mut self, target: TargetId) {
        let here = self.here();
        let patches = self.breaks.remove(&target).map(|d| d.patches).unwrap_or_default();
        self.patch(&patches, here);
    }

    pub(crate) fn close_continues(&mut self, target: TargetId) {
        let here = self.here();
        let patches = self.continues.remove(&target).map(|d| d.patches).unwrap_or_default();
        self.patch(&patches, here);
    }

    pub(crate) fn patch(&mut self, patches: &[u32], to: u32) {
        for &at in patches {
            match &mut self.code.instrs[at as usize] {
                Instr::Goto { target, .. } | Instr::Jump(target) => *target = to,
                _ => {}
            }
        }
    }

    pub(super) fn patch_gotos(&mut self) {
        for (at, label) in std::mem::take(&mut self.gotos) {
            if let Some(label) = self.labels.get(&label) {
                if label.target < at && self.code.reaches_mpi {
                    let span = self.code.spans[at as usize];
                    self.code.backs.push(jump_loop(label, at, span));
                }
                let loops = self.code.around.len() as u32;
                self.code.around.push(label.loops.clone().into());
                self.code.instrs[at as usize] =
                    Instr::GotoLabel { target: label.target, loops, branches: label.branches };
            }
        }
        self.code.backs.sort_by_key(|back| back.body);
        self.code.backs.dedup_by_key(|back| back.body);
    }
}

/// A `goto` label: its instruction, the loops around it, the number of branches around it.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) block: BlockId,
    pub(super) target: u32,
    pub(super) loops: Vec<u32>,
    pub(super) branches: u32,
}

/// A loop of jumps back to a label, of which nothing is known but where it begins.
pub(super) fn jump_loop(label: &Label, from: u32, span: Span) -> LoopCode {
    LoopCode {
        block: label.block,
        counter: 0,
        reaches_mpi: true,
        glances: false,
        communicates: true,
        start: label.target,
        body: label.target,
        step: from,
        exit: from,
        test: from,
        fold: None,
        bound: None,
        advances: Box::default(),
        endless: false,
        spoken_of: false,
        writes: Box::default(),
        span,
        jump: true,
    }
}
