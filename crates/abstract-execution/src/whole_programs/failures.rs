//! Abstract execution of a whole program: it begins before `main`, meets MPI calls and the end of the
//! program, and goes on behind whatever it cannot follow.

use crate::Unsummarisable;
use crate::counts::amount::Amount;
use crate::counts::path::Path;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::{Execution, Flow};
use chronos_activity::{ContextId, Count};
use chronos_ir::{BlockId, BlockKind, CounterId, FuncId, Jump, OpKind, ValueId};
use chronos_slicing::targets;
use chronos_values::{ReasonId, ReasonKind};
use std::collections::BTreeSet;

/// Places reported that could not be followed.
const MAX_FAILURES: usize = 1000;

impl Execution<'_> {
    /// The block; where it cannot be followed, everything in it is unknown and execution goes on behind.
    pub fn block_or_failure(&mut self, id: BlockId, path: Path) -> Flow {
        let composed = matches!(self.setting.program.blocks[id].kind, BlockKind::Loop(_) | BlockKind::Branch(_));
        if self.whole_program.is_none() || !composed {
            return self.block(id, path);
        }
        let entry = self.state.clone();
        let (depth, trials, escapes) = (self.frames.len(), self.trials, self.frame().escapes.len());
        let result = self.block(id, path.clone());
        let Err(failure) = result else { return result };
        self.frames.truncate(depth);
        self.trials = trials;
        self.frame().escapes.truncate(escapes);
        self.state = entry;
        if self.jumps_away(id) {
            return Err(failure);
        }
        let reason = self.note_failure(failure);
        self.lose_written(id, reason);
        let (context, mut seen) = (self.context(), BTreeSet::new());
        self.lose_counts(id, context, reason, &mut seen);
        self.assign_lost_counts();
        Ok(path)
    }

    fn lose_written(&mut self, id: BlockId, reason: ReasonId) {
        let written = self.setting.mods.block(self.setting.program, self.setting.analysis, id);
        for &class in written.iter() {
            self.lose_class(class, reason);
        }
    }

    /// A jump in the block leads out of it.
    fn jumps_away(&self, id: BlockId) -> bool {
        let end = self.setting.analysis.subtree_end(id);
        self.inside(id).any(|inner| {
            let BlockKind::Straight(straight) = &self.setting.program.blocks[inner].kind else { return false };
            let Some(OpKind::Jump(jump)) = straight.ops.last().map(|op| &op.kind) else { return false };
            match jump {
                Jump::Break(target) | Jump::Continue(target) => {
                    let stays =
                        self.setting.program.functions[self.setting.program.blocks[id].function].targets[*target];
                    stays < id || stays >= end
                }
                Jump::Goto(_) | Jump::Return(_) => true,
            }
        })
    }

    /// Notes what could not be followed.
    pub fn note_failure(&mut self, failure: Unsummarisable) -> ReasonId {
        let span = self.setting.program.blocks[failure.block].span;
        let reason = self.reason(ReasonKind::Unsupported(failure.why.as_str().into()), Some(span));
        self.uncertainties += u64::from(self.trials == 0);
        if let (0, Some(whole)) = (self.trials, &mut self.whole_program)
            && whole.failures.len() < MAX_FAILURES
            && !whole.failures.contains(&failure)
        {
            whole.failures.push(failure);
        }
        reason
    }

    /// A count that the counting engine gave up on.
    pub(crate) fn uncountable(&mut self, block: BlockId, key: (ContextId, CounterId)) {
        let reason = self.note_failure(Self::too_complex(block, crate::counts::TooComplex));
        self.counts.insert(key, Amount::Number(Count::UNKNOWN));
        self.inexact_reasons.insert(key, reason);
        if self.by_last_call.on {
            let set = self.any_last_call();
            self.by_last_call.add_unknown(key, set);
        }
    }

    /// All counters in a block become unknown, those of what it calls too.
    fn lose_counts(&mut self, id: BlockId, context: ContextId, reason: ReasonId, seen: &mut BTreeSet<FuncId>) {
        if self.trials > 0 {
            return;
        }
        let program = self.setting.program;
        for inner in self.inside(id) {
            let block = &program.blocks[inner];
            self.note_lost_block(inner, context);
            for offset in 0..block.counters() {
                let key = (context, block.counter(offset));
                self.counts.insert(key, Amount::Number(Count::UNKNOWN));
                self.inexact_reasons.insert(key, reason);
            }
            if let BlockKind::Call(call) = &block.kind {
                for target in targets(program, call) {
                    let inner = self.setting.segments.enter(context, inner, target);
                    self.lose_counts_of_function(target, inner, reason, seen);
                }
            }
        }
    }

    pub(crate) fn lose_counts_of_function(
        &mut self,
        function: FuncId,
        context: ContextId,
        reason: ReasonId,
        seen: &mut BTreeSet<FuncId>,
    ) {
        if seen.insert(function) {
            for &block in &self.setting.program.functions[function].body {
                self.lose_counts(block, context, reason, seen);
            }
        }
    }

    /// Functions that a library calls: nobody knows how often.
    pub(crate) fn lose_counts_of_callbacks(&mut self, leaf: BlockId, functions: &[FuncId], why: String) {
        let reason = self.note_failure(Unsummarisable { block: leaf, why });
        let (context, mut seen) = (self.context(), BTreeSet::new());
        if self.trials > 0 {
            return;
        }
        for &function in functions {
            let inner = self.setting.segments.enter(context, leaf, function);
            self.lose_counts_of_function(function, inner, reason, &mut seen);
        }
        self.assign_lost_counts();
    }

    /// A call whose functions are not executed.
    pub(crate) fn unfollowed_call(&mut self, leaf: BlockId, dst: Option<ValueId>, path: Path, why: &str) -> Path {
        self.note_failure(Unsummarisable { block: leaf, why: why.to_owned() });
        self.call_with_lost_counts(leaf, dst, path)
    }

    pub(crate) fn call_with_lost_counts(&mut self, leaf: BlockId, dst: Option<ValueId>, path: Path) -> Path {
        let program = self.setting.program;
        let span = program.blocks[leaf].span;
        let reason = self.reason(ReasonKind::NotEvaluated, Some(span));
        for class in self.setting.mods.call(program, self.setting.analysis, leaf) {
            self.lose_class(class, reason);
        }
        if let Some(dst) = dst {
            self.frame().values.insert(dst, Symbolic::Unknown(reason));
        }
        let (context, mut seen) = (self.context(), BTreeSet::new());
        for target in program.call(leaf).map(|call| targets(program, call)).unwrap_or_default() {
            let inner = self.setting.segments.enter(context, leaf, target);
            if self.trials == 0 {
                self.lose_counts_of_function(target, inner, reason, &mut seen);
            }
        }
        self.assign_lost_counts();
        path
    }
}
