//! Jumps out of loops and branches: what they leave is closed in its order.

use crate::codes;
use crate::execute::machine::{Flow, Machine};
use crate::state::task::SplitKind;
use chronos_values::Value;

impl Machine<'_> {
    /// A jump. One that leaves a split ends its current way.
    pub(crate) fn go_to(&mut self, target: u32, loops: u32, branches: u32) -> Flow<()> {
        let (loop_base, split_base) =
            self.task.frames.last().map_or((0, 0), |frame| (frame.loops as usize, frame.splits as usize));
        if self.task.splits.len() > split_base && self.leaves_split(loops, branches, loop_base, split_base) {
            return self.leave_way(target, None);
        }
        self.leave_loops(loop_base + loops as usize)?;
        self.set_pc(target);
        Ok(())
    }

    /// A jump to a label, which may stand in loops that are not entered yet.
    pub(crate) fn go_to_label(&mut self, target: u32, around: &[u32], branches: u32) -> Flow<()> {
        let (base, pc) = self.task.frames.last().map_or((0, 0), |frame| (frame.loops as usize, frame.pc));
        self.watch_jumps(pc, target)?;
        let active = self.task.loops[base..].iter().map(|state| state.index);
        let common = active.zip(around).take_while(|(a, b)| a == *b).count();
        let frames = self.task.frames.len();
        self.go_to(target, common as u32, branches)?;
        let arrived = self.task.frames.len() == frames && self.task.frames.last().is_some_and(|f| f.pc == target);
        if arrived {
            around[common..].iter().for_each(|&index| self.enter_midway(index));
            if target < pc && common == around.len() {
                return self.jumped_back(target);
            }
        }
        Ok(())
    }

    /// Jumps back make loops that no loop statement counts.
    pub(super) fn watch_jumps(&mut self, from: u32, target: u32) -> Flow<()> {
        self.task.jumped += u64::from(from.saturating_sub(target));
        let budget = self.shared.budget.max(1000);
        if self.task.jumped <= budget.saturating_mul(4) {
            return Ok(());
        }
        let help = format!("if it ends, raise --budget (now {budget} operations per task)");
        Err(self.error(&codes::ENDLESS, "jumps back were followed without an end in sight", &help))
    }

    pub(super) fn leaves_split(&self, loops: u32, branches: u32, loop_base: usize, split_base: usize) -> bool {
        let function = self.function();
        self.task.splits[split_base..].iter().rev().any(|split| match &split.kind {
            SplitKind::Branch { branch, .. } => {
                let code = &function.branches[*branch as usize];
                branches <= code.depth || loop_base + (loops as usize) < split.loops as usize
            }
            SplitKind::Remainder => false,
        })
    }

    /// The current way of the innermost split leaves it, by a jump to `target` or by a return.
    pub(crate) fn leave_way(&mut self, target: u32, returned: Option<Option<Value>>) -> Flow<()> {
        let base = self.task.frames.last().map_or(0, |frame| frame.splits) as usize;
        // All of the way leaves: what it lost before is part of that.
        while self.task.splits.len() > base
            && self.task.splits.last().is_some_and(|split| split.kind == SplitKind::Remainder)
        {
            self.close_remainder();
        }
        if let (Some(value), Some(frame)) = (returned, self.task.frames.last_mut()) {
            frame.alternatives.push(value);
        }
        let Some(split) = self.task.splits.last_mut() else { return Ok(()) };
        let SplitKind::Branch { branch, current, source, .. } = &split.kind else { return Ok(()) };
        let (branch, current, source) = (*branch, *current, *source);
        split.left.push((current, source));
        split.exit = Some(target);
        let loops = split.loops as usize;
        self.task.loops.truncate(loops.max(self.task.frames.last().map_or(0, |frame| frame.loops) as usize));
        let function = self.function();
        self.end_way(&function.branches[branch as usize]);
        Ok(())
    }

    /// Ends remainders of the current frame that were begun inside the innermost loop.
    pub(crate) fn close_remainders(&mut self, loops: usize) {
        let base = self.task.frames.last().map_or(0, |frame| frame.splits) as usize;
        while self.task.splits.len() > base
            && self
                .task
                .splits
                .last()
                .is_some_and(|split| split.kind == SplitKind::Remainder && split.loops as usize >= loops)
        {
            self.close_remainder();
        }
    }

    pub(crate) fn leave_loops(&mut self, keep: usize) -> Flow<()> {
        while self.task.loops.len() > keep {
            self.pop_loop();
        }
        Ok(())
    }
}
