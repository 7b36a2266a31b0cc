//! Counts of a real run in place of those that are not statically exact.

use super::amount::Amount;
use super::tally::Class;
use super::{Counted, Executions, Settled, assemble, causes, once, operated};
use crate::evaluation::Job;
use chronos_activity::{Count, CountSource, CountValue};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_interpreter::codes as interp;
use chronos_ir::{BlockId, BlockKind, CounterId};
use chronos_machine::network::Network;
use chronos_report::counts::model::Cause;
use chronos_symbolic::Atoms;
use chronos_trace::sharing::Sharing;
use chronos_trace::{Trace, TracedCounts, number};
use std::collections::BTreeSet;

/// Counts every block of the program on every task: statically where that is exact, else as the trace has it.
pub fn count(job: &Job, network: &Network, trace: &Trace) -> Counted {
    let Settled { mut evaluation, classes, diagnostics } = super::settled(job, network);
    if trace.shared.is_some() {
        let is_traced = |id: BlockId| trace.map.counters.contains_key(&job.program.blocks[id].counter(0).0);
        evaluation.found.assumed.retain(|&(id, _)| !is_traced(id));
    }
    let atoms = Atoms::default();
    let executions = Executions {
        program: &job.program,
        classes: &classes,
        timing: &evaluation.found.arrival.blocks,
        atoms: &atoms,
        once: once(&job.program),
        branches_left_to_heuristics: causes::branches_left_to_heuristics(
            &job.program,
            &diagnostics,
            &evaluation.found,
            &classes,
        ),
        operated: operated(&job.program, &classes, &evaluation.found),
        doubted: super::doubted(&evaluation.found),
    };
    let traced = Joined { executions, trace };
    let counts = trace.counts();
    let joined: Vec<Class> = classes.iter().flat_map(|class| traced.of_class(class, &counts)).collect();
    let diagnostics = settled(job, trace, &joined, diagnostics);
    let mut counted = assemble(job, &joined, &atoms, &evaluation.found, diagnostics, trace.is_complete());
    if let Some((_, sharing)) = trace.shared {
        say_shared(&mut counted, trace.tasks.len(), sharing);
    }
    counted
}

/// Names the trace as the reason of what nothing else explains.
fn say_shared(counted: &mut Counted, traced: usize, sharing: Sharing) {
    let reason = format!("it is shared out from a trace of {} (--share-trace {sharing})", number(traced));
    let mut shared = BTreeSet::new();
    let unexplained = |cause: &&mut Cause| cause.block.is_none() && cause.source == CountSource::Assumed;
    for cause in counted.inexact.iter_mut().filter(unexplained) {
        shared.extend(cause.blocks.iter().copied());
        cause.reason.clone_from(&reason);
        cause.remedy = Some("trace the program with this number of tasks".into());
    }
    for block in counted.blocks.iter_mut().filter(|block| shared.contains(&block.id)) {
        block.counts.iter_mut().filter_map(|counts| counts.reason.as_mut()).for_each(|old| old.clone_from(&reason));
    }
}

/// Whether a number is that of the evaluation alone, and certain.
pub fn is_exact(count: Count) -> bool {
    count.source == CountSource::Static && matches!(count.value, CountValue::Exact(_))
}

struct Joined<'a> {
    executions: Executions<'a>,
    trace: &'a Trace,
}

impl Joined<'_> {
    /// One class for each task.
    fn of_class(&self, class: &Class, counts: &[TracedCounts]) -> Vec<Class> {
        let tasks = class.tasks.iter().filter_map(|&task| Some((task, counts.get(task as usize)?)));
        tasks.map(|(task, traced)| Class::new(vec![task], self.amounts(class, traced))).collect()
    }

    fn amounts(&self, class: &Class, traced: &TracedCounts) -> FxHashMap<CounterId, Amount> {
        let counters = (0..self.executions.program.counters).map(CounterId);
        counters.map(|counter| (counter, self.amount(class, counter, traced))).collect()
    }

    pub(crate) fn amount(&self, class: &Class, counter: CounterId, traced: &TracedCounts) -> Amount {
        let known = self.executions.amount(class, counter);
        match traced.get(&counter) {
            // What is never executed as far as is known may be all the same where something around it is not known.
            Some(&executed) if !is_exact(known.count()) || (known.count().is_zero() && executed > 0) => {
                let amount = Amount::number(self.trace.count(executed));
                if self.trace.is_complete() { amount } else { amount.at_least_that() }
            }
            _ => known,
        }
    }
}

/// Without what was said of branches and loops that the trace tells.
fn settled(job: &Job, trace: &Trace, classes: &[Class], diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let open: BTreeSet<BlockId> = job
        .program
        .blocks
        .iter()
        .filter_map(|(id, block)| {
            let is_shared = trace.shared.is_some() && trace.map.counters.contains_key(&block.counter(0).0);
            let inexact = |class: &Class| !is_shared && class.amount(block.counter(0)).source() > CountSource::Trace;
            classes.iter().any(inexact).then_some(id)
        })
        .collect();
    let decides = |kind: &BlockKind| matches!(kind, BlockKind::Branch(_) | BlockKind::Loop(_));
    let blocks = job.program.blocks.iter().filter(|(_, block)| decides(&block.kind));
    let by_span: FxHashMap<Span, BlockId> = blocks.map(|(id, block)| (block.span, id)).collect();
    let is_settled = |d: &Diagnostic| {
        let block = d.labels.first().and_then(|label| by_span.get(&label.span));
        let of_evaluation = interp::ALL.contains(&d.code);
        of_evaluation && (open.is_empty() || block.is_some_and(|block| !open.contains(block)))
    };
    diagnostics.into_iter().filter(|d| !is_settled(d)).collect()
}
