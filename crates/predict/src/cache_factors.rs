//! What caches do to the times of blocks, where it is not known yet in which order these are executed.

use chronos_base::hash::FxHashMap;
use chronos_ir::BlockId;

/// By kind of machine, how much longer blocks take for what they do not find in the caches, in the mean over an activity. It
/// speaks for activities that are not known yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct CacheFactors(pub(crate) Vec<FxHashMap<BlockId, f64>>);

impl CacheFactors {
    /// Whether others say the same, within this share of the time of each block.
    pub(crate) fn are_near(&self, others: &Self, share: f64) -> bool {
        self.lie_near(others, share) && others.lie_near(self, share)
    }

    fn lie_near(&self, others: &Self, share: f64) -> bool {
        let other = |kind: usize, block| others.0.get(kind).and_then(|kind| kind.get(block)).copied().unwrap_or(1.0);
        let mut kinds = self.0.iter().enumerate();
        kinds.all(|(kind, blocks)| blocks.iter().all(|(block, factor)| (factor - other(kind, block)).abs() <= share))
    }
}
