//! Integer values as affine forms of what is known at the begin of an iteration: the common language of
//! addresses, inductions and dependence distances.

use crate::program::{ValueId, VarId};
use std::collections::{BTreeMap, HashMap};

/// What an affine form does not look into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A variable's value at the begin of the iteration.
    Entry(VarId),
    /// A value computed before the loop.
    Outer(ValueId),
    /// A node of the iteration's graph.
    Node(u32),
    /// One that is the same in every iteration.
    Held(u32),
    /// Such a node that loads a variable from memory.
    Loaded(VarId, u32),
    Product(Box<Affine>, Box<Affine>),
}

/// `constant + sum of coefficient * atom`, no coefficient 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    pub constant: i64,
    pub terms: BTreeMap<Atom, i64>,
}

impl Affine {
    pub fn constant(constant: i64) -> Self {
        Self { constant, terms: BTreeMap::new() }
    }

    pub fn atom(atom: Atom) -> Self {
        Self { constant: 0, terms: BTreeMap::from([(atom, 1)]) }
    }

    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`.
    #[must_use]
    pub fn plus(&self, other: &Self, factor: i64) -> Self {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for (atom, coefficient) in &other.terms {
            let entry = sum.terms.entry(atom.clone()).or_default();
            *entry = entry.wrapping_add(coefficient.wrapping_mul(factor));
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0);
        sum
    }

    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => Self::default().plus(other, factor),
            (_, Some(factor)) => Self::default().plus(self, factor),
            _ => Self::distribute(self, other),
        }
    }

    /// The product of two forms that are no constants: the constants of both are multiplied out, so that
    /// `(i + 1) * n` and `i * n` differ by `n`.
    fn distribute(a: &Self, b: &Self) -> Self {
        let (mut x, mut y) = (a.clone(), b.clone());
        let (p, q) = (std::mem::take(&mut x.constant), std::mem::take(&mut y.constant));
        let (first, second) = if x <= y { (x.clone(), y.clone()) } else { (y.clone(), x.clone()) };
        let product = Self::atom(Atom::Product(Box::new(first), Box::new(second)));
        product.plus(&x, q).plus(&y, p).plus(&Self::constant(p.wrapping_mul(q)), 1)
    }

    /// With variables replaced by what is known of them.
    #[must_use]
    pub fn replaced(&self, known: &HashMap<VarId, Self>) -> Self {
        self.terms.iter().fold(Self::constant(self.constant), |sum, (atom, &factor)| {
            let value = match atom {
                Atom::Entry(variable) => known.get(variable).cloned(),
                Atom::Product(a, b) => Some(a.replaced(known).times(&b.replaced(known))),
                Atom::Outer(_) | Atom::Held(_) | Atom::Loaded(..) | Atom::Node(_) => None,
            };
            sum.plus(&value.unwrap_or_else(|| Self::atom(atom.clone())), factor)
        })
    }

    /// The value where variables have the values given; `None` where one has none.
    pub fn value(&self, of: &impl Fn(VarId) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(self.constant, |sum, (atom, coefficient)| {
            let value = match atom {
                Atom::Entry(variable) | Atom::Loaded(variable, _) => of(*variable)?,
                Atom::Product(a, b) => a.value(of)?.wrapping_mul(b.value(of)?),
                Atom::Outer(_) | Atom::Held(_) | Atom::Node(_) => return None,
            };
            Some(sum.wrapping_add(value.wrapping_mul(*coefficient)))
        })
    }

    /// What one iteration adds, where each variable of `steps` advances by its step; `None` where an atom
    /// changes in another way.
    pub fn stride(&self, change: &impl Fn(VarId) -> Option<i64>) -> Option<i64> {
        self.stride_at(change, &|_| None)
    }

    /// The same, where variables have the values given: an induction times one of them advances by multiples of it.
    pub fn stride_at(
        &self,
        change: &impl Fn(VarId) -> Option<i64>,
        value: &impl Fn(VarId) -> Option<i64>,
    ) -> Option<i64> {
        self.terms.iter().try_fold(0i64, |sum, (atom, coefficient)| {
            let step = match atom {
                Atom::Entry(variable) => change(*variable)?,
                Atom::Outer(_) | Atom::Held(_) | Atom::Loaded(..) => 0,
                Atom::Node(_) => return None,
                Atom::Product(a, b) => match (a.stride_at(change, value)?, b.stride_at(change, value)?) {
                    (0, 0) => 0,
                    (step, 0) => step.wrapping_mul(b.value(value)?),
                    (0, step) => step.wrapping_mul(a.value(value)?),
                    _ => return None,
                },
            };
            Some(sum.wrapping_add(step.wrapping_mul(*coefficient)))
        })
    }

    /// By multiples of what it advances where that has no value: the length of a row that an induction goes on by.
    pub fn open_length(
        &self,
        change: &impl Fn(VarId) -> Option<i64>,
        value: &impl Fn(VarId) -> Option<i64>,
    ) -> Option<&Self> {
        let advances = |one: &Self| one.stride_at(change, value).is_some_and(|step| step != 0);
        let length =
            |index: &Self, length: &Self| advances(index) && !advances(length) && length.value(value).is_none();
        self.terms.keys().find_map(|atom| match atom {
            Atom::Product(a, b) if length(a, b) => Some(&**b),
            Atom::Product(a, b) if length(b, a) => Some(&**a),
            Atom::Product(a, b) => a.open_length(change, value).or_else(|| b.open_length(change, value)),
            _ => None,
        })
    }

    /// The variable that it is.
    pub fn as_variable(&self) -> Option<VarId> {
        let (Some((Atom::Entry(variable) | Atom::Loaded(variable, _), 1)), 1, 0) =
            (self.terms.first_key_value(), self.terms.len(), self.constant)
        else {
            return None;
        };
        Some(*variable)
    }
}
