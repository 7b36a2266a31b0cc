//! How likely the arms of a branch are, and on which grounds.
use chronos_ir::{Arm, ArmLabel, BlockId, Branch, BranchKind};

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

/// The ways of a branch whose condition is true with probability `p`.
pub(crate) fn sides(branch: &Branch, p: f64, grounds: Grounds) -> Guess {
    let chance = |arm: &Arm| if arm.labels.contains(&ArmLabel::True) { p } else { 1.0 - p };
    let arms: Vec<f64> = branch.arms.iter().map(chance).collect();
    let none = if arms.len() >= 2 { 0.0 } else { 1.0 - arms.iter().sum::<f64>() };
    Guess { arms, none, grounds }
}

/// Shares of the arms of a switch, then of none of them where there is no default.
pub(crate) fn label_shares(branch: &Branch) -> Vec<f64> {
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

pub(crate) fn with_none(mut shares: Vec<f64>, grounds: Grounds) -> Guess {
    let none = shares.pop().unwrap_or(0.0);
    Guess { arms: shares, none, grounds }
}

/// A probability as messages show it.
pub fn shown(p: f64) -> String {
    let text = format!("{p:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(crate) fn arm_with(branch: &Branch, label: ArmLabel) -> Option<&Arm> {
    branch.arms.iter().find(|arm| arm.labels.contains(&label))
}
