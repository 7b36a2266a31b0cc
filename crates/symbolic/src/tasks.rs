//! One abstract execution per task; tasks that count alike are joined.

use super::atoms::Atoms;
use super::codes::NO_START;
use super::findings::Findings;
use super::initial_state::InitialState;
use super::{Segment, SymbolicCount, SymbolicCounts, TaskCounts};
use chronos_abstract_execution::whole_programs::{ProgramExecutor, Run, RunCount, TaskStart};
use chronos_activity::{Segments, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_interpreter::EvaluatorOptions;
use chronos_ir::{FuncId, Program};
use chronos_math::quasi::Symbol;
use chronos_values::Reasons;
use std::collections::BTreeMap;
use std::sync::Arc;

/// See [`super::count`].
pub fn count(program: &Arc<Program>, options: &EvaluatorOptions) -> (SymbolicCounts, Vec<Diagnostic>) {
    let mut counts = SymbolicCounts { atoms: Atoms::of_parameters(program), ..SymbolicCounts::default() };
    let Some(main) = program.main else {
        let help = "give all source files of the program";
        return (counts, vec![Diagnostic::error(&NO_START, "the program has no `main` function").help(help)]);
    };
    let mut findings = Findings::default();
    let mut executor = ProgramExecutor::new(program, &options.assumptions);
    let start = InitialState::new(program, options, &mut counts.reasons);
    for rank in 0..options.tasks {
        let run = {
            let (segments, reasons) = (&mut counts.segments, &mut counts.reasons);
            run(&mut executor, &start, TaskOfProgram { main, rank, program, options }, segments, reasons)
        };
        findings.add_run(program, &run, &counts.reasons);
        let same_for_all_ranks = !run.rank_read;
        let own = exported(&mut counts.atoms, run);
        let ranks = if same_for_all_ranks && rank == 0 { 0..options.tasks } else { rank..rank + 1 };
        join(&mut counts.tasks, ranks.map(TaskId).collect(), own);
        if same_for_all_ranks && rank == 0 {
            break;
        }
    }
    (counts, findings.into_diagnostics())
}

/// The task that is executed.
struct TaskOfProgram<'a> {
    main: FuncId,
    rank: u32,
    program: &'a Program,
    options: &'a EvaluatorOptions,
}

fn run(
    executor: &mut ProgramExecutor<'_>,
    start: &InitialState<'_>,
    who: TaskOfProgram<'_>,
    segments: &mut Segments,
    reasons: &mut Reasons,
) -> Run {
    let arguments = start.arguments();
    let beginning = TaskStart {
        main: who.main,
        rank: who.rank,
        tasks: who.options.tasks,
        parameters: u32::try_from(who.program.parameters.len()).unwrap_or(u32::MAX),
        initials: start.initials(),
        numeric_strings: arguments.numeric,
        argument_strings: arguments.known,
        environment: start,
    };
    executor.run(&beginning, segments, reasons)
}

fn join(tasks: &mut Vec<(Vec<TaskId>, TaskCounts)>, ranks: Vec<TaskId>, counts: TaskCounts) {
    match tasks.iter_mut().find(|(_, known)| *known == counts) {
        Some((same_for_all_ranks, _)) => same_for_all_ranks.extend(ranks),
        None => tasks.push((ranks, counts)),
    }
}

/// The counts of a run under the names that all tasks share.
fn exported(atoms: &mut Atoms, run: Run) -> TaskCounts {
    let names = atoms.enter(&run);
    let changed = names.iter().any(|(from, to)| from != to);
    let count = |count: RunCount| SymbolicCount {
        value: count.value.map(|value| if changed { renamed(&value, &names) } else { value }),
        source: count.source,
        reason: count.reason,
    };
    let counts =
        |all: Vec<(_, _, RunCount)>| all.into_iter().map(|(c, counter, own)| (c, counter, count(own))).collect();
    let volumes = |all: Vec<(_, _, RunCount)>| all.into_iter().map(|(c, block, own)| (c, block, count(own))).collect();
    let segment = |own: chronos_abstract_execution::whole_programs::RunSegment| Segment {
        from_start: own.from_start,
        after: own.after,
        counts: counts(own.counts),
        volumes: volumes(own.volumes),
    };
    TaskCounts {
        segments: run.segments.into_iter().map(segment).collect(),
        counts: counts(run.counts),
        volumes: volumes(run.volumes),
    }
}

fn renamed(
    value: &Arc<chronos_math::quasi::QuasiPolynomial>,
    names: &BTreeMap<Symbol, Symbol>,
) -> Arc<chronos_math::quasi::QuasiPolynomial> {
    let name = |symbol: Symbol| names.get(&symbol).copied().unwrap_or(symbol);
    value.renamed(&name).map_or_else(|_| value.clone(), Arc::new)
}
