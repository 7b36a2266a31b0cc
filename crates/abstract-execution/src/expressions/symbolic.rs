//! Values of abstract execution: constants, affine in the iteration counters, or unknown.

use super::affine::{Affine, Symbol};
use super::formula::{Conjunction, Formula};
use chronos_ir::{BlockId, ScalarType, VarId};
use chronos_values::{ObjectId, ReasonId, Value};
use std::sync::Arc;

/// An object as abstract execution names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// One that exists before the region.
    Outer(ObjectId),
    /// A variable of a function that the region calls.
    Local(VarId),
    /// What a pointer parameter leads to, where a function is executed for all its arguments at once.
    Argument(VarId),
    /// Storage that a library call of the region returns, each time another one.
    Fresh(BlockId, u32),
    /// A string literal.
    String(chronos_ir::StrId),
}

/// What an expression is, in every iteration that reaches it.
#[derive(Clone, Debug, PartialEq)]
pub enum Symbolic {
    Int(Affine),
    /// Disjoint conditions that cover the iterations, each with its value.
    Cases(Arc<Vec<(Conjunction, Affine)>>),
    /// 1 where the formula holds, else 0.
    Truth(Formula),
    Pointer(Object, Affine),
    /// A number of type double, known by its floor and ceiling.
    Real(Real),
    /// A number of type double that is a quotient, of which no more is followed.
    Fraction(Fraction),
    /// Neither an integer, nor a pointer, nor unknown.
    Constant(Value),
    Unknown(ReasonId),
}

/// Beyond this many cases a value counts as unknown.
const MAX_CASES: usize = 16;

impl Symbolic {
    pub fn int(constant: i128) -> Self {
        Self::Int(Affine::constant(constant))
    }

    /// The integer by cases; `None` for what is no known integer.
    pub fn cases(&self) -> Option<Vec<(Conjunction, Affine)>> {
        match self {
            Self::Int(affine) => Some(vec![(Vec::new(), affine.clone())]),
            Self::Cases(cases) => Some(cases.as_ref().clone()),
            Self::Truth(formula) => {
                let ones = formula.pieces.iter().map(|piece| (piece.clone(), Affine::constant(1)));
                let zeros = formula.not()?;
                Some(ones.chain(zeros.pieces.into_iter().map(|piece| (piece, Affine::default()))).collect())
            }
            Self::Pointer(..) | Self::Real(_) | Self::Fraction(_) | Self::Constant(_) | Self::Unknown(_) => None,
        }
    }

    /// From cases that are disjoint and complete.
    pub(crate) fn from_cases(mut cases: Vec<(Conjunction, Affine)>) -> Option<Self> {
        let uniform = cases.iter().all(|case| case.1 == cases[0].1);
        match (uniform, cases.len()) {
            (_, 0) => None,
            (true, _) => Some(Self::Int(cases.swap_remove(0).1)),
            (false, n) if n <= MAX_CASES => Some(Self::Cases(Arc::new(cases))),
            _ => None,
        }
    }

    pub fn symbols(&self) -> Vec<Symbol> {
        match self {
            Self::Int(affine) | Self::Pointer(_, affine) => affine.symbols().collect(),
            Self::Truth(formula) => formula.symbols().collect(),
            Self::Real(real) => {
                let exact = real.exact.iter().flat_map(Fraction::symbols);
                real.floor.symbols().chain(real.ceiling.iter().flat_map(Affine::symbols)).chain(exact).collect()
            }
            Self::Fraction(fraction) => fraction.symbols().collect(),
            Self::Cases(cases) => {
                let guards = cases.iter().flat_map(|case| case.0.iter().flat_map(|c| c.affine().symbols()));
                guards.chain(cases.iter().flat_map(|case| case.1.symbols())).collect()
            }
            Self::Constant(_) | Self::Unknown(_) => Vec::new(),
        }
    }

    pub fn substitute(&self, symbol: Symbol, by: &Affine) -> Option<Self> {
        Some(match self {
            Self::Int(affine) => Self::Int(affine.substitute(symbol, by)?),
            Self::Pointer(object, offset) => Self::Pointer(*object, offset.substitute(symbol, by)?),
            Self::Truth(formula) => Self::Truth(formula.substitute(symbol, by)?),
            Self::Fraction(fraction) => Self::Fraction(fraction.mapped(|affine| affine.substitute(symbol, by))?),
            Self::Real(Real { floor, ceiling, exact }) => {
                let exact = exact.as_ref().and_then(|exact| exact.mapped(|affine| affine.substitute(symbol, by)));
                let ceiling = ceiling.as_ref().and_then(|ceiling| ceiling.substitute(symbol, by));
                Self::Real(Real { floor: floor.substitute(symbol, by)?, ceiling, exact })
            }
            Self::Cases(cases) => {
                let mut replaced = Vec::new();
                for (guard, affine) in cases.iter() {
                    let guard = Formula { pieces: vec![guard.clone()] }.substitute(symbol, by)?;
                    if let Some(guard) = guard.pieces.into_iter().next() {
                        replaced.push((guard, affine.substitute(symbol, by)?));
                    }
                }
                return Self::from_cases(replaced);
            }
            Self::Constant(_) | Self::Unknown(_) => self.clone(),
        })
    }
}

/// The integer that 64 bits of this type stand for.
pub(crate) fn widen(bits: i64, ty: ScalarType) -> i128 {
    if ty == ScalarType::U64 { i128::from(bits as u64) } else { i128::from(bits) }
}

/// The least and greatest value of an integer type.
pub fn limits(ty: ScalarType) -> (i128, i128) {
    match ty {
        ScalarType::Bool => (0, 1),
        ScalarType::I8 => (i8::MIN.into(), i8::MAX.into()),
        ScalarType::U8 => (0, u8::MAX.into()),
        ScalarType::I16 => (i16::MIN.into(), i16::MAX.into()),
        ScalarType::U16 => (0, u16::MAX.into()),
        ScalarType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ScalarType::U32 => (0, u32::MAX.into()),
        ScalarType::U64 => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

/// A constant as its type holds it.
pub fn wrap(constant: i128, ty: ScalarType) -> i128 {
    let (low, high) = limits(ty);
    if ty == ScalarType::Bool {
        return i128::from(constant != 0);
    }
    (constant - low).rem_euclid(high - low + 1) + low
}

/// Floor and ceiling of a real number; the same for an integer.
#[derive(Clone, Debug, PartialEq)]
pub struct Real {
    pub floor: Affine,
    pub(crate) ceiling: Option<Affine>,
    /// The number itself, where it is known and no integer.
    pub exact: Option<Fraction>,
}

/// `dividend / divisor`; the divisor is not zero where it is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub dividend: Affine,
    pub divisor: Affine,
}

impl Fraction {
    pub fn integer(dividend: Affine) -> Self {
        Self { dividend, divisor: Affine::constant(1) }
    }

    /// With a divisor whose first coefficient is positive; `None` for a division by zero.
    pub fn new(dividend: Affine, divisor: Affine) -> Option<Self> {
        match divisor.terms.first().map_or(divisor.constant, |term| term.1) {
            0 => None,
            1.. => Some(Self { dividend, divisor }),
            _ => Some(Self { dividend: dividend.negate()?, divisor: divisor.negate()? }),
        }
    }

    /// What is missing of 1.
    pub fn complement(&self) -> Option<Self> {
        Some(Self { dividend: self.divisor.sub(&self.dividend)?, divisor: self.divisor.clone() })
    }

    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.dividend.symbols().chain(self.divisor.symbols())
    }

    /// Both parts as `replace` says.
    pub fn mapped(&self, mut replace: impl FnMut(&Affine) -> Option<Affine>) -> Option<Self> {
        Self::new(replace(&self.dividend)?, replace(&self.divisor)?)
    }
}
