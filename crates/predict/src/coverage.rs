//! How much of the computing time comes from object code, and why the rest does not.

use super::Job;
use super::aggregate::Aggregate;
use super::pricing::Prices;
use chronos_ir::{BlockId, Program};
use chronos_report::model::{ObjectCodeCoverage, PricedFromSource};
use std::collections::BTreeMap;

/// Loops that are listed: those that take the most time.
const MOST: usize = 20;

/// The share of computing time that object code gave; `None` where the cost model knows no object code.
pub fn coverage(job: &Job, aggregate: &Aggregate<'_>, prices: &Prices<'_>) -> Option<ObjectCodeCoverage> {
    let (mut covered, mut all) = (0.0, 0.0);
    let mut missed: BTreeMap<BlockId, (f64, String)> = BTreeMap::new();
    let mut known = false;
    for (id, _) in job.program.blocks.iter() {
        let Some(outcome) = prices.coverage(id) else { continue };
        known = true;
        let time = aggregate.time(id).0;
        all += time;
        match outcome {
            Ok(()) => covered += time,
            Err(reason) => {
                let entry = missed.entry(place(&job.program, id)).or_insert((0.0, reason));
                entry.0 += time;
            }
        }
    }
    let mut from_source: Vec<PricedFromSource> =
        missed.into_iter().map(|(id, (time, reason))| row(&job.program, id, time, reason)).collect();
    from_source.sort_by(|a, b| b.time_s.total_cmp(&a.time_s));
    from_source.truncate(MOST);
    let share = if all > 0.0 { covered / all } else { 1.0 };
    known.then_some(ObjectCodeCoverage { share, from_source })
}

/// The loop that a block belongs to; outside loops the first block of the function.
fn place(program: &Program, id: BlockId) -> BlockId {
    let is_loop = |id: &BlockId| matches!(program.blocks[*id].kind, chronos_ir::BlockKind::Loop(_));
    let around = std::iter::successors(Some(id), |&id| program.blocks[id].parent).find(is_loop);
    around.unwrap_or_else(|| program.functions[program.blocks[id].function].body.first().copied().unwrap_or(id))
}

fn row(program: &Program, id: BlockId, time: f64, reason: String) -> PricedFromSource {
    let block = &program.blocks[id];
    PricedFromSource {
        function: program.functions[block.function].name.to_string(),
        file: program.files.get(block.span.file).name.to_string(),
        line: block.span.line_start,
        time_s: time / 1e9,
        reason,
    }
}
