//! Counts as expressions of what the user left free.

use super::amount::Amount;
use super::tally::Class;
use super::{Counted, assemble};
use crate::evaluation::operations::by_operations;
use crate::evaluation::{Found, Job};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_ir::CounterId;
use chronos_symbolic::{self as symbolic, SymbolicCounts, TaskCounts};

/// Counts every block, with rank and number of tasks known and the program's parameters free.
pub fn count(job: &Job) -> Counted {
    let (counts, diagnostics) = symbolic::count(&job.program, &job.options());
    counted(job, &counts, diagnostics)
}

fn counted(job: &Job, counts: &SymbolicCounts, diagnostics: Vec<Diagnostic>) -> Counted {
    let class = |(tasks, counted): &(Vec<_>, TaskCounts)| {
        Class::new(tasks.iter().map(|task: &chronos_activity::TaskId| task.0).collect(), sums(counted))
    };
    let classes: Vec<Class> = counts.tasks.iter().map(class).collect();
    let complete = !diagnostics.iter().any(Diagnostic::is_error);
    let found = Found { operated: by_operations(&job.program), ..Found::default() };
    assemble(job, &classes, &counts.atoms, &found, diagnostics, complete)
}

/// Over the contexts.
fn sums(counted: &TaskCounts) -> FxHashMap<CounterId, Amount> {
    let mut sums: FxHashMap<CounterId, Amount> = FxHashMap::default();
    for (_, counter, count) in &counted.counts {
        let sum = sums.entry(*counter).or_insert(Amount::ZERO);
        *sum = sum.plus(&Amount::symbolic(count));
    }
    sums
}
