//! Why tasks wait: idle time by what the late tasks did instead, summed up for a report.

mod delays;
mod meetings;

use crate::resolve::file_name;
use crate::study::Study;
use chronos_activity::{SegmentId, Segments, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id as _;
use chronos_cost::Priced;
use chronos_ir::{BlockId, Program};
use chronos_predict::mpi_name;
use chronos_predict::replays::{Kept, unchanged};
use chronos_report::classes::FEW;
use chronos_report::whatif::model::{Cause, LateTask, Waiting};
use delays::{Caused, Part, delays};
use std::collections::BTreeMap;

/// In seconds.
const PICOSECONDS: f64 = 1e-12;

/// The causes of all idle time of a program as it is; `None` with the reason where its tasks do too much to look at.
pub fn causes(study: &Study<'_>) -> (Option<Waiting>, Vec<Diagnostic>) {
    let replayed = study.base.replay(&unchanged, &Kept::waiting());
    let Some(log) = &replayed.result.waiting else { return (None, replayed.result.diagnostics) };
    let mut prices = study.base.prices_of_replay();
    let segments = &replayed.segments;
    let mut shares = |task: TaskId, id: SegmentId| shares(&prices.price(task, id, segments), segments);
    let caused = delays(log, &mut shares);
    let idle: u64 = replayed.result.tasks.iter().map(|task| task.idle.0).sum();
    let waiting = Waiting { idle_s: idle as f64 * PICOSECONDS, causes: reported(&study.job.program, &caused, idle) };
    (Some(waiting), Vec::new())
}

/// The functions of a segment, with the places from which they are called.
fn shares(priced: &Priced, segments: &Segments) -> Vec<(Part, f64)> {
    let whole = priced.total().0;
    let mut parts: BTreeMap<Part, f64> = BTreeMap::new();
    for entry in priced.entries.iter().filter(|_| whole > 0.0) {
        let context = segments.context(entry.context);
        *parts.entry(Part::Function(context.function, context.call)).or_default() += entry.time.0 / whole;
    }
    if parts.is_empty() {
        parts.insert(Part::Duration, 1.0);
    }
    parts.into_iter().collect()
}

/// By part, summed over the tasks; the part with the most idle time first.
fn reported(program: &Program, caused: &Caused, idle: u64) -> Vec<Cause> {
    let mut by_part: BTreeMap<Part, Vec<LateTask>> = BTreeMap::new();
    for (&(part, task), &(direct, passed_on)) in caused {
        let (direct_s, passed_on_s) = (direct * PICOSECONDS, passed_on * PICOSECONDS);
        by_part.entry(part).or_default().push(LateTask { rank: task.index(), direct_s, passed_on_s });
    }
    let mut causes: Vec<Cause> = by_part.into_iter().map(|(part, tasks)| cause(program, part, tasks, idle)).collect();
    causes.sort_by(|a, b| b.share.total_cmp(&a.share));
    causes
}

fn cause(program: &Program, part: Part, mut tasks: Vec<LateTask>, idle: u64) -> Cause {
    let whole = |task: &LateTask| task.direct_s + task.passed_on_s;
    tasks.sort_by(|a, b| whole(b).total_cmp(&whole(a)).then(a.rank.cmp(&b.rank)));
    let (kind, name, place) = described(program, part);
    let sum = |of: fn(&LateTask) -> f64| tasks.iter().map(of).sum::<f64>();
    let (direct_s, passed_on_s) = (sum(|task| task.direct_s), sum(|task| task.passed_on_s));
    let more = tasks.len().saturating_sub(FEW);
    tasks.truncate(FEW);
    Cause {
        kind,
        name,
        file: place.map(|block| file_name(program, block).to_owned()),
        line: place.map(|block| program.blocks[block].span.line_start),
        direct_s,
        passed_on_s,
        share: (direct_s + passed_on_s) / (idle as f64 * PICOSECONDS),
        tasks,
        more_tasks: (more > 0).then_some(more),
    }
}

/// Kind, name, and the block whose place it has.
fn described(program: &Program, part: Part) -> (&'static str, Option<String>, Option<BlockId>) {
    match part {
        Part::Function(function, call) => ("function", Some(program.functions[function].name.to_string()), call),
        Part::Call(block) => ("mpi_call", Some(mpi_name(program, block)), Some(block)),
        Part::Duration => ("duration", None, None),
        Part::Message => ("message", None, None),
        Part::Ready => ("ready", None, None),
        Part::NoTask(block) => ("no_task", block.map(|block| mpi_name(program, block)), block),
    }
}
