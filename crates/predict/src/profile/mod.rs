//! Counts by block, line and task: joins evaluation and an untimed replay.
//!
//! The replay is there because programs may depend on what arrives first; its times are of no use
//! here, so computation takes none. This module must not know files, flags or the terminal.

mod absent;
mod ahead;
mod amount;
mod assumed;
mod causes;
mod dominance;
mod executions;
pub mod lines;
pub mod orders;
mod polls;
mod symbolic;
mod tally;
#[cfg(test)]
mod tests;
pub mod traced;

use crate::assumptions::AssumptionFile;
use crate::evaluation;
use crate::evaluation::arrival::Polls;
use crate::evaluation::random_numbers;
use crate::evaluation::{Evaluation, Found, Job};
use crate::profile::executions::Group;
use amount::Amount;
use causes::Causes;
use chronos_activity::{CountSource, Site};
use chronos_base::diag::Diagnostic;
use chronos_base::span::FileId;
use chronos_base::units::Picoseconds;
use chronos_functions::returns_again;
use chronos_interpreter::codes::UNKNOWN_WORK;
use chronos_ir::{Block, BlockId, BlockKind, Callee, Function, Program};
use chronos_machine::network::Network;
use chronos_replay::{self as replay, Finish, ReplayOptions};
use chronos_report::counts::model::{
    BlockCounts, Cause, FunctionPlace, LineCounts, LineTaskCounts, Summary, TaskCounts,
};
use chronos_slicing::doubts::Certainty;
use chronos_symbolic::Atoms;
use executions::Executions;
use std::collections::{BTreeMap, BTreeSet};
use tally::Class;

/// The counts of a job.
#[derive(Debug)]
pub struct Counted {
    /// What was left free.
    pub parameters: Vec<String>,
    /// By block number.
    pub blocks: Vec<BlockCounts>,
    /// Functions of the program with their lines.
    pub functions: Vec<FunctionPlace>,
    /// By file and line.
    pub lines: Vec<LineCounts>,
    /// How many blocks are counted exactly, and how many are not.
    pub summary: Summary,
    /// What makes counts inexact, each with the blocks that it makes so.
    pub inexact: Vec<Cause>,
    /// Every branch and loop that is not exactly known, to be filled in.
    pub assumptions: AssumptionFile,
    /// Notes, warnings and errors of the evaluation.
    pub diagnostics: Vec<Diagnostic>,
    /// Every task was followed to its end.
    pub complete: bool,
    /// A clock decides something, which a prediction follows on a machine.
    pub by_clock: bool,
    /// Blocks whose counts are others if files exist that were not given.
    pub by_files: BTreeSet<BlockId>,
}

/// Counts every block of the program on every task. The network only settles which message is the
/// first where several may be. Where the program has parameters, counts are expressions of them.
pub fn count(job: &Job, network: &Network) -> Counted {
    if job.program.parameters.is_empty() { in_numbers(job, network) } else { symbolic::count(job) }
}

fn in_numbers(job: &Job, network: &Network) -> Counted {
    let Settled { evaluation, classes, diagnostics } = settled(job, network);
    let complete = evaluation.result.tasks.iter().all(|task| matches!(task.finish, Finish::Ended | Finish::Aborted));
    assemble(job, &classes, &Atoms::default(), &evaluation.found, diagnostics, complete)
}

/// An evaluation for which it is known what the order of arrival decides.
struct Settled {
    evaluation: Evaluation,
    classes: Vec<Class>,
    diagnostics: Vec<Diagnostic>,
}

/// What a network says nothing of, and what only times hang on.
fn concerns_times(diagnostic: &Diagnostic) -> bool {
    [&replay::codes::FREE_FILES, &replay::codes::FREE_START, &UNKNOWN_WORK].contains(&diagnostic.code)
}

fn settled(job: &Job, network: &Network) -> Settled {
    let mut evaluation = evaluate(job, network, Picoseconds(0), Polls::AsReplayed);
    evaluation.found.arrival = polls::arrival(job, network, &evaluation);
    let classes = tally::classes(&job.program, &evaluation);
    let told = orders::settle(job, network, &classes, &mut evaluation.found);
    evaluation.found.doubtful = absent::doubtful(job, network, &classes, &evaluation.found);
    let mut diagnostics = evaluation::joined(&evaluation.diagnostics, evaluation.result.diagnostics.clone());
    diagnostics.extend(told);
    // No times are told here.
    diagnostics.retain(|diagnostic| !concerns_times(diagnostic));
    Settled { evaluation, classes, diagnostics }
}

/// From the counts of classes of tasks to the report's data.
fn assemble(
    job: &Job,
    classes: &[Class],
    atoms: &Atoms,
    found: &Found,
    diagnostics: Vec<Diagnostic>,
    complete: bool,
) -> Counted {
    let executions = Executions {
        program: &job.program,
        classes,
        timing: &found.arrival.blocks,
        atoms,
        once: once(&job.program),
        branches_left_to_heuristics: causes::branches_left_to_heuristics(&job.program, &diagnostics, found, classes),
        operated: operated(&job.program, classes, found),
        doubted: doubted(found),
    };
    let causes = Causes::new(&executions, job, found, &diagnostics);
    let blocks = blocks(&executions, &causes);
    let (lines, summary) = (line_counts(&executions), summary(&blocks));
    let assumptions = assumed::file(&executions, job, found, &causes.all, &diagnostics);
    let functions = functions(&job.program);
    let parameters = job.program.parameters.values().map(|parameter| parameter.name.to_string()).collect();
    let (by_clock, inexact) = (found.clock_decides, causes.all);
    let by_files = found.doubtful.clone();
    Counted {
        parameters,
        blocks,
        functions,
        lines,
        summary,
        inexact,
        assumptions,
        diagnostics,
        complete,
        by_clock,
        by_files,
    }
}

/// The worst doubt that each block's count rests on.
fn doubted(found: &Found) -> BTreeMap<BlockId, Certainty> {
    let mut doubted = BTreeMap::new();
    for followed in &found.doubted {
        for &block in &followed.blocks {
            let worst = doubted.entry(block).or_insert(followed.doubt.certainty);
            *worst = followed.doubt.certainty.max(*worst);
        }
    }
    doubted
}

/// What reductions may execute by operations that were made.
fn operated(program: &Program, classes: &[Class], found: &Found) -> BTreeMap<BlockId, BlockId> {
    let is_made = |leaf: BlockId| {
        let counter = program.blocks[leaf].counter(0);
        classes.iter().any(|class| class.is_partial() || !class.amount(counter).is_zero())
    };
    found.operated.iter().filter(|&(_, &leaf)| is_made(leaf)).map(|(&block, &leaf)| (block, leaf)).collect()
}

/// `work`: the time of everything between two MPI calls.
fn evaluate(job: &Job, network: &Network, work: Picoseconds, polls: Polls) -> Evaluation {
    let program = &job.program;
    let locate = |site: Site| program.blocks.get(site.block).map(|block| block.span);
    random_numbers::followed_if_few(job, |job| {
        evaluation::evaluated(job, |job| {
            let mut pricing = |_, _, _: &_| work;
            // Every step has the same price, so that equal iterations may be counted, however many there are.
            let options = ReplayOptions { jump_ahead: true, ..ReplayOptions::new(network, &mut pricing, &locate) };
            evaluation::evaluate_with(job, options, polls)
        })
    })
}

/// Straight blocks, calls and branches of `main` that stand in no loop and that no jump leads back to.
fn once(program: &Program) -> BTreeSet<BlockId> {
    let Some(main) = program.main else { return BTreeSet::new() };
    let function = &program.functions[main];
    if !function.labels.is_empty() || function.effects.recursive || function.effects.address_taken {
        return BTreeSet::new();
    }
    let is_loop = |id: BlockId| matches!(program.blocks[id].kind, BlockKind::Loop(_));
    let ancestors = |id: BlockId| std::iter::successors(Some(id), |&id| program.blocks[id].parent);
    let all = (function.blocks.0.0..function.blocks.1.0).map(BlockId);
    // What stands behind `setjmp` is executed again at every `longjmp`.
    let called = |id| program.call(id).map(|call| &call.callee);
    if all.clone().any(|id| matches!(called(id), Some(Callee::Library(name)) if returns_again(name))) {
        return BTreeSet::new();
    }
    all.filter(|&id| !ancestors(id).any(is_loop)).collect()
}

fn blocks(executions: &Executions<'_>, causes: &Causes) -> Vec<BlockCounts> {
    executions.program.blocks.iter().map(|(id, block)| one_block(id, block, executions, causes)).collect()
}

fn one_block(id: BlockId, block: &Block, executions: &Executions<'_>, causes: &Causes) -> BlockCounts {
    let program = executions.program;
    let groups = executions.of_block(block).into_iter();
    BlockCounts {
        id: id.0,
        function: program.functions[block.function].name.to_string(),
        kind: kind(program, id),
        file: program.files.get(block.span.file).name.to_string(),
        line_start: block.span.line_start,
        column_start: block.span.column_start,
        line_end: block.span.line_end,
        column_end: block.span.column_end,
        counts: groups.map(|group| task_counts(group, block, executions, causes.reason(id))).collect(),
    }
}

fn task_counts(group: Group, block: &Block, executions: &Executions<'_>, reason: Option<&str>) -> TaskCounts {
    let source = group.amounts[0].source();
    let of_loop = matches!(block.kind, BlockKind::Loop(_)).then(|| &group.amounts[1]);
    let of_branch = matches!(block.kind, BlockKind::Branch(_)).then(|| &group.amounts[1..]);
    let text = |amount: &Amount| amount.text(executions.atoms);
    let expressions = |amounts: &[Amount]| amounts.iter().map(text).collect::<Vec<_>>();
    let inexact = source > CountSource::Trace;
    TaskCounts {
        amount: group.amounts[0].data(executions.atoms),
        source,
        reason: reason.filter(|_| inexact).map(str::to_owned),
        entries: of_loop.map(Amount::count),
        entries_expression: of_loop.and_then(text),
        taken: of_branch.map(|amounts| amounts.iter().map(Amount::count).collect()),
        taken_expressions: of_branch.map(expressions).filter(|all| all.iter().any(Option::is_some)),
        tasks: group.tasks,
        ranks: None,
    }
}

/// As INTERFACE names it.
pub fn kind(program: &Program, id: BlockId) -> &'static str {
    match &program.blocks[id].kind {
        BlockKind::Straight(_) => "straight",
        BlockKind::Call(call) if matches!(call.callee, Callee::Mpi(_)) => "mpi",
        BlockKind::Call(_) => "call",
        BlockKind::Loop(_) => "loop",
        BlockKind::Branch(_) => "branch",
    }
}

fn functions(program: &Program) -> Vec<FunctionPlace> {
    let place = |function: &Function| FunctionPlace {
        name: function.name.to_string(),
        file: program.files.get(function.span.file).name.to_string(),
        line_start: function.span.line_start,
        line_end: function.span.line_end,
    };
    program.functions.values().map(place).collect()
}

fn line_counts(executions: &Executions<'_>) -> Vec<LineCounts> {
    let one = |((file, line), terms): ((FileId, u32), BTreeSet<lines::Term>)| LineCounts {
        file: executions.program.files.get(file).name.to_string(),
        line,
        counts: one_line(executions, &terms),
    };
    lines::terms(executions.program).into_iter().map(one).collect()
}

fn one_line(executions: &Executions<'_>, terms: &BTreeSet<lines::Term>) -> Vec<LineTaskCounts> {
    let most = |class: &Class| {
        let sums = terms.iter().map(|term| executions.sum(class, term));
        vec![sums.reduce(Amount::most).unwrap_or(Amount::ZERO)]
    };
    let data = |group: Group| LineTaskCounts {
        tasks: group.tasks,
        ranks: None,
        amount: group.amounts[0].data(executions.atoms),
        source: group.amounts[0].source(),
    };
    executions.grouped(most).into_iter().map(data).collect()
}

fn summary(blocks: &[BlockCounts]) -> Summary {
    let mut summary = Summary::default();
    for block in blocks {
        let worst = block.counts.iter().map(|group| group.source).max();
        summary.add(worst.unwrap_or(CountSource::Static));
    }
    summary
}
