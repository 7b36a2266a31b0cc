//! The name of a kept prediction: a hash of all that it depends on.
//!
//! That is the options of its sweep point, as they are serialised; the contents of every file that they name; the
//! program and the system as they were read; and the very build of chronos. Where options name files, fields are listed
//! by patterns without `..`, so that the compiler asks about a new field.

use super::answers::Question;
use super::cache::SCHEMA;
use super::content_hash::ContentHash;
use super::options::{PredictOptions, ProgramOptions, SystemOptions};
use super::plan::SweepPlan;
use super::point::SweepPoint;
use super::values::Sweep;
use chronos_ir::print;
use chronos_report::model::SweepValue;
use std::path::{Path, PathBuf};

impl SweepPlan {
    /// See the module.
    pub(super) fn cache_key(&self, point: &SweepPoint) -> String {
        let prepared = &self.prepared[point.prepared];
        let options = self.point_options(point);
        let mut hash = ContentHash::new();
        hash.add(SCHEMA);
        hash.this_build();
        hash.add(&serialised(&options));
        // Formulas of the total are of all numbers of tasks that were asked for.
        if !prepared.options.symbolic.is_empty() {
            hash.debug(&self.options.tasks);
        }
        hash.add(&print::program(&prepared.program));
        for &(model, other) in &point.others {
            hash.debug(&model);
            hash.add(&print::program(&self.prepared[other].program));
        }
        prepared.files.iter().for_each(|(_, file)| hash.debug(&(&file.name, &file.text)));
        hash.debug(&(self.system(point), self.network(point)));
        hash.debug(&self.compiler_versions(point));
        // Of a recorded run that sources and machines scale, what came of them.
        hash.debug(&self.recorded.as_ref().map(|run| &run.ratios));
        options.files_read().iter().for_each(|path| hash.file(path));
        hash.name()
    }

    /// The name of a kept answer.
    pub(super) fn answer_key(&self, point: &SweepPoint, question: &Question<'_>) -> String {
        let mut hash = ContentHash::new();
        hash.add(&self.cache_key(point));
        hash.add(&question.text);
        question.files.iter().for_each(|path| hash.file(path));
        hash.name()
    }

    fn compiler_versions(&self, point: &SweepPoint) -> Vec<String> {
        let machines = self.system(point).machines();
        self.options.compiler_use().versions(&self.prepared[point.prepared].options, machines, &self.objects)
    }

    /// The options that ask for this point alone. Systems count by what their files hold, not by their names.
    fn point_options(&self, point: &SweepPoint) -> PredictOptions {
        let program = &self.prepared[point.prepared].options;
        let one = |value: &SweepValue| Sweep { name: value.name.clone(), values: vec![value.value.clone()] };
        PredictOptions {
            programs: vec![ProgramOptions { arguments: point.arguments.clone(), ..program.clone() }],
            systems: SystemOptions::default(),
            tasks: vec![point.tasks],
            names_tasks: false,
            sweeps: point.sweep.iter().map(one).collect(),
            ..self.options.clone()
        }
    }
}

fn serialised(options: &PredictOptions) -> String {
    // Plain data can always be written; without it, the other parts of the key would still tell most predictions apart.
    serde_json::to_string(options).unwrap_or_default()
}

impl PredictOptions {
    /// Files beside sources and systems whose contents predictions depend on.
    fn files_read(&self) -> Vec<PathBuf> {
        let Self {
            programs,
            systems: _,
            tasks: _,
            names_tasks: _,
            sweeps: _,
            model: _,
            asks_compilers: _,
            trace,
            recorded,
            calibration,
            sensitivity: _,
            efficiency: _,
            communication: _,
            timeline_spans: _,
            per_task: _,
            // What a program does that runs is not kept.
            execution: _,
            run: _,
        } = self;
        let mut files: Vec<PathBuf> = programs.iter().flat_map(ProgramOptions::files_read).cloned().collect();
        files.extend(trace.iter().flat_map(|trace| files_in(&trace.folder)));
        files.extend(recorded.iter().flat_map(|recorded| files_in(&recorded.folder)));
        files.extend(calibration.iter().flat_map(|run| files_in(&run.folder)));
        files.extend(calibration.iter().filter_map(|run| run.machine.as_ref()).map(PathBuf::from));
        files
    }
}

impl ProgramOptions {
    /// Files beside the sources, whose text the program as it was read has.
    fn files_read(&self) -> Vec<&PathBuf> {
        let Self {
            name: _,
            executable: _,
            files: _,
            compile_commands: _,
            trust: _,
            defines: _,
            includes: _,
            cc: _,
            c_library: _,
            mpi_library: _,
            threads: _,
            omp_schedule: _,
            spawn: _,
            settings: _,
            symbolic: _,
            probabilities: _,
            iterations: _,
            assumption_files,
            library_cost_files,
            stdin,
            input_files,
            // What is read so is not kept.
            files_at_hand: _,
            budget: _,
            separate_ranks: _,
            arguments: _,
            other_programs_files: _,
        } = self;
        let inputs = stdin.iter().chain(input_files.iter().map(|file| &file.path));
        assumption_files.iter().chain(library_cost_files).chain(inputs).collect()
    }
}

/// Ascending.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}
