//! Messages about unknown values: where they come from and what to do.

use crate::code::instructions::{BranchCode, LoopCode};
use crate::codes;
use crate::execute::machine::{Machine, Stop};
use crate::execute::missing_arguments::ARGUMENT;
use chronos_base::diag::{Diagnostic, Label};
use chronos_base::span::Span;
use chronos_functions as functions;
use chronos_ir::places::Decision;
use chronos_ir::{BlockId, BlockKind, BranchKind, Call, Callee, Program};
use chronos_slicing::heuristics::{Assumed, Grounds, Guess, Spread, shown};
use chronos_values::{Reason, ReasonId, ReasonKind, Reasons};

/// What it is that decides about MPI calls.
#[derive(Clone, Copy, Debug)]
pub enum Decides {
    /// An argument of an MPI call.
    Argument,
    /// The condition of a branch around MPI calls.
    Branch,
    /// The condition of a loop around MPI calls.
    Loop,
    /// The condition of a branch that may leave this loop around MPI calls.
    Exit(BlockId),
}

/// What a reason says.
pub fn describe(kind: &ReasonKind) -> String {
    match kind {
        ReasonKind::Nondeterministic(what) => format!("depends on {what}"),
        ReasonKind::UnknownFunction(name) => format!("comes from `{name}`, which is not known"),
        ReasonKind::Input(name) => format!("is read from {name}, which was not given"),
        ReasonKind::Existence(name) => format!("depends on whether {name} exists, which was not given"),
        ReasonKind::Uninitialised => "is read before it is written".into(),
        ReasonKind::NotEvaluated => "is computed in a loop that was counted, not executed".into(),
        ReasonKind::UnknownBranch => "depends on this branch, whose outcome is unknown".into(),
        ReasonKind::Received => "is received in a message whose content is unknown".into(),
        ReasonKind::Budget => "is computed in a loop that used up the budget".into(),
        ReasonKind::Undefined(name) => format!("is the result of {name}"),
        ReasonKind::Unsupported(name) => format!("comes from {name}, which is not followed"),
    }
}

fn remedy(kind: &ReasonKind) -> Option<&'static str> {
    match kind {
        ReasonKind::Input(name) if &**name == "standard input" => Some("give the input with --stdin FILE"),
        ReasonKind::Input(name) if name.starts_with(ARGUMENT) => Some("give the argument behind `--`"),
        ReasonKind::Input(_) | ReasonKind::Existence(_) => Some("give the file with --input-file FILE"),
        ReasonKind::Budget => Some("raise --budget"),
        ReasonKind::Uninitialised => Some("set the variable before it is used, on every path"),
        ReasonKind::UnknownFunction(_) => Some("give the source file that defines the function"),
        _ => None,
    }
}

/// What to do where a clock decides.
const ON_A_MACHINE: &str = "use `chronos predict`, which follows the clock of a machine";

/// Links of a chain of causes that are told.
const TOLD: usize = 8;

/// The places that an unknown value came through, as labels.
pub fn origins(reasons: &Reasons, reason: ReasonId) -> Vec<Label> {
    let labels = reasons.chain(reason).take(TOLD).filter_map(|reason| {
        let span = reason.span?;
        Some(Label { span, text: format!("the value {}", describe(&reason.kind)) })
    });
    let mut labels: Vec<Label> = labels.collect();
    let mut told = chronos_base::hash::FxHashSet::default();
    labels.retain(|label| told.insert((label.span, label.text.clone())));
    labels
}

impl Machine<'_> {
    fn chain(&self, reason: ReasonId) -> Vec<&Reason> {
        self.shared.reasons.chain(reason).take(TOLD).collect()
    }

    /// The places that an unknown value came through, as labels.
    pub fn origins(&self, reason: ReasonId) -> Vec<Label> {
        origins(&self.shared.reasons, reason)
    }

    pub fn cause(&self, reason: ReasonId) -> (String, Option<&'static str>) {
        let chain = self.chain(reason);
        let last = chain.last().map_or(&ReasonKind::NotEvaluated, |reason| &reason.kind);
        let exhausted = matches!(last, ReasonKind::NotEvaluated) && self.is_exhausted();
        let by_clock = last.is_time() && !self.code.program.follows_clocks;
        let remedy = if exhausted { remedy(&ReasonKind::Budget) } else { remedy(last) };
        (describe(last), remedy.or(by_clock.then_some(ON_A_MACHINE)))
    }

    /// The simulated clock could tell what decides here, where it is not followed yet.
    pub(crate) fn note_clock(&mut self, reason: ReasonId) {
        let root = self.shared.reasons.root(reason);
        self.shared.clock_decides |= !self.code.program.follows_clocks && self.shared.reasons.get(root).kind.is_time();
    }

    /// The budget is used up: what would decide is not interpreted any more.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.task.spent >= self.shared.budget || self.task.effort.any_given_up()
    }

    /// What to do about an assumption about a loop or branch, with more budget first where that would help.
    pub fn with_budget(&self, help: String) -> String {
        if self.is_exhausted() { format!("raise --budget (now {}), or {help}", self.shared.budget) } else { help }
    }

    /// How an option names the branch or loop that stands at a span.
    fn place_at(&self, span: Span) -> String {
        let program = &self.code.program;
        let mut decisions = program.blocks.iter().filter(|(_, block)| Decision::of(block).is_some());
        let block = decisions.find(|(_, block)| block.span == span);
        block.map_or_else(|| program.files.locate(span), |(id, _)| program.place_of(id))
    }

    pub(crate) fn unknown_mpi(&mut self, decides: Decides, span: Span, what: &str, reason: ReasonId) -> Stop {
        self.note_clock(reason);
        self.note_unwritten(reason, span);
        let place = self.place_at(span);
        let (cause, remedy) = self.cause(reason);
        let first = remedy.map_or(String::new(), |remedy| format!("{remedy}, or "));
        let behaviour = match decides {
            Decides::Branch => format!(", or give the probability with --prob {place}=P (0 or 1 where it is sure)"),
            Decides::Loop => format!(", or give the number of iterations with --iterations {place}=N"),
            Decides::Exit(of) => {
                let around = self.code.program.place_of(of);
                format!(
                    ", or say how often the loop runs with --iterations {around}=N, or give the probability with --prob {place}=P (0 or 1 where it is sure)"
                )
            }
            Decides::Argument => ", or a typical value in the source".to_owned(),
        };
        let help = format!("{first}make the value known: --set NAME=VALUE, program arguments behind `--`{behaviour}");
        let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_MPI, format!("{what} depends on a value that {cause}"))
            .label(span, "decided here")
            .help(help);
        diagnostic.labels.extend(self.origins(reason));
        diagnostic.into()
    }

    pub(crate) fn report_assumption(&mut self, branch: &BranchCode, reason: ReasonId, guess: &Guess) {
        if self.task.weight.is_zero() || !self.task.told.insert(branch.block) {
            return;
        }
        let (cause, remedy) = self.cause(reason);
        let mut diagnostic = assumption(&self.code.program, branch.block, guess, &cause, remedy);
        self.shared.assumed.insert(branch.block, assumed(guess, &self.code.program, branch.block));
        diagnostic.labels.extend(self.origins(reason));
        self.shared.reports.add(self.task.id, diagnostic);
    }

    pub(crate) fn report_unknown_trips(&mut self, code: &LoopCode, reason: ReasonId) {
        if matches!(self.shared.reasons.get(reason).kind, ReasonKind::Budget) {
            return;
        }
        self.note_unwritten(reason, code.span);
        let place = self.code.program.place_of(code.block);
        let (cause, remedy) = self.cause(reason);
        let first = remedy.map_or(String::new(), |remedy| format!("{remedy}, or "));
        let mut diagnostic =
            Diagnostic::error(&codes::UNKNOWN_TRIPS, format!("the number of iterations of a loop {cause}"))
                .label(code.span, "this loop")
                .help(format!("{first}give the mean number with --iterations {place}=N"));
        diagnostic.labels.extend(self.origins(reason));
        self.shared.assumed.insert(code.block, Assumed::unstated("unknown number of iterations"));
        self.shared.reports.add(self.task.id, diagnostic);
    }
}

/// What is assumed of a loop that follows chance.
pub fn assumed_trips(mean: f64, least: u32, most: u32) -> String {
    let mean = shown(mean);
    format!("a loop is assumed to run {mean} times: {least} to {most} times, as its branches go")
}

/// The bytes that a call of a library function is for are unknown, so that it takes no more than a call does.
pub fn unknown_bytes(program: &Program, call: BlockId) -> Diagnostic {
    let block = &program.blocks[call];
    let name = match &block.kind {
        BlockKind::Call(Call { callee: Callee::Library(name), .. }) => name,
        _ => "a function",
    };
    let message = match functions::sleeps(name) {
        Some(_) => format!("how long `{name}` waits is unknown: it counts as no time"),
        None => format!("how many bytes `{name}` is called for is unknown: no time is predicted for them"),
    };
    let help = match functions::lookup(name).and_then(functions::Function::counted_bytes) {
        Some(_) => {
            "count them in a run (`chronos trace`, and its folder as --trace), or run the program: `chronos run`"
        }
        None => "give what decides about the argument (--set, arguments of the program behind `--`)",
    };
    Diagnostic::warning(&codes::UNKNOWN_WORK, message).label(block.span, "called here").help(help)
}

/// What is assumed of a branch, for the report.
pub fn assumed(guess: &Guess, program: &Program, block: BlockId) -> Assumed {
    let text = match guess.grounds {
        Grounds::EndsProgram => "does not end the program".into(),
        Grounds::ReportsError => "reports no error".into(),
        Grounds::NoFile => "a file that was not given does not exist".into(),
        _ => format!("{}: {}", chance(guess, program, block), guess.grounds.describe()),
    };
    Assumed::new(text, Spread::Ways(guess.clone()))
}

fn chance(guess: &Guess, program: &Program, block: BlockId) -> String {
    match &program.blocks[block].kind {
        BlockKind::Branch(branch) if branch.kind == BranchKind::Switch => {
            let shares: Vec<String> = guess.arms.iter().chain(Some(&guess.none)).map(|p| shown(*p)).collect();
            format!("probabilities {}", shares.join(", "))
        }
        BlockKind::Branch(branch) => format!("probability {}", shown(guess.of_first(branch))),
        _ => String::new(),
    }
}

/// An assumption about a branch whose condition has this cause of being unknown.
pub fn assumption(
    program: &Program,
    block: BlockId,
    guess: &Guess,
    cause: &str,
    remedy: Option<&'static str>,
) -> Diagnostic {
    let span = program.blocks[block].span;
    let place = program.place_of(block);
    if guess.excludes_error() {
        let what = if guess.grounds == Grounds::ReportsError { "to find no error" } else { "to succeed" };
        return Diagnostic::note(&codes::ASSUMED_NO_ERROR, format!("a check is assumed {what}: its condition {cause}"))
            .label(span, "this check")
            .help(format!("--prob {place}=P gives the probability that its condition is true"));
    }
    let what = match chance(guess, program, block) {
        _ if guess.grounds == Grounds::NoFile => "a file is assumed not to exist".to_owned(),
        text if text.starts_with("probabilities") => format!("the cases of a switch are assumed to have {text}"),
        text => format!("a branch is assumed to be taken with {text}"),
    };
    let number = chance(guess, program, block);
    let number = number.strip_prefix("probability").unwrap_or_default();
    let first = remedy.map_or(String::new(), |remedy| format!("{remedy}, or "));
    Diagnostic::warning(&codes::ASSUMED_PROBABILITY, format!("{what}: its condition {cause}"))
        .label(span, format!("assumed{number}: {}", guess.grounds.describe()))
        .help(format!("{first}give its probability with --prob {place}=P"))
}
