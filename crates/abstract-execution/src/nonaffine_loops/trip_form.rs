//! Loops whose number of iterations is a closed form, but none that is affine: logarithms and square
//! roots. Recognised by the update of the counter and by the condition.
//!
//! It says what a loop is, never how often a block in it is executed.

use crate::arithmetic::integer_functions::powers;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::IntegerFunction;
use crate::expressions::formula::{Constraint, Formula};
use crate::expressions::symbols::Symbols;
use num_integer::Roots;

/// How often a loop with its test in front runs, or how often one goes on that has it at its end. Numbers are those at its entry; affine expressions are over the
/// counters of the loops around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TripForm {
    /// Iteration k begins where `start * factor^k < limit`; the counter's value is the left side.
    /// With a start of at least 1: `ceil(log(limit / start, factor))` iterations, or none.
    Geometric {
        /// Value of the counter at the begin.
        start: Affine,
        /// What each iteration multiplies the counter by.
        factor: i128,
        /// What the value is compared with.
        limit: Affine,
    },
    /// Iteration k begins where `floor(start / factor^k) > limit`, with a limit that is not negative.
    /// `floor(log(start / (limit + 1), factor)) + 1` iterations, or none.
    Shrinking {
        /// Value of the counter at the begin.
        start: Affine,
        /// What each iteration divides the counter by.
        factor: i128,
        /// What the value is compared with.
        limit: Affine,
    },
    /// Iteration k begins where `(start + step * k)^2 <= limit`, with a start that is not negative.
    /// `floor((isqrt(limit) - start) / step) + 1` iterations, or none.
    SquareRoot {
        /// Value of the counter at the begin, not negative.
        start: i128,
        /// What each iteration adds, positive.
        step: i128,
        /// What the square is compared with.
        limit: Affine,
    },
    /// Iteration k begins where `start + step * k <= limit`, with a step that is positive, but no number.
    /// `floor((limit - start) / step) + 1` iterations, or none.
    Strided {
        /// Value of the counter at the begin.
        start: Affine,
        /// What each iteration adds, an expression that is positive.
        step: Affine,
        /// What the value is compared with.
        limit: Affine,
    },
}

impl TripForm {
    /// Where iteration k begins, its predecessors done; `None` where the numbers leave 128 bits.
    pub fn continues(&self, k: u32, symbols: &mut Symbols) -> Option<Formula> {
        let affine = match self {
            Self::Geometric { start, factor, limit } => limit.sub(&start.scale(factor.checked_pow(k)?)?)?.plus(-1)?,
            // floor(start / d) >= limit + 1
            Self::Shrinking { start, factor, limit } => start.sub(&limit.plus(1)?.scale(factor.checked_pow(k)?)?)?,
            Self::SquareRoot { start, step, limit } => {
                let root = start.checked_add(step.checked_mul(i128::from(k))?)?;
                limit.plus(root.checked_mul(root)?.checked_neg()?)?
            }
            Self::Strided { start, step, limit } => limit.sub(start)?.sub(&step.scale(i128::from(k))?)?,
        };
        symbols.nonnegative(&affine)
    }

    /// With the counter advanced by one iteration.
    pub(crate) fn after_one(self, symbols: &mut Symbols) -> Option<Self> {
        Some(match self {
            Self::Geometric { start, factor, limit } => Self::Geometric { start: start.scale(factor)?, factor, limit },
            Self::Shrinking { start, factor, limit } => {
                Self::Shrinking { start: symbols.quotient(&start, factor), factor, limit }
            }
            Self::SquareRoot { start, step, limit } => {
                Self::SquareRoot { start: start.checked_add(step)?, step, limit }
            }
            Self::Strided { start, step, limit } => Self::Strided { start: start.add(&step)?, step, limit },
        })
    }

    /// The most iterations within the bounds; `None` where there is no bound.
    pub fn most(&self, bounds: &Bounds) -> Option<i128> {
        match self {
            Self::Geometric { start, factor, limit } => {
                let (least, greatest) = (bounds.least(start).filter(|&least| least >= 1)?, bounds.range(limit).1?);
                Some(powers(*factor, |power| least.checked_mul(power).is_some_and(|value| value < greatest)))
            }
            Self::Shrinking { start, factor, limit } => {
                let (greatest, least) = (bounds.range(start).1?, bounds.least(limit).filter(|&least| least >= 0)?);
                Some(powers(*factor, |power| greatest / power > least))
            }
            Self::SquareRoot { start, step, limit } => Some(roots(*start, *step, bounds.range(limit).1?)),
            Self::Strided { start, step, limit } => {
                let (room, step) = (bounds.range(&limit.sub(start)?).1?, bounds.least(step)?);
                Some((room.div_euclid(step.max(1)) + 1).max(0))
            }
        }
    }

    /// Where iteration k begins, as one condition on k: the counters around must not matter. `None` where they do,
    /// or where a number of the form is none of those that have a name.
    pub(crate) fn in_closed_form(&self, k: Symbol, symbols: &mut Symbols) -> Option<Formula> {
        let counter = Affine::symbol(k);
        let left = match self {
            Self::SquareRoot { start, step, limit } => {
                let root = symbols.function(IntegerFunction::SquareRoot, limit)?;
                root.plus(-start)?.sub(&counter.scale(*step)?)?
            }
            // start * f^k < limit: f^k < ceil(limit / start)
            Self::Geometric { start, factor, limit } => {
                let start = start.as_constant().filter(|&start| start >= 1)?;
                let ratio = symbols.quotient(&limit.plus(start - 1)?, start);
                symbols.function(IntegerFunction::CeilLog(base(*factor)?), &ratio)?.plus(-1)?.sub(&counter)?
            }
            // floor(start / f^k) > limit: f^k <= floor(start / (limit + 1))
            Self::Shrinking { start, factor, limit } => {
                let ratio = symbols.quotient(start, limit.as_constant()?.checked_add(1)?);
                symbols.function(IntegerFunction::FloorLog(base(*factor)?), &ratio)?.sub(&counter)?
            }
            Self::Strided { start, step, limit } => symbols.ratio(&limit.sub(start)?, step)?.sub(&counter)?,
        };
        let continues = Formula::atom(Constraint::Nonnegative(left));
        match self {
            // The square root of a negative number counts as 0.
            Self::SquareRoot { start: 0, limit, .. } => continues.and(&symbols.nonnegative(limit)?),
            _ => Some(continues),
        }
    }

    /// The counter's value matters little for the loop's counts, or there is no other way than a closed form: the
    /// number of iterations is large, or that of a free parameter.
    pub(crate) fn is_better_closed(&self, symbols: &Symbols) -> bool {
        let (start, limit) = match self {
            Self::Geometric { start, limit, .. } | Self::Shrinking { start, limit, .. } => (Some(start), limit),
            Self::SquareRoot { limit, .. } => (None, limit),
            Self::Strided { .. } => return symbols.quotients.free.is_empty() || symbols.may_sum(),
        };
        // Few iterations are better executed one by one: then values depend on nothing.
        let many = |limit: i128| self.most(&Bounds::default()).is_some_and(|most| most > 64 && limit > 0);
        let mut both = start.into_iter().chain([limit]).flat_map(Affine::symbols);
        both.any(|symbol| symbols.quotients.depends_on_free(symbol) || symbols.may_sum())
            || (start.is_none() && limit.as_constant().is_some_and(many))
    }
}

pub(crate) fn base(factor: i128) -> Option<u32> {
    u32::try_from(factor).ok()
}

/// `i <= n / i` is `i * i <= n`, and `i < n / i` is `i * i + i <= n`: `(2 i + 1)^2 <= 4 n + 1`.
pub(crate) fn by_quotient(form: TripForm, strict: bool) -> Option<TripForm> {
    let TripForm::SquareRoot { start: start @ 1.., step, limit } = form else { return None };
    if !strict {
        return Some(TripForm::SquareRoot { start, step, limit });
    }
    let start = start.checked_mul(2)?.checked_add(1)?;
    Some(TripForm::SquareRoot { start, step: step.checked_mul(2)?, limit: limit.scale(4)?.plus(1)? })
}

/// How many k from 0 on have `(start + step k)^2 <= limit`.
fn roots(start: i128, step: i128, limit: i128) -> i128 {
    if limit < 0 || limit.sqrt() < start { 0 } else { (limit.sqrt() - start) / step + 1 }
}
