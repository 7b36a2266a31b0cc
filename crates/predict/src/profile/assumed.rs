//! Branches and loops that are not exactly known, as a file of assumptions to be filled in.

use super::executions::Executions;
use crate::assumptions::{AssumptionFile, BranchEntry, LoopEntry};
use crate::evaluation::{Found, Job};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::{Block, BlockId, BlockKind, Program};
use chronos_report::counts::model::Cause;
use std::collections::{BTreeMap, BTreeSet};

/// By block number: what decides about inexact counts, what was assumed, and what diagnostics ask for.
pub fn file(
    executions: &Executions<'_>,
    job: &Job,
    found: &Found,
    causes: &[Cause],
    diagnostics: &[Diagnostic],
) -> AssumptionFile {
    let program = executions.program;
    let mut blocks: BTreeSet<BlockId> = causes.iter().filter_map(|cause| cause.block.map(BlockId)).collect();
    blocks.extend(found.assumed.iter().map(|(block, _)| block));
    blocks.extend(job.assumptions.probability.keys().chain(job.assumptions.iterations.keys()));
    let reported_blocks = reported_blocks(program, diagnostics);
    blocks.extend(reported_blocks.keys());
    let reason_of = |id: BlockId| {
        let cause = causes.iter().find(|cause| cause.block == Some(id.0)).map(|cause| cause.reason.as_str());
        cause.or_else(|| reported_blocks.get(&id).copied()).unwrap_or_default().to_owned()
    };
    let mut file = AssumptionFile { schema: AssumptionFile::SCHEMA.to_owned(), ..AssumptionFile::default() };
    for id in blocks {
        let entry = Entry { executions, job, found, id, reason: reason_of(id) };
        match program.blocks[id].kind {
            BlockKind::Branch(_) => file.branches.push(entry.branch()),
            BlockKind::Loop(_) => file.loops.push(entry.of_loop()),
            _ => {}
        }
    }
    file
}

/// Branches and loops that a diagnostic is about, with what it says.
pub fn reported_blocks<'a>(program: &Program, diagnostics: &'a [Diagnostic]) -> BTreeMap<BlockId, &'a str> {
    let decides = |(_, block): &(BlockId, &Block)| matches!(block.kind, BlockKind::Branch(_) | BlockKind::Loop(_));
    let by_span: FxHashMap<Span, BlockId> =
        program.blocks.iter().filter(decides).map(|(id, block)| (block.span, id)).collect();
    let place = |d: &'a Diagnostic| Some((*by_span.get(&d.labels.first()?.span)?, d.message.as_str()));
    diagnostics.iter().filter(|d| asks(d)).filter_map(place).collect()
}

/// Diagnostics whose remedy is to say how it goes on there.
fn asks(diagnostic: &Diagnostic) -> bool {
    diagnostic.help.as_deref().is_some_and(|help| help.contains("--prob ") || help.contains("--iterations "))
}

/// One branch or loop.
struct Entry<'a> {
    executions: &'a Executions<'a>,
    job: &'a Job,
    found: &'a Found,
    id: BlockId,
    reason: String,
}

impl Entry<'_> {
    fn block(&self) -> &Block {
        &self.executions.program.blocks[self.id]
    }

    fn branch(self) -> BranchEntry {
        let span = self.block().span;
        BranchEntry {
            file: self.executions.program.files.get(span.file).name.to_string(),
            line: span.line_start,
            column: Some(span.column_start),
            probability: self.job.assumptions.probability.get(&self.id).copied(),
            assumed: self.probability(),
            function: self.function(),
            code: self.code(),
            reason: self.reason,
        }
    }

    fn of_loop(self) -> LoopEntry {
        let span = self.block().span;
        LoopEntry {
            file: self.executions.program.files.get(span.file).name.to_string(),
            line: span.line_start,
            column: Some(span.column_start),
            iterations: self.job.assumptions.iterations.get(&self.id).copied(),
            assumed: None,
            function: self.function(),
            code: self.code(),
            reason: self.reason,
        }
    }

    /// What was assumed of the first arm: as the evaluation says, else as it was taken on all tasks.
    fn probability(&self) -> Option<f64> {
        let (_, assumed) = self.found.assumed.iter().find(|(block, _)| *block == self.id)?;
        let said =
            assumed.text.strip_prefix("probability ").and_then(|rest| rest.split(':').next()?.trim().parse().ok());
        said.or_else(|| self.taken().filter(|&p| p == 0.0 || p == 1.0))
    }

    fn taken(&self) -> Option<f64> {
        let total = |offset: u32| -> Option<f64> {
            let each = self.executions.classes.iter().map(|class| {
                let amount = self.executions.amount(class, self.block().counter(offset));
                Some(amount.count().as_f64()? * class.tasks.len() as f64)
            });
            each.sum()
        };
        let evaluated = total(0).filter(|&n| n > 0.0)?;
        Some(total(1)? / evaluated)
    }

    fn function(&self) -> String {
        self.executions.program.functions[self.block().function].name.to_string()
    }

    /// The source on its first line.
    fn code(&self) -> String {
        let span = self.block().span;
        let text = self.executions.program.files.get(span.file).text.as_deref().unwrap_or_default();
        let line = text.lines().nth((span.line_start as usize).saturating_sub(1)).unwrap_or_default();
        line.trim().to_owned()
    }
}
