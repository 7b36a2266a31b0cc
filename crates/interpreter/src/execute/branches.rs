//! Branches. Where the condition is unknown, each way is executed with its share of the weight, one
//! after the other on the same state, and what they leave different becomes unknown.

use crate::code::instructions::{ArmCode, BranchCode, Escapes, Selector};
use crate::execute::machine::{Flow, Machine};
use crate::messages::Decides;
use crate::state::location::Location;
use crate::state::options::Missing;
use chronos_activity::{ContextId, CountSource};
use chronos_base::ids::Id;
use chronos_ir::BlockKind;
use chronos_slicing::heuristics::{Grounds, Guess, Outcome};
use chronos_values::{ReasonId, ReasonKind, Value};

/// A way through a branch: the arm, and its probability.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) arm: Option<u32>,
    pub(super) probability: f64,
}

impl Machine<'_> {
    pub fn context(&self) -> ContextId {
        self.task.frames.last().map_or(ContextId(0), |frame| frame.context)
    }

    pub fn choose(&mut self, index: u32, branch: &BranchCode) -> Flow<()> {
        let context = self.context();
        self.shared.scratch.bump(context, branch.counter);
        let condition = self.value(branch.condition);
        match selected(branch, condition) {
            Ok(arm) => {
                if branch.spoken_of {
                    let truth = chance_of(branch, arm);
                    self.settle(branch.block, self.stated_probability(branch.block), truth);
                }
                self.note_outcome(branch, arm);
                self.known.predictor.see(context, branch.block.index(), arm.map_or(0, |arm| (arm + 1).min(255) as u8));
                self.take(branch, arm);
                Ok(())
            }
            Err(reason) => {
                let reason = reason.unwrap_or_else(|| self.clock_reason());
                self.unknown_choice(index, branch, reason)
            }
        }
    }

    /// The value of an `&&`, `||` or `?:` will be that of its arm.
    fn note_outcome(&mut self, branch: &BranchCode, arm: Option<u32>) {
        if let (true, Some(arm)) = (branch.result.is_some(), arm) {
            self.known.outcomes[branch.block.index()] = Some(Outcome::Arm(arm));
        }
    }

    pub(crate) fn clock_reason(&mut self) -> ReasonId {
        let span = self.span();
        self.shared.reason(ReasonKind::time(), span, None)
    }

    /// Goes into an arm, or past the branch.
    pub(super) fn take(&mut self, branch: &BranchCode, arm: Option<u32>) {
        match arm {
            Some(arm) => {
                let context = self.context();
                self.shared.scratch.bump(context, branch.counter + 1 + arm);
                self.set_pc(branch.arms[arm as usize].target);
            }
            None => {
                if let Some((register, value)) = branch.result {
                    let location = Location::Register(self.base() + register);
                    self.task.set(location, Value::Int(value));
                }
                self.set_pc(branch.otherwise - 1);
            }
        }
    }

    fn unknown_choice(&mut self, index: u32, branch: &BranchCode, reason: ReasonId) -> Flow<()> {
        let given = self.stated_probability(branch.block);
        let guess = match self.without_file(branch, given, reason) {
            Some(guess) => self.as_missing(branch, guess),
            None => self.guess(branch, given),
        };
        let guess = self.as_before(branch, given, guess);
        if matches!(guess.grounds, Grounds::Parts { .. }) {
            // What parts did last may have been seen in another task.
            self.stand_alone("parts of an unknown condition were seen before");
        }
        let ways = ways(&guess);
        let live: Vec<Way> = ways.iter().copied().filter(|way| way.probability > 0.0).collect();
        if let Some(way) = self.way_in_loop(branch, &live, reason) {
            self.take(branch, way.arm);
            return Ok(());
        }
        if given.is_none() && branch.arms.iter().any(|arm| arm.summarised) {
            self.note_clock(reason);
        }
        let assumed = given.is_none() && guess.grounds != Grounds::Parts { assumed: false };
        if assumed {
            self.report_assumption(branch, reason, &guess);
        }
        if let [only] = live[..] {
            self.note_outcome(branch, only.arm);
            self.take(branch, only.arm);
            return Ok(());
        }
        let escapes: Vec<Escapes> =
            live.iter().filter_map(|way| arm_of(branch, way.arm)).map(|arm| arm.escapes).collect();
        if escapes.iter().any(|arm| arm.communicates) {
            return Err(self.unknown_mpi(
                Decides::Branch,
                branch.span,
                "this branch, which decides about MPI calls,",
                reason,
            ));
        }
        let loops = self.task.frames.last().map_or(0, |frame| frame.loops) as usize;
        let leaves = escapes.iter().any(|arm| arm.leaves_loop || arm.returns && self.task.loops.len() > loops);
        if leaves && self.task.loops.len() > loops && self.force_enclosing(branch, &escapes, reason, loops)? {
            return Ok(());
        }
        self.split(index, branch, &live, reason, if assumed { CountSource::Assumed } else { CountSource::Probability });
        Ok(())
    }

    /// Makes the loops that the branch may leave counted ones; whether control went back for that.
    fn force_enclosing(
        &mut self,
        branch: &BranchCode,
        escapes: &[Escapes],
        reason: ReasonId,
        base: usize,
    ) -> Flow<bool> {
        let returns = escapes.iter().any(|arm| arm.returns);
        let outermost = if returns { base } else { self.task.loops.len() - 1 };
        let candidate = (outermost..self.task.loops.len()).find(|&i| !self.is_forced(i));
        match candidate {
            Some(i) => {
                self.force_loop(i, reason, Some(branch.span))?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// What is assumed where the condition asks whether a file exists that was not given.
    fn without_file(&self, branch: &BranchCode, given: Option<f64>, reason: ReasonId) -> Option<Guess> {
        let asked = given.is_none() && matches!(self.shared.reasons.get(reason).kind, ReasonKind::Existence(_));
        let program = &self.code.program;
        asked.then(|| self.code.heuristics.without_file(program, branch.block, &|id| self.outcome(id))).flatten()
    }

    /// What was seen before a loop was given up is better than what heuristics say, errors excepted.
    fn as_before(&self, branch: &BranchCode, given: Option<f64>, guess: Guess) -> Guess {
        if given.is_some() || guess.excludes_error() || guess.grounds == Grounds::NoFile {
            return guess;
        }
        self.seen_ways(branch).unwrap_or(guess)
    }

    /// A file that the program can do without is there or not, as the options say.
    fn as_missing(&mut self, branch: &BranchCode, guess: Guess) -> Guess {
        if guess.grounds != Grounds::NoFile {
            return guess;
        }
        self.shared.absent.insert(branch.block);
        match self.shared.options.inputs.missing {
            Missing::Absent => guess,
            Missing::There => guess.opposite(),
        }
    }

    fn guess(&self, branch: &BranchCode, given: Option<f64>) -> Guess {
        let program = &self.code.program;
        match (given, &program.blocks[branch.block].kind) {
            (Some(p), BlockKind::Branch(shape)) => self.code.heuristics.with_probability(shape, p),
            _ => self.code.heuristics.guess(program, branch.block, &|id| self.outcome(id)),
        }
    }
}

fn ways(guess: &Guess) -> Vec<Way> {
    let arms = guess.arms.iter().enumerate().map(|(arm, &probability)| Way { arm: Some(arm as u32), probability });
    arms.chain((guess.none > 0.0).then_some(Way { arm: None, probability: guess.none })).collect()
}

/// Whether the condition is true, as a number; of a switch, whether its first arm is taken.
fn chance_of(branch: &BranchCode, arm: Option<u32>) -> f64 {
    let truth = match branch.selector {
        Selector::Truth { yes: Some(yes), .. } => arm == Some(yes),
        Selector::Truth { yes: None, no } => arm != no,
        Selector::Switch { .. } => arm == Some(0),
    };
    f64::from(u8::from(truth))
}

pub(super) fn arm_of(branch: &BranchCode, arm: Option<u32>) -> Option<&ArmCode> {
    branch.arms.get(arm? as usize)
}

/// The arm that a condition takes; `Err` where it is unknown.
fn selected(branch: &BranchCode, condition: Value) -> Result<Option<u32>, Option<ReasonId>> {
    match &branch.selector {
        Selector::Truth { yes, no } => Ok(if condition.truth()? { *yes } else { *no }),
        Selector::Switch { cases, default } => match condition {
            Value::Int(n) => {
                let after = cases.partition_point(|&(low, ..)| low <= n);
                let hit = cases[..after].iter().rev().find(|&&(low, high, _)| low <= n && n <= high);
                Ok(hit.map(|&(.., arm)| arm).or(*default))
            }
            Value::Unknown(reason) => Err(Some(reason)),
            _ => Err(None),
        },
    }
}
