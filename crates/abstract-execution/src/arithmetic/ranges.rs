//! Whether a value is in the range of its type: seen from its bounds, or promised by the caller of a function.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::symbolic::{limits, wrap};
use crate::expressions::symbols::{Promise, Symbols};
use chronos_ir::ScalarType;

/// Greatest coefficient of a counter that no feasible number of iterations takes out of 64 bits.
const SMALL: i128 = 1 << 16;

impl Symbols {
    /// The expression as a value of the type. For all arguments at once, what has no bounds is to be promised by
    /// the caller, or is not known.
    pub fn fit(&mut self, affine: Affine, from: Option<ScalarType>, ty: ScalarType, bounds: &Bounds) -> Option<Affine> {
        let fitted = fit(affine, ty, bounds)?;
        if self.promises.is_none() || fitted.as_constant().is_some() {
            return Some(fitted);
        }
        let (low, high) = limits(ty);
        let (least, greatest) = bounds.range(&fitted);
        let own = from.map_or((i128::MIN, i128::MAX), limits);
        let (below, above) = (own.0 < low && least.is_none(), own.1 > high && greatest.is_none());
        let is_free = |term: &(Symbol, i128)| self.quotients.is_free(term.0);
        let (free, counted): (Vec<_>, Vec<_>) = fitted.terms.iter().copied().partition(is_free);
        let signed = from.is_none() && matches!(ty, ScalarType::I32 | ScalarType::I64);
        if (below || above) && counted.is_empty() {
            self.promise(Promise { affine: fitted.clone(), from, ty });
        } else if !signed && (below || above) {
            let small = counted.iter().all(|term| term.1.abs() <= SMALL);
            if below || ty != ScalarType::U64 || !small {
                return None;
            }
            self.promise(Promise {
                affine: Affine { constant: fitted.constant, terms: free },
                from: None,
                ty: ScalarType::I64,
            });
        }
        Some(fitted)
    }

    fn promise(&mut self, promise: Promise) {
        if let Some(promises) = self.promises.as_mut().filter(|promises| !promises.contains(&promise)) {
            promises.push(promise);
        }
    }
}

impl Symbols {
    /// Least and greatest value; a remainder is bounded by its modulus.
    pub fn range(&self, affine: &Affine, bounds: &Bounds) -> (Option<i128>, Option<i128>) {
        match self.remainder(affine) {
            Some((_, modulus, 1, offset)) => (Some(offset), offset.checked_add(modulus - 1)),
            Some((_, modulus, _, offset)) => (offset.checked_sub(modulus - 1), Some(offset)),
            None => self.range_of_terms(affine, bounds),
        }
    }

    /// As the bounds say, with those of a dividend for a quotient.
    fn range_of_terms(&self, affine: &Affine, bounds: &Bounds) -> (Option<i128>, Option<i128>) {
        let known = bounds.range(affine);
        if known.0.is_some() && known.1.is_some() {
            return known;
        }
        let constant = (Some(affine.constant), Some(affine.constant));
        let sum = affine.terms.iter().fold(constant, |(low, high), &(symbol, coefficient)| {
            let (mut least, mut greatest) = bounds.interval(symbol);
            if let Some((base, modulus)) = self.quotients.get(symbol) {
                let (low, high) = self.range_of_terms(base, bounds);
                least = least.or(low.map(|low| low.div_euclid(*modulus)));
                greatest = greatest.or(high.map(|high| high.div_euclid(*modulus)));
            }
            let (to_low, to_high) = if coefficient > 0 { (least, greatest) } else { (greatest, least) };
            let plus = |sum: Option<i128>, extreme: Option<i128>| sum?.checked_add(extreme?.checked_mul(coefficient)?);
            (plus(low, to_low), plus(high, to_high))
        });
        (known.0.or(sum.0), known.1.or(sum.1))
    }
}

/// The expression as a value of the type; `None` where it is seen to leave its range. What has no
/// bounds yet passes: loops check their counters once they know how far these run.
pub fn fit(affine: Affine, ty: ScalarType, bounds: &Bounds) -> Option<Affine> {
    if let Some(constant) = affine.as_constant() {
        return Some(Affine::constant(wrap(constant, ty)));
    }
    let (low, high) = limits(ty);
    let (least, greatest) = bounds.range(&affine);
    let fits = least.is_none_or(|least| least >= low) && greatest.is_none_or(|greatest| greatest <= high);
    fits.then_some(affine)
}
