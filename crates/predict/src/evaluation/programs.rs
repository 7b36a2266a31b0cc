//! The programs of a job whose tasks run on machines of several data models.

use super::Job;
use chronos_ir::{DataModel, Program};
use std::sync::Arc;

/// The job's sources as further data models have them, and the tasks that run them. Empty where all machines have one
/// data model.
#[derive(Clone, Debug, Default)]
pub struct OtherPrograms {
    /// By the data model of the machines that run them. All have the functions, blocks and variables of the job's own
    /// program by the same numbers (`Program::first_difference`).
    pub programs: Vec<(DataModel, Arc<Program>)>,
    /// Which program each task runs: 0 is the job's own, then come these. Tasks beyond run the job's own.
    pub of_task: Vec<u32>,
}

impl Job {
    /// All programs, the job's own first.
    pub fn programs(&self) -> impl Iterator<Item = &Arc<Program>> {
        std::iter::once(&self.program).chain(self.other_programs.programs.iter().map(|(_, program)| program))
    }

    /// The program that machines of a data model run.
    pub(crate) fn program_for(&self, model: DataModel) -> &Arc<Program> {
        let other = self.other_programs.programs.iter().find(|(of, _)| *of == model);
        other.map_or(&self.program, |(_, program)| program)
    }

    /// The data model of each task where there are several; else empty.
    pub(super) fn models(&self) -> Vec<DataModel> {
        if self.other_programs.programs.is_empty() {
            return Vec::new();
        }
        let models: Vec<DataModel> = self.programs().map(|program| program.model).collect();
        let position = |task: usize| self.other_programs.of_task.get(task).map_or(0, |&program| program as usize);
        (0..self.tasks).map(|task| models[position(task)]).collect()
    }

    /// The data model in whose form messages hold data. Where there are several, that is the widest: it holds all values
    /// of the others, and both ends of a message agree on its size.
    pub(super) fn message_model(&self) -> DataModel {
        // Quad precision holds all of x87's, and 64 bits all of 32.
        const WIDEST_FIRST: [DataModel; 3] = [DataModel::Aarch64, DataModel::Lp64, DataModel::Ilp32];
        let several = self.models();
        WIDEST_FIRST.into_iter().find(|model| several.contains(model)).unwrap_or(self.program.model)
    }
}
