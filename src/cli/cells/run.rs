//! Computing the cells on all processors, and handing them over in their order.

use super::{Cell, Done, Plan, cost_model, fallback};
use crate::cli::exit::Exit;
use crate::cli::output::Terminal;
use crate::cli::parallel::{Made, Work};
use crate::cli::{codes, count, timeline};
use crate::diag::Diagnostic;
use crate::exchange::Timeline;
use crate::predict::recorded::{Stretches, predict_recorded};
use crate::predict::replayed::replayed as happened;
use crate::predict::symbolic::predict_symbolic;
use crate::predict::traced::predict_traced;
use crate::predict::{
    Evaluated, Job, Outcome, Target, call_name, independent, nodes, predict, predict_again, schedule, sensitivity,
};
use crate::replay::ReplayResult;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// What could not be begun: errors of the flags that only show here.
pub type Failure = Vec<Diagnostic>;

impl Plan<'_> {
    /// Makes all predictions; `each` gets them in the order of the cells.
    ///
    /// # Errors
    /// The first cell that could not be begun, with what is wrong.
    pub fn run(&self, terminal: &Terminal, mut each: impl FnMut(&Cell, Done)) -> Result<(), (usize, Failure)> {
        let work = Work { groups: &self.groups(), jobs: self.request.sweep.jobs };
        work.run(
            terminal,
            |group, sender| self.group(group, terminal, sender),
            |index, made: Result<Done, Failure>| {
                each(&self.cells[index], made.map_err(|failure| (index, failure))?);
                Ok(())
            },
        )
    }

    /// Cells that one evaluation serves, by their positions.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        for (index, cell) in self.cells.iter().enumerate() {
            let platform = self.place(cell).platform().map(|platform| &platform.name);
            let group = *known.entry((cell.loaded, &cell.arguments, cell.tasks, platform)).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(cells) => cells.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    fn group(&self, group: &[usize], terminal: &Terminal, sender: &Sender<Made<Result<Done, Failure>>>) {
        let mut evaluated = None;
        for &index in group {
            let cell = &self.cells[index];
            let begin = Instant::now();
            let key = self.cache.as_ref().map(|cache| cache.key(self, cell));
            let kept =
                self.cache.as_ref().zip(key.as_deref()).and_then(|(cache, key)| cache.read(key, self.files(cell)));
            let made = kept.map_or_else(|| self.predict(cell, &mut evaluated, terminal), Ok).map(|mut done| {
                done.took = begin.elapsed();
                if let (Some(cache), Some(key), false) = (&self.cache, &key, done.reused) {
                    done.diagnostics.extend(cache.write(key, &done, self.files(cell)));
                }
                done
            });
            let failed = made.is_err();
            if sender.send((index, made)).is_err() || failed {
                return;
            }
        }
    }

    fn job(&self, cell: &Cell) -> Result<Job, Failure> {
        self.loaded[cell.loaded].job(cell.tasks, &cell.arguments)
    }

    fn target<'t>(&'t self, cell: &Cell) -> Target<'t> {
        let place = self.place(cell);
        Target {
            machine: place.machine(),
            platform: place.platform(),
            network: self.network(cell),
            tasks_per_node: self.request.tasks_per_node,
            cost_model: cost_model(self.request.cost_model, place.machine()),
            timeline: !self.request.timelines.is_empty(),
            jump_ahead: self.request.jump_ahead,
        }
    }

    fn predict(&self, cell: &Cell, evaluated: &mut Option<Evaluated>, terminal: &Terminal) -> Result<Done, Failure> {
        let (job, target) = (self.job(cell)?, self.target(cell));
        let mut outcome = self.outcome(&job, target, evaluated.as_ref())?;
        outcome.diagnostics.extend(fallback(self.request.cost_model, target.machine));
        if let Some(from) = self.request.recorded {
            outcome = recorded(&job, target, &outcome, from)?;
        }
        outcome.prediction.sweep.clone_from(&cell.sweep);
        let replayed = outcome.replayed.take();
        if let Some(found) = outcome.activity.take() {
            *evaluated = Some(found);
        }
        if self.request.sensitivity {
            let found = evaluated.as_ref().map(|evaluated| sensitivity(&job, target, evaluated));
            outcome.prediction.sensitivity = found.unwrap_or_default();
        }
        let room = self.request.timeline_room;
        if let Some(evaluated) = evaluated.as_ref().or(outcome.once.as_ref()).filter(|_| room > 0) {
            outcome.prediction.replayed = Some(Box::new(happened(&job, target, evaluated, room)));
        }
        let write = |result| self.write_timeline(&job, target, (&result, evaluated.as_ref()), terminal);
        let exit = replayed.map_or(Exit::Done, write);
        let Outcome { prediction, diagnostics, .. } = outcome;
        Ok(Done { prediction, diagnostics, exit, reused: false, took: Duration::ZERO })
    }

    fn outcome(&self, job: &Job, target: Target<'_>, evaluated: Option<&Evaluated>) -> Result<Outcome, Failure> {
        match (evaluated, self.request.trace) {
            _ if !job.program.parameters.is_empty() => Ok(predict_symbolic(job, target)),
            (Some(evaluated), _) => Ok(predict_again(job, target, evaluated)),
            (None, None) => Ok(predict(job, target)),
            (None, Some(chosen)) => {
                let (trace, partial) = count::read_trace(chosen, job)?;
                let mut outcome = predict_traced(job, target, &trace);
                outcome.diagnostics.extend(partial);
                Ok(outcome)
            }
        }
    }

    fn write_timeline(
        &self,
        job: &Job,
        target: Target<'_>,
        (result, evaluated): (&ReplayResult, Option<&Evaluated>),
        terminal: &Terminal,
    ) -> Exit {
        let nodes = nodes(job, target);
        let name = |site: crate::activity::Site| call_name(&job.program, site.block);
        let timeline = Timeline { result, nodes: &nodes, name: &name };
        let none = crate::cli::predict::no_schedule;
        let schedule = || evaluated.map_or_else(|| Err(none()), |evaluated| schedule(job, target, evaluated));
        let trace = || evaluated.map_or_else(|| Err(none()), |evaluated| independent(job, target, evaluated));
        let activities = timeline::Activities { schedule: &schedule, trace: &trace };
        timeline::write(self.request.timelines, &timeline, &activities, terminal)
    }
}

/// The same with recorded computing times.
fn recorded(
    job: &Job,
    target: Target<'_>,
    outcome: &Outcome,
    (base, slower): (&Path, f64),
) -> Result<Outcome, Vec<Diagnostic>> {
    let known = outcome.activity.as_ref().or(outcome.untimed.as_ref());
    let evaluated = known.ok_or_else(|| unsettled(&outcome.diagnostics))?;
    let read = |rank: usize| {
        let path = format!("{}.{rank}", base.display());
        std::fs::read(&path).map_err(|error| vec![unread(&path, &error)])
    };
    let files: Vec<Vec<u8>> = (0..job.tasks).map(read).collect::<Result<_, _>>()?;
    let (outcome, used) = predict_recorded(job, target, evaluated, &Stretches::of_bytes(&files, slower));
    match used.iter().enumerate().find(|(_, (used, given))| used != given) {
        Some((rank, (used, given))) => Err(vec![unlike(rank, *used, *given)]),
        None => Ok(outcome),
    }
}

/// Why there is nothing to put recorded times between.
fn unsettled(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let message =
        "recorded times need MPI calls and sizes that are all known and do not depend on the order of arrival";
    let help = "raise --budget, or give what they depend on (--set, --prob, --iterations)";
    let refused = Diagnostic::error(&crate::replay::codes::NO_SCHEDULE, message).help(help);
    found.iter().cloned().chain([refused]).collect()
}

fn unread(path: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read {path}: {}", crate::diag::system_cause(error));
    Diagnostic::error(&codes::INPUT_NOT_READ, message)
        .help("--recorded names the files without their last part, the rank")
}

fn unlike(rank: usize, used: usize, given: usize) -> Diagnostic {
    let message = format!("task {rank} has {used} stretches of computation, and {given} were recorded");
    Diagnostic::error(&codes::INPUT_NOT_READ, message)
        .help("record the same program with the same arguments, from the end of MPI_Init to MPI_Finalize")
}
