//! Which MPI call came last, in abstract execution: by cases where conditions tell, else a set of calls.
//!
//! Only whole programs are followed so.

use crate::counts::TooComplex;
use crate::counts::amount::Amount;
use crate::counts::by_last_call::{Item, LastCallOption, LastCallSetId, LoopRoundId};
use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::formula::{Conjunction, Constraint, Formula, conjoin};
use crate::state::execution::Execution;
use crate::state::last_call::LastCall;
use crate::state::store::State;
use chronos_activity::{Count, CountSource, CountValue};
use chronos_functions as functions;
use chronos_ir::{BlockId, Callee, Jump, TargetId};
use std::collections::{BTreeMap, BTreeSet};

/// Cases that are worth being counted apart.
const MAX_CASES: usize = 6;

impl Execution<'_> {
    /// The call is the last one from here on.
    pub(crate) fn note_last_call(&mut self, leaf: BlockId, name: &str) {
        if self.by_last_call.on && communicates(name) {
            let call = LastCallOption::Call(self.context(), leaf);
            self.state.last = LastCall::of(self.by_last_call.set(BTreeSet::from([call])));
        }
    }

    /// Of states that come together.
    pub(crate) fn merged_last_call(&mut self, states: &[(Option<Formula>, State)]) -> LastCall {
        if !self.by_last_call.on {
            return LastCall::default();
        }
        let values: Vec<_> = states.iter().map(|(guard, state)| (guard.clone(), state.last.0.clone())).collect();
        match self.one_of(&values) {
            Some(value) if value.cases().is_some_and(|cases| cases.len() <= MAX_CASES) => LastCall(value),
            _ => self.union_of_last_calls(states.iter().map(|(_, state)| &state.last)),
        }
    }

    /// One of them, nobody knows which.
    fn union_of_last_calls<'l>(&mut self, all: impl Iterator<Item = &'l LastCall>) -> LastCall {
        let sets = all.flat_map(LastCall::cases).map(|(_, set)| set);
        let members = sets.flat_map(|set| self.by_last_call.members(set)).collect();
        LastCall::of(self.by_last_call.set(members))
    }

    /// The head of a loop: in its first iteration what was last before, in each other what its body ends with.
    /// `k` counts the iterations, where they are told apart.
    pub(crate) fn open_round(&mut self, id: BlockId, k: Option<Symbol>) -> Option<LoopRoundId> {
        if !self.by_last_call.on || !self.setting.analysis.reaches_mpi(id) {
            return None;
        }
        let round = self.by_last_call.open_round();
        let again = self.by_last_call.set(BTreeSet::from([LastCallOption::Round(round)]));
        let entry = self.state.last.clone();
        let apart = k.and_then(|k| {
            let first = vec![Constraint::Zero(Affine::symbol(k))];
            let later = vec![Constraint::Nonnegative(Affine::symbol(k).plus(-1)?)];
            let entered = entry.cases().into_iter().map(|(guard, set)| (conjoin(&guard, &first), set));
            let cases: Vec<_> = entered.chain([(later, again)]).collect();
            if cases.len() <= MAX_CASES { LastCall::from_cases(cases) } else { None }
        });
        self.state.last = apart.unwrap_or_else(|| self.union_of_last_calls([entry, LastCall::of(again)].iter()));
        Some(round)
    }

    /// The end of an iteration, if any execution gets there.
    pub(crate) fn close_round(&mut self, round: Option<LoopRoundId>, end: &Path) {
        let Some(round) = round.filter(|_| !end.is_unreachable()) else { return };
        let cases = self.state.last.cases();
        let several = cases.len() > 1;
        let reached = cases.into_iter().filter(|(guard, _)| !several || !self.is_refuted(end, guard));
        let ends = reached.flat_map(|(_, set)| self.by_last_call.members(set)).collect();
        self.by_last_call.close_round(round, ends);
    }

    /// Behind a loop of `trips` iterations; `end` is what its body ends with.
    pub(crate) fn last_call_after_loop(
        &mut self,
        entry: &LastCall,
        end: Option<&LastCall>,
        surely: bool,
        trips: Option<&Affine>,
    ) -> LastCall {
        let Some(end) = end.filter(|end| self.by_last_call.on && *end != entry) else { return entry.clone() };
        if surely {
            return end.clone();
        }
        let apart = trips.and_then(|trips| {
            let runs = vec![Constraint::Nonnegative(trips.plus(-1)?)];
            let not = vec![Constraint::Nonnegative(trips.negate()?)];
            let under = |last: &LastCall, condition: &Conjunction| {
                last.cases().into_iter().map(|(guard, set)| (conjoin(&guard, condition), set)).collect::<Vec<_>>()
            };
            let cases: Vec<_> = under(end, &runs).into_iter().chain(under(entry, &not)).collect();
            if cases.len() <= MAX_CASES { LastCall::from_cases(cases) } else { None }
        });
        apart.unwrap_or_else(|| self.union_of_last_calls([entry, end].into_iter()))
    }

    /// What the body ends with in its last iteration, seen from behind the loop.
    pub(crate) fn last_call_in_last_iteration(&mut self, end: &LastCall, k: Symbol, last: Option<&Affine>) -> LastCall {
        match self.at_last(&end.0, k, last) {
            Some(value) => LastCall(value),
            None => self.union_of_last_calls([end].into_iter()),
        }
    }

    /// Behind a loop that jumps may end: what was last at a jump to `target`, or one of `others`.
    pub(crate) fn last_call_at_exits(&mut self, before: usize, target: TargetId, others: &[LastCall]) -> LastCall {
        if !self.by_last_call.on {
            return LastCall::default();
        }
        let jumped = self.frame().escapes.iter().skip(before).filter(|escape| escape.jump == Jump::Break(target));
        let mut all: Vec<LastCall> = jumped.map(|escape| escape.state.last.clone()).collect();
        all.extend(others.iter().cloned());
        self.union_of_last_calls(all.iter())
    }

    /// Adds what was counted to the stretches it belongs to. `count` counts on a part of the path.
    pub fn attribute_to_last_call(
        &mut self,
        item: Item,
        path: &Path,
        whole: &Amount,
        count: impl Fn(&mut Self, &Path) -> Result<Amount, TooComplex>,
    ) {
        if !self.by_last_call.on || self.trials > 0 || whole.is_zero() {
            return;
        }
        let (context, cases) = (self.context(), self.state.last.cases());
        let parts = if cases.len() > 1 { self.divided_by_case(&cases, path, whole, count) } else { None };
        match parts {
            Some(parts) => parts.into_iter().for_each(|(set, part)| self.by_last_call.add(context, item, set, part)),
            None => {
                let set = self.any_last_call();
                self.by_last_call.add(context, item, set, whole.clone());
            }
        }
    }

    /// The set of all that may have come last.
    pub(crate) fn any_last_call(&mut self) -> LastCallSetId {
        let last = self.state.last.clone();
        let any = self.union_of_last_calls([&last].into_iter());
        any.cases().first().map_or(LastCallSetId::START, |case| case.1)
    }

    fn divided_by_case(
        &mut self,
        cases: &[(Conjunction, LastCallSetId)],
        path: &Path,
        whole: &Amount,
        count: impl Fn(&mut Self, &Path) -> Result<Amount, TooComplex>,
    ) -> Option<BTreeMap<LastCallSetId, Amount>> {
        let unknown = matches!(whole, Amount::Number(Count { value: CountValue::Unknown, .. }));
        if unknown || !cases.iter().all(|(guard, _)| self.is_decided_on(guard, path)) {
            return None;
        }
        let mut parts = BTreeMap::new();
        for (guard, set) in cases {
            let part = path.restricted(&Formula { pieces: vec![guard.clone()] })?;
            if part.is_unreachable() {
                continue;
            }
            let amount =
                self.with_own_steps(|run| count(run, &part)).ok().filter(|a| a.source() != CountSource::Unknown)?;
            if !amount.is_zero() {
                let sum = parts.entry(*set).or_insert(Amount::ZERO);
                *sum = std::mem::replace(sum, Amount::ZERO).plus(amount);
            }
        }
        Some(parts)
    }

    /// Every counter in the condition is one of the path, or free.
    fn is_decided_on(&self, guard: &Conjunction, path: &Path) -> bool {
        let quotients = &self.symbols.quotients;
        let mentioned: BTreeSet<Symbol> =
            guard.iter().flat_map(|c| c.affine().symbols()).flat_map(|symbol| quotients.sources(symbol)).collect();
        let is_made = |symbol: Symbol| quotients.get(symbol).is_some() || quotients.free.get(symbol).is_some();
        let counted = |symbol: Symbol| path.pieces.iter().all(|piece| piece.symbols.contains(&symbol));
        mentioned.into_iter().all(|symbol| is_made(symbol) || quotients.free.is_parameter(symbol) || counted(symbol))
    }

    /// Counts at the cost of the stretches: whole counts come first.
    fn with_own_steps<T>(&mut self, count: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.symbols.quotients.steps.replace(self.by_last_call.steps);
        let result = count(self);
        self.by_last_call.steps = self.symbols.quotients.steps.replace(before);
        result
    }

    /// Blocks were not followed: any call in them may be the last now.
    pub(crate) fn assign_lost_counts(&mut self) {
        let (counters, calls) = std::mem::take(&mut self.by_last_call.lost_blocks);
        if !self.by_last_call.on {
            return;
        }
        let set = self.any_last_call();
        let members = self.by_last_call.members(set).into_iter().chain(calls).collect();
        let set = self.by_last_call.set(members);
        counters.into_iter().for_each(|key| self.by_last_call.add_unknown(key, set));
        self.state.last = LastCall::of(set);
    }

    /// Notes a block that is not followed.
    pub(crate) fn note_lost_block(&mut self, block: BlockId, context: chronos_activity::ContextId) {
        if !self.by_last_call.on {
            return;
        }
        let program = self.setting.program;
        let own = &program.blocks[block];
        self.by_last_call.lost_blocks.0.extend((0..own.counters()).map(|offset| (context, own.counter(offset))));
        if let Some(Callee::Mpi(name)) = program.call(block).map(|call| &call.callee)
            && communicates(name)
        {
            self.by_last_call.lost_blocks.1.insert(LastCallOption::Call(context, block));
        }
    }
}

/// The call sends, receives or waits for other tasks: it ends a stretch of computation.
fn communicates(name: &str) -> bool {
    functions::lookup(name).is_some_and(|row| row.communicates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_only_ask_end_no_stretch() {
        for name in ["MPI_Send", "PMPI_Isend", "MPI_Iallreduce", "MPI_Improbe", "MPI_Waitall", "MPI_Finalize"] {
            assert!(communicates(name), "{name}");
        }
        for name in ["MPI_Comm_rank", "MPI_Wtime", "MPI_Init", "MPI_Type_commit", "MPI_Initialized", "MPI_Get_count"] {
            assert!(!communicates(name), "{name}");
        }
    }
}
