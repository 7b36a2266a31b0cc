//! Sums over counters that are no quasi-polynomials: `for (j = i; j <= n; j += i)` runs `floor(n / i)` times, and a
//! loop around it as often as the sum of these.
//!
//! Counters that stand in a product, a ratio or a logarithm become indices of sums, outermost first; the others are
//! counted for each value of an index. A sum is a symbol of its own. Sums of products alone have a closed form.

use super::cardinality::with_quotients;
use super::{TooComplex, coupled, tiles};
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::{Derived, IntegerFunction, Sum};
use crate::expressions::formula::{Conjunction, Constraint};
use crate::expressions::quotients::Quotients;
use chronos_math::quasi::{self, QuasiPolynomial};
use num_bigint::BigInt;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Sums within sums.
const MAX_LEVEL: u32 = 4;

/// The sums around.
#[derive(Clone, Debug, Default)]
pub struct Level {
    sums: u32,
    /// Expressions that are not negative where their indices are within their bounds.
    known: Vec<Affine>,
}

/// Number of values of the symbols that fulfil constraints which mention more than counting can deal with.
pub fn points_by_sums(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
    level: &Level,
) -> Result<QuasiPolynomial, TooComplex> {
    if level.sums >= MAX_LEVEL {
        return Err(TooComplex);
    }
    let mentioned = constraints.iter().flat_map(|c| c.affine().symbols());
    let hard: BTreeSet<Symbol> = mentioned.filter(|&symbol| !quotients.is_countable(symbol)).collect();
    if let Some(closed) = of_products(symbols, constraints, quotients, &hard) {
        return Ok(closed);
    }
    let sources: BTreeSet<Symbol> = hard.iter().flat_map(|&symbol| quotients.sources(symbol)).collect();
    let counter = symbols.iter().copied().find(|symbol| sources.contains(symbol)).ok_or(TooComplex)?;
    let sum = over(counter, symbols, constraints, quotients, level).ok_or(TooComplex)??;
    if sum.body == QuasiPolynomial::zero() {
        return Ok(QuasiPolynomial::zero());
    }
    let symbol = quotients.free.find_or_define(Derived::Sum(Arc::new(sum)));
    let polynomial = quasi::Polynomial::product(&[quasi::Symbol(symbol.0)]);
    Ok(QuasiPolynomial::from(polynomial))
}

/// The sum over one counter; `None` where it cannot be an index.
fn over(
    counter: Symbol,
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
    level: &Level,
) -> Option<Result<Sum, TooComplex>> {
    let index = quotients.free.find_or_define(Derived::Index(level.sums));
    let value = Affine::symbol(index).plus(-offset(counter, constraints, quotients))?;
    let replaced = |constraint: &Constraint| {
        let affine = quotients.replaced(constraint.affine(), counter, &value)?;
        Some(match constraint {
            Constraint::Nonnegative(_) => Constraint::Nonnegative(affine),
            Constraint::Zero(_) => Constraint::Zero(affine),
            &Constraint::Residue { modulus, low, high, .. } => Constraint::Residue { affine, modulus, low, high },
        })
    };
    let constraints: Conjunction = constraints.iter().map(replaced).collect::<Option<_>>()?;
    let (low, high) = bounds_of(index, &constraints, quotients)?;
    let others: Vec<Symbol> = symbols.iter().copied().filter(|&symbol| symbol != counter).collect();
    let mut known = level.known.clone();
    known.extend(known_within(index, &low, &high, quotients));
    let inner = Level { sums: level.sums + 1, known };
    let body = match points(&others, &constraints, quotients, &inner) {
        Ok(body) => body,
        Err(error) => return Some(Err(error)),
    };
    let body = simplified(body, &inner.known, quotients);
    Some(Ok(Sum { index, low, high, body }))
}

/// What is added to the counter where it stands in a ratio or a function: the index counts with it.
fn offset(counter: Symbol, constraints: &Conjunction, quotients: &Quotients) -> i128 {
    let shift = |affine: &Affine| (affine.terms == [(counter, 1)]).then_some(affine.constant);
    let of_symbol = |symbol: Symbol| match quotients.free.get(symbol)?.as_ref() {
        Derived::Ratio(_, divisor) => shift(divisor),
        Derived::Function(_, argument) => shift(argument),
        _ => None,
    };
    let mentioned = constraints.iter().flat_map(|c| c.affine().symbols());
    mentioned.flat_map(|symbol| quotients.sources(symbol)).find_map(of_symbol).unwrap_or(0)
}

/// What the index is at least, and at most, by constraints on it alone.
fn bounds_of(index: Symbol, constraints: &Conjunction, quotients: &Quotients) -> Option<(Vec<Affine>, Vec<Affine>)> {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for constraint in constraints {
        let Constraint::Nonnegative(affine) = constraint else { continue };
        let rest = affine.substitute(index, &Affine::default())?;
        let apart = |symbol| quotients.is_free(symbol) && !quotients.sources(symbol).contains(&index);
        if !rest.symbols().all(apart) {
            continue;
        }
        let bounds = match affine.coefficient(index) {
            1 => &mut low,
            -1 => &mut high,
            _ => continue,
        };
        let bound = if affine.coefficient(index) == 1 { rest.negate()? } else { rest };
        if !bounds.contains(&bound) {
            bounds.push(bound);
        }
    }
    tightest(&mut low, 1);
    tightest(&mut high, -1);
    (!low.is_empty() && !high.is_empty()).then_some((low, high))
}

/// Without bounds that others imply by their constants alone.
fn tightest(bounds: &mut Vec<Affine>, sign: i128) {
    let all = bounds.clone();
    let implied = |bound: &Affine| {
        all.iter().any(|other| other.terms == bound.terms && (other.constant - bound.constant) * sign > 0)
    };
    bounds.retain(|bound| !implied(bound));
}

/// Expressions that are not negative where the index is within its bounds.
fn known_within(index: Symbol, low: &[Affine], high: &[Affine], quotients: &Quotients) -> Vec<Affine> {
    let counter = Affine::symbol(index);
    let from = low.iter().filter_map(|bound| counter.sub(bound));
    let to = high.iter().filter_map(|bound| bound.sub(&counter));
    let some = high.iter().flat_map(|high| low.iter().filter_map(|low| high.sub(low)));
    let some: Vec<Affine> =
        some.flat_map(|room| [quotients.ratio_condition_expanded(&room), Some(room)]).flatten().collect();
    let powers = high.iter().flat_map(|bound| quotients.power_within(index, bound));
    from.chain(to).chain(some).chain(powers).collect()
}

/// The body where the expressions are not negative.
fn simplified(body: QuasiPolynomial, known: &[Affine], quotients: &Quotients) -> QuasiPolynomial {
    let within: Vec<quasi::Affine> = known.to_vec();
    let body = body.expanded(&|symbol| quotients.factors_of(symbol));
    let body = quotients.ratio_conditions_expanded(&body).unwrap_or(body);
    let known = body.where_known(&|mentioned| {
        let sources = mentioned.iter().flat_map(|symbol| quotients.sources(Symbol(symbol.0))).collect();
        let (positive, known) = quotients.ratio_facts(&sources);
        let known = positive.iter().chain(&known).chain(&within).cloned();
        quasi::Facts { known: known.collect(), told: Vec::new() }
    });
    let body = known.unwrap_or(body);
    body.clone().simplified(&quasi::Limits::default()).unwrap_or(body)
}

/// Where the hard symbols are products of counters and free symbols, and each of them bounds what is counted within:
/// the counts of the inner counters are polynomials of the products, which are summed as polynomials of the others.
fn of_products(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
    hard: &BTreeSet<Symbol>,
) -> Option<QuasiPolynomial> {
    let mut factors = BTreeSet::new();
    for &symbol in hard {
        let derived = quotients.free.get(symbol)?;
        let Derived::Product(of) = derived.as_ref() else { return None };
        factors.extend(of.iter().copied().filter(|factor| symbols.contains(factor)));
    }
    let (outer, inner): (Vec<Symbol>, Vec<Symbol>) = symbols.iter().partition(|symbol| factors.contains(symbol));
    let bounds = Bounds::of(constraints)?;
    let natural = |symbol: &Symbol| bounds.interval(*symbol).0.is_some_and(|least| least >= 0);
    let (of_outer, rest): (Conjunction, Conjunction) = constraints.iter().cloned().partition(|constraint| {
        let mut mentioned = constraint.affine().symbols();
        mentioned.all(|symbol| outer.contains(&symbol) || quotients.is_free(symbol))
    });
    let depends = |c: &Constraint| {
        c.affine().symbols().any(|symbol| quotients.get(symbol).is_some() && !quotients.is_free(symbol))
    };
    if inner.is_empty() || constraints.iter().any(depends) || !factors.iter().all(natural) {
        return None;
    }
    let within = coupled::expression(&inner, &rest, quotients).ok()?;
    let products: Vec<quasi::Symbol> = hard.iter().map(|symbol| quasi::Symbol(symbol.0)).collect();
    let within = within.where_they_vanish(&products)?;
    let summand = within.expanded(&|symbol| quotients.factors_of(symbol));
    let mut steps = u32::MAX;
    coupled::sum(&outer, &of_outer, quotients, &summand, &[], &mut steps).ok()
}

impl Quotients {
    /// The product that a symbol stands for, as a polynomial.
    pub(crate) fn factors_of(&self, symbol: quasi::Symbol) -> Option<quasi::Polynomial> {
        match self.free.get(Symbol(symbol.0))?.as_ref() {
            Derived::Product(factors) => {
                let names: Vec<quasi::Symbol> = factors.iter().map(|factor| quasi::Symbol(factor.0)).collect();
                Some(quasi::Polynomial::product(&names))
            }
            _ => None,
        }
    }

    /// `base^index <= x` where the index is at most `floor(log(x))`, and half of it is less where that is
    /// `ceil(log(x)) - 1`; a power is positive.
    fn power_within(&self, index: Symbol, bound: &Affine) -> Vec<Affine> {
        let Some(&(symbol, 1)) = bound.terms.first().filter(|_| bound.terms.len() == 1) else { return Vec::new() };
        let derived = self.free.get(symbol);
        let Some(Derived::Function(function, argument)) = derived.as_deref() else { return Vec::new() };
        let (base, room) = match (function, bound.constant) {
            (IntegerFunction::FloorLog(base), 0) => (*base, argument.clone()),
            (IntegerFunction::CeilLog(base), -1) => match argument.plus(-1) {
                Some(room) => (*base, room),
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let power = Derived::Function(IntegerFunction::Power(base), Affine::symbol(index));
        let power = Affine::symbol(self.free.find_or_define(power));
        [room.sub(&power), power.plus(-1)].into_iter().flatten().collect()
    }

    /// The expression with a counter replaced, in what is derived from it too; `None` where that is not known.
    fn replaced(&self, affine: &Affine, counter: Symbol, by: &Affine) -> Option<Affine> {
        let mut sum = Affine::constant(affine.constant);
        for &(symbol, coefficient) in &affine.terms {
            sum = sum.add(&self.replaced_symbol(symbol, counter, by)?.scale(coefficient)?)?;
        }
        Some(sum)
    }

    fn replaced_symbol(&self, symbol: Symbol, counter: Symbol, by: &Affine) -> Option<Affine> {
        if symbol == counter {
            return Some(by.clone());
        }
        if !self.sources(symbol).contains(&counter) {
            return Some(Affine::symbol(symbol));
        }
        match self.free.get(symbol)?.as_ref() {
            Derived::Product(factors) => factors.iter().try_fold(Affine::constant(1), |product, &factor| {
                self.times(&product, &self.replaced_symbol(factor, counter, by)?)
            }),
            Derived::Function(function, argument) => {
                let argument = self.replaced(argument, counter, by)?;
                Some(Affine::symbol(self.free.find_or_define(Derived::Function(*function, argument))))
            }
            Derived::Ratio(dividend, divisor) => {
                let (dividend, divisor) = (self.replaced(dividend, counter, by)?, self.replaced(divisor, counter, by)?);
                self.ratio_of(&dividend, &divisor)
            }
            Derived::Index(_) | Derived::Sum(_) | Derived::Reciprocal(_) => None,
        }
    }
}

/// As [`super::cardinality::count`], as an expression of the free symbols; `None` where no constraint mentions one.
pub fn expression(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
) -> Result<Option<QuasiPolynomial>, TooComplex> {
    if quotients.free.is_empty() {
        return Ok(None);
    }
    let mut mentioned = constraints.iter().flat_map(|c| c.affine().symbols());
    if !mentioned.any(|symbol| quotients.depends_on_free(symbol)) {
        return Ok(None);
    }
    points(symbols, constraints, quotients, &Level::default()).map(Some)
}

/// The same, within sums.
pub fn points(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
    level: &Level,
) -> Result<QuasiPolynomial, TooComplex> {
    let mut sum = QuasiPolynomial::zero();
    for part in tiles::joined(symbols, constraints, quotients) {
        let points = part_points(&part.symbols, &part.constraints, quotients, level)?;
        sum = sum.add(&points.scale(&BigInt::from(part.sign)));
    }
    Ok(sum)
}

fn part_points(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
    level: &Level,
) -> Result<QuasiPolynomial, TooComplex> {
    let given = (symbols, constraints);
    let (symbols, constraints) = with_quotients(symbols, constraints, quotients);
    if constraints.iter().any(|c| c.truth() == Some(false)) || Bounds::of(&constraints).is_none() {
        return Ok(QuasiPolynomial::zero());
    }
    if constraints.iter().flat_map(|c| c.affine().symbols()).any(|symbol| !quotients.is_countable(symbol)) {
        return points_by_sums(given.0, given.1, quotients, level);
    }
    coupled::expression(&symbols, &constraints, quotients)
}
