//! What a run could not know, as diagnostics.

use super::codes;
use chronos_abstract_execution::whole_programs::Run;
use chronos_abstract_execution::{Uncertain, UncertainKind, Unsummarisable};
use chronos_base::diag::{Diagnostic, Label};
use chronos_interpreter::codes::{ASSUMED_NO_ERROR, ASSUMED_PROBABILITY, ASSUMED_TRIPS, UNKNOWN_TRIPS};
use chronos_interpreter::messages::{assumed_trips, unknown_bytes};
use chronos_ir::{BlockId, Program};
use chronos_slicing::annotations::{self, Kind, NO_ASSUMPTION, UNKNOWN_ASSUMPTION, remedy};
use chronos_slicing::heuristics::shown;
use chronos_values::{Reason, ReasonKind, Reasons};
use std::collections::BTreeMap;

/// Diagnostics of all tasks, each place once.
#[derive(Default)]
pub struct Findings {
    found: BTreeMap<(BlockId, &'static str, String), Diagnostic>,
}

impl Findings {
    pub fn add_run(&mut self, program: &Program, run: &Run, reasons: &Reasons) {
        for failure in &run.failures {
            self.enter(failure.block, not_followed(program, failure));
        }
        for uncertain in &run.uncertain {
            self.enter(uncertain.block, uncertainty(program, uncertain, reasons));
        }
    }

    fn enter(&mut self, block: BlockId, diagnostic: Diagnostic) {
        self.found.entry((block, diagnostic.code.id, diagnostic.message.clone())).or_insert(diagnostic);
    }

    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.found.into_values().collect()
    }
}

fn not_followed(program: &Program, failure: &Unsummarisable) -> Diagnostic {
    let span = program.blocks[failure.block].span;
    Diagnostic::error(&codes::NOT_FOLLOWED, format!("counts are unknown here: {}", failure.why))
        .label(span, "not followed")
        .help(format!("{} to have the program interpreted", values_of(program)))
}

fn uncertainty(program: &Program, uncertain: &Uncertain, reasons: &Reasons) -> Diagnostic {
    let span = program.blocks[uncertain.block].span;
    let place = program.place_of(uncertain.block);
    let mut diagnostic = match uncertain.kind {
        UncertainKind::AssumedProbability(p) if p == 0.0 || p == 1.0 => {
            Diagnostic::warning(&ASSUMED_NO_ERROR, "the program is assumed not to end here")
                .label(span, "this branch")
                .help(format!("give its probability with --prob {place}=P"))
        }
        UncertainKind::AssumedProbability(p) => {
            let message = format!("a branch is assumed to be taken with probability {}", shown(p));
            Diagnostic::warning(&ASSUMED_PROBABILITY, message)
                .label(span, "this branch")
                .help(format!("give its probability with --prob {place}=P"))
        }
        UncertainKind::AssumedTrips { mean, least, most } => {
            Diagnostic::warning(&ASSUMED_TRIPS, assumed_trips(mean, least, most))
                .label(span, "this loop")
                .help(format!("give the mean number with --iterations {place}=N"))
        }
        UncertainKind::UnknownBytes => unknown_bytes(program, uncertain.block),
        UncertainKind::Unexpressed { kind, number } => return unexpressed(program, uncertain.block, kind, number),
        UncertainKind::UnknownTrips => {
            Diagnostic::error(&UNKNOWN_TRIPS, "the number of iterations of a loop is unknown")
                .label(span, "this loop")
                .help(format!("give the mean number with --iterations {place}=N"))
        }
    };
    let chain: Vec<&Reason> = uncertain.reason.into_iter().flat_map(|reason| reasons.chain(reason)).collect();
    diagnostic.labels.extend(chain.iter().copied().filter_map(origin));
    if let Some(last) = chain.last() {
        let whose = match uncertain.kind {
            UncertainKind::UnknownTrips => "",
            _ => ": its condition",
        };
        let told = format!("{whose} {}", describe(last));
        diagnostic.message = match uncertain.kind {
            UncertainKind::UnknownTrips => diagnostic.message.replace(" is unknown", &told),
            UncertainKind::AssumedProbability(p) if p != 0.0 && p != 1.0 => diagnostic.message + &told,
            _ => diagnostic.message,
        };
    }
    let known_with_values = chain.last().is_none_or(|last| is_followed_by_interpretation(&last.kind));
    if known_with_values && uncertain.kind == UncertainKind::UnknownTrips {
        diagnostic.help = diagnostic.help.map(|help| format!("{}, or {help}", values_of(program)));
    }
    diagnostic
}

/// An assumption of the source that has no effect on expressions.
fn unexpressed(program: &Program, call: BlockId, kind: Kind, number: Option<f64>) -> Diagnostic {
    let span = program.blocks[call].span;
    if let Some(message) = number.and_then(|number| annotations::check(kind, number).err()) {
        return Diagnostic::warning(&NO_ASSUMPTION, message).label(span, "it is not used").help(remedy(kind));
    }
    let (what, option) = match kind {
        Kind::Probability => ("a probability", "--prob FILE:LINE=P"),
        Kind::Iterations => ("a number of iterations", "--iterations FILE:LINE=N"),
    };
    let message = format!("{what} that the source assumes is an expression that counts cannot hold");
    Diagnostic::warning(&UNKNOWN_ASSUMPTION, message)
        .label(span, "it is not used")
        .help(format!("{}, or give a number with {option}", values_of(program)))
}

/// What interpreting the program could find out.
fn is_followed_by_interpretation(kind: &ReasonKind) -> bool {
    matches!(kind, ReasonKind::NotEvaluated | ReasonKind::Unsupported(_) | ReasonKind::UnknownBranch)
}

/// How to have numbers instead of expressions.
fn values_of(program: &Program) -> String {
    let named: Vec<&str> = program.parameters.values().map(|parameter| &*parameter.name).collect();
    match named[..] {
        [only] if !only.starts_with("argv") => {
            format!("give {only} a value (--set {only}=VALUE instead of --symbolic)")
        }
        _ => "give the parameters values (--set NAME=VALUE instead of --symbolic NAME)".to_owned(),
    }
}

fn describe(reason: &Reason) -> String {
    match &reason.kind {
        ReasonKind::NotEvaluated => "depends on what is computed where values are not followed".into(),
        ReasonKind::Unsupported(what) => format!("depends on {what}"),
        kind => chronos_interpreter::messages::describe(kind),
    }
}

fn origin(reason: &Reason) -> Option<Label> {
    Some(Label { span: reason.span?, text: cause(&reason.kind) })
}

fn cause(kind: &ReasonKind) -> String {
    match kind {
        ReasonKind::Nondeterministic(what) => format!("the result of {what} is not known"),
        ReasonKind::UnknownFunction(name) => format!("{name} is not modelled"),
        ReasonKind::Input(what) => format!("{what} is input that was not given"),
        ReasonKind::Existence(what) => format!("whether {what} exists is not known"),
        ReasonKind::Uninitialised => "read before it is written".into(),
        ReasonKind::NotEvaluated => "computed here, where values are not followed".into(),
        ReasonKind::UnknownBranch => "depends on a branch whose outcome is unknown".into(),
        ReasonKind::Received => "received in a message".into(),
        ReasonKind::Budget => "the budget was used up here".into(),
        ReasonKind::Undefined(what) => format!("has no defined result: {what}"),
        ReasonKind::Unsupported(what) => format!("not followed: {what}"),
    }
}
