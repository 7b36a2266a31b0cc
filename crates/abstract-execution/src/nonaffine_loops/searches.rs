//! Searches: loops that run through a range of known length unless data ends them, every iteration with the same
//! chance. The expected number of iterations is a geometric sum.

use super::expectation::{End, Expectation, Search};
use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::formula::Formula;
use crate::state::execution::Execution;
use chronos_ir::{BlockId, Loop, LoopForm};

/// Iterations beyond which their number is not told any more.
const MAX_TRIPS: i128 = u32::MAX as i128;

/// How likely an iteration ends in each way.
struct Chances {
    ends: f64,
    /// By a return, or a jump further out.
    leaves: f64,
    assumed: bool,
}

impl<'a> Execution<'a> {
    /// What is expected of a search, its initialisation done; `None` for any other loop.
    pub(crate) fn outlook_of_search(&mut self, id: BlockId, l: &'a Loop, path: &Path) -> Option<Expectation> {
        if l.form == LoopForm::DoWhile || l.condition.is_none() {
            return None;
        }
        let depth = self.frames.len();
        let found = self.trial(|trial| {
            let found = trial.chances(id, l, path);
            // What could not be followed may have left calls open.
            trial.frames.truncate(depth);
            found
        });
        let (trips, chances) = found?;
        (chances.ends + chances.leaves > 0.0).then(|| chances.expectation(trips))
    }

    /// The most iterations, and the chances of one of them.
    fn chances(&mut self, id: BlockId, l: &'a Loop, path: &Path) -> Option<(u32, Chances)> {
        let k = self.symbols.fresh();
        let inductions = self.inductions(l);
        self.enter_head(id, l, &inductions, k);
        let continues = self.closed_condition(l, k, path)?;
        let space = self.closed_space(l, k, path, &continues, &Formula::never())?;
        let trips = space.trips.as_ref().and_then(Affine::as_constant)?;
        let trips = (1..=MAX_TRIPS).contains(&trips).then(|| u32::try_from(trips).ok())??;
        let within = path.extended(k).restricted(&space.body)?.relative();
        let condition = l.condition.as_ref()?;
        self.region(&condition.region, within.clone()).ok()?;
        let mut search = Search::at(l, k, self.state.clone(), within);
        let ways = self.ways_of_body(&mut search)?;
        let share = |end: End| ways.iter().filter(|way| way.1 == end).map(|way| way.0).sum();
        Some((trips, Chances { ends: share(End::Break), leaves: share(End::Outward), assumed: search.assumed }))
    }
}

impl Chances {
    fn expectation(&self, trips: u32) -> Expectation {
        let stays = (1.0 - self.ends - self.leaves).clamp(0.0, 1.0);
        let all = stays.powf(f64::from(trips));
        let iterations = (1.0 - all) / (1.0 - stays);
        let through = (self.ends * iterations + all).min(1.0);
        Expectation { iterations, tests: iterations + all, through, least: 1, most: trips, assumed: self.assumed }
    }
}
