//! Random numbers that are known are followed where that is soon done, and count as unknown elsewhere.
//!
//! A number that is drawn decides about what comes next, so a Monte Carlo program is followed number by number. With
//! many tasks or draws that takes far longer than the rest of a prediction, or uses up the budget: then the job is
//! evaluated anew with numbers that nobody knows, whose branches have a probability.

use super::{Evaluation, Job};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_functions::{self as functions, Function, GeneratorUse};
use chronos_interpreter::codes::{BUDGET, ENDLESS, MANY_RANDOM_NUMBERS};
use chronos_ir::{Arg, Block, BlockKind, Callee, Operand, Program};
use std::sync::Arc;

/// Evaluates a job, and anew without random numbers where following them did not come to an end.
pub(crate) fn followed_if_few(job: &Job, mut evaluate: impl FnMut(&Job) -> Evaluation) -> Evaluation {
    let known = evaluate(job);
    let Some(without) = without(job, &known.diagnostics) else { return known };
    let mut unknown = evaluate(&without);
    match note(&known.diagnostics, &unknown.diagnostics) {
        Some(note) => {
            unknown.diagnostics.push(note);
            unknown
        }
        None => known,
    }
}

/// The job whose random numbers nobody knows, where those that are known kept its evaluation from its end.
pub(crate) fn without(job: &Job, said: &[Diagnostic]) -> Option<Job> {
    let generators = &job.program.generators;
    let draws = generators.additive.is_some() || generators.linear.is_some();
    let fails = has(said, &MANY_RANDOM_NUMBERS) || draws && is_cut(said);
    fails.then(|| {
        let unknown = |program: &Arc<Program>| {
            let generators = program.generators.unknown();
            Arc::new(Program { generators, ..(**program).clone() })
        };
        let mut without = job.clone();
        without.program = unknown(&job.program);
        without.other_programs.programs.iter_mut().for_each(|(_, program)| *program = unknown(program));
        without
    })
}

/// The first call that seeds a generator with no constant, or draws from one whose state the program keeps.
pub(super) fn unknown_seed(program: &Program) -> Option<Span> {
    let seeds = |block: &Block| {
        let BlockKind::Call(call) = &block.kind else { return false };
        let Callee::Library(name) = &call.callee else { return false };
        match program.generators.used_by(name) {
            Some((GeneratorUse::Seeds(_), _)) => !matches!(call.args.first(), Some(Arg::Scalar(Operand::Const(_)))),
            _ => functions::lookup(name).is_some_and(Function::draws_from_state_of_caller),
        }
    };
    program.blocks.values().find(|block| seeds(block)).map(|block| block.span)
}

/// What is said of an evaluation without random numbers; `None` where it came no farther than the one with them.
pub(crate) fn note(with: &[Diagnostic], without: &[Diagnostic]) -> Option<Diagnostic> {
    let too_many = with.iter().find(|diagnostic| diagnostic.code == &MANY_RANDOM_NUMBERS);
    if too_many.is_none() && is_cut(without) {
        return None;
    }
    let why = too_many.map_or("following them uses up the budget", |diagnostic| &diagnostic.message);
    let message = format!("random numbers count as unknown: {why}");
    Some(Diagnostic::note(&MANY_RANDOM_NUMBERS, message).help("raise --budget to follow them, which takes longer"))
}

fn is_cut(said: &[Diagnostic]) -> bool {
    has(said, &ENDLESS) || has(said, &BUDGET)
}

fn has(said: &[Diagnostic], code: &'static chronos_base::diag::Code) -> bool {
    said.iter().any(|diagnostic| diagnostic.code == code)
}
