//! Reads of variables and of memory.

use crate::expressions::symbolic::{Object, Symbolic};
use crate::iteration_space::induction::plain;
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_ir::{Place, ScalarType, Storage, VarId};
use chronos_values::{Pointer, ReasonId, ReasonKind, Value};

impl Execution<'_> {
    pub fn read(&mut self, place: &Place, ty: ScalarType) -> Symbolic {
        if place.volatile && !self.is_own(place) {
            return Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None));
        }
        let location = self.location(place);
        self.read_at(&location, ty)
    }

    /// A variable of the function that nobody else can name: though it is `volatile`, it holds what the function wrote.
    fn is_own(&self, place: &Place) -> bool {
        plain(place).is_some_and(|variable| {
            let variable = &self.setting.program.variables[variable];
            matches!(variable.storage, Storage::Local | Storage::Parameter(_)) && !variable.address_taken
        })
    }

    pub fn read_at(&mut self, location: &Location, ty: ScalarType) -> Symbolic {
        match location {
            Location::Variable(variable) => self.read_variable(*variable, ty),
            Location::Cell(object, offset) => match offset.as_constant() {
                Some(offset) => self.read_cell(*object, offset, ty),
                None => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
            },
            Location::Within(_) | Location::Anywhere(_) => {
                Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None))
            }
        }
    }

    pub(crate) fn read_variable(&mut self, variable: VarId, ty: ScalarType) -> Symbolic {
        if let Some(value) = self.state.variables.get(&variable) {
            return value.clone();
        }
        if let Some(&reason) = self.state.lost_classes.get(&self.setting.analysis.variable(variable)) {
            return Symbolic::Unknown(reason);
        }
        if !self.is_outer(variable) {
            return match self.input_variable(variable, ty) {
                Some(value) => value,
                None => Symbolic::Unknown(self.reason(ReasonKind::Uninitialised, None)),
            };
        }
        let known = self.environment.variable(variable);
        Self::lift(known, ty)
    }

    pub(crate) fn read_cell(&mut self, object: Object, offset: i128, ty: ScalarType) -> Symbolic {
        let size = i128::from(ty.size(self.setting.program.model));
        match self.state.cell(object, offset, ty, size) {
            Ok(Some(value)) => return value.clone(),
            Ok(None) => {}
            Err(()) => return Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
        if self.state.zeroed.contains(&object) {
            return if ty.is_float() { Symbolic::Constant(Value::Float(0.0)) } else { Symbolic::int(0) };
        }
        if let Some(reason) = self.lost(object) {
            return Symbolic::Unknown(reason);
        }
        if let Some(value) = self.input_cell(object, offset, ty) {
            return value;
        }
        match (object, i64::try_from(offset)) {
            (Object::Outer(object), Ok(offset)) => {
                Self::lift(self.environment.load(Pointer { object, offset }, ty), ty)
            }
            (Object::Local(_) | Object::Fresh(..), _) => {
                Symbolic::Unknown(self.reason(ReasonKind::Uninitialised, None))
            }
            (Object::String(string), _) => match self.byte_at(string, offset, ty) {
                Some(letter) => letter,
                None => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
            },
            _ => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
    }

    pub(crate) fn lost(&self, object: Object) -> Option<ReasonId> {
        let class = || self.state.lost_classes.get(&self.class_of(object));
        self.state.lost_objects.get(&object).or_else(class).copied()
    }
}
