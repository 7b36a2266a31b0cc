//! The other sections of a prediction: tasks, blocks, calls, clocks, critical path, assumptions.

use crate::aggregate::Aggregate;
use crate::evaluation::{Found, Job};
use crate::target::Target;
use chronos_activity::{Count, CountSource, Site};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use chronos_ir::{Block as ProgramBlock, BlockId, BlockKind, Callee, Program, openmp};
use chronos_replay::{ReplayResult, SiteTime, TaskTime};
use chronos_report::model::{
    Assumption, Block, MpiCall, PathElement, PerTaskBlock, Platform, Task, Wtime, source_name,
};
use chronos_report::replayed::Place;
use chronos_slicing::heuristics::Assumed;
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn platform(target: Target<'_>) -> Platform {
    let machine = target.platform.map_or(&target.machine.name, |platform| &platform.name);
    Platform { machine: machine.clone(), network: target.network.name.clone() }
}

/// The times of one task, as reports have them.
pub fn task(rank: usize, machine: String, time: &TaskTime) -> Task {
    Task {
        rank,
        class: None,
        machine,
        total_s: time.end.as_seconds(),
        compute_s: time.compute.as_seconds(),
        send_s: time.send.as_seconds(),
        recv_s: time.recv.as_seconds(),
        collective_s: time.collective.as_seconds(),
        idle_s: time.idle.as_seconds(),
        ready_s: time.ready.as_seconds(),
        late_sender_s: time.causes.late_sender.as_seconds(),
        late_receiver_s: time.causes.late_receiver.as_seconds(),
        late_member_s: time.causes.collective.as_seconds(),
    }
}

pub fn tasks(job: &Job, target: Target<'_>, result: &ReplayResult) -> Vec<Task> {
    let nodes = crate::target::nodes(job, target);
    let name =
        |rank: usize| target.platform.map_or(target.machine, |platform| platform.machine(nodes[rank])).name.clone();
    let task = |(rank, time): (usize, &TaskTime)| task(rank, name(rank), time);
    result.tasks.iter().enumerate().map(task).collect()
}

/// All blocks, unexecuted ones included, by number.
pub fn blocks(job: &Job, aggregate: &Aggregate<'_>, found: &Found) -> Vec<Block> {
    let is_made = |leaf: &BlockId| !aggregate.count(job.program.blocks[*leaf].counter(0)).is_zero();
    let mark = |mut block: Block| {
        let id = BlockId(block.id);
        if found.arrival.blocks.contains(&id) {
            depend_on_arrival(&mut block);
        }
        if found.operated.get(&id).is_some_and(is_made) {
            depend_on_library(&mut block);
        }
        block
    };
    job.program.blocks.iter().map(|(id, block)| mark(one_block(id, block, &job.program, aggregate))).collect()
}

/// Counts that are no longer certain are said to be so; those that are not known at all remain that.
fn depend_on_arrival(block: &mut Block) {
    counts(block).for_each(|count| count.source = count.source.max(CountSource::Timing));
    block.source = source_name(block.count.source);
}

/// How often the MPI library calls a function of the program is not known.
fn depend_on_library(block: &mut Block) {
    counts(block).for_each(|count| *count = Count::UNKNOWN);
    block.source = source_name(block.count.source);
}

fn counts(block: &mut Block) -> impl Iterator<Item = &mut Count> {
    let of_task = block.per_task.iter_mut().flat_map(|per_task| &mut per_task.counts);
    let taken = block.taken.iter_mut().flatten();
    [&mut block.count].into_iter().chain(&mut block.entries).chain(taken).chain(of_task)
}

fn one_block(id: BlockId, block: &ProgramBlock, program: &Program, aggregate: &Aggregate<'_>) -> Block {
    let count = aggregate.count(block.counter(0));
    let time = aggregate.time(id);
    let seconds = |ns: chronos_base::units::Nanoseconds| ns.0 / 1e9;
    Block {
        id: id.0,
        function: program.functions[block.function].name.to_string(),
        unit: program.own_unit(block.function).map(str::to_owned),
        kind: kind(program, id),
        file: program.files.get(block.span.file).name.to_string(),
        line_start: block.span.line_start,
        column_start: block.span.column_start,
        line_end: block.span.line_end,
        column_end: block.span.column_end,
        count,
        source: source_name(count.source),
        entries: matches!(block.kind, BlockKind::Loop(_)).then(|| aggregate.count(block.counter(1))),
        taken: taken(block, aggregate),
        callee: callee(program, id),
        parent: block.parent.map(|parent| parent.0),
        time_s: seconds(time),
        inclusive_s: 0.0,
        interval_s: None,
        classes: class_times(id, time, aggregate),
        per_task: per_task(id, block, aggregate),
    }
}

fn callee(program: &Program, id: BlockId) -> Option<String> {
    match &program.call(id)?.callee {
        Callee::Mpi(name) | Callee::Library(name) => Some(openmp::shown(name).unwrap_or_else(|| name.to_string())),
        Callee::Function(function) => Some(program.functions[*function].name.to_string()),
        Callee::Indirect(_) => None,
    }
}

pub fn kind(program: &Program, id: BlockId) -> &'static str {
    match &program.blocks[id].kind {
        BlockKind::Straight(_) => "straight",
        BlockKind::Call(call) if matches!(&call.callee, Callee::Mpi(name) if !openmp::is_directive(name)) => "mpi",
        BlockKind::Call(_) => "call",
        BlockKind::Loop(_) => "loop",
        BlockKind::Branch(_) => "branch",
    }
}

fn taken(block: &ProgramBlock, aggregate: &Aggregate<'_>) -> Option<Vec<Count>> {
    let arms = block.counters() - 1;
    let of_arm = |arm| aggregate.count(block.counter(arm));
    matches!(block.kind, BlockKind::Branch(_)).then(|| (1..=arms).map(of_arm).collect())
}

/// Instruction classes and, for what the replay timed, `mpi`.
fn class_times(
    id: BlockId,
    time: chronos_base::units::Nanoseconds,
    aggregate: &Aggregate<'_>,
) -> BTreeMap<String, f64> {
    let mut classes: BTreeMap<String, f64> =
        aggregate.classes(id).map(|(class, time)| (class.name().to_owned(), time.0 / 1e9)).collect();
    let computed: f64 = aggregate.classes(id).map(|(_, time)| time.0).sum();
    if time.0 - computed > 1e-9 * time.0.abs() {
        classes.insert("mpi".to_owned(), (time.0 - computed) / 1e9);
    }
    classes.retain(|_, time| *time != 0.0);
    classes
}

fn per_task(id: BlockId, block: &ProgramBlock, aggregate: &Aggregate<'_>) -> Option<PerTaskBlock> {
    let counts = aggregate.count_per_task(block.counter(0))?;
    let time_s = aggregate.time_per_task(id)?.into_iter().map(|time| time.0 / 1e9).collect();
    Some(PerTaskBlock { counts, time_s })
}

/// MPI calls by place, the most expensive first.
pub fn calls(job: &Job, result: &ReplayResult, aggregate: &Aggregate<'_>) -> Vec<MpiCall> {
    let mut by_block: BTreeMap<BlockId, SiteTime> = BTreeMap::new();
    for (site, spent) in result.tasks.iter().flat_map(|task| &task.sites) {
        let sum = by_block.entry(site.block).or_default();
        sum.time += spent.time;
        sum.idle += spent.idle;
    }
    let mut all: Vec<MpiCall> = by_block.into_iter().map(|(id, spent)| call(job, id, spent, aggregate)).collect();
    all.sort_by(|a, b| b.time_s.total_cmp(&a.time_s).then(a.block.cmp(&b.block)));
    all
}

/// Counted by the program: a call may be several operations for the replay.
fn call(job: &Job, block: BlockId, spent: SiteTime, aggregate: &Aggregate<'_>) -> MpiCall {
    let program = &job.program;
    let span = program.blocks[block].span;
    MpiCall {
        block: block.0,
        function: mpi_name(program, block),
        file: program.files.get(span.file).name.to_string(),
        line: span.line_start,
        calls: aggregate.count(program.blocks[block].counter(0)),
        time_s: spent.time.as_seconds(),
        idle_s: spent.idle.as_seconds(),
    }
}

/// The call at a site.
pub fn place(job: &Job, site: chronos_activity::Site) -> Place {
    let program = &job.program;
    let span = program.blocks[site.block].span;
    Place {
        block: site.block.0,
        call: mpi_name(program, site.block),
        file: program.files.get(span.file).name.to_string(),
        line: span.line_start,
    }
}

/// Function and place of a call.
pub fn call_name(program: &Program, block: BlockId) -> String {
    format!("{} {}", mpi_name(program, block), program.files.locate(program.blocks[block].span))
}

/// The name of the MPI or library function that a block calls; `call` where it calls none of them.
pub fn mpi_name(program: &Program, block: BlockId) -> String {
    match program.call(block).map(|call| &call.callee) {
        Some(Callee::Mpi(name) | Callee::Library(name)) => name.to_string(),
        _ => "call".to_owned(),
    }
}

/// Clock differences, by task and place.
pub fn clocks(job: &Job, result: &ReplayResult) -> Vec<Wtime> {
    let place = |block: BlockId| {
        job.program.blocks.get(block).map_or_else(String::new, |block| job.program.files.locate(block.span))
    };
    let one = |rank: usize, e: &chronos_replay::ElapsedTime| Wtime {
        rank,
        class: None,
        from: place(e.from),
        to: place(e.to),
        times: e.times,
        total_s: e.total.as_seconds(),
        min_s: e.least.as_seconds(),
        max_s: e.most.as_seconds(),
    };
    let tasks = result.tasks.iter().enumerate();
    tasks.flat_map(|(rank, task)| task.elapsed.iter().map(move |elapsed| one(rank, elapsed))).collect()
}

pub fn critical_path(job: &Job, result: &ReplayResult) -> Vec<PathElement> {
    // A path has far more stretches than there are calls in the source.
    let mut texts: FxHashMap<BlockId, Arc<str>> = FxHashMap::default();
    let mut what = |site: Site| {
        let text = texts.entry(site.block).or_insert_with(|| {
            let span = job.program.blocks[site.block].span;
            format!("after {} at {}", mpi_name(&job.program, site.block), job.program.files.locate(span)).into()
        });
        Arc::clone(text)
    };
    let begin: Arc<str> = "from the begin".into();
    let element = |part: &chronos_replay::PathPart| PathElement {
        rank: part.task.0 as usize,
        begin_s: part.from.as_seconds(),
        end_s: part.to.as_seconds(),
        message_s: Picoseconds::as_seconds(part.message),
        what: part.site.map_or_else(|| Arc::clone(&begin), &mut what),
    };
    result.critical_path.iter().map(element).collect()
}

/// What is assumed; what is not known at all is a diagnostic.
pub fn assumptions(job: &Job, aggregate: &Aggregate<'_>, assumed: &[(BlockId, Assumed)]) -> Vec<Assumption> {
    let known = assumed.iter().filter(|(block, _)| !aggregate.unknown.contains(block));
    known.map(|(block, text)| assumption(&job.program, *block, &text.text)).collect()
}

fn assumption(program: &Program, id: BlockId, text: &str) -> Assumption {
    let (file, line) = placed(program, id);
    let remedy = match program.blocks[id].kind {
        BlockKind::Loop(_) => format!("--iterations {}=N", program.place_of(id)),
        BlockKind::Call(_) => "the data that it is called for (--set, --stdin, --input-file)".to_owned(),
        _ => format!("--prob {}=P", program.place_of(id)),
    };
    Assumption { file, line, text: text.to_owned(), remedy, range: None, total_s: None }
}

/// File and line of a block.
pub fn placed(program: &Program, id: BlockId) -> (String, u32) {
    let span = program.blocks[id].span;
    (program.files.get(span.file).name.to_string(), span.line_start)
}
