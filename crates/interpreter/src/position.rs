//! Where a task stands: what it has executed before will not be executed again, unless a loop leads there.

use crate::code::instructions::Instr;
use crate::code::program::FunctionCode;
use crate::evaluator::Evaluator;
use crate::state::task::{Frame, Task};
use chronos_activity::TaskId;
use chronos_base::ids::Id;
use chronos_ir::{BlockId, FuncId};

/// Where one of the active functions of a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// At a call, branch or loop.
    At(BlockId),
    /// Anywhere in the function.
    In(FuncId),
}

impl Evaluator {
    /// The positions of a task's active functions, outermost first; empty before its begin and after its end.
    pub fn positions(&self, task: TaskId) -> Vec<Position> {
        let frames = self.tasks.get(task.0 as usize).map(|task: &Task| &task.frames[..]).unwrap_or_default();
        let code = &self.programs.of(task.0 as usize).code;
        let position = |frame: &Frame| {
            let function = &code.functions[frame.function.index()];
            at(function, frame.pc as usize).map_or(Position::In(frame.function), Position::At)
        };
        frames.iter().map(position).collect()
    }
}

/// The block whose instruction came last.
fn at(function: &FunctionCode, pc: usize) -> Option<BlockId> {
    Some(match *function.instrs.get(pc.checked_sub(1)?)? {
        Instr::Call(call) => function.calls.get(call as usize)?.block,
        Instr::Choose(branch) => function.branches.get(branch as usize)?.block,
        Instr::LoopEnter(index) | Instr::LoopTest(index, _) | Instr::LoopIterate(index) => {
            function.loops.get(index as usize)?.block
        }
        _ => return None,
    })
}
