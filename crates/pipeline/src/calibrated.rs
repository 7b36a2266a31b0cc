//! Calibration by a recorded run: reads the record, predicts its run where it was, and compares both.

use super::options::CalibrationOptions;
use super::plan::SweepPlan;
use super::point::SweepPoint;
use super::prepared::Refused;
use super::short_run::ShortRun;
use chronos_base::diag::Diagnostic;
use chronos_machine::Machine;
use chronos_predict::Job;
use chronos_predict::calibration::Calibration;
use chronos_predict::short_run::calibrate;
use chronos_record::Record;
use chronos_report::model::Prediction;

/// What a run tells, where its tasks shared one machine.
///
/// # Errors
/// The record, the program or the machine cannot be read, or nothing of the run can be compared.
pub(super) fn read(
    plan: &SweepPlan,
    options: &CalibrationOptions,
) -> Result<(Calibration, Vec<Diagnostic>), Box<Refused>> {
    let (record, mut told) = Record::read(&options.folder).map_err(|error| vec![*error])?;
    let machine = match &options.machine {
        Some(name) => Machine::load(name)?,
        None => plan.systems[0].machine().clone(),
    };
    let run = ShortRun::new(&plan.options, &record, machine, &plan.objects)?;
    let found = calibrate(run.predicted()?, run.loops(), &record);
    let (calibration, notes) = found.map_err(|error| run.refused(vec![*error]))?;
    told.extend(notes);
    Ok((calibration, told))
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
        calibration.map_or_else(Vec::new, |calibration| calibration.notes(&job.program, prediction))
    }
}
