//! What a region leaves behind, for the memory of the task.

use crate::Effect;
use crate::expressions::symbolic::{Object, Symbolic, wrap};
use crate::state::execution::Execution;
use chronos_ir::{BlockId, ScalarType, VarId};
use chronos_slicing::{ClassId, Loss};
use chronos_values::{Origin, Pointer, ReasonId, ReasonKind, Value};

/// The effects, and the worst loss among them.
#[derive(Debug, Default)]
pub(crate) struct RegionEffects {
    pub effects: Vec<Effect>,
    pub loses: Loss,
}

impl RegionEffects {
    pub(crate) fn lose(&mut self, loss: Loss) {
        self.loses = self.loses.max(loss);
    }
}

impl Execution<'_> {
    /// The effects of what was executed, lost storage first. `last` is the block it ended with: what
    /// is not read after it may be lost.
    pub(crate) fn region_effects(&mut self, last: Option<BlockId>) -> RegionEffects {
        let mut region_effects = RegionEffects::default();
        self.generator_effects(&mut region_effects);
        let written = std::mem::take(&mut self.written);
        let reason = self.reason(ReasonKind::NotEvaluated, None);
        for &class in &written.classes {
            self.forget_class(class, reason, &mut region_effects);
        }
        for &object in &written.objects {
            if let Object::Outer(id) = object {
                let reason = self.state.lost_objects.get(&object).copied().unwrap_or(reason);
                region_effects.effects.push(Effect::Forget(id, reason));
                region_effects.lose(self.setting.analysis.loss(self.environment.origin(id)));
            }
        }
        for &(object, offset, ty) in &written.cells {
            let lost = written.objects.contains(&object) || written.classes.contains(&self.class_of(object));
            self.cell_effect(object, offset, ty, lost, &mut region_effects);
        }
        for &variable in &written.variables {
            if self.is_outer(variable) {
                self.variable_effect(variable, last, &mut region_effects);
            }
        }
        region_effects
    }

    fn forget_class(&mut self, class: ClassId, reason: ReasonId, region_effects: &mut RegionEffects) {
        for &origin in self.setting.analysis.members(class) {
            let inner = matches!(origin, Origin::Variable(variable) if !self.is_outer(variable)
                && self.setting.program.variables[variable].function.is_some_and(|f| f != self.frames[0].function)
                && !self.setting.analysis.is_relevant(origin));
            if !inner {
                region_effects.effects.push(Effect::ForgetAll(origin, reason));
                region_effects.lose(self.setting.analysis.loss(origin));
            }
        }
    }

    fn cell_effect(
        &mut self,
        object: Object,
        offset: i128,
        ty: ScalarType,
        lost: bool,
        region_effects: &mut RegionEffects,
    ) {
        let (Object::Outer(id), Ok(at)) = (object, i64::try_from(offset)) else { return };
        let value = self.read_cell(object, offset, ty);
        let value = self.lower(&value, ty);
        if lost && value.is_unknown() {
            return;
        }
        if value.is_unknown() {
            region_effects.lose(self.setting.analysis.loss(self.environment.origin(id)));
        }
        region_effects.effects.push(Effect::SetMemory(Pointer { object: id, offset: at }, ty, value));
    }

    fn variable_effect(&mut self, variable: VarId, last: Option<BlockId>, region_effects: &mut RegionEffects) {
        let Some(ty) = self.setting.program.types.scalar(self.setting.program.variables[variable].ty) else { return };
        let value = self.read_variable(variable, ty);
        let value = self.lower(&value, ty);
        if value.is_unknown() && self.setting.analysis.relevant_variable(variable) {
            let dead =
                last.is_some_and(|last| self.setting.liveness.is_dead_after(self.setting.program, last, variable));
            region_effects.lose(if dead { Loss::None } else { self.setting.analysis.loss_of_variable(variable) });
        }
        region_effects.effects.push(Effect::SetVariable(variable, value));
    }

    /// A value of the task's memory; unknown where it has none there.
    pub fn lower(&mut self, value: &Symbolic, ty: ScalarType) -> Value {
        let known = match value {
            Symbolic::Int(affine) => affine.as_constant().map(|n| Value::Int(bits(n, ty))),
            Symbolic::Pointer(Object::Outer(object), offset) => {
                let offset = offset.as_constant().and_then(|offset| i64::try_from(offset).ok());
                offset.map(|offset| Value::Pointer(Pointer { object: *object, offset }))
            }
            Symbolic::Constant(value) => Some(*value),
            Symbolic::Unknown(reason) => Some(Value::Unknown(*reason)),
            Symbolic::Cases(_)
            | Symbolic::Truth(_)
            | Symbolic::Real(_)
            | Symbolic::Fraction(_)
            | Symbolic::Pointer(..) => None,
        };
        known.unwrap_or_else(|| Value::Unknown(self.reason(ReasonKind::NotEvaluated, None)))
    }
}

fn bits(constant: i128, ty: ScalarType) -> i64 {
    let wrapped = if ty.is_integer() { wrap(constant, ty) } else { constant };
    i64::try_from(wrapped).unwrap_or(wrapped as u64 as i64)
}
