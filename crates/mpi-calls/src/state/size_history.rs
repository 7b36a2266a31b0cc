//! How many elements the messages of each call had, for calls whose size nobody knows.

use chronos_base::hash::FxHashMap;
use chronos_ir::BlockId;

/// Elements of the messages of each call, by block and argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct SizeHistory(pub(crate) FxHashMap<(BlockId, usize), SizesSeen>);

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SizesSeen {
    pub(crate) calls: u64,
    pub(crate) elements: u128,
}

impl SizesSeen {
    pub(crate) fn mean(self) -> u64 {
        let mean = (self.elements + u128::from(self.calls) / 2).checked_div(u128::from(self.calls));
        mean.and_then(|mean| u64::try_from(mean).ok()).unwrap_or(0)
    }
}
