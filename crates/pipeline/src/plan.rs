//! A plan of many predictions.
//!
//! It has all sweep points in the order in which their results are handed over. How they are computed is in `run`.

use super::cache::ResultCache;
use super::calibrated;
use super::object_code::ObjectCache;
use super::options::{PredictOptions, ProgramOptions, Shard};
use super::point::SweepPoint;
use super::prepared::{PreparedProgram, Refused};
use super::progress::Progress;
use super::recorded::{self, ReadRun};
use super::sources::info;
use super::sweeps::combinations;
use super::systems::{self, TargetSystem};
use super::totals::Totals;
use super::variants;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_cost::{ModelName, Source};
use chronos_machine::network::Network;
use chronos_machine::{self as machine, Machine};
use chronos_predict::Target;
use chronos_predict::calibration::Calibration;
use chronos_report::model::ProgramInfo;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All that is needed to make the predictions.
pub struct SweepPlan {
    /// What was asked for.
    pub options: PredictOptions,
    /// All sweep points, in the order in which results are handed over.
    pub points: Vec<SweepPoint>,
    pub(super) systems: Vec<TargetSystem>,
    pub(super) network: Network,
    pub(super) prepared: Vec<PreparedProgram>,
    pub(super) cache: Option<ResultCache>,
    pub(super) objects: ObjectCache,
    /// Formulas that were found.
    pub(super) totals: Totals,
    /// What is predicted in place of programs.
    pub(super) recorded: Option<ReadRun>,
    /// What multiplies predicted times.
    pub(super) calibrated: Option<Calibration>,
    /// Of reading the run that calibrates.
    calibration_notes: Vec<Diagnostic>,
}

impl SweepPlan {
    /// Reads everything that the options name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(options: PredictOptions, progress: &dyn Progress) -> Result<Self, Box<Refused>> {
        let options = recorded::with_system(options);
        let (systems, network) = systems::load(&options)?;
        let combinations = combinations(&options.sweeps)?;
        let cache = options.run.resume.as_deref().map(ResultCache::open).transpose()?;
        let objects = ObjectCache::new(options.run.objects.clone());
        let (recorded, prepared, points) = match &options.recorded {
            Some(recorded) => {
                let (run, program, points) = recorded::read(&options, recorded, systems.len(), &objects)?;
                (Some(run), vec![program], points)
            }
            None => {
                let (prepared, points) = variants::read(&options, &systems, &combinations, progress)?;
                (None, prepared, points)
            }
        };
        let (calibrated, calibration_notes) = (None, Vec::new());
        let mut plan = Self {
            options,
            points,
            systems,
            network,
            prepared,
            cache,
            objects,
            totals: Totals::default(),
            recorded,
            calibrated,
            calibration_notes,
        };
        if let Some(run) = plan.options.calibration.clone() {
            let (calibrated, notes) = calibrated::read(&plan, &run)?;
            (plan.calibrated, plan.calibration_notes) = (Some(calibrated), notes);
        }
        if let Some(shard) = plan.options.run.shard {
            plan.keep_shard(shard);
        }
        Ok(plan)
    }

    /// Leaves out the points of other shards; what one evaluation serves is dealt out as one.
    fn keep_shard(&mut self, shard: Shard) {
        let own = self.groups().into_iter().enumerate().filter(|(group, _)| group % shard.of == shard.index);
        let own: BTreeSet<usize> = own.flat_map(|(_, points)| points).collect();
        let points = std::mem::take(&mut self.points).into_iter().enumerate();
        self.points = points.filter(|(index, _)| own.contains(index)).map(|(_, point)| point).collect();
    }

    /// The machine, cluster or platform of a point.
    pub fn system_name(&self, point: &SweepPoint) -> &str {
        self.system(point).name()
    }

    /// What is predicted, for reports: a program, or a recorded run.
    pub fn program_info(&self, program: &ProgramOptions) -> ProgramInfo {
        let read = self.recorded.as_ref().and_then(|_| self.prepared.first());
        info(read.map_or(program, |prepared| &prepared.options))
    }

    /// Whether the program runs meanwhile.
    pub fn is_executed(&self) -> bool {
        self.options.execution.is_some()
    }

    /// The files that diagnostics of a point speak of.
    pub fn files(&self, point: &SweepPoint) -> &Arc<SourceFiles> {
        &self.prepared[point.prepared].files
    }

    /// All diagnostics of reading the programs. Of the same sources for machines of another data model, those of the
    /// first reading say all: the blocks are the same.
    pub fn read(&self) -> impl Iterator<Item = (&Arc<SourceFiles>, &[Diagnostic])> {
        let firsts: BTreeSet<usize> = self.points.iter().map(|point| point.prepared).collect();
        let all = self.prepared.iter().enumerate().filter(move |(index, _)| firsts.contains(index));
        let of_programs = all.map(|(_, prepared)| (&prepared.files, &prepared.diagnostics[..]));
        of_programs.chain(self.prepared.first().map(|first| (&first.files, &self.calibration_notes[..])))
    }

    pub(super) fn system(&self, point: &SweepPoint) -> &TargetSystem {
        &self.systems[point.system]
    }

    pub(super) fn network(&self, point: &SweepPoint) -> &Network {
        let own = self.system(point).platform().and_then(|platform| platform.network.as_ref());
        own.unwrap_or(&self.network)
    }

    /// The system of a point with its network.
    pub fn target(&self, point: &SweepPoint) -> Target<'_> {
        let system = self.system(point);
        Target {
            machine: system.machine(),
            platform: system.platform(),
            network: self.network(point),
            options: &self.options.model,
            calibration: self.calibrated.as_ref(),
            timeline: self.options.run.keep_replay,
        }
    }
}

/// Tells that the model is not the one that is usual, for a machine file of the user's; of shipped files, scaled ones
/// included, the guide does.
pub fn fallback(chosen: Option<ModelName>, machine: &Machine) -> Option<Diagnostic> {
    let base = machine.name.split(' ').next();
    let shipped = || machine::embedded_names().any(|name| Some(name) == base);
    Source::why_not(machine).filter(|_| chosen.is_none() && !shipped())
}
