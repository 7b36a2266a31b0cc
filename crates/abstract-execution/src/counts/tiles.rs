//! Steps and divisors that are left free: `for (ii = 0; ii < n; ii += b)`, `n / b`, and nests that go through
//! a range tile by tile.
//!
//! A counter by a free symbol is no affine expression. Compared with a free expression it bounds the counter all
//! the same, by a ratio of free expressions; and a counter in a tile together with that of the tile is one
//! counter that goes through the whole range.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::Derived;
use crate::expressions::formula::{Conjunction, Constraint};
use crate::expressions::quotients::Quotients;

/// Parts that points are divided into.
const MAX_PARTS: usize = 64;
/// Values that a counter within a tile may have more, or fewer, than the tile.
const MAX_SLICES: i128 = 4;

/// Points that are counted, or taken away.
pub struct Part {
    pub sign: i128,
    pub symbols: Vec<Symbol>,
    pub constraints: Conjunction,
}

/// The same points with one counter for that of tiles and that within a tile, where that is all that the
/// constraints speak of.
pub fn joined(symbols: &[Symbol], constraints: &Conjunction, quotients: &Quotients) -> Vec<Part> {
    let mut mentioned = constraints.iter().flat_map(|c| c.affine().symbols());
    if !mentioned.any(|symbol| quotients.is_tiled(symbol)) {
        return vec![Part { sign: 1, symbols: symbols.to_vec(), constraints: constraints.clone() }];
    }
    let mut pending = vec![Part { sign: 1, symbols: symbols.to_vec(), constraints: constraints.clone() }];
    let mut done = Vec::new();
    for _ in 0..MAX_PARTS {
        let Some(mut part) = pending.pop() else { break };
        part.bound_by_ratios(quotients);
        match part.joined_once(quotients) {
            Some(parts) => pending.extend(parts),
            None => done.push(part),
        }
    }
    done.extend(pending);
    done
}

impl Part {
    /// Counters of tiles that are compared with free expressions.
    fn bound_by_ratios(&mut self, quotients: &Quotients) {
        let Some(bounds) = Bounds::of(&self.constraints) else { return };
        for constraint in &mut self.constraints {
            if let Constraint::Nonnegative(affine) = constraint
                && let Some(bounded) = quotients.bounded_by_ratio(affine, &bounds)
            {
                *affine = bounded;
            }
        }
    }

    fn joined_once(&self, quotients: &Quotients) -> Option<Vec<Self>> {
        let mut mentioned = self.constraints.iter().flat_map(|c| c.affine().symbols());
        let (product, (tile, factors)) = mentioned.find_map(|symbol| Some((symbol, quotients.tiled(symbol)?)))?;
        let size = quotients.product_of(&factors);
        let tiles = Tiles { product, tile, size, part: self, quotients };
        let mut within = self.symbols.iter().filter(|&&symbol| symbol != tile);
        within.find_map(|&within| tiles.joined_with(within))
    }
}

/// A counter of tiles, and what is said of it.
struct Tiles<'a> {
    /// The counter times the size.
    product: Symbol,
    tile: Symbol,
    size: Affine,
    part: &'a Part,
    quotients: &'a Quotients,
}

/// Where a counter within a tile begins and ends.
struct Extent {
    first: Affine,
    last: Affine,
    /// How many values more than a tile has.
    more: i128,
}

impl Tiles<'_> {
    /// `within` standing for `tile * size * factor + within`. What a tile has more or less than its size is counted
    /// apart.
    fn joined_with(&self, within: Symbol) -> Option<Vec<Part>> {
        let size = self.size.scale(self.factor(within)?)?;
        let Extent { first, last, more } = self.extent(within, &size)?;
        let own =
            [Affine::symbol(within).sub(&first)?, last.sub(&Affine::symbol(within))?].map(Constraint::Nonnegative);
        let others: Conjunction = self.part.constraints.iter().filter(|c| !own.contains(c)).cloned().collect();
        let start = if more < 0 { first.plus(more)? } else { first.clone() };
        let symbols = self.part.symbols.iter().copied().filter(|&symbol| symbol != self.tile).collect();
        let constraints = self.joined_constraints(within, &size, &start, &others)?;
        let mut parts = vec![Part { sign: self.part.sign, symbols, constraints }];
        for value in 1..=more.abs() {
            let at = if more < 0 { first.plus(-value)? } else { last.plus(1 - value)? };
            parts.push(self.slice(within, &at, more.signum(), &others)?);
        }
        Some(parts)
    }

    /// The points where the counter within a tile has one value.
    fn slice(&self, within: Symbol, value: &Affine, sign: i128, others: &Conjunction) -> Option<Part> {
        let at = |constraint: &Constraint| {
            let depends = |symbol: Symbol| symbol != within && self.quotients.sources(symbol).contains(&within);
            if constraint.affine().symbols().any(depends) { None } else { constraint.substitute(within, value) }
        };
        let symbols = self.part.symbols.iter().copied().filter(|&symbol| symbol != within).collect();
        let constraints = others.iter().map(at).collect::<Option<_>>()?;
        Some(Part { sign: self.part.sign * sign, symbols, constraints })
    }

    fn joined_constraints(
        &self,
        within: Symbol,
        size: &Affine,
        start: &Affine,
        others: &Conjunction,
    ) -> Option<Conjunction> {
        let is = |symbol: Symbol, one: Symbol| self.quotients.sources(symbol).contains(&one);
        let mut joined = vec![Constraint::Nonnegative(Affine::symbol(within).sub(start)?)];
        let mut of_tiles = Vec::new();
        for constraint in others {
            let affine = constraint.affine();
            if !affine.symbols().any(|symbol| is(symbol, self.tile) || is(symbol, within)) {
                joined.push(constraint.clone());
            } else if affine.mentions(self.product) {
                joined.push(self.with_one(constraint, within)?);
            } else if affine.mentions(self.tile) && matches!(constraint, Constraint::Nonnegative(_)) {
                of_tiles.push(affine);
            } else {
                return None;
            }
        }
        for affine in of_tiles {
            if self.follows(affine, within, size, start, &joined) == Some(true) {
                continue;
            }
            let bound = self.of_range(affine, within, size, start)?;
            if !joined.iter().any(|known| implies(known, &bound)) {
                joined.push(Constraint::Nonnegative(bound));
            }
        }
        Some(joined)
    }

    /// How often the product stands beside the counter within a tile.
    fn factor(&self, within: Symbol) -> Option<i128> {
        self.part.constraints.iter().find_map(|constraint| {
            let affine = constraint.affine();
            let (product, own) = (affine.coefficient(self.product), affine.coefficient(within));
            (own != 0 && product % own == 0 && product / own >= 1).then(|| product / own)
        })
    }

    /// The bounds of a counter that takes about as many values as a tile has.
    fn extent(&self, within: Symbol, size: &Affine) -> Option<Extent> {
        let counter = Affine::symbol(within);
        let affines = || {
            self.part.constraints.iter().filter_map(|c| match c {
                Constraint::Nonnegative(affine) => Some(affine),
                _ => None,
            })
        };
        let first = affines().find_map(|affine| counter.sub(affine).filter(|first| first.as_constant().is_some()))?;
        affines().find_map(|affine| {
            let last = affine.add(&counter)?;
            let more = last.sub(&first)?.plus(1)?.sub(size)?.as_constant()?;
            (more.abs() <= MAX_SLICES).then(|| Extent { first: first.clone(), last, more })
        })
    }

    fn with_one(&self, constraint: &Constraint, within: Symbol) -> Option<Constraint> {
        let affine = constraint.affine();
        let expected = affine.coefficient(within).checked_mul(self.factor(within)?)?;
        let others = affine.symbols().filter(|&symbol| symbol != self.product && symbol != within);
        let apart = others.into_iter().all(|symbol| {
            let sources = self.quotients.sources(symbol);
            !sources.contains(&self.tile) && !sources.contains(&within)
        });
        let joined = apart && affine.coefficient(self.product) == expected;
        joined.then(|| constraint.substitute(self.product, &Affine::default()))?
    }

    /// `tile <= floor(rest / size)` follows from `within - start <= rest`.
    fn follows(
        &self,
        affine: &Affine,
        within: Symbol,
        size: &Affine,
        start: &Affine,
        joined: &[Constraint],
    ) -> Option<bool> {
        let last = affine.add(&Affine::symbol(self.tile))?;
        let &[(ratio, 1)] = &last.terms[..] else { return None };
        let derived = self.quotients.free.get(ratio)?;
        let Derived::Ratio(dividend, divisor) = derived.as_ref() else { return None };
        let rest = dividend.add(&divisor.scale(last.constant)?)?.sub(&Affine::symbol(within).sub(start)?)?;
        Some(divisor == size && joined.iter().any(|known| implies(known, &rest)))
    }

    /// What is said of the counter of tiles, of the counter that goes through all of them.
    fn of_range(&self, affine: &Affine, within: Symbol, size: &Affine, start: &Affine) -> Option<Affine> {
        let rest = affine.substitute(self.tile, &Affine::default())?;
        rest.symbols().all(|symbol| self.quotients.is_free(symbol)).then_some(())?;
        let counter = Affine::symbol(within).sub(start)?;
        match affine.coefficient(self.tile) {
            // tile <= rest: before the end of that tile
            -1 => self.quotients.times(&rest.plus(1)?, size)?.plus(-1)?.sub(&counter),
            // tile >= -rest
            1 => counter.add(&self.quotients.times(&rest, size)?),
            _ => None,
        }
    }
}

/// The same expression, or one that is smaller by a constant.
fn implies(known: &Constraint, bound: &Affine) -> bool {
    let Constraint::Nonnegative(known) = known else { return false };
    bound.sub(known).and_then(|more| more.as_constant()).is_some_and(|more| more >= 0)
}
