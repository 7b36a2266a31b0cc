//! Blocks one after the other: the abstract execution of a region.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::state::execution::{Escape, Execution, Flow};
use chronos_base::governor;
use chronos_ir::{Arg, BlockId, BlockKind, Jump, OpKind};

/// Operations of abstract execution before it gives up.
const MAX_OPERATIONS: u64 = 2_000_000;

impl<'a> Execution<'a> {
    /// Executes blocks one after the other.
    pub fn region(&mut self, region: &[BlockId], mut path: Path) -> Flow {
        for &block in region {
            path = self.join_gotos(block, path);
            if !path.is_unreachable() {
                path = self.block_or_failure(block, path)?;
            }
        }
        Ok(path)
    }

    pub fn block(&mut self, id: BlockId, path: Path) -> Flow {
        let program = self.setting.program;
        match &program.blocks[id].kind {
            BlockKind::Straight(straight) => {
                self.count(id, 0, &path)?;
                self.operations(id, &straight.ops, path)
            }
            BlockKind::Loop(l) => self.run_loop(id, l, path),
            BlockKind::Branch(branch) => self.branch(id, branch, path),
            BlockKind::Call(_) => Ok(path),
        }
    }

    fn operations(&mut self, id: BlockId, ops: &'a [chronos_ir::Op], mut path: Path) -> Flow {
        self.operations += ops.len() as u64 + 1;
        if self.operations > MAX_OPERATIONS {
            return Err(Unsummarisable { block: id, why: "too many operations for one summary".into() });
        }
        if governor::exceeded().is_some() {
            return Err(Unsummarisable { block: id, why: "the limit of time or memory".into() });
        }
        for op in ops {
            match &op.kind {
                OpKind::Call(leaf) => path = self.call(*leaf, op.dst, path)?,
                OpKind::Jump(jump) => return self.jump(id, jump, path),
                _ => self.operation(op, &path),
            }
            if path.is_unreachable() {
                break;
            }
        }
        Ok(path)
    }

    fn jump(&mut self, id: BlockId, jump: &Jump, path: Path) -> Flow {
        let value = match jump {
            Jump::Goto(label) if self.whole_program.is_none() && !self.leads_out(*label) => {
                return Err(Unsummarisable { block: id, why: "goto".into() });
            }
            Jump::Return(Some(Arg::Scalar(operand))) => Some(self.operand(operand)),
            _ => None,
        };
        let state = self.state.clone();
        self.frame().escapes.push(Escape { jump: jump.clone(), block: id, path, state, value, ends: false });
        Ok(Path::unreachable())
    }
}
