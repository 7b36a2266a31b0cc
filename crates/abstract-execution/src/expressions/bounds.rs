//! Intervals of iteration counters, from the constraints on them.

use super::affine::{Affine, Symbol};
use super::formula::{Conjunction, Constraint};
use std::collections::BTreeMap;

/// Least and greatest value, where known.
pub type Interval = (Option<i128>, Option<i128>);

/// Intervals of symbols; a symbol that is missing is unbounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    intervals: BTreeMap<Symbol, Interval>,
}

/// Rounds of propagation: enough for nests this deep.
const ROUNDS: usize = 12;

impl Bounds {
    /// Intervals that hold in this piece; `None` where it is seen to be empty.
    pub fn of(piece: &Conjunction) -> Option<Self> {
        let mut bounds = Self::default();
        for _ in 0..ROUNDS {
            let before = bounds.clone();
            for constraint in piece {
                match constraint {
                    Constraint::Nonnegative(affine) => bounds.tighten(affine)?,
                    Constraint::Zero(affine) => {
                        bounds.tighten(affine)?;
                        bounds.tighten(&affine.negate()?)?;
                    }
                    Constraint::Residue { .. } => {}
                }
            }
            if bounds == before {
                break;
            }
        }
        let empty = bounds.intervals.values().any(|i| matches!(i, (Some(low), Some(high)) if low > high));
        (!empty).then_some(bounds)
    }

    pub fn interval(&self, symbol: Symbol) -> Interval {
        self.intervals.get(&symbol).copied().unwrap_or((None, None))
    }

    /// The smallest intervals that hold both.
    pub fn union(&self, other: &Self) -> Self {
        let mut intervals = BTreeMap::new();
        for (&symbol, &(low, high)) in &self.intervals {
            let (other_low, other_high) = other.interval(symbol);
            let widest = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| Some(pick(a?, b?));
            intervals.insert(symbol, (widest(low, other_low, i128::min), widest(high, other_high, i128::max)));
        }
        Self { intervals }
    }

    /// The intervals as constraints.
    pub fn constraints(&self) -> Conjunction {
        let mut constraints = Conjunction::new();
        for (&symbol, &(low, high)) in &self.intervals {
            let symbol = Affine::symbol(symbol);
            constraints.extend(low.and_then(|low| symbol.plus(-low)).map(Constraint::Nonnegative));
            let below = high.and_then(|high| symbol.negate()?.plus(high));
            constraints.extend(below.map(Constraint::Nonnegative));
        }
        constraints
    }

    /// Least and greatest value of an expression.
    pub fn range(&self, affine: &Affine) -> Interval {
        (self.least(affine), affine.negate().and_then(|negated| self.least(&negated)).map(|least| -least))
    }

    pub fn least(&self, affine: &Affine) -> Option<i128> {
        affine.terms.iter().try_fold(affine.constant, |sum, &(symbol, coefficient)| {
            let (low, high) = self.interval(symbol);
            let extreme = if coefficient > 0 { low } else { high };
            sum.checked_add(extreme?.checked_mul(coefficient)?)
        })
    }

    pub(crate) fn is_nonnegative(&self, affine: &Affine) -> bool {
        self.least(affine).is_some_and(|least| least >= 0)
    }

    /// Uses `affine >= 0` to narrow each of its symbols; `None` where it cannot hold.
    fn tighten(&mut self, affine: &Affine) -> Option<()> {
        if affine.as_constant().is_some_and(|constant| constant < 0) {
            return None;
        }
        for &(symbol, coefficient) in &affine.terms {
            let rest = affine.substitute(symbol, &Affine::default())?;
            let Some(most) = self.range(&rest).1 else { continue };
            let (low, high) = self.intervals.entry(symbol).or_insert((None, None));
            if coefficient > 0 {
                let bound = div_ceil(-most, coefficient);
                *low = Some(low.map_or(bound, |old| old.max(bound)));
            } else {
                let bound = most.div_euclid(-coefficient);
                *high = Some(high.map_or(bound, |old| old.min(bound)));
            }
        }
        Some(())
    }
}

/// Quotient rounded up, for a positive divisor.
pub fn div_ceil(a: i128, b: i128) -> i128 {
    -(-a).div_euclid(b)
}
