//! Executions that end the program, and jumps to labels.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::state::execution::{Escape, Execution, Flow, Frame};
use chronos_ir::{BlockId, BlockKind, Callee, Jump};

impl Execution<'_> {
    /// The program ends for these executions.
    pub(crate) fn end_program(&mut self, leaf: BlockId, path: Path) -> Path {
        let state = self.state.clone();
        let escape = Escape { jump: Jump::Return(None), block: leaf, path, state, value: None, ends: true };
        self.frame().escapes.push(escape);
        Path::unreachable()
    }

    /// The call may end the program.
    pub(crate) fn may_end(&self, leaf: BlockId) -> bool {
        match self.setting.program.call(leaf).map(|call| &call.callee) {
            Some(Callee::Library(name) | Callee::Mpi(name)) => chronos_functions::never_returns(name),
            Some(Callee::Function(function)) => self.setting.program.functions[*function].effects.may_not_return,
            Some(Callee::Indirect(_)) | None => false,
        }
    }

    /// Hands executions that ended the program to the caller's frame; those that come back from the call.
    pub(crate) fn split_off_endings(&mut self, frame: &mut Option<Frame>, through: &Path, call: &Path) -> Path {
        let Some(frame) = frame.as_mut().filter(|frame| frame.escapes.iter().any(|escape| escape.ends)) else {
            return call.clone();
        };
        let (ended, back): (Vec<Escape>, Vec<Escape>) = frame.escapes.drain(..).partition(|escape| escape.ends);
        let after = back.iter().fold(through.clone(), |path, escape| path.union(escape.path.clone()));
        frame.escapes = back;
        self.frame().escapes.extend(ended);
        after
    }

    /// Executions that jumped to the label of the block join those that come from above.
    pub fn join_gotos(&mut self, block: BlockId, path: Path) -> Path {
        let BlockKind::Straight(straight) = &self.setting.program.blocks[block].kind else { return path };
        match (straight.label, &self.whole_program) {
            (Some(label), Some(_)) => self.join(0, &Jump::Goto(label), path),
            _ => path,
        }
    }

    /// Fails where an execution jumped to a label that it did not reach: one further up, or within a block.
    pub(crate) fn reject_lost_gotos(leaf: BlockId, through: Path, frame: Option<&Frame>) -> Flow {
        let escapes = frame.map_or(&[][..], |frame| &frame.escapes);
        Self::all_returned(Some(leaf), through, escapes)
    }

    pub(crate) fn all_returned(block: Option<BlockId>, through: Path, escapes: &[Escape]) -> Flow {
        let lost = escapes.iter().any(|escape| matches!(escape.jump, Jump::Goto(_)) && !escape.path.is_unreachable());
        match block.filter(|_| lost) {
            Some(block) => Err(Unsummarisable { block, why: "goto upwards or into a block".into() }),
            None => Ok(through),
        }
    }
}
