//! Loops that summaries did not serve, which are asked about ever more rarely.

use chronos_abstract_execution::{BEGINNING, Summary};
use chronos_base::ids::Id;
use chronos_ir::BlockId;
use chronos_slicing::Loss;

/// After so many refusals in succession a loop is asked about ever more rarely.
pub(crate) const REFUSALS: u32 = 16;

/// How often in succession a loop was not summarised.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refusal {
    /// There was no summary.
    pub(crate) none: u32,
    /// There was one that loses what counts depend on.
    pub(crate) lossy: u32,
    /// There was one that loses what MPI calls depend on.
    pub(crate) structural: u32,
    /// There was one that took longer than interpreting the loop.
    pub(crate) dear: u32,
    pub(crate) skipped: u32,
    /// Executions of blocks that were interpreted for the branch predictor to see, though there were summaries that serve.
    pub(crate) shown: f64,
}

/// Loops that are interpreted again and again, by block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusals(pub(crate) Vec<Refusal>);

impl Refusals {
    pub(crate) fn entry(&mut self, block: BlockId) -> &mut Refusal {
        if self.0.len() <= block.index() {
            self.0.resize(block.index() + 1, Refusal::default());
        }
        &mut self.0[block.index()]
    }

    /// A summary serves; where it was dear for what it counts, the next ones are not asked for.
    pub(crate) fn accepted(&mut self, block: BlockId, summary: &Summary, folding: bool) {
        let entry = self.entry(block);
        let dear = if is_dear(summary, folding) { entry.dear.saturating_add(1) } else { 0 };
        *entry = Refusal { none: 0, lossy: 0, structural: 0, dear, ..*entry };
    }

    /// Whether to interpret the loop without asking, where summaries serve that lose no more than `acceptable`.
    pub(crate) fn skips(&mut self, block: BlockId, acceptable: Loss) -> bool {
        let entry = self.entry(block);
        let lossy = if acceptable >= Loss::Counts { 0 } else { entry.lossy };
        let structural = if acceptable >= Loss::Structure { 0 } else { entry.structural };
        if entry.none + lossy + structural + entry.dear < REFUSALS {
            return false;
        }
        entry.skipped = entry.skipped.wrapping_add(1);
        !entry.skipped.is_power_of_two()
    }

    /// As `skips`; where the answer is no, `skips` is still to be asked.
    pub(crate) fn skips_plainly(&mut self, block: BlockId, acceptable: Loss) -> bool {
        let before = self.entry(block).skipped;
        let skips = self.skips(block, acceptable);
        if !skips {
            self.entry(block).skipped = before;
        }
        skips
    }
}

/// The worst loss that is taken, rather than interpreting more: what only counts depend on is worth a quarter of what all
/// loops of a task may take. What shapes MPI calls is never lost with whole objects: a loop that computes it and takes too
/// long is given up place by place (`effort`).
pub(crate) fn acceptable(spent: u64, budget: u64, whole_budget: u64) -> Loss {
    if spent >= budget.max(whole_budget / 4) { Loss::Counts } else { Loss::None }
}

/// Executions of blocks that are interpreted in the time of one abstract iteration.
const WORTH_UNROLLING: f64 = 100.0;

/// It says nothing that interpreting the loop would not have said sooner. What is interpreted in a loop that is
/// being folded shows all that it writes, which a summary leaves out where it does not matter: iterations that
/// are equal by summaries may then all differ.
fn is_dear(summary: &Summary, folding: bool) -> bool {
    let effort = summary.effort.saturating_sub(if folding { BEGINNING } else { 0 });
    let executions: f64 = summary.counts.iter().filter_map(|(.., count)| count.as_f64()).sum();
    let exact = summary.uncertain.is_empty() && summary.loses == Loss::None;
    exact && executions < WORTH_UNROLLING * f64::from(effort)
}
