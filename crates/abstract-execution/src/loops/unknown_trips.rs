//! Loops whose number of iterations is stated as a mean, or unknown.

use crate::UncertainKind;
use crate::counts::path::Path;
use crate::state::execution::{Execution, Flow};
use crate::state::store::State;
use chronos_activity::{Count, CountSource};
use chronos_ir::{BlockId, Loop, LoopForm};
use chronos_values::{ReasonId, ReasonKind};

impl<'a> Execution<'a> {
    /// A loop whose number of iterations is given as a mean, or unknown.
    pub(crate) fn iterate_unknown(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: Path,
        entry: State,
        reason: Option<ReasonId>,
    ) -> Flow {
        let given = self.annotated_iterations(id);
        let rounds = if given.is_none() { self.annotated_paths(id, &path) } else { None };
        if given.is_none() && rounds.is_none() {
            self.note_uncertain(id, UncertainKind::UnknownTrips, reason);
        }
        let span = self.setting.program.blocks[id].span;
        let inexact_reason = Some(reason.unwrap_or_else(|| self.reason(ReasonKind::NotEvaluated, Some(span))));
        let (mean, tests) = given.map_or((Count::UNKNOWN, Count::UNKNOWN), |n| (mean(n), mean(n + 1.0)));
        let do_while = l.form == LoopForm::DoWhile;
        self.state = entry.clone();
        self.forget_written(id, l);
        let round = self.open_round(id, None);
        let before = self.frame().escapes.len();
        let (body, tests) = rounds.unwrap_or_else(|| (path.weighted(mean), path.weighted(tests)));
        let body = body.with_inexact_reason(inexact_reason);
        self.count(id, 0, &body)?;
        let tests = if do_while { body.clone() } else { tests.with_inexact_reason(inexact_reason) };
        let end = self.one_iteration(l, body, tests)?;
        self.close_round(round, &end);
        let entered = if do_while { None } else { Some(entry.last.clone()) };
        let ended = (!end.is_unreachable()).then(|| self.state.last.clone());
        let exits: Vec<_> = entered.into_iter().chain(ended).collect();
        let last = self.last_call_at_exits(before, l.target, &exits);
        self.join_breaks(before, l.target);
        let outward = self.frame().escapes.len() > before;
        for escape in self.frame().escapes.iter_mut().skip(before) {
            escape.path = path.weighted(Count::UNKNOWN).with_inexact_reason(inexact_reason);
        }
        self.state = State { last, ..entry };
        self.forget_written(id, l);
        Ok(if outward { path.weighted(Count::UNKNOWN).with_inexact_reason(inexact_reason) } else { path })
    }
}

/// Mean iterations that the user gave.
fn mean(n: f64) -> Count {
    if n.fract() == 0.0 && (0.0..1e18).contains(&n) {
        Count { value: chronos_activity::CountValue::Exact(n as u128), source: CountSource::Probability }
    } else {
        Count::expected(n.max(0.0), CountSource::Probability)
    }
}
