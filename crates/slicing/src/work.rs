//! The work of one call of a library function, as the user states it: an expression of its arguments.

/// Integers, arguments by position, sums, differences, products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// A number.
    Number(i64),
    /// The argument at a position.
    Argument(usize),
    /// The `int` that the argument at a position points to (Fortran passes so).
    Pointee(usize),
    /// The sum of both.
    Sum(Box<Self>, Box<Self>),
    /// The first less the second.
    Difference(Box<Self>, Box<Self>),
    /// The product of both.
    Product(Box<Self>, Box<Self>),
}

impl Work {
    /// Its value, where `leaf` knows that of numbers and arguments; `None` as soon as one of them is unknown.
    pub fn evaluate(&self, leaf: &mut dyn FnMut(&Self) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Self::Number(_) | Self::Argument(_) | Self::Pointee(_) => return leaf(self),
            Self::Sum(a, b) => a.evaluate(leaf)? + b.evaluate(leaf)?,
            Self::Difference(a, b) => a.evaluate(leaf)? - b.evaluate(leaf)?,
            Self::Product(a, b) => a.evaluate(leaf)? * b.evaluate(leaf)?,
        })
    }
}
