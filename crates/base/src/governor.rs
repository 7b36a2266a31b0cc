//! One limit of time and memory over every phase.
//!
//! Whoever runs a command watches the clock and the memory of the process and calls [`stop`] when a limit is near.
//! Phases look at [`exceeded`] where they repeat something, give up what they are at as they do when a budget is used
//! up, and hand over what is known until then. What does not come to an end by itself soon after is ended from outside,
//! with what the phases told of themselves here. The state belongs to the process, as its memory and its time do. Must
//! not know clocks, the environment or the terminal.

use crate::diag::{Code, Diagnostic};
use crate::span::{SourceFiles, Span};
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// C0950: limit of time or memory reached.
pub static LIMIT: Code = Code {
    id: "C0950",
    title: "limit of time or memory reached",
    explanation: "The command took more time or memory than --limit allows; without it, memory is limited to three quarters of what \
                  the machine has available, and time to an hour. What was known until then is told, and is incomplete. Raise the \
                  limit (--limit 4h, --limit 48GiB), or make the question smaller: fewer tasks, a lower --budget, assumptions \
                  (--prob, --iterations) in place of what has to be followed, or a trace (chronos trace).",
};

/// C0951: internal error.
pub static INTERNAL: Code = Code {
    id: "C0951",
    title: "internal error",
    explanation: "A part of chronos came to a state that it takes to be impossible. Whatever the input, this is an error in \
                  chronos: please report it with the command and the files that it was given. The result is absent.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&LIMIT, &INTERNAL];

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Elapsed time.
    Time,
    /// Memory of the process.
    Memory,
    /// The patience of the user, who interrupted the command.
    Patience,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Patience => "patience",
        })
    }
}

/// What a command is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The user's build of the program runs.
    Building,
    /// The C preprocessor runs on the sources.
    Preprocessing,
    /// The preprocessed text becomes a syntax tree.
    Parsing,
    /// The syntax tree becomes the block tree.
    Lowering,
    /// Slicing: what MPI calls and counts depend on is looked for.
    Relevance,
    /// Abstract execution: regions without MPI get counts in closed form.
    Summaries,
    /// The slices of all tasks are interpreted.
    Evaluation,
    /// Counts of the program as expressions of its parameters.
    Symbolic,
    /// Segments get their times on a machine.
    Pricing,
    /// Events of all tasks are simulated on a network.
    Replay,
    /// Results are put together and written.
    Report,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Building => "the build of the program",
            Self::Preprocessing => "the preprocessing of sources",
            Self::Parsing => "the parsing of sources",
            Self::Lowering => "the lowering of sources",
            Self::Relevance => "the analysis of what is relevant",
            Self::Summaries => "the counting of loops in closed form",
            Self::Evaluation => "the evaluation of tasks",
            Self::Symbolic => "symbolic counting",
            Self::Pricing => "the pricing of segments",
            Self::Replay => "the replay on the network",
            Self::Report => "the writing of the report",
        })
    }
}

static EXCEEDED: AtomicU8 = AtomicU8::new(0);
static STEPS: AtomicU64 = AtomicU64::new(0);
/// Bytes; the largest number where nobody has said.
static MEMORY: AtomicU64 = AtomicU64::new(u64::MAX);
/// Reads the most bytes that the process had in memory.
static PEAK: OnceLock<fn() -> Option<u64>> = OnceLock::new();
static PHASES: Mutex<Vec<Underway>> = Mutex::new(Vec::new());
static FILES: Mutex<Option<Arc<SourceFiles>>> = Mutex::new(None);

/// A phase that has begun and not ended.
struct Underway {
    number: u64,
    phase: Phase,
    place: Option<Span>,
}

/// Nothing that is kept here can be left half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whoever watches the memory says how many bytes it allows.
pub fn allow_memory(bytes: u64) {
    MEMORY.store(bytes, Ordering::Relaxed);
}

/// Whoever watches the memory says how to read the most bytes that the process had in memory so far.
pub fn read_memory_by(peak: fn() -> Option<u64>) {
    // Who says it first, says it for the process.
    let _ = PEAK.set(peak);
}

/// Whether somebody has said how memory is read, and how much of it is allowed.
pub fn can_read_memory() -> bool {
    peak_memory().is_some() && allowed_memory() < u64::MAX
}

/// The most bytes that the process had in memory so far; `None` where nobody knows.
pub fn peak_memory() -> Option<u64> {
    PEAK.get()?()
}

/// Bytes that are allowed; the largest number where nobody has said.
pub fn allowed_memory() -> u64 {
    MEMORY.load(Ordering::Relaxed)
}

/// That something is forecast to need so many bytes, if that is more than what is allowed: it need not begin. So many tasks
/// would fit.
///
/// # Errors
/// It is more.
pub fn needs_memory_for(what: &str, bytes: u64, fitting: usize) -> Result<(), Diagnostic> {
    let allowed = allowed_memory();
    if bytes <= allowed {
        return Ok(());
    }
    let message = format!("{what} need about {} of memory, and {} are allowed", in_gib(bytes), in_gib(allowed));
    let help = format!(
        "about {fitting} tasks fit (-n {fitting}); or allow more memory (--limit {}GiB)",
        bytes.div_ceil(1 << 30)
    );
    Err(Diagnostic::error(&LIMIT, message).help(help))
}

fn in_gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}

/// That something needs at least so many bytes, if that is more than what is allowed: it need not begin.
///
/// # Errors
/// It is more.
pub fn needs_memory(what: &str, bytes: u64) -> Result<(), Diagnostic> {
    let allowed = allowed_memory();
    if bytes <= allowed {
        return Ok(());
    }
    let message = format!("{what} need at least {} of memory, and {} are allowed", in_gib(bytes), in_gib(allowed));
    Err(Diagnostic::error(&LIMIT, message).help("predict fewer tasks (-n), or allow more memory (--limit 48GiB)"))
}

/// The limit that was reached; then everything has to come to its end.
#[inline]
pub fn exceeded() -> Option<Resource> {
    match EXCEEDED.load(Ordering::Relaxed) {
        0 => None,
        1 => Some(Resource::Time),
        2 => Some(Resource::Memory),
        _ => Some(Resource::Patience),
    }
}

/// Lets all phases come to their end, for good.
pub fn stop(resource: Resource) {
    let _ = EXCEEDED.compare_exchange(0, 1 + resource as u8, Ordering::Relaxed, Ordering::Relaxed);
}

/// Ends its phase when it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Guard(u64);

/// A phase begins. `place`: what it works on.
pub fn enter(phase: Phase, place: Option<Span>) -> Guard {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    lock(&PHASES).push(Underway { number, phase, place });
    Guard(number)
}

impl Drop for Guard {
    fn drop(&mut self) {
        lock(&PHASES).retain(|underway| underway.number != self.0);
    }
}

/// The files that places name from now on.
pub fn files(files: &Arc<SourceFiles>) {
    *lock(&FILES) = Some(Arc::clone(files));
}

/// Steps that were replayed since the begin.
pub fn replayed(steps: u64) {
    STEPS.fetch_add(steps, Ordering::Relaxed);
}

/// What is being done now, in words: the phases under way, outermost first, the innermost with its place.
pub fn doing() -> String {
    let phases = lock(&PHASES);
    let Some(last) = phases.last() else { return "between two phases".to_owned() };
    let mut text = format!("in {}", last.phase);
    let files = lock(&FILES);
    if let (Some(place), Some(files)) = (phases.iter().rev().find_map(|underway| underway.place), files.as_ref()) {
        text += &format!(" ({})", files.locate(place));
    }
    if let Some(outer) = phases.iter().rev().find(|underway| underway.phase != last.phase) {
        text += &format!(", which {} asked for", outer.phase);
    }
    text
}

/// What is known of how far it got.
pub fn known() -> String {
    match STEPS.load(Ordering::Relaxed) {
        0 => "no call of the program has been replayed until then".to_owned(),
        steps => format!("{steps} steps of tasks have been replayed until then"),
    }
}

/// What a phase says that gives up.
pub fn diagnostic(resource: Resource, what: &str) -> Diagnostic {
    if resource == Resource::Patience {
        return Diagnostic::error(&LIMIT, format!("the command was interrupted {what}"))
            .help("the report holds what was known up to there; interrupt it twice to end it at once");
    }
    Diagnostic::error(&LIMIT, format!("the limit of {resource} was reached {what}")).help(format!(
        "raise it: --limit {}; or ask for less: fewer tasks, a lower --budget, a smaller problem",
        example(resource)
    ))
}

/// A higher limit, as it is typed.
pub fn example(resource: Resource) -> &'static str {
    if resource == Resource::Time { "4h" } else { "64GiB" }
}
