//! One prediction of many: what is to be made, and what was made of it.

use super::replayed_run::ReplayedRun;
use chronos_base::diag::Diagnostic;
use chronos_ir::DataModel;
use chronos_predict::a_priori::CommunicationProfile;
use chronos_report::model::{Prediction, SweepValue};
use std::time::Duration;

/// A program, values of sweeps, a system and a number of tasks.
#[derive(Clone, Debug)]
pub struct SweepPoint {
    /// Position among the programs of the options.
    pub program: usize,
    /// The swept values of this point.
    pub sweep: Vec<SweepValue>,
    /// The number of tasks.
    pub tasks: usize,
    /// Position among the systems.
    pub(super) system: usize,
    /// Position among the programs as they were read, for the machine of the first task.
    pub(super) prepared: usize,
    /// The same for machines of other data models.
    pub(super) others: Vec<(DataModel, usize)>,
    /// Arguments of the program, swept ones included.
    pub(super) arguments: Vec<String>,
}

/// What was made of a sweep point.
pub struct PointResult {
    /// The finished prediction.
    pub prediction: Prediction,
    /// What the tasks communicate, where the options ask for it and it is known.
    pub communication: Option<CommunicationProfile>,
    /// What is to be said of it.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the options ask to keep it, and there is one.
    pub replayed: Option<ReplayedRun>,
    /// It comes from the folder of kept results.
    pub reused: bool,
    /// How long computing it took.
    pub took: Duration,
    /// In how many classes the tasks were followed, or why each was followed by itself; `None` where they were not evaluated.
    pub classes: Option<Result<usize, &'static str>>,
}
