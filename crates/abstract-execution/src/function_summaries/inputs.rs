//! What a function that is executed for all its arguments at once asks of its caller: the integers that it
//! reads, as free symbols, and ranges that its values must not leave.

use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::Execution;
use crate::state::function_table::Input;
use chronos_ir::{BlockId, ScalarType, Storage, VarId};
use chronos_slicing::ClassId;
use chronos_values::Origin;

impl Execution<'_> {
    /// A scalar in static storage, as the caller leaves it, where it matters.
    pub(crate) fn input_variable(&mut self, variable: VarId, ty: ScalarType) -> Option<Symbolic> {
        let asked = self.is_static(variable) && self.setting.analysis.relevant_variable(variable);
        asked.then(|| self.input_symbol(Input::Variable(variable, ty), ty))?
    }

    /// A scalar in an object that exists before the call, where its contents matter.
    pub(crate) fn input_cell(&mut self, object: Object, offset: i128, ty: ScalarType) -> Option<Symbolic> {
        let asked = self.outlives(object) && self.setting.analysis.relevant_class(self.class_of(object));
        asked.then(|| self.input_symbol(Input::Cell(object, offset, ty), ty))?
    }

    fn input_symbol(&mut self, input: Input, ty: ScalarType) -> Option<Symbolic> {
        let function_inputs = self.function_inputs.as_mut().filter(|_| ty.is_integer() && ty != ScalarType::Bool)?;
        let known = function_inputs.inputs.iter().find(|(_, known)| **known == input).map(|(&symbol, _)| symbol);
        let symbol = known.unwrap_or_else(|| {
            let symbol = self.symbols.fresh();
            function_inputs.inputs.insert(symbol, input);
            self.symbols.make_free(&[symbol]);
            symbol
        });
        Some(Symbolic::Int(Affine::symbol(symbol)))
    }

    pub fn is_static(&self, variable: VarId) -> bool {
        matches!(self.setting.program.variables[variable].storage, Storage::Global | Storage::Static)
    }

    /// The object exists before the function that is executed for all its arguments, and after it.
    pub fn outlives(&self, object: Object) -> bool {
        match object {
            Object::Argument(_) => true,
            Object::Local(variable) => self.function_inputs.is_some() && self.is_static(variable),
            Object::Outer(_) | Object::Fresh(..) | Object::String(_) => false,
        }
    }

    pub(crate) fn class_of_argument(&self, parameter: VarId) -> ClassId {
        let target = self.setting.analysis.pointee(self.setting.analysis.variable(parameter));
        target.unwrap_or_else(|| self.setting.analysis.class(Origin::Environment))
    }

    /// Notes a library call whose bytes are not known for all arguments.
    pub(crate) fn note_volume(&mut self, leaf: BlockId, name: &str) {
        let context = self.context();
        let handles = !chronos_functions::bytes_handled(name).is_empty() && self.trials == 0;
        if let Some(function_inputs) = self.function_inputs.as_mut().filter(|_| handles) {
            function_inputs.incomplete |= !self.volumes.contains_key(&(context, leaf));
        }
    }
}
