//! Which executions take which arm of a branch: by its condition, by what the source states, or by chance.

use crate::counts::path::Path;
use crate::expressions::affine::Symbol;
use crate::expressions::formula::{Constraint, Formula};
use crate::expressions::symbolic::{Fraction, Symbolic};
use crate::state::execution::Execution;
use crate::{UncertainKind, Unsummarisable};
use chronos_activity::{Count, CountSource};
use chronos_ir::{Arm, ArmLabel, BlockId, Branch, BranchKind};
use chronos_slicing::heuristics::{Grounds, Guess};
use chronos_values::{ReasonId, ReasonKind};

/// Which executions take which arm.
pub(crate) struct Split {
    /// Per arm.
    pub arms: Vec<Share>,
    /// Those that take none.
    pub none: Share,
}

/// A part of the executions that reach a branch.
#[derive(Clone)]
pub(crate) enum Share {
    Where(Formula),
    /// A fraction, by chance.
    Weight(Count),
    /// The same, as an expression that the source gave, with a symbol of its own.
    Given(Fraction, Symbol),
}

impl Execution<'_> {
    pub(crate) fn share(id: BlockId, path: &Path, share: &Share) -> Result<Path, Unsummarisable> {
        match share {
            Share::Weight(weight) => Ok(path.weighted(*weight)),
            Share::Given(fraction, counter) => {
                path.times_fraction(fraction, *counter).ok_or_else(|| Self::too_complex(id, crate::counts::TooComplex))
            }
            Share::Where(formula) => {
                path.restricted(formula).ok_or_else(|| Self::too_complex(id, crate::counts::TooComplex))
            }
        }
    }

    /// Which executions take which arm, and why that is not exact.
    pub(crate) fn split(&mut self, id: BlockId, branch: &Branch) -> (Split, Option<ReasonId>) {
        let value = self.operand(&branch.condition);
        let known =
            if branch.kind == BranchKind::Switch { self.cases(branch, &value) } else { self.sides(branch, &value) };
        if let Some(known) = known {
            return (known, None);
        }
        let reason = if let Symbolic::Unknown(reason) = value { Some(reason) } else { None };
        let split = match self.by_expression(id, branch) {
            Some(split) => split,
            None => self.by_chance(id, branch, reason),
        };
        let span = self.setting.program.blocks[id].span;
        (split, Some(reason.unwrap_or_else(|| self.reason(ReasonKind::UnknownBranch, Some(span)))))
    }

    /// As the source says, in an expression of what is left free.
    fn by_expression(&mut self, id: BlockId, branch: &Branch) -> Option<Split> {
        let fraction = self.annotated_fraction(id).filter(|_| branch.kind != BranchKind::Switch)?;
        let complement = fraction.complement()?;
        let mut share = |of: &Fraction| Share::Given(of.clone(), self.symbols.fresh());
        let is_true = |arm: &Arm| arm.labels.contains(&ArmLabel::True);
        let arms = branch.arms.iter().map(|arm| share(if is_true(arm) { &fraction } else { &complement })).collect();
        let none = match &branch.arms[..] {
            [only] => share(if is_true(only) { &complement } else { &fraction }),
            _ => Share::Where(Formula::never()),
        };
        Some(Split { arms, none })
    }

    fn sides(&self, branch: &Branch, value: &Symbolic) -> Option<Split> {
        let truth = self.symbols.truth(value)?;
        let mut none = Formula::always();
        let mut arms = Vec::new();
        for arm in &branch.arms {
            let side = if arm.labels.contains(&ArmLabel::True) { truth.clone() } else { truth.not()? };
            none = none.and(&side.not()?)?;
            arms.push(Share::Where(side));
        }
        Some(Split { arms, none: Share::Where(none) })
    }

    fn cases(&self, branch: &Branch, value: &Symbolic) -> Option<Split> {
        let mut none = Formula::always();
        let mut arms = Vec::new();
        for arm in &branch.arms {
            let mut here = Formula::never();
            for label in &arm.labels {
                if let ArmLabel::Case(low, high) = label {
                    here = here.or(&self.between(value, i128::from(*low), i128::from(*high))?)?;
                }
            }
            none = none.and(&here.not()?)?;
            arms.push(here);
        }
        let default = branch.arms.iter().position(|arm| arm.labels.contains(&ArmLabel::Default));
        if let Some(default) = default {
            arms[default].pieces.extend(none.pieces);
            none = Formula::never();
        }
        Some(Split { arms: arms.into_iter().map(Share::Where).collect(), none: Share::Where(none) })
    }

    fn between(&self, value: &Symbolic, low: i128, high: i128) -> Option<Formula> {
        let mut pieces = Vec::new();
        for (guard, affine) in value.cases()? {
            let within = if low == high {
                self.symbols.zero(&affine.plus(-low)?)?
            } else {
                let above = Formula::atom(Constraint::Nonnegative(affine.plus(-low)?));
                above.and(&Formula::atom(Constraint::Nonnegative(affine.negate()?.plus(high)?)))?
            };
            pieces.extend(Formula { pieces: vec![guard] }.and(&within)?.pieces);
        }
        Some(Formula { pieces })
    }

    /// How likely the arms of a branch are whose condition is unknown.
    pub(crate) fn likelihoods(&self, id: BlockId, branch: &Branch) -> Guess {
        match self.annotated_probability(id) {
            Some(p) => self.setting.heuristics.with_probability(branch, p),
            None => self.setting.heuristics.guess(self.setting.program, id, &|id| self.outcome(id)),
        }
    }

    /// Nobody knows the condition: a given probability, or what heuristics say.
    fn by_chance(&mut self, id: BlockId, branch: &Branch, reason: Option<ReasonId>) -> Split {
        let given = self.annotated_probability(id);
        let guess = self.likelihoods(id, branch);
        let assumed = given.is_none() && guess.grounds != Grounds::Parts { assumed: false };
        if assumed {
            let first = guess.arms.first().copied().unwrap_or(0.0);
            self.note_uncertain(id, UncertainKind::AssumedProbability(first), reason);
        }
        let source = if assumed { CountSource::Assumed } else { CountSource::Probability };
        let weigh =
            |p: f64| Share::Weight(if p == 1.0 { Count { source, ..Count::ONE } } else { Count::expected(p, source) });
        Split { arms: guess.arms.iter().map(|p| weigh(*p)).collect(), none: weigh(guess.none) }
    }
}

/// 0 or 1, and nothing else.
pub(crate) fn is_truth(value: &Symbolic) -> bool {
    *value == Symbolic::int(0) || *value == Symbolic::int(1)
}
