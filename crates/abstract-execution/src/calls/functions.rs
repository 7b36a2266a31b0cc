//! Calls inside a region: functions of the program are executed abstractly, library functions by
//! their effects.

use crate::Unsummarisable;
use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::{Execution, Flow, Frame};
use crate::state::store::{Location, State};
use chronos_base::hash::FxHashMap;
use chronos_ir::{Arg, BlockId, Call, Callee, FuncId, Jump, Storage, ValueId};
use chronos_values::{ReasonKind, Value};

/// Calls within calls.
const MAX_DEPTH: usize = 32;

impl<'a> Execution<'a> {
    pub fn call(&mut self, leaf: BlockId, dst: Option<ValueId>, path: Path) -> Flow {
        let program = self.setting.program;
        let Some(call) = program.call(leaf) else { return Ok(path) };
        self.count(leaf, 0, &path)?;
        match &call.callee {
            Callee::Mpi(name) if self.whole_program.is_some() => Ok(self.call_mpi(leaf, call, name, dst, path)),
            Callee::Mpi(_) => Err(Unsummarisable { block: leaf, why: "an MPI call".into() }),
            Callee::Function(function) => self.call_function(leaf, call, *function, dst, path),
            Callee::Library(name) => self.call_library(leaf, call, name, dst, path),
            Callee::Indirect(operand) => match self.operand(operand) {
                Symbolic::Constant(Value::Function(function)) => self.call_function(leaf, call, function, dst, path),
                _ if self.whole_program.is_some() => {
                    Ok(self.unfollowed_call(leaf, dst, path, "a call through an unknown pointer"))
                }
                _ => Err(Unsummarisable { block: leaf, why: "a call through an unknown pointer".into() }),
            },
        }
    }

    fn call_function(
        &mut self,
        leaf: BlockId,
        call: &'a Call,
        function: FuncId,
        dst: Option<ValueId>,
        path: Path,
    ) -> Flow {
        if self.frames.iter().any(|frame| frame.function == function) {
            if self.whole_program.is_some() {
                return Ok(self.unfollowed_call(leaf, dst, path, "recursion"));
            }
            return Err(Unsummarisable { block: leaf, why: "recursion".into() });
        }
        if self.frames.len() > MAX_DEPTH {
            return Err(Unsummarisable { block: leaf, why: "calls nested too deeply".into() });
        }
        if self.summarised_call(leaf, call, function, dst, &path)? {
            return Ok(path);
        }
        let program = self.setting.program;
        self.bind(call, function);
        let context = self.setting.segments.enter(self.context(), leaf, function);
        let site = self.setting.analysis.is_allocator(function).then(|| self.frame().site.unwrap_or(leaf));
        self.frames.push(Frame { function, context, values: FxHashMap::default(), escapes: Vec::new(), site });
        #[cfg(any(test, feature = "testing"))]
        crate::observed::note(function);
        let through = self.region(&program.functions[function].body, path.clone());
        let frame = self.frames.pop();
        let (through, mut frame) =
            match through.and_then(|through| Self::reject_lost_gotos(leaf, through, frame.as_ref())) {
                Ok(through) => (through, frame),
                Err(failure) if self.whole_program.is_some() => {
                    self.note_failure(failure);
                    return Ok(self.call_with_lost_counts(leaf, dst, path));
                }
                Err(failure) => return Err(failure),
            };
        let after = self.split_off_endings(&mut frame, &through, &path);
        let result = self.returned(&path, through, frame);
        self.drop_locals(function);
        if let Some(dst) = dst {
            let value = result.unwrap_or_else(|| Symbolic::Unknown(self.not_followed(leaf)));
            self.frame().values.insert(dst, value);
        }
        if let Some(place) = &call.result_place {
            let location = self.location(place);
            self.lose(location, program.blocks[leaf].span);
        }
        Ok(after)
    }

    /// Gives the parameters their values.
    fn bind(&mut self, call: &Call, function: FuncId) {
        let program = self.setting.program;
        self.drop_locals(function);
        for (&parameter, arg) in program.functions[function].params.iter().zip(&call.args) {
            let named = &program.variables[parameter];
            match (arg, program.types.scalar(named.ty)) {
                (Arg::Scalar(operand), Some(ty)) => {
                    let value = self.operand(operand);
                    let location = if named.address_taken {
                        Location::Cell(Object::Local(parameter), Affine::default())
                    } else {
                        Location::Variable(parameter)
                    };
                    self.write_at(&location, ty, value);
                }
                (Arg::Object(place, bytes), _) => {
                    let from = self.location(place);
                    let to = Location::Cell(Object::Local(parameter), Affine::default());
                    self.copy_between(to, from, *bytes);
                }
                (Arg::Scalar(_), None) => {}
            }
        }
    }

    /// Locals begin and end with a call.
    fn drop_locals(&mut self, function: FuncId) {
        let program = self.setting.program;
        let own = |variable: chronos_ir::VarId| {
            let named = &program.variables[variable];
            named.function == Some(function) && matches!(named.storage, Storage::Local | Storage::Parameter(_))
        };
        let owned = |object: &Object| matches!(object, Object::Local(variable) if own(*variable));
        self.state.variables.retain(|&variable, _| !own(variable));
        self.state.cells.retain(|key, _| !owned(&key.0));
        self.state.lost_objects.retain(|object, _| !owned(object));
        self.state.zeroed.retain(|object| !owned(object));
        let frame = &program.functions[function];
        for &variable in frame.params.iter().chain(&frame.locals).filter(|&&variable| own(variable)) {
            let class = self.setting.analysis.variable(variable);
            if self.setting.analysis.members(class).len() <= 1 {
                self.state.lost_classes.remove(&class);
            }
        }
    }

    /// Joins the returns of a function; the value it returns, by cases where that is known.
    pub fn returned(&mut self, call: &Path, through: Path, frame: Option<Frame>) -> Option<Symbolic> {
        let mut states: Vec<(Option<crate::expressions::formula::Formula>, State)> = Vec::new();
        let mut values = Vec::new();
        let state = std::mem::take(&mut self.state);
        if !through.is_unreachable() {
            states.push((through.guard_within(call), state));
        }
        for escape in frame.into_iter().flat_map(|frame| frame.escapes) {
            if matches!(escape.jump, Jump::Return(_)) && !escape.path.is_unreachable() {
                let guard = escape.path.guard_within(call);
                states.push((guard.clone(), escape.state));
                values.push((guard, escape.value));
            }
        }
        self.state = self.merge(states);
        let values: Option<Vec<_>> = values.into_iter().map(|(guard, value)| Some((guard, value?))).collect();
        self.one_of(&values?)
    }

    pub fn not_followed(&mut self, leaf: BlockId) -> chronos_values::ReasonId {
        self.reason(ReasonKind::NotEvaluated, Some(self.setting.program.blocks[leaf].span))
    }
}
