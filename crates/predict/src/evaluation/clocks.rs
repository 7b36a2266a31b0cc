//! Programs that ask the clock what to do: benchmarks that repeat until a second is over.
//!
//! First a job is evaluated without the time, as nearly all programs can be, so that iterations that read the clock only to tell
//! how long they took are folded. Where a clock decides about a loop or about calls of MPI, the job is evaluated anew, and every
//! reading is answered with the simulated time of its task. What the caches hold is known only of what was executed already, so
//! that is done once more with the times that blocks took in the mean then: they decide how often something is repeated.

use super::{Evaluation, Found, Job};
use crate::cache_factors::CacheFactors;
use chronos_base::diag::Diagnostic;
use chronos_functions as functions;
use chronos_interpreter::codes::FOLLOWED_CLOCK;
use chronos_ir::{BlockId, BlockKind, Callee, Program};
use chronos_slicing::Analysis;
use chronos_slicing::doubts::Subject;
use chronos_slicing::heuristics::Assumed;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Evaluates a job whose computing and messages take their time, and anew with its clocks where these decide.
pub(crate) fn followed_if_they_decide(job: &Job, mut evaluate: impl FnMut(&Job) -> Evaluation) -> Evaluation {
    let without = evaluate(job);
    let Found { clock_decides, clock_may_decide, .. } = without.found;
    if !clock_decides && !clock_may_decide {
        return without;
    }
    let followed = evaluate(&with_followed_clocks(job));
    let open = |evaluation: &Evaluation| (!evaluation.result.complete, open_loops(&job.program, &evaluation.found));
    // Where something else decided, nothing is gained by it; what is priced is what was evaluated last.
    if clock_decides || open(&followed) < open(&without) { followed } else { evaluate(job) }
}

/// Loops of which nobody knows how often they turn.
fn open_loops(program: &Program, found: &Found) -> usize {
    found.assumed.iter().filter(|(block, _)| matches!(program.blocks[*block].kind, BlockKind::Loop(_))).count()
}

/// Whether a clock may decide how often a loop turns of which that is not known: behind a loop that was counted and not
/// executed, its reading is no longer seen.
pub(super) fn may_decide(job: &Job, analyses: &[Analysis], assumed: &[(BlockId, Assumed)]) -> bool {
    let open = |program: &Program, block: BlockId| matches!(program.blocks[block].kind, BlockKind::Loop(_));
    !job.program.follows_clocks
        && assumed.iter().any(|&(block, _)| open(&job.program, block))
        && job.programs().zip(analyses).any(|(program, analysis)| {
            let readings = program.blocks.ids().filter(|&id| reads_clock(program, id)).map(Subject::Call).collect();
            let decided: BTreeSet<BlockId> = analysis.followed(program, &[&readings]).into_iter().flatten().collect();
            assumed.iter().any(|&(block, _)| open(program, block) && decided.contains(&block))
        })
}

fn reads_clock(program: &Program, block: BlockId) -> bool {
    let callee = program.call(block).map(|call| &call.callee);
    matches!(callee, Some(Callee::Mpi(name) | Callee::Library(name)) if functions::reads_clock(name))
}

/// The job whose readings of clocks are answered.
pub(crate) fn with_followed_clocks(job: &Job) -> Job {
    let mut followed = job.clone();
    let answered = |program: &Arc<Program>| Arc::new(program.with_followed_clocks());
    followed.program = answered(&job.program);
    followed.other_programs.programs.iter_mut().for_each(|(_, program)| *program = answered(program));
    followed
}

/// Calls that read the clock and decide something, and the blocks that are executed as they say.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// The calls.
    pub calls: BTreeSet<BlockId>,
    /// What they decide about.
    pub blocks: BTreeSet<BlockId>,
    /// What blocks were taken to find in the caches on the way.
    pub(crate) caches: CacheFactors,
}

impl Clocks {
    /// Of these calls, those that decide something in one of the programs.
    pub(super) fn deciding(job: &Job, analyses: &[Analysis], read: &BTreeSet<BlockId>) -> Self {
        let mut found = Self::default();
        if !job.program.follows_clocks || read.is_empty() {
            return found;
        }
        let subjects: Vec<BTreeSet<Subject>> = read.iter().map(|&call| [Subject::Call(call)].into()).collect();
        let groups: Vec<&BTreeSet<Subject>> = subjects.iter().collect();
        for (program, analysis) in job.programs().zip(analyses) {
            for (&call, decided) in read.iter().zip(analysis.followed(program, &groups)) {
                if !decided.is_empty() {
                    found.calls.insert(call);
                    found.blocks.extend(decided);
                }
            }
        }
        found
    }

    /// C0351, where a clock decides something.
    pub(super) fn note(&self, program: &Program) -> Option<Diagnostic> {
        if self.calls.is_empty() {
            return None;
        }
        let message =
            "the clock decides what the program does: it is followed on the simulated clock of this prediction";
        let labels = self.calls.iter().map(|&call| program.blocks[call].span);
        let note =
            labels.fold(Diagnostic::note(&FOLLOWED_CLOCK, message), |note, span| note.label(span, "this reading"));
        Some(note.help("what depends on it is marked `timing`: another machine, network or run executes it another number of times"))
    }
}
