//! Calls and returns: functions of the program, the C library, MPI.

use crate::code::instructions::{CallArg, CallCode, CallTarget, CompiledPlace, Home, Instr, ScalarKind};
use crate::execute::access::AccessTarget;
use crate::execute::machine::{Flow, LibraryCall, Machine, Stop};
use crate::execute::mpi_environment::Env;
use crate::execute::remembered_calls::Remembered;
use crate::messages::Decides;
use crate::state::open_counts::factor;
use crate::state::task::{Frame, LoopMode, Pending, SplitKind};
use crate::{codes, library, start};
use chronos_activity::{ContextId, Outcome, Site, Step};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_ir::{BlockId, FuncId, ScalarType};
use chronos_mpi_calls::{AccessKind, Action};
use chronos_slicing::doubts::{Certainty, Doubt, Subject, stack};
use chronos_slicing::work::Work;
use chronos_values::storage::Fill;
use chronos_values::{ObjectId, Pointer, ReasonKind, Value, arith};
use std::collections::BTreeSet;

const NO_CONTEXT: ContextId = ContextId(u32::MAX);
/// Calls nested deeper than this exceed the stack of any real process.
const DEEPEST: usize = 100_000;
/// Of an `int`.
const INT_BYTES: u64 = 4;
/// Operations of recursive functions that any budget allows.
const LEAST_CALLS: u64 = 20_000;
/// What following all ways of an unknown branch takes, in operations: their states are kept and joined.
const SPLIT: u64 = 1000;

impl<'a> Machine<'a> {
    pub fn call(&mut self, call: &'a CallCode) -> Flow<()> {
        let context = self.context();
        self.shared.scratch.bump(context, call.counter);
        match &call.target {
            CallTarget::Function(function) => self.enter(call, *function),
            CallTarget::Library(name) => self.library_call(call, *name),
            CallTarget::Mpi(name) => self.mpi_call(call, name),
            CallTarget::Indirect(src) => match self.value(*src) {
                Value::Function(function) => self.enter(call, function),
                Value::Library(name) => self.library_call(call, name),
                Value::Unknown(reason) => Err(self.unknown_callee(call, reason)),
                _ => Err(self.null()),
            },
        }
    }

    fn unknown_callee(&mut self, call: &CallCode, reason: chronos_values::ReasonId) -> Stop {
        let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_CALL, "the function that is called here is unknown")
            .label(call.span, "this call")
            .help("give the input that decides about it (--set, --stdin, --input-file, program arguments)");
        diagnostic.labels.extend(self.origins(reason));
        diagnostic.into()
    }

    /// Scalar arguments; a struct is given by its address.
    pub fn arguments(&mut self, call: &CallCode) -> Vec<Value> {
        let base = self.base();
        let function = self.function();
        let value = |this: &mut Self, arg: &CallArg| match *arg {
            CallArg::Scalar(src) => this.get(src, base),
            CallArg::Object(place) => this.address_value(&function.places[place as usize], base),
        };
        call.args.iter().map(|arg| value(self, arg)).collect()
    }

    fn enter(&mut self, call: &'a CallCode, function: FuncId) -> Flow<()> {
        if let Some(resource) = chronos_base::governor::exceeded() {
            return Err(self.out_of(resource, call.span, "at a call"));
        }
        let args = self.arguments(call);
        let result_place = match call.result_place {
            Some(place) => match self.address_value(&self.function().places[place as usize], self.base()) {
                Value::Pointer(pointer) => Some(pointer),
                _ => None,
            },
            None => None,
        };
        let context = self.context_of(call, function);
        let followed = self.task.linear.is_some();
        let remembered = if followed { Remembered::Unwatched } else { self.remembered(function, &args, context) };
        if let Remembered::Done(result) = remembered {
            self.take_result(call.dst, result);
            return Ok(());
        }
        self.push_frame(function, &args, context)?;
        if let Some(frame) = self.task.frames.last_mut() {
            frame.dst = call.dst;
            frame.result_place = result_place;
        }
        if let Remembered::New(key, purity, sums) = remembered {
            self.record(key, purity, sums);
        }
        Ok(())
    }

    fn context_of(&mut self, call: &CallCode, function: FuncId) -> ContextId {
        let parent = self.context();
        if let Some(&(last_parent, last_function, context)) = self.shared.last_contexts.get(call.block.index())
            && (last_parent, last_function) == (parent, function)
        {
            return context;
        }
        let context = self.context_below(parent, call.block, function);
        let last = &mut self.shared.last_contexts;
        if last.len() <= call.block.index() {
            last.resize(call.block.index() + 1, (NO_CONTEXT, function, NO_CONTEXT));
        }
        last[call.block.index()] = (parent, function, context);
        context
    }

    pub(crate) fn context_below(&mut self, parent: ContextId, call: BlockId, function: FuncId) -> ContextId {
        let key = (parent, call, function);
        if let Some(&context) = self.shared.contexts.get(&key) {
            return context;
        }
        let context = self.shared.segments.enter(parent, call, function);
        let code = &self.code.functions[function.index()];
        self.shared.scratch.open(context, code.first_counter, code.counters);
        self.shared.contexts.insert(key, context);
        context
    }

    /// Begins a call of a function of the program.
    pub(crate) fn push_frame(&mut self, function: FuncId, args: &[Value], context: ContextId) -> Flow<()> {
        if self.task.frames.len() >= DEEPEST {
            let name = &self.code.functions[function.index()].name;
            let message = format!("calls of `{name}` are nested without end ({DEEPEST} deep)");
            return Err(self.error(&codes::RECURSION, message, "check the condition that ends the recursion"));
        }
        self.watch_recursion(function)?;
        let code = &self.code.functions[function.index()];
        let base = self.task.stack.len() as u32;
        self.task.stack.resize((base + code.registers) as usize, self.shared.uninitialised);
        self.task.stack.extend_from_slice(&code.hot.constants);
        self.task.frames.push(Frame {
            function,
            pc: 0,
            base,
            context,
            dst: None,
            result_place: None,
            loops: self.task.loops.len() as u32,
            splits: self.task.splits.len() as u32,
            alternatives: Vec::new(),
            allocations: Vec::new(),
        });
        self.watch_stack(function);
        start::frame_objects(self.shared, self.code, self.task, function);
        for (i, &(home, kind)) in code.params.iter().enumerate() {
            let value = args.get(i).copied().unwrap_or(self.shared.uninitialised);
            self.bind(home, kind, value);
        }
        Ok(())
    }

    /// Looks now and then at how much of the stack deep recursion takes.
    fn watch_stack(&mut self, function: FuncId) {
        /// Calls between two looks.
        const APART: usize = 1024;
        if !self.task.frames.len().is_multiple_of(APART) {
            return;
        }
        let functions = &self.code.functions;
        let bytes = |frame: &Frame| -> u64 {
            let objects = &functions[frame.function.index()].frame_objects;
            stack::FRAME + objects.iter().map(|&(_, _, bytes)| bytes).sum::<u64>()
        };
        if self.task.frames.iter().map(bytes).sum::<u64>() > stack::LIMIT {
            stack::note(&mut self.shared.doubts, &self.code.program, function);
        }
    }

    /// Recursion has no loop that could be counted against the budget.
    fn watch_recursion(&mut self, function: FuncId) -> Flow<()> {
        if !self.code.program.functions[function].effects.recursive {
            return Ok(());
        }
        let code = &self.code.functions[function.index()];
        self.task.recursed += code.instrs.len() as u64;
        let budget = self.shared.budget.max(1000);
        if self.task.recursed <= self.shared.whole_budget().max(LEAST_CALLS) {
            return Ok(());
        }
        let message = format!("calls of `{}` were followed without the end of the recursion in sight", code.name);
        let help = format!("if it ends, raise --budget (now {budget} operations per task)");
        Err(self.error(&codes::BUDGET, message, &help))
    }

    /// An unknown branch is followed in all its ways, which in a function that calls itself are more with each level.
    pub(crate) fn charge_split(&mut self) {
        let function = self.task.frames.last().map(|frame| frame.function);
        if function.is_some_and(|function| self.code.program.functions[function].effects.recursive) {
            self.task.recursed += SPLIT;
        }
    }

    fn bind(&mut self, home: Home, kind: ScalarKind, value: Value) {
        match (home, kind) {
            (Home::Register(register), _) => self.set_register(register, value),
            (Home::FrameObject(register), kind) => {
                let Value::Pointer(to) = self.task.stack[(self.base() + register) as usize] else { return };
                match (kind, value) {
                    (ScalarKind::Scalar(ty), value) => self.task.memory.write(to, ty, value),
                    (ScalarKind::Object(bytes), Value::Pointer(from)) => {
                        if self.task.memory.check(from, bytes).is_ok() {
                            self.task.memory.copy(to, from, bytes);
                        }
                    }
                    (_, unknown) => self.task.memory.forget(to.object, unknown),
                }
            }
            _ => {}
        }
    }

    pub(crate) fn return_object(&mut self, place: &CompiledPlace, bytes: u64) -> Flow<()> {
        let base = self.base();
        let from = self.target(place, base);
        if let Some(to) = self.task.frames.last().and_then(|frame| frame.result_place) {
            self.copy_targets(AccessTarget::Known(to), from, bytes)?;
        }
        self.return_value(None)
    }

    pub(crate) fn return_value(&mut self, value: Option<Value>) -> Flow<()> {
        let Some(frame) = self.task.frames.last() else { return Ok(()) };
        let (splits, loops) = (frame.splits as usize, frame.loops as usize);
        if self.task.splits.len() > splits
            && self.task.splits[splits..].iter().any(|split| split.kind != SplitKind::Remainder)
        {
            return self.leave_way(u32::MAX, Some(value));
        }
        if let Some(at) = (loops..self.task.loops.len()).rev().find(|&i| self.is_forced(i)) {
            self.task.loops.truncate(at + 1);
            let code = &self.function().loops[self.task.loops[at].index as usize];
            if let Some(frame) = self.task.frames.last_mut() {
                frame.alternatives.push(value);
            }
            return self.end_pass(code);
        }
        self.close_remainders(0);
        self.leave_loops(loops)?;
        self.finish_frame(value)
    }

    fn finish_frame(&mut self, value: Option<Value>) -> Flow<()> {
        let Some(frame) = self.task.frames.last() else { return Ok(()) };
        let mut value = value;
        if frame.alternatives.iter().any(|other| *other != value) {
            let span = self.code.functions[frame.function.index()].spans.last().copied();
            value = Some(Value::Unknown(self.shared.reason(ReasonKind::UnknownBranch, span, None)));
        }
        self.end_recording(value);
        let Some(frame) = self.task.frames.pop() else { return Ok(()) };
        self.forget_inner_jump();
        self.release_objects(&frame);
        self.task.stack.truncate(frame.base as usize);
        if self.task.frames.is_empty() {
            return Err(Stop::Exit(value.unwrap_or(Value::Int(0))));
        }
        self.take_result(frame.dst, value);
        Ok(())
    }

    fn take_result(&mut self, dst: Option<(u32, ScalarType)>, value: Option<Value>) {
        if let Some((register, _)) = dst {
            let value = value.unwrap_or(self.shared.uninitialised);
            self.set_register(register, value);
        }
        self.task.result = value;
    }

    fn release_objects(&mut self, frame: &Frame) {
        let code = &self.code.functions[frame.function.index()];
        for &(register, ..) in &code.frame_objects {
            if let Value::Pointer(pointer) = self.task.stack[(frame.base + register) as usize] {
                self.tell_access(pointer, u64::MAX, AccessKind::Free);
                self.task.retire(pointer.object);
            }
        }
        frame.allocations.iter().for_each(|&object| self.task.retire(object));
    }

    /// Calls a function of the program from within a library function and runs it to its end.
    pub(crate) fn call_back(&mut self, callee: Value, args: &[Value], call: &CallCode) -> Flow<Value> {
        let Value::Function(function) = callee else { return Ok(self.unknown(ReasonKind::NotEvaluated)) };
        if self.code.functions[function.index()].reaches_mpi {
            let name = "MPI in a function called by a library";
            return Err(self.error(&codes::UNSUPPORTED, format!("{name} is not followed"), "call it directly"));
        }
        let depth = self.task.frames.len();
        let context = self.context_of(call, function);
        self.push_frame(function, args, context)?;
        let before = self.task.result.take();
        self.execute_above(depth)?;
        Ok(std::mem::replace(&mut self.task.result, before).unwrap_or(self.shared.uninitialised))
    }

    fn library_call(&mut self, call: &'a CallCode, name: u32) -> Flow<()> {
        let args = self.arguments(call);
        let stated = self.stated_work(call, name, &args);
        let model = self.known.models.get(name as usize).copied().flatten();
        let value = match model {
            Some(model) => {
                let mut library = LibraryCall { machine: self, args: &args, call, dst: call.dst };
                model(&mut library)?
            }
            None => {
                if let Some(name) = self.code.library.get(name as usize) {
                    let mut library = LibraryCall { machine: self, args: &args, call, dst: call.dst };
                    library::note_changes(&mut library, name)?;
                }
                self.unknown_function(call, name, &args, stated)
            }
        };
        self.lose_written(call, name, &args);
        if self.code.program.errno.is_some() {
            library::errno::settle(self, call, name, &args, value);
        }
        self.give(call.dst, value);
        Ok(())
    }

    /// What a library function writes through a pointer that is not known: whatever that may lead to is unknown.
    fn lose_written(&mut self, call: &CallCode, name: u32, args: &[Value]) {
        if !args.iter().any(|value| value.is_unknown()) {
            return;
        }
        let Some(row) = self.code.library.get(name as usize).and_then(|name| functions::lookup(name)) else { return };
        for (index, value) in args.iter().enumerate() {
            if let Value::Unknown(reason) = *value
                && row.param(index).is_some_and(functions::Param::is_written)
            {
                self.forget_argument(call, index, reason);
            }
        }
    }

    /// Stores the result of a call in its register.
    fn give(&mut self, dst: Option<(u32, ScalarType)>, value: Value) {
        if let Some((register, ty)) = dst {
            let value = match value {
                Value::Int(n) if ty.is_float() => Value::Float(n as f64),
                Value::Int(n) => Value::Int(arith::wrap(n, ty)),
                Value::Float(x) => Value::Float(arith::round(x, ty)),
                other => other,
            };
            self.set_register(register, value);
        }
    }

    fn unknown_function(&mut self, call: &CallCode, name: u32, args: &[Value], stated: bool) -> Value {
        let name = self.code.library.get(name as usize).cloned().unwrap_or_else(|| "a function".into());
        if !stated {
            let message = format!("what `{name}` does is unknown: it is defined in none of the source files");
            let diagnostic = Diagnostic::warning(&codes::UNKNOWN_FUNCTION, message)
                .label(call.span, "called here")
                .help(format!("give the source file that defines `{name}`, if there is one"));
            self.shared.reports.add(self.task.id, diagnostic);
        }
        let by = format!("by `{name}`");
        let reached: BTreeSet<FuncId> = args.iter().flat_map(|&arg| self.functions_at(arg)).collect();
        reached.into_iter().for_each(|function| self.may_call(function, call, &by));
        let reason = self.shared.reason(ReasonKind::UnknownFunction(name), Some(call.span), None);
        let objects: Vec<ObjectId> = args
            .iter()
            .filter_map(|arg| match arg {
                Value::Pointer(pointer) => Some(pointer.object),
                _ => None,
            })
            .collect();
        objects.into_iter().for_each(|object| self.task.forget(object, reason));
        Value::Unknown(reason)
    }

    /// The functions of the program that a value is, or that lie where it points to.
    fn functions_at(&self, value: Value) -> Vec<FuncId> {
        /// Structures with functions to call are smaller.
        const BYTES: i64 = 512;
        let found = |value| if let Value::Function(function) = value { Some(function) } else { None };
        let Value::Pointer(pointer) = value else { return found(value).into_iter().collect() };
        let memory = &self.task.memory;
        let word = ScalarType::Pointer.size(memory.model);
        let size = i64::try_from(memory.object(pointer.object).size).unwrap_or(BYTES);
        let at = |offset| Pointer { object: pointer.object, offset };
        let offsets = (0..size.min(BYTES)).step_by(word as usize).map(at);
        let readable = offsets.filter(|&at| memory.check(at, word).is_ok());
        readable.filter_map(|at| found(memory.read(at, ScalarType::Pointer)?)).collect()
    }

    /// A function of the program may be called any number of times from here on, and is not followed.
    pub(crate) fn may_call(&mut self, function: FuncId, call: &CallCode, when: &str) {
        let name = &self.code.functions[function.index()].name;
        let text = format!("`{name}` may be called {when}, which is not followed");
        let help = "count it in a run: `chronos trace`, and its folder as --trace";
        let (certainty, help) = (Certainty::Unknown, Some(help.into()));
        let doubt = Doubt { span: call.span, certainty, text: text.into(), help };
        self.shared.doubts.add(doubt, Subject::Function(function));
    }

    /// What the user states to be the work of a function.
    fn work_of(&self, name: u32) -> Option<&Work> {
        let stated = &self.shared.options.assumptions.library_work;
        if stated.is_empty() {
            return None;
        }
        stated.get(&**self.code.library.get(name as usize)?)
    }

    /// Counts the work of a call that the user states the cost of; whether he does.
    fn stated_work(&mut self, call: &CallCode, name: u32, args: &[Value]) -> bool {
        let Some(work) = self.work_of(name) else { return false };
        let memory = &self.task.memory;
        let value = work.evaluate(&mut |leaf| match *leaf {
            Work::Number(n) => Some(n as f64),
            Work::Argument(position) => args.get(position)?.as_int().map(|n| n as f64),
            Work::Pointee(position) => match args.get(position)? {
                Value::Pointer(pointer) if memory.check(*pointer, INT_BYTES).is_ok() => {
                    memory.read(*pointer, ScalarType::I32)?.as_int().map(|n| n as f64)
                }
                _ => None,
            },
            _ => None,
        });
        match value {
            Some(work) => {
                let context = self.context();
                let work = work.max(0.0) * factor(self.task.weight);
                self.shared.scratch.add_volume(context, call.block, work);
            }
            None => {
                let message = "the work of this call of a library function is unknown: an argument is";
                let warning = Diagnostic::warning(&codes::UNKNOWN_WORK, message)
                    .label(call.span, "called here")
                    .help("give what decides about the argument (--set, --stdin, program arguments)");
                self.shared.reports.add(self.task.id, warning);
            }
        }
        true
    }

    /// Bytes that a call handles, for its price; the user's statement of its work wins.
    pub fn volume(&mut self, call: &CallCode, bytes: u64) {
        if matches!(call.target, CallTarget::Library(name) if self.work_of(name).is_some()) {
            return;
        }
        let context = self.context();
        let bytes = bytes as f64 * factor(self.task.weight);
        self.shared.scratch.add_volume(context, call.block, bytes);
    }

    fn mpi_call(&mut self, call: &'a CallCode, name: &str) -> Flow<()> {
        if self.is_uncertain() && functions::reads_clock(name) {
            let time = self.unknown(ReasonKind::Nondeterministic("the time".into()));
            self.give(call.dst, time);
            return Ok(());
        }
        if self.is_uncertain() {
            let message = format!("`{name}` is called under an unknown condition");
            let help = "give the value that decides (--set, program arguments), or use --trace of a real run";
            return Err(Diagnostic::error(&codes::UNKNOWN_MPI, message)
                .label(call.span, "this call")
                .help(help)
                .into());
        }
        let args = self.arguments(call);
        self.share_arrays(&args);
        let site = Site { context: self.context(), block: call.block };
        let mut env = Env {
            shared: self.shared,
            task: self.task,
            args: &args,
            summariser: self.summariser,
            program: &self.code.program,
            allocated: &self.known.allocated,
        };
        let action = self.calls.begin(env.task.id, name, site, &mut env, call.span);
        self.tell_vague(call);
        self.tell_calls();
        self.act(action, Pending { args, dst: call.dst, events: 0, own: None })
    }

    /// A call goes on without a size that is unknown; what it decides about time is wrong, so this is an error.
    fn tell_vague(&mut self, call: &CallCode) {
        let Some((argument, reason)) = self.calls.take_vague() else { return };
        let what = format!("the size of data, argument {} of this MPI call,", argument + 1);
        if let Stop::Fail(mut diagnostic) = self.unknown_mpi(Decides::Argument, call.span, &what, reason) {
            diagnostic.message += ": it counts as empty";
            self.shared.reports.add(self.task.id, *diagnostic);
        }
    }

    pub(crate) fn tell_calls(&mut self) {
        for diagnostic in self.calls.take_reports() {
            self.shared.reports.add(self.task.id, diagnostic);
        }
    }

    /// Arrays that a call of MPI is given, as counts and displacements, are the same in many tasks.
    fn share_arrays(&mut self, args: &[Value]) {
        for value in args {
            if let Value::Pointer(pointer) = value {
                self.task.memory.share_equal(pointer.object, &mut self.shared.pages);
            }
        }
    }

    /// Nobody knows how often what is executed now is executed.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.task.weight != chronos_activity::Count::ONE || self.in_forced_loop()
    }

    fn in_forced_loop(&self) -> bool {
        self.task.loops.iter().any(|state| matches!(state.mode, LoopMode::Forced { .. }))
    }

    fn act(&mut self, mut action: Action, mut pending: Pending) -> Flow<()> {
        while let Action::CallBack { function, arguments, counted } = action {
            self.call_from_mpi(function, &arguments, counted)?;
            let mut env = Env {
                shared: self.shared,
                task: self.task,
                args: &pending.args,
                summariser: self.summariser,
                program: &self.code.program,
                allocated: &self.known.allocated,
            };
            action = self.calls.finish(env.task.id, Outcome::None, &mut env);
            self.tell_calls();
        }
        match action {
            Action::CallBack { .. } => Ok(()),
            Action::Return(value) => {
                self.give(pending.dst, value);
                Ok(())
            }
            Action::Fail(diagnostic) => Err(Stop::Fail(diagnostic)),
            Action::Unknown { argument, reason } => {
                let what = format!("argument {} of this MPI call", argument + 1);
                let span = self.span().unwrap_or(self.function().spans[0]);
                Err(self.unknown_mpi(Decides::Argument, span, &what, reason))
            }
            Action::Events(events) => {
                self.flush();
                pending.events = events.len();
                events.into_iter().for_each(|event| self.emit(Step::Event(event)));
                self.task.pending = Some(pending);
                Err(Stop::Yield)
            }
        }
    }

    /// A function of the program that MPI calls; where nobody knows how often, it is not counted.
    fn call_from_mpi(&mut self, function: Value, arguments: &[Value], counted: bool) -> Flow<()> {
        let Some(call) = self.current_call() else { return Ok(()) };
        if counted {
            return self.call_back(function, arguments, call).map(|_| ());
        }
        let weight = self.task.weight;
        let outside = self.shared.scratch.begin_layer(weight);
        let outcome = self.call_back(function, arguments, call);
        self.shared.scratch.end_layer(weight, outside);
        outcome.map(|_| ())
    }

    /// The call that the innermost function is in.
    fn current_call(&self) -> Option<&'a CallCode> {
        let frame = self.task.frames.last()?;
        let function = &self.code.functions[frame.function.index()];
        let Some(Instr::Call(index)) = function.instrs.get((frame.pc as usize).wrapping_sub(1)) else { return None };
        function.calls.get(*index as usize)
    }

    /// Goes on after an event with its outcome.
    pub fn resume(&mut self, outcome: Outcome) -> Flow<()> {
        let Some(pending) = self.task.pending.take() else { return Ok(()) };
        if pending.own.is_some() {
            return Ok(());
        }
        self.task.failed += u64::from(outcome == Outcome::NotYet);
        if matches!(outcome, Outcome::Arrived(_) | Outcome::Any { .. }) {
            self.forget_jump();
        }
        let mut env = Env {
            shared: self.shared,
            task: self.task,
            args: &pending.args,
            summariser: self.summariser,
            program: &self.code.program,
            allocated: &self.known.allocated,
        };
        let action = self.calls.finish(env.task.id, outcome, &mut env);
        self.tell_calls();
        self.act(action, pending)
    }

    /// Storage from the library.
    /// The call that storage counts for: of the outermost of the functions that only allocate.
    fn allocation_site(&self, leaf: BlockId) -> BlockId {
        let frames = &self.task.frames;
        let mut site = leaf;
        for pair in frames.windows(2).rev() {
            let [caller, callee] = pair else { break };
            if !self.code.allocators[callee.function.index()] {
                break;
            }
            let function = &self.code.functions[caller.function.index()];
            let Some(Instr::Call(index)) = function.instrs.get((caller.pc as usize).wrapping_sub(1)) else { break };
            site = function.calls[*index as usize].block;
        }
        site
    }

    pub fn allocation(&mut self, size: u64, call: &CallCode, fill: Fill) -> Value {
        let origin = chronos_values::Origin::Allocation(self.allocation_site(call.block));
        let object = self.task.memory.allocate(size, origin, fill);
        Value::Pointer(Pointer { object, offset: 0 })
    }
}
