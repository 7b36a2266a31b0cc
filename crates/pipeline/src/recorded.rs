//! A recorded run in place of a program: read once, predicted on every system.

use super::object_code::ObjectCache;
use super::options::{MachineRatio, OsShare, PredictOptions, ProgramOptions, RecordedOptions};
use super::point::SweepPoint;
use super::prepared::{PreparedProgram, Refused};
use super::short_run::ShortRun;
use chronos_base::diag::Diagnostic;
use chronos_machine::{Machine, embedded_names};
use chronos_predict::recorded::{estimate, evaluated};
use chronos_predict::short_run::machines::{self, MachineRatios};
use chronos_predict::{Evaluated, Job, Outcome, Target, predict_again};
use chronos_record::calls::CallProgram;
use chronos_record::codes::{NO_SOURCES, OTHER_TASKS, SAME_MACHINES, SHARE_OF_RUN};
use chronos_record::steps::{Reading, Totals, activity, totals};
use chronos_record::{Record, steps};
use chronos_report::model::RecordedRun;
use chronos_slicing::Assumptions;

/// What a record holds, as it is predicted.
#[derive(Debug)]
pub(super) struct ReadRun {
    evaluated: Evaluated,
    totals: Totals,
    /// The share of the processors that the system took.
    os_share: f64,
    /// Computing takes so many times the processor time of the run.
    factor: f64,
    /// How much longer its stretches take where two machines are compared.
    pub(super) ratios: MachineRatios,
}

/// What reports call the machine of a recorded run.
const MACHINE: &str = "the recorded processors";

/// A record has its own times; a machine is only there to place tasks on nodes.
pub(super) fn with_system(mut options: PredictOptions) -> PredictOptions {
    if options.recorded.is_some() && options.systems.platforms.is_empty() && options.systems.machines.is_empty() {
        options.systems.machines = embedded_names().take(1).map(str::to_owned).collect();
    }
    options
}

/// The run of the options, its program, and a sweep point for each system.
///
/// # Errors
/// It cannot be read, or is of another number of tasks.
pub(super) fn read(
    options: &PredictOptions,
    recorded: &RecordedOptions,
    systems: usize,
    objects: &ObjectCache,
) -> Result<(ReadRun, PreparedProgram, Vec<SweepPoint>), Box<Refused>> {
    let (record, mut told) = Record::read(&recorded.folder).map_err(|error| vec![*error])?;
    let tasks = record.tasks.len();
    if let Some(&other) = options.tasks.iter().find(|&&asked| options.names_tasks && asked != tasks) {
        return Err(other_tasks(recorded, tasks, other).into());
    }
    let calls = CallProgram::new(&record);
    let ratios = machine_ratios(options, &recorded.machine_ratio, &record, objects)?;
    told.extend(same_machines(&recorded.machine_ratio));
    let run = ReadRun::new(&record, &calls, recorded, ratios, told).map_err(|error| vec![*error])?;
    let program = ProgramOptions {
        files: vec![recorded.folder.clone()],
        arguments: record.info.arguments.clone(),
        ..ProgramOptions::default()
    };
    let prepared = PreparedProgram {
        options: program,
        files: calls.program.files.clone(),
        program: calls.program,
        assumptions: Assumptions::default(),
        inputs: Default::default(),
        diagnostics: Vec::new(),
    };
    let point = |system| SweepPoint {
        program: 0,
        sweep: Vec::new(),
        tasks,
        system,
        prepared: 0,
        others: Vec::new(),
        arguments: record.info.arguments.clone(),
    };
    Ok((run, prepared, (0..systems).map(point).collect()))
}

impl ReadRun {
    fn new(
        record: &Record,
        calls: &CallProgram,
        options: &RecordedOptions,
        ratios: MachineRatios,
        mut told: Vec<Diagnostic>,
    ) -> Result<Self, Box<Diagnostic>> {
        let totals: steps::Totals = totals(record);
        let os_share = match options.os_share {
            OsShare::Given(share) => share,
            OsShare::OfRun => totals.system_share,
        };
        told.extend((options.os_share == OsShare::OfRun).then(|| share_of_run(os_share)).flatten());
        // The arcs of computation, lengthened by what the system takes (Drozdowski 2001, section 3).
        let longer = 1.0 / (1.0 - os_share);
        let of_stretches = Some(&ratios.of_stretches[..]).filter(|all| !all.is_empty());
        let factor = if of_stretches.is_some() { longer } else { longer * ratios.common };
        let reading = Reading { matched_anew: options.matched_anew, factor, of_stretches };
        let activity = activity(record, calls, reading)?;
        let factor = longer * ratios.common;
        Ok(Self { evaluated: evaluated(activity, told), totals, os_share, factor, ratios })
    }

    /// Predicts it on a target.
    pub fn outcome(&self, job: &Job, target: Target<'_>, options: &RecordedOptions) -> Outcome {
        let mut outcome = predict_again(job, target, &self.evaluated);
        let path = options.longest_path.then(|| estimate(job, target, &self.evaluated));
        let longest_path_s = path.and_then(|found| match found {
            Ok(length) => Some(length.as_seconds()),
            Err(error) => {
                outcome.diagnostics.push(error);
                None
            }
        });
        "processor time".clone_into(&mut outcome.prediction.cost_model);
        if target.platform.is_none() {
            MACHINE.clone_into(&mut outcome.prediction.platform.machine);
            outcome.prediction.tasks.iter_mut().for_each(|task| MACHINE.clone_into(&mut task.machine));
        }
        outcome.prediction.recorded = Some(RecordedRun {
            wall_s: self.totals.wall_s,
            processor_s: self.totals.processor_s,
            os_share: self.os_share,
            factor: self.factor,
            matched_anew: options.matched_anew,
            longest_path_s,
        });
        outcome.activity = outcome.prediction.total_s.map(|_| self.evaluated.clone());
        outcome
    }
}

/// How much longer the stretches of a record take; a factor of its own for each where machines are compared.
fn machine_ratios(
    options: &PredictOptions,
    asked: &MachineRatio,
    record: &Record,
    objects: &ObjectCache,
) -> Result<MachineRatios, Box<Refused>> {
    let (from, to) = match asked {
        MachineRatio::Factor(common) => return Ok(MachineRatios { common: *common, of_stretches: Vec::new() }),
        MachineRatio::Machines { from, to } => (from, to),
    };
    if options.programs.first().is_none_or(|program| program.files.is_empty()) {
        return Err(no_sources().into());
    }
    let run = |name: &str| ShortRun::new(options, record, Machine::load(name)?, objects);
    let (from, to) = (run(from)?, run(to)?);
    let found = machines::machine_ratios(from.predicted()?, to.predicted()?, record);
    found.map_err(|error| from.refused(vec![*error]))
}

/// What services of an idle system may take.
const MOST_OF_SERVICES: f64 = 0.1;

fn share_of_run(share: f64) -> Option<Diagnostic> {
    let message =
        format!("by the run the system takes {:.0} % of the processors, more than its services do", 100.0 * share);
    let warning = || Diagnostic::warning(&SHARE_OF_RUN, message);
    (share > MOST_OF_SERVICES).then(|| {
        warning().help("record a longer run on a machine that does nothing else, or give the share: --os-share 0.02")
    })
}

fn same_machines(asked: &MachineRatio) -> Option<Diagnostic> {
    let MachineRatio::Machines { from, to } = asked else { return None };
    let message = format!("computing takes what it took in the run: the ratio is that of `{from}` to itself");
    (from == to).then(|| {
        Diagnostic::note(&SAME_MACHINES, message)
            .help("name the machine that the run is to be predicted on behind the colon")
    })
}

fn no_sources() -> Diagnostic {
    Diagnostic::error(
        &NO_SOURCES,
        "the ratio of two machines is that of predictions of the recorded program, and none is given",
    )
    .help("name its sources beside --recorded, or give a factor: --machine-ratio 1.5")
}

fn other_tasks(recorded: &RecordedOptions, tasks: usize, asked: usize) -> Diagnostic {
    let folder = recorded.folder.display();
    let message = format!("{folder} is a record of {}, not of {asked}", chronos_trace::number(tasks));
    Diagnostic::error(&OTHER_TASKS, message).help(format!("leave out -n, or record the program with -n {asked}"))
}
