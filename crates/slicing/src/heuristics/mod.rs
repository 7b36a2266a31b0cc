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
#[cfg(test)]
mod tests;

pub use endings::Endings;

use chronos_ir::{Arm, ArmLabel, BlockId, BlockKind, Branch, BranchKind, FuncId, Operand, Program};
use combine::combined;
use conditions::{Definitions, Evidence};
use features::Features;
use std::collections::HashMap;

/// A property of a branch that predicts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heuristic {
    /// Two pointers differ, and a pointer is not null.
    Pointer,
    /// An integer is not negative, not zero or less, and not equal to a constant; floating numbers differ.
    Opcode,
    /// A value that an arm reads is tested: the test guards the arm, which is taken.
    Guard,
    /// An arm that leaves a loop is not taken.
    LoopExit,
    /// An arm that begins with a loop is taken.
    LoopHeader,
    /// An arm that makes a call is not taken.
    Call,
    /// An arm that stores into memory is not taken.
    Store,
    /// An arm that returns is not taken.
    Return,
}

impl Heuristic {
    /// How often it is right: Wu and Larus 1994, Table 1.
    pub const fn hit_rate(self) -> f64 {
        match self {
            Self::Pointer => 0.60,
            Self::Opcode => 0.84,
            Self::Guard => 0.62,
            Self::LoopExit => 0.80,
            Self::LoopHeader => 0.75,
            Self::Call => 0.78,
            Self::Store => 0.55,
            Self::Return => 0.72,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Pointer => "pointer",
            Self::Opcode => "opcode",
            Self::Guard => "guard",
            Self::LoopExit => "loop exit",
            Self::LoopHeader => "loop header",
            Self::Call => "call",
            Self::Store => "store",
            Self::Return => "return",
        }
    }
}

/// What the chances of a branch rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// Nothing speaks for one of the ways.
    Nothing,
    /// Labels of a switch, all alike.
    Labels,
    /// Heuristics that apply, combined by the rule of Dempster and Shafer (Wu, Larus 1994).
    Measured(Vec<Heuristic>),
    /// The probabilities of the parts of the condition, of which some may be assumed.
    Parts {
        /// Whether one of them is assumed.
        assumed: bool,
    },
    /// One way ends the program.
    EndsProgram,
    /// One way reports an error.
    ReportsError,
    /// A file that was not given is not there.
    NoFile,
    /// How it went before, so many times.
    Seen {
        /// How often the condition was evaluated before.
        evaluations: u64,
    },
}

impl Grounds {
    /// What they are, with their source.
    pub fn describe(&self) -> String {
        match self {
            Self::Nothing => "nothing speaks for either way".into(),
            Self::Labels => "all labels alike".into(),
            Self::Parts { .. } => "from the probabilities of the parts of its condition".into(),
            Self::EndsProgram => "the program is assumed not to end there".into(),
            Self::ReportsError => "no error is assumed to be reported there".into(),
            Self::Seen { evaluations } => format!("as in the {evaluations} evaluations before the budget ended"),
            Self::NoFile => "a file that was not given is assumed not to exist".into(),
            Self::Measured(heuristics) => {
                let names: Vec<&str> = heuristics.iter().map(|h| h.name()).collect();
                let plural = if names.len() == 1 { "heuristic" } else { "heuristics" };
                format!("{} {plural} (Ball & Larus 1993, Wu & Larus 1994 Table 1)", listed(&names))
            }
        }
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// How likely each way of a branch is.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// By arm, in source order.
    pub arms: Vec<f64>,
    /// That no arm is taken.
    pub none: f64,
    /// What the chances rest on.
    pub grounds: Grounds,
}

impl Guess {
    /// The chance that the condition is true; of a switch, that the first arm is taken.
    pub fn of_first(&self, branch: &Branch) -> f64 {
        match branch.kind {
            BranchKind::Or => 1.0 - self.arms.first().copied().unwrap_or(0.0),
            _ => self.arms.first().copied().unwrap_or(0.0),
        }
    }

    /// Of two ways, the chance of each for the other one.
    #[must_use]
    pub fn opposite(mut self) -> Self {
        match &mut self.arms[..] {
            [only] => std::mem::swap(only, &mut self.none),
            [one, other] => std::mem::swap(one, other),
            _ => {}
        }
        self
    }

    /// One way alone is taken, because the other is an error.
    pub fn excludes_error(&self) -> bool {
        matches!(self.grounds, Grounds::EndsProgram | Grounds::ReportsError)
    }
}

/// A probability, and whether it rests on an assumption of ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likelihood {
    /// From 0 to 1.
    pub p: f64,
    /// It rests on heuristics and not on what the user or the source says.
    pub assumed: bool,
}

impl Likelihood {
    /// The likelihood of a condition that is known.
    pub fn sure(truth: bool) -> Self {
        Self { p: f64::from(u8::from(truth)), assumed: false }
    }
}

/// What is known of the value that an `&&`, `||` or `?:` gave when it was evaluated last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It was true with this probability.
    Truth(Likelihood),
    /// It is what this arm yielded.
    Arm(u32),
}

/// Passed along with a question: what is known of parts of the condition.
pub type Outcomes<'a> = dyn Fn(BlockId) -> Option<Outcome> + 'a;

/// The heuristics for one program.
#[derive(Clone, Debug)]
pub struct Heuristics {
    definitions: Definitions,
    endings: Endings,
    /// Of the branches whose chances do not follow from parts of their conditions.
    fixed: HashMap<BlockId, Guess>,
}

impl Heuristics {
    /// Reads the program once; linear in its size.
    pub fn new(program: &Program) -> Self {
        let definitions = Definitions::new(program);
        let mut found = Self { definitions, endings: Endings::new(program), fixed: HashMap::new() };
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
            evidence.extend(features::evidence(&features(yes), &features(no)));
        }
        let p = combined(evidence.iter().map(|(p, _)| *p));
        let mut heuristics: Vec<Heuristic> = evidence.into_iter().map(|(_, heuristic)| heuristic).collect();
        heuristics.sort_unstable();
        heuristics.dedup();
        sides(branch, p, if heuristics.is_empty() { Grounds::Nothing } else { Grounds::Measured(heuristics) })
    }
}

fn arm_with(branch: &Branch, label: ArmLabel) -> Option<&Arm> {
    branch.arms.iter().find(|arm| arm.labels.contains(&label))
}

/// The ways of a branch whose condition is true with probability `p`.
fn sides(branch: &Branch, p: f64, grounds: Grounds) -> Guess {
    let chance = |arm: &Arm| if arm.labels.contains(&ArmLabel::True) { p } else { 1.0 - p };
    let arms: Vec<f64> = branch.arms.iter().map(chance).collect();
    let none = if arms.len() >= 2 { 0.0 } else { 1.0 - arms.iter().sum::<f64>() };
    Guess { arms, none, grounds }
}

/// Shares of the arms of a switch, then of none of them where there is no default.
fn label_shares(branch: &Branch) -> Vec<f64> {
    let labels = branch.arms.iter().map(|arm| arm.labels.len() as f64);
    let complete = arm_with(branch, ArmLabel::Default).is_some();
    let mut weights: Vec<f64> = labels.chain((!complete).then_some(1.0)).collect();
    let all: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= all.max(1.0));
    if complete {
        weights.push(0.0);
    }
    weights
}

fn with_none(mut shares: Vec<f64>, grounds: Grounds) -> Guess {
    let none = shares.pop().unwrap_or(0.0);
    Guess { arms: shares, none, grounds }
}

/// A probability as messages show it.
pub fn shown(p: f64) -> String {
    let text = format!("{p:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
