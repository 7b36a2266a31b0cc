//! What the user says about branches and loops: on the command line, or in the source where the program
//! comes by. The command line wins over the source, and what is known exactly over both.

use crate::execute::machine::{Flow, Machine};
use chronos_base::ids::Id;
use chronos_ir::{BlockId, Callee};
use chronos_slicing::annotations;
use chronos_slicing::annotations::{AnnotationCheck, Kind, Target};
use chronos_slicing::heuristics::{Likelihood, Outcome};
use chronos_values::Value;

impl Machine<'_> {
    /// The program states an assumption, with the call in the block `leaf`.
    pub fn take_annotation(&mut self, leaf: BlockId, value: Value) -> Flow<Value> {
        let Some(kind) = self.kind(leaf) else { return Ok(Value::Int(0)) };
        let target = self.code.annotations.target(leaf);
        let number = match value {
            Value::Float(x) => x,
            Value::Int(n) => n as f64,
            unknown => {
                target.map(|target| self.task.annotated.remove(&target));
                self.warn_of_unknown_annotation(kind, unknown);
                return Ok(Value::Int(0));
            }
        };
        if let Err(message) = annotations::check(kind, number) {
            let help = annotations::remedy(kind);
            return Err(self.error(&annotations::NO_ASSUMPTION, message, help));
        }
        target.map(|target| self.task.annotated.insert(target, number));
        Ok(Value::Int(0))
    }

    fn kind(&self, leaf: BlockId) -> Option<Kind> {
        match &self.code.program.call(leaf)?.callee {
            Callee::Library(name) => annotations::kind(name),
            _ => None,
        }
    }

    fn warn_of_unknown_annotation(&mut self, kind: Kind, value: Value) {
        let Some(span) = self.span() else { return };
        let mut diagnostic = annotations::unknown(kind, span);
        diagnostic.labels.extend(value.reason().into_iter().flat_map(|reason| self.origins(reason)));
        self.shared.reports.add(self.task.id, diagnostic);
    }

    pub fn stated_probability(&self, block: BlockId) -> Option<f64> {
        let said = self.shared.options.assumptions.probability.get(&block);
        said.or_else(|| self.task.annotated.get(&Target::Condition(block))).copied()
    }

    pub fn stated_iterations(&self, block: BlockId) -> Option<f64> {
        let said = self.shared.options.assumptions.iterations.get(&block);
        said.or_else(|| self.task.annotated.get(&Target::Loop(block))).copied()
    }

    /// How likely the value is true that an arm of an `&&`, `||` or `?:` yielded.
    pub fn arm_truth(&self, block: BlockId, arm: u32) -> Likelihood {
        match self.task.annotated.get(&Target::RightSide(block)) {
            Some(&p) => Likelihood { p, assumed: false },
            None => self.code.heuristics.arm_truth(&self.code.program, block, arm, &|id| self.outcome(id)),
        }
    }

    /// What is known of the value that such a branch gave last.
    pub fn outcome(&self, id: BlockId) -> Option<Outcome> {
        match (self.known.outcomes[id.index()]?, self.task.annotated.get(&Target::RightSide(id))) {
            (Outcome::Arm(_), Some(&p)) => Some(Outcome::Truth(Likelihood { p, assumed: false })),
            (outcome, _) => Some(outcome),
        }
    }

    /// Somebody spoke of a branch or loop whose behaviour is known.
    pub fn settle(&mut self, block: BlockId, said: Option<f64>, found: f64) {
        if let Some(said) = said.filter(|_| !self.task.weight.is_zero()) {
            self.shared.settled.entry(block).or_default().add(AnnotationCheck { times: 1.0, found, said });
        }
    }
}
