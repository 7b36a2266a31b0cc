//! Operands: constants, values computed before, and values of the environment.

use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic, widen};
use crate::state::execution::Execution;
use chronos_ir::wide::Wide;
use chronos_ir::{Arg, Call, Const, Operand, ScalarType, ValueId};
use chronos_values::{Pointer, ReasonKind, Value};

impl Execution<'_> {
    pub fn operand(&mut self, operand: &Operand) -> Symbolic {
        match operand {
            Operand::Const(constant) => self.constant(constant),
            Operand::Value(value) => {
                let known = self.frame().values.get(value).cloned();
                known.unwrap_or_else(|| self.outer_value(*value))
            }
        }
    }

    fn outer_value(&mut self, value: ValueId) -> Symbolic {
        if self.frames.len() > 1 {
            return Symbolic::Unknown(self.reason(ReasonKind::Uninitialised, None));
        }
        let ty = self.setting.program.functions[self.function()].values[value];
        let known = self.environment.value(value);
        Self::lift(known, ty)
    }

    fn constant(&mut self, constant: &Const) -> Symbolic {
        match constant {
            Const::Int(n, ty) => Symbolic::int(widen(*n, *ty)),
            Const::Float(x, _) => Symbolic::Constant(Value::Float(*x)),
            Const::Wide(bits, _) => match Wide::new(*bits) {
                Some(wide) => Symbolic::Constant(Value::Wide(wide)),
                None => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
            },
            Const::Str(string, offset) => {
                Symbolic::Pointer(Object::String(*string), Affine::constant(i128::from(*offset)))
            }
            Const::Address(variable, offset) => {
                Symbolic::Pointer(self.aggregate(*variable), Affine::constant(i128::from(*offset)))
            }
            Const::Function(function) => Symbolic::Constant(Value::Function(*function)),
            Const::Library(_) => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
    }

    /// A value of the environment.
    pub(crate) fn lift(value: Value, ty: ScalarType) -> Symbolic {
        match value {
            // Beyond the integers that summaries compute with.
            Value::Int(n) if ty == ScalarType::U128 && n < 0 => {
                Wide::new(i128::from(n) as u128).map_or(Symbolic::int(0), |wide| Symbolic::Constant(Value::Wide(wide)))
            }
            Value::Int(n) => Symbolic::int(widen(n, ty)),
            Value::Pointer(Pointer { object, offset }) => {
                Symbolic::Pointer(Object::Outer(object), Affine::constant(i128::from(offset)))
            }
            Value::Unknown(reason) => Symbolic::Unknown(reason),
            Value::Float(_)
            | Value::Wide(_)
            | Value::Quotient(_)
            | Value::Distance(_)
            | Value::Function(_)
            | Value::Library(_)
            | Value::Clock(_) => Symbolic::Constant(value),
        }
    }
}

impl Execution<'_> {
    /// A scalar argument that is a known number.
    pub fn constant_argument(&mut self, call: &Call, index: usize) -> Option<i128> {
        match self.argument(call, index)? {
            Symbolic::Int(value) => value.as_constant(),
            _ => None,
        }
    }
}

impl Execution<'_> {
    pub fn argument(&mut self, call: &Call, index: usize) -> Option<Symbolic> {
        let operand = scalar_operand(call, index)?;
        Some(self.operand(operand))
    }
}

pub(crate) fn scalar_operand(call: &Call, index: usize) -> Option<&Operand> {
    match call.args.get(index)? {
        Arg::Scalar(operand) => Some(operand),
        Arg::Object(..) => None,
    }
}
