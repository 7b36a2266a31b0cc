//! Whether a conjunction can hold at all, and which of its inequalities follow from the others:
//! Fourier-Motzkin elimination with tightened constants. It never errs towards "empty"; it gives up
//! ("possible") when it would grow too large. Congruences are not looked at.

use super::conjunction::{Conjunction, Outcome};
use super::linear::{Atom, Checked, Linear};
use super::number::gcd;
use chronos_base::hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

const MAX_ROWS: usize = 120;

type Row = Vec<i128>;

/// Columns are atoms; the last column is the constant.
struct System {
    zero: Vec<Row>,
    nonnegative: Vec<Row>,
    columns: usize,
}

pub(super) fn feasible(conjunction: &Conjunction) -> Checked<Outcome> {
    let system = System::new(conjunction, None)?;
    Ok(if system.refuted().unwrap_or(false) { Outcome::Empty } else { Outcome::Possible })
}

/// Drops inequalities that the rest implies.
pub(super) fn drop_redundant(conjunction: &mut Conjunction) -> Checked<()> {
    let mut i = 0;
    while i < conjunction.nonnegative.len() {
        if System::new(conjunction, Some(i))?.refuted() == Some(true) {
            conjunction.nonnegative.remove(i);
        } else {
            i += 1;
        }
    }
    Ok(())
}

impl System {
    /// With the `negated` inequality turned into its opposite.
    fn new(conjunction: &Conjunction, negated: Option<usize>) -> Checked<Self> {
        let mut nonnegative = conjunction.nonnegative.clone();
        if let Some(i) = negated {
            nonnegative[i] = nonnegative[i].scale(-1)?.plus_constant(-1)?;
        }
        let atoms = closure(conjunction);
        for atom in &atoms {
            if let Atom::Floor(floor) = atom {
                let itself = Linear { terms: vec![(Atom::Floor(Arc::clone(floor)), 1)], constant: 0 };
                let rest = floor.argument.add_scaled(&itself, -floor.modulus)?;
                nonnegative.push(rest.scale(-1)?.plus_constant(floor.modulus - 1)?);
                nonnegative.push(rest);
            }
        }
        let columns: Vec<&Atom> = atoms.iter().collect();
        let dense = |linear: &Linear| row(linear, &columns);
        Ok(Self {
            zero: conjunction.zero.iter().map(dense).collect(),
            nonnegative: nonnegative.iter().map(dense).collect(),
            columns: columns.len(),
        })
    }

    /// Whether nothing satisfies it; `None` when it cannot tell.
    fn refuted(mut self) -> Option<bool> {
        while let Some(equality) = self.zero.pop() {
            if !self.eliminate_equality(equality)? {
                return Some(true);
            }
        }
        loop {
            if !self.tighten() {
                return Some(true);
            }
            let Some(column) = self.cheapest_column() else { return Some(false) };
            self.eliminate(column)?;
        }
    }

    /// False when the equality cannot hold.
    fn eliminate_equality(&mut self, equality: Row) -> Option<bool> {
        let pivot = (0..self.columns).filter(|c| equality[*c] != 0).min_by_key(|c| equality[*c].unsigned_abs());
        let Some(pivot) = pivot else { return Some(equality[self.columns] == 0) };
        for row in self.zero.iter_mut().chain(&mut self.nonnegative) {
            if row[pivot] != 0 {
                let factor = equality[pivot].checked_abs()?;
                let other = row[pivot].checked_mul(-equality[pivot].signum())?;
                *row = combine(row, factor, &equality, other)?;
            }
        }
        Some(true)
    }

    /// False when a row can never hold.
    fn tighten(&mut self) -> bool {
        let constant = self.columns;
        for row in &mut self.nonnegative {
            let common = row[..constant].iter().fold(0, |g, c| gcd(g, *c));
            if common == 0 && row[constant] < 0 {
                return false;
            }
            if common > 1 {
                row[..constant].iter_mut().for_each(|c| *c /= common);
                row[constant] = row[constant].div_euclid(common);
            }
        }
        self.nonnegative.retain(|row| row[..constant].iter().any(|c| *c != 0));
        self.nonnegative.sort();
        self.nonnegative.dedup_by(|later, earlier| later[..constant] == earlier[..constant]);
        true
    }

    fn cheapest_column(&self) -> Option<usize> {
        let cost = |column: &usize| {
            let positive = self.nonnegative.iter().filter(|row| row[*column] > 0).count();
            let negative = self.nonnegative.iter().filter(|row| row[*column] < 0).count();
            positive * negative
        };
        let used = |column: &usize| self.nonnegative.iter().any(|row| row[*column] != 0);
        (0..self.columns).filter(used).min_by_key(cost)
    }

    fn eliminate(&mut self, column: usize) -> Option<()> {
        let (involved, mut rest): (Vec<Row>, Vec<Row>) =
            std::mem::take(&mut self.nonnegative).into_iter().partition(|row| row[column] != 0);
        let (lower, upper): (Vec<Row>, Vec<Row>) = involved.into_iter().partition(|row| row[column] > 0);
        if lower.len() * upper.len() + rest.len() > MAX_ROWS {
            return None;
        }
        for low in &lower {
            for high in &upper {
                rest.push(combine(low, -high[column], high, low[column])?);
            }
        }
        self.nonnegative = rest;
        Some(())
    }
}

fn combine(a: &Row, factor: i128, b: &Row, other: i128) -> Option<Row> {
    a.iter().zip(b).map(|(x, y)| x.checked_mul(factor)?.checked_add(y.checked_mul(other)?)).collect()
}

fn row(linear: &Linear, columns: &[&Atom]) -> Row {
    let mut row = vec![0; columns.len() + 1];
    for (atom, coefficient) in &linear.terms {
        if let Ok(column) = columns.binary_search(&atom) {
            row[column] = *coefficient;
        }
    }
    row[columns.len()] = linear.constant;
    row
}

/// All atoms of a conjunction, those inside floors too.
fn closure(conjunction: &Conjunction) -> BTreeSet<Atom> {
    let mut pending: Vec<&Linear> = conjunction.zero.iter().chain(&conjunction.nonnegative).collect();
    let mut seen: FxHashSet<&Atom> = FxHashSet::default();
    while let Some(linear) = pending.pop() {
        for (atom, _) in &linear.terms {
            if let (true, Atom::Floor(floor)) = (seen.insert(atom), atom) {
                pending.push(&floor.argument);
            }
        }
    }
    seen.into_iter().cloned().collect()
}
