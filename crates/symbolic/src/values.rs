//! The values of atoms at a point.

use super::atoms::{Atoms, Definition};
use chronos_abstract_execution::IntegerFunction;
use chronos_abstract_execution::whole_programs::SumDefinition;
use chronos_ir::ParameterId;
use chronos_math::quasi::{self, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeSet;

/// Terms of all sums: more would take longer than anybody waits.
const MAX_TERMS: u64 = 2_000_000;
/// Of powers, which parameters of 64 bits do not exceed.
const MAX_EXPONENT: u32 = 4096;

/// An evaluation under way.
struct Evaluation<'a> {
    atoms: &'a Atoms,
    parameter: &'a dyn Fn(ParameterId) -> BigInt,
    values: Vec<BigRational>,
    /// Indices that an atom depends on.
    indices: Vec<BTreeSet<Symbol>>,
    terms: u64,
}

impl Atoms {
    /// The value of every atom where `parameter` gives those of the parameters; `None` where a sum has more terms
    /// than can be added in time. What depends on the index of a sum is of no meaning.
    pub fn values(&self, parameter: &dyn Fn(ParameterId) -> BigInt) -> Option<Vec<BigRational>> {
        let mut evaluation = Evaluation {
            atoms: self,
            parameter,
            values: vec![BigRational::zero(); self.atoms.len()],
            indices: Vec::with_capacity(self.atoms.len()),
            terms: 0,
        };
        for at in 0..self.atoms.len() {
            let indices = evaluation.indices_of(at);
            let is_free = indices.is_empty();
            evaluation.indices.push(indices);
            if is_free {
                evaluation.values[at] = evaluation.value(at)?;
            }
        }
        Some(evaluation.values)
    }
}

impl Evaluation<'_> {
    /// The indices that an atom depends on, by those of the atoms before it.
    fn indices_of(&self, at: usize) -> BTreeSet<Symbol> {
        let of = |symbol: &Symbol| self.indices.get(symbol.0 as usize).cloned().unwrap_or_default();
        let affine = |affine: &quasi::Affine| affine.terms.iter().flat_map(|term| of(&term.0)).collect::<BTreeSet<_>>();
        match &self.atoms.atoms[at].definition {
            Definition::Parameter(_) => BTreeSet::new(),
            Definition::Index(_) => BTreeSet::from([Symbol(u32::try_from(at).unwrap_or(u32::MAX))]),
            Definition::Product(factors) => factors.iter().flat_map(of).collect(),
            Definition::Function(_, argument)
            | Definition::Quotient(argument, _)
            | Definition::Reciprocal(argument) => affine(argument),
            Definition::Ratio(dividend, divisor) => affine(dividend).into_iter().chain(affine(divisor)).collect(),
            Definition::Sum(sum) => {
                let bounds = sum.low.iter().chain(&sum.high).flat_map(affine);
                let body = sum.body.symbols();
                let all = bounds.chain(body.iter().flat_map(of));
                all.filter(|&index| index != sum.index).collect()
            }
        }
    }

    /// Of a symbol that stands for an integer.
    fn of(&self, symbol: Symbol) -> BigInt {
        self.values.get(symbol.0 as usize).map(BigRational::to_integer).unwrap_or_default()
    }

    fn affine(&self, affine: &quasi::Affine) -> BigInt {
        affine.terms.iter().fold(BigInt::from(affine.constant), |sum, &(symbol, factor)| sum + self.of(symbol) * factor)
    }

    fn value(&mut self, at: usize) -> Option<BigRational> {
        if let Definition::Reciprocal(divisor) = &self.atoms.atoms[at].definition {
            let divisor = self.affine(divisor);
            return Some(if divisor.is_zero() {
                BigRational::zero()
            } else {
                BigRational::new(BigInt::one(), divisor)
            });
        }
        self.integer(at).map(BigRational::from)
    }

    fn integer(&mut self, at: usize) -> Option<BigInt> {
        let atoms = self.atoms;
        Some(match &atoms.atoms[at].definition {
            Definition::Parameter(id) => (self.parameter)(*id),
            Definition::Index(_) | Definition::Reciprocal(_) => self.values[at].to_integer(),
            Definition::Product(factors) => factors.iter().fold(BigInt::one(), |product, &f| product * self.of(f)),
            Definition::Function(function, argument) => applied(*function, &self.affine(argument)),
            Definition::Quotient(affine, modulus) => self.affine(affine).div_floor(&BigInt::from(*modulus)),
            Definition::Ratio(dividend, divisor) => {
                self.affine(dividend).div_floor(&self.affine(divisor).max(BigInt::one()))
            }
            Definition::Sum(sum) => self.sum(at, sum)?,
        })
    }

    fn sum(&mut self, at: usize, sum: &SumDefinition) -> Option<BigInt> {
        let low = sum.low.iter().map(|bound| self.affine(bound)).max()?;
        let high = sum.high.iter().map(|bound| self.affine(bound)).min()?;
        let dependents: Vec<usize> = (0..at)
            .filter(|&other| !matches!(self.atoms.atoms[other].definition, Definition::Index(_)))
            .filter(|&other| self.indices[other].contains(&sum.index))
            .collect();
        let (mut index, mut total) = (low, BigInt::zero());
        while index <= high {
            self.terms += 1;
            if self.terms > MAX_TERMS {
                return None;
            }
            self.values[sum.index.0 as usize] = BigRational::from(index.clone());
            for &dependent in &dependents {
                self.values[dependent] = self.value(dependent)?;
            }
            total += sum.body.evaluate(&|symbol| self.of(symbol));
            index += 1;
        }
        Some(total)
    }
}

fn applied(function: IntegerFunction, argument: &BigInt) -> BigInt {
    match function {
        IntegerFunction::SquareRoot if argument.is_positive() => argument.sqrt(),
        IntegerFunction::SquareRoot => BigInt::zero(),
        IntegerFunction::FloorLog(base) => BigInt::from(powers(base, |power| power <= argument)) - 1,
        IntegerFunction::CeilLog(base) => BigInt::from(powers(base, |power| power < argument)),
        IntegerFunction::Power(base) => {
            let exponent = argument.to_u32().filter(|&exponent| exponent <= MAX_EXPONENT);
            BigInt::from(base).pow(exponent.unwrap_or(if argument.is_negative() { 0 } else { MAX_EXPONENT }))
        }
    }
}

/// How many powers of the base, from 1 on, fulfil a condition that ends some time.
fn powers(base: u32, holds: impl Fn(&BigInt) -> bool) -> u32 {
    let mut power = BigInt::one();
    let mut count = 0;
    while base > 1 && holds(&power) {
        power *= base;
        count += 1;
    }
    count
}
