//! What is worth doing: everything on the critical path, by what the program would save if it took less time.
//!
//! The total is the longest of the paths through the program, each a sum of times, so it is a convex function of the
//! time of any part: what the critical path holds of a part is all that can be saved at first, and parts that it does not
//! hold save nothing (virtual speedup: Curtsinger, Berger: Coz, SOSP 2015; slack: Hollingsworth 1998).

use crate::resolve::file_name;
use crate::scope::{Rescaled, Scope, left};
use crate::study::Study;
use chronos_activity::{Segments, TaskId};
use chronos_base::ids::Id as _;
use chronos_cost::EntryCost;
use chronos_ir::{BlockKind, Program};
use chronos_predict::mpi_name;
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
    /// `None` for what replays cannot speed up.
    scope: Option<Scope>,
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
    ];
    let largest = |mut kind: Vec<Candidate>| {
        kind.retain(|candidate| candidate.ranked.path_share >= LEAST_SHARE);
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

fn candidate(study: &Study<'_>, kind: &'static str, name: String, path_s: f64, scope: Option<Scope>) -> Candidate {
    let path_share = if study.total > 0.0 { path_s / study.total } else { 0.0 };
    let ranked =
        Ranked { kind, name, file: None, line: None, path_s, path_share, y: None, zero_s: None, knee_percent: None };
    Candidate { ranked, scope }
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
        let found = candidate(study, "function", function.name.to_string(), seconds, Some(scope));
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
        at(candidate(study, "loop", name, seconds, Some(scope)), file_name(program, header), block.span.line_start)
    };
    headers.into_iter().map(one).collect()
}

fn tasks(study: &Study<'_>, segments: &Segments) -> Vec<Candidate> {
    let ranks: BTreeSet<TaskId> = study.path.computing.keys().map(|key| key.0).collect();
    let one = |task: TaskId| {
        let scope = Scope::Task(task);
        candidate(study, "task", format!("task {}", task.index()), on_path(study, segments, &scope), Some(scope))
    };
    ranks.into_iter().map(one).collect()
}

/// MPI calls, with the waiting in them: what the path spends there is not theirs alone, so they are not sped up.
fn calls(study: &Study<'_>) -> Vec<Candidate> {
    let mut seconds: BTreeMap<_, f64> = BTreeMap::new();
    for (&(_, site), time) in &study.path.calls {
        *seconds.entry(site.block).or_default() += time;
    }
    let program = &study.job.program;
    let one = |(block, seconds)| {
        let found = candidate(study, "mpi_call", mpi_name(&study.job.program, block), seconds, None);
        at(found, file_name(program, block), program.blocks[block].span.line_start)
    };
    seconds.into_iter().map(one).collect()
}

fn links(study: &Study<'_>) -> Vec<Candidate> {
    let one = |(&(from, to), &(_, seconds)): (&(TaskId, TaskId), &(u64, f64))| {
        candidate(study, "link", format!("task {} to task {}", from.index(), to.index()), seconds, None)
    };
    study.path.links.iter().map(one).collect()
}

/// With what replays say of it.
fn replayed(study: &Study<'_>, candidate: Candidate) -> Ranked {
    let Candidate { mut ranked, scope: Some(scope) } = candidate else { return candidate.ranked };
    let mut totals = Totals { study, scope, known: BTreeMap::new() };
    let of_total = |seconds: f64| if study.total > 0.0 { (study.total - seconds) / study.total } else { 0.0 };
    let saved: Option<BTreeMap<u32, f64>> =
        PERCENTS.into_iter().map(|percent| Some((percent, of_total(totals.at(percent)?)))).collect();
    ranked.y = saved;
    ranked.zero_s = totals.at(100);
    ranked.knee_percent = totals.knee(ranked.path_s).map(f64::from);
    ranked
}

/// Totals by the percent by which a part takes less time.
struct Totals<'s, 'a> {
    study: &'s Study<'a>,
    scope: Scope,
    known: BTreeMap<u32, Option<f64>>,
}

impl Totals<'_, '_> {
    fn at(&mut self, percent: u32) -> Option<f64> {
        if let Some(&known) = self.known.get(&percent) {
            return known;
        }
        let changed = [Rescaled { scope: self.scope.clone(), left: 1.0 - f64::from(percent) / 100.0 }];
        let remaining = |task: TaskId, entry: &EntryCost, segments: &Segments| left(&changed, task, entry, segments);
        let total = self.study.base.total(&remaining).map(|total| total.as_seconds());
        self.known.insert(percent, total);
        total
    }

    /// The least percent from which one percent more saves less than a tenth of what the first one saved. Because the
    /// total is convex, there is one place at which that begins.
    fn knee(&mut self, slope: f64) -> Option<u32> {
        let mut is_flat = |percent: u32| Some(self.at(percent)? - self.at(percent + 1)? < slope / 100.0 / 10.0);
        if !is_flat(99)? {
            return None;
        }
        let (mut steep, mut flat) = (0, 99);
        while steep < flat {
            let middle = (steep + flat) / 2;
            match is_flat(middle)? {
                true => flat = middle,
                false => steep = middle + 1,
            }
        }
        Some(flat)
    }
}
