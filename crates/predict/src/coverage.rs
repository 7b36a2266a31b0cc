//! How much of the computing time comes from object code, and why the rest does not.

use super::Job;
use super::aggregate::Aggregate;
use super::pricing::Prices;
use chronos_ir::{BlockId, Program};
use chronos_report::model::{ObjectCodeCoverage, PricedFromSource, PricedOtherwise};
use std::collections::BTreeMap;

/// Loops that are listed: those that take the most time.
const MOST: usize = 20;
/// Times of object code and source that are closer than this part of the lesser one are not told.
const DIFFERENCE: f64 = 0.2;
/// Nor are those that are less than this part of all computing.
const LEAST: f64 = 0.005;

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
        covered += outcome.share * time;
        if let Some(reason) = outcome.reason {
            let entry = missed.entry(place(&job.program, id)).or_insert((0.0, reason));
            entry.0 += (1.0 - outcome.share) * time;
        }
    }
    let mut from_source: Vec<PricedFromSource> =
        missed.into_iter().map(|(id, (time, reason))| row(&job.program, id, time, reason)).collect();
    from_source.sort_by(|a, b| b.time_s.total_cmp(&a.time_s));
    from_source.truncate(MOST);
    let differences = if known { differences(job, aggregate, prices) } else { Vec::new() };
    let share = if all > 0.0 { covered / all } else { 1.0 };
    known.then_some(ObjectCodeCoverage { share, from_source, differences })
}

/// Loops and bodies of functions that have object code and another time by the source.
fn differences(job: &Job, aggregate: &Aggregate<'_>, prices: &Prices<'_>) -> Vec<PricedOtherwise> {
    let by_source = prices.by_source(aggregate.segments, aggregate.result);
    let mut places: BTreeMap<BlockId, (f64, f64)> = BTreeMap::new();
    for (id, _) in job.program.blocks.iter() {
        if prices.coverage(id).is_some_and(|outcome| outcome.reason.is_none()) {
            let (object_code, source) = places.entry(place(&job.program, id)).or_default();
            *object_code += aggregate.time(id).0;
            *source += by_source.get(&id).map_or(0.0, |time| time.0);
        }
    }
    let all: f64 = places.values().map(|(object_code, _)| object_code).sum();
    let differs = |&(_, (object_code, source)): &(BlockId, (f64, f64))| {
        let difference = (object_code - source).abs();
        difference > DIFFERENCE * f64::min(object_code, source) && difference > LEAST * all
    };
    let mut found: Vec<_> = places.into_iter().filter(differs).collect();
    found.sort_by(|(_, a), (_, b)| (b.0 - b.1).abs().total_cmp(&(a.0 - a.1).abs()));
    found.truncate(MOST);
    let row = |(id, (object_code, source)): (BlockId, (f64, f64))| {
        let Place { function, file, line } = named(&job.program, id);
        PricedOtherwise { function, file, line, object_code_s: object_code / 1e9, source_s: source / 1e9 }
    };
    found.into_iter().map(row).collect()
}

/// The loop that a block belongs to; outside loops the first block of the function.
fn place(program: &Program, id: BlockId) -> BlockId {
    let is_loop = |id: &BlockId| matches!(program.blocks[*id].kind, chronos_ir::BlockKind::Loop(_));
    let around = std::iter::successors(Some(id), |&id| program.blocks[id].parent).find(is_loop);
    around.unwrap_or_else(|| program.functions[program.blocks[id].function].body.first().copied().unwrap_or(id))
}

fn row(program: &Program, id: BlockId, time: f64, reason: String) -> PricedFromSource {
    let Place { function, file, line } = named(program, id);
    PricedFromSource { function, file, line, time_s: time / 1e9, reason }
}

/// Where a loop or the body of a function begins.
struct Place {
    function: String,
    file: String,
    line: u32,
}

fn named(program: &Program, id: BlockId) -> Place {
    let block = &program.blocks[id];
    Place {
        function: program.functions[block.function].name.to_string(),
        file: program.files.get(block.span.file).name.to_string(),
        line: block.span.line_start,
    }
}
