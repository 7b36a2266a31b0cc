//! Calls that leave the program's own code: library models, functions without a body, call-backs, storage.

use crate::code::instructions::{CallCode, CallTarget, Instr};
use crate::execute::machine::{Flow, LibraryCall, Machine};
use crate::messages::unknown_bytes;
use crate::state::open_counts::factor;
use crate::{codes, library};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_ir::{BlockId, FuncId, ScalarType};
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_slicing::work::Work;
use chronos_values::storage::Fill;
use chronos_values::{ObjectId, Pointer, ReasonId, ReasonKind, Value, arith};
use std::collections::BTreeSet;

/// Of an `int`.
const INT_BYTES: u64 = 4;

impl<'a> Machine<'a> {
    /// Calls a function of the program from within a library function and runs it to its end.
    pub(crate) fn call_back(&mut self, callee: Value, args: &[Value], call: &CallCode) -> Flow<Value> {
        let Value::Function(function) = callee else { return Ok(self.unknown(ReasonKind::NotEvaluated)) };
        let depth = self.task.frames.len();
        let context = self.context_of(call, function);
        self.push_frame(function, args, context)?;
        let before = self.task.result.take();
        let outer = self.task.called_back.replace(depth);
        let outcome = self.execute_above(depth);
        self.task.called_back = outer;
        outcome?;
        Ok(std::mem::replace(&mut self.task.result, before).unwrap_or(self.shared.uninitialised))
    }

    /// What the program does within a function that a library calls cannot wait for other tasks: the library's call would have to
    /// go on afterwards. Calls that ask MPI about its own objects do not wait.
    pub(super) fn refuse_in_call_back(&self) -> Flow<()> {
        match self.task.called_back {
            None => Ok(()),
            Some(_) => {
                let message = "MPI in a function called by a library is not followed";
                Err(self.error(&codes::UNSUPPORTED, message.to_owned(), "call it directly"))
            }
        }
    }

    pub(super) fn library_call(&mut self, call: &'a CallCode, name: u32) -> Flow<()> {
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
        if !stated {
            self.note_unknown_bytes(call.block, name, &args);
        }
        if self.code.program.errno.is_some() {
            library::errno::settle(self, call, name, &args, value);
        }
        self.give(call.dst, value);
        Ok(())
    }

    /// What a library function writes through a pointer that is not known: whatever that may lead to is unknown.
    pub(super) fn lose_written(&mut self, call: &CallCode, name: u32, args: &[Value]) {
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

    /// Says so where an argument is unknown that tells how many bytes a call is for.
    fn note_unknown_bytes(&mut self, call: BlockId, name: u32, args: &[Value]) {
        let is_plain = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_) | Value::Pointer(_));
        if args.iter().all(is_plain) {
            return;
        }
        let Some(name) = self.code.library.get(name as usize) else { return };
        let sizes = functions::bytes_handled(name).iter().filter_map(|&position| args.get(position));
        match sizes.copied().find(|size| size.as_int().is_none()) {
            Some(Value::Unknown(reason)) => self.report_unknown_bytes(call, Some(reason)),
            Some(Value::Clock(reading)) => {
                let span = Some(self.code.program.blocks[reading.call()].span);
                let reason = self.shared.reason(ReasonKind::time(), span, None);
                self.report_unknown_bytes(call, Some(reason));
            }
            Some(_) => self.report_unknown_bytes(call, None),
            None => {}
        }
    }

    pub(super) fn report_unknown_bytes(&mut self, call: BlockId, reason: Option<ReasonId>) {
        self.shared.lacks_bytes = true;
        let mut diagnostic = unknown_bytes(&self.code.program, call);
        if let Some(reason) = reason {
            let (_, remedy) = self.cause(reason);
            diagnostic.labels.extend(self.origins(reason));
            if let (Some(remedy), Some(help)) = (remedy, &mut diagnostic.help) {
                *help = format!("{remedy}, or {help}");
            }
        }
        self.shared.reports.add(self.task.id, diagnostic);
    }

    /// Stores the result of a call in its register.
    pub(super) fn give(&mut self, dst: Option<(u32, ScalarType)>, value: Value) {
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

    pub(super) fn unknown_function(&mut self, call: &CallCode, name: u32, args: &[Value], stated: bool) -> Value {
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
    pub(super) fn functions_at(&self, value: Value) -> Vec<FuncId> {
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
    pub(super) fn work_of(&self, name: u32) -> Option<&Work> {
        let stated = &self.shared.options.assumptions.library_work;
        if stated.is_empty() {
            return None;
        }
        stated.get(&**self.code.library.get(name as usize)?)
    }

    /// Counts the work of a call that the user states the cost of; whether he does.
    pub(super) fn stated_work(&mut self, call: &CallCode, name: u32, args: &[Value]) -> bool {
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

    /// Storage from the library.
    /// The call that storage counts for: of the outermost of the functions that only allocate.
    pub(super) fn allocation_site(&self, leaf: BlockId) -> BlockId {
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
