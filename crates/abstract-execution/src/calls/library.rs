//! Calls of library functions: what they write and return, as their rows in the table of functions say.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::bounds::Bounds;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::{Execution, Flow};
use crate::state::store::Location;
use chronos_functions::{self as functions, Knowable, Returns, Role, never_returns};
use chronos_ir::{Arg, BlockId, Call, Operand, ScalarType, ValueId};
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
        let callbacks = callbacks(self.program, call);
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
        let kind = match effects.knowable {
            Knowable::Never => ReasonKind::Nondeterministic(name.clone()),
            Knowable::Yes => ReasonKind::NotEvaluated,
        };
        let reason = self.reason(kind, Some(self.program.blocks[leaf].span));
        for index in 0..call.args.len() {
            self.write_through(call, index, effects.writes, reason);
        }
        if let Some(errno) = writes::errno(self.program, call) {
            self.lose_for(Location::Anywhere(self.analysis.variable(errno)), reason);
        }
        if library_writes(self.program, self.analysis, leaf).is_empty() && dst.is_none() {
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
                if let Some(class) = self.analysis.pointed(self.function(), operand) {
                    self.lose_for(Location::Anywhere(class), reason);
                }
            }
        }
    }

    fn library_value(
        &mut self,
        leaf: BlockId,
        call: &Call,
        name: &str,
        returns: Returns,
        bounds: &Bounds,
    ) -> Option<Symbolic> {
        let scalar = |index: usize| match call.args.get(index) {
            Some(Arg::Scalar(operand)) => Some(operand),
            _ => None,
        };
        let row = functions::lookup(name);
        if let Some(made) = row.and_then(|row| row.allocation) {
            self.allocations += 1;
            let object = Object::Fresh(self.frame().site.unwrap_or(leaf), self.allocations);
            if made.zeroed {
                self.state.zero_object(object);
            }
            let fresh = Symbolic::Pointer(object, Affine::default());
            let Some(slot) = row.and_then(|row| row.position_of(Role::Fresh)) else { return Some(fresh) };
            let target = scalar(slot).map(|operand| self.operand(operand));
            if let Some(Symbolic::Pointer(object, offset)) = target {
                self.write_at(&Location::Cell(object, offset), ScalarType::Pointer, fresh);
            }
            return Some(Symbolic::int(0));
        }
        match returns {
            Returns::Itself(index) => return scalar(index).map(|operand| self.operand(operand)),
            Returns::Argument(_) => return None,
            _ => {}
        }
        if let Some(known) = self.string_function_result(call, name) {
            return Some(known);
        }
        if row.is_some_and(|row| row.reads_number) {
            let text = self.operand(scalar(0)?);
            return self.number_in(&text);
        }
        if let [Arg::Scalar(operand)] = &call.args[..] {
            let argument = self.operand(operand);
            if let Some(known) = self.symbols.real_function(name, &argument, bounds) {
                return Some(known);
            }
        }
        let arguments: Option<Vec<f64>> = (0..call.args.len()).map(|i| self.float(scalar(i)?)).collect();
        known_result(name, &arguments?)
    }

    fn float(&mut self, operand: &Operand) -> Option<f64> {
        match self.operand(operand) {
            Symbolic::Constant(Value::Float(x)) => Some(x),
            Symbolic::Int(affine) => affine.as_constant().map(|n| n as f64),
            _ => None,
        }
    }
}

/// Results of mathematical functions that loop bounds are made of.
fn known_result(name: &str, arguments: &[f64]) -> Option<Symbolic> {
    let real = |x: f64| Some(Symbolic::Constant(Value::Float(x)));
    match (name, arguments) {
        ("sqrt", [x]) => real(x.sqrt()),
        ("floor", [x]) => real(x.floor()),
        ("ceil", [x]) => real(x.ceil()),
        ("fabs", [x]) => real(x.abs()),
        ("fmin", [x, y]) => real(x.min(*y)),
        ("fmax", [x, y]) => real(x.max(*y)),
        ("abs" | "labs", [x]) => Some(Symbolic::int(x.abs() as i128)),
        _ => None,
    }
}
