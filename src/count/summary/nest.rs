//! Number of integer points where constraints tie several counters together.

use super::affine::{Affine, Symbol};
use super::bounds::Bounds;
use super::cardinality::{self, Quotients, TooComplex};
use super::formula::{Conjunction, Constraint};

/// Values of outer counters that are tried one by one.
const MAX_POINTS: i128 = 1 << 20;

/// Number of values of `symbols`, outermost first, that fulfil the constraints.
pub fn count(symbols: &[Symbol], constraints: &Conjunction) -> Result<u128, TooComplex> {
    enumerate(symbols, constraints, &mut MAX_POINTS.clone())
}

fn enumerate(symbols: &[Symbol], constraints: &Conjunction, room: &mut i128) -> Result<u128, TooComplex> {
    let Some((&outer, inner)) = symbols.split_first() else { return Ok(1) };
    let Some(bounds) = Bounds::of(constraints) else { return Ok(0) };
    if inner.is_empty() {
        return cardinality::count(symbols, constraints, &Quotients::default());
    }
    let (Some(low), Some(high)) = bounds.interval(outer) else { return Err(TooComplex) };
    *room -= high.saturating_sub(low);
    if *room < 0 {
        return Err(TooComplex);
    }
    let mut total = 0_u128;
    for value in low..=high {
        let fixed = constraints.iter().map(|c| c.substitute(outer, &Affine::constant(value)));
        let fixed: Conjunction = fixed.collect::<Option<_>>().ok_or(TooComplex)?;
        if fixed.iter().any(|c| c.truth() == Some(false)) {
            continue;
        }
        let open: Conjunction = fixed.into_iter().filter(|c: &Constraint| c.truth().is_none()).collect();
        total = total.checked_add(enumerate(inner, &open, room)?).ok_or(TooComplex)?;
    }
    Ok(total)
}
