//! Integer values as linear forms of what is known at the begin of an iteration: the common language of addresses,
//! induction variables and dependence distances (Wolfe 1992, Beyond induction variables; Muchnick 1997, section 14.1).
//!
//! Coefficients have 64 bits, as addresses have. Where one would leave them the program's own number has wrapped: the
//! value is then not affine, stands for itself, and a loop that addresses memory with it has no known stride.

use chronos_base::hash::FxHashMap;
use chronos_ir::{ValueId, VarId};
use chronos_math::linear::LinearForm;

chronos_base::define_ids! {
    /// A node of an iteration's graph: one number for all expressions that have the same value (Alpern, Wegman and Zadeck
    /// 1988).
    ValueNumber = "value";
}

/// What an affine form does not look into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A variable's value at the begin of the iteration.
    Entry(VarId),
    /// A value computed before the loop.
    Outer(ValueId),
    /// A node of the iteration's graph.
    Node(ValueNumber),
    /// One that is the same in every iteration.
    Held(ValueNumber),
    /// Such a node that loads a variable from memory.
    Loaded(VarId, ValueNumber),
    Product(Box<Affine>, Box<Affine>),
}

/// A value in 64 bits.
pub type Affine = LinearForm<Atom, i64>;

/// What only forms of an iteration's values can be asked.
pub(crate) trait IterationForm: Sized {
    /// `None` on overflow.
    fn times(&self, other: &Self) -> Option<Self>;

    /// With variables replaced by what is known of them; `None` on overflow.
    fn replaced(&self, known: &FxHashMap<VarId, Self>) -> Option<Self>;

    /// The value where variables have the values given; `None` where one has none.
    fn value(&self, of: &impl Fn(VarId) -> Option<i64>) -> Option<i64>;

    /// What one iteration adds, where each variable advances as `change` says; `None` where an atom changes in another
    /// way.
    fn stride(&self, change: &impl Fn(VarId) -> Option<i64>) -> Option<i64> {
        self.stride_at(change, &|_| None)
    }

    /// The same, where variables have the values given: an induction times one of them advances by multiples of it.
    fn stride_at(&self, change: &impl Fn(VarId) -> Option<i64>, value: &impl Fn(VarId) -> Option<i64>) -> Option<i64>;

    /// By multiples of what it advances where that has no value: the length of a row that an induction goes on by.
    fn unknown_row_length(
        &self,
        change: &impl Fn(VarId) -> Option<i64>,
        value: &impl Fn(VarId) -> Option<i64>,
    ) -> Option<&Self>;

    /// The variable that it is.
    fn as_variable(&self) -> Option<VarId>;
}

impl IterationForm for Affine {
    fn times(&self, other: &Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => other.scale(factor),
            (_, Some(factor)) => self.scale(factor),
            _ => distribute(self, other),
        }
    }

    fn replaced(&self, known: &FxHashMap<VarId, Self>) -> Option<Self> {
        self.terms.iter().try_fold(Self::constant(self.constant), |sum, (atom, factor)| {
            let value = match atom {
                Atom::Entry(variable) => known.get(variable).cloned(),
                Atom::Product(a, b) => Some(a.replaced(known)?.times(&b.replaced(known)?)?),
                Atom::Outer(_) | Atom::Held(_) | Atom::Loaded(..) | Atom::Node(_) => None,
            };
            sum.add_scaled(&value.unwrap_or_else(|| Self::symbol(atom.clone())), *factor)
        })
    }

    fn value(&self, of: &impl Fn(VarId) -> Option<i64>) -> Option<i64> {
        self.evaluate(|atom| match atom {
            Atom::Entry(variable) | Atom::Loaded(variable, _) => of(*variable),
            Atom::Product(a, b) => a.value(of)?.checked_mul(b.value(of)?),
            Atom::Outer(_) | Atom::Held(_) | Atom::Node(_) => None,
        })
    }

    fn stride_at(&self, change: &impl Fn(VarId) -> Option<i64>, value: &impl Fn(VarId) -> Option<i64>) -> Option<i64> {
        let step = |atom: &Atom| match atom {
            Atom::Entry(variable) => change(*variable),
            Atom::Outer(_) | Atom::Held(_) | Atom::Loaded(..) => Some(0),
            Atom::Node(_) => None,
            Atom::Product(a, b) => match (a.stride_at(change, value)?, b.stride_at(change, value)?) {
                (0, 0) => Some(0),
                (step, 0) => step.checked_mul(b.value(value)?),
                (0, step) => step.checked_mul(a.value(value)?),
                // A product of two inductions is quadratic: its step changes.
                _ => None,
            },
        };
        self.without_constant().evaluate(step)
    }

    fn unknown_row_length(
        &self,
        change: &impl Fn(VarId) -> Option<i64>,
        value: &impl Fn(VarId) -> Option<i64>,
    ) -> Option<&Self> {
        let advances = |one: &Self| one.stride_at(change, value).is_some_and(|step| step != 0);
        let length =
            |index: &Self, length: &Self| advances(index) && !advances(length) && length.value(value).is_none();
        self.each_symbol().find_map(|atom| match atom {
            Atom::Product(a, b) if length(a, b) => Some(&**b),
            Atom::Product(a, b) if length(b, a) => Some(&**a),
            Atom::Product(a, b) => a.unknown_row_length(change, value).or_else(|| b.unknown_row_length(change, value)),
            _ => None,
        })
    }

    fn as_variable(&self) -> Option<VarId> {
        match self.as_symbol()? {
            Atom::Entry(variable) | Atom::Loaded(variable, _) => Some(*variable),
            _ => None,
        }
    }
}

/// The product of two forms that are no constants: the constants of both are multiplied out, so that
/// `(i + 1) * n` and `i * n` differ by `n`.
fn distribute(a: &Affine, b: &Affine) -> Option<Affine> {
    let (x, y) = (a.without_constant(), b.without_constant());
    // One order for both operands: equal products are equal atoms.
    let (first, second) = if x <= y { (x.clone(), y.clone()) } else { (y.clone(), x.clone()) };
    let product = Affine::symbol(Atom::Product(Box::new(first), Box::new(second)));
    let crossed = product.add_scaled(&x, b.constant)?.add_scaled(&y, a.constant)?;
    crossed.plus(a.constant.checked_mul(b.constant)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const I: VarId = VarId(0);
    const N: VarId = VarId(1);

    fn entry(variable: VarId) -> Affine {
        Affine::symbol(Atom::Entry(variable))
    }

    #[test]
    fn rows_at_a_distance_differ_by_a_row() {
        let next = entry(I).plus(1).and_then(|row| row.times(&entry(N))).expect("small");
        let here = entry(I).times(&entry(N)).expect("small");
        assert_eq!(next.sub(&here).expect("small"), entry(N));
    }

    #[test]
    fn what_overflows_is_not_affine() {
        let large = entry(I).scale(i64::MAX).expect("fits");
        assert_eq!(large.times(&Affine::constant(2)), None);
        assert_eq!(large.stride(&|_| Some(2)), None);
        assert_eq!(entry(I).scale(1 << 62).and_then(|form| form.value(&|_| Some(4))), None);
        let known = FxHashMap::from_iter([(I, Affine::constant(4))]);
        assert_eq!(entry(I).scale(1 << 62).and_then(|form| form.replaced(&known)), None);
    }

    #[test]
    fn a_product_with_a_known_factor_has_a_stride() {
        let product = entry(I).times(&entry(N)).expect("small");
        let change = |variable| Some(i64::from(variable == I));
        assert_eq!(product.stride(&change), None);
        assert_eq!(product.stride_at(&change, &|_| Some(100)), Some(100));
        assert_eq!(product.unknown_row_length(&change, &|_| None), Some(&entry(N)));
    }
}
