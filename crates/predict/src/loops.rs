//! What bounds each loop, summed over contexts and tasks.

use crate::aggregate::Aggregate;
use crate::evaluation::Job;
use crate::pricing::Prices;
use crate::target::Target;
use chronos_activity::{SegmentId, TaskId};
use chronos_base::ids::Id as _;
use chronos_base::units::Nanoseconds;
use chronos_cost::LoopTime;
use chronos_cost::roofline::{self, Work};
use chronos_ir::{BlockId, BlockKind};
use chronos_report::model::{LoopBound, Roofline, RooflineLevel};
use std::collections::BTreeMap;
use std::iter::successors;

/// The sum of some executions of a loop, with the greatest of them.
struct Sum {
    all: LoopTime,
    greatest: Nanoseconds,
}

/// Loops that were entered, by number of their blocks.
pub fn loops(job: &Job, aggregate: &Aggregate<'_>, prices: &Prices<'_>) -> Vec<LoopBound> {
    let mut executed: BTreeMap<(usize, SegmentId), u64> = BTreeMap::new();
    for (task, time) in aggregate.result.tasks.iter().enumerate() {
        let kind = prices.kind(TaskId::new(task));
        for &(segment, times) in &time.segments {
            *executed.entry((kind, segment)).or_default() += times;
        }
    }
    let mut sums: BTreeMap<BlockId, Sum> = BTreeMap::new();
    for ((kind, segment), times) in executed {
        for part in prices.loops(kind, segment, aggregate.segments) {
            add(&mut sums, part, times as f64);
        }
    }
    let works = works(job, aggregate);
    let work = |header: BlockId| works.get(&header).copied().unwrap_or_default();
    sums.into_values().map(|sum| bound(job, work(sum.all.header), sum.all)).collect()
}

/// What all iterations of each loop compute and move, loops inside it excluded.
fn works(job: &Job, aggregate: &Aggregate<'_>) -> BTreeMap<BlockId, Work> {
    let program = &job.program;
    let is_loop = |id: &BlockId| matches!(program.blocks[*id].kind, BlockKind::Loop(_));
    let mut works: BTreeMap<BlockId, Work> = BTreeMap::new();
    for (id, block) in program.blocks.iter() {
        let header = successors(block.parent, |&id| program.blocks[id].parent).find(is_loop);
        let once = header.map(|_| roofline::work(program, id)).filter(|work| *work != Work::default());
        if let (Some(header), Some(once)) = (header, once) {
            let times = aggregate.count(block.counter(0)).as_f64().unwrap_or(0.0);
            let sum = works.entry(header).or_default();
            sum.operations += once.operations * times;
            sum.bytes += once.bytes * times;
        }
    }
    works
}

/// What one processor does at most; `None` where nodes differ or the machine file does not tell.
pub fn roofline(target: Target<'_>) -> Option<Roofline> {
    let ceilings = target.platform.is_none().then(|| roofline::ceilings(target.machine)).flatten()?;
    let level = |(name, bytes_per_s)| RooflineLevel { name, bytes_per_s };
    let levels = ceilings.bytes_per_s.into_iter().map(level).collect();
    Some(Roofline { floating_operations_per_s: ceilings.operations_per_s, levels })
}

fn add(sums: &mut BTreeMap<BlockId, Sum>, part: LoopTime, times: f64) {
    let weight = part.time * times;
    let nothing = || Sum {
        all: LoopTime {
            iterations: 0.0,
            entries: 0.0,
            time: Nanoseconds::default(),
            recurrence: Nanoseconds::default(),
            throughput: Nanoseconds::default(),
            memory: Nanoseconds::default(),
            ..part.clone()
        },
        greatest: weight,
    };
    let Sum { all, greatest } = sums.entry(part.header).or_insert_with(nothing);
    all.iterations += part.iterations * times;
    all.entries += part.entries * times;
    all.time += weight;
    all.recurrence += part.recurrence * times;
    all.throughput += part.throughput * times;
    all.memory += part.memory * times;
    if weight > *greatest {
        *greatest = weight;
        (all.bound, all.kind, all.lanes, all.why) = (part.bound, part.kind, part.lanes, part.why);
    }
}

fn bound(job: &Job, work: Work, sum: LoopTime) -> LoopBound {
    let block = &job.program.blocks[sum.header];
    let seconds = |time: Nanoseconds| time.0 / 1e9;
    LoopBound {
        block: sum.header.0,
        function: job.program.functions[block.function].name.to_string(),
        file: job.program.files.get(block.span.file).name.to_string(),
        line_start: block.span.line_start,
        line_end: block.span.line_end,
        depth: sum.depth,
        entries: sum.entries,
        iterations: sum.iterations,
        time_s: seconds(sum.time),
        chain_s: seconds(sum.recurrence),
        throughput_s: seconds(sum.throughput),
        memory_s: seconds(sum.memory),
        floating_operations: work.operations,
        bytes: work.bytes,
        bound: sum.bound,
        kind: sum.kind,
        lanes: sum.lanes,
        why: sum.why,
    }
}
