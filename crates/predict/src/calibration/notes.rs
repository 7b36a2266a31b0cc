//! What is said of a calibrated prediction: parts that the short run does not tell of.

use super::Calibration;
use super::parts::Parts;
use super::regimes::{self, Regime};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id as _;
use chronos_ir::{BlockId, Program};
use chronos_record::codes::{NOT_IN_SHORT_RUN, OTHER_REGIME};
use chronos_report::model::Prediction;
use std::collections::BTreeMap;

/// The share of the computing time from which on a part is worth a diagnostic.
const WORTH_TELLING: f64 = 0.02;

impl Calibration {
    /// What is to be said of a prediction of the job.
    pub fn notes(&self, program: &Program, prediction: &Prediction) -> Vec<Diagnostic> {
        let parts = Parts::new(program);
        let mut times: BTreeMap<usize, (f64, BlockId)> = BTreeMap::new();
        for (number, block) in prediction.blocks.iter().enumerate() {
            let id = BlockId::new(number);
            if let Some(part) = parts.of(id) {
                times.entry(part).or_insert((0.0, id)).0 += block.time_s;
            }
        }
        let whole: f64 = times.values().map(|found| found.0).sum();
        let is_unknown = |(part, (time, _)): &(&usize, &(f64, BlockId))| {
            *time > WORTH_TELLING * whole && !self.ratios.contains_key(&parts.names[**part])
        };
        let unknown = times.iter().filter(is_unknown);
        let mut notes: Vec<Diagnostic> = unknown
            .map(|(&part, &(time, block))| {
                let function = &parts.names[part].function;
                let message = format!(
                    "the recorded run does not tell how long this part of `{function}` takes, {:.0} % of the computing time: it keeps \
                     its predicted time",
                    100.0 * time / whole
                );
                Diagnostic::warning(&NOT_IN_SHORT_RUN, message)
                    .label(program.blocks[block].span, "not executed there, or in short stretches alone")
                    .help("record a run that executes it for longer")
            })
            .collect();
        notes.extend(self.other_regimes(program, prediction, whole));
        notes
    }

    fn other_regimes(&self, program: &Program, prediction: &Prediction, whole: f64) -> Vec<Diagnostic> {
        let loops = prediction.loops.iter().filter(|found| found.time_s > WORTH_TELLING * whole);
        let changed = loops.filter_map(|found| {
            let why = Regime::of_bound(found).differs(self.regimes.get(&regimes::name(found))?)?;
            let message = format!("this loop of `{}` runs otherwise than in the recorded run: {why}", found.function);
            let note = Diagnostic::note(&OTHER_REGIME, message);
            let span = program.blocks.get(BlockId(found.block))?.span;
            Some(
                note.label(span, "its interval is that of the cost model")
                    .help("record a run whose data is in the same caches as that of the run that is predicted"),
            )
        });
        changed.collect()
    }
}
