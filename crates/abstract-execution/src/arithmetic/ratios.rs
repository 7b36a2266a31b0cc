//! Steps and divisors that are left free, as in `for (ii = 0; ii < n; ii += b)` and `n / b`.
//!
//! A counter by a free symbol is no affine expression. Compared with a free expression it bounds the counter all the
//! same, by a ratio of free expressions.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::{Derived, IntegerFunction};
use crate::expressions::formula::{Conjunction, Constraint, Formula};
use crate::expressions::quotients::Quotients;
use crate::expressions::symbolic::Symbolic;
use crate::expressions::symbols::Symbols;
use chronos_ir::BinaryOp;
use chronos_math::quasi::{Facts, QuasiError, QuasiPolynomial};
use std::collections::BTreeSet;

/// `rest - by * counter`, or its opposite where that is not `falling`.
struct Stepped {
    counter: Symbol,
    by: Affine,
    rest: Affine,
    falling: bool,
}

impl Symbols {
    /// A whole program is executed with parameters left free: ratios and sums may stand in counts.
    pub(crate) fn may_sum(&self) -> bool {
        !self.quotients.free.is_empty() && self.promises.is_none()
    }

    /// `affine >= 0`, as a condition on a counter that free symbols are multiplied with, where that is positive.
    pub(crate) fn nonnegative_within(&mut self, affine: &Affine, bounds: &Bounds) -> Option<Formula> {
        let bounded = if self.may_sum() { self.quotients.bounded_by_ratio(affine, bounds) } else { None };
        match bounded {
            Some(bounded) => Some(Formula::atom(Constraint::Nonnegative(bounded))),
            None => self.nonnegative(affine),
        }
    }

    /// `floor(dividend / divisor)` of free expressions, the divisor positive.
    pub(crate) fn free_ratio(&mut self, dividend: &Affine, divisor: &Affine) -> Option<Affine> {
        if let Some(divisor) = divisor.as_constant() {
            return (divisor > 0).then(|| self.quotient(dividend, divisor));
        }
        if !self.may_sum() {
            return None;
        }
        self.quotients.free_ratio(dividend, divisor)
    }

    /// Of a divisor that is free and taken to be positive, by the sign of the dividend; `None` for any other.
    pub(crate) fn divided_by_free(
        &mut self,
        op: BinaryOp,
        a: &Affine,
        b: &Affine,
        bounds: &Bounds,
    ) -> Option<Vec<(Conjunction, Affine)>> {
        if !matches!(op, BinaryOp::Div | BinaryOp::Rem) || b.as_constant().is_some() {
            return None;
        }
        let (least, greatest) = self.range(a, bounds);
        let mut cases = Vec::new();
        if greatest.is_none_or(|greatest| greatest >= 0) {
            let always = least.is_some_and(|least| least >= 0);
            let sign = if always { vec![] } else { vec![Constraint::Nonnegative(a.clone())] };
            cases.push((sign, self.quotient_or_rest(op, a, b, bounds)?));
        }
        if least.is_none_or(|least| least < 0) {
            let minus = a.negate()?;
            let always = greatest.is_some_and(|greatest| greatest < 0);
            let sign = if always { vec![] } else { vec![Constraint::Nonnegative(minus.plus(-1)?)] };
            cases.push((sign, self.quotient_or_rest(op, &minus, b, bounds)?.negate()?));
        }
        Some(cases)
    }

    fn quotient_or_rest(&mut self, op: BinaryOp, a: &Affine, b: &Affine, bounds: &Bounds) -> Option<Affine> {
        let ratio = match self.free_ratio(a, b) {
            Some(ratio) => ratio,
            // Of counters it is known whether they are positive.
            None if self.may_sum() && bounds.is_nonnegative(&b.plus(-1)?) => self.quotients.ratio_of(a, b)?,
            None => return None,
        };
        if op == BinaryOp::Div { Some(ratio) } else { a.sub(&self.product(b, &ratio)?) }
    }

    /// `x < min(a, b)` is `x < a && x < b`: one condition instead of two cases.
    pub(crate) fn compared_with_minimum(
        &mut self,
        op: BinaryOp,
        a: &Symbolic,
        b: &Symbolic,
        bounds: &Bounds,
    ) -> Option<Formula> {
        if !self.may_sum() {
            return None;
        }
        let (op, Symbolic::Int(x), Symbolic::Cases(cases)) = (match (op, a, b) {
            (BinaryOp::Lt | BinaryOp::Le, x, cases) => (op, x, cases),
            (BinaryOp::Gt, cases, x) => (BinaryOp::Lt, x, cases),
            (BinaryOp::Ge, cases, x) => (BinaryOp::Le, x, cases),
            _ => return None,
        }) else {
            return None;
        };
        let [(first, p), (second, q)] = &cases[..] else { return None };
        if !p.symbols().chain(q.symbols()).any(|symbol| self.quotients.is_tiled(symbol)) {
            return None;
        }
        let least = self.is_where_less(first, p, q, bounds)? && self.is_where_less(second, q, p, bounds)?;
        if !least {
            return None;
        }
        self.compare(op, x, p, bounds)?.and(&self.compare(op, x, q, bounds)?)
    }

    /// The guard says that the value is less than the other one, or not greater.
    fn is_where_less(&mut self, guard: &Conjunction, value: &Affine, other: &Affine, bounds: &Bounds) -> Option<bool> {
        let own = Formula { pieces: vec![guard.clone()] };
        Some(
            self.compare(BinaryOp::Lt, value, other, bounds)? == own
                || self.compare(BinaryOp::Le, value, other, bounds)? == own,
        )
    }
}

impl Quotients {
    /// An expression that is not negative where the given one is not: it bounds a counter by a ratio.
    /// `rest >= by * counter` holds for counters below `ceil((rest + 1) / by)`.
    pub(crate) fn bounded_by_ratio(&self, affine: &Affine, bounds: &Bounds) -> Option<Affine> {
        let Stepped { counter, by, rest, falling } = self.stepped(affine, bounds)?;
        let counter = Affine::symbol(counter);
        if falling {
            return self.free_ratio(&rest.add(&by)?, &by)?.plus(-1)?.sub(&counter);
        }
        // by * counter - rest >= 0, where rest - 1 - by * counter is negative.
        counter.sub(&self.free_ratio(&rest.plus(-1)?.add(&by)?, &by)?)
    }

    fn stepped(&self, affine: &Affine, bounds: &Bounds) -> Option<Stepped> {
        let (counter, _) = affine.symbols().find_map(|symbol| self.tiled(symbol))?;
        let mut by = Affine::default();
        let mut rest = Affine::constant(affine.constant);
        for &(symbol, coefficient) in &affine.terms {
            match self.tiled(symbol) {
                Some((own, factors)) if own == counter => {
                    by = by.add(&self.product_of(&factors).scale(coefficient)?)?;
                }
                None if symbol == counter => by = by.plus(coefficient)?,
                None if self.is_free(symbol) => rest = rest.add(&Affine::symbol(symbol).scale(coefficient)?)?,
                _ => return None,
            }
        }
        let back = by.negate()?;
        let positive = |affine: &Affine| affine.plus(-1).is_some_and(|below| bounds.is_nonnegative(&below));
        if positive(&back) {
            return Some(Stepped { counter, by: back, rest, falling: true });
        }
        positive(&by).then_some(Stepped { counter, by, rest: rest.negate()?, falling: false })
    }

    /// What is said of ratios, of what they are made of; their divisors are positive.
    ///
    /// # Errors
    /// `Overflow`.
    pub(crate) fn ratio_conditions_expanded(&self, value: &QuasiPolynomial) -> Result<QuasiPolynomial, QuasiError> {
        let said = value.with_conditions(&|condition| self.ratio_condition_expanded(condition))?;
        said.where_known(&|mentioned| {
            let sources = mentioned.iter().flat_map(|symbol| self.sources(Symbol(symbol.0)));
            let (told, known) = self.ratio_facts(&sources.collect());
            Facts { told: told.into_iter().collect(), known: known.into_iter().collect() }
        })
    }

    /// The condition that a ratio is at least, or at most, a number, said by its dividend and divisor. Where the
    /// ratio stands times its divisor, it is compared with as many divisors.
    pub(crate) fn ratio_condition_expanded(&self, condition: &Affine) -> Option<Affine> {
        if let &[(symbol, sign @ (1 | -1))] = &condition.terms[..]
            && let Some(Derived::Function(function, argument)) = self.free.get(symbol).as_deref()
        {
            return function.bounded(argument, sign, condition.constant);
        }
        if let &[(symbol, sign @ (1 | -1))] = &condition.terms[..]
            && let Some((dividend, modulus)) = self.get(symbol)
        {
            return Self::bounded(dividend, &Affine::constant(*modulus), sign, condition.constant);
        }
        let ratio = condition
            .symbols()
            .flat_map(|symbol| self.sources(symbol))
            .find(|&source| matches!(self.free.get(source).as_deref(), Some(Derived::Ratio(..))))?;
        let derived = self.free.get(ratio)?;
        let Derived::Ratio(dividend, divisor) = derived.as_ref() else { return None };
        let times = condition.coefficient(ratio);
        if times.abs() == 1 && condition.terms.len() == 1 {
            return Self::bounded(dividend, divisor, times, condition.constant);
        }
        let product = self.times(&Affine::symbol(ratio), divisor)?;
        let &(symbol, factor) = product.terms.first()?;
        let sign = condition.coefficient(symbol).checked_div(factor).filter(|sign| sign.abs() == 1)?;
        // ratio * divisor + divisors * divisor, and 0 or -1
        let rest = condition.sub(&product.scale(sign)?)?;
        let &(leading, per) = divisor.terms.first()?;
        let divisors = rest.coefficient(leading).checked_div(per)?;
        match rest.sub(&divisor.scale(divisors)?)?.as_constant()? {
            0 => Self::bounded(dividend, divisor, sign, divisors),
            -1 => Self::bounded(dividend, divisor, sign, divisors.checked_sub(1)?),
            _ => None,
        }
    }

    /// `sign * floor(dividend / divisor) + constant >= 0`
    fn bounded(dividend: &Affine, divisor: &Affine, sign: i128, constant: i128) -> Option<Affine> {
        let whole = divisor.scale(constant)?;
        if sign > 0 { dividend.add(&whole) } else { whole.add(divisor)?.sub(dividend)?.plus(-1) }
    }

    /// The product of free symbols.
    pub(crate) fn product_of(&self, factors: &[Symbol]) -> Affine {
        match factors {
            [] => Affine::constant(1),
            [only] => Affine::symbol(*only),
            _ => Affine::symbol(self.free.find_or_define(Derived::Product(factors.to_vec()))),
        }
    }

    /// The product of free expressions.
    pub fn times(&self, a: &Affine, b: &Affine) -> Option<Affine> {
        let mut sum = b.scale(a.constant)?;
        for &(x, p) in &a.terms {
            sum = sum.add(&Affine::symbol(x).scale(p.checked_mul(b.constant)?)?)?;
            for &(y, q) in &b.terms {
                let flat = |symbol: Symbol| match self.free.get(symbol).as_deref() {
                    Some(Derived::Product(factors)) => factors.clone(),
                    _ => vec![symbol],
                };
                let mut factors = [flat(x), flat(y)].concat();
                factors.sort_unstable();
                sum = sum.add(&self.product_of(&factors).scale(p.checked_mul(q)?)?)?;
            }
        }
        Some(sum)
    }

    /// `floor(dividend / divisor)` of free expressions, the divisor positive: what differs by whole divisors alone is
    /// one symbol and a number.
    fn free_ratio(&self, dividend: &Affine, divisor: &Affine) -> Option<Affine> {
        let free = dividend.symbols().chain(divisor.symbols()).all(|symbol| self.is_free(symbol));
        if free { self.ratio_of(dividend, divisor) } else { None }
    }

    /// The same of any expressions.
    pub(crate) fn ratio_of(&self, dividend: &Affine, divisor: &Affine) -> Option<Affine> {
        let &(leading, per) = divisor.terms.first()?;
        let whole = dividend.coefficient(leading).div_euclid(per);
        let rest = dividend.sub(&divisor.scale(whole)?)?;
        // A rest of -1 and less reads better rounded up.
        let (rest, up) = if rest.constant < 0 { (rest.add(divisor)?, 1) } else { (rest, 0) };
        let ratio = self.free.find_or_define(Derived::Ratio(rest, divisor.clone()));
        Affine::symbol(ratio).plus(whole.checked_sub(up)?)
    }

    /// Expressions that are not negative: of the divisors of ratios, which are positive; of their remainders, and of
    /// the differences of ratios of nearby dividends.
    pub(crate) fn ratio_facts(&self, symbols: &BTreeSet<Symbol>) -> (Vec<Affine>, Vec<Affine>) {
        let ratio = |&symbol: &Symbol| match self.free.get(symbol)?.as_ref() {
            Derived::Ratio(dividend, divisor) => {
                Some(Ratio { symbol, dividend: dividend.clone(), divisor: divisor.clone() })
            }
            _ => None,
        };
        let ratios: Vec<Ratio> = symbols.iter().filter_map(ratio).collect();
        let positive = ratios.iter().filter_map(|ratio| ratio.divisor.plus(-1)).collect();
        let mut known = Vec::new();
        for (at, ratio) in ratios.iter().enumerate() {
            known.extend(self.remainder_of(ratio).into_iter().flatten());
            known.extend(ratios[at + 1..].iter().filter_map(|other| ratio.compared(other)).flatten());
        }
        (positive, known)
    }

    fn remainder_of(&self, ratio: &Ratio) -> Option<[Affine; 2]> {
        let rest = ratio.dividend.sub(&self.times(&Affine::symbol(ratio.symbol), &ratio.divisor)?)?;
        let room = ratio.divisor.plus(-1)?.sub(&rest)?;
        Some([rest, room])
    }
}

/// `floor(dividend / divisor)`
struct Ratio {
    symbol: Symbol,
    dividend: Affine,
    divisor: Affine,
}

impl Ratio {
    /// Where the dividends differ by whole divisors and a number c, the ratios differ by as many, and c at most.
    fn compared(&self, other: &Self) -> Option<[Affine; 2]> {
        if self.divisor != other.divisor {
            return None;
        }
        let more = self.dividend.sub(&other.dividend)?;
        let &(leading, per) = self.divisor.terms.first()?;
        let whole = more.coefficient(leading).checked_div(per)?;
        let rest = more.sub(&self.divisor.scale(whole)?)?.as_constant()?;
        let apart = Affine::symbol(self.symbol).sub(&Affine::symbol(other.symbol))?.plus(-whole)?;
        Some([apart.plus(-rest.min(0))?, apart.negate()?.plus(rest.max(0))?])
    }
}

impl Symbols {
    /// At least 1, as the bounds and powers say.
    pub(crate) fn is_positive(&self, affine: &Affine, bounds: &Bounds) -> bool {
        let power = |symbol| match self.quotients.free.get(symbol).as_deref() {
            Some(Derived::Function(IntegerFunction::Power(_), _)) => Some(1),
            _ => None,
        };
        let least = affine.terms.iter().try_fold(affine.constant, |sum, &(symbol, coefficient)| {
            let (low, high) = bounds.interval(symbol);
            let extreme = if coefficient > 0 { low.or(power(symbol)) } else { high };
            sum.checked_add(extreme?.checked_mul(coefficient)?)
        });
        least.is_some_and(|least| least >= 1)
    }

    /// `floor(dividend / divisor)`, of a divisor that is positive; `None` where something is left free.
    pub fn ratio(&mut self, dividend: &Affine, divisor: &Affine) -> Option<Affine> {
        if let Some(divisor) = divisor.as_constant() {
            return (divisor > 0).then(|| self.quotient(dividend, divisor));
        }
        if self.quotients.free.is_empty() {
            return Some(self.derived(Derived::Ratio(dividend.clone(), divisor.clone())));
        }
        if self.may_sum() { self.quotients.ratio_of(dividend, divisor) } else { None }
    }
}
