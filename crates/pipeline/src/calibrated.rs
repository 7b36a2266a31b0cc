//! Calibration by a recorded run: reads the record, predicts its run where it was, and compares both.

use super::options::{CalibrationOptions, ProgramOptions};
use super::plan::SweepPlan;
use super::point::SweepPoint;
use super::prepared::{PreparedProgram, Refused};
use super::systems;
use chronos_base::diag::Diagnostic;
use chronos_cost::ModelName;
use chronos_machine::Machine;
use chronos_predict::calibration::{Calibration, calibrate};
use chronos_predict::{Job, ModelOptions, Target, predict};
use chronos_record::Record;
use chronos_record::folder::RecordInfo;
use chronos_report::model::Prediction;

/// What a run tells, where its tasks shared one machine.
#[derive(Debug)]
pub(super) struct ReadCalibration {
    calibration: Calibration,
}

impl ReadCalibration {
    /// Of the program of the options.
    ///
    /// # Errors
    /// The record, the program or the machine cannot be read, or nothing of the run can be compared.
    pub fn read(plan: &SweepPlan, options: &CalibrationOptions) -> Result<(Self, Vec<Diagnostic>), Box<Refused>> {
        let (record, mut told) = Record::read(&options.folder).map_err(|error| vec![*error])?;
        let own = options.machine.as_deref().map(systems::machine).transpose().map_err(|error| vec![error])?;
        let machine = own.as_ref().unwrap_or_else(|| plan.systems[0].machine());
        let program = short_run(&plan.options.programs[0], &record.info);
        let arguments = record.info.arguments.clone();
        let prepared = PreparedProgram::read(program, machine.model(), None, record.tasks.len() > 1)?;
        let refused = |diagnostics| Box::new(Refused { diagnostics, files: prepared.files.clone() });
        let mut job = prepared.job(record.tasks.len(), &arguments).map_err(refused)?;
        if plan.options.model.cost_model == Some(ModelName::Compiled) {
            job.object_code = super::object_codes(&prepared.options, [machine], &plan.objects);
        }
        let model = ModelOptions { tasks_per_node: sharing(machine, record.tasks.len()), ..plan.options.model.clone() };
        let network = &plan.network;
        let target = Target { machine, platform: None, network, options: &model, calibration: None, timeline: false };
        let outcome = predict(&job, target);
        let evaluated = outcome.activity.as_ref().or(outcome.once.as_ref()).or(outcome.untimed.as_ref());
        let Some(evaluated) = evaluated else { return Err(refused(outcome.diagnostics)) };
        let found = calibrate(&job, target, evaluated, &outcome.prediction.loops, &record);
        let (calibration, notes) = found.map_err(|error| refused(vec![*error]))?;
        told.extend(notes);
        Ok((Self { calibration }, told))
    }

    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

/// The program as it was recorded: macros and arguments make the size of a run.
fn short_run(options: &ProgramOptions, info: &RecordInfo) -> ProgramOptions {
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

impl SweepPlan {
    /// What is to be said of a prediction that is calibrated.
    pub(super) fn notes_of_calibration(
        &self,
        point: &SweepPoint,
        job: &Job,
        prediction: &Prediction,
    ) -> Vec<Diagnostic> {
        let calibration = self.target(point).calibration;
        calibration.map_or_else(Vec::new, |calibration| calibration.notes(job, prediction))
    }
}
