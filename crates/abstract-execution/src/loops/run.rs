//! The execution of a loop: by an affine iteration space, a closed form, a recurrence, or one iteration after the other.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::expressions::affine::Symbol;
use crate::expressions::formula::Formula;
use crate::nonaffine_loops::trip_form::TripForm;
use crate::state::execution::{Execution, Flow};
use crate::state::store::State;
use chronos_ir::{BlockId, Loop};
use chronos_slicing::annotations::Target;
use chronos_values::{ReasonId, ReasonKind};

/// Loops without a number of iterations at first sight that stand within one another and are summarised at once. Each executes
/// its body several times, so that the effort grows by a power of the depth; what is deeper is summarised from within, loop by
/// loop.
pub const MOST_NESTED: u32 = 16;

impl<'a> Execution<'a> {
    pub(crate) fn run_loop(&mut self, id: BlockId, l: &'a Loop, path: Path) -> Flow {
        self.count(id, 1, &path)?;
        let path = self.region(&l.init, path)?;
        if path.is_unreachable() {
            return Ok(path);
        }
        let entry = self.state.clone();
        let given =
            self.annotated_iterations(id).is_some() || self.annotated_expressions.contains_key(&Target::Loop(id));
        let k = self.symbols.fresh();
        let inductions = self.inductions(l);
        let inductions = self.enter_head(id, l, &inductions, k);
        match self.space_by_steps(l, k, &path, &inductions)? {
            Ok(space) => self.iterate_or_unroll(id, l, path, &space, &inductions, entry),
            Err(reason) => {
                let reason = reason.or_else(|| self.no_closed_form(id));
                self.state = entry.clone();
                if self.nested == MOST_NESTED {
                    let why = "more loops within one another than are counted at once";
                    return Err(Unsummarisable { block: id, why: why.into() });
                }
                self.nested += 1;
                let flow = self.without_space(id, l, path, entry, reason, given);
                self.nested -= 1;
                flow
            }
        }
    }

    /// A loop of which it is not known in which iterations it goes on.
    fn without_space(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: Path,
        entry: State,
        reason: Option<ReasonId>,
        given: bool,
    ) -> Flow {
        if given {
            return self.iterate_unknown(id, l, path, entry, reason);
        }
        if let Some(path) = self.beyond_affine(id, l, &path)? {
            return Ok(path);
        }
        match self.by_recurrence(id, l, &path) {
            Some(flow) => flow,
            None => self.iterate_unknown(id, l, path, entry, reason),
        }
    }

    /// Why the number of iterations is unknown where no value is.
    fn no_closed_form(&mut self, id: BlockId) -> Option<ReasonId> {
        self.whole_program.as_ref()?;
        let what = "a bound that is no closed form of the parameters and the counters around";
        Some(self.reason(ReasonKind::Unsupported(what.into()), Some(self.setting.program.blocks[id].span)))
    }

    /// A loop that has no affine space: its number of iterations may be known all the same, or it soon ends.
    fn beyond_affine(&mut self, id: BlockId, l: &'a Loop, path: &Path) -> Result<Option<Path>, Unsummarisable> {
        let form = self.trip_form(l, path.bounds());
        if let Some(form) = form.as_ref().filter(|form| form.is_better_closed(&self.symbols)) {
            let (before, entry) = (self.checkpoint(), self.state.clone());
            if let Some(done) = self.closed_form(id, l, path, form)? {
                let soon = form.most(path.bounds()).is_some_and(|most| most <= super::unroll::MAX_FORESEEN);
                if !soon || !self.has_new_unknown(&before) {
                    return Ok(Some(done));
                }
            }
            self.restore(before);
            self.state = entry;
        }
        self.unrolled(id, l, path, form.as_ref())
    }

    fn closed_form(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        path: &Path,
        form: &TripForm,
    ) -> Result<Option<Path>, Unsummarisable> {
        let k = self.symbols.fresh();
        match form.in_closed_form(k, &mut self.symbols) {
            Some(continues) => self.closed(id, l, k, path, &continues),
            None => Ok(None),
        }
    }

    /// A loop of which it is known in which iterations it goes on.
    fn closed(
        &mut self,
        id: BlockId,
        l: &'a Loop,
        k: Symbol,
        path: &Path,
        continues: &Formula,
    ) -> Result<Option<Path>, Unsummarisable> {
        let entry = self.state.clone();
        let inductions = self.inductions(l);
        let inductions = self.enter_head(id, l, &inductions, k);
        match self.space_of(l, k, path, &inductions, continues)? {
            Some(space) => self.iterate(id, l, path.clone(), &space, &inductions, entry).map(Some),
            None => {
                self.state = entry;
                Ok(None)
            }
        }
    }
}
