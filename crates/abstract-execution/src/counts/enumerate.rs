//! Number of integer points where constraints are not affine: bounds that are products, ratios or integer
//! functions of counters. All counters but the innermost are gone through, value by value.

use super::TooComplex;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::{Bounds, Interval, div_ceil};
use crate::expressions::derived::Derived;
use crate::expressions::formula::{Conjunction, Constraint};
use crate::expressions::quotients::Quotients;
use chronos_math::linear::LinearForm;
use std::collections::{BTreeMap, BTreeSet};

/// Values gone through in all counts of one summary.
const MAX_VALUES: u64 = 20_000_000;

/// Affine over places in the vector of values.
type Placed = LinearForm<usize>;

enum Defined {
    Quotient(Placed, i128),
    Product(Vec<usize>),
    Function(crate::expressions::derived::IntegerFunction, Placed),
    Ratio(Placed, Placed),
}

enum Condition {
    Nonnegative(Placed),
    Zero(Placed),
    Residue(Placed, i128, i128, i128),
}

/// What is to be done once a counter has a value.
#[derive(Default)]
struct Level {
    place: usize,
    interval: Interval,
    /// Inequalities in the counter, with its coefficient, the rest being known before.
    bounds: Vec<(i128, Placed)>,
    /// Values that follow, in order.
    defined: Vec<(usize, Defined)>,
    filters: Vec<Condition>,
}

struct Enumeration<'a> {
    levels: Vec<Level>,
    values: Vec<i128>,
    quotients: &'a Quotients,
}

/// The constraints mention what is no affine expression of counters.
pub(crate) fn is_needed(constraints: &Conjunction, quotients: &Quotients) -> bool {
    let mut mentioned = constraints.iter().flat_map(|c| c.affine().symbols());
    mentioned.any(|symbol| quotients.sources(symbol).into_iter().any(|s| quotients.free.get(s).is_some()))
}

/// Number of values of the counters, outermost first, that fulfil the constraints.
pub fn count(symbols: &[Symbol], constraints: &Conjunction, quotients: &Quotients) -> Result<u128, TooComplex> {
    let Some(bounds) = Bounds::of(constraints) else { return Ok(0) };
    let mut enumeration = Enumeration::new(symbols, constraints, &bounds, quotients)?;
    enumeration.points(0)
}

/// Symbols have their places in their own order, so that terms stay sorted.
fn placed(affine: &Affine, places: &BTreeMap<Symbol, usize>) -> Result<Placed, TooComplex> {
    let terms = affine.terms.iter().map(|(symbol, c)| Ok((*places.get(symbol).ok_or(TooComplex)?, *c)));
    Ok(Placed { constant: affine.constant, terms: terms.collect::<Result<_, _>>()? })
}

fn value_of(form: &Placed, values: &[i128]) -> Result<i128, TooComplex> {
    form.evaluate(|&place| Some(values[place])).ok_or(TooComplex)
}

impl Defined {
    fn value(&self, values: &[i128]) -> Result<i128, TooComplex> {
        Ok(match self {
            Self::Quotient(affine, modulus) => value_of(affine, values)?.div_euclid(*modulus),
            Self::Product(factors) => {
                let product = factors.iter().try_fold(1_i128, |product, &factor| product.checked_mul(values[factor]));
                product.ok_or(TooComplex)?
            }
            Self::Function(function, argument) => function.value(value_of(argument, values)?),
            Self::Ratio(dividend, divisor) => {
                let divisor = value_of(divisor, values)?;
                if divisor < 1 {
                    return Err(TooComplex);
                }
                value_of(dividend, values)?.div_euclid(divisor)
            }
        })
    }
}

impl Condition {
    fn of(constraint: &Constraint, places: &BTreeMap<Symbol, usize>) -> Result<Self, TooComplex> {
        let form = placed(constraint.affine(), places)?;
        Ok(match constraint {
            Constraint::Nonnegative(_) => Self::Nonnegative(form),
            Constraint::Zero(_) => Self::Zero(form),
            Constraint::Residue { modulus, low, high, .. } => Self::Residue(form, *modulus, *low, *high),
        })
    }

    fn holds(&self, values: &[i128]) -> Result<bool, TooComplex> {
        Ok(match self {
            Self::Nonnegative(affine) => value_of(affine, values)? >= 0,
            Self::Zero(affine) => value_of(affine, values)? == 0,
            Self::Residue(affine, modulus, low, high) => {
                (*low..=*high).contains(&value_of(affine, values)?.rem_euclid(*modulus))
            }
        })
    }
}

impl<'a> Enumeration<'a> {
    fn new(
        symbols: &[Symbol],
        constraints: &Conjunction,
        bounds: &Bounds,
        quotients: &'a Quotients,
    ) -> Result<Self, TooComplex> {
        let is_counter = |symbol: &&Symbol| quotients.get(**symbol).is_none() && quotients.free.get(**symbol).is_none();
        let counters: Vec<Symbol> = symbols.iter().filter(is_counter).copied().collect();
        let mut mentioned: BTreeSet<Symbol> = counters.iter().copied().collect();
        for symbol in constraints.iter().flat_map(|c| c.affine().symbols()) {
            mentioned.extend(quotients.sources(symbol));
        }
        let places: BTreeMap<Symbol, usize> = mentioned.iter().enumerate().map(|(at, &symbol)| (symbol, at)).collect();
        let mut levels: Vec<Level> = Vec::new();
        for symbol in &counters {
            levels.push(Level { place: places[symbol], interval: bounds.interval(*symbol), ..Level::default() });
        }
        // The innermost counter that something depends on.
        let level = |symbol: Symbol| {
            let sources = quotients.sources(symbol);
            let inner = counters.iter().rposition(|counter| sources.contains(counter));
            let known = sources.iter().all(|s| counters.contains(s) || !is_counter(&s));
            inner.filter(|_| known).ok_or(TooComplex)
        };
        let mut derived: Vec<Symbol> = mentioned.iter().filter(|symbol| !is_counter(symbol)).copied().collect();
        derived.sort_by_key(|&symbol| (quotients.sources(symbol).len(), symbol));
        for symbol in derived {
            let defined = defined(symbol, quotients, &places)?;
            levels[level(symbol)?].defined.push((places[&symbol], defined));
        }
        for constraint in constraints {
            let of_each: Vec<usize> = constraint.affine().symbols().map(level).collect::<Result<_, _>>()?;
            let Some(&at) = of_each.iter().max() else { continue };
            let counter = counters[at];
            let direct = of_each.iter().filter(|&&inner| inner == at).count() == 1;
            match constraint {
                Constraint::Nonnegative(affine) if direct && affine.mentions(counter) => {
                    let rest = affine.substitute(counter, &Affine::default()).ok_or(TooComplex)?;
                    levels[at].bounds.push((affine.coefficient(counter), placed(&rest, &places)?));
                }
                _ => levels[at].filters.push(Condition::of(constraint, &places)?),
            }
        }
        Ok(Self { levels, values: vec![0; places.len()], quotients })
    }

    /// Points from a level on, the counters further out having their values.
    fn points(&mut self, at: usize) -> Result<u128, TooComplex> {
        let Some(level) = self.levels.get(at) else { return Ok(1) };
        let (place, (mut low, mut high)) = (level.place, level.interval);
        for (coefficient, rest) in &level.bounds {
            let rest = value_of(rest, &self.values)?;
            if *coefficient > 0 {
                let bound = div_ceil(-rest, *coefficient);
                low = Some(low.map_or(bound, |low| low.max(bound)));
            } else {
                let bound = rest.div_euclid(-coefficient);
                high = Some(high.map_or(bound, |high| high.min(bound)));
            }
        }
        let (Some(low), Some(high)) = (low, high) else { return Err(TooComplex) };
        if low > high {
            return Ok(0);
        }
        if at + 1 == self.levels.len() && level.filters.is_empty() {
            return u128::try_from(high - low + 1).map_err(|_| TooComplex);
        }
        self.spend(high - low + 1)?;
        let mut points = 0_u128;
        for value in low..=high {
            self.values[place] = value;
            if self.follow(at)? {
                points = points.checked_add(self.points(at + 1)?).ok_or(TooComplex)?;
            }
        }
        Ok(points)
    }

    /// Computes what follows from a counter's value; false where the value is none of the points.
    fn follow(&mut self, at: usize) -> Result<bool, TooComplex> {
        for (place, defined) in &self.levels[at].defined {
            self.values[*place] = defined.value(&self.values)?;
        }
        for filter in &self.levels[at].filters {
            if !filter.holds(&self.values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn spend(&self, values: i128) -> Result<(), TooComplex> {
        let spent = u64::try_from(values).ok().and_then(|values| self.quotients.enumerated.get().checked_add(values));
        let spent = spent.filter(|&spent| spent <= MAX_VALUES).ok_or(TooComplex)?;
        self.quotients.enumerated.set(spent);
        Ok(())
    }
}

fn defined(symbol: Symbol, quotients: &Quotients, places: &BTreeMap<Symbol, usize>) -> Result<Defined, TooComplex> {
    if let Some((affine, modulus)) = quotients.get(symbol) {
        return Ok(Defined::Quotient(placed(affine, places)?, *modulus));
    }
    Ok(match quotients.free.get(symbol).ok_or(TooComplex)?.as_ref() {
        Derived::Product(factors) => {
            let place = |factor: &Symbol| places.get(factor).copied().ok_or(TooComplex);
            Defined::Product(factors.iter().map(place).collect::<Result<_, _>>()?)
        }
        Derived::Function(function, argument) => Defined::Function(*function, placed(argument, places)?),
        Derived::Ratio(dividend, divisor) => Defined::Ratio(placed(dividend, places)?, placed(divisor, places)?),
        Derived::Index(_) | Derived::Sum(_) | Derived::Reciprocal(_) => return Err(TooComplex),
    })
}
