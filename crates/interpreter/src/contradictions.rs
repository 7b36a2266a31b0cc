//! What the user said and the evaluation found otherwise.

use crate::evaluator::Evaluator;
use chronos_base::diag::Diagnostic;
use chronos_ir::{BlockId, BlockKind, Program};
use chronos_slicing::annotations;
use chronos_slicing::annotations::AnnotationCheck;
use chronos_slicing::heuristics::shown;

impl Evaluator {
    /// Where the source or the user says something else than what is known.
    pub(crate) fn contradictions(&self) -> Vec<Diagnostic> {
        let program = &self.programs.first().program;
        let told = |(&block, settled): (&BlockId, &AnnotationCheck)| {
            settled.contradiction().map(|(found, said)| contradiction(program, block, found, said))
        };
        self.shared.settled.iter().filter_map(told).collect()
    }
}

fn contradiction(program: &Program, block: BlockId, found: f64, said: f64) -> Diagnostic {
    let span = program.blocks[block].span;
    let (message, label) = match program.blocks[block].kind {
        BlockKind::Loop(_) => (
            format!("a loop runs {} times, not {} as assumed", shown(found), shown(said)),
            "its number of iterations is known",
        ),
        _ => (
            format!("a condition is true with a share of {}, not {} as assumed", shown(found), shown(said)),
            "its outcome is known",
        ),
    };
    Diagnostic::warning(&annotations::CONTRADICTED, message)
        .label(span, label)
        .help("what is known is used; remove the assumption, or check what makes the value known")
}
