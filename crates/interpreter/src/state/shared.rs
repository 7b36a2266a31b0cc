//! What all tasks of an evaluation share.

use crate::code::program::Code;
use crate::state::changed_files::ChangedFiles;
use crate::state::open_counts::Scratch;
use crate::state::options::EvaluatorOptions;
use crate::state::overflows::Overflows;
use crate::state::random_numbers::DrawnNumbers;
use crate::state::reports::Reports;
use chronos_activity::{ContextId, Segments};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::{BlockId, FuncId};
use chronos_slicing::doubts::Doubts;
use chronos_slicing::heuristics::Assumed;
use chronos_values::common_pages::CommonPages;
use chronos_values::storage::Fill;
use chronos_values::{Reason, ReasonId, ReasonKind, Reasons, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What all tasks share.
pub(crate) struct Shared {
    /// A clock decides something that cannot be told without it.
    pub clock_decides: bool,
    pub options: EvaluatorOptions,
    /// Operations of data-dependent slices that each task may take.
    pub budget: u64,
    /// Operations that all loops of a task may take, and all its calls of recursive functions. Asked for at each call.
    pub(crate) whole_budget: u64,
    /// Random numbers that all tasks have drawn and followed.
    pub(crate) random_numbers: DrawnNumbers,
    pub segments: Segments,
    pub reasons: Reasons,
    pub reports: Reports,
    pub scratch: Scratch,
    /// Room for the arguments of the call that is being entered: calls of short functions are many.
    pub(crate) arguments: Vec<Value>,
    /// Long arrays that tasks have in common.
    pub(crate) pages: CommonPages,
    pub uninitialised: Value,
    /// Where a value decided that is read before it is written, or beside an object.
    pub(crate) unwritten_decides: Option<Span>,
    /// Why the content of a message is not known that holds too much.
    pub(crate) too_long: ReasonId,
    /// Branches and loops whose behaviour was assumed, with what was assumed.
    pub assumed: BTreeMap<BlockId, Assumed>,
    /// Those of them that asked whether a file exists that was not given.
    pub absent: BTreeSet<BlockId>,
    /// Files that tasks have written or removed, by name.
    pub(crate) changed_files: ChangedFiles,
    /// What was used although a run may have it otherwise.
    pub doubts: Doubts,
    pub(crate) overflows: Overflows,
    /// Some task has given up a loop (`execute::effort`).
    pub(crate) given_up: bool,
    /// Of some library call it is not known how many bytes it is for.
    pub(crate) lacks_bytes: bool,
    /// What was known although somebody spoke of it.
    pub settled: BTreeMap<BlockId, chronos_slicing::annotations::AnnotationCheck>,
    /// Per call block, the context it was last made in, whom it called, and the context of that.
    pub(crate) last_contexts: Vec<(chronos_activity::ContextId, chronos_ir::FuncId, chronos_activity::ContextId)>,
    /// Contexts of calls, by call of a function.
    pub contexts: FxHashMap<(chronos_activity::ContextId, BlockId, chronos_ir::FuncId), chronos_activity::ContextId>,
}

/// The budget holds for one execution of one loop; for all loops of all tasks it is so many times as large, and
/// for those of one task no less than once.
const LOOPS_OF_A_BUDGET: u64 = 80;

/// What all loops of a task may take, where each execution of one may take `budget`.
pub(crate) fn whole_budget(budget: u64, tasks: u32) -> u64 {
    budget.saturating_mul((LOOPS_OF_A_BUDGET / u64::from(tasks.max(1))).max(1))
}

impl Shared {
    /// Whether segments are told at the end how well their branches are predicted, so that it is worth following what repeats
    /// until they are learnt. Several tasks are followed with one predictor, which all but the first would find taught.
    pub(crate) fn tells_predictions_at_end(&self) -> bool {
        self.options.tasks == 1 && !self.options.ignores_prediction
    }

    /// What new memory holds: zeros where that is assumed.
    pub(crate) fn fresh(&self) -> Fill {
        match self.options.assumptions.unwritten_is_zero {
            Some(_) => Fill::Zero,
            None => Fill::Value(self.uninitialised),
        }
    }

    /// Operations after which a loop is given up while it is being executed: where it can, it comes to its end first.
    pub(crate) fn hard_budget(&self) -> u64 {
        let whole = self.whole_budget;
        whole.saturating_add(whole / 4)
    }

    /// The context of a call in another one.
    pub(crate) fn context_below(
        &mut self,
        code: &Code,
        parent: ContextId,
        call: BlockId,
        function: FuncId,
    ) -> ContextId {
        let key = (parent, call, function);
        if let Some(&context) = self.contexts.get(&key) {
            return context;
        }
        let context = self.segments.enter(parent, call, function);
        let compiled = &code.functions[function.index()];
        self.scratch.open(context, compiled.first_counter, compiled.counters);
        self.contexts.insert(key, context);
        context
    }

    pub fn reason(&mut self, kind: ReasonKind, span: Option<Span>, origin: Option<ReasonId>) -> ReasonId {
        self.reasons.intern(Reason { kind, span, origin })
    }
}
