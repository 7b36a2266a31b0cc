//! Products of symbols, where a whole program is executed: integers that are not affine.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::Derived;
use crate::expressions::symbolic::limits;
use crate::expressions::symbols::Symbols;
use chronos_ir::ScalarType;
use chronos_math::quasi;

/// Factors of a product.
const MAX_DEGREE: usize = 8;
/// Terms of an expanded product.
const MAX_TERMS: usize = 64;

impl Symbols {
    /// The product as an expression of products of symbols; `None` where products are not followed.
    pub fn product(&mut self, a: &Affine, b: &Affine) -> Option<Affine> {
        if a.terms.len() * b.terms.len() > MAX_TERMS {
            return None;
        }
        let mut sum = Affine::constant(a.constant.checked_mul(b.constant)?);
        sum = sum.add(&Affine { constant: 0, terms: a.terms.clone() }.scale(b.constant)?)?;
        sum = sum.add(&Affine { constant: 0, terms: b.terms.clone() }.scale(a.constant)?)?;
        for &(x, p) in &a.terms {
            for &(y, q) in &b.terms {
                let both = self.monomial(&[x, y])?;
                sum = sum.add(&Affine::symbol(both).scale(p.checked_mul(q)?)?)?;
            }
        }
        Some(sum)
    }

    /// A product that its type surely holds; where something is left free, nothing is known of that.
    pub(crate) fn product_within(&mut self, a: &Affine, b: &Affine, ty: ScalarType, bounds: &Bounds) -> Option<Affine> {
        if self.quotients.free.is_empty() {
            let extremes = |affine: &Affine| {
                let (low, high) = bounds.range(affine);
                Some([low?, high?])
            };
            let (low, high) = limits(ty);
            for (x, y) in extremes(a)?.into_iter().flat_map(|x| extremes(b).into_iter().flatten().map(move |y| (x, y)))
            {
                x.checked_mul(y).filter(|product| (low..=high).contains(product))?;
            }
        }
        self.product(a, b)
    }

    /// The symbol that stands for a product of symbols.
    fn monomial(&mut self, of: &[Symbol]) -> Option<Symbol> {
        let flat = |&symbol: &Symbol| match self.quotients.free.get(symbol).as_deref() {
            Some(Derived::Product(factors)) => factors.clone(),
            _ => vec![symbol],
        };
        let mut factors: Vec<Symbol> = of.iter().flat_map(flat).collect();
        factors.sort_unstable();
        if factors.len() > MAX_DEGREE {
            return None;
        }
        Some(self.derived_symbol(Derived::Product(factors)))
    }

    /// The symbol that stands for something derived.
    fn derived_symbol(&mut self, derived: Derived) -> Symbol {
        self.quotients.free.find(&derived).unwrap_or_else(|| {
            let symbol = self.fresh();
            self.quotients.free.define(symbol, derived);
            symbol
        })
    }

    pub fn derived(&mut self, derived: Derived) -> Affine {
        Affine::symbol(self.derived_symbol(derived))
    }

    /// Something derived with `symbol` replaced in it; `Some(None)` for what does not depend on it.
    pub(crate) fn substitute_derived(
        &mut self,
        derived: Symbol,
        symbol: Symbol,
        by: &Affine,
    ) -> Option<Option<Affine>> {
        if self.quotients.free.get(derived).is_none() || !self.depends(derived, symbol) {
            return Some(None);
        }
        let factors = match self.quotients.free.get(derived)?.as_ref().clone() {
            Derived::Product(factors) => factors,
            Derived::Function(function, argument) => {
                let argument = self.substitute(&argument, symbol, by)?;
                return self.function(function, &argument).map(Some);
            }
            Derived::Ratio(dividend, divisor) => {
                let (dividend, divisor) =
                    (self.substitute(&dividend, symbol, by)?, self.substitute(&divisor, symbol, by)?);
                return self.ratio(&dividend, &divisor).map(Some);
            }
            Derived::Index(_) | Derived::Sum(_) | Derived::Reciprocal(_) => return Some(None),
        };
        let mut result = Affine::constant(1);
        for factor in factors {
            let replaced = self.substitute(&Affine::symbol(factor), symbol, by)?;
            result = match (result.as_constant(), replaced.as_constant()) {
                (Some(n), _) => replaced.scale(n)?,
                (_, Some(n)) => result.scale(n)?,
                _ => self.product(&result, &replaced)?,
            };
        }
        Some(Some(result))
    }
}

impl Symbols {
    /// The polynomial that a symbol stands for, where it is a product.
    pub(crate) fn product_polynomial(&self, symbol: quasi::Symbol) -> Option<quasi::Polynomial> {
        match self.quotients.free.get(Symbol(symbol.0))?.as_ref() {
            Derived::Product(factors) => {
                let factors: Vec<quasi::Symbol> = factors.iter().map(|factor| quasi::Symbol(factor.0)).collect();
                Some(quasi::Polynomial::product(&factors))
            }
            _ => None,
        }
    }
}
