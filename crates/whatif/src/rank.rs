//! What is worth doing: everything on the critical path, by what the program would save if it took less time.
//!
//! The total is the longest of the paths through the program, each a sum of times, so it is a convex function of the
//! time of any part: what the critical path holds of a part is all that can be saved at first, and parts that it does not
//! hold save nothing (virtual speedup: Curtsinger, Berger: Coz, SOSP 2015; slack: Hollingsworth 1998).

use crate::curve::Curve;
use crate::longest_path::interference;
use crate::resolve::file_name;
use crate::scope::{Rescaled, Scope, left};
use crate::study::Study;
use chronos_activity::{Operation, Segments, Step, TaskId};
use chronos_base::ids::Id as _;
use chronos_ir::{BlockId, BlockKind, Program};
use chronos_machine::platform::Platform;
use chronos_predict::mpi_name;
use chronos_replay::{FasterMessages, WhichMessages};
use chronos_report::whatif::model::Ranked;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Percents by which something takes less time.
const PERCENTS: [u32; 5] = [5, 10, 20, 50, 100];

/// Smaller parts of the total are left out.
const LEAST_SHARE: f64 = 0.001;

/// What may take less time.
struct Candidate {
    ranked: Ranked,
    part: Part,
}

/// What replays speed up.
enum Part {
    Computing(Scope),
    Messages(WhichMessages),
    /// What goes over a channel of the topology.
    Channel(u32),
    /// Nothing: a call that sends nothing has the time of the messages that come to it.
    Fixed,
}

/// Up to `most` rows of each kind, the one that saves the most at 20 % first.
pub fn rank(study: &Study<'_>, most: usize) -> Vec<Ranked> {
    let segments = study.segments();
    let program = &study.job.program;
    let kinds = [
        functions(study, program, &segments),
        loops(study, program, &segments),
        tasks(study, &segments),
        calls(study),
        links(study),
        topology_links(study),
    ];
    let largest = |mut kind: Vec<Candidate>| {
        // What the path holds of a call that sends is its begin alone: the time of its messages is that of their links.
        let sends = |candidate: &Candidate| {
            candidate.ranked.kind == "mpi_call" && candidate.ranked.name.to_ascii_lowercase().contains("send")
        };
        kind.retain(|candidate| candidate.ranked.path_share >= LEAST_SHARE || sends(candidate));
        kind.sort_by(|a, b| {
            b.ranked.path_s.total_cmp(&a.ranked.path_s).then_with(|| a.ranked.name.cmp(&b.ranked.name))
        });
        kind.truncate(most);
        kind
    };
    let all: Vec<Candidate> = kinds.into_iter().flat_map(largest).collect();
    let mut ranked: Vec<Ranked> = all.into_par_iter().map(|candidate| replayed(study, candidate)).collect();
    let key = |ranked: &Ranked| ranked.y.as_ref().and_then(|y| y.get(&20).copied()).unwrap_or(0.2 * ranked.path_share);
    ranked.sort_by(|a, b| key(b).total_cmp(&key(a)));
    ranked
}

fn candidate(study: &Study<'_>, kind: &'static str, name: String, path_s: f64, part: Part) -> Candidate {
    let path_share = if study.total > 0.0 { path_s / study.total } else { 0.0 };
    let ranked =
        Ranked { kind, name, file: None, line: None, path_s, path_share, y: None, zero_s: None, knee_percent: None };
    Candidate { ranked, part }
}

fn at(mut candidate: Candidate, file: &str, line: u32) -> Candidate {
    (candidate.ranked.file, candidate.ranked.line) = (Some(file.to_owned()), Some(line));
    candidate
}

/// Seconds of computing on the critical path that a part of the program has.
pub fn on_path(study: &Study<'_>, segments: &Segments, scope: &Scope) -> f64 {
    let covered = study
        .path
        .computing
        .iter()
        .filter(|((task, context, block), _)| scope.covers(*task, *context, *block, segments));
    covered.map(|(_, seconds)| seconds).sum()
}

fn functions(study: &Study<'_>, program: &Program, segments: &Segments) -> Vec<Candidate> {
    let contexts = study.path.computing.keys().flat_map(|&(_, context, _)| segments.path(context));
    let ids: BTreeSet<_> = contexts.map(|(_, context)| context.function).collect();
    let one = |id| {
        let function = &program.functions[id];
        let scope = Scope::Functions { ids: [id].into(), alone: false };
        let seconds = on_path(study, segments, &scope);
        let found = candidate(study, "function", function.name.to_string(), seconds, Part::Computing(scope));
        at(found, &program.files.get(function.span.file).name, function.span.line_start)
    };
    ids.into_iter().map(one).collect()
}

fn loops(study: &Study<'_>, program: &Program, segments: &Segments) -> Vec<Candidate> {
    let executed: BTreeSet<_> = study.path.computing.keys().map(|key| key.2).collect();
    let calls = study.path.computing.keys().flat_map(|&(_, context, _)| segments.path(context));
    let calls: BTreeSet<_> = calls.filter_map(|(_, context)| context.call).collect();
    let touched = executed.into_iter().chain(calls).flat_map(|block| crate::scope::outwards(program, block));
    let headers: BTreeSet<_> =
        touched.filter(|&block| matches!(program.blocks[block].kind, BlockKind::Loop(_))).collect();
    let one = |header| {
        let block = &program.blocks[header];
        let scope = Scope::within(program, &[header]);
        let seconds = on_path(study, segments, &scope);
        let name = format!("loop in {}", program.functions[block.function].name);
        let found = candidate(study, "loop", name, seconds, Part::Computing(scope));
        at(found, file_name(program, header), block.span.line_start)
    };
    headers.into_iter().map(one).collect()
}

fn tasks(study: &Study<'_>, segments: &Segments) -> Vec<Candidate> {
    let ranks: BTreeSet<TaskId> = study.path.computing.keys().map(|key| key.0).collect();
    let one = |task: TaskId| {
        let scope = Scope::Task(task);
        let seconds = on_path(study, segments, &scope);
        candidate(study, "task", format!("task {}", task.index()), seconds, Part::Computing(scope))
    };
    ranks.into_iter().map(one).collect()
}

/// MPI calls, with what the path spends in them. Faster are the messages that they send, and their processor time.
fn calls(study: &Study<'_>) -> Vec<Candidate> {
    let mut seconds: BTreeMap<_, f64> = BTreeMap::new();
    study.base.activity().tasks.iter().for_each(|steps| add_sends(steps, &mut seconds));
    for (&(_, site), time) in &study.path.calls {
        *seconds.entry(site.block).or_default() += time;
    }
    let program = &study.job.program;
    let one = |(block, seconds)| {
        let name = mpi_name(program, block);
        let part = if sends(&name) { Part::Messages(WhichMessages::Call(block)) } else { Part::Fixed };
        let found = candidate(study, "mpi_call", name, seconds, part);
        at(found, file_name(program, block), program.blocks[block].span.line_start)
    };
    seconds.into_iter().map(one).collect()
}

/// Calls that send, which the path may wait for without running through them.
fn add_sends(steps: &[Step], seconds: &mut BTreeMap<BlockId, f64>) {
    for step in steps {
        match step {
            Step::Event(event) if matches!(event.operation, Operation::Send { .. }) => {
                if let Some(site) = event.site {
                    seconds.entry(site.block).or_default();
                }
            }
            Step::Repeat(repeat) => add_sends(&repeat.steps, seconds),
            _ => {}
        }
    }
}

/// Whether a call sends messages: all but those that receive, wait, look or do neither.
pub(crate) fn sends(name: &str) -> bool {
    const OTHERS: [&str; 9] =
        ["MPI_Recv", "MPI_Irecv", "MPI_Mrecv", "MPI_Wait", "MPI_Test", "MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "call"];
    !OTHERS.iter().any(|other| name.starts_with(other))
}

fn links(study: &Study<'_>) -> Vec<Candidate> {
    let one = |(&(from, to), &(_, seconds)): (&(TaskId, TaskId), &(u64, f64))| {
        let part = Part::Messages(WhichMessages::Between(from, to));
        candidate(study, "link", format!("task {} to task {}", from.index(), to.index()), seconds, part)
    };
    study.path.links.iter().map(one).collect()
}

/// Channels of a topology, with the messages of the path that go over them: a wider one is shared by more without loss.
fn topology_links(study: &Study<'_>) -> Vec<Candidate> {
    let Some((platform, links)) = study.target.platform.and_then(|p| Some((p, p.links.as_ref()?))) else {
        return Vec::new();
    };
    let Ok(nodes) = platform.place(study.job.tasks) else { return Vec::new() };
    let mut seconds: BTreeMap<u32, f64> = BTreeMap::new();
    for (&(from, to), &(_, time)) in &study.path.links {
        let (Some(&a), Some(&b)) = (nodes.get(from.index()), nodes.get(to.index())) else { continue };
        for channel in if a == b { Vec::new() } else { links.route(a, b) } {
            *seconds.entry(channel).or_default() += time;
        }
    }
    let one =
        |(channel, seconds)| candidate(study, "topology_link", links.name(channel), seconds, Part::Channel(channel));
    seconds.into_iter().map(one).collect()
}

/// With what replays say of it.
fn replayed(study: &Study<'_>, candidate: Candidate) -> Ranked {
    let Candidate { mut ranked, part } = candidate;
    if matches!(part, Part::Fixed) {
        return ranked;
    }
    // Else the total is no sum of times along a path: what ends sooner may slow something else down.
    let convex = !study.base.activity().timing_dependent && interference(study.job, study.target).is_none();
    // What a message saves is not known from the path alone: it may wait for another one at a port.
    let slope = matches!(part, Part::Computing(_)).then_some(ranked.path_s / 100.0).filter(|_| convex);
    let mut curve = Curve::new(study.total, convex, slope, |percent| total(study, &part, percent));
    let of_total = |seconds: f64| if study.total > 0.0 { (study.total - seconds) / study.total } else { 0.0 };
    let Some(totals) = curve.all(&PERCENTS) else { return ranked };
    ranked.zero_s = totals.get(&100).copied();
    ranked.y = Some(totals.into_iter().map(|(percent, total)| (percent, of_total(total))).collect());
    let first = slope.or_else(|| Some(study.total - curve.at(1)?)).filter(|&first| first > 0.0);
    ranked.knee_percent = first.and_then(|first| curve.knee(first)).map(f64::from);
    ranked
}

/// The total where a part takes so many percent less time.
fn total(study: &Study<'_>, part: &Part, percent: u32) -> Option<f64> {
    let total = match part {
        Part::Fixed => None,
        Part::Messages(which) => {
            study.base.total_with(FasterMessages { which: *which, left: 1.0 - f64::from(percent) / 100.0 })
        }
        Part::Channel(channel) => {
            let platform = study.target.platform?;
            let links = platform.links.as_ref()?.widened(*channel, 1.0 - f64::from(percent) / 100.0);
            study.base.total_on(Platform { links: Some(links), ..platform.clone() })
        }
        Part::Computing(scope) => {
            let changed = [Rescaled { scope: scope.clone(), left: 1.0 - f64::from(percent) / 100.0 }];
            study.base.total(&|task, entry, segments| left(&changed, task, entry, segments))
        }
    };
    total.map(|total| total.as_seconds())
}
