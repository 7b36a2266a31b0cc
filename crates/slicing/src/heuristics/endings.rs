//! What ends the program.

use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_ir::{BlockId, BlockKind, Callee, OpKind, Program, Region};

/// The functions that never return.
#[derive(Clone, Debug)]
pub struct Endings {
    never_returns: Vec<bool>,
}

impl Endings {
    /// Finds the functions of the program that never return, by iteration until nothing changes.
    pub fn new(program: &Program) -> Self {
        let mut endings = Self { never_returns: vec![false; program.functions.len()] };
        loop {
            let mut changed = false;
            for (id, function) in program.functions.iter() {
                if !endings.never_returns[id.index()] && endings.region(program, &function.body) {
                    endings.never_returns[id.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return endings;
            }
        }
    }

    /// Every way through the region ends the program.
    pub fn region(&self, program: &Program, region: &Region) -> bool {
        region.iter().any(|&block| self.block(program, block))
    }

    fn block(&self, program: &Program, block: BlockId) -> bool {
        match &program.blocks[block].kind {
            BlockKind::Straight(straight) => straight.ops.iter().any(|op| match op.kind {
                OpKind::Call(call) => self.call(program, call),
                _ => false,
            }),
            BlockKind::Branch(branch) => {
                branch.arms.len() > 1 && branch.arms.iter().all(|arm| self.region(program, &arm.region))
            }
            _ => false,
        }
    }

    fn call(&self, program: &Program, call: BlockId) -> bool {
        match program.call(call).map(|call| &call.callee) {
            Some(Callee::Function(function)) => self.never_returns[function.index()],
            Some(Callee::Library(name)) => functions::never_returns(name),
            Some(Callee::Mpi(name)) => functions::never_returns(name),
            _ => false,
        }
    }
}
