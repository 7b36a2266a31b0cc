//! A call site in eight bytes: with very many messages an `Option<Site>` of twelve is a third more.

use chronos_activity::{ContextId, Site};
use chronos_ir::BlockId;

const NONE: u32 = u32::MAX;

/// The call that something belongs to, where it is known, in the room of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallSite {
    /// `NONE` where it is not.
    context: u32,
    block: u32,
}

impl CallSite {
    #[inline]
    pub fn of(site: Option<&Site>) -> Self {
        match site {
            Some(site) => Self { context: site.context.0, block: site.block.0 },
            None => Self::default(),
        }
    }

    #[inline]
    pub fn get(self) -> Option<Site> {
        let site = Site { context: ContextId(self.context), block: BlockId(self.block) };
        (self.context != NONE).then_some(site)
    }
}

impl Default for CallSite {
    fn default() -> Self {
        Self { context: NONE, block: NONE }
    }
}
