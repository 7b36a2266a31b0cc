//! What a representative does: its steps, and what was assumed of the messages that it receives.

use crate::state::by_rank::{Signatures, formula_of_task};
use crate::state::formulas::{FormulaId, Formulas};
use chronos_activity::{Operation, RequestId, Segments, Step, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Bytes;
use chronos_ir::BlockId;
use std::collections::{BTreeMap, BTreeSet};

/// A message that a receive is taken to bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) request: Option<RequestId>,
    pub(crate) tag: i32,
    pub(crate) bytes: Bytes,
}

/// How many contexts and segments there were when a step was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) contexts: u32,
    pub(crate) segments: u32,
    pub(crate) reports: u32,
}

/// What a representative does, with its own contexts and segments.
pub(crate) struct Course {
    pub(crate) steps: Vec<Step>,
    /// Of each step.
    pub(crate) marks: Vec<Mark>,
    /// What steps bring that complete receives.
    pub(crate) expected: FxHashMap<u32, Vec<Expected>>,
    pub(crate) segments: Segments,
    pub(crate) formulas: Formulas,
    pub(crate) signatures: Signatures,
    /// How often summaries of loops were asked for.
    pub(crate) asked: BTreeMap<BlockId, u64>,
    /// Loops that were summed up in which texts are handled.
    pub(crate) texts: BTreeSet<BlockId>,
    /// What is assumed of it, in the order in which it was told.
    pub(crate) reports: Vec<Diagnostic>,
}

impl Course {
    /// Formulas that stand for partners, each once.
    pub(crate) fn partners(&self) -> Vec<FormulaId> {
        let mut found = Vec::new();
        add_partners(&self.steps, &mut found);
        found
    }
}

fn add_partners(steps: &[Step], found: &mut Vec<FormulaId>) {
    for step in steps {
        match step {
            Step::Event(event) => {
                let formula = partner(&event.operation).and_then(formula_of_task);
                found.extend(formula.filter(|formula| !found.contains(formula)));
            }
            Step::Repeat(repeat) => add_partners(&repeat.steps, found),
            _ => {}
        }
    }
}

/// Whom a message goes to or comes from.
pub(crate) fn partner(operation: &Operation) -> Option<TaskId> {
    match *operation {
        Operation::Send { to, .. } => Some(to),
        Operation::Recv { from, .. } => from,
        _ => None,
    }
}
