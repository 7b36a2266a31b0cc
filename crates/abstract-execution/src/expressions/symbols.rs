//! The symbols of an execution: fresh ones, quotients, and conditions on expressions of them.

use super::affine::{Affine, Symbol};
use super::formula::{Constraint, Formula};
use super::quotients::Quotients;
use super::symbolic::Symbolic;
use chronos_ir::ScalarType;

/// The symbols in use.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    next: u32,
    pub quotients: Quotients,
    /// Values are to be in the range of their types for all arguments of a function, or to be promised so.
    pub promises: Option<Vec<Promise>>,
}

impl Symbols {
    pub fn fresh(&mut self) -> Symbol {
        self.next += 1;
        Symbol(self.next - 1)
    }

    /// Nothing ranges over these symbols: counts are expressions of them.
    pub(crate) fn make_free(&mut self, symbols: &[Symbol]) {
        symbols.iter().for_each(|&symbol| self.quotients.free.insert_free(symbol));
    }

    /// `floor(affine / modulus)`
    pub fn quotient(&mut self, affine: &Affine, modulus: i128) -> Affine {
        if let Some(constant) = affine.as_constant() {
            return Affine::constant(constant.div_euclid(modulus));
        }
        if modulus == 1 {
            return affine.clone();
        }
        if let Some(divided) = exactly_divided(affine, modulus) {
            return divided;
        }
        if let Some((dividend, whole)) = self.of_quotient(affine, modulus) {
            return self.quotient(&dividend, whole);
        }
        let symbol = self.quotients.find(affine, modulus).unwrap_or_else(|| {
            let symbol = self.fresh();
            self.quotients.define(symbol, affine.clone(), modulus);
            symbol
        });
        Affine::symbol(symbol)
    }

    /// `floor((floor(a / n) + rest) / modulus)` is `floor((a + n rest) / (n modulus))`: its dividend and modulus.
    fn of_quotient(&self, affine: &Affine, modulus: i128) -> Option<(Affine, i128)> {
        let (base, inner, 1) = self.one_quotient(affine)? else { return None };
        Some((base, inner.checked_mul(modulus)?))
    }

    /// An expression with one quotient `floor(a / n)` whose coefficient is 1 or -1: `sign * a + n * rest`, n, sign.
    fn one_quotient(&self, affine: &Affine) -> Option<(Affine, i128, i128)> {
        let mut quotients = affine.symbols().filter_map(|s| Some((s, self.quotients.get(s)?)));
        let (symbol, (base, modulus)) = quotients.next()?;
        let sign = affine.coefficient(symbol);
        if quotients.next().is_some() || sign.abs() != 1 {
            return None;
        }
        let rest = affine.substitute(symbol, &Affine::default())?.scale(*modulus)?;
        Some((base.scale(sign)?.add(&rest)?, *modulus, sign))
    }
}

/// `floor(affine / modulus)` where the modulus divides all coefficients.
fn exactly_divided(affine: &Affine, modulus: i128) -> Option<Affine> {
    let divisible = affine.terms.iter().all(|(_, coefficient)| coefficient % modulus == 0);
    let terms = affine.terms.iter().map(|&(symbol, coefficient)| (symbol, coefficient / modulus)).collect();
    divisible.then(|| Affine { constant: affine.constant.div_euclid(modulus), terms })
}

impl Symbols {
    /// With `symbol` replaced, in the quotients that depend on it too.
    pub fn substitute(&mut self, affine: &Affine, symbol: Symbol, by: &Affine) -> Option<Affine> {
        let mut result = affine.substitute(symbol, by)?;
        for quotient in affine.symbols().filter(|&s| s != symbol).collect::<Vec<_>>() {
            if let Some(replaced) = self.substitute_derived(quotient, symbol, by)? {
                result = result.substitute(quotient, &replaced)?;
                continue;
            }
            let Some((inner, modulus)) = self.quotients.get(quotient).cloned() else { continue };
            let replaced = self.substitute(&inner, symbol, by)?;
            if replaced != inner {
                let fresh = self.quotient(&replaced, modulus);
                result = result.substitute(quotient, &fresh)?;
            }
        }
        Some(result)
    }

    pub(crate) fn substitute_formula(&mut self, formula: &Formula, symbol: Symbol, by: &Affine) -> Option<Formula> {
        let mut result = formula.substitute(symbol, by)?;
        let derived = |&s: &Symbol| self.quotients.get(s).is_some() || self.quotients.free.get(s).is_some();
        let quotients: Vec<Symbol> = result.symbols().filter(derived).collect();
        for quotient in quotients {
            let replaced = self.substitute(&Affine::symbol(quotient), symbol, by)?;
            result = result.substitute(quotient, &replaced)?;
        }
        Some(result)
    }

    pub(crate) fn substitute_value(&mut self, value: &Symbolic, symbol: Symbol, by: &Affine) -> Option<Symbolic> {
        match value {
            Symbolic::Int(affine) => Some(Symbolic::Int(self.substitute(affine, symbol, by)?)),
            Symbolic::Pointer(object, offset) => Some(Symbolic::Pointer(*object, self.substitute(offset, symbol, by)?)),
            _ => {
                let replaced = value.substitute(symbol, by)?;
                (!replaced.symbols().iter().any(|&s| self.depends(s, symbol))).then_some(replaced)
            }
        }
    }

    pub fn depends(&self, symbol: Symbol, on: Symbol) -> bool {
        self.quotients.sources(symbol).contains(&on)
    }

    /// `affine >= 0`
    pub fn nonnegative(&self, affine: &Affine) -> Option<Formula> {
        Some(match self.remainder(affine) {
            Some((base, modulus, 1, offset)) => residue(base, modulus, -offset, modulus - 1),
            Some((base, modulus, _, offset)) => residue(base, modulus, 0, offset),
            None => Formula::atom(Constraint::Nonnegative(self.without_quotient(affine))),
        })
    }

    /// An expression that is not negative where the given one is not.
    fn without_quotient(&self, affine: &Affine) -> Affine {
        let plain = |(scaled, modulus, sign): (Affine, i128, i128)| {
            if sign > 0 { Some(scaled) } else { scaled.plus(modulus - 1) }
        };
        self.one_quotient(affine).and_then(plain).unwrap_or_else(|| affine.clone())
    }

    /// `affine == 0`
    pub fn zero(&self, affine: &Affine) -> Option<Formula> {
        Some(match self.remainder(affine) {
            Some((base, modulus, sign, offset)) => residue(base, modulus, -offset * sign, -offset * sign),
            None => match self.one_quotient(affine) {
                Some(_) => self.nonnegative(affine)?.and(&self.nonnegative(&affine.negate()?)?)?,
                None => Formula::atom(Constraint::Zero(affine.clone())),
            },
        })
    }

    /// Recognises `± (base mod modulus) + offset`: base, modulus, sign, offset.
    pub(crate) fn remainder(&self, affine: &Affine) -> Option<(Affine, i128, i128, i128)> {
        let candidates = affine.symbols().filter_map(|s| Some((s, self.quotients.get(s)?)));
        for (symbol, (base, modulus)) in candidates {
            let sign = match affine.coefficient(symbol) {
                c if c == -modulus => 1,
                c if c == *modulus => -1,
                _ => continue,
            };
            let remainder = base.sub(&Affine::symbol(symbol).scale(*modulus)?)?;
            let offset = affine.sub(&remainder.scale(sign)?)?.as_constant();
            if let Some(offset) = offset {
                return Some((base.clone(), *modulus, sign, offset));
            }
        }
        None
    }
}

/// `low <= base mod modulus <= high`
fn residue(affine: Affine, modulus: i128, low: i128, high: i128) -> Formula {
    let (low, high) = (low.max(0), high.min(modulus - 1));
    match (low, high) {
        _ if low > high => Formula::never(),
        _ if low == 0 && high == modulus - 1 => Formula::always(),
        _ => Formula::atom(Constraint::Residue { affine, modulus, low, high }),
    }
}

/// The expression is in the range of the type: it is converted from another type, or computed in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    pub affine: Affine,
    pub from: Option<ScalarType>,
    pub ty: ScalarType,
}
