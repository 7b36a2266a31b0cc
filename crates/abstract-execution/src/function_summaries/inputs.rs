//! What a function that is executed for all its arguments at once asks of its caller: the integers that it
//! reads, as free symbols, and ranges that its values must not leave.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::arithmetic::{Symbols, fit};
use crate::expressions::bounds::Bounds;
use crate::expressions::symbolic::{Object, Symbolic, limits};
use crate::state::execution::Execution;
use crate::{Origin, ScalarType};
use chronos_ir::{BlockId, Storage, VarId};
use chronos_slicing::ClassId;
use std::collections::BTreeMap;

/// An integer that a function finds when it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// By position.
    Parameter(usize),
    /// A scalar in static storage.
    Variable(VarId, ScalarType),
    /// A scalar at a byte offset of what a pointer parameter leads to, or of an object in static storage.
    Cell(Object, i128, ScalarType),
}

/// The expression is in the range of the type: it is converted from another type, or computed in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    pub affine: Affine,
    pub from: Option<ScalarType>,
    pub ty: ScalarType,
}

/// What a function has asked for so far.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    pub inputs: BTreeMap<Symbol, Input>,
    /// Something was left out because it is not known for all arguments.
    pub incomplete: bool,
}

/// Greatest coefficient of a counter that no feasible number of iterations takes out of 64 bits.
const SMALL: i128 = 1 << 16;

impl Symbols {
    /// The expression as a value of the type. For all arguments at once, what has no bounds is to be promised by
    /// the caller, or is not known.
    pub fn fit(&mut self, affine: Affine, from: Option<ScalarType>, ty: ScalarType, bounds: &Bounds) -> Option<Affine> {
        let fitted = fit(affine, ty, bounds)?;
        if self.promises.is_none() || fitted.as_constant().is_some() {
            return Some(fitted);
        }
        let (low, high) = limits(ty);
        let (least, greatest) = bounds.range(&fitted);
        let own = from.map_or((i128::MIN, i128::MAX), limits);
        let (below, above) = (own.0 < low && least.is_none(), own.1 > high && greatest.is_none());
        let is_free = |term: &(Symbol, i128)| self.quotients.is_free(term.0);
        let (free, counted): (Vec<_>, Vec<_>) = fitted.terms.iter().copied().partition(is_free);
        let signed = from.is_none() && matches!(ty, ScalarType::I32 | ScalarType::I64);
        if (below || above) && counted.is_empty() {
            self.promise(Promise { affine: fitted.clone(), from, ty });
        } else if !signed && (below || above) {
            let small = counted.iter().all(|term| term.1.abs() <= SMALL);
            if below || ty != ScalarType::U64 || !small {
                return None;
            }
            self.promise(Promise {
                affine: Affine { constant: fitted.constant, terms: free },
                from: None,
                ty: ScalarType::I64,
            });
        }
        Some(fitted)
    }

    fn promise(&mut self, promise: Promise) {
        if let Some(promises) = self.promises.as_mut().filter(|promises| !promises.contains(&promise)) {
            promises.push(promise);
        }
    }
}

impl Execution<'_> {
    /// A scalar in static storage, as the caller leaves it, where it matters.
    pub(crate) fn open_variable(&mut self, variable: VarId, ty: ScalarType) -> Option<Symbolic> {
        let asked = self.is_static(variable) && self.analysis.relevant_variable(variable);
        asked.then(|| self.open(Input::Variable(variable, ty), ty))?
    }

    /// A scalar in an object that exists before the call, where its contents matter.
    pub(crate) fn open_cell(&mut self, object: Object, offset: i128, ty: ScalarType) -> Option<Symbolic> {
        let asked = self.outlives(object) && self.analysis.relevant_class(self.class_of(object));
        asked.then(|| self.open(Input::Cell(object, offset, ty), ty))?
    }

    fn open(&mut self, input: Input, ty: ScalarType) -> Option<Symbolic> {
        let opened = self.opened.as_mut().filter(|_| ty.is_integer() && ty != ScalarType::Bool)?;
        let known = opened.inputs.iter().find(|(_, known)| **known == input).map(|(&symbol, _)| symbol);
        let symbol = known.unwrap_or_else(|| {
            let symbol = self.symbols.fresh();
            opened.inputs.insert(symbol, input);
            self.symbols.leave_free(&[symbol]);
            symbol
        });
        Some(Symbolic::Int(Affine::symbol(symbol)))
    }

    pub fn is_static(&self, variable: VarId) -> bool {
        matches!(self.program.variables[variable].storage, Storage::Global | Storage::Static)
    }

    /// The object exists before the function that is executed for all its arguments, and after it.
    pub fn outlives(&self, object: Object) -> bool {
        match object {
            Object::Argument(_) => true,
            Object::Local(variable) => self.opened.is_some() && self.is_static(variable),
            Object::Outer(_) | Object::Fresh(..) | Object::String(_) => false,
        }
    }

    pub(crate) fn class_of_argument(&self, parameter: VarId) -> ClassId {
        let target = self.analysis.pointee(self.analysis.variable(parameter));
        target.unwrap_or_else(|| self.analysis.class(Origin::Environment))
    }

    /// Notes a library call whose bytes are not known for all arguments.
    pub(crate) fn note_volume(&mut self, leaf: BlockId, name: &str) {
        let context = self.context();
        let handles = !chronos_functions::bytes_handled(name).is_empty() && self.trials == 0;
        if let Some(opened) = self.opened.as_mut().filter(|_| handles) {
            opened.incomplete |= !self.volumes.contains_key(&(context, leaf));
        }
    }
}
