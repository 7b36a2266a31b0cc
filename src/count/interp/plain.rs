//! Evaluation without summaries.

use crate::count::summary::{Request, Summariser, Summary, Unsummarisable};
use crate::count::value::Origin;
use crate::program::{BlockId, Region, VarId};

/// Summarises nothing: everything is interpreted, everything is relevant.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSummaries;

impl Summariser for NoSummaries {
    fn summarise_loop(&mut self, block: BlockId, _: Request) -> Result<Summary, Unsummarisable> {
        Err(Unsummarisable { block, why: "summaries are switched off".into() })
    }

    fn summarise_region(&mut self, region: &Region, _: Request) -> Result<Summary, Unsummarisable> {
        let block = region.first().copied().unwrap_or(BlockId(0));
        Err(Unsummarisable { block, why: "summaries are switched off".into() })
    }

    fn is_relevant(&self, _: Origin) -> bool {
        true
    }

    fn relevant_variable(&self, _: VarId) -> bool {
        true
    }
}
