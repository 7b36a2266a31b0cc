//! Writes to variables and memory, and storage whose contents are lost.

use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_ir::{Base, Place, ScalarType};
use chronos_slicing::ClassId;
use chronos_values::{ReasonId, ReasonKind};

impl Execution<'_> {
    pub(crate) fn zero(&mut self, to: &Place, bytes: u64, span: chronos_base::span::Span) {
        let location = self.location(to);
        self.lose(location.clone(), span);
        let whole = match to.base {
            Base::Variable(variable) => {
                self.setting.program.types.size(self.setting.program.variables[variable].ty, self.setting.program.model)
            }
            Base::Pointer(_) => return,
        };
        if let Location::Cell(object, offset) = location
            && offset.as_constant() == Some(0)
            && bytes >= whole
        {
            self.state.zero_object(object);
        }
    }

    pub fn write(&mut self, place: &Place, value: Symbolic, span: chronos_base::span::Span) {
        let Some(ty) = self.setting.program.types.scalar(place.ty) else { return };
        let location = self.location(place);
        let exact = matches!(&location, Location::Cell(_, offset) if offset.as_constant().is_some());
        if exact || matches!(location, Location::Variable(_)) {
            self.write_at(&location, ty, value);
        } else if self.whole_program.is_none() {
            self.lose_unspanned(location);
        } else {
            // What is written somewhere is what is not known there.
            let unknown = if let Symbolic::Unknown(reason) = value { Some(reason) } else { None };
            let placed = unknown.filter(|&reason| self.setting.reasons.get(reason).span.is_some());
            let reason = placed.unwrap_or_else(|| self.reason(ReasonKind::NotEvaluated, Some(span)));
            self.lose_for(location, reason);
        }
    }

    /// Writes a scalar to a variable or a cell at a constant offset.
    pub(crate) fn write_at(&mut self, location: &Location, ty: ScalarType, value: Symbolic) {
        match location {
            Location::Variable(variable) => {
                self.state.variables.insert(*variable, value);
                if self.trials == 0 {
                    self.written.variables.insert(*variable);
                }
            }
            Location::Cell(object, offset) => {
                let Some(offset) = offset.as_constant() else { return };
                let size = i128::from(ty.size(self.setting.program.model));
                self.state.set_cell(*object, offset, ty, size, value);
                if self.trials == 0 {
                    self.written.cells.insert((*object, offset, ty));
                }
            }
            Location::Within(_) | Location::Anywhere(_) => {}
        }
    }

    fn lose_unspanned(&mut self, location: Location) {
        let reason = self.reason(ReasonKind::NotEvaluated, None);
        self.lose_for(location, reason);
    }

    /// Something unknown is written at the location.
    pub fn lose(&mut self, location: Location, span: chronos_base::span::Span) {
        let reason = self.reason(ReasonKind::NotEvaluated, Some(span));
        self.lose_for(location, reason);
    }

    pub(crate) fn lose_for(&mut self, location: Location, reason: ReasonId) {
        let real = self.trials == 0;
        match location {
            Location::Variable(variable) => {
                self.state.variables.insert(variable, Symbolic::Unknown(reason));
                if real {
                    self.written.variables.insert(variable);
                }
            }
            Location::Cell(object, _) | Location::Within(object) => {
                self.state.lose_object(object, reason);
                if real {
                    self.written.objects.insert(object);
                }
            }
            Location::Anywhere(class) => {
                self.lose_class(class, reason);
                if real {
                    self.written.classes.insert(class);
                }
            }
        }
    }

    /// Nothing in storage of the class is known any more; no write of its own.
    pub(crate) fn lose_class(&mut self, class: ClassId, reason: ReasonId) {
        let analysis = self.setting.analysis;
        self.state.variables.retain(|&variable, _| analysis.variable(variable) != class);
        let mut cells = std::mem::take(&mut self.state.cells);
        cells.retain(|key, _| self.class_of(key.0) != class);
        self.state.cells = cells;
        let mut zeroed = std::mem::take(&mut self.state.zeroed);
        zeroed.retain(|&object| self.class_of(object) != class);
        self.state.zeroed = zeroed;
        self.state.lost_classes.insert(class, reason);
    }

    /// Copies what is known of a struct; the rest of the target is lost.
    pub(crate) fn copy(&mut self, to: &Place, from: &Place, bytes: u64) {
        let (to, from) = (self.location(to), self.location(from));
        self.copy_between(to, from, bytes);
    }

    pub(crate) fn copy_between(&mut self, to: Location, from: Location, bytes: u64) {
        let known = match &from {
            Location::Cell(object, offset) => offset.as_constant().map(|start| self.known_cells(*object, start, bytes)),
            _ => None,
        };
        let start = match &to {
            Location::Cell(object, offset) => offset.as_constant().map(|start| (*object, start)),
            _ => None,
        };
        self.lose_unspanned(to);
        for (offset, ty, value) in known.into_iter().flatten() {
            if let Some((object, start)) = start {
                self.write_at(&Location::Cell(object, Affine::constant(start + offset)), ty, value);
            }
        }
    }

    /// Scalars written within `bytes` from `start` on, at offsets from there.
    fn known_cells(&self, object: Object, start: i128, bytes: u64) -> Vec<(i128, ScalarType, Symbolic)> {
        let range = (object, start)..(object, start + i128::from(bytes));
        let cells = self.state.cells.range(range);
        cells.map(|(key, (ty, value))| (key.1 - start, *ty, value.clone())).collect()
    }
}
