//! Where a place of the program lies: a variable, a cell of an object, or some storage of a class.

use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_ir::{Base, Place, Step, Stride, VarId};
use chronos_slicing::ClassId;
use chronos_values::{Origin, ReasonKind};

impl Execution<'_> {
    /// The object of a variable that is reached by its address.
    pub fn aggregate(&mut self, variable: VarId) -> Object {
        if self.is_outer(variable) { Object::Outer(self.environment.object(variable)) } else { Object::Local(variable) }
    }

    pub fn class_of(&self, object: Object) -> ClassId {
        let origin = match object {
            Object::Outer(id) => self.environment.origin(id),
            Object::Local(variable) => Origin::Variable(variable),
            Object::Argument(parameter) => return self.class_of_argument(parameter),
            Object::Fresh(block, _) => Origin::Allocation(block),
            Object::String(string) => Origin::String(string),
        };
        self.setting.analysis.class(origin)
    }

    pub fn location(&mut self, place: &Place) -> Location {
        let (object, start) = match &place.base {
            Base::Variable(variable) => {
                let named = &self.setting.program.variables[*variable];
                if place.steps.is_empty()
                    && !named.address_taken
                    && self.setting.program.types.scalar(named.ty).is_some()
                {
                    return Location::Variable(*variable);
                }
                (self.aggregate(*variable), Affine::default())
            }
            Base::Pointer(operand) => match self.operand(operand) {
                Symbolic::Pointer(object, offset) => (object, offset),
                _ => return Location::Anywhere(self.setting.analysis.place(self.function(), place)),
            },
        };
        match self.offset(start, &place.steps) {
            Some(offset) if place.bits.is_none() => Location::Cell(object, offset),
            _ => Location::Within(object),
        }
    }

    fn offset(&mut self, start: Affine, steps: &[Step]) -> Option<Affine> {
        steps.iter().try_fold(start, |offset, step| match step {
            Step::Field { offset: field, .. } => offset.plus(i128::from(*field)),
            Step::Index { index, stride, .. } => {
                let Symbolic::Int(index) = self.operand(index) else { return None };
                let bytes = match stride {
                    Stride::Bytes(bytes) => Affine::constant(i128::from(*bytes)),
                    Stride::Value(operand) => match self.operand(operand) {
                        Symbolic::Int(bytes) => bytes,
                        _ => return None,
                    },
                };
                let distance = match (bytes.as_constant(), index.as_constant()) {
                    (Some(bytes), _) => index.scale(bytes)?,
                    (None, Some(index)) => bytes.scale(index)?,
                    (None, None) => return None,
                };
                offset.add(&distance)
            }
        })
    }

    pub(crate) fn address(&mut self, place: &Place) -> Symbolic {
        if let Base::Variable(variable) = place.base {
            let object = self.aggregate(variable);
            if let Some(offset) = self.offset(Affine::default(), &place.steps) {
                return Symbolic::Pointer(object, offset);
            }
        }
        match self.location(place) {
            Location::Cell(object, offset) => Symbolic::Pointer(object, offset),
            _ => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
    }
}
