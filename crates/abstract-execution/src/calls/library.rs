//! Calls of library functions: what they write and return, as their rows in the table of functions say.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::bounds::Bounds;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::{Execution, Flow};
use crate::state::store::Location;
use chronos_functions::{self as functions, AbstractModel, Allocation, Returns, Role, never_returns};
use chronos_ir::{Arg, BlockId, Call, ScalarType, ValueId};
use chronos_slicing::writes::{self, library_writes};
use chronos_slicing::{annotations, callbacks};
use chronos_values::{ReasonKind, Value};
use std::sync::Arc;

impl<'a> Execution<'a> {
    pub(crate) fn call_library(
        &mut self,
        leaf: BlockId,
        call: &'a Call,
        name: &Arc<str>,
        dst: Option<ValueId>,
        path: Path,
    ) -> Flow {
        if never_returns(name) && self.whole_program.is_some() {
            return Ok(self.end_program(leaf, path));
        }
        if never_returns(name) {
            return Err(Unsummarisable { block: leaf, why: format!("a call of {name} that ends the program") });
        }
        if annotations::kind(name).is_some() {
            return self.apply_annotation(leaf, call, name, dst, path);
        }
        let callbacks = callbacks(self.setting.program, call);
        if !callbacks.is_empty() {
            let why = format!("{name} calls back");
            if self.whole_program.is_none() {
                return Err(Unsummarisable { block: leaf, why });
            }
            self.lose_counts_of_callbacks(leaf, &callbacks, why);
        }
        self.volume(leaf, call, name, &path)?;
        self.note_volume(leaf, name);
        let effects = functions::effects(name);
        let kind = match self.setting.program.generators.knows(name) {
            false => ReasonKind::Nondeterministic(name.clone()),
            true => ReasonKind::NotEvaluated,
        };
        let reason = self.reason(kind, Some(self.setting.program.blocks[leaf].span));
        for index in 0..call.args.len() {
            self.write_through(call, index, effects.writes, reason);
        }
        if let Some(errno) = writes::errno(self.setting.program, call) {
            self.lose_for(Location::Anywhere(self.setting.analysis.variable(errno)), reason);
        }
        let reason = self.use_generator(call, name, reason);
        if library_writes(self.setting.program, self.setting.analysis, leaf).is_empty() && dst.is_none() {
            return Ok(path);
        }
        if let Some(dst) = dst {
            let value = self.library_value(leaf, call, name, effects.returns, path.bounds());
            self.frame().values.insert(dst, value.unwrap_or(Symbolic::Unknown(reason)));
        }
        Ok(path)
    }

    fn write_through(
        &mut self,
        call: &Call,
        index: usize,
        writes: functions::Writes,
        reason: chronos_values::ReasonId,
    ) {
        let Some(Arg::Scalar(operand)) = call.args.get(index).filter(|_| writes.contains(index)) else { return };
        match self.operand(operand) {
            Symbolic::Pointer(object, _) => self.lose_for(Location::Within(object), reason),
            _ => {
                if let Some(class) = self.setting.analysis.pointed(self.function(), operand) {
                    self.lose_for(Location::Anywhere(class), reason);
                }
            }
        }
    }

    /// What the call returns; `None` where that is not followed.
    fn library_value(
        &mut self,
        leaf: BlockId,
        call: &Call,
        name: &str,
        returns: Returns,
        bounds: &Bounds,
    ) -> Option<Symbolic> {
        let row = functions::lookup(name)?;
        if let Some(made) = row.allocation {
            return Some(self.allocate(leaf, call, row, made));
        }
        match returns {
            Returns::Itself(index) => return self.argument(call, index),
            Returns::Argument(_) => return None,
            _ => {}
        }
        if row.reads_number {
            let string = self.argument(call, 0)?;
            return self.number_in(&string);
        }
        let model = row.abstract_model?;
        self.string_function_result(call, model).or_else(|| self.mathematical_result(call, model, bounds))
    }

    /// Storage that the call returns, or stores in an argument.
    fn allocate(&mut self, leaf: BlockId, call: &Call, row: &functions::Function, made: Allocation) -> Symbolic {
        self.allocations += 1;
        let object = Object::Fresh(self.frame().site.unwrap_or(leaf), self.allocations);
        if made.zeroed {
            self.state.zero_object(object);
        }
        let fresh = Symbolic::Pointer(object, Affine::default());
        let Some(slot) = row.position_of(Role::Fresh) else { return fresh };
        if let Some(Symbolic::Pointer(object, offset)) = self.argument(call, slot) {
            self.write_at(&Location::Cell(object, offset), ScalarType::Pointer, fresh);
        }
        Symbolic::int(0)
    }

    fn mathematical_result(&mut self, call: &Call, model: AbstractModel, bounds: &Bounds) -> Option<Symbolic> {
        let arguments: Vec<Symbolic> = (0..call.args.len()).map(|i| self.argument(call, i)).collect::<Option<_>>()?;
        if let [argument] = &arguments[..]
            && let Some(known) = self.symbols.real_function(model, argument, bounds)
        {
            return Some(known);
        }
        known_result(model, &arguments)
    }
}

/// Results of mathematical functions of numbers that are known.
fn known_result(model: AbstractModel, arguments: &[Symbolic]) -> Option<Symbolic> {
    if let (AbstractModel::IntegerMagnitude, [Symbolic::Int(affine)]) = (model, arguments) {
        return affine.as_constant().map(|n| Symbolic::int(n.abs()));
    }
    let numbers: Vec<f64> = arguments.iter().map(number).collect::<Option<_>>()?;
    let result = match (model, &numbers[..]) {
        (AbstractModel::SquareRoot, [x]) => x.sqrt(),
        (AbstractModel::Floor, [x]) => x.floor(),
        (AbstractModel::Ceiling, [x]) => x.ceil(),
        (AbstractModel::Truncation, [x]) => x.trunc(),
        (AbstractModel::Magnitude, [x]) => x.abs(),
        (AbstractModel::Minimum, [x, y]) => x.min(*y),
        (AbstractModel::Maximum, [x, y]) => x.max(*y),
        _ => return None,
    };
    Some(Symbolic::Constant(Value::Float(result)))
}

fn number(value: &Symbolic) -> Option<f64> {
    match value {
        Symbolic::Constant(Value::Float(x)) => Some(*x),
        Symbolic::Int(affine) => affine.as_constant().map(|n| n as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_functions::{Purity, Type};

    #[test]
    fn every_mathematical_model_has_a_result_of_numbers() {
        let rows = functions::all().filter(|row| row.purity == Purity::Arguments);
        let without = rows.filter_map(|row| {
            let four = |ty| if ty == Type::Double { Symbolic::Constant(Value::Float(4.0)) } else { Symbolic::int(4) };
            let arguments: Vec<Symbolic> = row.params.iter().map(|param| four(param.ty)).collect();
            known_result(row.abstract_model?, &arguments).is_none().then_some(row.name)
        });
        // Of a number, log2 is what the C library says; of an expression it is floor and ceiling.
        assert_eq!(without.collect::<Vec<_>>(), ["log2"]);
    }

    #[test]
    fn magnitudes_of_integers_are_not_rounded() {
        let least = (1_i128 << 62) + 1;
        assert_eq!(known_result(AbstractModel::IntegerMagnitude, &[Symbolic::int(-least)]), Some(Symbolic::int(least)));
    }
}
