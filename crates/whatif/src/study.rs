//! One program on one system, under changes.

use crate::change::{Change, Combination};
use crate::resolve::{NetworkOptions, Resolved, resolve};
use crate::scope::{Rescaled, left};
use crate::structure::{Structural, figure_8};
use crate::{codes, place, search};
use chronos_activity::{Segments, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id as _;
use chronos_cost::EntryCost;
use chronos_predict::path_errors::PathErrors;
use chronos_predict::replayed::WITHOUT_PROCESSOR;
use chronos_predict::replays::{Kept, PathTimes, Replayed, Replays, unchanged};
use chronos_predict::{Evaluated, Job, Target, call_name};
use chronos_report::whatif::model::{ChangeRow, PathShare};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A program that was evaluated, replayed as it is.
pub struct Study<'a> {
    /// The program with its tasks.
    pub job: &'a Job,
    /// Where it is predicted.
    pub target: Target<'a>,
    /// What its tasks execute.
    pub evaluated: &'a Evaluated,
    /// The replays of what was evaluated.
    pub base: Replays<'a>,
    /// Total of the unchanged program, in seconds.
    pub total: f64,
    /// Its critical path.
    pub path: PathTimes,
    /// How far differences may lie from the truth; made when the first change asks.
    errors: OnceLock<Option<PathErrors<'a>>>,
}

/// Functions of the critical path that a row has.
const PATH_FUNCTIONS: usize = 8;

impl<'a> Study<'a> {
    /// Replays what was evaluated.
    ///
    /// # Errors
    /// A task does not end.
    pub fn new(job: &'a Job, target: Target<'a>, evaluated: &'a Evaluated) -> Result<Self, Diagnostic> {
        let base = Replays::new(job, target, evaluated);
        let replayed = base.replay(&unchanged, &Kept::path());
        if !replayed.result.complete {
            let message = "the program does not end as it is, so that no change can be compared with it";
            return Err(Diagnostic::error(&codes::NO_BASE, message).help("`chronos predict` says why"));
        }
        let total = replayed.result.total.as_seconds();
        let path = base.path_times(&replayed, &unchanged);
        drop(replayed);
        Ok(Self { job, target, evaluated, base, total, path, errors: OnceLock::new() })
    }

    /// The answer to one change.
    ///
    /// # Errors
    /// A change of what is not there, or that cannot be made.
    pub fn row(&self, combination: &Combination, networks: &NetworkOptions) -> Result<ChangeRow, Vec<Diagnostic>> {
        let mut resolved = resolve(combination, self.job, self.target, networks)?;
        let text = &combination.text;
        if let Some(nodes) = resolved.search {
            let found = search::best(self, text, nodes).map_err(|error| vec![error])?;
            resolved.platform = Some(found.platform);
            resolved.notes.push(found.note);
        }
        let network = resolved.network.as_ref().unwrap_or(self.target.network);
        let platform = resolved.platform.as_ref().or(self.target.platform);
        let target = Target { network, platform, ..self.target };
        let (activity, notes) = crate::structure::apply(
            &resolved.structural,
            text,
            self.job,
            target,
            self.evaluated.activity(),
            &mut resolved.rescaled,
        )
        .map_err(|error| vec![error])?;
        resolved.notes.extend(notes);
        let is_same = resolved.network.is_none() && resolved.platform.is_none() && resolved.structural.is_empty();
        let made = (!is_same).then(|| Replays::of(self.job, target, activity));
        let mut row = self.replayed(text, made.as_ref().unwrap_or(&self.base), &resolved);
        self.add_comparisons(&mut row, &resolved, combination);
        Ok(row)
    }

    fn replayed(&self, text: &str, replays: &Replays<'_>, resolved: &Resolved) -> ChangeRow {
        let remaining =
            |task: TaskId, entry: &EntryCost, segments: &Segments| left(&resolved.rescaled, task, entry, segments);
        let replayed = replays.replay(&remaining, &Kept { faster: resolved.faster, ..Kept::path() });
        let result = &replayed.result;
        let total = result.complete.then(|| result.total.as_seconds());
        let saved = total.map(|total| self.total - total);
        let of_total = |seconds: f64| if self.total > 0.0 { seconds / self.total } else { 0.0 };
        let times = total.map(|_| replays.path_times(&replayed, &remaining));
        let path = total.zip(times.as_ref()).map(|(total, times)| self.path_shares(&replayed, times, total));
        let saved_interval_s = saved.zip(times.as_ref()).and_then(|(saved, times)| {
            // Balanced computing is a duration of no loop, so nothing is known of its errors.
            let known = !resolved.structural.iter().any(|change| matches!(change, Structural::Balance(_)));
            Some(self.errors().filter(|_| known)?.around(saved, &self.path, times))
        });
        let mut notes = resolved.notes.clone();
        if total.is_none() {
            notes.push("the program does not end under this change: a message is waited for in vain".to_owned());
        }
        let placed = |platform: &chronos_machine::platform::Platform| platform.place(self.job.tasks).ok();
        let nodes = resolved.platform.as_ref().and_then(placed);
        ChangeRow {
            change: text.to_owned(),
            matching: None,
            total_s: total,
            factor: total.map(of_total),
            saved_s: saved,
            saved_interval_s,
            saved_percent: saved.map(|saved| 100.0 * of_total(saved)),
            without_path_share_s: None,
            figure_8_s: None,
            path: path.unwrap_or_default(),
            placement: nodes.map_or_else(Vec::new, |nodes| place::loads(&nodes, replays, &replayed, &remaining)),
            notes,
        }
    }

    fn errors(&self) -> Option<&PathErrors<'a>> {
        let made = || PathErrors::new(self.job, self.target, self.evaluated.activity());
        self.errors.get_or_init(made).as_ref()
    }

    /// Functions on the critical path by task, those with the most time first.
    fn path_shares(&self, replayed: &Replayed<'_>, times: &PathTimes, total: f64) -> Vec<PathShare> {
        let mut all: BTreeMap<(String, usize), f64> = BTreeMap::new();
        for (&(task, context, _), seconds) in &times.computing {
            let function = replayed.segments.context(context).function;
            let name = self.job.program.functions[function].name.to_string();
            *all.entry((name, task.index())).or_default() += seconds;
        }
        for (&(task, site), seconds) in &times.calls {
            *all.entry((call_name(&self.job.program, site.block), task.index())).or_default() += seconds;
        }
        for (&task, &seconds) in &times.ready {
            *all.entry((WITHOUT_PROCESSOR.to_owned(), task.index())).or_default() += seconds;
        }
        let share = |((function, rank), time_s): ((String, usize), f64)| PathShare {
            function,
            rank,
            time_s,
            share: if total > 0.0 { time_s / total } else { 0.0 },
        };
        let mut all: Vec<PathShare> = all.into_iter().filter(|entry| entry.1 > 0.0).map(share).collect();
        all.sort_by(|a, b| {
            b.time_s.total_cmp(&a.time_s).then_with(|| (&a.function, a.rank).cmp(&(&b.function, b.rank)))
        });
        all.truncate(PATH_FUNCTIONS);
        all
    }

    /// What simpler methods would say of the same change.
    fn add_comparisons(&self, row: &mut ChangeRow, resolved: &Resolved, combination: &Combination) {
        match combination.changes[..] {
            [Change::Speed(_, None)] if resolved.faster.is_none() => {
                let on_path = self.on_path(&resolved.rescaled[0]);
                row.without_path_share_s = Some(self.total - on_path);
                if on_path == 0.0 {
                    row.notes.push("it takes no time on the critical path, so that nothing is saved".to_owned());
                }
            }
            [Change::Move(_)] => {
                if let [Structural::Move { functions, from, to, .. }] = &resolved.structural[..] {
                    let activity = self.evaluated.activity();
                    row.figure_8_s = figure_8::estimate(activity, functions, from, to, self.job, self.target);
                }
            }
            _ => {}
        }
    }

    /// Seconds on the critical path of what a change is about.
    fn on_path(&self, changed: &Rescaled) -> f64 {
        let segments = self.segments();
        let covered = self
            .path
            .computing
            .iter()
            .filter(|((task, context, block), _)| changed.scope.covers(*task, *context, *block, &segments));
        covered.map(|(_, seconds)| seconds).sum()
    }

    /// All segments that the tasks execute.
    pub fn segments(&self) -> Cow<'_, Segments> {
        match self.base.activity().timing_dependent {
            false => Cow::Borrowed(&self.base.activity().segments),
            true => self.base.replay(&unchanged, &Kept::default()).segments,
        }
    }
}
