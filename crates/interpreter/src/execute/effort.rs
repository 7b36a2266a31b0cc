//! What a task does when its budget ends: the loop that took most of it is given up, so that everything that does not
//! depend on what it computes stays exact.
//!
//! Operations are charged to the outermost loop without MPI calls that they are executed in. When the budget is used
//! up, the dearest loops are counted from then on instead of executed: what they write becomes unknown, place by
//! place, and their blocks are assumed to be executed as often, and their branches to go, as before that. Loops that
//! depend on what became unknown follow in the same way. Must not know time.

use crate::code::instructions::{BranchCode, LoopCode};
use crate::codes;
use crate::execute::machine::Machine;
use crate::state::remembered::effort::{ChargedLoop, add};
use crate::state::shared::Shared;
use chronos_activity::{Count, CountSource};
use chronos_base::diag::Diagnostic;
use chronos_ir::BlockId;
use chronos_slicing::heuristics::{Assumed, Grounds, Guess, Spread};
use chronos_values::ReasonId;

/// How often a loop ran before: the mean, and over how many executions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeenTrips {
    pub mean: f64,
    pub entries: u64,
}

impl SeenTrips {
    /// Of what remains after some iterations.
    pub fn less(self, iterations: u64) -> Self {
        Self { mean: (self.mean - iterations as f64).max(0.0), ..self }
    }

    pub fn count(self) -> Count {
        if self.mean.fract() == 0.0 {
            return Count { source: CountSource::Assumed, ..Count::exact(self.mean as u128) };
        }
        Count::expected(self.mean, CountSource::Assumed)
    }
}

impl Machine<'_> {
    /// The loop that is about to be pushed begins.
    pub(crate) fn begin_region(&mut self, code: &LoopCode) {
        let depth = self.task.loops.len();
        let ended = self.task.effort.region.is_none_or(|region| region.depth >= depth);
        if ended {
            let region = ChargedLoop { block: code.block, depth, before: self.task.spent };
            self.task.effort.region = (!code.reaches_mpi).then_some(region);
        }
    }

    /// A loop was popped.
    pub(crate) fn end_region(&mut self) {
        let Some(region) = self.task.effort.region.filter(|region| region.depth >= self.task.loops.len()) else {
            return;
        };
        self.charge(region);
        if self.task.spent >= self.shared.whole_budget {
            self.give_up_dearest();
        }
    }

    fn charge(&mut self, region: ChargedLoop) {
        self.task.effort.region = None;
        let cost = self.task.spent.saturating_sub(region.before);
        if cost > 0 {
            *self.task.effort.spent.entry(region.block).or_default() += cost;
        }
    }

    /// Gives up the dearest loops, until those that remain took less than half of the budget.
    fn give_up_dearest(&mut self) {
        self.look_back();
        while self.task.spent > self.shared.whole_budget / 2 {
            let dearest = self.task.effort.spent.iter().max_by_key(|&(_, &spent)| spent).map(|(&block, _)| block);
            let Some(block) = dearest else { return };
            self.give_up_loop(block);
        }
    }

    /// An iteration that reads on in input that was given takes nothing of the budget: the input ends, and with it the loop.
    pub(crate) fn credit_reading(&mut self) {
        let first = self.task.frames.last().map_or(0, |frame| frame.loops as usize);
        let function = self.function();
        let own = self.task.loops.len() > first;
        let Some(state) = self.task.loops.last_mut().filter(|state| own && state.native < state.iterations) else {
            return;
        };
        state.native += 1;
        let cost = function.loops.get(state.index as usize).map_or(0, LoopCode::cost);
        self.task.spent = self.task.spent.saturating_sub(cost);
    }

    /// The loop is counted from now on, and what it took is free for others.
    fn give_up_loop(&mut self, block: BlockId) {
        let cost = self.task.effort.spent.remove(&block).unwrap_or(0);
        let percent = (100 * cost).checked_div(self.task.spent).unwrap_or(0);
        self.task.spent -= cost.min(self.task.spent);
        if !self.task.effort.given_up.insert(block) {
            return;
        }
        self.shared.given_up = true;
        let message = format!("this loop took {percent} % of the budget: from here on it is counted, not executed");
        let help = format!("raise --budget (now {} operations per task)", self.shared.budget);
        let span = self.code.program.blocks[block].span;
        let diagnostic = Diagnostic::warning(&codes::BUDGET, message).label(span, "this loop").help(help);
        self.shared.reports.add(self.task.id, diagnostic);
    }

    /// The outermost loop is given up while it is being executed.
    pub(crate) fn give_up_region(&mut self) {
        if let Some(region) = self.task.effort.region {
            self.look_back();
            self.charge(region);
            self.give_up_loop(region.block);
        }
    }

    /// Keeps what was counted so far for later.
    fn look_back(&mut self) {
        let mut before = self.task.effort.counted.clone();
        let Shared { scratch, .. } = &*self.shared;
        scratch.pending(self.task.weight, &mut |counter, n| add(&mut before, counter, n));
        self.task.effort.before = before;
    }

    /// How often the loop ran before some loop was given up; `running` iterations belong to an execution under way.
    pub(crate) fn seen_trips(&self, block: BlockId, running: u64) -> Option<SeenTrips> {
        let counters = &self.code.program.blocks[block];
        let seen = |offset: u32| self.task.effort.seen(counters.counter(offset));
        let entries = seen(1).checked_sub(u64::from(running > 0)).filter(|&entries| entries > 0)?;
        let mean = seen(0).saturating_sub(running) as f64 / entries as f64;
        Some(SeenTrips { mean, entries })
    }

    /// How the branch went before some loop was given up. No way is excluded by never having been taken.
    pub(crate) fn seen_ways(&self, branch: &BranchCode) -> Option<Guess> {
        let counters = &self.code.program.blocks[branch.block];
        let seen = |offset: u32| self.task.effort.seen(counters.counter(offset));
        let evaluations = seen(0);
        if evaluations == 0 {
            return None;
        }
        let arms: Vec<u64> = (0..branch.arms.len()).map(|arm| seen(1 + arm as u32)).collect();
        let none = evaluations.saturating_sub(arms.iter().sum());
        let may_skip = branch.can_skip();
        let ways = arms.len() as f64 + f64::from(u8::from(may_skip));
        // Each way half a time more than seen, the estimate of Krichevsky and Trofimov (1981).
        let total = evaluations as f64 + ways / 2.0;
        let share = |n: u64| (n as f64 + 0.5) / total;
        let none = if may_skip { share(none) } else { 0.0 };
        Some(Guess { arms: arms.into_iter().map(share).collect(), none, grounds: Grounds::Seen { evaluations } })
    }

    /// Tells that a loop is assumed to run as often as before.
    pub(crate) fn report_seen_trips(&mut self, code: &LoopCode, seen: SeenTrips, reason: ReasonId) {
        let (mean, entries) = (chronos_slicing::heuristics::shown(seen.mean), seen.entries);
        let message = format!("a loop is assumed to run {mean} times, the mean of {entries} executions before");
        self.shared.assumed.insert(code.block, Assumed::new(message.clone(), Spread::Seen { mean: seen.mean }));
        let place = self.code.program.place_of(code.block);
        let help =
            format!("raise --budget (now {}), or give the mean number with --iterations {place}=N", self.shared.budget);
        let mut diagnostic =
            Diagnostic::warning(&codes::ASSUMED_TRIPS, message).label(code.span, "this loop").help(help);
        diagnostic.labels.extend(self.origins(reason));
        self.shared.reports.add(self.task.id, diagnostic);
    }
}
