//! Elements of arrays that are the same for all tasks, at an index that depends on the rank: `counts[rank]`.

use crate::code::instructions::{CompiledPlace, PlaceBase, PlaceStep, StepStride};
use crate::execute::access::AccessTarget;
use crate::execute::machine::Machine;
use crate::state::formulas::FormulaId;
use chronos_ir::ScalarType;
use chronos_values::{Pointer, Value};

/// An array's element at the index that the task has.
struct Element {
    at: Pointer,
    ty: ScalarType,
    index: i64,
    /// Bytes from one element to the next.
    stride: i64,
    /// Elements that the array has, where its type says so.
    length: Option<u64>,
}

impl Machine<'_> {
    /// The function of the rank that an element is whose index alone depends on the rank; `None` where it is another place,
    /// or not all is known to be the same for all tasks.
    pub(super) fn element_by_rank(&mut self, place: &CompiledPlace) -> Option<FormulaId> {
        let (index, element) = self.element(place)?;
        let by_rank = self.task.by_rank.as_ref()?;
        if by_rank.holds(element.at.object) {
            return None;
        }
        let (numbers, first) = self.numbers_around(&element)?;
        self.task.by_rank.as_mut()?.formulas.in_table(numbers, index, first)
    }

    fn element(&mut self, place: &CompiledPlace) -> Option<(FormulaId, Element)> {
        let ty = place.ty.filter(|_| place.bits.is_none())?;
        let depends = |step: &&PlaceStep| self.formula_of(step.index).is_some();
        let step = place.steps.iter().find(depends)?;
        let index = self.formula_of(step.index)?;
        let others = place.steps.iter().filter(depends).count() > 1;
        let strides = place.steps.iter().any(|step| match step.stride {
            StepStride::Src(src) => self.formula_of(src).is_some(),
            StepStride::Bytes(_) => false,
        });
        let base = matches!(place.base, PlaceBase::Src(src) if self.formula_of(src).is_some());
        if others || strides || base {
            return None;
        }
        let stride = match step.stride {
            StepStride::Bytes(bytes) => bytes,
            StepStride::Src(src) => self.value(src).as_int()?,
        };
        let AccessTarget::Known(at) = self.target(place, self.base()) else { return None };
        let own = self.value(step.index).as_int().filter(|_| stride > 0)?;
        Some((index, Element { at, ty, index: own, stride, length: step.length }))
    }

    /// The integers of the array before and behind an element, as far as they are known, and the index of the first.
    fn numbers_around(&self, element: &Element) -> Option<(Vec<i64>, i64)> {
        let &Element { at, ty, index, stride, length } = element;
        let (memory, bytes) = (&self.task.memory, ty.size(self.task.memory.model));
        let number = |other: i64| {
            let is_inside = other >= 0 && length.is_none_or(|length| (other as u64) < length);
            let offset = at.offset.checked_add(other.checked_sub(index)?.checked_mul(stride)?)?;
            let place = Pointer { object: at.object, offset };
            let is_there = is_inside && offset >= 0 && memory.check(place, bytes).is_ok();
            match is_there.then(|| memory.read(place, ty)).flatten() {
                Some(Value::Int(n)) => Some(n),
                _ => None,
            }
        };
        let mut numbers: Vec<i64> = (0..index).rev().map_while(number).collect();
        let first = index - numbers.len() as i64;
        numbers.reverse();
        numbers.extend((index..).map_while(number));
        (numbers.len() > 1 && number(index).is_some()).then_some((numbers, first))
    }
}
