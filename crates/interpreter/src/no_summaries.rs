//! Evaluation without summaries.

use chronos_abstract_execution::{Request, Summariser, Summary, Unsummarisable};
use chronos_ir::{BlockId, Region, VarId};
use chronos_values::Origin;

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
