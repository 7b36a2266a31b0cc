//! What a summary of a function says, in the terms of a call.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::derived::Derived;
use crate::expressions::formula::{Conjunction, Constraint, Formula};
use crate::expressions::symbolic::{Object, Real, Symbolic};
use crate::state::execution::Execution;
use crate::state::function_table::{FunctionSummary, Input};
use std::collections::BTreeMap;

/// The arguments of one call, and what symbols of the summary are there.
pub struct Translation<'s> {
    pub summary: &'s FunctionSummary,
    pub arguments: Vec<Symbolic>,
    /// The parameters of the function, by position.
    pub parameters: &'s [chronos_ir::VarId],
    pub known: BTreeMap<Symbol, Option<Affine>>,
}

impl Execution<'_> {
    /// What a symbol of the summary is at the call; `None` where that is no expression.
    pub(crate) fn symbol_at_call(&mut self, there: &mut Translation<'_>, symbol: Symbol) -> Option<Affine> {
        if let Some(known) = there.known.get(&symbol) {
            return known.clone();
        }
        let found = self.found_at_call(there, symbol);
        there.known.insert(symbol, found.clone());
        found
    }

    fn found_at_call(&mut self, there: &mut Translation<'_>, symbol: Symbol) -> Option<Affine> {
        let summary = there.summary;
        if let Some(input) = summary.inputs.get(&symbol) {
            return self.input_at_call(there, *input);
        }
        if let Some((affine, modulus)) = summary.symbols.quotients.get(symbol) {
            let dividend = self.affine_at_call(there, affine)?;
            return Some(self.symbols.quotient(&dividend, *modulus));
        }
        let derived = summary.symbols.quotients.free.get(symbol)?;
        let Derived::Product(factors) = derived.as_ref() else { return None };
        let mut product = Affine::constant(1);
        for &factor in factors {
            let factor = self.symbol_at_call(there, factor)?;
            product = match (product.as_constant(), factor.as_constant()) {
                (Some(n), _) => factor.scale(n)?,
                (_, Some(n)) => product.scale(n)?,
                _ => self.symbols.product(&product, &factor)?,
            };
        }
        Some(product)
    }

    fn input_at_call(&mut self, there: &Translation<'_>, input: Input) -> Option<Affine> {
        let value = match input {
            Input::Parameter(index) => there.arguments.get(index)?.clone(),
            Input::Variable(variable, ty) => self.read_variable(variable, ty),
            Input::Cell(object, offset, ty) => {
                let (object, base) = self.object_at_call(there, object)?;
                self.read_cell(object, base.as_constant()?.checked_add(offset)?, ty)
            }
        };
        if let Symbolic::Int(affine) = value { Some(affine) } else { None }
    }

    /// The object, and the offset in it where the function's begins.
    pub(crate) fn object_at_call(&mut self, there: &Translation<'_>, object: Object) -> Option<(Object, Affine)> {
        match object {
            Object::Argument(parameter) => {
                let index = there.parameters.iter().position(|known| *known == parameter)?;
                match there.arguments.get(index)? {
                    Symbolic::Pointer(object, offset) => Some((*object, offset.clone())),
                    _ => None,
                }
            }
            Object::Local(variable) => Some((self.aggregate(variable), Affine::default())),
            Object::String(_) => Some((object, Affine::default())),
            Object::Outer(_) | Object::Fresh(..) => None,
        }
    }

    pub(crate) fn affine_at_call(&mut self, there: &mut Translation<'_>, affine: &Affine) -> Option<Affine> {
        let mut sum = Affine::constant(affine.constant);
        for &(symbol, coefficient) in &affine.terms {
            sum = sum.add(&self.symbol_at_call(there, symbol)?.scale(coefficient)?)?;
        }
        Some(sum)
    }

    fn formula_at_call(&mut self, there: &mut Translation<'_>, formula: &Formula) -> Option<Formula> {
        let mut pieces = Vec::new();
        for piece in &formula.pieces {
            pieces.push(self.conjunction_at_call(there, piece)?);
        }
        Formula { pieces }.and(&Formula::always())
    }

    fn conjunction_at_call(&mut self, there: &mut Translation<'_>, piece: &Conjunction) -> Option<Conjunction> {
        let mut constraints = Conjunction::new();
        for constraint in piece {
            let affine = self.affine_at_call(there, constraint.affine())?;
            constraints.push(match constraint {
                Constraint::Nonnegative(_) => Constraint::Nonnegative(affine),
                Constraint::Zero(_) => Constraint::Zero(affine),
                &Constraint::Residue { modulus, low, high, .. } => Constraint::Residue { affine, modulus, low, high },
            });
        }
        Some(constraints)
    }

    pub(crate) fn value_at_call(&mut self, there: &mut Translation<'_>, value: &Symbolic) -> Option<Symbolic> {
        Some(match value {
            Symbolic::Int(affine) => Symbolic::Int(self.affine_at_call(there, affine)?),
            Symbolic::Truth(formula) => Symbolic::Truth(self.formula_at_call(there, formula)?).constant_folded(),
            Symbolic::Cases(cases) => {
                let mut translated = Vec::new();
                for (guard, affine) in cases.iter() {
                    let guard = self.formula_at_call(there, &Formula { pieces: vec![guard.clone()] })?;
                    if let Some(guard) = guard.pieces.into_iter().next() {
                        translated.push((guard, self.affine_at_call(there, affine)?));
                    }
                }
                return Symbolic::from_cases(translated);
            }
            Symbolic::Pointer(object, offset) => {
                let (object, base) = self.object_at_call(there, *object)?;
                Symbolic::Pointer(object, base.add(&self.affine_at_call(there, offset)?)?)
            }
            Symbolic::Fraction(fraction) => {
                Symbolic::Fraction(fraction.mapped(|affine| self.affine_at_call(there, affine))?)
            }
            Symbolic::Real(Real { floor, ceiling, exact }) => {
                let exact = exact.as_ref().and_then(|exact| exact.mapped(|affine| self.affine_at_call(there, affine)));
                let floor = self.affine_at_call(there, floor)?;
                let ceiling = match ceiling {
                    Some(ceiling) => Some(self.affine_at_call(there, ceiling)?),
                    None => None,
                };
                Symbolic::Real(Real { floor, ceiling, exact })
            }
            Symbolic::Constant(_) | Symbolic::Unknown(_) => value.clone(),
        })
    }
}
