//! Products of symbols, where a whole program is executed: integers that are not affine.

use super::affine::{Affine, Symbol};
use super::arithmetic::Symbols;
use super::derived::Derived;

/// Factors of a product.
const MAX_DEGREE: usize = 8;
/// Terms of an expanded product.
const MAX_TERMS: usize = 64;

impl Symbols {
    /// The product as an expression of products of symbols; `None` where products are not followed.
    pub fn product(&mut self, a: &Affine, b: &Affine) -> Option<Affine> {
        if self.quotients.free.is_empty() || a.terms.len() * b.terms.len() > MAX_TERMS {
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

    /// The symbol that stands for a product of symbols.
    fn monomial(&mut self, of: &[Symbol]) -> Option<Symbol> {
        let flat = |&symbol: &Symbol| match self.quotients.free.get(symbol) {
            Some(Derived::Product(factors)) => factors.clone(),
            _ => vec![symbol],
        };
        let mut factors: Vec<Symbol> = of.iter().flat_map(flat).collect();
        factors.sort_unstable();
        if factors.len() > MAX_DEGREE {
            return None;
        }
        let derived = Derived::Product(factors);
        Some(self.quotients.free.find(&derived).unwrap_or_else(|| {
            let symbol = self.fresh();
            self.quotients.free.define(symbol, derived);
            symbol
        }))
    }

    /// A product with `symbol` replaced in its factors; `None` for what is no product of it.
    pub fn substitute_product(&mut self, product: Symbol, symbol: Symbol, by: &Affine) -> Option<Option<Affine>> {
        let Some(Derived::Product(factors)) = self.quotients.free.get(product).cloned() else { return Some(None) };
        if !self.depends(product, symbol) {
            return Some(None);
        }
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
