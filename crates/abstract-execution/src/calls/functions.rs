//! Calls inside a region: functions of the program are executed abstractly, library functions by
//! their effects.

use crate::Unsummarisable;
use crate::counts::TooComplex;
use crate::counts::amount::Amount;
use crate::counts::by_last_call::Item;
use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::Derived;
use crate::expressions::formula::{Conjunction, Formula};
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::{Execution, Flow, Frame};
use crate::state::store::{Location, State};
use chronos_activity::CountSource;
use chronos_functions::{self as functions, Knowable, Returns, Role, never_returns};
use chronos_ir::{Arg, BinaryOp, BlockId, Call, Callee, FuncId, Jump, Operand, ScalarType, Storage, ValueId};
use chronos_math::quasi;
use chronos_slicing::work::Work;
use chronos_slicing::writes::{self, library_writes};
use chronos_slicing::{annotations, callbacks};
use chronos_values::{ReasonKind, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Calls within calls.
const MAX_DEPTH: usize = 32;

impl<'a> Execution<'a> {
    pub fn call(&mut self, leaf: BlockId, dst: Option<ValueId>, path: Path) -> Flow {
        let program = self.program;
        let Some(call) = program.call(leaf) else { return Ok(path) };
        self.count(leaf, 0, &path)?;
        match &call.callee {
            Callee::Mpi(name) if self.whole.is_some() => Ok(self.call_mpi(leaf, call, name, dst, path)),
            Callee::Mpi(_) => Err(Unsummarisable { block: leaf, why: "an MPI call".into() }),
            Callee::Function(function) => self.call_function(leaf, call, *function, dst, path),
            Callee::Library(name) => self.call_library(leaf, call, name, dst, path),
            Callee::Indirect(operand) => match self.operand(operand) {
                Symbolic::Constant(Value::Function(function)) => self.call_function(leaf, call, function, dst, path),
                _ if self.whole.is_some() => {
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
            if self.whole.is_some() {
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
        let program = self.program;
        self.bind(call, function);
        let context = self.segments.enter(self.context(), leaf, function);
        let site = self.analysis.is_allocator(function).then(|| self.frame().site.unwrap_or(leaf));
        self.frames.push(Frame { function, context, values: HashMap::new(), escapes: Vec::new(), site });
        #[cfg(any(test, feature = "testing"))]
        crate::observed::note(function);
        let through = self.region(&program.functions[function].body, path.clone());
        let frame = self.frames.pop();
        let (through, mut frame) = match through.and_then(|through| self.without_jumps(leaf, through, &frame)) {
            Ok(through) => (through, frame),
            Err(failure) if self.whole.is_some() => {
                self.fail(failure);
                return Ok(self.spoiled_call(leaf, dst, path));
            }
            Err(failure) => return Err(failure),
        };
        let after = self.after_endings(&mut frame, &through, &path);
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
        let program = self.program;
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
        let program = self.program;
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
            let class = self.analysis.variable(variable);
            if self.analysis.members(class).len() <= 1 {
                self.state.lost_classes.remove(&class);
            }
        }
    }

    /// Joins the returns of a function; the value it returns, by cases where that is known.
    pub fn returned(&mut self, call: &Path, through: Path, frame: Option<Frame>) -> Option<Symbolic> {
        let mut states: Vec<(Option<crate::expressions::formula::Formula>, State)> = Vec::new();
        let mut values = Vec::new();
        let state = std::mem::take(&mut self.state);
        if !through.is_nowhere() {
            states.push((through.guard_within(call), state));
        }
        for escape in frame.into_iter().flat_map(|frame| frame.escapes) {
            if matches!(escape.jump, Jump::Return(_)) && !escape.path.is_nowhere() {
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
        self.reason(ReasonKind::NotEvaluated, Some(self.program.blocks[leaf].span))
    }

    fn call_library(
        &mut self,
        leaf: BlockId,
        call: &'a Call,
        name: &Arc<str>,
        dst: Option<ValueId>,
        path: Path,
    ) -> Flow {
        if never_returns(name) && self.whole.is_some() {
            return Ok(self.end_program(leaf, path));
        }
        if never_returns(name) {
            return Err(Unsummarisable { block: leaf, why: format!("a call of {name} that ends the program") });
        }
        if annotations::kind(name).is_some() {
            return self.hear(leaf, call, name, dst, path);
        }
        let callbacks = callbacks(self.program, call);
        if !callbacks.is_empty() {
            let why = format!("{name} calls back");
            if self.whole.is_none() {
                return Err(Unsummarisable { block: leaf, why });
            }
            self.spoil_callbacks(leaf, &callbacks, why);
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
        if let Some(known) = self.of_texts(call, name) {
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

    /// Adds the bytes that the call handles, or allocates, over all its executions.
    fn volume(&mut self, leaf: BlockId, call: &Call, name: &str, path: &Path) -> Result<(), Unsummarisable> {
        if self.trials > 0 {
            return Ok(());
        }
        if let Some(work) = self.assumptions.library_work.get(name) {
            let value = self.stated_work(call, work, path.bounds());
            let why = || Unsummarisable { block: leaf, why: format!("the work of {name} is not known in closed form") };
            self.add_bytes(leaf, &value.ok_or_else(why)?, path);
            return Ok(());
        }
        if self.whole.is_some()
            && let Some(bytes) = self.printed_bytes(call, name)
        {
            self.add_bytes(leaf, &Symbolic::int(bytes), path);
            return Ok(());
        }
        let made = functions::allocation(name);
        let positions = made.map_or_else(|| functions::bytes_handled(name), |made| made.size);
        if positions.is_empty() {
            return Ok(());
        }
        let mut bytes = Symbolic::int(1);
        for &position in positions {
            let Some(Arg::Scalar(operand)) = call.args.get(position) else { return Ok(()) };
            let factor = self.operand(operand);
            let product =
                self.symbols.binary(chronos_ir::BinaryOp::Mul, ScalarType::I64, &bytes, &factor, path.bounds());
            let Some(product) = product else { return Ok(()) };
            bytes = product;
        }
        self.add_bytes(leaf, &bytes, path);
        Ok(())
    }

    /// What the user states to be the work of a call; `None` where it is no sum of products of known integers.
    fn stated_work(&mut self, call: &Call, work: &Work, bounds: &Bounds) -> Option<Symbolic> {
        let (op, a, b) = match work {
            Work::Number(n) => return Some(Symbolic::int(i128::from(*n))),
            Work::Argument(position) => match call.args.get(*position)? {
                Arg::Scalar(operand) => {
                    let value = self.operand(operand);
                    return value.cases().is_some().then_some(value);
                }
                _ => return None,
            },
            Work::Pointee(_) => return None,
            Work::Sum(a, b) => (BinaryOp::Add, a, b),
            Work::Difference(a, b) => (BinaryOp::Sub, a, b),
            Work::Product(a, b) => (BinaryOp::Mul, a, b),
        };
        let (a, b) = (self.stated_work(call, a, bounds)?, self.stated_work(call, b, bounds)?);
        let value = self.symbols.binary(op, ScalarType::I64, &a, &b, bounds)?;
        value.cases().is_some().then_some(value)
    }

    /// Adds bytes to those that a call handles; what is unknown is left out.
    fn add_bytes(&mut self, leaf: BlockId, bytes: &Symbolic, path: &Path) {
        let cases = bytes.cases().unwrap_or_default();
        let Ok(total) = self.sum_of_cases(&cases, path) else { return };
        self.attribute(Item::Bytes(leaf), path, &total, |run, part| run.sum_of_cases(&cases, part));
        let sum = self.volumes.entry((self.context(), leaf)).or_insert(Amount::ZERO);
        *sum = std::mem::replace(sum, Amount::ZERO).plus(total);
    }

    /// The sum of a number over the executions of a path.
    fn sum_of_cases(&mut self, cases: &[(Conjunction, Affine)], path: &Path) -> Result<Amount, TooComplex> {
        let mut total = Amount::ZERO;
        for (guard, affine) in cases {
            let formula = Formula { pieces: vec![guard.clone()] };
            let fresh = self.symbols.fresh();
            let part = path.restricted(&formula).ok_or(TooComplex)?;
            let count = match self.multiple(affine, &part) {
                Some(count) => count,
                None => part.count_times(affine, fresh, &self.symbols.quotients)?,
            };
            if count.source() == CountSource::Unknown {
                return Err(TooComplex);
            }
            total = total.plus(count);
        }
        Ok(total)
    }
}

impl Execution<'_> {
    /// The executions of a path times a number that is the same in all of them and surely not negative.
    fn multiple(&self, times: &Affine, path: &Path) -> Option<Amount> {
        let quotients = &self.symbols.quotients;
        let mut sources = times.symbols().flat_map(|symbol| quotients.sources(symbol));
        let varies = sources.any(|symbol| path.pieces.iter().any(|piece| piece.symbols.contains(&symbol)));
        if varies || times.as_constant().is_some() || !self.is_sum_of_naturals(times, path) {
            return None;
        }
        let factor = quasi::Polynomial::affine(times).ok()?;
        let count = path.count(quotients).ok()?;
        let product = count.expression()?.multiply(&factor.into()).ok()?;
        Some(Amount::Expression(Arc::new(product), count.source()))
    }

    /// Every term is seen to be at least 0.
    fn is_sum_of_naturals(&self, affine: &Affine, path: &Path) -> bool {
        affine.constant >= 0 && affine.terms.iter().all(|&(symbol, factor)| factor > 0 && self.is_natural(symbol, path))
    }

    fn is_natural(&self, symbol: Symbol, path: &Path) -> bool {
        let quotients = &self.symbols.quotients;
        if path.bounds().interval(symbol).0.is_some_and(|least| least >= 0) {
            return true;
        }
        match (quotients.free.get(symbol).as_deref(), quotients.get(symbol)) {
            (Some(Derived::Product(factors)), _) => factors.iter().all(|&factor| self.is_natural(factor, path)),
            (None, Some((affine, _))) => self.is_sum_of_naturals(affine, path),
            _ => false,
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
