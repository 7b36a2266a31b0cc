//! Computing the sweep points on all processors, and handing them over in their order.
//!
//! What a program does is evaluated once for all machines; they replay it side by side.

use super::data_models;
use super::executed::executed;
use super::interval;
use super::memory_forecast;
use super::options::TraceOptions;
use super::plan::SweepPlan;
use super::point::{PointResult, SweepPoint};
use super::prepared::Refused;
use super::progress::Progress;
use super::replayed_run::ReplayedRun;
use super::traces::{read_trace, with_little_effort};
use super::workers::{Indexed, WorkQueue};
use chronos_activity::schedule::Schedule;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id as _;
use chronos_interpreter::FilesAtHand;
use chronos_ir::BlockId;
use chronos_predict::a_priori::{APriori, Call, CommunicationProfile};
use chronos_predict::efficiency::efficiency_of;
use chronos_predict::replayed::replayed;
use chronos_predict::traced::predict_traced;
use chronos_predict::{
    self as predict, Evaluated, Job, Outcome, Target, assumption_interval, network_interval, nodes, predict_again,
    sensitivity,
};
use chronos_report::classes::representatives;
use chronos_scaling::Priors;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// What could not be begun: errors of the options that only show here.
pub(super) type Failure = Vec<Diagnostic>;

/// Points that one evaluation serves.
struct Served {
    /// Their positions.
    points: Vec<usize>,
    /// What was evaluated, where any target may use it.
    evaluated: Option<Arc<Evaluated>>,
    /// Nothing was evaluated for them yet.
    is_first: bool,
}

impl SweepPlan {
    /// Makes all predictions; `each` gets them in the order of the points, as soon as those before them are done.
    ///
    /// # Errors
    /// What is wrong with the first point that could not be begun.
    pub fn run(
        &self,
        progress: &dyn Progress,
        mut each: impl FnMut(&SweepPoint, PointResult),
    ) -> Result<(), Box<Refused>> {
        let first = |points: Vec<usize>| (points[0], Served { points, evaluated: None, is_first: true });
        let work = self.groups().into_iter().map(first).collect();
        let queue = WorkQueue { work, results: self.points.len(), jobs: self.options.run.jobs };
        queue.run(
            progress,
            |served, sender| self.serve(served, sender),
            |index, made: Result<PointResult, Failure>| {
                let point = &self.points[index];
                let refused = |diagnostics| Box::new(Refused { diagnostics, files: self.files(point).clone() });
                each(point, made.map_err(refused)?);
                Ok(())
            },
        )
    }

    /// Points that one evaluation serves, by their positions.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        for (index, point) in self.points.iter().enumerate() {
            let platform = self.system(point).platform().map(|platform| &platform.name);
            let group = *known
                .entry((point.prepared, &point.others, &point.arguments, point.tasks, platform))
                .or_insert(groups.len());
            match groups.get_mut(group) {
                Some(points) => points.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    /// Makes the first of the points that is not kept; the others follow side by side, from what was evaluated for it. Where
    /// that holds for its own target alone, each of them is evaluated by itself.
    fn serve(&self, served: Served, sender: &Sender<Indexed<Result<PointResult, Failure>>>) -> Vec<Indexed<Served>> {
        let Served { points, mut evaluated, is_first } = served;
        let mut left = points.into_iter();
        for index in left.by_ref() {
            let made = self.kept_or_predicted(&self.points[index], &mut evaluated);
            let (failed, was_kept) = (made.is_err(), made.as_ref().is_ok_and(|result| result.reused));
            if sender.send((index, made)).is_err() || failed {
                return Vec::new();
            }
            if is_first && !was_kept {
                break;
            }
        }
        let follower = |index| Served { points: vec![index], evaluated: evaluated.clone(), is_first: false };
        left.map(|index| (index, follower(index))).collect()
    }

    fn kept_or_predicted(
        &self,
        point: &SweepPoint,
        evaluated: &mut Option<Arc<Evaluated>>,
    ) -> Result<PointResult, Failure> {
        let begin = Instant::now();
        let kept = self
            .cache
            .as_ref()
            .filter(|_| self.options.execution.is_none())
            .map(|cache| (cache, self.cache_key(point)));
        // A kept result has no replay.
        let wanted = kept.as_ref().filter(|_| !self.options.run.keep_replay);
        if let Some(mut result) = wanted.and_then(|(cache, key)| cache.read(key, self.files(point))) {
            result.took = begin.elapsed();
            return Ok(result);
        }
        let mut result = self.predict(point, evaluated)?;
        result.took = begin.elapsed();
        if let Some((cache, key)) = kept.filter(|_| self.can_be_kept(point)) {
            result.diagnostics.extend(cache.write(&key, &result, self.files(point)));
        }
        Ok(result)
    }

    /// Which files the program opens unasked is known only afterwards, and others may lie there the next time.
    pub(super) fn can_be_kept(&self, point: &SweepPoint) -> bool {
        !self.prepared[point.prepared].inputs.at_hand.as_ref().is_some_and(FilesAtHand::were_asked_for)
    }

    pub(super) fn job(&self, point: &SweepPoint) -> Result<Job, Failure> {
        let prepared = &self.prepared[point.prepared];
        let others: Vec<_> = point.others.iter().map(|&(model, other)| (model, &self.prepared[other])).collect();
        let others = data_models::other_programs(prepared, &others, self.system(point), point.tasks);
        let mut job = prepared.job_with(others.map_err(|error| vec![error])?, point.tasks, &point.arguments)?;
        job.object_code =
            self.options.compiler_use().object_codes(&prepared.options, self.system(point).machines(), &self.objects);
        Ok(job)
    }

    fn predict(&self, point: &SweepPoint, evaluated: &mut Option<Arc<Evaluated>>) -> Result<PointResult, Failure> {
        let (mut job, target) = (self.job(point)?, self.target(point));
        let mut outcome = match &self.options.execution {
            Some(execution) => executed(&mut job, target, execution)?,
            None => self.outcome(point, &job, target, evaluated.as_deref())?,
        };
        outcome.diagnostics.extend(self.system(point).notes(target.options.cost_model));
        outcome.diagnostics.extend(self.notes_of_calibration(point, &job, &outcome.prediction));
        if let Some(found) = outcome.activity.take() {
            *evaluated = Some(Arc::new(found));
        }
        self.add_details(&mut outcome, &job, target, evaluated.as_deref());
        let executed = evaluated.as_deref().or(outcome.once.as_ref()).filter(|_| self.options.communication);
        let communication = executed.map(|evaluated| CommunicationProfile::of(evaluated.activity()));
        let Outcome { mut prediction, diagnostics, replayed, classes, .. } = outcome;
        prediction.sweep.clone_from(&point.sweep);
        let replayed = replayed.map(|result| {
            let nodes = nodes(&job, target);
            ReplayedRun { evaluated: evaluated.clone(), result, nodes, job }
        });
        let took = Duration::ZERO;
        Ok(PointResult { prediction, communication, diagnostics, replayed, reused: false, took, classes })
    }

    /// What is asked for beside the times: sensitivity, efficiencies and timeline.
    fn add_details(&self, outcome: &mut Outcome, job: &Job, target: Target<'_>, evaluated: Option<&Evaluated>) {
        if self.options.sensitivity {
            let found = evaluated.map(|evaluated| sensitivity(job, target, evaluated));
            outcome.prediction.sensitivity = found.unwrap_or_default();
        }
        let known = evaluated.or(outcome.once.as_ref()).filter(|_| outcome.prediction.total_s.is_some());
        if let Some(evaluated) = known {
            let ran = self.options.execution.is_some();
            let note = network_interval::widen(&mut outcome.prediction, job, target, evaluated, ran);
            outcome.diagnostics.extend(note);
            assumption_interval::widen(&mut outcome.prediction, job, target, evaluated);
            outcome.prediction.interval_without = interval::taken_as_exact(&outcome.diagnostics, &self.options);
        }
        if let (Some(evaluated), Some(total), true) = (known, outcome.prediction.total_s, self.options.efficiency) {
            outcome.prediction.efficiency = efficiency_of(job, target, evaluated, total);
        }
        let spans = self.options.timeline_spans;
        if let Some(evaluated) = evaluated.or(outcome.once.as_ref()).filter(|_| spans > 0) {
            let prediction = &outcome.prediction;
            let tasks = if self.options.per_task { Vec::new() } else { representatives(prediction) };
            outcome.prediction.replayed = Some(Box::new(replayed(job, target, evaluated, spans, &tasks)));
        }
    }

    pub(super) fn outcome(
        &self,
        point: &SweepPoint,
        job: &Job,
        target: Target<'_>,
        evaluated: Option<&Evaluated>,
    ) -> Result<Outcome, Failure> {
        if let (Some(recorded), Some(options)) = (&self.recorded, &self.options.recorded) {
            return Ok(recorded.outcome(job, target, options));
        }
        match (evaluated, &self.options.trace) {
            _ if !job.program.parameters.is_empty() => Ok(self.expressions(point, job, target)),
            (Some(evaluated), _) => Ok(predict_again(job, target, evaluated)),
            (None, None) => {
                // Others that are predicted meanwhile take memory, too, which is not that of this one.
                let alone = self.points.len() == 1;
                let fits = if alone { memory_forecast::check(job, target) } else { Ok(()) };
                fits.map_err(|fault| vec![fault])?;
                Ok(predict::predict(job, target))
            }
            (None, Some(trace)) => {
                let budget = self.options.programs.iter().find_map(|program| program.budget);
                traced(job, target, trace, budget)
            }
        }
    }
}

impl SweepPlan {
    /// The parts of the time of a point's program on its system a priori, for these numbers of tasks, with what they show.
    ///
    /// # Errors
    /// The job cannot be made.
    pub fn priors(
        &self,
        point: &SweepPoint,
        a_priori: &APriori,
        tasks: impl IntoIterator<Item = usize>,
    ) -> Result<(Priors, Vec<Diagnostic>), Box<Refused>> {
        let refused = |diagnostics| Box::new(Refused { diagnostics, files: self.files(point).clone() });
        let job = self.job(point).map_err(refused)?;
        Ok(a_priori.priors(&job, self.target(point), tasks))
    }

    /// The MPI function that a call site names, with file and line.
    pub fn call_name(&self, point: &SweepPoint, call: Call) -> String {
        let program = &self.prepared[point.prepared].program;
        let block = BlockId::new(call.block as usize);
        program.blocks.get(block).map_or_else(String::new, |_| chronos_predict::call_name(program, block))
    }

    /// What was executed as a schedule, its computation priced.
    ///
    /// # Errors
    /// It has calls that no schedule can express, or depends on its own timing.
    pub fn schedule(&self, point: &SweepPoint, run: &ReplayedRun) -> Result<Schedule, Diagnostic> {
        predict::schedule(&run.job, self.target(point), run.evaluated()?)
    }

    /// What was executed as a time-independent trace, its computation priced.
    ///
    /// # Errors
    /// As of a schedule, or it has too many actions.
    pub fn time_independent_trace(&self, point: &SweepPoint, run: &ReplayedRun) -> Result<String, Diagnostic> {
        predict::time_independent_trace(&run.job, self.target(point), run.evaluated()?)
    }
}

fn traced(job: &Job, target: Target<'_>, options: &TraceOptions, budget: Option<u64>) -> Result<Outcome, Failure> {
    let (trace, partial) = read_trace(options, job)?;
    let mut outcome = predict_traced(&with_little_effort(job, &trace, budget), target, &trace);
    // A program that was traced after a longer evaluation may have no points where a short one does not get through.
    if outcome.prediction.total_s.is_none() && !trace.map.whole && trace.is_complete() {
        outcome = predict_traced(job, target, &trace);
    }
    outcome.diagnostics.extend(partial);
    Ok(outcome)
}
