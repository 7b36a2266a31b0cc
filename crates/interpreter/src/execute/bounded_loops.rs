//! Loops around MPI calls that count to a bound and may end before it: solvers that iterate until they converge, but at most so
//! often. Where what decides about the end was not followed (the contents of large messages, loops that were counted since the
//! budget was used up), such a loop is taken to come to its bound. No run iterates more often, so that this is an upper bound
//! and no guess. The user may say how often it runs.

use crate::code::instructions::{BranchCode, LoopCode};
use crate::codes;
use crate::execute::branches::{Way, arm_of};
use crate::execute::machine::Machine;
use crate::messages::describe;
use chronos_base::diag::Diagnostic;
use chronos_slicing::heuristics::{Assumed, Spread};
use chronos_values::{ReasonId, ReasonKind};

impl<'a> Machine<'a> {
    /// The way of a branch with an unknown condition that may leave a loop around MPI calls.
    pub(super) fn way_in_loop(&mut self, branch: &BranchCode, live: &[Way], reason: ReasonId) -> Option<Way> {
        let code = self.innermost_around_mpi()?;
        let (leave, stay) = leaving_and_staying(branch, live)?;
        let iterations = self.task.loops.last()?.iterations;
        if let Some(stated) = self.stated_iterations(code.block) {
            return Some(if iterations as f64 >= stated { leave } else { stay });
        }
        self.goes_to_bound(code, iterations.saturating_sub(1), reason).then_some(stay)
    }

    /// Whether a loop that has done so many iterations is taken to come to its bound.
    pub(super) fn goes_to_bound(&mut self, code: &LoopCode, done: u64, reason: ReasonId) -> bool {
        let left = code.counted().filter(|_| code.communicates).and_then(|shape| self.remaining(shape));
        let Some(left) = left.filter(|_| self.was_not_followed(reason)) else { return false };
        self.report_bound(code, done, left, reason);
        true
    }

    /// The innermost loop of the function, where it calls MPI and its iterations are followed.
    fn innermost_around_mpi(&self) -> Option<&'a LoopCode> {
        let at = self.task.loops.len().checked_sub(1)?;
        let first = self.task.frames.last().map_or(0, |frame| frame.loops as usize);
        if at < first || self.is_forced(at) {
            return None;
        }
        let code: &'a LoopCode = &self.function().loops[self.task.loops[at].index as usize];
        code.communicates.then_some(code)
    }

    /// The value is unknown for it was not followed: nothing that the user could give would tell it.
    fn was_not_followed(&self, reason: ReasonId) -> bool {
        let root = self.shared.reasons.root(reason);
        matches!(
            self.shared.reasons.get(root).kind,
            ReasonKind::Budget | ReasonKind::NotEvaluated | ReasonKind::Unsupported(_)
        )
    }

    fn report_bound(&mut self, code: &LoopCode, done: u64, left: u64, reason: ReasonId) {
        if !self.task.told.insert(code.block) {
            return;
        }
        let most = done.saturating_add(left);
        let root = self.shared.reasons.root(reason);
        let cause = describe(&self.shared.reasons.get(root).kind);
        let taken = format!("a loop is taken to run to its bound, {most} iterations");
        let spread = Spread::Trips { mean: most as f64, least: done.max(1) as f64, most: most as f64 };
        self.shared.assumed.insert(code.block, Assumed::new(taken.clone(), spread));
        let place = self.code.program.place_of(code.block);
        let help = format!("the time is an upper bound; say how often the loop runs with --iterations {place}=N");
        let help = self.with_budget(help);
        let message = format!("{taken}: what decides whether it ends before {cause}");
        let mut diagnostic = Diagnostic::warning(&codes::TO_BOUND, message).label(code.span, "this loop").help(help);
        diagnostic.labels.extend(self.origins(reason));
        self.shared.reports.add(self.task.id, diagnostic);
    }
}

/// One way that leaves the loop, and one that does not.
fn leaving_and_staying(branch: &BranchCode, live: &[Way]) -> Option<(Way, Way)> {
    let leaves = |way: &Way| arm_of(branch, way.arm).is_some_and(|arm| arm.escapes.leaves_loop || arm.escapes.returns);
    let &[first, second] = live else { return None };
    match (leaves(&first), leaves(&second)) {
        (true, false) => Some((first, second)),
        (false, true) => Some((second, first)),
        _ => None,
    }
}
