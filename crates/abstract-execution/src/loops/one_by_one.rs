//! Loops of few iterations in whole programs: where the iterations together are not exact, each on its own
//! may be: tables that the counter looks up, values that an iteration hands to the next.

use crate::counts::amount::Amount;
use crate::counts::by_last_call::Parts;
use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::symbolic::Symbolic;
use crate::iteration_space::induction::Induction;
use crate::iteration_space::space::Space;
use crate::state::execution::{Execution, Flow};
use crate::state::store::State;
use crate::{Uncertain, UncertainKind, Unsummarisable};
use chronos_activity::ContextId;
use chronos_ir::{BlockId, CounterId, Loop};
use chronos_values::ReasonId;
use std::collections::BTreeMap;

/// What an execution has found so far.
pub(crate) struct Checkpoint {
    counts: BTreeMap<(ContextId, CounterId), Amount>,
    volumes: BTreeMap<(ContextId, BlockId), Amount>,
    parts: Parts,
    inexact_reasons: BTreeMap<(ContextId, CounterId), ReasonId>,
    uncertain: Vec<Uncertain>,
    failures: Vec<Unsummarisable>,
    escapes: usize,
}

/// Iterations that may be executed one by one.
const MAX_TRIPS: i128 = 128;

impl<'a> Execution<'a> {
    /// The iterations in closed form, or one by one where that is more exact.
    pub(crate) fn iterate_or_unroll(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: Path,
        space: &Space,
        inductions: &[(Induction, Symbolic)],
        entry: State,
    ) -> Flow {
        let trips = space.trips.as_ref().and_then(Affine::as_constant);
        let few = trips.is_some_and(|trips| (2..=MAX_TRIPS).contains(&trips));
        if !few || self.whole_program.is_none() || self.trials > 0 || self.unrolling_in_vain.contains(&id) {
            return self.iterate(id, l, path, space, inductions, entry);
        }
        let (before, uncertainties) = (self.checkpoint(), self.uncertainties);
        let together = self.iterate(id, l, path.clone(), space, inductions, entry.clone())?;
        if self.uncertainties == uncertainties {
            return Ok(together);
        }
        let after = (self.checkpoint(), self.state.clone(), self.frame().escapes.clone());
        let found = self.uncertain.len() + after.0.failures.len();
        self.restore(before);
        self.state = entry;
        let apart = self.unrolled(id, l, &path, None);
        let better = self.uncertain.len() + self.whole_program.as_ref().map_or(0, |whole| whole.failures.len()) < found;
        match apart {
            Ok(Some(apart)) if better => Ok(apart),
            _ => {
                self.unrolling_in_vain.insert(id);
                let (checkpoint, state, escapes) = after;
                self.restore(checkpoint);
                self.state = state;
                self.frame().escapes = escapes;
                Ok(together)
            }
        }
    }

    /// A number of iterations has turned out unknown since then.
    pub(crate) fn has_new_unknown(&self, before: &Checkpoint) -> bool {
        let since = self.uncertain.iter().skip(before.uncertain.len());
        since.into_iter().any(|uncertain| uncertain.kind == UncertainKind::UnknownTrips)
    }

    pub(crate) fn checkpoint(&mut self) -> Checkpoint {
        Checkpoint {
            counts: self.counts.clone(),
            volumes: self.volumes.clone(),
            parts: self.by_last_call.parts.clone(),
            inexact_reasons: self.inexact_reasons.clone(),
            uncertain: self.uncertain.clone(),
            failures: self.whole_program.as_ref().map(|whole| whole.failures.clone()).unwrap_or_default(),
            escapes: self.frame().escapes.len(),
        }
    }

    pub(crate) fn restore(&mut self, checkpoint: Checkpoint) {
        self.counts = checkpoint.counts;
        self.volumes = checkpoint.volumes;
        self.by_last_call.parts = checkpoint.parts;
        self.inexact_reasons = checkpoint.inexact_reasons;
        self.uncertain = checkpoint.uncertain;
        self.frame().escapes.truncate(checkpoint.escapes);
        if let Some(whole) = &mut self.whole_program {
            whole.failures = checkpoint.failures;
        }
    }
}
