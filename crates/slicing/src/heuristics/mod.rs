//! Static branch heuristics: how likely each way of a branch is, where nobody says and nothing shows it.
//!
//! The literature measured which simple properties of a branch predict it, and how often they are right:
//!
//! - T. Ball and J. R. Larus, "Branch prediction for free", PLDI 1993: the heuristics;
//! - Y. Wu and J. R. Larus, "Static branch frequency and program profile analysis", MICRO-27, 1994: their hit
//!   rates (Table 1), taken as probabilities, and the rule of Dempster and Shafer to combine those that
//!   speak about the same branch.
//!
//! Their loop branch heuristic (88 %) would be a guess of how often a loop runs; here such a number
//! stays unknown and is asked for. One rule is our own: a run without errors is predicted, so an arm that
//! ends the program or reports an error is not taken.
//!
//! This module knows the block tree alone; it must not know how a program is evaluated.

mod combine;
mod conditions;
mod endings;
mod errors;
mod features;
mod guess;
mod spread;
#[cfg(test)]
mod tests;

pub use endings::Endings;

use chronos_base::hash::FxHashMap;
use chronos_ir::{Arm, ArmLabel, BlockId, BlockKind, Branch, BranchKind, FuncId, Operand, Program};
use combine::combined;
use conditions::{Definitions, Evidence};
use features::Features;
use guess::{arm_with, label_shares, sides, with_none};

pub use guess::{Grounds, Guess, Heuristic, Likelihood, Outcome, Outcomes, shown};
pub use spread::{Assumed, Factors, Spread};

/// The heuristics for one program.
#[derive(Clone, Debug)]
pub struct Heuristics {
    definitions: Definitions,
    endings: Endings,
    /// Of the branches whose chances do not follow from parts of their conditions.
    fixed: FxHashMap<BlockId, Guess>,
}

impl Heuristics {
    /// Reads the program once; linear in its size.
    pub fn new(program: &Program) -> Self {
        let definitions = Definitions::new(program);
        let mut found = Self { definitions, endings: Endings::new(program), fixed: FxHashMap::default() };
        let branches = program.blocks.iter().filter(|(_, block)| matches!(block.kind, BlockKind::Branch(_)));
        let guesses = branches.map(|(id, _)| (id, found.computed(program, id, &|_| None)));
        let fixed = guesses.filter(|(_, guess)| !matches!(guess.grounds, Grounds::Parts { .. })).collect();
        found.fixed = fixed;
        found
    }

    /// How likely the ways of the branch `id` are, where nobody says.
    pub fn guess(&self, program: &Program, id: BlockId, outcomes: &Outcomes<'_>) -> Guess {
        self.fixed.get(&id).cloned().unwrap_or_else(|| self.computed(program, id, outcomes))
    }

    fn computed(&self, program: &Program, id: BlockId, outcomes: &Outcomes<'_>) -> Guess {
        let BlockKind::Branch(branch) = &program.blocks[id].kind else {
            return Guess { arms: Vec::new(), none: 1.0, grounds: Grounds::Nothing };
        };
        match branch.kind {
            BranchKind::Switch => self.of_labels(program, branch),
            _ => self.of_sides(program, id, branch, outcomes),
        }
    }

    /// The ways where the condition is true with probability `p`; of a switch, where the first arm is taken
    /// with it and the other labels share the rest.
    pub fn with_probability(&self, branch: &Branch, p: f64) -> Guess {
        let p = p.clamp(0.0, 1.0);
        if branch.kind != BranchKind::Switch {
            return sides(branch, p, Grounds::Nothing);
        }
        let mut shares = label_shares(branch);
        let first = shares.first().copied().unwrap_or(0.0);
        let others: f64 = shares.iter().skip(1).sum();
        shares.iter_mut().skip(1).for_each(|share| *share *= (1.0 - p) / others.max(f64::MIN_POSITIVE));
        if let Some(share) = shares.first_mut() {
            *share = if others > 0.0 { p } else { first };
        }
        with_none(shares, Grounds::Labels)
    }

    /// How likely the value that an arm yields is true.
    pub fn arm_truth(&self, program: &Program, id: BlockId, arm: u32, outcomes: &Outcomes<'_>) -> Likelihood {
        let even = Likelihood { p: 0.5, assumed: true };
        let BlockKind::Branch(branch) = &program.blocks[id].kind else { return even };
        let Some(value) = branch.arms.get(arm as usize).and_then(|arm| arm.value.as_ref()) else { return even };
        self.definitions.truth(program, program.blocks[id].function, value, outcomes).likelihood()
    }

    /// Whether one of the ways is not taken in a run without errors.
    pub fn excludes_error(&self, program: &Program, id: BlockId) -> bool {
        self.guess(program, id, &|_| None).excludes_error()
    }

    /// The condition compares floating numbers.
    pub(crate) fn compares_floats(&self, function: FuncId, condition: &Operand) -> bool {
        self.definitions.compares_floats(function, condition)
    }

    /// The ways of a branch on whether a file that was not given could be opened. Where one of them is an error, or what
    /// is done without the file is to leave, it could; else the program can do without, and it is not there.
    /// `None` where the condition asks for something else.
    pub fn without_file(&self, program: &Program, id: BlockId, outcomes: &Outcomes<'_>) -> Option<Guess> {
        let BlockKind::Branch(branch) = &program.blocks[id].kind else { return None };
        let guess = self.guess(program, id, outcomes);
        if guess.excludes_error() {
            return None;
        }
        let function = program.blocks[id].function;
        let Evidence::Measured(opened, Heuristic::Pointer) =
            self.definitions.truth(program, function, &branch.condition, outcomes)
        else {
            return None;
        };
        let [with, without] = if opened > 0.5 { [1.0, 0.0] } else { [0.0, 1.0] };
        let label = if opened > 0.5 { ArmLabel::False } else { ArmLabel::True };
        let needed = arm_with(branch, label).is_some_and(|arm| errors::returns(program, arm));
        let (p, grounds) = if needed { (with, Grounds::ReportsError) } else { (without, Grounds::NoFile) };
        Some(sides(branch, p, grounds))
    }

    fn of_labels(&self, program: &Program, branch: &Branch) -> Guess {
        let mut shares = label_shares(branch);
        let dead: Vec<bool> = branch.arms.iter().map(|arm| self.dead(program, arm).is_some()).collect();
        let live: f64 =
            shares.iter().enumerate().filter(|(i, _)| !dead.get(*i).is_some_and(|d| *d)).map(|(_, s)| s).sum();
        if live > 0.0 {
            let scale = |(i, share): (usize, &mut f64)| {
                *share = if dead.get(i).is_some_and(|dead| *dead) { 0.0 } else { *share / live };
            };
            shares.iter_mut().enumerate().for_each(scale);
        }
        let one_left = shares.iter().filter(|share| **share > 0.0).count() == 1 && shares.len() > 1;
        with_none(shares, if one_left { Grounds::EndsProgram } else { Grounds::Labels })
    }

    /// Why an arm is not taken.
    fn dead(&self, program: &Program, arm: &Arm) -> Option<Grounds> {
        if self.endings.region(program, &arm.region) {
            return Some(Grounds::EndsProgram);
        }
        errors::reports_error(program, &self.definitions, arm).then_some(Grounds::ReportsError)
    }

    fn of_sides(&self, program: &Program, id: BlockId, branch: &Branch, outcomes: &Outcomes<'_>) -> Guess {
        let [yes, no] = [ArmLabel::True, ArmLabel::False].map(|label| arm_with(branch, label));
        let deadly = |arm: Option<&Arm>| arm.and_then(|arm| self.dead(program, arm));
        match (deadly(yes), deadly(no)) {
            (Some(grounds), None) => return sides(branch, 0.0, grounds),
            (None, Some(grounds)) => return sides(branch, 1.0, grounds),
            _ => {}
        }
        let function = program.blocks[id].function;
        let mut evidence = match self.definitions.truth(program, function, &branch.condition, outcomes) {
            Evidence::Parts(Likelihood { p, assumed }) => return sides(branch, p, Grounds::Parts { assumed }),
            Evidence::Measured(p, heuristic) => vec![(p, heuristic)],
            Evidence::None => Vec::new(),
        };
        if matches!(branch.kind, BranchKind::If | BranchKind::Conditional) {
            let tested = self.definitions.tested(program, function, &branch.condition);
            let features =
                |arm: Option<&Arm>| arm.map(|arm| Features::new(program, id, arm, &tested)).unwrap_or_default();
            evidence.extend(features::evidence(features(yes), features(no)));
        }
        let p = combined(evidence.iter().map(|(p, _)| *p));
        let mut heuristics: Vec<Heuristic> = evidence.into_iter().map(|(_, heuristic)| heuristic).collect();
        heuristics.sort_unstable();
        heuristics.dedup();
        sides(branch, p, if heuristics.is_empty() { Grounds::Nothing } else { Grounds::Measured(heuristics) })
    }
}
