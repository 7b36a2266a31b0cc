//! A recorded run as it is predicted: the program with the arguments, macros and tasks of the record, on one machine.

use super::object_code::ObjectCache;
use super::options::{PredictOptions, ProgramOptions};
use super::prepared::{PreparedProgram, Refused};
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_machine::Machine;
use chronos_machine::network::Network;
use chronos_predict::short_run::machines::PredictedRun;
use chronos_predict::{Job, ModelOptions, Outcome, Target, predict};
use chronos_record::Record;
use chronos_record::folder::RecordInfo;
use chronos_report::model::LoopBound;
use std::sync::Arc;

/// What was evaluated.
pub(super) struct ShortRun {
    job: Job,
    machine: Machine,
    network: Network,
    model: ModelOptions,
    outcome: Outcome,
    /// The files that diagnostics of it speak of.
    pub files: Arc<SourceFiles>,
}

impl ShortRun {
    /// Of the first program of the options.
    ///
    /// # Errors
    /// It cannot be read or evaluated.
    pub fn new(
        options: &PredictOptions,
        record: &Record,
        machine: Machine,
        objects: &ObjectCache,
    ) -> Result<Self, Box<Refused>> {
        let tasks = record.tasks.len();
        let program = as_recorded(&options.programs[0], &record.info);
        let prepared = PreparedProgram::read(program, machine.model(), None, tasks > 1)?;
        let files = prepared.files.clone();
        let refused = |diagnostics| Box::new(Refused { diagnostics, files: files.clone() });
        let mut job = prepared.job(tasks, &record.info.arguments).map_err(refused)?;
        job.object_code = options.compiler_use().object_codes(&prepared.options, [&machine], objects);
        let network = Network::load(&options.systems.network).map_err(refused)?;
        let model = ModelOptions { tasks_per_node: sharing(&machine, tasks), ..options.model.clone() };
        let outcome = predict(&job, target(&machine, &network, &model));
        Ok(Self { job, machine, network, model, outcome, files })
    }

    /// What can be compared with its record.
    ///
    /// # Errors
    /// Why nothing can.
    pub fn predicted(&self) -> Result<PredictedRun<'_>, Box<Refused>> {
        let outcome = &self.outcome;
        // Where a count is unknown, so is what the run is predicted to take.
        let evaluated = outcome.activity.as_ref().or(outcome.once.as_ref());
        let target = target(&self.machine, &self.network, &self.model);
        let Some(evaluated) = evaluated else { return Err(self.refused(outcome.diagnostics.clone())) };
        Ok(PredictedRun { job: &self.job, target, evaluated })
    }

    /// How its loops ran.
    pub fn loops(&self) -> &[LoopBound] {
        &self.outcome.prediction.loops
    }

    pub fn refused(&self, diagnostics: Vec<Diagnostic>) -> Box<Refused> {
        Box::new(Refused { diagnostics, files: self.files.clone() })
    }
}

fn target<'a>(machine: &'a Machine, network: &'a Network, options: &'a ModelOptions) -> Target<'a> {
    Target { machine, platform: None, network, options, calibration: None, timeline: false }
}

/// The program as it was recorded: macros and arguments make the size of a run.
fn as_recorded(options: &ProgramOptions, info: &RecordInfo) -> ProgramOptions {
    ProgramOptions {
        defines: if info.defines.is_empty() { options.defines.clone() } else { info.defines.clone() },
        stdin: info.stdin.clone().or_else(|| options.stdin.clone()),
        arguments: info.arguments.clone(),
        settings: Vec::new(),
        ..options.clone()
    }
}

/// Tasks of the run that used the memory of its machine at the same time: no more than it has cores.
fn sharing(machine: &Machine, tasks: usize) -> u32 {
    u32::try_from(tasks).unwrap_or(u32::MAX).min(machine.cores.max(1))
}
