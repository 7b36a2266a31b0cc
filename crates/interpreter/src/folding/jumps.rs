//! Loops that are written with `goto` and poll: a jump back to a label begins their next iteration.
//!
//! Such a loop has no block, and nothing tells where it ends. It is taken to be over when a poll succeeds, when its function
//! returns, or when anything around it changes.

use crate::code::instructions::LoopCode;
use crate::execute::machine::{Flow, Machine};
use crate::state::jumps::JumpLoop;
use crate::state::task::{LoopMode, LoopState};

impl<'a> Machine<'a> {
    /// A jump back to a label has arrived.
    pub(crate) fn jumped_back(&mut self, target: u32) -> Flow<()> {
        let Some(code) =
            self.back_target(target).filter(|_| self.task.splits.is_empty() && self.task.called_back.is_none())
        else {
            return Ok(());
        };
        if self.task.jump.as_ref().is_none_or(|jump| !self.is_current(jump, target)) {
            self.forget_jump();
            self.task.jump = Some(Box::new(self.new_jump(target)));
        }
        self.in_jump(|machine| machine.fold(code).map(|_| ()))
    }

    fn back_target(&self, target: u32) -> Option<&'a LoopCode> {
        let backs = &self.function().backs;
        let found = backs.binary_search_by_key(&target, |back| back.body).ok()?;
        Some(&backs[found])
    }

    /// The code of the loop of jumps that the task is in.
    pub(crate) fn jump_code(&self) -> Option<&'a LoopCode> {
        self.back_target(self.task.jump.as_ref()?.target)
    }

    /// Does something with the loop of jumps as the innermost loop.
    pub(crate) fn in_jump(&mut self, act: impl FnOnce(&mut Self) -> Flow<()>) -> Flow<()> {
        let Some(jump) = self.task.jump.take() else { return Ok(()) };
        let JumpLoop { target, frames, loops, state, .. } = *jump;
        self.task.loops.push(state);
        let flow = act(self);
        if let Some(state) = self.task.loops.pop() {
            let watching = state.fold.as_ref().is_some_and(|fold| fold.watching);
            let log = if watching { self.task.logs.id(state.logs as usize) } else { None };
            self.task.jump = Some(Box::new(JumpLoop { target, frames, loops, state, log }));
        }
        flow
    }

    fn new_jump(&self, target: u32) -> JumpLoop {
        let state = LoopState {
            index: u32::MAX,
            weight: self.task.weight,
            splits: 0,
            logs: self.task.logs.len() as u32,
            iterations: 0,
            native: 0,
            mode: LoopMode::Normal,
            written: None,
            fold: None,
            watch: Default::default(),
        };
        JumpLoop { target, frames: self.task.frames.len(), loops: self.task.loops.len(), state, log: None }
    }

    /// Nothing has come between the last jump to the label and now.
    fn is_current(&self, jump: &JumpLoop, target: u32) -> bool {
        let same_place =
            (jump.target, jump.frames, jump.loops) == (target, self.task.frames.len(), self.task.loops.len());
        same_place && self.has_its_log(jump)
    }

    fn has_its_log(&self, jump: &JumpLoop) -> bool {
        let first = jump.state.logs as usize;
        let logs = self.task.logs.len();
        if jump.log.is_some() { self.task.logs.id(first) == jump.log } else { logs == first }
    }

    /// The loop of jumps is over; what it has watched goes to those around it.
    pub(crate) fn forget_jump(&mut self) {
        let Some(jump) = self.task.jump.take() else { return };
        if jump.state.fold.as_ref().is_some_and(|fold| fold.trial.is_some()) {
            self.task.end_linear();
        }
        if jump.log.is_some() && self.has_its_log(&jump) && self.task.splits.is_empty() {
            self.drop_watch(jump.state.logs as usize);
        }
    }

    /// A function has returned: a loop of jumps in it is over.
    pub(crate) fn forget_inner_jump(&mut self) {
        if self.task.jump.as_ref().is_some_and(|jump| jump.frames > self.task.frames.len()) {
            self.forget_jump();
        }
    }
}
