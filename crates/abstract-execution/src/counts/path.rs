//! Where execution stands: which iterations reach a place, and with which weight.

use super::amount::Amount;
use super::{TooComplex, cardinality, sums};
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::formula::{Conjunction, Constraint, Formula, conjoin};
use crate::expressions::quotients::Quotients;
use crate::expressions::symbolic::Fraction;
use chronos_activity::{Count, CountSource, CountValue};
use chronos_values::ReasonId;
use std::cell::OnceCell;

/// Some iterations of the loops around a place.
#[derive(Clone, Debug)]
pub struct Piece {
    pub constraints: Conjunction,
    /// Counters that the iterations range over, outermost first.
    pub symbols: Vec<Symbol>,
    /// How often each of them gets here: 1, a probability, a mean number of iterations.
    pub weight: Count,
    /// Expressions of free symbols that the number of executions is divided by: what an assumption of the source says.
    pub divisors: Vec<Affine>,
    /// What is known to hold besides; it narrows bounds and counts nothing.
    pub assumed: Conjunction,
    /// Why the weight is not exact.
    pub(crate) inexact_reason: Option<ReasonId>,
}

/// The executions of a place: disjoint pieces.
#[derive(Clone, Debug)]
pub struct Path {
    pub pieces: Vec<Piece>,
    count: OnceCell<Amount>,
    bounds: OnceCell<Bounds>,
}

impl Piece {
    fn once(assumed: Conjunction) -> Self {
        Self {
            constraints: Vec::new(),
            symbols: Vec::new(),
            weight: Count::ONE,
            divisors: Vec::new(),
            assumed,
            inexact_reason: None,
        }
    }
}

impl Piece {
    /// The same iterations, weighted by chance: one piece can stand for both.
    fn differs_by_chance(&self, other: &Self) -> bool {
        let expected = |piece: &Self| matches!(piece.weight.value, CountValue::Expected(_));
        expected(self)
            && expected(other)
            && self.symbols == other.symbols
            && self.constraints == other.constraints
            && self.divisors == other.divisors
            && self.assumed == other.assumed
    }
}

impl Path {
    /// One execution.
    pub fn once() -> Self {
        Self::of(vec![Piece::once(Vec::new())])
    }

    pub fn of(pieces: Vec<Piece>) -> Self {
        Self { pieces, count: OnceCell::new(), bounds: OnceCell::new() }
    }

    pub fn unreachable() -> Self {
        Self::of(Vec::new())
    }

    /// No constraints of its own, but the bounds of `self`: what is executed from here on shows its
    /// conditions alone.
    pub fn relative(&self) -> Self {
        let assumed = match &self.pieces[..] {
            [only] => conjoin(&only.assumed, &only.constraints),
            _ => self.bounds().constraints(),
        };
        Self::of(vec![Piece::once(assumed)])
    }

    pub(crate) fn is_unreachable(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The part where the formula holds; `None` where it becomes too complex.
    pub fn restricted(&self, formula: &Formula) -> Option<Self> {
        if formula.is_always() {
            return Some(self.clone());
        }
        let mut pieces = Vec::new();
        for piece in &self.pieces {
            for condition in &formula.pieces {
                let constraints = conjoin(&piece.constraints, condition);
                if Bounds::of(&conjoin(&piece.assumed, &constraints)).is_some() {
                    pieces.push(Piece { constraints, ..piece.clone() });
                }
            }
        }
        (pieces.len() <= 256).then(|| Self::of(pieces))
    }

    /// Every iteration continues with the values of one more counter.
    pub fn extended(&self, symbol: Symbol) -> Self {
        let extend = |piece: &Piece| {
            let mut symbols = piece.symbols.clone();
            symbols.push(symbol);
            Piece { symbols, ..piece.clone() }
        };
        Self::of(self.pieces.iter().map(extend).collect())
    }

    pub fn weighted(&self, weight: Count) -> Self {
        if weight.is_zero() {
            return Self::unreachable();
        }
        let weigh = |piece: &Piece| Piece { weight: piece.weight.times(weight), ..piece.clone() };
        Self::of(self.pieces.iter().map(weigh).collect())
    }

    /// Every number of executions divided by an expression of free symbols.
    pub fn divided(mut self, divisor: &Affine) -> Self {
        if divisor.as_constant() != Some(1) {
            self.pieces.iter_mut().for_each(|piece| piece.divisors.push(divisor.clone()));
        }
        Self::of(self.pieces)
    }

    /// The same, with the reason why the weight is not exact.
    pub(crate) fn with_inexact_reason(mut self, reason: Option<ReasonId>) -> Self {
        self.pieces.iter_mut().for_each(|piece| piece.inexact_reason = piece.inexact_reason.or(reason));
        self
    }

    /// Why the number of executions is not exact, where it is not.
    pub(crate) fn inexact_reason(&self) -> Option<ReasonId> {
        self.pieces.iter().find_map(|piece| piece.inexact_reason)
    }

    pub fn union(mut self, other: Self) -> Self {
        if self.is_unreachable() {
            return other;
        }
        for piece in other.pieces {
            match self.pieces.iter_mut().find(|known| known.differs_by_chance(&piece)) {
                Some(known) => {
                    known.weight += piece.weight;
                    known.inexact_reason = known.inexact_reason.or(piece.inexact_reason);
                }
                None => self.pieces.push(piece),
            }
        }
        Self::of(self.pieces)
    }

    /// Number of executions.
    pub fn count(&self, quotients: &Quotients) -> Result<Amount, TooComplex> {
        if let Some(count) = self.count.get() {
            return Ok(count.clone());
        }
        let mut total = Amount::ZERO;
        for piece in &self.pieces {
            total = total.plus(piece_count(piece, quotients)?);
        }
        Ok(self.count.get_or_init(|| total).clone())
    }

    /// Number of executions, each counted `times` times.
    pub(crate) fn count_times(
        &self,
        times: &Affine,
        fresh: Symbol,
        quotients: &Quotients,
    ) -> Result<Amount, TooComplex> {
        if let Some(times) = times.as_constant() {
            return Ok(self.count(quotients)?.times(u128::try_from(times).unwrap_or(0)));
        }
        let counter = Affine::symbol(fresh);
        let below = times.sub(&counter).and_then(|rest| rest.plus(-1)).ok_or(TooComplex)?;
        let formula = Formula {
            pieces: vec![vec![
                crate::expressions::formula::Constraint::Nonnegative(counter),
                crate::expressions::formula::Constraint::Nonnegative(below),
            ]],
        };
        self.extended(fresh).restricted(&formula).ok_or(TooComplex)?.count(quotients)
    }

    /// Which of the executions of `around` these are; `None` where they are not told by a condition alone.
    pub(crate) fn guard_within(&self, around: &Self) -> Option<Formula> {
        let [outer] = &around.pieces[..] else { return None };
        let more = |piece: &Piece| {
            // Of two unknown weights nobody can say whether chance came between them.
            let known = outer.weight.value != CountValue::Unknown;
            let same = known
                && piece.symbols == outer.symbols
                && piece.weight == outer.weight
                && piece.divisors == outer.divisors;
            let fresh = piece.constraints.iter().filter(|c| !outer.constraints.contains(c));
            same.then(|| fresh.cloned().collect())
        };
        Some(Formula { pieces: self.pieces.iter().map(more).collect::<Option<_>>()? })
    }

    /// Intervals of the counters.
    pub fn bounds(&self) -> &Bounds {
        self.bounds.get_or_init(|| {
            let bounds =
                self.pieces.iter().filter_map(|piece| Bounds::of(&conjoin(&piece.assumed, &piece.constraints)));
            bounds.reduce(|a, b| a.union(&b)).unwrap_or_default()
        })
    }
}

fn piece_count(piece: &Piece, quotients: &Quotients) -> Result<Amount, TooComplex> {
    if !quotients.free.is_empty() && piece.weight.value == CountValue::Unknown {
        return Ok(Amount::Number(Count::UNKNOWN));
    }
    if let Some(points) = sums::expression(&piece.symbols, &piece.constraints, quotients)? {
        return Ok(Amount::weighted(points, piece.weight).divided(&piece.divisors, quotients));
    }
    let points = cardinality::count(&piece.symbols, &piece.constraints, quotients)?;
    Ok(Amount::Number(piece.weight).times(points).divided(&piece.divisors, quotients))
}

impl Path {
    /// The same executions, each counted as often as the fraction says; never where it is negative. `counter` is a
    /// symbol that is used nowhere else. `None` where the set becomes too complex.
    pub(crate) fn times_fraction(&self, fraction: &Fraction, counter: Symbol) -> Option<Self> {
        let given = |value| Count { value, source: CountSource::Probability };
        let times = match fraction.dividend.as_constant() {
            Some(times) => self.weighted(given(CountValue::Exact(u128::try_from(times).unwrap_or(0)))),
            None => {
                let symbol = Affine::symbol(counter);
                let below = fraction.dividend.sub(&symbol)?.plus(-1)?;
                let within = Formula::atom(Constraint::Nonnegative(symbol));
                let within = within.and(&Formula::atom(Constraint::Nonnegative(below)))?;
                self.extended(counter).restricted(&within)?.weighted(given(CountValue::Exact(1)))
            }
        };
        Some(times.divided(&fraction.divisor))
    }
}
