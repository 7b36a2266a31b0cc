//! Iterated summation of a polynomial over a conjunction: one symbol at a time is determined by an
//! equality, a congruence or a pair of bounds, or summed by Faulhaber's formula between its bounds.

use super::conjunction::{Conjunction, Outcome, inverse};
use super::feasible::{drop_redundant, feasible};
use super::linear::{Atom, Checked, Linear, least_common_multiple, product};
use super::number::{Rational, gcd};
use super::polynomial::Polynomial;
use super::{Limits, QuasiError, Symbol};
use chronos_base::governor;
use std::collections::BTreeMap;

/// A sum under way: the symbols still to be summed over, where, and what.
#[derive(Clone)]
struct Task {
    symbols: Vec<Symbol>,
    domain: Conjunction,
    summand: Polynomial,
}

pub(super) struct Summation {
    limit: u32,
    steps: u32,
    /// By domain over the parameters; where several hold, their polynomials add up.
    pieces: BTreeMap<Conjunction, Polynomial>,
}

/// What a symbol's bounds look like; smaller is cheaper to sum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Price {
    period: i128,
    regions: usize,
    steepness: i128,
}

impl Summation {
    pub fn new(limits: &Limits) -> Self {
        Self { limit: limits.steps, steps: 0, pieces: BTreeMap::new() }
    }

    /// Taken so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    pub fn finish(self) -> BTreeMap<Conjunction, Polynomial> {
        self.pieces
    }

    /// Adds the sum of `summand` over the `symbols` in `domain`.
    pub fn add(&mut self, symbols: &[Symbol], domain: Conjunction, summand: Polynomial) -> Checked<()> {
        let mut pending = vec![Task { symbols: symbols.to_vec(), domain, summand }];
        while let Some(task) = pending.pop() {
            self.charge(task.cost())?;
            pending.extend(self.step(task)?);
        }
        Ok(())
    }

    fn charge(&mut self, cost: u32) -> Checked<()> {
        self.steps = self.steps.saturating_add(cost);
        let spent = self.steps > self.limit || governor::exceeded().is_some();
        if spent { Err(QuasiError::Steps(self.limit)) } else { Ok(()) }
    }

    /// Removes one symbol, or splits the task.
    fn step(&mut self, mut task: Task) -> Checked<Vec<Task>> {
        if task.summand.is_zero() || task.domain.normalise(&task.symbols)? == Outcome::Empty {
            return Ok(Vec::new());
        }
        if task.symbols.is_empty() {
            self.emit(task.domain, &task.summand);
            return Ok(Vec::new());
        }
        if task.use_equality()? || task.use_congruence()? || task.use_quotient()? {
            return Ok(vec![task]);
        }
        let (mut symbol, mut price) = task.cheapest()?;
        if price.period > 1 || price.regions != 1 {
            self.charge(u32::try_from(task.domain.nonnegative.len() / 4).unwrap_or(u32::MAX))?;
            if feasible(&task.domain)? == Outcome::Empty {
                return Ok(Vec::new());
            }
            drop_redundant(&mut task.domain)?;
            (symbol, price) = task.cheapest()?;
        }
        if price.period > 1 { self.split(&task, symbol, price.period) } else { task.sum_regions(symbol) }
    }

    fn emit(&mut self, domain: Conjunction, summand: &Polynomial) {
        self.pieces.entry(domain).or_default().add_scaled(summand, &Rational::ONE);
    }

    /// One task per remainder of the symbol: `symbol = period * symbol + remainder`.
    fn split(&self, task: &Task, symbol: Symbol, period: i128) -> Checked<Vec<Task>> {
        if period.saturating_mul(i128::from(task.cost())) > i128::from(self.limit - self.steps) {
            return Err(QuasiError::Steps(self.limit));
        }
        let scaled = Linear::symbol(symbol).scale(period)?;
        let part = |remainder| {
            let by = scaled.plus_constant(remainder)?;
            let mut part = task.clone();
            part.domain.substitute(symbol, &by)?;
            part.summand = part.summand.substitute(symbol, &by)?;
            Ok(part)
        };
        (0..period).map(part).collect()
    }
}

impl Task {
    /// In steps: work grows with the size of the polynomial.
    fn cost(&self) -> u32 {
        u32::try_from(self.summand.terms.len() / 4).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn replace(&mut self, symbol: Symbol, by: &Linear) -> Checked<()> {
        self.domain.substitute(symbol, by)?;
        self.summand = self.summand.substitute(symbol, by)?;
        Ok(())
    }

    fn remove(&mut self, symbol: Symbol, by: &Linear) -> Checked<()> {
        self.symbols.retain(|own| *own != symbol);
        self.replace(symbol, by)
    }

    /// `a*x + e == 0` determines `x`, and asks that `a` divides `e`.
    fn use_equality(&mut self) -> Checked<bool> {
        let candidates = self.domain.zero.iter().enumerate().flat_map(|(i, linear)| {
            let of = move |symbol: &Symbol| direct(linear, *symbol).map(|a| (a.abs(), i, *symbol));
            self.symbols.iter().filter_map(of)
        });
        let Some((_, i, symbol)) = candidates.min() else { return Ok(false) };
        let equality = self.domain.zero.remove(i);
        let a = equality.coefficient(symbol);
        let rest = equality.without(&Atom::Symbol(symbol)).scale(-a.signum())?;
        self.domain.congruent.push((rest.clone(), a.abs()));
        self.remove(symbol, &rest.floor(a.abs())?)?;
        Ok(true)
    }

    /// `a*x + e == 0 (mod m)` with `a` invertible makes `x` a multiple of `m` plus a known remainder.
    fn use_congruence(&mut self) -> Checked<bool> {
        let found = self.domain.congruent.iter().enumerate().find_map(|(i, (linear, modulus))| {
            let of = |symbol: &&Symbol| direct(linear, **symbol).is_some_and(|a| gcd(a, *modulus) == 1);
            self.symbols.iter().rev().find(of).map(|symbol| (i, *symbol))
        });
        let Some((i, symbol)) = found else { return self.split_congruence() };
        let (linear, modulus) = self.domain.congruent.remove(i);
        let factor = inverse(linear.coefficient(symbol), modulus)?;
        let rest = linear.without(&Atom::Symbol(symbol)).scale(-factor)?;
        let remainder = rest.add_scaled(&rest.floor(modulus)?, -modulus)?;
        self.replace(symbol, &remainder.add_scaled(&Linear::symbol(symbol), modulus)?)?;
        Ok(true)
    }

    /// With `g = gcd(a, m) > 1`: `g` divides `e`, and `(a/g)*x + e/g == 0 (mod m/g)`.
    fn split_congruence(&mut self) -> Checked<bool> {
        let found = self.domain.congruent.iter().enumerate().find_map(|(i, (linear, _))| {
            let symbol = self.symbols.iter().rev().find(|symbol| direct(linear, **symbol).is_some());
            symbol.map(|symbol| (i, *symbol))
        });
        let Some((i, symbol)) = found else { return Ok(false) };
        let (linear, modulus) = self.domain.congruent.remove(i);
        let common = gcd(linear.coefficient(symbol), modulus);
        let rest = linear.without(&Atom::Symbol(symbol));
        let own = Linear::symbol(symbol).scale(linear.coefficient(symbol) / common)?;
        self.domain.congruent.push((rest.floor(common)?.add_scaled(&own, 1)?, modulus / common));
        self.domain.congruent.push((rest, common));
        Ok(true)
    }

    /// `f - a + 1 <= a*x <= f` leaves one value, `floor(f/a)`; a tile's number is such a symbol.
    fn use_quotient(&mut self) -> Checked<bool> {
        for symbol in self.symbols.clone() {
            if self.summand.mentions(symbol) {
                continue;
            }
            if let Some((i, j)) = self.quotient_pair(symbol)? {
                let upper = self.domain.nonnegative.remove(i.max(j));
                let other = self.domain.nonnegative.remove(i.min(j));
                let upper = if upper.coefficient(symbol) < 0 { upper } else { other };
                let a = -upper.coefficient(symbol);
                self.remove(symbol, &upper.without(&Atom::Symbol(symbol)).floor(a)?)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn quotient_pair(&self, symbol: Symbol) -> Checked<Option<(usize, usize)>> {
        let rows = &self.domain.nonnegative;
        for (i, lower) in rows.iter().enumerate() {
            let Some(a) = direct(lower, symbol).filter(|a| *a > 1) else { continue };
            for (j, upper) in rows.iter().enumerate() {
                if direct(upper, symbol) == Some(-a) {
                    let width = lower.add_scaled(upper, 1)?;
                    if width.terms.is_empty() && width.constant == a - 1 {
                        return Ok(Some((i, j)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The symbol to sum next; inner symbols first where the price is equal.
    fn cheapest(&self) -> Checked<(Symbol, Price)> {
        let mut best: Option<(Symbol, Price)> = None;
        for symbol in self.symbols.iter().rev() {
            let price = self.price(*symbol)?;
            if best.is_none_or(|(_, lowest)| price < lowest) {
                best = Some((*symbol, price));
            }
        }
        best.ok_or(QuasiError::Overflow)
    }

    fn price(&self, symbol: Symbol) -> Checked<Price> {
        let (mut lowers, mut uppers, mut steepness) = (0, 0, 1);
        for linear in &self.domain.nonnegative {
            let a = linear.coefficient(symbol);
            lowers += usize::from(a > 0);
            uppers += usize::from(a < 0);
            if a != 0 {
                steepness = least_common_multiple(steepness, a.abs())?;
            }
        }
        Ok(Price { period: self.period(symbol)?, regions: lowers * uppers, steepness })
    }

    fn period(&self, symbol: Symbol) -> Checked<i128> {
        let mut period = 1;
        for linear in self.domain.linears().filter(|linear| linear.mentions(symbol)) {
            period = least_common_multiple(period, linear.period(symbol)?.0)?;
        }
        for atom in self.summand.atoms().filter(|atom| atom.mentions(symbol)) {
            let linear = Linear { terms: vec![(atom.clone(), 1)], constant: 0 };
            period = least_common_multiple(period, linear.period(symbol)?.0)?;
        }
        Ok(period)
    }

    /// One task per pair of a greatest lower and a least upper bound, the symbol summed away.
    fn sum_regions(self, symbol: Symbol) -> Checked<Vec<Task>> {
        let (bounds, others): (Vec<Linear>, Vec<Linear>) =
            self.domain.nonnegative.iter().cloned().partition(|linear| linear.coefficient(symbol) != 0);
        let (lowers, uppers): (Vec<Linear>, Vec<Linear>) =
            bounds.into_iter().partition(|linear| linear.coefficient(symbol) > 0);
        if lowers.is_empty() || uppers.is_empty() {
            return Err(QuasiError::Unbounded(symbol));
        }
        let outer = Task {
            symbols: self.symbols.iter().copied().filter(|own| *own != symbol).collect(),
            domain: Conjunction { nonnegative: others, ..self.domain },
            summand: self.summand,
        };
        let (lowers, uppers) = (Bounds::new(symbol, &lowers), Bounds::new(symbol, &uppers));
        let single = lowers.sides.len() * uppers.sides.len() == 1;
        let mut regions = Vec::new();
        for i in 0..lowers.sides.len() {
            for j in 0..uppers.sides.len() {
                let mut region = outer.clone();
                lowers.select(i, &mut region.domain)?;
                uppers.select(j, &mut region.domain)?;
                region.enclose(symbol, &lowers.sides[i], &uppers.sides[j])?;
                let empty = region.domain.normalise(&region.symbols)? == Outcome::Empty;
                if single || !(empty || feasible(&region.domain)? == Outcome::Empty) {
                    regions.push(region);
                }
            }
        }
        Ok(regions)
    }

    /// Sums from `-floor(e/a)` to `floor(f/b)` where `a*x + e >= 0` and `-b*x + f >= 0`.
    fn enclose(&mut self, symbol: Symbol, lower: &(i128, Linear), upper: &(i128, Linear)) -> Checked<()> {
        let gap = upper.1.scale(lower.0)?.add_scaled(&lower.1, upper.0)?;
        self.domain.nonnegative.push(gap);
        let low = lower.1.floor(lower.0)?.scale(-1)?;
        let high = upper.1.floor(upper.0)?;
        self.summand = self.summand.sum_over(symbol, &low, &high)?;
        Ok(())
    }
}

/// The bounds of a symbol from one side: `±a*x + e >= 0` as `(a, e)` with `a` positive.
struct Bounds {
    sides: Vec<(i128, Linear)>,
}

impl Bounds {
    fn new(symbol: Symbol, rows: &[Linear]) -> Self {
        let side = |row: &Linear| (row.coefficient(symbol).abs(), row.without(&Atom::Symbol(symbol)));
        Self { sides: rows.iter().map(side).collect() }
    }

    /// Where bound `i` is the sharpest one; of equal ones the first counts. A bound is sharper when `e/a` is
    /// smaller, on both sides.
    fn select(&self, i: usize, domain: &mut Conjunction) -> Checked<()> {
        let (a, e) = &self.sides[i];
        for (k, (b, f)) in self.sides.iter().enumerate().filter(|(k, _)| *k != i) {
            let difference = f.scale(*a)?.add_scaled(e, product(*b, -1)?)?;
            domain.nonnegative.push(difference.plus_constant(if k < i { -1 } else { 0 })?);
        }
        Ok(())
    }
}

/// The coefficient of the symbol, when it is not zero and no floor mentions the symbol.
fn direct(linear: &Linear, symbol: Symbol) -> Option<i128> {
    let coefficient = linear.coefficient(symbol);
    let is_direct = || linear.terms.iter().all(|(atom, _)| matches!(atom, Atom::Symbol(_)) || !atom.mentions(symbol));
    (coefficient != 0 && is_direct()).then_some(coefficient)
}
