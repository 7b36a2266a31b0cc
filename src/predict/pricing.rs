//! Times of segments on one machine, each priced once.

use super::Target;
use crate::activity::{SegmentId, Segments, Work};
use crate::cost::{CostModel, InstructionSum, LoopTime, ModelName, Priced, Source};
use crate::diag::Diagnostic;
use crate::ids::Id as _;
use crate::program::Program;
use crate::units::Picoseconds;

/// A cost model with what it has priced so far.
pub struct Prices<'a> {
    model: Box<dyn CostModel + 'a>,
    diagnostics: Vec<Diagnostic>,
    priced: Vec<Option<(Picoseconds, Priced)>>,
}

impl<'a> Prices<'a> {
    pub fn new(program: &'a Program, target: Target<'a>) -> Self {
        let machine = target.machine;
        let (model, diagnostics): (Box<dyn CostModel>, _) = match target.cost_model {
            ModelName::InstructionSum => {
                let model = InstructionSum::new(program, machine);
                let diagnostics = model.diagnostics(program, machine);
                (Box::new(model), diagnostics)
            }
            ModelName::Source => {
                let model = Source::new(program, machine);
                let diagnostics = model.diagnostics(program, machine);
                (Box::new(model), diagnostics)
            }
        };
        Self { model, diagnostics, priced: Vec::new() }
    }

    /// As `--cost-model` names it.
    pub fn model_name(&self) -> &'static str {
        self.model.name()
    }

    /// What the machine does not say of the program.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.clone()
    }

    /// The time of one execution.
    pub fn time(&mut self, work: Work, segments: &Segments) -> Picoseconds {
        match work {
            Work::Time(time) => time,
            Work::Segment(id) => self.segment(id, segments),
        }
    }

    fn segment(&mut self, id: SegmentId, segments: &Segments) -> Picoseconds {
        let index = id.index();
        if self.priced.len() <= index {
            self.priced.resize_with(index + 1, || None);
        }
        let model = &self.model;
        let price = || {
            let priced = model.price(segments.get(id));
            (Picoseconds::from_nanoseconds(priced.total().0), priced)
        };
        self.priced[index].get_or_insert_with(price).0
    }

    /// What bounds the loops of one execution of a segment.
    pub fn loops(&self, id: SegmentId, segments: &Segments) -> Vec<LoopTime> {
        self.model.loops(segments.get(id))
    }

    /// The parts of a segment that was priced.
    pub fn parts(&self, id: SegmentId) -> Option<&Priced> {
        self.priced.get(id.index())?.as_ref().map(|(_, priced)| priced)
    }
}
