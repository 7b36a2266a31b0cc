//! Why counts are not exact: for each such block the branch or loop that decides, where the unknown
//! value began, and the remedy.

use super::executions::Executions;
use super::tally::Class;
use crate::evaluation::{Found, Job};
use chronos_activity::CountSource;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_interpreter::codes::ASSUMED_NO_ERROR;
use chronos_ir::{Block, BlockId, BlockKind, Callee, CounterId, FuncId, Program};
use chronos_report::counts::model::{Cause, Origin};
use chronos_slicing::annotations::Annotations;
use chronos_slicing::doubts::{Certainty, Doubt, Followed};
use chronos_symbolic::codes::NOT_FOLLOWED;
use std::collections::{BTreeMap, BTreeSet};

/// The causes, and which of them each block has.
pub(crate) struct Causes {
    /// By place.
    pub all: Vec<Cause>,
    of_block: FxHashMap<BlockId, usize>,
    reasons: Vec<String>,
}

/// What makes a block's count inexact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// This branch or loop.
    Decided(BlockId),
    /// The MPI library, in reductions by an operation that this call made.
    Operation(BlockId),
    /// Something that was used and may be otherwise, by its number.
    Doubted(usize),
    /// What arrives first.
    Arrival,
    /// The evaluation ended before the program did.
    Stopped,
    /// Nothing that was told.
    Untold,
}

impl Causes {
    pub fn new(executions: &Executions<'_>, job: &Job, found: &Found, diagnostics: &[Diagnostic]) -> Self {
        let mut told: Vec<BlockId> =
            super::assumed::reported_blocks(executions.program, diagnostics).into_keys().collect();
        told.extend(not_followed(executions.program, diagnostics));
        let search = Search::new(executions, job, found, &told);
        let mut blocks: BTreeMap<Why, (CountSource, Vec<BlockId>)> = BTreeMap::new();
        for (id, block) in executions.program.blocks.iter() {
            let source = executions.source(block.counter(0));
            if source > CountSource::Trace {
                let (worst, of_cause) = blocks.entry(search.why(id, source)).or_insert((source, Vec::new()));
                *worst = source.max(*worst);
                of_cause.push(id);
            }
        }
        let telling = Telling { job, found, diagnostics };
        let mut causes = Self { all: Vec::new(), of_block: FxHashMap::default(), reasons: Vec::new() };
        for (why, (source, of_cause)) in blocks {
            let cause = telling.cause(why, source, &of_cause);
            causes.reasons.push(placed(&cause));
            causes.of_block.extend(of_cause.into_iter().map(|id| (id, causes.all.len())));
            causes.all.push(cause);
        }
        causes
    }

    /// In one line, with its place.
    pub fn reason(&self, block: BlockId) -> Option<&str> {
        self.of_block.get(&block).map(|&cause| self.reasons[cause].as_str())
    }
}

/// Places that expressions of counts do not get into.
fn not_followed(program: &Program, diagnostics: &[Diagnostic]) -> Vec<BlockId> {
    let of_code = diagnostics.iter().filter(|d| d.code == &NOT_FOLLOWED);
    let spans: FxHashSet<Span> = of_code.filter_map(|d| d.labels.first().map(|label| label.span)).collect();
    if spans.is_empty() {
        return Vec::new();
    }
    program.blocks.iter().filter(|(_, block)| spans.contains(&block.span)).map(|(id, _)| id).collect()
}

fn placed(cause: &Cause) -> String {
    match (&cause.file, cause.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: {}", cause.reason),
        _ => cause.reason.clone(),
    }
}

/// Looks for the branch or loop that decides about a block.
struct Search<'a> {
    executions: &'a Executions<'a>,
    program: &'a Program,
    found: &'a Found,
    /// Branches and loops that the user or an assumption decides, or that a diagnostic asks about, ascending.
    decided: BTreeSet<BlockId>,
    callers: FxHashMap<FuncId, Vec<BlockId>>,
    /// What the source itself says.
    annotations: Annotations,
    stopped: bool,
}

impl<'a> Search<'a> {
    fn new(executions: &'a Executions<'a>, job: &Job, found: &'a Found, told: &[BlockId]) -> Self {
        let given = job.assumptions.probability.keys().chain(job.assumptions.iterations.keys());
        let assumed = found.assumed.iter().map(|(block, _)| block);
        Self {
            executions,
            program: executions.program,
            found,
            decided: given.chain(assumed).chain(told).copied().collect(),
            callers: callers(executions.program),
            annotations: Annotations::new(executions.program),
            stopped: executions.classes.iter().any(Class::is_partial),
        }
    }

    fn why(&self, block: BlockId, source: CountSource) -> Why {
        if let Some(&made) = self.executions.operated.get(&block).filter(|_| source == CountSource::Unknown) {
            return Why::Operation(made);
        }
        if source == CountSource::Timing {
            return Why::Arrival;
        }
        if let Some(absent) = self.rests_on_absence(block, source) {
            return Why::Decided(absent);
        }
        if let Some(doubt) = self.doubt(block, source) {
            return Why::Doubted(doubt);
        }
        if self.stopped && source == CountSource::Unknown && !self.was_unknown(block) {
            return Why::Stopped;
        }
        self.deciding(block, &mut FxHashSet::default()).map_or(Why::Untold, Why::Decided)
    }

    /// The branch that asks for the file whose absence decides about the block: one around it, else the first.
    fn rests_on_absence(&self, block: BlockId, source: CountSource) -> Option<BlockId> {
        if source != CountSource::Assumed || !self.found.doubtful.contains(&block) {
            return None;
        }
        let around = self.ancestors(block).find(|id| self.found.absent.contains(id));
        around.or_else(|| self.found.absent.first().copied())
    }

    /// The first doubt that makes the block's count what it is; what was inexact before has another cause.
    fn doubt(&self, block: BlockId, source: CountSource) -> Option<usize> {
        let counter = self.program.blocks[block].counter(0);
        let before = self.executions.classes.iter().map(|class| class.amount(counter).source()).max();
        let makes = |certainty| match certainty {
            Certainty::Approximate => CountSource::Assumed,
            Certainty::Unknown => CountSource::Unknown,
        };
        let fits = |followed: &Followed| makes(followed.doubt.certainty) == source && followed.blocks.contains(&block);
        self.found.doubted.iter().position(fits).filter(|_| before < Some(source))
    }

    /// Not only because the evaluation ended too early.
    fn was_unknown(&self, block: BlockId) -> bool {
        let counter = self.program.blocks[block].counter(0);
        self.executions.classes.iter().any(|class| class.counted(counter).source() == CountSource::Unknown)
    }

    /// A decided block around it, else around the calls of its function, else one beside it that control may leave by.
    fn deciding(&self, block: BlockId, seen: &mut FxHashSet<FuncId>) -> Option<BlockId> {
        let function = self.program.blocks[block].function;
        let from_outside = || self.entry_is_inexact(function).then(|| self.through_callers(function, seen)).flatten();
        let said = || self.said(block);
        self.around(block)
            .or_else(from_outside)
            .or_else(said)
            .or_else(|| self.within(block))
            .or_else(|| self.beside(block))
    }

    fn ancestors(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        std::iter::successors(Some(block), |&id| self.program.blocks[id].parent)
    }

    /// A branch does not decide how often it is itself evaluated, a loop does.
    fn around(&self, block: BlockId) -> Option<BlockId> {
        let may = |id: BlockId| id != block || matches!(self.program.blocks[id].kind, BlockKind::Loop(_));
        self.ancestors(block).find(|id| may(*id) && self.decided.contains(id))
    }

    fn entry_is_inexact(&self, function: FuncId) -> bool {
        super::lines::entry_counter(self.program, function).is_some_and(|counter| self.is_inexact(counter))
    }

    fn is_inexact(&self, counter: CounterId) -> bool {
        self.executions.source(counter) > CountSource::Trace
    }

    fn through_callers(&self, function: FuncId, seen: &mut FxHashSet<FuncId>) -> Option<BlockId> {
        if !seen.insert(function) {
            return None;
        }
        let callers = self.callers.get(&function)?;
        let inexact = callers.iter().filter(|&&call| self.is_inexact(self.program.blocks[call].counter(0)));
        inexact.copied().find_map(|call| self.deciding(call, seen))
    }

    /// The innermost branch or loop around of which the source says how it goes on.
    fn said(&self, block: BlockId) -> Option<BlockId> {
        let may = |id: BlockId| id != block || matches!(self.program.blocks[id].kind, BlockKind::Loop(_));
        self.ancestors(block).find(|&id| may(id) && self.annotations.covers(id))
    }

    /// The nearest decided block of the innermost loop around that has one: what follows it is skipped by `continue`,
    /// and it may end the loop.
    fn within(&self, block: BlockId) -> Option<BlockId> {
        let loops = self.ancestors(block).filter(|&id| matches!(self.program.blocks[id].kind, BlockKind::Loop(_)));
        let inside = |l: BlockId| {
            let of_loop = self.decided.iter().copied().filter(move |&id| self.ancestors(id).any(|around| around == l));
            of_loop.min_by_key(|id| id.0.abs_diff(block.0))
        };
        loops.into_iter().find_map(inside)
    }

    /// The nearest decided block of the function, one before rather than one behind.
    fn beside(&self, block: BlockId) -> Option<BlockId> {
        let (first, end) = self.program.functions[self.program.blocks[block].function].blocks;
        let before = self.decided.range(first..block).next_back();
        before.or_else(|| self.decided.range(block..end).next()).copied()
    }
}

fn callers(program: &Program) -> FxHashMap<FuncId, Vec<BlockId>> {
    let mut callers: FxHashMap<FuncId, Vec<BlockId>> = FxHashMap::default();
    let indirect: Vec<FuncId> =
        program.functions.iter().filter(|(_, f)| f.effects.address_taken).map(|(id, _)| id).collect();
    for id in program.blocks.ids() {
        match program.call(id).map(|call| &call.callee) {
            Some(Callee::Function(function)) => callers.entry(*function).or_default().push(id),
            Some(Callee::Indirect(_)) => indirect.iter().for_each(|f| callers.entry(*f).or_default().push(id)),
            _ => {}
        }
    }
    callers
}

/// Turns what decides into words.
struct Telling<'a> {
    job: &'a Job,
    found: &'a Found,
    diagnostics: &'a [Diagnostic],
}

impl Telling<'_> {
    fn cause(&self, why: Why, source: CountSource, blocks: &[BlockId]) -> Cause {
        let blocks = blocks.iter().map(|id| id.0).collect();
        let nothing = Cause {
            block: None,
            file: None,
            line: None,
            source,
            reason: String::new(),
            origins: vec![],
            remedy: None,
            blocks,
        };
        match why {
            Why::Decided(block) => self.decided(block, nothing),
            Why::Operation(made) => self.operation(made, nothing),
            Why::Doubted(index) => self.doubted(&self.found.doubted[index].doubt, nothing),
            Why::Arrival => self.arrival(nothing),
            Why::Stopped => self.stopped(nothing),
            Why::Untold => Cause { reason: "it depends on values that are not known".into(), ..nothing },
        }
    }

    fn decided(&self, id: BlockId, cause: Cause) -> Cause {
        let block = &self.job.program.blocks[id];
        let told = self.diagnostics.iter().find(|d| d.labels.first().is_some_and(|label| label.span == block.span));
        let cause = self.at(Cause { block: Some(id.0), ..cause }, block.span);
        match (self.given(id), told) {
            (Some(reason), _) => Cause { reason, ..cause },
            (None, Some(told)) => self.as_reported(cause, told),
            (None, None) => Cause { reason: self.assumed(id, block), remedy: Some(self.option(id, block)), ..cause },
        }
    }

    fn given(&self, id: BlockId) -> Option<String> {
        let assumptions = &self.job.assumptions;
        let probability = assumptions.probability.get(&id).map(|p| format!("the probability {p} was given"));
        probability.or_else(|| assumptions.iterations.get(&id).map(|n| format!("the mean of {n} iterations was given")))
    }

    fn assumed(&self, id: BlockId, block: &Block) -> String {
        match self.found.assumed.iter().find(|(assumed, _)| *assumed == id) {
            Some((_, assumed)) => format!("assumed: {}", assumed.text),
            None if matches!(block.kind, BlockKind::Loop(_)) => "the source gives the number of iterations".into(),
            None => "the source gives the probability".into(),
        }
    }

    fn option(&self, id: BlockId, block: &Block) -> String {
        let place = self.job.program.place_of(id);
        match block.kind {
            BlockKind::Loop(_) => format!("--iterations {place}=N"),
            _ => format!("--prob {place}=P"),
        }
    }

    fn at(&self, cause: Cause, span: Span) -> Cause {
        let file = self.job.program.files.get(span.file).name.to_string();
        Cause { file: Some(file), line: Some(span.line_start), ..cause }
    }

    fn as_reported(&self, cause: Cause, diagnostic: &Diagnostic) -> Cause {
        let origins = diagnostic.labels.iter().skip(1).map(|label| self.origin(label.span, &label.text)).collect();
        Cause { reason: diagnostic.message.clone(), origins, remedy: diagnostic.help.clone(), ..cause }
    }

    fn origin(&self, span: Span, text: &str) -> Origin {
        let file = self.job.program.files.get(span.file).name.to_string();
        Origin { file, line: span.line_start, text: text.to_owned() }
    }

    fn operation(&self, made: BlockId, cause: Cause) -> Cause {
        let reason = "MPI calls the function of this operation as often as its algorithm for reductions wants".into();
        let remedy = Some("count it in a run: `chronos trace`, and its folder as --trace".into());
        self.at(Cause { block: Some(made.0), reason, remedy, ..cause }, self.job.program.blocks[made].span)
    }

    fn doubted(&self, doubt: &Doubt, cause: Cause) -> Cause {
        let remedy = doubt.help.as_deref().map(str::to_owned);
        self.at(Cause { reason: doubt.text.to_string(), remedy, ..cause }, doubt.span)
    }

    pub(crate) fn arrival(&self, cause: Cause) -> Cause {
        let call = |id: &BlockId| self.origin(self.job.program.blocks[*id].span, "this call takes what comes first");
        let reason = "it depends on the order in which messages arrive".into();
        let remedy = Some("`chronos predict` counts for the timing of one machine and network".into());
        Cause { reason, remedy, origins: self.found.decided_by_arrival.iter().map(call).collect(), ..cause }
    }

    /// The first error of the evaluation itself; what follows from it is told behind it.
    fn stopped(&self, cause: Cause) -> Cause {
        let Some(error) = self.diagnostics.iter().find(|d| d.is_error()) else {
            return Cause { reason: "a task could not be followed to its end".into(), ..cause };
        };
        let block = super::assumed::reported_blocks(&self.job.program, std::slice::from_ref(error)).into_keys().next();
        let cause = Cause { block: block.map(|id| id.0), ..cause };
        let cause = error.labels.first().map(|label| label.span).into_iter().fold(cause, |c, span| self.at(c, span));
        let told = self.as_reported(cause, error);
        Cause { reason: format!("the evaluation ended there: {}", told.reason), ..told }
    }
}

/// Blocks that nobody executes because a check is assumed to succeed or a file not to exist, and blocks that are
/// executed otherwise if it does.
pub fn branches_left_to_heuristics(
    program: &Program,
    diagnostics: &[Diagnostic],
    found: &Found,
    classes: &[Class],
) -> BTreeSet<BlockId> {
    let told = diagnostics.iter().filter(|d| d.code == &ASSUMED_NO_ERROR);
    let told = told.filter_map(|d| d.labels.first().map(|label| label.span));
    let absent = found.absent.iter().map(|&id| program.blocks[id].span);
    let checks: FxHashSet<Span> = told.chain(absent).collect();
    let idle = |block: &Block| classes.iter().all(|class| class.amount(block.counter(0)).is_zero());
    let mut branches_left_to_heuristics = found.doubtful.clone();
    if checks.is_empty() {
        return branches_left_to_heuristics;
    }
    let mut functions = FxHashSet::default();
    loop {
        let before = branches_left_to_heuristics.len();
        for (id, block) in program.blocks.iter() {
            let around = block.parent.is_some_and(|parent| {
                branches_left_to_heuristics.contains(&parent)
                    || is_branch(&program.blocks[parent]) && checks.contains(&program.blocks[parent].span)
            });
            if (around || functions.contains(&block.function)) && idle(block) && branches_left_to_heuristics.insert(id)
            {
                functions.extend(program.call(id).and_then(defined));
            }
        }
        if branches_left_to_heuristics.len() == before {
            return branches_left_to_heuristics;
        }
    }
}

fn is_branch(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Branch(_))
}

fn defined(call: &chronos_ir::Call) -> Option<FuncId> {
    match call.callee {
        Callee::Function(function) => Some(function),
        _ => None,
    }
}
